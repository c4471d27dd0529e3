//! `adl validate`: says whether a manifest is right.

use std::path::PathBuf;

use super::{Checked, check};
use crate::diagnostics::{Diagnostic, Sources};
use crate::host::ReadError;

/// What to validate.
#[derive(Debug, Clone)]
pub struct ValidateOptions {
    /// The manifest.
    pub file: PathBuf,
}

/// The verdict: valid when no finding is an error.
#[derive(Debug)]
pub struct ValidateOutcome {
    /// The texts that the findings point into.
    pub sources: Sources,
    /// All findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks a manifest. An error means that it could not be read.
pub fn validate(options: &ValidateOptions) -> Result<ValidateOutcome, ReadError> {
    let Checked { sources, diagnostics, .. } = check(&options.file)?;
    Ok(ValidateOutcome { sources, diagnostics })
}
