//! Parts of the manifest that the generated project leaves out or changes.

mod feature_not_generated;
mod go_version_raised;
mod mcp_left_out;
mod program_not_in_image;
mod unenforced_security;

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    mcp_left_out::check,
    program_not_in_image::check,
    go_version_raised::check,
    feature_not_generated::check,
    unenforced_security::check,
];
