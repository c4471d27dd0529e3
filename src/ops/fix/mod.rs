//! `adl fix`: applies the safe suggestions of findings.

mod repair;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::check::{Checked, Scope, examine};
use super::inputs::{Found, Input, InputError, find};
use super::parallel;
use crate::diagnostics::{Diagnostic, FileId, Sources, Span};
use crate::document;
use crate::files::{self, ReplaceError};
use crate::host;
use crate::secrets;

pub use repair::{Applied, Repaired, fixable, repair};

/// What to fix.
#[derive(Debug, Clone)]
pub struct FixOptions {
    /// The manifests, and the folders to search for them.
    pub inputs: Vec<Input>,
    /// Whether to write the fixed manifests.
    pub mode: FixMode,
}

/// Whether to write the fixed manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixMode {
    /// Write manifests that change.
    Write,
    /// Do not write; the outcome contains the changes.
    DryRun,
}

/// A manifest and its fixes.
#[derive(Debug)]
pub struct Fixed {
    /// Its path, or `<stdin>`.
    pub name: String,
    /// The fixes, or why the manifest cannot be read.
    pub result: Result<Fixes, InputError>,
}

/// The fixes of a manifest.
#[derive(Debug)]
pub struct Fixes {
    /// The manifest after the fixes, which the findings refer to.
    pub sources: Sources,
    /// The remaining findings, sorted by location, and one for each rejected fix.
    pub diagnostics: Vec<Diagnostic>,
    /// The applied fixes, in order.
    pub applied: Vec<Applied>,
    /// All changes as a unified diff, with credentials masked; empty if there are none.
    pub diff: String,
    /// The fixed manifest, if it was read from standard input or a pipe and therefore cannot be written back.
    pub output: Option<Vec<u8>>,
    /// Whether the file was written. `Ok` if there was nothing to write.
    pub written: Result<(), ReplaceError>,
}

/// Fixes manifests in the given order without duplicates; those of a folder are sorted by path.
pub fn fix(options: &FixOptions) -> Vec<Fixed> {
    let repairs = parallel::map(find(&options.inputs), repair_file, &mut |_| {});
    let mut interrupted = None;
    let write = |Repair { name, result }: Repair| Fixed {
        name,
        result: result.map(|(mut fixes, replacement)| {
            if let Some(replacement) = replacement.filter(|_| options.mode == FixMode::Write) {
                fixes.written = replacement.write(&mut interrupted);
            }
            fixes
        }),
    };
    repairs.into_iter().map(write).collect()
}

/// A manifest whose fixes are not yet written.
struct Repair {
    name: String,
    result: Result<(Fixes, Option<Replacement>), InputError>,
}

fn repair_file(found: Found) -> Repair {
    let name = found.name();
    let path = match &found {
        Found::File(path) if host::is_file(path) => Some(path.clone()),
        Found::File(_) | Found::StandardInput | Found::Nothing(_) | Found::Unreadable(_) => None,
    };
    let result = found.read().map(|bytes| repair_bytes(&name, path, bytes));
    Repair { name, result }
}

fn repair_bytes(name: &str, path: Option<PathBuf>, bytes: Vec<u8>) -> (Fixes, Option<Replacement>) {
    let (checked, applied, diff, after) = match std::str::from_utf8(&bytes) {
        Ok(before) => {
            let Repaired { text, checked, applied } = repair(name, before);
            (checked, applied, diff(name, before, &text), text.into_bytes())
        }
        Err(_) => (examine(name.to_owned(), bytes.clone(), Scope::Manifest), Vec::new(), String::new(), bytes.clone()),
    };
    let Checked { sources, diagnostics, .. } = checked;
    let mut fixes = Fixes { sources, diagnostics, applied, diff, output: None, written: Ok(()) };
    let Some(path) = path else {
        fixes.output = Some(after);
        return (fixes, None);
    };
    let replacement = (after != bytes).then_some(Replacement { path, before: bytes, after });
    (fixes, replacement)
}

/// A file and its new contents.
struct Replacement {
    path: PathBuf,
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Replacement {
    /// Writes the file. The first call installs the signal handlers, so that an interrupt never leaves a partially
    /// written file.
    fn write(&self, interrupted: &mut Option<Arc<AtomicBool>>) -> Result<(), ReplaceError> {
        let interrupted = match interrupted {
            Some(interrupted) => interrupted,
            None => interrupted.insert(self.catch_interrupts()?),
        };
        files::replace(&self.path, &self.before, &self.after, interrupted)
    }

    fn catch_interrupts(&self) -> Result<Arc<AtomicBool>, ReplaceError> {
        host::catch_interrupts().map_err(|source| ReplaceError::Write { path: self.path.clone(), source })
    }
}

/// The diff of the file `name`; empty if nothing changed.
fn diff(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    super::diff::of_file(name, &masked(before), &masked(after))
}

/// The text with its credentials masked.
fn masked(text: &str) -> String {
    let document = document::parse(FileId::default(), text).document;
    let spans = document.iter().flat_map(|document| secrets::in_manifest(document, text));
    secrets::masked(text, spans.map(Span::range).collect())
}
