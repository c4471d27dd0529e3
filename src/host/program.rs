//! Termination signals, and running other programs.

use std::io;
use std::path::{Path, PathBuf, absolute};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The flags that signals set once [`caught`] was called.
#[derive(Clone, Default)]
struct Caught {
    /// Set by any of the signals.
    any: Arc<AtomicBool>,
    /// Set by signals that a terminal does not send to child processes.
    for_us_alone: Arc<AtomicBool>,
}

static CAUGHT: Mutex<Option<Caught>> = Mutex::new(None);

/// Registers handlers for signals that ask the process to stop. From now on they set the returned flag instead of
/// ending the process. Every call returns the same flag.
///
/// Also handles `SIGXFSZ`, so that a write that exceeds the limit on file sizes (`ulimit -f`) fails instead of ending
/// the process.
pub fn catch_interrupts() -> io::Result<Arc<AtomicBool>> {
    Ok(caught()?.any)
}

/// Like [`catch_interrupts`], but returns all flags.
fn caught() -> io::Result<Caught> {
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

/// The interval between checks whether a program has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It exited with status 0.
    Done,
    /// It exited with another status.
    Status(i32),
    /// It was killed by a signal.
    Signal(i32),
    /// The user interrupted the run before or while the program ran.
    Interrupted,
}

/// Runs `program` in `folder` and waits for it, unless the user has already interrupted the run. The arguments are not
/// interpreted by a shell. The program's standard output is redirected to standard error, because standard output is
/// reserved for our own data.
///
/// A program without `/` is searched in `PATH`; any other path is relative to `folder`. Signals that ask the process to
/// stop are forwarded, except those that a terminal sends to both processes.
///
/// # Errors
/// Returns an error if the program cannot be started, with [`io::ErrorKind::NotFound`] if it does not exist.
pub fn run_program(program: &str, arguments: &[String], folder: &Path) -> io::Result<Ending> {
    run(program, arguments, folder, &caught()?)
}

#[expect(clippy::disallowed_methods, reason = "this is where processes are started")]
fn run(program: &str, arguments: &[String], folder: &Path, caught: &Caught) -> io::Result<Ending> {
    if caught.any.load(Ordering::Relaxed) {
        return Ok(Ending::Interrupted);
    }
    let folder = absolute(folder)?;
    let path = if program.contains('/') { folder.join(program) } else { PathBuf::from(program) };
    let mut command = Command::new(path);
    let mut child = command.args(arguments).current_dir(&folder).stdout(Stdio::from(io::stderr())).spawn()?;
    let mut passed_on = false;
    loop {
        let ended = child.try_wait()?;
        if !passed_on && ended.is_none() && caught.for_us_alone.load(Ordering::Relaxed) {
            terminate(&child);
            passed_on = true;
        }
        match ended {
            Some(_) if caught.any.load(Ordering::Relaxed) => return Ok(Ending::Interrupted),
            Some(status) => return Ok(ending(status)),
            None => thread::sleep(PAUSE),
        }
    }
}

fn ending(status: ExitStatus) -> Ending {
    match status.code() {
        Some(0) => Ending::Done,
        Some(code) => Ending::Status(code),
        None => Ending::Signal(signal(status)),
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> i32 {
    std::os::unix::process::ExitStatusExt::signal(&status).unwrap_or_default()
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> i32 {
    0
}

/// Asks the child to stop.
#[cfg(unix)]
fn terminate(child: &Child) {
    let pid = rustix::process::Pid::from_child(child);
    // It may already have exited.
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).ok();
}

#[cfg(not(unix))]
fn terminate(_: &Child) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_no_program_after_an_interrupt() {
        let (caught, nowhere) = (Caught::default(), Path::new("."));
        let start = || run("no-such-program", &[], nowhere, &caught);
        assert_eq!(start().unwrap_err().kind(), io::ErrorKind::NotFound);
        caught.any.store(true, Ordering::Relaxed);
        assert_eq!(start().unwrap(), Ending::Interrupted);
    }
}
