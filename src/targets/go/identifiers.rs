//! Go identifiers and file names: legal, and no two the same.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use crate::names::is_device;

/// The identifiers of one scope.
#[derive(Debug, Default)]
pub(super) struct Identifiers {
    taken: BTreeSet<String>,
}

impl Identifiers {
    /// A scope in which some names are taken already.
    pub(super) fn with_taken<'a>(taken: impl IntoIterator<Item = &'a str>) -> Self {
        Self { taken: taken.into_iter().map(str::to_owned).collect() }
    }

    /// An exported identifier that is new in this scope: the ASCII letters, digits and underscores of `wanted`, behind `prefix`
    /// where that would not be legal or not be exported, with a number where it is taken.
    pub(super) fn exported(&mut self, wanted: &str, prefix: &str) -> String {
        let legal: String = wanted.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
        let is_exported = legal.chars().next().is_some_and(|first| first.is_ascii_uppercase());
        let base = if is_exported { legal } else { format!("{prefix}{legal}") };
        let mut name = base.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{base}{number}");
        }
        name
    }
}

/// Operating systems and processors that the go command reads from the end of a file's name.
const BUILD_SUFFIXES: [&str; 46] = [
    "386",
    "aix",
    "amd64",
    "amd64p32",
    "android",
    "arm",
    "arm64",
    "arm64be",
    "armbe",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "loong64",
    "mips",
    "mips64",
    "mips64le",
    "mips64p32",
    "mips64p32le",
    "mipsle",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "ppc",
    "ppc64",
    "ppc64le",
    "riscv",
    "riscv64",
    "s390",
    "s390x",
    "solaris",
    "sparc",
    "sparc64",
    "test",
    "unix",
    "wasip1",
    "wasm",
    "windows",
    "zos",
    "cgo",
    "race",
];

/// The most letters of a tool's id that its file's name keeps; a digest of the whole id stands for the rest.
const LONGEST_STEM: usize = 64;

/// The files of the folder `tools`.
#[derive(Debug)]
pub(super) struct ToolFiles {
    taken: BTreeSet<String>,
}

impl Default for ToolFiles {
    fn default() -> Self {
        Self { taken: BTreeSet::from(["tools".to_owned(), "tools_test".to_owned()]) }
    }
}

impl ToolFiles {
    /// The file of a tool, without its folder: the tool's id in lower case, shortened where it is long, kept clear of names into
    /// which the go command or a system reads something, and of the files that are not the user's.
    pub(super) fn file(&mut self, id: &str) -> String {
        let mut stem = short(id.to_lowercase());
        if stem.starts_with('_') {
            stem.insert_str(0, "tool");
        }
        let has_build_suffix = stem.rsplit_once('_').is_some_and(|(_, last)| BUILD_SUFFIXES.contains(&last));
        if has_build_suffix || is_device(&stem) {
            stem.push_str("_tool");
        }
        while !self.taken.insert(stem.clone()) {
            stem.push_str("_tool");
        }
        format!("{stem}.go")
    }
}

/// The text itself, or its beginning and a digest that tells it from others with the same beginning.
fn short(text: String) -> String {
    if text.len() <= LONGEST_STEM {
        return text;
    }
    let digest = Sha256::digest(&text);
    let digest = digest.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
    format!("{}_{digest:016x}", text.chars().take(LONGEST_STEM).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::check_path;

    #[test]
    fn file_names_carry_no_hidden_meaning() {
        let mut files = ToolFiles::default();
        for (id, file) in [
            ("get_weather", "get_weather.go"),
            ("run_test", "run_test_tool.go"),
            ("build_linux", "build_linux_tool.go"),
            ("linux", "linux.go"),
            ("con", "con_tool.go"),
            ("com2", "com2_tool.go"),
            ("LPT9", "lpt9_tool.go"),
            ("tools", "tools_tool.go"),
            ("tools_tool", "tools_tool_tool.go"),
            ("_linux", "tool_linux_tool.go"),
            ("_", "tool_.go"),
            ("Search", "search.go"),
        ] {
            assert_eq!(files.file(id), file);
        }
    }

    #[test]
    fn long_ids_are_shortened_and_stay_apart() {
        let mut files = ToolFiles::default();
        let kept = "b".repeat(LONGEST_STEM);
        assert_eq!(files.file(&kept), format!("{kept}.go"));
        let made: Vec<_> = (0..3).map(|more| files.file(&format!("{}{more}", "a".repeat(240)))).collect();
        let file = made.first().unwrap();
        assert!(file.starts_with(&"a".repeat(LONGEST_STEM)) && file.len() < 100, "{file}");
        assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), made.len());
        assert!(made.iter().all(|file| check_path(&format!("tools/{file}")).is_ok()));
        assert_eq!(ToolFiles::default().file(&format!("{}0", "a".repeat(240))), *file, "the same in another project");
    }

    #[test]
    fn taken_names_get_a_number() {
        let mut names = Identifiers::with_taken(["Tool"]);
        assert_eq!(names.exported("Tool", "X"), "Tool2");
        assert_eq!(names.exported("", "Tool"), "Tool3");
        assert_eq!(names.exported("5gScan", "Tool"), "Tool5gScan");
        for (wanted, name) in
            [("नाम", "Field"), ("A²", "A"), ("½", "Field2"), ("Ⓐ", "Field3"), ("Ⅷ", "Field4"), ("ÉtatX", "FieldtatX")]
        {
            assert_eq!(names.exported(wanted, "Field"), name);
        }
    }
}
