//! `adl validate`: checks manifests.

use std::collections::BTreeSet;

use super::check::{Checked, Scope, examine};
use super::inputs::{Found, Input, InputError, find};
use super::parallel;
use super::policy::Policy;
use crate::diagnostics::{Code, Diagnostic, Sources};

/// What to validate, and how.
#[derive(Debug, Clone)]
pub struct ValidateOptions {
    /// The manifests, and the folders to search for them.
    pub inputs: Vec<Input>,
    /// What to check.
    pub scope: Scope,
    /// Which warnings are ignored or errors.
    pub policy: Policy,
}

/// The result of validation.
#[derive(Debug)]
pub struct ValidateOutcome {
    /// The files in the given order without duplicates; those of a folder are sorted by path.
    pub files: Vec<Validated>,
    /// Codes that the policy allows but that are errors, which cannot be allowed.
    pub not_allowed: BTreeSet<Code>,
}

/// A validated file.
#[derive(Debug)]
pub struct Validated {
    /// Its path, or `<stdin>`.
    pub name: String,
    /// The findings, or why the manifest cannot be read.
    pub result: Result<Findings, InputError>,
}

/// The findings about a file. It is valid if none is an error.
#[derive(Debug)]
pub struct Findings {
    /// The text that the findings refer to.
    pub sources: Sources,
    /// All findings, sorted by location.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks manifests. Calls `progress` with the number of finished manifests and the total.
pub fn validate(options: &ValidateOptions, progress: &mut dyn FnMut(usize, usize)) -> ValidateOutcome {
    let found = find(&options.inputs);
    let total = found.len();
    let mut files = parallel::map(found, |found| check_file(found, options.scope), &mut |done| progress(done, total));
    let mut not_allowed = BTreeSet::new();
    for findings in files.iter_mut().filter_map(|file| file.result.as_mut().ok()) {
        not_allowed.extend(options.policy.apply(&mut findings.diagnostics));
    }
    ValidateOutcome { files, not_allowed }
}

fn check_file(found: Found, scope: Scope) -> Validated {
    let name = found.name();
    let bytes = found.read();
    let result = bytes.map(|bytes| {
        let Checked { sources, diagnostics, .. } = examine(name.clone(), bytes, scope);
        Findings { sources, diagnostics }
    });
    Validated { name, result }
}
