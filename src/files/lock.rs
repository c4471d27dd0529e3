//! `.adl/lock.json`: what was written, from what, and whose it is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{FileTree, Owner};

/// Where the lock lies in an output folder.
pub const LOCK_PATH: &str = ".adl/lock.json";

/// The only shape of the lock that there has been.
const SCHEMA_VERSION: u32 = 1;

/// What an output folder was made with and from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Version of this tool, for example `0.1.0`.
    pub tool_version: String,
    /// SHA-256 of the manifest's bytes in lower-case hex, as `sha256sum` prints it.
    pub manifest_sha256: String,
}

impl Stamp {
    /// The stamp of a manifest with these bytes.
    pub fn new(tool_version: &str, manifest: &[u8]) -> Self {
        Self { tool_version: tool_version.to_owned(), manifest_sha256: sha256(manifest) }
    }
}

/// The lock as it lies on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lock {
    schema_version: u32,
    tool_version: String,
    manifest_sha256: String,
    files: BTreeMap<String, Entry>,
}

/// What the lock says of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    owner: Owner,
    /// Of the bytes that we wrote last.
    sha256: String,
}

impl Lock {
    /// The lock of `tree`. A seeded file that `before` knows keeps its entry: it was not written again.
    pub(super) fn new(stamp: &Stamp, tree: &FileTree, before: Option<&Self>) -> Self {
        let entry = |path: &str, bytes: &[u8], owner| match before.and_then(|lock| lock.files.get(path)) {
            Some(known) if owner == Owner::Seeded && known.owner == owner => known.clone(),
            _ => Entry { owner, sha256: sha256(bytes) },
        };
        let files = tree.iter().map(|(path, file)| (path.to_owned(), entry(path, &file.bytes, file.owner))).collect();
        Self {
            schema_version: SCHEMA_VERSION,
            tool_version: stamp.tool_version.clone(),
            manifest_sha256: stamp.manifest_sha256.clone(),
            files,
        }
    }

    /// Reads a lock; `None` when these bytes are not one of ours.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let lock: Self = serde_json::from_slice(bytes).ok()?;
        (lock.schema_version == SCHEMA_VERSION).then_some(lock)
    }

    /// Whether we wrote `path` before and left it to the user.
    pub(super) fn seeded(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|entry| entry.owner == Owner::Seeded)
    }

    /// JSON with one line for each file, so that a changed file is a changed line.
    pub(super) fn to_json(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let mut json = format!(
            "{{\n  \"schemaVersion\": {},\n  \"toolVersion\": {},\n  \"manifestSha256\": {},\n  \"files\": {{",
            self.schema_version,
            quoted(&self.tool_version),
            quoted(&self.manifest_sha256),
        );
        let mut separator = "";
        for (path, Entry { owner, sha256 }) in &self.files {
            json += separator;
            json += "\n    ";
            json += &quoted(path);
            json += ": { \"owner\": ";
            json += &quoted(owner.name());
            json += ", \"sha256\": ";
            json += &quoted(sha256);
            json += " }";
            separator = ",";
        }
        json + "\n  }\n}\n"
    }
}

fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        write!(hex, "{byte:02x}").ok();
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::super::Contents;
    use super::*;

    fn tree(seeded: &str) -> FileTree {
        let mut tree = FileTree::new();
        for (path, owner, text) in [("b.go", Owner::Seeded, seeded), ("a x'.go", Owner::Generated, "a\n")] {
            tree.insert(path, Contents { bytes: text.into(), owner, executable: false }).unwrap();
        }
        tree
    }

    #[test]
    fn is_sorted_json_with_a_line_for_each_file() {
        let lock = Lock::new(&Stamp::new("1.2.3", b"kind: Agent\n"), &tree("b\n"), None);
        let json = lock.to_json();
        assert_eq!(Lock::parse(json.as_bytes()), Some(lock));
        insta::assert_snapshot!(json, @r#"
        {
          "schemaVersion": 1,
          "toolVersion": "1.2.3",
          "manifestSha256": "11657c308371892bfef5aa0dbd5dd05745222db15949f45153d0715f5703ee27",
          "files": {
            "a x'.go": { "owner": "generated", "sha256": "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7" },
            "b.go": { "owner": "seeded", "sha256": "0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f" }
          }
        }
        "#);
    }

    #[test]
    fn a_seeded_file_keeps_the_hash_of_what_was_written() {
        let stamp = Stamp::new("1", b"");
        let first = Lock::new(&stamp, &tree("one"), None);
        assert!(first.seeded("b.go") && !first.seeded("a x'.go") && !first.seeded("c.go"));
        assert_eq!(Lock::new(&stamp, &tree("two"), Some(&first)), first);
    }

    #[test]
    fn refuses_what_is_not_ours() {
        for text in ["", "{}", "[]", r#"{"schemaVersion":2,"toolVersion":"","manifestSha256":"","files":{}}"#] {
            assert_eq!(Lock::parse(text.as_bytes()), None, "{text}");
        }
    }
}
