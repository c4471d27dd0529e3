//! Signals that ask the process to stop, and programs that are started and waited for.

use std::io;
use std::path::{Path, PathBuf, absolute};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// What the signals set, from the first call of [`caught`] on.
#[derive(Clone, Default)]
struct Caught {
    /// Any of them.
    any: Arc<AtomicBool>,
    /// One that a terminal does not send to every program that it started.
    for_us_alone: Arc<AtomicBool>,
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

/// How long a program may have ended before that is noticed.
const PAUSE: Duration = Duration::from_millis(10);

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With status 0.
    Done,
    /// With another status.
    Status(i32),
    /// By a signal.
    Signal(i32),
    /// The user interrupted the run before or while the program ran.
    Interrupted,
}

/// Runs `program` in `folder` to its end, unless the user has asked to stop before. No shell reads the arguments. What it prints goes to standard error, for standard output
/// holds our own data.
///
/// A program without a `/` is looked for in `PATH`; a path is one below `folder`. A signal that asks us to stop is passed on, unless
/// it comes from the terminal, which sends it to both.
///
/// # Errors
/// The program could not be started, with [`io::ErrorKind::NotFound`] where there is none.
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
    fn nothing_starts_once_the_user_has_asked_to_stop() {
        let (caught, nowhere) = (Caught::default(), Path::new("."));
        let start = || run("no-such-program", &[], nowhere, &caught);
        assert_eq!(start().unwrap_err().kind(), io::ErrorKind::NotFound);
        caught.any.store(true, Ordering::Relaxed);
        assert_eq!(start().unwrap(), Ending::Interrupted);
    }
}
