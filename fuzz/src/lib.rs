//! The checks of the fuzz targets, which share the invariants of the property tests in `tests/it`.

#[path = "../../tests/it/invariants.rs"]
mod invariants;

/// Parses bytes and checks the locations of all findings and values.
pub fn read(bytes: &[u8]) {
    invariants::read_bytes(bytes);
}

/// Runs all checks on a manifest. A manifest without errors must yield a project.
pub fn validate(bytes: &[u8]) {
    invariants::validate(bytes);
}

/// Fixes a manifest. Checks that no comment is lost and that a second run changes nothing.
pub fn fix(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        invariants::fix(text);
    }
}
