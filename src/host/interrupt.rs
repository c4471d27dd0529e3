//! Signals that ask the process to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// From now on a signal that asks the process to stop sets the returned flag, and no longer ends the process.
///
/// A write beyond the limit on the size of files (`ulimit -f`) becomes an error instead of the end of the process.
pub fn catch_interrupts() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&interrupted))?;
    }
    #[cfg(unix)]
    {
        flag::register(signal_hook::consts::SIGHUP, Arc::clone(&interrupted))?;
        flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    }
    Ok(interrupted)
}
