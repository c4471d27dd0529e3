//! Where the text is kept that was rendered last for an env file, without which nobody could tell the user's changes from ours.
//!
//! It is the manifest's text alone; nothing of the env file itself is ever kept.

use std::path::{Path, PathBuf};

use crate::files::LOCK_PATH;
use crate::host;

/// The file of `adl generate`, whose last text is not ours to keep.
const EXAMPLE: &str = ".env.example";

/// The place for an env file: in the `.adl` folder of the project that it lies in, else in one beside it.
pub(super) fn place(file: &Path) -> Option<PathBuf> {
    let name = file.file_name().filter(|name| *name != EXAMPLE)?;
    let beside = file.parent().unwrap_or(Path::new(""));
    let project = beside.ancestors().find(|folder| host::is_file(&folder.join(LOCK_PATH))).unwrap_or(beside);
    let mut base = project.join(".adl/base").join(beside.strip_prefix(project).ok()?).join(name).into_os_string();
    base.push(".base");
    Some(base.into())
}
