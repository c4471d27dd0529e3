use std::fs;
use std::path::Path;

use cap_std::ambient_authority;

use super::super::sample::{put, snapshot, text};
use super::super::text::sha256;
use super::*;

fn open(root: &Path) -> Dir {
    Dir::open_ambient_dir(root, ambient_authority()).unwrap()
}

fn step(path: &str, before: Option<&str>, after: Option<&str>) -> Step {
    let hash = |text: Option<&str>| text.map(|text| sha256(text.as_bytes()));
    Step { path: path.to_owned(), before: hash(before), after: hash(after) }
}

/// Prepares `root` like a run with these steps that was killed.
fn interrupted(root: &Path, steps: &[Step]) -> Journal {
    put(root, staging::JOURNAL, "");
    let journal = Journal {
        schema_version: SCHEMA_VERSION,
        identity: staging::identity(&open(root)).unwrap(),
        made: Vec::new(),
        steps: steps.to_vec(),
    };
    put(root, staging::JOURNAL, journal.to_json());
    journal
}

fn load(root: &Path) -> Result<Option<Journal>, io::ErrorKind> {
    Journal::load(&open(root)).map_err(|error| error.kind())
}

fn roll_back(journal: &Journal, root: &Path) -> Vec<Kept> {
    let RolledBack { kept, left } = journal.roll_back(&open(root), &|| Ok(()));
    assert!(left.is_empty(), "{left:?}");
    kept
}

#[test]
fn ignores_an_incomplete_journal_unless_files_were_moved() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let journal = interrupted(root, &[step("a \"b\".go", None, Some("new"))]);
    let bytes = journal.to_json();
    assert_eq!(load(root), Ok(Some(journal)));
    let damaged = |end: usize| [&bytes[..end], &vec![0; 4096 - end]].concat();
    for end in 0..bytes.len() {
        for bytes in [bytes[..end].to_vec(), damaged(end)] {
            put(root, staging::JOURNAL, bytes);
            assert_eq!(load(root), Ok(None), "{end}");
        }
    }
    for name in ["0.old", "7.undone"] {
        put(root, &format!(".adl/staging/{name}"), "the user's");
        for end in 0..bytes.len() {
            put(root, staging::JOURNAL, &bytes[..end]);
            assert_eq!(load(root), Err(io::ErrorKind::InvalidData), "{end}");
        }
        #[expect(clippy::disallowed_methods, reason = "a test prepares its folder")]
        fs::remove_file(root.join(".adl/staging").join(name)).unwrap();
    }
}

#[test]
fn rejects_a_journal_of_another_version() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let later = Journal { schema_version: SCHEMA_VERSION + 1, ..interrupted(root, &[]) };
    for bytes in [later.to_json(), b"{\"schemaVersion\":2,\"more\":[]}".to_vec()] {
        put(root, staging::JOURNAL, bytes);
        assert_eq!(load(root), Err(io::ErrorKind::InvalidData));
    }
}

#[test]
fn rejects_a_journal_in_a_copy_of_its_folder() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let journal = interrupted(root, &[step("main.go", Some("old"), Some("new"))]);
    let copy = Journal { identity: journal.identity + 1, ..journal };
    put(root, staging::JOURNAL, copy.to_json());
    assert_eq!(load(root), Err(io::ErrorKind::InvalidData));
}

#[test]
fn rejects_a_journal_with_paths_that_adl_does_not_write() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    put(root, ".git/hooks/sample", "");
    for path in
        [".git/hooks/pre-commit", "a/.GIT/config", "../x", "/etc/passwd", ".adl/staging/journal.json", ".adl-x/.git/x"]
    {
        interrupted(root, &[step(path, Some("x"), Some("y"))]);
        assert_eq!(load(root), Err(io::ErrorKind::InvalidData), "{path}");
        let journal = Journal { made: vec![path.to_owned()], ..interrupted(root, &[]) };
        put(root, staging::JOURNAL, journal.to_json());
        assert_eq!(load(root), Err(io::ErrorKind::InvalidData), "{path}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(".git/hooks", root.join("hooks")).unwrap();
        interrupted(root, &[step("hooks/pre-commit", Some("x"), Some("y"))]);
        assert_eq!(load(root), Err(io::ErrorKind::InvalidData));
    }
}

#[cfg(unix)]
#[test]
fn does_not_block_on_a_pipe() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    put(root, ".adl/staging/0.new", "");
    let pipe = root.join(staging::JOURNAL);
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    assert_eq!(load(root), Err(io::ErrorKind::InvalidData));
}

/// On a case-insensitive file system, both names of a renamed file lead to the file before any step is done. A hard
/// link simulates this.
#[test]
fn keeps_a_file_that_is_renamed_by_case_only() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    put(root, "Tool.go", "the user's");
    fs::hard_link(root.join("Tool.go"), root.join("tool.go")).unwrap();
    let steps = [step("Tool.go", Some("the user's"), None), step("tool.go", None, Some("the user's"))];
    let journal = interrupted(root, &steps);
    put(root, ".adl/staging/1.new", "the user's");
    let before = snapshot(root);
    assert_eq!(roll_back(&journal, root), []);
    assert_eq!(snapshot(root), before);
}

#[test]
fn removes_new_files_without_a_staged_copy() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    // Like on a file system without hard links: the staging folder no longer contains the new files.
    let journal = interrupted(root, &[step("a.go", None, Some("new")), step("b.go", Some("old"), Some("new"))]);
    put(root, "a.go", "new");
    put(root, "b.go", "new");
    put(root, ".adl/staging/1.old", "old");
    assert_eq!(roll_back(&journal, root), []);
    assert!(!root.join("a.go").exists() && text(root, "b.go") == "old");
}

/// A disk that reorders writes can restore the journal but not the old files after a power cut.
#[test]
fn keeps_the_new_file_if_the_old_one_is_lost() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let journal = interrupted(root, &[step("a.go", Some("old"), Some("new"))]);
    put(root, "a.go", "new");
    assert_eq!(roll_back(&journal, root), []);
    assert_eq!(text(root, "a.go"), "new");
}

#[test]
fn restores_a_file_saved_just_before_it_was_moved() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let journal = interrupted(root, &[step("a.go", Some("old"), Some("new"))]);
    put(root, ".adl/staging/0.old", "old");
    put(root, ".adl/staging/0.undone", "saved");
    let kept = Kept { path: "a.go".to_owned(), backup: Some("a.go.orig".to_owned()) };
    assert_eq!(roll_back(&journal, root), [kept]);
    assert_eq!((text(root, "a.go").as_str(), text(root, "a.go.orig").as_str()), ("saved", "old"));
    assert!(!root.join(".adl/staging/0.undone").exists());
}

#[test]
fn restores_to_a_backup_name_if_the_folder_was_replaced() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let journal = interrupted(root, &[step("gone/deep/a.go", Some("old"), None), step("made/b.go", None, Some("new"))]);
    let journal = Journal { made: vec!["made".to_owned()], ..journal };
    put(root, ".adl/staging/0.old", "old");
    put(root, ".adl/staging/1.new", "new");
    put(root, "gone", "the user's");
    put(root, "made", "the user's");
    let kept = Kept { path: "gone/deep/a.go".to_owned(), backup: Some("gone.orig".to_owned()) };
    assert_eq!(roll_back(&journal, root), [kept]);
    assert_eq!((text(root, "gone").as_str(), text(root, "made").as_str()), ("the user's", "the user's"));
    assert_eq!(text(root, "gone.orig"), "old");
}
