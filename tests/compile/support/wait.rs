//! Waiting for what happens in another process.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Waits until `happened` holds, at most 20 seconds; `what` ends the sentence "waited in vain until".
#[track_caller]
pub(crate) fn eventually(what: &str, happened: impl FnMut() -> bool) {
    within(Duration::from_secs(20), what, happened);
}

/// Waits until `happened` holds, no longer than `limit`.
#[track_caller]
pub(crate) fn within(limit: Duration, what: &str, mut happened: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < limit, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The pauses between moments, in milliseconds.
pub(crate) fn gaps(moments: &[Instant]) -> Vec<u128> {
    moments.windows(2).map(|pair| pair[1].duration_since(pair[0]).as_millis()).collect()
}
