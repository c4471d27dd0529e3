//! The clock, the processors, and what the terminal can show.

use std::io::IsTerminal as _;
use std::num::NonZero;
use std::thread;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};

/// The number of processors that the process may use; 1 when the system does not tell.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// A running clock.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts one.
    #[expect(clippy::disallowed_methods, reason = "`host` is where the machine is asked")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since then.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// True when standard error is a terminal that shows colour and the user has not switched it off (`NO_COLOR`).
pub fn stderr_wants_colour() -> bool {
    AutoStream::choice(&std::io::stderr()) != ColorChoice::Never
}

/// As [`stderr_wants_colour`], of standard output.
pub fn stdout_wants_colour() -> bool {
    AutoStream::choice(&std::io::stdout()) != ColorChoice::Never
}

/// Whether standard error is a terminal.
pub fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}
