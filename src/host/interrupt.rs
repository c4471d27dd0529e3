//! Signals that ask the process to stop.

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// What the signals set, from the first call of [`caught`] on.
#[derive(Clone, Default)]
pub(super) struct Caught {
    /// Any of them.
    pub(super) any: Arc<AtomicBool>,
    /// One that a terminal does not send to every program that it started.
    pub(super) for_us_alone: Arc<AtomicBool>,
}

static CAUGHT: Mutex<Option<Caught>> = Mutex::new(None);

/// From now on a signal that asks the process to stop sets the returned flag, and no longer ends the process. It is the same flag
/// at every call.
///
/// A write beyond the limit on the size of files (`ulimit -f`) becomes an error instead of the end of the process.
pub fn catch_interrupts() -> io::Result<Arc<AtomicBool>> {
    Ok(caught()?.any)
}

/// As [`catch_interrupts`], with all flags.
pub(super) fn caught() -> io::Result<Caught> {
    let mut known = CAUGHT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(caught) = &*known {
        return Ok(caught.clone());
    }
    let caught = Caught::default();
    flag::register(SIGINT, Arc::clone(&caught.any))?;
    flag::register(SIGTERM, Arc::clone(&caught.any))?;
    flag::register(SIGTERM, Arc::clone(&caught.for_us_alone))?;
    #[cfg(unix)]
    {
        flag::register(signal_hook::consts::SIGHUP, Arc::clone(&caught.any))?;
        flag::register(signal_hook::consts::SIGHUP, Arc::clone(&caught.for_us_alone))?;
        flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    }
    Ok(known.insert(caught).clone())
}
