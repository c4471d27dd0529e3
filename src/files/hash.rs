use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// SHA-256 in lower-case hex, as `sha256sum` prints it.
pub(super) fn sha256(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        write!(hex, "{byte:02x}").ok();
    }
    hex
}
