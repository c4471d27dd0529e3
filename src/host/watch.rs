//! Waiting for a file to change.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use super::catch_interrupts;

/// Between two looks. A file that is the same at both is at rest.
const PAUSE: Duration = Duration::from_millis(100);

/// A file that is looked at again and again.
///
/// It is looked at, not listened to: who waits must look for signals as often anyway, and looks work with every editor, through
/// symbolic links, on network file systems and in containers, where notices of the system are lost.
#[derive(Debug)]
pub struct Watch {
    path: PathBuf,
    seen: Option<Mark>,
    interrupted: Arc<AtomicBool>,
}

/// What tells one state of a file from another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    modified: Option<SystemTime>,
    length: u64,
    identity: Option<(u64, u64)>,
}

impl Watch {
    /// Starts with the file as it is now. From now on signals that ask the process to stop end [`Watch::changed`] alone.
    pub fn start(path: &Path) -> io::Result<Self> {
        let interrupted = catch_interrupts()?;
        Ok(Self { path: path.to_owned(), seen: mark(path), interrupted })
    }

    /// Waits until the file is another than at the start or the last call, and at rest; one that is gone counts too. False: the user
    /// asked to stop.
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

    /// Whether the user has asked to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

/// `None` where there is no file.
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
