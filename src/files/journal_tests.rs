use std::path::Path;

use cap_std::ambient_authority;

use super::super::compare::compare;
use super::super::sample::{eventful, next_project, put, snapshot, target, write};
use super::*;

fn open(root: &Path) -> Dir {
    Dir::open_ambient_dir(root, ambient_authority()).unwrap()
}

/// After a power cut the removal of a journal may be lost, while the old files that it speaks of are gone for good.
#[test]
fn a_journal_that_comes_back_after_all_was_done_undoes_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    eventful(root);
    let journal = Journal::new(&compare(Some(&open(root)), &target(root, next_project())).unwrap());
    write(root, next_project()).unwrap();
    let after = snapshot(root);
    put(root, staging::JOURNAL, journal.to_json());
    let TakenBack { kept, left } = journal.take_back(&open(root), &|| Ok(()));
    assert!(kept.is_empty() && left.is_empty(), "{kept:?} {left:?}");
    assert!(staging::clear(&open(root), &|| Ok(())).is_empty());
    assert_eq!(snapshot(root), after);
}

#[test]
fn a_journal_that_was_not_written_to_its_end_is_none_and_a_strange_one_is_not_guessed_at() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let load = |bytes: &[u8]| {
        put(root, staging::JOURNAL, bytes);
        Journal::load(&open(root)).map_err(|error| error.kind())
    };
    let step = Step { path: "a \"b\".go".to_owned(), before: None, after: Some("0".to_owned()) };
    let journal =
        Journal { schema_version: SCHEMA_VERSION, made: vec!["a".to_owned()], emptied: Vec::new(), steps: vec![step] };
    let bytes = journal.to_json();
    for end in 0..bytes.len() {
        assert_eq!(load(&bytes[..end]), Ok(None), "{end}");
    }
    assert_eq!(load(&bytes), Ok(Some(journal.clone())));
    let later = Journal { schema_version: SCHEMA_VERSION + 1, ..journal };
    for bytes in [later.to_json(), b"{\"schemaVersion\":1,\"steps\":{}}".to_vec(), vec![0; 20]] {
        assert_eq!(load(&bytes), Err(io::ErrorKind::InvalidData));
    }
}
