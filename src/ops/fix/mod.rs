//! `adl fix`: does what findings suggest and what follows from the file itself.

mod diff;
mod repair;

use std::path::PathBuf;

use super::check::{Checked, Scope, examine};
use crate::diagnostics::{Diagnostic, Sources};
use crate::files::{self, ReplaceError};
use crate::host::{self, ReadError};

pub use repair::{Applied, Repaired, repair};

/// What to fix.
#[derive(Debug, Clone)]
pub struct FixOptions {
    /// The manifest.
    pub file: PathBuf,
    /// Whether it is written.
    pub mode: FixMode,
}

/// Whether the manifest is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixMode {
    /// It is, when anything changes.
    Write,
    /// It is not: the outcome says what would change.
    DryRun,
}

/// What came of it.
#[derive(Debug)]
pub struct FixOutcome {
    /// The manifest as it is, or would be, after the fixes: the findings point into it.
    pub sources: Sources,
    /// What is still wrong, sorted by place, and each fix that was refused.
    pub diagnostics: Vec<Diagnostic>,
    /// What was done, or would be, in order.
    pub applied: Vec<Applied>,
    /// All changes as a unified diff, with credentials masked; empty when there are none.
    pub diff: String,
    /// Whether the manifest could be written; `Ok` also when nothing was to be.
    pub written: Result<(), ReplaceError>,
}

/// Fixes a manifest. An error means that it could not be read.
pub fn fix(options: &FixOptions) -> Result<FixOutcome, ReadError> {
    let bytes = host::read(&options.file)?;
    let name = options.file.display().to_string();
    let before = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let Checked { sources, diagnostics, .. } = examine(name, error.into_bytes(), Scope::Manifest);
            return Ok(FixOutcome { sources, diagnostics, applied: Vec::new(), diff: String::new(), written: Ok(()) });
        }
    };
    let Repaired { text, checked, applied } = repair(&name, &before);
    let diff = diff::unified(&name, &before, &text);
    let written = if options.mode == FixMode::Write && text != before {
        write(options, before.as_bytes(), text.as_bytes())
    } else {
        Ok(())
    };
    let Checked { sources, diagnostics, .. } = checked;
    Ok(FixOutcome { sources, diagnostics, applied, diff, written })
}

fn write(options: &FixOptions, before: &[u8], after: &[u8]) -> Result<(), ReplaceError> {
    let interrupted =
        host::catch_interrupts().map_err(|source| ReplaceError::Write { path: options.file.clone(), source })?;
    files::replace(&options.file, before, after, &interrupted)
}
