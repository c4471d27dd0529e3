//! Renders the files of a manifest's project in memory. `--stdout` needs only this.

use std::path::{Path, PathBuf};

use super::{GenerateError, GenerateOutcome, manifest_copy};
use crate::diagnostics::{self, Diagnostic};
use crate::files::{Contents, FileTree, Stamp};
use crate::host::ReadError;
use crate::manifest;
use crate::names;
use crate::ops::policy::Policy;
use crate::ops::{Checked, Scope, check};
use crate::project::Project;
use crate::render::{self, RenderError};
use crate::secrets::Secrets;
use crate::targets::{self, Plan};

/// A completely rendered project.
pub(super) struct Prepared {
    /// The resolved manifest.
    pub(super) project: Project,
    /// The plan for its language.
    pub(super) plan: Plan,
    /// The rendered files.
    pub(super) tree: FileTree,
    /// The version of the tool and the hash of the manifest.
    pub(super) stamp: Stamp,
    /// Secrets that no output may contain.
    pub(super) secrets: Secrets,
}

/// Checks the manifest `file` and renders its project for the folder `output`. An error means that the manifest cannot
/// be read.
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

/// How the manifest is included in the project.
enum InProject {
    /// The manifest is already in the output folder.
    Itself,
    /// A copy.
    Copy(Contents),
    /// Not at all, because it contains a credential.
    Nothing,
}

fn render(project: Project, in_project: InProject, stamp: Stamp) -> Result<Prepared, GenerateError> {
    let plan = targets::plan(&project);
    let mut tree = render::render(&plan.files)?;
    match in_project {
        InProject::Itself => tree.set_source(manifest_copy::PATH),
        InProject::Copy(copy) => tree.insert(manifest_copy::PATH, copy).map_err(RenderError::from)?,
        InProject::Nothing => {}
    }
    Ok(Prepared { secrets: project.secrets(), project, plan, tree, stamp })
}

/// Selects a file of a project.
#[derive(Debug, Clone)]
pub struct ShowOptions {
    /// The manifest.
    pub file: PathBuf,
    /// The output folder, which is not written to.
    pub output: PathBuf,
    /// The file's path relative to the output folder, with `/` between components.
    pub path: String,
    /// Which warnings are ignored or errors.
    pub policy: Policy,
}

/// The file at a path of a project.
#[derive(Debug)]
pub enum Shown {
    /// The contents of the file.
    File(Vec<u8>),
    /// The project does not contain the file.
    Unknown {
        /// A similar path, if there is one.
        meant: Option<String>,
        /// All paths.
        paths: Vec<String>,
    },
}

/// Renders one file of the project. An error means that the manifest cannot be read.
pub fn show(options: &ShowOptions) -> Result<GenerateOutcome<Shown>, ReadError> {
    let GenerateOutcome { sources, diagnostics, not_allowed, result } =
        prepare(&options.file, &options.output, &options.policy)?;
    let result = result.map(|Prepared { tree, .. }| {
        let path = options.path.strip_prefix("./").unwrap_or(&options.path);
        match tree.get(path) {
            Some(file) => Shown::File(file.bytes.clone()),
            None => Shown::Unknown {
                meant: names::closest(path, tree.iter().map(|(path, _)| path)).map(str::to_owned),
                paths: tree.iter().map(|(path, _)| path.to_owned()).collect(),
            },
        }
    });
    Ok(GenerateOutcome { sources, diagnostics, not_allowed, result })
}
