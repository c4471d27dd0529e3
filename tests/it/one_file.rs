//! `adl generate --stdout`: prints one file of the project without writing.

use std::fs;

use crate::support::{MANIFEST, Sandbox};

#[test]
fn prints_what_generate_writes() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    for path in ["main.go", "./go.sum", ".env.example", "agent.yaml", "tools/get_weather.go"] {
        let Ok(written) = fs::read_to_string(sandbox.path("out").join(path)) else { continue };
        let run = sandbox.run(&["generate", "-o", "elsewhere", "--stdout", path]).exits(0);
        assert_eq!((run.stdout, run.stderr.as_str()), (written, ""), "{path}");
    }
    assert!(!sandbox.path("elsewhere").exists());
}

#[test]
fn suggests_a_similar_file_and_lists_all() {
    let sandbox = Sandbox::with_manifest();
    let run = sandbox.run(&["generate", "-o", "out", "--stdout", "tools/get_weathr.go"]).exits(2);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.starts_with("error[ADL0907]: the project has no file `tools/get_weathr.go`\n"), "{run:#?}");
    assert!(run.stderr.contains("help: did you mean `tools/get_weather.go`?"), "{run:#?}");
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    for path in sandbox.snapshot("out").keys().filter(|path| sandbox.path("out").join(path).is_file()) {
        assert!(path.starts_with(".adl") || run.stderr.contains(path.to_str().unwrap()), "{path:?}: {run:#?}");
    }
}

#[test]
fn rejects_invalid_manifests() {
    let sandbox = Sandbox::new().file("agent.yaml", &MANIFEST.replace("port: 8080", "port: eighty"));
    let shown = sandbox.run(&["generate", "--stdout", "main.go"]).exits(1);
    let generated = sandbox.run(&["generate"]).exits(1);
    assert_eq!((shown.stdout.as_str(), shown.stderr), ("", generated.stderr));
    let run = sandbox.run(&["generate", "--stdout", "main.go", "--dry-run"]).exits(2);
    assert!(run.stderr.contains("cannot be used with"), "{run:#?}");
}
