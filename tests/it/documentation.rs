//! Checks the documentation: its commands run, its manifests are valid and its links exist.
#![expect(clippy::disallowed_methods, reason = "the tests prepare folders")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{MANIFEST, Sandbox};

/// The README, the contribution guide and all pages in `docs/`.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = walkdir::WalkDir::new(root.join("docs"))
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path());
    let pages = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    [root.join("README.md"), root.join("CONTRIBUTING.md")].into_iter().chain(pages).collect()
}

/// The contents of the code blocks of a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(opened)) => open = Some((opened == language, String::new())),
            (Some(_), Some(_)) => {
                let (wanted, text) = open.take().unwrap();
                blocks.extend(wanted.then_some(text));
            }
            (Some((_, text)), None) => text.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    blocks
}

#[test]
fn all_adl_commands_run() {
    let mut count = 0;
    for page in pages() {
        let sandbox = Sandbox::with_manifest().file("agents/agent.yaml", MANIFEST).file("weather.yaml", MANIFEST);
        for name in ["assistant", "complete", "mcp", "mcp-headers", "minimal"] {
            let example = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.yaml"));
            let target = sandbox.path(format!("examples/{name}.yaml"));
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(example, target).unwrap();
        }
        for block in blocks(&fs::read_to_string(&page).unwrap(), "sh") {
            for line in block.lines() {
                let line = line.split(" #").next().unwrap();
                let installed = line.strip_prefix("adl ");
                let Some(arguments) = installed.or_else(|| line.strip_prefix("cargo run --release -- ")) else {
                    continue;
                };
                let arguments: Vec<_> = arguments.split_whitespace().collect();
                let mut run = sandbox.run(&arguments);
                // Nobody answers here, so the plan is confirmed by its token. Status 2: an agent waits for its user.
                if let Some((_, token)) = run.stdout.split_once("token: ").filter(|_| run.status == Some(1)) {
                    let (command, rest) = arguments.split_at(2);
                    run = sandbox.run(&[command, &["--confirm", token.lines().next().unwrap()], rest].concat());
                    run.status = run.status.filter(|status| *status != 2).or(Some(0));
                }
                assert_eq!(run.status, Some(0), "`{line}` of {}: {run:#?}", page.display());
                count += 1;
            }
        }
    }
    assert!(count >= 4, "only {count} commands were found");
}

#[test]
fn complete_manifests_are_valid() {
    let mut count = 0;
    for page in pages() {
        for manifest in blocks(&fs::read_to_string(&page).unwrap(), "yaml") {
            if manifest.starts_with("apiVersion:") {
                let run = Sandbox::new().file("agent.yaml", &manifest).run(&["validate"]);
                assert_eq!(run.status, Some(0), "{}: {run:#?}", page.display());
                count += 1;
            }
        }
    }
    assert!(count >= 1, "no manifest was found");
}

#[test]
fn links_and_paths_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.starts_with("http")) {
            let file = link.split('#').next().unwrap();
            if !page.parent().unwrap().join(file).exists() {
                missing.push(format!("{}: {link}", page.display()));
            }
        }
        // Paths in the repository are in backticks.
        for path in text.split('`').skip(1).step_by(2) {
            let first = path.split('/').next().unwrap();
            let is_ours = path.contains('/')
                && ["src", "templates", "tests", "examples", "schema", "docs", "benches"].contains(&first);
            if is_ours && !path.contains(['<', '*', ' ']) && !root.join(path).exists() {
                missing.push(format!("{}: {path}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
