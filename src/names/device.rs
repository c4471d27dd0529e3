//! Reserved device names of Windows.

const DEVICES: [&str; 24] = [
    "aux", "con", "nul", "prn", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt0",
    "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Whether Windows treats a file with this name as a device, regardless of extension and case, such as `NUL.tar.gz`.
pub fn is_device(file: &str) -> bool {
    let stem = file.split('.').next().unwrap_or_default().trim_end();
    DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device))
}

#[cfg(test)]
mod tests {
    use super::is_device;

    #[test]
    fn recognizes_devices_with_any_extension() {
        for name in ["con", "AUX.go", "nul.tar.gz", "Lpt9", "com1 .go", "com2"] {
            assert!(is_device(name), "{name}");
        }
        for name in ["console.go", "com", "com10", "acon", ""] {
            assert!(!is_device(name), "{name}");
        }
    }
}
