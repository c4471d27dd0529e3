//! The `adl` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    adl::cli::run()
}
