//! From a manifest to the files of its project, in memory: the part that everything which generates shares.

use std::path::Path;

use super::{GenerateError, GenerateOutcome, manifest_copy};
use crate::diagnostics::{self, Diagnostic};
use crate::files::{Contents, FileTree, Stamp};
use crate::host::ReadError;
use crate::manifest;
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
pub(super) fn prepare(file: &Path, output: &Path) -> Result<GenerateOutcome<Prepared>, ReadError> {
    let Checked { sources, document, mut diagnostics, credentials } = check(file, Scope::Generation)?;
    let Some(document) = document.filter(|_| !diagnostics.iter().any(Diagnostic::is_error)) else {
        return Ok(GenerateOutcome { sources, diagnostics, result: Err(GenerateError::Manifest) });
    };
    let text = sources.text(document.file());
    let source = manifest_copy::source(text);
    let stamp = Stamp::new(env!("CARGO_PKG_VERSION"), source.as_bytes());
    let in_project = if manifest_copy::is_in_place(file, output) {
        InProject::Itself
    } else if let Some(finding) = manifest_copy::withheld(&credentials) {
        diagnostics.push(finding);
        diagnostics::sort(&mut diagnostics);
        InProject::Nothing
    } else {
        InProject::Copy(manifest_copy::of(source))
    };
    let result = manifest::decode(&document)
        .map_err(GenerateError::from)
        .and_then(|manifest| render(Project::resolve(&manifest), in_project, stamp))
        .map(|prepared| Prepared { secrets: prepared.secrets.with_concealed(&sources), ..prepared });
    Ok(GenerateOutcome { sources, diagnostics, result })
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
