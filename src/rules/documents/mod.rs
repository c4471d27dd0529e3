//! Checks of documentation pages and examples, which become files in the project folder.

mod example_folder;
mod page_path;

use super::{Rule, at, duplicates, text};

pub(super) const RULES: &[Rule] = &[page_path::check, example_folder::check];
