//! Checks that the path of each page is unique and inside the project folder.

use super::{at, duplicates};
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let pages = at(root, &["spec", "documentation", "pages"]).into_iter().flat_map(View::items);
    let paths: Vec<_> =
        pages.filter_map(|page| page.get("path")).filter_map(|path| Some((path.as_str()?, path))).collect();
    let outside = paths.iter().filter(|(path, _)| is_outside_project(path)).map(|(_, view)| {
        Diagnostic::new(Code::PathOutsideProject, view.span(), "the path of a page is outside the project")
            .help("write a relative path with `/` and without `..`, for example `docs/architecture.md`")
    });
    let repeated = duplicates(paths.iter().map(|(path, view)| (path.to_lowercase(), *view))).into_iter();
    let repeated = repeated.map(|(again, first)| {
        Diagnostic::new(Code::DuplicatePath, again.span(), "two pages have the same path")
            .related(first.span(), "first defined here")
            .note("some file systems are not case-sensitive")
            .help("give each page a unique path")
    });
    outside.chain(repeated).collect()
}

fn is_outside_project(path: &str) -> bool {
    path.trim().is_empty()
        || path.contains(['\\', ':', '\0'])
        || path.starts_with('/')
        || path.ends_with('/')
        || path.split('/').any(|part| part == "..")
}
