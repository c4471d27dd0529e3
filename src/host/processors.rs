//! How much can be done at once.

use std::num::NonZero;
use std::thread;

/// The number of processors that the process may use; 1 when the system does not tell.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}
