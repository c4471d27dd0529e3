//! Waiting for events in other processes.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Waits up to 20 seconds until `happened` returns true. `what` describes the event in the panic message.
#[track_caller]
pub(crate) fn eventually(what: &str, happened: impl FnMut() -> bool) {
    within(Duration::from_secs(20), what, happened);
}

/// Waits up to `limit` until `happened` returns true.
#[track_caller]
pub(crate) fn within(limit: Duration, what: &str, mut happened: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < limit, "timed out waiting until {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The intervals between moments, in milliseconds.
pub(crate) fn gaps(moments: &[Instant]) -> Vec<u128> {
    moments.windows(2).map(|pair| pair[1].duration_since(pair[0]).as_millis()).collect()
}

/// Asserts that the first intervals are as long as expected, in milliseconds: at most a quarter shorter, because the
/// start of an interval may be seen late, and longer only as far as on a busy machine.
#[track_caller]
pub(crate) fn about(pauses: &[u128], expected: &[u128]) {
    let fits =
        |(pause, wanted): (&u128, &u128)| (wanted * 3 / 4..wanted + (wanted / 2).clamp(250, 1500)).contains(pause);
    let fit = pauses.len() >= expected.len() && pauses.iter().zip(expected).all(fits);
    assert!(fit, "{pauses:?} instead of {expected:?}");
}
