//! What a generated project leaves out or changes. Only `generate` says so: `validate` judges a manifest for every tool.

mod feature_not_generated;
mod go_version_raised;
mod mcp_left_out;
mod program_not_in_image;

use super::Rule;

pub(super) use feature_not_generated::{is_enabled, is_filled, sections};

pub(super) const RULES: &[Rule] =
    &[mcp_left_out::check, program_not_in_image::check, go_version_raised::check, feature_not_generated::check];
