//! Pages of documentation and examples: files below the project's folder.

mod example_folder;
mod page_path;

use super::{Rule, at, duplicates, text};

pub(super) const RULES: &[Rule] = &[page_path::check, example_folder::check];
