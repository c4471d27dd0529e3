//! `.adl/lock.json`: what was written, from what, and whose it is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::path::is_users;
use super::text::sha256;
use super::{ObstacleKind, Owner, check_path};

/// Where the lock lies in an output folder.
pub const LOCK_PATH: &str = ".adl/lock.json";

/// The shape of the lock that is written. Version 1 kept no texts, and of a seeded file the hash of what was written first; it is
/// read as well.
const SCHEMA_VERSION: u32 = 2;

/// What an output folder was made with and from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Version of this tool, for example `0.1.0`.
    pub tool_version: String,
    /// SHA-256 in lower-case hex of what the manifest says: of its text with `\n` as its line break, without a byte order mark and
    /// without the header of a copy, so that a manifest and its copy have the same.
    pub manifest_sha256: String,
}

impl Stamp {
    /// The stamp of a manifest that says this.
    pub fn new(tool_version: &str, manifest: &[u8]) -> Self {
        Self { tool_version: tool_version.to_owned(), manifest_sha256: sha256(manifest) }
    }
}

/// The JSON Schema of the lock, for programs that read it.
pub const LOCK_SCHEMA: &str = include_str!("../../schema/lock.schema.json");

/// The lock as it lies on the disk, in the form that [`LOCK_SCHEMA`] describes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lock {
    schema_version: u32,
    tool_version: String,
    manifest_sha256: String,
    files: BTreeMap<String, Entry>,
    /// The paths of `files` by their lower-case form.
    #[serde(skip)]
    spellings: BTreeMap<String, String>,
}

/// Whether the lock that these bytes hold has the file at `path`; bytes that are no lock have none.
pub fn is_locked(lock: &[u8], path: &str) -> bool {
    Lock::parse(lock).is_ok_and(|lock| lock.entry(path).is_some())
}

/// What the lock says of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Whose it is.
    pub(super) owner: Owner,
    /// Of the text that was rendered last, with `\n` as its line break.
    pub(super) sha256: String,
    /// Of the text that was written, where that is another one: a seeded file does not follow what is rendered.
    #[serde(default, rename = "firstSha256", skip_serializing_if = "Option::is_none")]
    pub(super) first: Option<String>,
}

impl Entry {
    /// Whether a text with this hash is one that we wrote or would write, so that nothing of it is the user's.
    pub(super) fn is_from_us(&self, hash: &str) -> bool {
        hash == self.sha256 || self.first.as_deref() == Some(hash)
    }
}

impl Lock {
    /// A lock of these files.
    pub(super) fn new(stamp: &Stamp, files: BTreeMap<String, Entry>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            tool_version: stamp.tool_version.clone(),
            manifest_sha256: stamp.manifest_sha256.clone(),
            spellings: spellings(&files),
            files,
        }
    }

    /// Reads a lock.
    ///
    /// # Errors
    /// The bytes are no lock, or one of a later version.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, ObstacleKind> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            schema_version: u32,
        }
        let Ok(Version { schema_version }) = serde_json::from_slice(bytes) else {
            let is_conflicted = bytes.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"<<<<<<< "));
            return Err(if is_conflicted { ObstacleKind::ConflictedLock } else { ObstacleKind::BrokenLock });
        };
        if schema_version > SCHEMA_VERSION {
            return Err(ObstacleKind::LaterLock);
        }
        let Ok(mut lock) = serde_json::from_slice::<Self>(bytes) else { return Err(ObstacleKind::BrokenLock) };
        // A file that no project can have is not ours to remove.
        if !lock.files.keys().all(|path| check_path(path).is_ok() && path.split('/').all(is_users)) {
            return Err(ObstacleKind::BrokenLock);
        }
        lock.spellings = spellings(&lock.files);
        Ok(lock)
    }

    /// What is known of the file at `path`, whose name may have had another case.
    pub(super) fn entry(&self, path: &str) -> Option<&Entry> {
        self.files.get(path).or_else(|| self.files.get(self.spelling(path)?))
    }

    /// How the lock spells the path, whose case may be another.
    pub(super) fn spelling(&self, path: &str) -> Option<&str> {
        self.spellings.get(&path.to_ascii_lowercase()).map(String::as_str)
    }

    /// Every file, by path.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.files.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// Whether a file of ours lies below `folder`.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        let start = format!("{folder}/");
        self.files.range(start.clone()..).next().is_some_and(|(path, _)| path.starts_with(&start))
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
        for (path, Entry { owner, sha256, first }) in &self.files {
            json += separator;
            json += "\n    ";
            json += &quoted(path);
            json += ": { \"owner\": ";
            json += &quoted(owner.name());
            json += ", \"sha256\": ";
            json += &quoted(sha256);
            if let Some(first) = first {
                json += ", \"firstSha256\": ";
                json += &quoted(first);
            }
            json += " }";
            separator = ",";
        }
        json + "\n  }\n}\n"
    }
}

