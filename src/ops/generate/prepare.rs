//! From a manifest to the files of its project, in memory: the part that everything which generates shares.

use std::path::Path;

use super::{GenerateError, GenerateOutcome, manifest_copy};
use crate::diagnostics::{self, Diagnostic};
use crate::files::{Contents, FileTree, Stamp};
use crate::host::ReadError;
use crate::manifest;
use crate::ops::policy::Policy;
use crate::ops::{Checked, Scope, check};
use crate::project::Project;
use crate::render::{self, RenderError};
use crate::secrets::Secrets;
use crate::targets::{self, Plan};

/// A project, rendered whole.
pub(super) struct Prepared {
    /// What it was made from.
    pub(super) project: Project,
    /// Its plan in its language.
    pub(super) plan: Plan,
    /// Its files.
    pub(super) tree: FileTree,
    /// By which tool, from which manifest.
    pub(super) stamp: Stamp,
    /// What no output may show of them.
    pub(super) secrets: Secrets,
}

/// Checks the manifest `file` and renders its project for the folder `output`. An error means that it could not be read.
pub(super) fn prepare(file: &Path, output: &Path, policy: &Policy) -> Result<GenerateOutcome<Prepared>, ReadError> {
    let Checked { sources, document, mut diagnostics, credentials } = check(file, Scope::Generation)?;
    let is_valid = !diagnostics.iter().any(Diagnostic::is_error);
    let is_in_place = manifest_copy::is_in_place(file, output);
    let withheld = manifest_copy::withheld(&credentials).filter(|_| is_valid && !is_in_place);
    let is_copied = withheld.is_none();
    diagnostics.extend(withheld);
    diagnostics::sort(&mut diagnostics);
    let not_allowed = policy.apply(&mut diagnostics);
    let document = document.filter(|_| !diagnostics.iter().any(Diagnostic::is_error));
    let result = document.ok_or(GenerateError::Manifest).and_then(|document| {
        let source = manifest_copy::source(sources.text(document.file()));
        let stamp = Stamp::new(env!("CARGO_PKG_VERSION"), source.as_bytes());
        let in_project = match is_copied {
            _ if is_in_place => InProject::Itself,
            true => InProject::Copy(manifest_copy::of(source)),
            false => InProject::Nothing,
        };
        let prepared = render(Project::resolve(&manifest::decode(&document)?), in_project, stamp)?;
        Ok(Prepared { secrets: prepared.secrets.with_concealed(&sources), ..prepared })
    });
    Ok(GenerateOutcome { sources, diagnostics, not_allowed, result })
}

/// What the project has of its manifest.
enum InProject {
    /// The manifest itself lies where a copy would.
    Itself,
    /// A copy.
    Copy(Contents),
    /// Nothing, for it holds a credential.
    Nothing,
}

fn render(project: Project, in_project: InProject, stamp: Stamp) -> Result<Prepared, GenerateError> {
    let language = project.language.target().name();
    let plan = targets::plan(&project).ok_or(GenerateError::NoTemplates { language })?;
    let mut tree = render::render(&plan.files)?;
    match in_project {
        InProject::Itself => tree.set_source(manifest_copy::PATH),
        InProject::Copy(copy) => tree.insert(manifest_copy::PATH, copy).map_err(RenderError::from)?,
        InProject::Nothing => {}
    }
    Ok(Prepared { secrets: project.secrets(), project, plan, tree, stamp })
}
