//! The pages of the codes, which `adl explain` prints: `codes/ADL0302.md`, one per code.

use include_dir::{Dir, include_dir};

use super::Code;

static PAGES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/diagnostics/codes");

impl Code {
    /// The page in Markdown: meaning, reason, an example, a correct version. A test checks that every code has a page.
    pub fn page(self) -> &'static str {
        PAGES.get_file(format!("{self}.md")).and_then(include_dir::File::contents_utf8).unwrap_or_default()
    }
}

/// The names of all pages, for tests.
pub fn page_names() -> Vec<String> {
    PAGES.files().map(|file| file.path().display().to_string()).collect()
}
