use thiserror::Error;

use super::LOCK_PATH;
use super::records::{ARCHIVE_PATH, ATTRIBUTES_PATH};
use crate::names::is_device;

/// The maximum length of a path in bytes. Windows allows 260 characters, including the path of the output folder.
const LONGEST_PATH: usize = 200;

/// Why a path is not allowed in an output folder.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathError {
    /// The path is empty, absolute, or has an empty, `.` or `..` component.
    #[error("`{path}` is not a valid relative path")]
    NotRelative {
        /// The path as given.
        path: String,
    },
    /// The path contains a character that some file system rejects or changes (Unicode normalization).
    #[error("`{path}` contains {character:?}, which some file systems do not allow")]
    Character {
        /// The path as given.
        path: String,
        /// The first such character.
        character: char,
    },
    /// A component is a device name on Windows, ends with a dot or space, or is `.git`.
    #[error("`{component}` in `{path}` is a reserved name")]
    Reserved {
        /// The path as given.
        path: String,
        /// The invalid component.
        component: String,
    },
    /// The path is longer than 200 bytes.
    #[error("`{path}` is longer than {LONGEST_PATH} bytes")]
    TooLong {
        /// The path as given.
        path: String,
    },
    /// The path equals another one if case is ignored, or is a file where another path needs a folder.
    #[error("`{path}` and `{other}` cannot exist together")]
    Taken {
        /// The path as given.
        path: String,
        /// The other path, which is already in the tree.
        other: String,
    },
}

/// Checks that a path of an output folder is relative, uses `/` as separator, is ASCII, and is valid on every file
/// system.
pub fn check_path(path: &str) -> Result<(), PathError> {
    let components = || path.split('/');
    if components().any(|component| matches!(component, "" | "." | "..")) {
        return Err(PathError::NotRelative { path: path.to_owned() });
    }
    if let Some(character) = path.chars().find(|character| !is_portable(*character)) {
        return Err(PathError::Character { path: path.to_owned(), character });
    }
    if let Some(component) = components().find(|component| is_reserved(component)) {
        return Err(PathError::Reserved { path: path.to_owned(), component: component.to_owned() });
    }
    if path.len() > LONGEST_PATH {
        return Err(PathError::TooLong { path: path.to_owned() });
    }
    Ok(())
}

/// Whether a transaction may write a file or folder at `path`. The path may be the target of a link of the user's. It
/// must be below the output folder and outside `.git`; in `.adl`, only the records are allowed.
pub(super) fn is_written(path: &str) -> bool {
    [".adl", ".adl/base", ARCHIVE_PATH, ATTRIBUTES_PATH, LOCK_PATH].contains(&path)
        || path.strip_prefix(".adl/base/").unwrap_or(path).split('/').all(is_users)
}

/// Whether a component may be part of a path of the user's files: it does not lead elsewhere, and is not reserved for
/// git or `adl`.
///
/// File systems may ignore invisible characters, trailing spaces and dots, and everything after a colon, so these are
/// ignored here too.
pub(super) fn is_users(component: &str) -> bool {
    let seen: String = component.chars().filter(char::is_ascii).collect();
    let name = seen.split(':').next().unwrap_or_default().trim_end_matches([' ', '.']);
    !matches!(component, "" | "." | "..")
        && !component.contains(['\\', '\0'])
        && ![".git", "git~1", ".adl"].iter().any(|kept| name.eq_ignore_ascii_case(kept))
}

fn is_portable(character: char) -> bool {
    matches!(character, ' '..='~') && !matches!(character, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
}

fn is_reserved(component: &str) -> bool {
    component.ends_with(['.', ' ']) || component.eq_ignore_ascii_case(".git") || is_device(component)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_plain_relative_paths() {
        for path in
            ["main.go", "internal/mcp/client.go", ".adl/lock.json", ".env.example", ".gitignore", "a b/c", "console.go"]
        {
            assert_eq!(check_path(path), Ok(()), "{path}");
        }
    }

    #[test]
    fn rejects_paths_that_could_leave_the_folder() {
        for path in ["", "/", "/etc/passwd", "..", "../x", "a/../b", "a/..", "./a", "a//b", "a/", "."] {
            assert!(matches!(check_path(path), Err(PathError::NotRelative { .. })), "{path}");
        }
        for path in ["a\\b", "..\\x", "C:", "C:/x", "a\0b", "a\nb", "a*", "\u{202e}x", "caf\u{e9}"] {
            assert!(matches!(check_path(path), Err(PathError::Character { .. })), "{path:?}");
        }
    }

    #[test]
    fn rejects_reserved_names() {
        for path in
            ["con", "tools/AUX.go", "nul.tar.gz", "a/LPT1", "a./b", "a/b ", ".git/config", ".GIT/hooks/x", "com1 .go"]
        {
            assert!(matches!(check_path(path), Err(PathError::Reserved { .. })), "{path}");
        }
        assert!(matches!(check_path(&"x".repeat(201)), Err(PathError::TooLong { .. })));
    }

    #[test]
    fn allows_no_path_in_git_and_only_records_in_adl() {
        for path in [
            "main.go",
            ".adl",
            ".adl/base",
            ".adl/base/a/b.go.base",
            ".adl/lock.json",
            "gr\u{f6}\u{df}e/\u{65e5}\u{672c}",
            ".github/x",
            "a:b/c",
            ".adl-ignore",
            "x.git/a",
        ] {
            assert!(is_written(path), "{path}");
        }
        for path in [
            "",
            "/x",
            "a//b",
            "..",
            "a/../b",
            "./a",
            "a\\b",
            ".git",
            ".git/hooks/pre-commit",
            "a/.GIT/config",
            ".g\u{200c}it/x",
            ".git ./x",
            ".git::$INDEX_ALLOCATION/x",
            "git~1/x",
            ".adl/staging/0.old",
            ".adl/x",
            ".ADL/lock.json",
            "a/.adl/lock.json",
            ".adl/base/../x",
            ".adl/base/.git/x",
            ".adl/base/",
        ] {
            assert!(!is_written(path), "{path}");
        }
    }
}
