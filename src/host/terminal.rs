//! What the terminal can show.

use std::io::IsTerminal as _;

use anstream::{AutoStream, ColorChoice};

/// True when standard error is a terminal that shows colour and the user has not switched it off (`NO_COLOR`).
pub fn stderr_wants_colour() -> bool {
    AutoStream::choice(&std::io::stderr()) != ColorChoice::Never
}

/// As [`stderr_wants_colour`], of standard output.
pub fn stdout_wants_colour() -> bool {
    AutoStream::choice(&std::io::stdout()) != ColorChoice::Never
}

/// True when somebody watches standard error.
pub fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}
