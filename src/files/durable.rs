//! Making what was written last through a power cut.
//!
//! Linux flushes a whole file system in one call, which for a project's files costs a fraction of a call for each of them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;

use cap_std::fs::Dir;

/// Makes the bytes of one file last, where [`all`] does not.
pub(super) fn file(file: &File) -> io::Result<()> {
    if cfg!(target_os = "linux") { Ok(()) } else { file.sync_all() }
}

/// Makes everything that was written last.
#[cfg(target_os = "linux")]
pub(super) fn all(root: &Dir) -> io::Result<()> {
    // The handle of the folder itself only names it; the call wants one that is open.
    Ok(rustix::fs::syncfs(root.open(".")?)?)
}

/// Makes the names in folders last.
#[cfg(target_os = "linux")]
pub(super) fn folders(root: &Dir, _folders: &BTreeSet<&str>) -> io::Result<()> {
    all(root)
}

/// Makes everything that was written last.
#[cfg(not(target_os = "linux"))]
pub(super) fn all(_root: &Dir) -> io::Result<()> {
    Ok(())
}

/// Makes the names in folders last, where the system can.
#[cfg(not(target_os = "linux"))]
pub(super) fn folders(root: &Dir, folders: &BTreeSet<&str>) -> io::Result<()> {
    for folder in folders {
        match root.open(folder).and_then(|folder| folder.sync_all()) {
            Err(error)
                if cfg!(not(unix))
                    || matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {}
            result => result?,
        }
    }
    Ok(())
}
