//! What the fuzz targets check: the invariants of the property tests in `tests/it`.

#[path = "../../tests/it/invariants.rs"]
mod invariants;

/// Bytes are read; every finding and every value has its place.
pub fn read(bytes: &[u8]) {
    invariants::read_bytes(bytes);
}

/// A manifest is judged by every check; one without an error makes a project.
pub fn validate(bytes: &[u8]) {
    invariants::judge(bytes);
}

/// A manifest is fixed; no comment is lost and a second time changes nothing.
pub fn fix(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        invariants::fix(text);
    }
}
