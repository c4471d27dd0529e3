//! What no output may show of a manifest, whatever else is wrong with it: credentials in its values, in its comments, and around
//! the faults of a text that does not read.

mod comments;
mod nearby;
mod values;

pub use comments::in_comments;
pub use nearby::near;
pub use values::in_values;
