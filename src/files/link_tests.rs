use std::os::unix::fs::symlink;

use super::*;

#[test]
fn follows_links_inside_the_folder() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    fs::create_dir(root.join("real")).unwrap();
    symlink("real", root.join("internal")).unwrap();
    put(root, "real/old.go", "old\n");
    symlink("real/old.go", root.join("main.go")).unwrap();
    let files = |text| tree(&[("main.go", GENERATED, text), ("internal/deep/a.go", GENERATED, text)]);
    write(root, files("old\n")).unwrap();
    write(root, files("new\n")).unwrap();
    assert!(["main.go", "internal"].iter().all(|path| fs::symlink_metadata(root.join(path)).unwrap().is_symlink()));
    assert_eq!((text(root, "real/old.go").as_str(), text(root, "real/deep/a.go").as_str()), ("new\n", "new\n"));
}

#[test]
fn reports_links_that_lead_outside_as_obstacles() {
    let scratch = tempfile::tempdir().unwrap();
    let (root, outside) = (&scratch.path().join("root"), scratch.path().join("outside"));
    put(&outside, "mcp/client.go", "x\n");
    put(&outside, "main.go", "text\n");
    fs::create_dir_all(root.join(".git")).unwrap();
    put(root, "one.go", "text\n");
    for (target, path) in [
        ("../outside", "internal"),
        ("../outside/main.go", "main.go"),
        ("nowhere", "run.sh"),
        ("round", "round"),
        (".git/hook", "hook"),
        ("one.go", "two.go"),
    ] {
        symlink(target, root.join(path)).unwrap();
    }
    put(root, ".git/hook", "text\n");
    symlink(outside.join("main.go"), root.join("absolute.go")).unwrap();
    let paths = ["absolute.go", "hook", "internal/mcp/client.go", "main.go", "one.go", "round", "run.sh", "two.go"];
    let files = || tree(&paths.map(|path| (path, GENERATED, "text\n")));
    let before = snapshot(scratch.path());
    let expected = [
        ("absolute.go", ObstacleKind::LinkLeadsOut),
        ("hook", ObstacleKind::LinkLeadsOut),
        ("internal", ObstacleKind::LinkLeadsOut),
        ("main.go", ObstacleKind::LinkLeadsOut),
        ("round", ObstacleKind::LinkLeadsOut),
        ("run.sh", ObstacleKind::LinkToNothing),
        ("two.go", ObstacleKind::SameFile),
    ];
    assert_eq!(obstacles(root, files()), expected.map(|(path, kind)| (path.to_owned(), kind)));
    assert!(write(root, files()).is_err());
    assert_eq!(snapshot(scratch.path()), before);
}

#[test]
fn rejects_links_in_the_place_of_own_files() {
    let scratch = tempfile::tempdir().unwrap();
    let files = || tree(&[("main.go", GENERATED, "a\n")]);
    for (index, (link, target)) in [
        (".adl", "../elsewhere"),
        (".adl", "inside"),
        (".adl/base.tar.gz", "../inside/lock"),
        (".adl/.gitattributes", "../inside/lock"),
        (".adl/staging", "../inside"),
        (".adl/lock.json", "../inside/lock"),
    ]
    .into_iter()
    .enumerate()
    {
        let root = &scratch.path().join(index.to_string());
        put(root, "inside/lock", "{}");
        fs::create_dir_all(scratch.path().join("elsewhere")).unwrap();
        fs::create_dir_all(root.join(link).parent().unwrap()).unwrap();
        symlink(target, root.join(link)).unwrap();
        assert!(!obstacles(root, files()).is_empty());
        let before = snapshot(scratch.path());
        assert!(write(root, files()).is_err());
        assert_eq!(snapshot(scratch.path()), before);
    }
}
