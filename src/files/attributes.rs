//! What a file has besides its bytes and should keep when it is replaced.

use std::fs::File;
use std::io;

use cap_std::fs::Metadata;

/// Gives a file the mode of another and, where the system lets us, its owner.
pub(super) fn copy(from: &Metadata, to: &File) -> io::Result<()> {
    copy_owner(from, to);
    to.set_permissions(from.permissions().into_std(to)?)
}

#[cfg(unix)]
fn copy_owner(from: &Metadata, to: &File) {
    use cap_std::fs::MetadataExt as _;
    std::os::unix::fs::fchown(to, Some(from.uid()), Some(from.gid())).ok();
}

#[cfg(not(unix))]
fn copy_owner(_: &Metadata, _: &File) {}
