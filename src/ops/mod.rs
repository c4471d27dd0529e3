//! One function for each command: options in, outcome out. It knows nothing of the command line and prints nothing.

mod check;
mod generate;
mod validate;

pub use crate::files::{Action, Change, FilesError};
pub use crate::render::RenderError;
pub use check::{Checked, check};
pub use generate::{GenerateError, GenerateMode, GenerateOptions, GenerateOutcome, Generated, generate};
pub use validate::{ValidateOptions, ValidateOutcome, validate};
