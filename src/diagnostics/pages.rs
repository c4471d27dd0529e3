//! The pages of the codes, which `adl explain` prints: `codes/ADL0302.md` beside this file, one for each row of the table.

use include_dir::{Dir, include_dir};

use super::Code;

static PAGES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/diagnostics/codes");

impl Code {
    /// The page in Markdown: what the finding means, why it matters, an example, what to write instead. A test holds that every
    /// code has one; without it the text is empty.
    pub fn page(self) -> &'static str {
        PAGES.get_file(format!("{self}.md")).and_then(include_dir::File::contents_utf8).unwrap_or_default()
    }
}

/// The names of all pages, for the test that none is left of a code that is gone.
pub fn page_names() -> Vec<String> {
    PAGES.files().map(|file| file.path().display().to_string()).collect()
}
