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

/// Makes everything that was written last.
#[cfg(not(target_os = "linux"))]
pub(super) fn all(_root: &Dir) -> io::Result<()> {
    Ok(())
}

/// Makes the names in folders last.
pub(super) fn folders(root: &Dir, folders: &BTreeSet<&str>) -> io::Result<()> {
    if cfg!(target_os = "linux") { all(root) } else { folders.iter().try_for_each(|path| folder(root, path)) }
}

/// Makes the names in one folder last, where the system can. One that is gone has no names.
pub(super) fn folder(root: &Dir, path: &str) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, NotFound, Unsupported};
    match root.open(path).and_then(|folder| folder.sync_all()) {
        Err(error) if cfg!(not(unix)) || matches!(error.kind(), InvalidInput | NotFound | Unsupported) => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_was_removed_is_no_failure() {
        let scratch = tempfile::tempdir().unwrap();
        let root = Dir::open_ambient_dir(scratch.path(), cap_std::ambient_authority()).unwrap();
        root.create_dir("a").unwrap();
        for path in [".", "a", "a/gone", "gone"] {
            folder(&root, path).unwrap();
        }
    }
}
