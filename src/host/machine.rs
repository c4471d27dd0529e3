//! The clock, the number of processors, and the capabilities of the terminal.

use std::io::IsTerminal as _;
use std::num::NonZero;
use std::thread;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};

/// The number of processors that the process may use; 1 if unknown.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Measures elapsed time.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts a stopwatch.
    #[expect(clippy::disallowed_methods, reason = "`host` is where the machine is asked")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since the start.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// Whether a person can be asked: both standard input and standard error are a terminal.
pub fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && stderr_is_terminal()
}

/// A line from standard input; empty at its end.
pub fn read_line() -> String {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).ok();
    line
}

/// Whether standard error is a terminal with colours and the user has not disabled them (`NO_COLOR`).
pub fn stderr_wants_colour() -> bool {
    AutoStream::choice(&std::io::stderr()) != ColorChoice::Never
}

/// Like [`stderr_wants_colour`], for standard output.
pub fn stdout_wants_colour() -> bool {
    AutoStream::choice(&std::io::stdout()) != ColorChoice::Never
}

/// Whether standard error is a terminal.
pub fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}
