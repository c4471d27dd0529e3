//! The agent card.

mod incomplete_security_scheme;
mod invalid_mode;
mod invalid_url;
mod protocol_version;
mod unknown_security_scheme;
mod unknown_transport;

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    protocol_version::check,
    incomplete_security_scheme::check,
    unknown_security_scheme::check,
    invalid_url::check,
    invalid_mode::check,
    unknown_transport::check,
];
