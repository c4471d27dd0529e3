//! Everything that depends on the machine: files that are read, the terminal, the environment.
//!
//! Nothing else in the program asks the machine; writing is the business of `files` alone.

mod interrupt;
mod processors;
mod program;
mod read;
mod stopwatch;
mod terminal;
mod walk;
mod watch;

pub use interrupt::catch_interrupts;
pub use processors::processors;
pub use program::{Ending, run_program};
pub use read::{
    PIPE_PATIENCE, READ_LIMIT, ReadError, ReadProblem, is_directory, is_file, is_same_file, read, read_beginning,
    read_standard_input, real_path,
};
pub use stopwatch::Stopwatch;
pub use terminal::{stderr_is_terminal, stderr_wants_colour, stdout_wants_colour};
pub use walk::{Walked, walk};
pub use watch::Watch;
