//! Waits for changes of a file.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use super::catch_interrupts;

/// The polling interval. A file is stable if it is unchanged for one interval.
const PAUSE: Duration = Duration::from_millis(100);

/// Polls a file for changes.
///
/// Polling is sufficient because the caller has to check for signals just as often. Unlike system notifications, it
/// works with every editor, through symbolic links, on network file systems and in containers.
#[derive(Debug)]
pub struct Watch {
    path: PathBuf,
    seen: Option<Mark>,
    interrupted: Arc<AtomicBool>,
}

/// Identifies a state of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    modified: Option<SystemTime>,
    length: u64,
    identity: Option<(u64, u64)>,
}

impl Watch {
    /// Starts to watch the file in its current state. From now on, signals that ask the process to stop only end
    /// [`Watch::changed`].
    pub fn start(path: &Path) -> io::Result<Self> {
        let interrupted = catch_interrupts()?;
        Ok(Self { path: path.to_owned(), seen: mark(path), interrupted })
    }

    /// Waits until the file differs from the start or the last call and is stable. A deleted file is also a change.
    /// Returns `false` if the user interrupts.
    pub fn changed(&mut self) -> bool {
        let mut last = self.seen.clone();
        loop {
            if self.is_interrupted() {
                return false;
            }
            thread::sleep(PAUSE);
            let now = mark(&self.path);
            if now == last && now != self.seen {
                self.seen = now;
                return !self.is_interrupted();
            }
            last = now;
        }
    }

    /// Whether the user has interrupted the process.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

/// The state of a file; `None` if it does not exist.
fn mark(path: &Path) -> Option<Mark> {
    let metadata = fs::metadata(path).ok()?;
    Some(Mark { modified: metadata.modified().ok(), length: metadata.len(), identity: identity(&metadata) })
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have none")]
fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}
