//! The message of a panic. The process then exits with status 101.

use std::io::Write as _;
use std::panic::PanicHookInfo;

/// Replaces the default panic message.
pub(super) fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        // Standard error may be closed.
        let _ignored = std::io::stderr().write_all(report(info).as_bytes());
    }));
}

fn report(info: &PanicHookInfo<'_>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let what = info.payload_as_str().unwrap_or("no message");
    let place = info.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
    format!(
        "error: adl {version} stopped because of a bug: {what}{place}\n\
         Please report it with the command you ran and this message.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_message_names_version_and_location() {
        let reports = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
        let kept = std::sync::Arc::clone(&reports);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if let Ok(mut kept) = kept.lock() {
                kept.push_str(&report(info));
            }
        }));
        let outcome = std::panic::catch_unwind(|| panic!("an index too far"));
        std::panic::set_hook(before);
        assert!(outcome.is_err());
        let reports = reports.lock().unwrap();
        assert!(reports.contains(&format!("adl {} stopped because of a bug", env!("CARGO_PKG_VERSION"))), "{reports}");
        assert!(reports.contains("an index too far (src/cli/panic.rs:"), "{reports}");
        assert!(reports.contains("report it with the command you ran"), "{reports}");
    }
}