fn spellings(files: &BTreeMap<String, Entry>) -> BTreeMap<String, String> {
    files.keys().map(|path| (path.to_ascii_lowercase(), path.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> Lock {
        let files = [("Tools/B.go", Owner::Seeded, "b\n"), ("a x'.go", Owner::Generated, "a\n")];
        let entry = |(path, owner, text): (&str, Owner, &str)| {
            let first = (owner == Owner::Seeded).then(|| sha256(b"first\n"));
            (path.to_owned(), Entry { owner, sha256: sha256(text.as_bytes()), first })
        };
        Lock::new(&Stamp::new("1.2.3", b"kind: Agent\n"), files.into_iter().map(entry).collect())
    }

    #[test]
    fn is_sorted_json_with_a_line_for_each_file() {
        let json = lock().to_json();
        assert_eq!(Lock::parse(json.as_bytes()), Ok(lock()));
        insta::assert_snapshot!(json, @r#"
        {
          "schemaVersion": 2,
          "toolVersion": "1.2.3",
          "manifestSha256": "11657c308371892bfef5aa0dbd5dd05745222db15949f45153d0715f5703ee27",
          "files": {
            "Tools/B.go": { "owner": "seeded", "sha256": "0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f", "firstSha256": "b640e840b19d378660b32fb51ae18d67dccb4a8596a29e7bd72c1b2ae5928f41" },
            "a x'.go": { "owner": "generated", "sha256": "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7" }
          }
        }
        "#);
    }

    #[test]
    fn is_what_its_schema_says() {
        let schema = serde_json::from_str(LOCK_SCHEMA).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let value: serde_json::Value = serde_json::from_str(&lock().to_json()).unwrap();
        assert!(validator.is_valid(&value), "{:?}", validator.iter_errors(&value).collect::<Vec<_>>());
        let mut wrong = value;
        wrong["files"]["a x'.go"]["owner"] = "nobody".into();
        assert!(!validator.is_valid(&wrong));
    }

    #[test]
    fn case_does_not_count_in_a_name() {
        let lock = lock();
        assert_eq!(lock.entry("tools/b.go"), lock.entry("Tools/B.go"));
        assert!(lock.entry("tools/b.go").is_some() && lock.entry("tools/c.go").is_none());
        assert!(lock.has_folder("Tools") && !lock.has_folder("Tool") && !lock.has_folder("a"));
    }

    #[test]
    fn refuses_what_is_not_ours_and_what_is_too_new() {
        for text in ["", "{}", "[]", r#"{"schemaVersion":2,"toolVersion":"","files":{}}"#] {
            assert_eq!(Lock::parse(text.as_bytes()), Err(ObstacleKind::BrokenLock), "{text}");
        }
        assert_eq!(Lock::parse(br#"{"schemaVersion":3}"#), Err(ObstacleKind::LaterLock));
        // Every file of a lock may be removed once it is no longer part of the project.
        for path in [".git/HEAD", "../x", "/etc/passwd", ".adl/staging/journal.json", "a//b"] {
            let text = lock().to_json().replace("Tools/B.go", path);
            assert_eq!(Lock::parse(text.as_bytes()), Err(ObstacleKind::BrokenLock), "{path}");
        }
    }
}
