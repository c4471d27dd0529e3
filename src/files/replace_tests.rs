use std::fs;

use tempfile::TempDir;

use super::*;

#[expect(clippy::disallowed_methods, reason = "a test prepares its files")]
fn file(bytes: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("agent.yaml");
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn names(folder: &TempDir) -> Vec<String> {
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn replaces_unmodified_contents() {
    let (folder, path) = file("old");
    replace(&path, b"old", b"new", &AtomicBool::new(false)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(&folder), ["agent.yaml"]);
}

#[test]
fn keeps_a_file_modified_by_another_process() {
    let (folder, path) = file("theirs");
    let result = replace(&path, b"old", b"new", &AtomicBool::new(false));
    assert!(matches!(result, Err(ReplaceError::Changed { .. })), "{result:?}");
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
    assert_eq!(names(&folder), ["agent.yaml"]);
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
#[test]
#[expect(clippy::disallowed_methods, reason = "a test prepares its files")]
fn restores_a_version_saved_at_the_last_moment() {
    let (scratch, path) = file("old");
    let folder = Dir::open_ambient_dir(scratch.path(), ambient_authority()).unwrap();
    let name = Path::new("agent.yaml");
    let staged = Staged::write(&folder, name, b"new", None).unwrap();
    fs::write(&path, "saved").unwrap();
    assert!(!staged.replace(name, b"old").unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"saved");
    assert_eq!(names(&scratch), ["agent.yaml"]);
}

#[cfg(unix)]
#[test]
fn rejects_pipes_and_folders() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    for path in [&path, folder.path()] {
        let result = replace(path, b"", b"new", &AtomicBool::new(false));
        assert!(matches!(result, Err(ReplaceError::Write { .. })), "{result:?}");
    }
    assert_eq!(names(&folder), ["pipe"]);
    assert!(!path.is_file());
}

#[test]
fn removes_files_of_killed_runs_but_not_of_live_ones() {
    let (scratch, path) = file("old");
    let folder = Dir::open_ambient_dir(scratch.path(), ambient_authority()).unwrap();
    let others = Staged::write(&folder, Path::new("agent.yaml"), b"others", None).unwrap();
    // A pattern that matches `NAME.*` also matches this name.
    assert_eq!(others.name, Path::new("agent.yaml.adl-0"));
    replace(&path, b"old", b"new", &AtomicBool::new(false)).unwrap();
    assert_eq!(fs::read(scratch.path().join(&others.name)).unwrap(), b"others");
    drop(others);

    #[expect(clippy::disallowed_methods, reason = "a test prepares its files")]
    fs::write(scratch.path().join("agent.yaml.adl-0"), "half").unwrap();
    replace(&path, b"new", b"newer", &AtomicBool::new(false)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"newer");
    assert_eq!(names(&scratch), ["agent.yaml"]);
}

#[test]
fn creates_private_files_without_overwriting() {
    let (folder, path) = file("theirs");
    let result = create(&path, b"new", &AtomicBool::new(false));
    assert!(matches!(result, Err(ReplaceError::Changed { .. })), "{result:?}");
    let path = folder.path().join(".env");
    let result = create(&path, b"new", &AtomicBool::new(true));
    assert!(matches!(result, Err(ReplaceError::Interrupted)), "{result:?}");
    assert_eq!(names(&folder), ["agent.yaml"]);
    create(&path, b"new", &AtomicBool::new(false)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(&folder).len(), 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn keeps_the_old_file_when_interrupted() {
    let (folder, path) = file("old");
    let result = replace(&path, b"old", b"new", &AtomicBool::new(true));
    assert!(matches!(result, Err(ReplaceError::Interrupted)), "{result:?}");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(&folder), ["agent.yaml"]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test prepares its files")]
fn does_not_recreate_a_deleted_file() {
    let (folder, path) = file("old");
    fs::remove_file(&path).unwrap();
    let result = replace(&path, b"old", b"new", &AtomicBool::new(false));
    assert!(matches!(result, Err(ReplaceError::Write { .. })), "{result:?}");
    assert!(names(&folder).is_empty());
}
