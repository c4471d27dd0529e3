//! What the user sees of a bug. The process then ends with status 101.

use std::io::Write as _;
use std::panic::PanicHookInfo;

/// Replaces the default report of a panic.
pub(super) fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        // Nothing can be done for a reader that has gone away.
        let _told = std::io::stderr().write_all(report(info).as_bytes());
    }));
}

fn report(info: &PanicHookInfo<'_>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let what = info.payload_as_str().unwrap_or("no message");
    let place = info.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
    format!(
        "error: adl {version} has a bug and stopped: {what}{place}\n\
         Your files are not at fault. Please report it to the maintainers with the command you ran and this message.\n"
    )
}
