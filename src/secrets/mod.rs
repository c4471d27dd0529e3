//! What must not be shown or passed on: credentials in texts, in manifests and in server definitions.
//!
//! Owns the one judgement on what a credential is. Rules warn with it, the project model takes credentials out of what is
//! generated, and everything that is shown of a file passes through [`Secrets`], so that no output shows what another hides.

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
