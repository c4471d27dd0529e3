//! Everything that depends on the machine: reading files, the terminal, processes and signals.
//!
//! No other module queries the machine. Only `files` writes files.

mod environment;
mod machine;
mod program;
mod read;
mod watch;

pub use environment::{home_folder, is_installed, path_variable};
pub use machine::{
    Stopwatch, is_interactive, processors, read_line, stderr_is_terminal, stderr_wants_colour, stdout_wants_colour,
};
pub use program::{Ending, catch_interrupts, run_program};
pub use read::{
    PIPE_PATIENCE, READ_LIMIT, ReadError, ReadProblem, Walked, exists, is_directory, is_file, is_same_file, read,
    read_beginning, read_standard_input, real_path, walk,
};
pub use watch::Watch;
