//! What lies at one path of an output folder. Follows no symbolic link.

use std::io;

use cap_std::fs::Dir;

use super::tree::folders;

/// What a path leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    File,
    Folder,
    Symlink,
    Special,
    /// A folder above the path is something else.
    Below {
        at: String,
        symlink: bool,
    },
}

/// Looks at `path` below `root`.
pub(super) fn look(root: &Dir, path: &str) -> io::Result<Found> {
    for folder in folders(path) {
        match look_at(root, folder)? {
            Found::Folder => {}
            Found::Nothing => return Ok(Found::Nothing),
            Found::Symlink => return Ok(Found::Below { at: folder.to_owned(), symlink: true }),
            Found::File | Found::Special | Found::Below { .. } => {
                return Ok(Found::Below { at: folder.to_owned(), symlink: false });
            }
        }
    }
    look_at(root, path)
}

fn look_at(root: &Dir, path: &str) -> io::Result<Found> {
    let metadata = match root.symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(error),
    };
    let kind = metadata.file_type();
    Ok(if kind.is_symlink() {
        Found::Symlink
    } else if kind.is_dir() {
        Found::Folder
    } else if kind.is_file() {
        Found::File
    } else {
        Found::Special
    })
}
