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

/// Asserts that the first pauses are as long as expected, in milliseconds: not shorter by more than a tenth, nor longer by
/// more than a busy machine adds.
#[track_caller]
pub(crate) fn about(pauses: &[u128], expected: &[u128]) {
    let fits =
        |(pause, wanted): (&u128, &u128)| (wanted * 9 / 10..wanted + (wanted / 2).clamp(250, 1500)).contains(pause);
    let fit = pauses.len() >= expected.len() && pauses.iter().zip(expected).all(fits);
    assert!(fit, "{pauses:?} in place of {expected:?}");
}
