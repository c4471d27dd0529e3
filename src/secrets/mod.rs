//! Detection and masking of credentials in texts, manifests and server definitions.
//!
//! This module alone decides what a credential is. Rules use it for warnings, the project model removes credentials
//! from generated files, and everything that is shown of a file passes through [`Secrets`], so that no output shows
//! what another one hides.

mod credential;
mod manifest;
mod protect;
mod redact;

pub use credential::{
    Credential, has_literal, in_arguments, in_environment, in_header, in_text, in_url, is_secret_name, is_stand_in,
    private_keys,
};
pub use manifest::{in_keys, in_manifest, near};
pub use protect::{Protected, Secret, protect};
pub use redact::{MASK, Secrets, gives_away, masked};
