//! A project to which the user added modules remains complete after regeneration.

use std::fs;

use super::support::{adl, build, go, manifests, needs, workshop};

/// User code that imports one module that the agent requires indirectly, and one that it does not require.
const OWN_CODE: &str = r#"package main

import (
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

var _ = cmp.Equal("", uuid.NewString())
"#;

#[test]
fn regeneration_keeps_modules_of_the_user() {
    needs!(Go);
    let project = workshop().join("merged");
    drop(fs::remove_dir_all(&project));
    let manifest = workshop().join("merged.yaml");
    let shapes = manifests::shapes();
    let generate = |shape: usize| {
        fs::write(&manifest, &shapes[shape].1).unwrap();
        build(adl().arg("generate").arg("-f").arg(&manifest).arg("-o").arg(&project));
    };
    generate(0);
    fs::write(project.join("own.go"), OWN_CODE).unwrap();
    build(go(&project).args(["get", "github.com/google/go-cmp@v0.7.0"]));
    build(go(&project).args(["mod", "tidy"]));
    // The agents with the most and with the fewest requirements.
    for shape in [2, 3] {
        generate(shape);
        build(go(&project).args(["build", "-mod=readonly", "./..."]));
        let modules = fs::read_to_string(project.join("go.mod")).unwrap();
        assert!(modules.contains("github.com/google/go-cmp v0.7.0\n"), "{shape}: {modules}");
        assert!(modules.contains("\tgithub.com/google/uuid v1.6.0\n"), "{shape}: {modules}");
        // Unused checksums are left to `go mod tidy`; unused requirements are removed.
        build(go(&project).args(["mod", "tidy"]));
        assert_eq!(fs::read_to_string(project.join("go.mod")).unwrap(), modules, "{shape}");
    }
}
