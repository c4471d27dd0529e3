//! Sample projects and folders for the tests of this module.
#![expect(clippy::disallowed_methods, reason = "these tests prepare folders")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::archive::Archive;
use super::records::{ARCHIVE_PATH, ATTRIBUTES_PATH};
use super::{
    Action, Boundaries, Change, Changeset, Contents, Control, Event, FileTree, FilesError, Owner, PlanOptions, Stamp,
    Target, apply, base_path, plan,
};
use crate::merge::Strategy;

/// A flag that is never set.
pub(super) static NEVER: AtomicBool = AtomicBool::new(false);

/// A tree of these files: path, owner, text. Files that start with `#!` are executable.
pub(super) fn tree(files: &[(&str, Owner, &str)]) -> FileTree {
    let mut tree = FileTree::new();
    for (path, owner, text) in files {
        tree.insert(path, contents(path, *owner, text)).unwrap();
    }
    tree
}

/// The contents of a file, as planned by a target.
pub(super) fn contents(path: &str, owner: Owner, text: &str) -> Contents {
    let strategy = match path {
        ".env.example" => Strategy::Variables,
        ".gitignore" => Strategy::Lines,
        "README.md" => Strategy::Sections,
        "go.mod" => Strategy::GoModule,
        _ => Strategy::Text,
    };
    Contents { bytes: text.as_bytes().to_vec(), owner, strategy, executable: text.starts_with("#!") }
}

/// A tree with files of all owners, including a nested and an executable file.
pub(super) fn project() -> FileTree {
    tree(&[
        ("main.go", Owner::Generated, "package main\n\nfunc main() {\n\trun()\n}\n"),
        ("internal/mcp/client.go", Owner::Generated, "package mcp\n"),
        ("tools/weather.go", Owner::Seeded, "package tools\n"),
        (".env.example", Owner::Shared, "PORT=8080\n"),
        ("run.sh", Owner::Generated, "#!/bin/sh\nexec agent\n"),
    ])
}

/// The next version of [`project`], which covers every kind of change.
pub(super) fn next_project() -> FileTree {
    tree(&[
        ("main.go", Owner::Generated, "package main\n\nfunc main() {\n\trun()\n}\n\n// news\n"),
        ("internal/new/deep/file.go", Owner::Generated, "package deep\n"),
        ("tools/weather.go", Owner::Seeded, "package tools\n\n// a new parameter\n"),
        ("tools/clock.go", Owner::Seeded, "package tools\n"),
        (".env.example", Owner::Shared, "PORT=9090\n"),
        ("run.sh", Owner::Generated, "#!/bin/sh\nexec agent --news\n"),
    ])
}

pub(super) fn target(root: &Path, tree: FileTree) -> Target {
    decided(root, tree, PlanOptions::default())
}

pub(super) fn decided(root: &Path, tree: FileTree, options: PlanOptions) -> Target {
    Target {
        root: root.to_owned(),
        tree,
        stamp: Stamp::new("0.0.0", b"kind: Agent\n"),
        options,
        boundaries: Boundaries::default(),
    }
}

pub(super) fn changeset(root: &Path, tree: FileTree) -> Changeset {
    plan(&target(root, tree)).unwrap()
}

/// Writes `tree` without options.
pub(super) fn write(root: &Path, tree: FileTree) -> Result<Vec<Change>, FilesError> {
    apply(&target(root, tree), Control { interrupted: &NEVER, tell: &not_told })
}

/// Fails on all events that only follow a killed run. Waiting is allowed: while another test starts a process, the
/// process briefly inherits the lock.
pub(super) fn not_told(event: &Event) {
    assert_eq!(*event, Event::Waiting);
}

/// The action for `path`; `None` if there is no such change.
pub(super) fn action(changes: &[Change], path: &str) -> Option<Action> {
    changes.iter().find(|change| change.path == path).map(|change| change.action.clone())
}

/// Writes a file and creates the folders above it.
pub(super) fn put(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(super) fn text(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).unwrap()
}

/// Every path below `root` with its contents, or the type of a folder or link.
pub(super) fn snapshot(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = walkdir::WalkDir::new(root).into_iter().map(Result::unwrap);
    entries
        .map(|entry| {
            let kind = entry.file_type();
            let bytes = if kind.is_file() {
                fs::read(entry.path()).unwrap()
            } else if kind.is_symlink() {
                format!("link to {:?}", fs::read_link(entry.path()).unwrap()).into_bytes()
            } else {
                b"folder".to_vec()
            };
            (entry.path().strip_prefix(root).unwrap().display().to_string(), bytes)
        })
        .collect()
}

/// The texts in the archive of a folder.
pub(super) fn texts(root: &Path) -> Vec<(String, String)> {
    let archive = Archive::read(&fs::read(root.join(ARCHIVE_PATH)).unwrap());
    archive.texts.into_iter().map(|(path, text)| (path, String::from_utf8(text).unwrap())).collect()
}

/// Writes each text to a separate file, like versions without an archive.
pub(super) fn old_base(root: &Path) {
    for (path, text) in texts(root) {
        put(root, &base_path(&path), text);
    }
    fs::remove_file(root.join(ARCHIVE_PATH)).unwrap();
    fs::remove_file(root.join(ATTRIBUTES_PATH)).unwrap();
}

/// Prepares a folder in which a run to [`next_project`] creates, updates, merges, removes, renames and follows links.
pub(super) fn eventful(root: &Path) {
    let mut before = project();
    let path = "stale/deep/gone.go";
    before.insert(path, contents(path, Owner::Generated, "package stale\n")).unwrap();
    write(root, before).unwrap();
    put(root, "main.go", "// mine\npackage main\n\nfunc main() {\n\trun()\n}\n");
    put(root, "tools/weather.go", "the user's");
    put(root, "internal/notes.txt", "the user's");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        fs::create_dir(root.join("settings")).unwrap();
        fs::rename(root.join(".env.example"), root.join("settings/example")).unwrap();
        symlink("settings/example", root.join(".env.example")).unwrap();
        fs::create_dir(root.join("elsewhere")).unwrap();
        symlink("../elsewhere", root.join("internal/new")).unwrap();
    }
}
