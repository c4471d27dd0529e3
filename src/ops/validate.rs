//! `adl validate`: says whether manifests are right.

use std::collections::BTreeSet;

use super::check::{Checked, Scope, examine};
use super::inputs::{Found, Input, InputError, find};
use super::parallel;
use super::policy::Policy;
use crate::diagnostics::{Code, Diagnostic, Sources};

/// What to validate, and how.
#[derive(Debug, Clone)]
pub struct ValidateOptions {
    /// The manifests, and the folders to find them in.
    pub inputs: Vec<Input>,
    /// What is looked for.
    pub scope: Scope,
    /// What the user thinks of some findings.
    pub policy: Policy,
}

/// What came of it.
#[derive(Debug)]
pub struct ValidateOutcome {
    /// The files, in the order in which they were named, each once; those of a folder by path.
    pub files: Vec<Validated>,
    /// Codes that the policy allows and that were found as errors: those stay.
    pub not_allowed: BTreeSet<Code>,
}

/// One file.
#[derive(Debug)]
pub struct Validated {
    /// Its path, or `<stdin>`.
    pub name: String,
    /// The verdict, or why there is none.
    pub result: Result<Findings, InputError>,
}

/// The findings about a file; it is valid when none is an error.
#[derive(Debug)]
pub struct Findings {
    /// The text that the findings point into.
    pub sources: Sources,
    /// All findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks manifests. `progress` hears how many of how many are done.
pub fn validate(options: &ValidateOptions, progress: &mut dyn FnMut(usize, usize)) -> ValidateOutcome {
    let found = find(&options.inputs);
    let total = found.len();
    let mut files = parallel::map(found, |found| judge(found, options.scope), &mut |done| progress(done, total));
    let mut not_allowed = BTreeSet::new();
    for findings in files.iter_mut().filter_map(|file| file.result.as_mut().ok()) {
        not_allowed.extend(options.policy.apply(&mut findings.diagnostics));
    }
    ValidateOutcome { files, not_allowed }
}

fn judge(found: Found, scope: Scope) -> Validated {
    let name = found.name();
    let bytes = found.read();
    let result = bytes.map(|bytes| {
        let Checked { sources, diagnostics, .. } = examine(name.clone(), bytes, scope);
        Findings { sources, diagnostics }
    });
    Validated { name, result }
}
