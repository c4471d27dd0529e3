//! Everything that depends on the machine: files that are read, the terminal, the environment.
//!
//! Nothing else in the program asks the machine; writing is the business of `files` alone.

mod machine;
mod program;
mod read;
mod watch;

pub use machine::{Stopwatch, processors, stderr_is_terminal, stderr_wants_colour, stdout_wants_colour};
pub use program::{Ending, catch_interrupts, run_program};
pub use read::{
    PIPE_PATIENCE, READ_LIMIT, ReadError, ReadProblem, Walked, is_directory, is_file, is_same_file, read,
    read_beginning, read_standard_input, real_path, walk,
};
pub use watch::Watch;
