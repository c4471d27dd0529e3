//! How far a long job is, for somebody who watches.

use std::time::Duration;

use super::Printer;
use crate::host::{self, Stopwatch};

/// A job that ends sooner shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// The shortest time between two pictures.
const PAUSE: Duration = Duration::from_millis(100);
/// Characters of the bar.
const WIDTH: usize = 30;

/// A bar on the last line of a terminal; nothing where there is none.
pub(super) struct ProgressBar {
    clock: Option<Stopwatch>,
    next: Duration,
    shown: bool,
}

impl ProgressBar {
    /// A bar that shows itself when standard error is a terminal.
    pub(super) fn on_terminal() -> Self {
        let clock = host::stderr_is_terminal().then(Stopwatch::start);
        Self { clock, next: PATIENCE, shown: false }
    }

    /// A bar that never shows itself.
    pub(super) fn hidden() -> Self {
        Self { clock: None, next: PATIENCE, shown: false }
    }

    /// `done` of `total` are done.
    pub(super) fn update(&mut self, done: usize, total: usize, printer: &mut Printer) {
        let Some(elapsed) = self.clock.map(Stopwatch::elapsed).filter(|elapsed| *elapsed >= self.next) else { return };
        self.next = elapsed + PAUSE;
        self.shown = true;
        printer.transient(&picture(done, total));
    }

    /// Takes the bar away.
    pub(super) fn clear(self, printer: &mut Printer) {
        if self.shown {
            printer.transient("");
        }
    }
}

fn picture(done: usize, total: usize) -> String {
    let filled = (done * WIDTH).checked_div(total).unwrap_or_default();
    format!("[{:<WIDTH$}] {done} of {total}", "#".repeat(filled))
}

#[cfg(test)]
mod tests {
    use super::picture;

    #[test]
    fn the_bar_fills() {
        assert_eq!(picture(0, 9), format!("[{}] 0 of 9", " ".repeat(30)));
        assert_eq!(picture(500, 1_000), format!("[{}{}] 500 of 1000", "#".repeat(15), " ".repeat(15)));
        assert_eq!(picture(9, 9), format!("[{}] 9 of 9", "#".repeat(30)));
    }
}
