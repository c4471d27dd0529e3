//! Parts of the manifest that the generated project leaves out or changes.

mod feature_not_generated;
mod mcp_left_out;
mod program_not_in_image;
mod unenforced_security;
mod version_raised;

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    mcp_left_out::check,
    program_not_in_image::check,
    version_raised::check,
    feature_not_generated::check,
    unenforced_security::check,
];
