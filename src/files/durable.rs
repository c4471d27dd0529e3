//! Making what was written last through a power cut.
//!
//! Linux flushes a whole file system in one call, which for a project's files costs a fraction of a call for each of them.

use std::collections::BTreeSet;
use std::io;

use cap_std::fs::{Dir, File};

/// Makes the bytes of files last.
#[cfg(target_os = "linux")]
pub(super) fn files(root: &Dir, _files: &[File]) -> io::Result<()> {
    flush(root)
}

/// Makes the names in folders last.
#[cfg(target_os = "linux")]
pub(super) fn folders(root: &Dir, _folders: &BTreeSet<&str>) -> io::Result<()> {
    flush(root)
}

#[cfg(target_os = "linux")]
fn flush(root: &Dir) -> io::Result<()> {
    // The handle of the folder itself only names it; the call wants one that is open.
    Ok(rustix::fs::syncfs(root.open(".")?)?)
}

/// Makes the bytes of files last.
#[cfg(not(target_os = "linux"))]
pub(super) fn files(_root: &Dir, files: &[File]) -> io::Result<()> {
    files.iter().try_for_each(File::sync_all)
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
