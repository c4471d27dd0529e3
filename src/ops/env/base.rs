//! The text that was last rendered for an environment file. It is needed to distinguish the user's changes from
//! generated ones.
//!
//! It is derived from the manifest alone and never contains a part of the environment file.

use std::io;
use std::path::{Path, PathBuf};

use super::EnvError;
use crate::files::{self, LOCK_PATH, ReplaceError};
use crate::host::{self, ReadProblem};

/// The last rendered text and its location.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) place: PathBuf,
    /// `None` if nothing has been rendered yet.
    pub(super) bytes: Option<Vec<u8>>,
}

impl Base {
    /// Finds the base of an environment file: in the `.adl` folder of the project that contains the file, or else in
    /// one next to it. Returns `None` if `adl generate` manages the file and therefore stores its base itself, or if
    /// the folder does not exist.
    pub(super) fn find(file: &Path) -> Result<Option<Self>, EnvError> {
        let Some(place) = place(file)? else { return Ok(None) };
        match host::read(&place) {
            Ok(bytes) => Ok(Some(Self { place, bytes: Some(bytes) })),
            Err(error) if matches!(error.problem, ReadProblem::Missing) => Ok(Some(Self { place, bytes: None })),
            Err(error) => Err(EnvError::File(error)),
        }
    }

    /// The text, with `
    /// ` line endings.
    pub(super) fn text(&self) -> Option<String> {
        String::from_utf8(files::plain(self.bytes.as_ref()?).into_owned()).ok()
    }
}

/// The root of the project that contains an environment file, or else the folder of the file, and the file's path
/// relative to it. Returns `None` if the folder does not exist.
pub(super) fn project(file: &Path) -> Option<(PathBuf, PathBuf)> {
    let beside = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A relative path or a symbolic link does not reveal the folders above.
    let beside = host::real_path(beside).ok()?;
    let project = beside.ancestors().find(|folder| host::is_file(&folder.join(LOCK_PATH))).unwrap_or(&beside);
    let path = beside.strip_prefix(project).ok()?.join(file.file_name()?);
    Some((project.to_owned(), path))
}

fn place(file: &Path) -> Result<Option<PathBuf>, EnvError> {
    let Some((project, path)) = project(file) else { return Ok(None) };
    let lock = host::read(&project.join(LOCK_PATH)).unwrap_or_default();
    let path = path.to_string_lossy();
    if files::is_locked(&lock, &path.replace('\\', "/")) {
        return Ok(None);
    }
    let place = project.join(files::base_path(&path));
    let real = place.ancestors().skip(1).find_map(|folder| host::real_path(folder).ok());
    if real.is_some_and(|real| !real.starts_with(&project)) {
        let source = io::Error::other("a symbolic link leads out of the project");
        return Err(EnvError::Write(ReplaceError::Write { path: place, source }));
    }
    Ok(Some(place))
}
