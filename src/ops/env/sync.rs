//! `adl env sync`: updates an environment file to the manifest and preserves the user's edits.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::base::{self, Base};
use super::file::EnvFile;
use super::settings::Settings;
use super::{EnvError, EnvOptions, load};
use crate::dotenv::Document;
use crate::files::{self, Control, Endings, Event, FolderLock, ReplaceError};
use crate::host::{self, ReadError, ReadProblem};
use crate::merge::{self, Merged, Note, Strategy, Versions};
use crate::ops::diff;
use crate::project::Project;
use crate::render;
use crate::secrets::{Secrets, masked};
use crate::targets;

/// Whether to write the environment file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncMode {
    /// Write it if anything changes.
    Write,
    /// Do not write it; the outcome contains the changes.
    DryRun,
}

/// The changes that were made, or would be made in a dry run.
#[derive(Debug)]
pub struct Synced {
    /// Whether the file is created.
    pub created: bool,
    /// Whether anything changes.
    pub changed: bool,
    /// New variables.
    pub added: Vec<String>,
    /// Variables with a new value.
    pub updated: Vec<String>,
    /// Removed variables.
    pub removed: Vec<String>,
    /// Notes for the user.
    pub notes: Vec<Note>,
    /// All changes as a unified diff, with secrets masked; empty if there are none.
    pub diff: String,
}

/// Updates an environment file. A missing file is created, readable only by its owner. Waits for other runs that write
/// to the project; `tell` receives an event about that.
pub fn sync_env(options: &EnvOptions, mode: SyncMode, tell: &dyn Fn(&Event)) -> Result<Synced, EnvError> {
    let project = load(&options.manifest)?;
    let secrets = project.secrets();
    let ours = rendered(&project)?;
    let interrupted =
        host::catch_interrupts().map_err(|source| ReplaceError::Write { path: options.file.clone(), source })?;
    let folder = base::project(&options.file).filter(|_| mode == SyncMode::Write).map(|(folder, _)| folder);
    let control = Control { interrupted: &interrupted, tell };
    let _lock = folder.map(|folder| FolderLock::take(&folder, control)).transpose()?;
    let before = match EnvFile::load(&options.file, &secrets) {
        Ok(_) if !host::is_file(&options.file) => {
            let problem = ReadProblem::NoFile;
            return Err(EnvError::File(ReadError { path: options.file.clone(), problem }));
        }
        Ok(file) => Some(file.without_fault()?.text),
        Err(EnvError::File(error)) if matches!(error.problem, ReadProblem::Missing) => None,
        Err(error) => return Err(error),
    };
    let base = Base::find(&options.file)?;
    let (after, notes) = match &before {
        Some(theirs) => merged(base.as_ref().and_then(Base::text).as_deref(), theirs, &ours),
        None => (ours.clone(), Vec::new()),
    };
    if mode == SyncMode::Write {
        write(&options.file, before.as_deref().map(str::as_bytes), after.as_bytes(), &interrupted)?;
        if let Some(Base { place, bytes }) = &base {
            files::make_folders(place)?;
            // The environment file is already written, so its base must follow even if the user interrupts.
            write(place, bytes.as_deref(), ours.as_bytes(), &AtomicBool::new(false))?;
        }
    }
    Ok(outcome(&secrets, &options.file, before.as_deref(), &after, notes))
}

/// The rendered environment file of an agent without user settings.
fn rendered(project: &Project) -> Result<String, EnvError> {
    let planned = targets::environment_file(project);
    let tree = render::render(std::slice::from_ref(&planned))?;
    let bytes = tree.get(&planned.path).map(|file| file.bytes.clone()).unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Merges, preserving the line endings of the user's file.
fn merged(base: Option<&str>, before: &str, ours: &str) -> (String, Vec<Note>) {
    let endings = Endings::of(before.as_bytes());
    let theirs = String::from_utf8_lossy(&files::plain(before.as_bytes())).into_owned();
    match merge::merge(Strategy::Variables, &Versions { base, theirs: &theirs, ours }) {
        Merged::Clean { text, notes } => {
            (String::from_utf8_lossy(&endings.restore(text.as_bytes())).into_owned(), notes)
        }
        // Variables merge without conflicts. Should one occur anyway, nothing is changed.
        Merged::Conflict { .. } => (before.to_owned(), Vec::new()),
    }
}

fn write(path: &Path, before: Option<&[u8]>, after: &[u8], interrupted: &AtomicBool) -> Result<(), ReplaceError> {
    match before {
        Some(before) if before == after => Ok(()),
        Some(before) => files::replace(path, before, after, interrupted),
        None => files::create(path, after, interrupted),
    }
}

fn outcome(secrets: &Secrets, file: &Path, before: Option<&str>, after: &str, notes: Vec<Note>) -> Synced {
    let old = before.unwrap_or_default();
    let (old_document, new_document) = (Document::parse(old), Document::parse(after));
    let (old_settings, new_settings) = (Settings::read(&old_document), Settings::read(&new_document));
    let names = |document: &Document<'_>, wanted: &dyn Fn(&str) -> bool| {
        let mut seen = BTreeSet::new();
        let names = document.variables().map(|variable| document.name(variable));
        names.filter(|name| wanted(name) && seen.insert(*name)).map(str::to_owned).collect::<Vec<_>>()
    };
    let value = |settings: &Settings, name: &str| settings.get(name).map(|setting| setting.value.clone());
    let is_updated = |name: &str| {
        let old = value(&old_settings, name);
        old.is_some() && old != value(&new_settings, name)
    };
    let added = names(&new_document, &|name| old_settings.get(name).is_none());
    let removed = names(&old_document, &|name| new_settings.get(name).is_none());
    let updated = names(&new_document, &is_updated);
    let changed = before != Some(after);
    let shown = |text| masked(text, secrets.in_env_file(text));
    let diff = diff::of_file(&file.display().to_string(), &shown(old), &shown(after));
    Synced { created: before.is_none(), changed, added, updated, removed, notes, diff }
}
