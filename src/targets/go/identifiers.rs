//! Go identifiers and file names.

use crate::targets::identifiers::{Identifiers, ToolFiles};

/// An exported identifier that is new in its scope: the ASCII letters, digits and underscores of `wanted`, behind `prefix` where that
/// would not be legal or not be exported, with a number where it is taken.
pub(super) fn exported(scope: &mut Identifiers, wanted: &str, prefix: &str) -> String {
    let legal: String = wanted.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
    let is_exported = legal.chars().next().is_some_and(|first| first.is_ascii_uppercase());
    scope.unique(&if is_exported { legal } else { format!("{prefix}{legal}") })
}

/// The files of the folder `tools`.
pub(super) fn tool_files() -> ToolFiles {
    let has_build_suffix = |stem: &str| stem.rsplit_once('_').is_some_and(|(_, last)| BUILD_SUFFIXES.contains(&last));
    ToolFiles::new(["tools", "catalog"], has_build_suffix)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_carry_no_hidden_meaning() {
        let mut files = tool_files();
        for (id, stem) in [
            ("get_weather", "get_weather"),
            ("run_test", "run_test_tool"),
            ("build_linux", "build_linux_tool"),
            ("linux", "linux"),
            ("con", "con_tool"),
            ("com2", "com2_tool"),
            ("LPT9", "lpt9_tool"),
            ("tools", "tools_tool"),
            ("tools_tool", "tools_tool_tool"),
            ("_linux", "tool_linux_tool"),
            ("_", "tool_"),
            ("Search", "search"),
        ] {
            assert_eq!(files.stem(id), stem);
        }
    }

    #[test]
    fn exported_names_are_legal() {
        let mut names = Identifiers::with_taken(["Tool"]);
        for (wanted, prefix, name) in [
            ("Tool", "X", "Tool2"),
            ("", "Tool", "Tool3"),
            ("5gScan", "Tool", "Tool5gScan"),
            ("नाम", "Field", "Field"),
            ("A²", "Field", "A"),
            ("½", "Field", "Field2"),
            ("Ⓐ", "Field", "Field3"),
            ("Ⅷ", "Field", "Field4"),
            ("ÉtatX", "Field", "FieldtatX"),
        ] {
            assert_eq!(exported(&mut names, wanted, prefix), name);
        }
    }
}
