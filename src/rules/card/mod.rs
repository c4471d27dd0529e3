//! The agent card.

mod incomplete_security_scheme;
mod protocol_version;
mod unknown_security_scheme;

use super::Rule;

pub(super) const RULES: &[Rule] =
    &[protocol_version::check, incomplete_security_scheme::check, unknown_security_scheme::check];
