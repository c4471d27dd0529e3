//! Fingerprints by which a service recognizes findings of earlier runs.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use super::{Code, Diagnostic};

/// Fingerprints that do not depend on lines: they consist of file, code, headline and, if these are equal, a number.
pub(super) struct Fingerprints<'a> {
    path: &'a str,
    seen: BTreeMap<(Code, &'a str), usize>,
}

impl<'a> Fingerprints<'a> {
    pub(super) fn new(path: &'a str) -> Self {
        Self { path, seen: BTreeMap::new() }
    }

    /// The fingerprint of the next finding, 32 hexadecimal digits.
    pub(super) fn next(&mut self, diagnostic: &'a Diagnostic) -> String {
        let count = self.seen.entry((diagnostic.code, &diagnostic.headline)).or_default();
        *count += 1;
        let parts = [self.path, &diagnostic.code.to_string(), &diagnostic.headline, &count.to_string()];
        let digest = Sha256::digest(parts.join("\0"));
        format!("{:032x}", digest.first_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes)))
    }
}
