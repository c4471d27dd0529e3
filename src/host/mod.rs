//! Everything that depends on the machine: files that are read, the terminal, the environment.
//!
//! Nothing else in the program asks the machine; writing is the business of `files` alone.

mod interrupt;
mod read;
mod terminal;

pub use interrupt::catch_interrupts;
pub use read::{READ_LIMIT, ReadError, ReadProblem, read};
pub use terminal::stderr_wants_colour;
