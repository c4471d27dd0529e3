//! A progress bar for long runs.

use std::time::Duration;

use super::Printer;
use crate::host::{self, Stopwatch};

/// The bar is only shown in runs that take longer.
const DELAY: Duration = Duration::from_secs(1);
/// The time between two updates.
const INTERVAL: Duration = Duration::from_millis(100);
/// The width of the bar in characters.
const WIDTH: usize = 30;

/// A bar on the last line of a terminal.
pub(super) struct ProgressBar {
    clock: Option<Stopwatch>,
    next: Duration,
    shown: bool,
}

impl ProgressBar {
    /// A bar that is shown if standard error is a terminal.
    pub(super) fn on_terminal() -> Self {
        let clock = host::stderr_is_terminal().then(Stopwatch::start);
        Self { clock, next: DELAY, shown: false }
    }

    /// A bar that is never shown.
    pub(super) fn hidden() -> Self {
        Self { clock: None, next: DELAY, shown: false }
    }

    /// Shows that `done` of `total` steps are done.
    pub(super) fn update(&mut self, done: usize, total: usize, printer: &mut Printer) {
        let Some(elapsed) = self.clock.map(Stopwatch::elapsed).filter(|elapsed| *elapsed >= self.next) else { return };
        self.next = elapsed + INTERVAL;
        self.shown = true;
        printer.transient(&render(done, total));
    }

    /// Clears the bar.
    pub(super) fn clear(self, printer: &mut Printer) {
        if self.shown {
            printer.transient("");
        }
    }
}

fn render(done: usize, total: usize) -> String {
    let filled = (done * WIDTH).checked_div(total).unwrap_or_default();
    format!("[{:<WIDTH$}] {done} of {total}", "#".repeat(filled))
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn bar_fills() {
        assert_eq!(render(0, 9), format!("[{}] 0 of 9", " ".repeat(30)));
        assert_eq!(render(500, 1_000), format!("[{}{}] 500 of 1000", "#".repeat(15), " ".repeat(15)));
        assert_eq!(render(9, 9), format!("[{}] 9 of 9", "#".repeat(30)));
    }
}
