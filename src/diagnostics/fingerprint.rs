//! Names by which a service recognises a finding that it has seen in an earlier run.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use super::{Code, Diagnostic};

/// Names for findings that stay when lines move: made of file, code and headline, and of a number where these are equal.
pub(super) struct Fingerprints<'a> {
    path: &'a str,
    seen: BTreeMap<(Code, &'a str), usize>,
}

impl<'a> Fingerprints<'a> {
    pub(super) fn new(path: &'a str) -> Self {
        Self { path, seen: BTreeMap::new() }
    }

    /// The name of the next finding, 32 hexadecimal digits.
    pub(super) fn next(&mut self, diagnostic: &'a Diagnostic) -> String {
        let count = self.seen.entry((diagnostic.code, &diagnostic.headline)).or_default();
        *count += 1;
        let parts = [self.path, &diagnostic.code.to_string(), &diagnostic.headline, &count.to_string()];
        let digest = Sha256::digest(parts.join("\0"));
        format!("{:032x}", digest.first_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes)))
    }
}
