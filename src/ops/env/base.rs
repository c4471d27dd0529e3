//! The text that was rendered last for an env file, without which nobody could tell the user's changes from ours.
//!
//! It is the manifest's text alone; nothing of the env file itself is ever kept.

use std::io;
use std::path::{Path, PathBuf};

use super::EnvError;
use crate::files::{self, LOCK_PATH, ReplaceError};
use crate::host::{self, ReadProblem};

/// That text, and where it is kept.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) place: PathBuf,
    /// `None`: nothing has been rendered yet.
    pub(super) bytes: Option<Vec<u8>>,
}

impl Base {
    /// That of an env file: in the `.adl` folder of the project that it lies in, else in one beside it. `None` where nothing is kept:
    /// for a file of `adl generate`'s, which keeps the base itself.
    pub(super) fn find(file: &Path) -> Result<Option<Self>, EnvError> {
        let Some(place) = place(file)? else { return Ok(None) };
        match host::read(&place) {
            Ok(bytes) => Ok(Some(Self { place, bytes: Some(bytes) })),
            Err(error) if matches!(error.problem, ReadProblem::Missing) => Ok(Some(Self { place, bytes: None })),
            Err(error) => Err(EnvError::File(error)),
        }
    }

    /// The text, with lines that end in `\n`.
    pub(super) fn text(&self) -> Option<String> {
        String::from_utf8(files::plain(self.bytes.as_ref()?).into_owned()).ok()
    }
}

/// The project that an env file lies in, else the folder itself, and the file's path below that. `None`: there is no such folder.
pub(super) fn project(file: &Path) -> Option<(PathBuf, PathBuf)> {
    let beside = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The name by which a folder is called says nothing of what lies above it.
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
