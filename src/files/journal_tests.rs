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

/// Leaves behind in `root` what a run with these steps would that was killed.
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
fn one_that_was_not_written_to_its_end_is_none_unless_it_moved_something() {
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
fn one_of_another_version_is_not_guessed_at() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let later = Journal { schema_version: SCHEMA_VERSION + 1, ..interrupted(root, &[]) };
    for bytes in [later.to_json(), b"{\"schemaVersion\":2,\"more\":[]}".to_vec()] {
        put(root, staging::JOURNAL, bytes);
        assert_eq!(load(root), Err(io::ErrorKind::InvalidData));
    }
}

#[test]
fn one_that_came_with_a_copy_of_the_folder_is_not_followed() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let journal = interrupted(root, &[step("main.go", Some("old"), Some("new"))]);
    let copy = Journal { identity: journal.identity + 1, ..journal };
    put(root, staging::JOURNAL, copy.to_json());
    assert_eq!(load(root), Err(io::ErrorKind::InvalidData));
}

#[test]
fn one_that_names_what_no_run_writes_is_not_followed() {
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
fn a_pipe_in_its_place_is_not_waited_for() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    put(root, ".adl/staging/0.new", "");
    let pipe = root.join(staging::JOURNAL);
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    assert_eq!(load(root), Err(io::ErrorKind::InvalidData));
}

/// Where case does not count, both names of a file that is renamed lead to it before anything has been done. A hard link does the same.
#[test]
fn a_file_under_its_other_name_is_not_taken_for_the_new_one() {
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
fn a_new_file_that_was_moved_into_its_place_is_taken_out_of_it() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    // As on a file system without hard links: nothing is left of the new files in the staging.
    let journal = interrupted(root, &[step("a.go", None, Some("new")), step("b.go", Some("old"), Some("new"))]);
    put(root, "a.go", "new");
    put(root, "b.go", "new");
    put(root, ".adl/staging/1.old", "old");
    assert_eq!(roll_back(&journal, root), []);
    assert!(!root.join("a.go").exists() && text(root, "b.go") == "old");
}

/// As after a power cut that a disk did not tell the truth about: the journal is back, and the old files are gone.
#[test]
fn without_the_old_file_the_new_one_stays() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let journal = interrupted(root, &[step("a.go", Some("old"), Some("new"))]);
    put(root, "a.go", "new");
    assert_eq!(roll_back(&journal, root), []);
    assert_eq!(text(root, "a.go"), "new");
}

#[test]
fn what_was_saved_in_the_moment_before_a_file_was_moved_goes_back() {
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
fn what_lies_where_a_folder_was_stays_and_the_old_file_comes_beside_it() {
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
