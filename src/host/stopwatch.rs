//! How long something takes.

use std::time::{Duration, Instant};

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
