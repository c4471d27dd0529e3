//! One function for each command: options in, outcome out. It knows nothing of the command line and prints nothing.

mod check;
mod validate;

pub use check::{Checked, check};
pub use validate::{ValidateOptions, ValidateOutcome, validate};
