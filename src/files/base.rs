//! `.adl/base`: the text of every file as it was rendered last, without which nobody could tell the user's changes from ours.

use super::FilesError;
use super::hash::sha256;
use super::listing::{Found, Listing};
use super::lock::Entry;
use super::text::plain;

/// Where in an output folder the text rendered last of the file at `path` lies. The suffix keeps it away from compilers, linters and searches.
pub fn base_path(path: &str) -> String {
    format!(".adl/base/{path}.base")
}

/// The text rendered last of the file at `path`; `None` where it is lost, or is not what `entry` says it was.
pub(super) fn load(disk: &mut Listing<'_>, path: &str, entry: &Entry) -> Result<Option<String>, FilesError> {
    let Found::File { real, .. } = disk.find(&base_path(path))? else { return Ok(None) };
    let text = plain(&disk.read(&real)?).into_owned();
    Ok(String::from_utf8(text).ok().filter(|text| sha256(text.as_bytes()) == entry.sha256))
}
