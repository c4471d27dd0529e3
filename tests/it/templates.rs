//! Checks that every template is planned and packaged, and that templates print strings of the manifest only through
//! filters for literals.
#![expect(clippy::disallowed_methods, reason = "the test runs cargo")]

use std::fs;
use std::path::Path;
use std::process::Command;

use walkdir::WalkDir;

/// The allowed filters for each kind of file, by the end of the template's path without `.j2`.
const FILTERS: &[(&str, &[&str])] = &[
    (".go", &["go_string", "go_text", "go_comment"]),
    (".rs", &["rust_string", "rust_comment"]),
    (".ts", &["ts_string", "ts_comment", "ts_assigned", "ts_member", "ts_value"]),
    (".md", &["markdown_text", "markdown_cell", "shell_word"]),
    (".yaml", &["yaml_string"]),
    (".json", &["json"]),
    (".env.example", &["env_value"]),
];

/// Values that are printed without a filter: numbers, strings from the targets, and names that are valid identifiers.
const IDENTIFIERS: &[&str] = &[
    "base",
    "binary",
    "block[0]",
    "check",
    "declaration.name",
    "dependencies",
    "field.name",
    "field.tag",
    "field.type",
    "go_directive",
    "go_version",
    "group.field",
    "group.key",
    "group.title",
    "group.type",
    "handler",
    "language",
    "line",
    "lock",
    "module",
    "name",
    "node",
    "optional.name",
    "optional.value",
    "package",
    "port",
    "protocols",
    "provider.name",
    "requirement",
    "rust_version",
    "start",
    "tool.arguments",
    "tool.declaration",
    "tool.file",
    "tool.handler",
    "tool.imports",
    "tool.stem",
    "uv",
    "value.key",
    "value.value",
    "variable.kind",
    "variable.name",
    "variable.shown",
    "variable.source",
    "variable.text",
    "version",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below `templates/` except run-time code.
fn templates() -> Vec<String> {
    let folder = root().join("templates");
    let is_ours = |entry: &walkdir::DirEntry| {
        entry.depth() != 2 || ["runtime", "crate"].iter().all(|name| entry.file_name() != *name)
    };
    let entries = WalkDir::new(&folder).sort_by_file_name().into_iter().filter_entry(is_ours).map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files.map(|entry| entry.path().strip_prefix(&folder).unwrap().display().to_string()).collect()
}

#[test]
fn every_template_is_planned() {
    let sources = WalkDir::new(root().join("src/targets")).into_iter().map(Result::unwrap);
    let sources: String = sources
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| fs::read_to_string(entry.path()).unwrap())
        .collect();
    for path in templates() {
        let made = path.split_once('/').unwrap().1.trim_end_matches(".j2");
        assert!(
            [path.as_str(), made].iter().any(|name| sources.contains(&format!("\"{name}\""))),
            "{path} is never planned"
        );
    }
}

/// Cargo excludes folders that contain a `Cargo.toml` from a package.
#[test]
fn every_template_and_run_time_file_is_in_the_package() {
    let mut list = Command::new(env!("CARGO"));
    list.args(["package", "--list", "--offline", "--allow-dirty"]).current_dir(root());
    let list = list.output().unwrap();
    assert!(list.status.success(), "{}", String::from_utf8_lossy(&list.stderr));
    let packaged = String::from_utf8(list.stdout).unwrap();
    let runtime = adl::targets::go::runtime::FILES.iter().map(|file| file.source.path.to_owned());
    let typescript = adl::targets::typescript::runtime::FILES.iter().map(|file| file.source.path.to_owned());
    let rust = adl::targets::rust::runtime::FILES.iter().map(|file| file.source.path.to_owned());
    let packages = ["package.toml", "Cargo.lock"].map(|file| format!("rust/runtime/{file}"));
    let runtime = runtime.chain(typescript).chain(rust).chain(packages);
    for path in templates().into_iter().chain(runtime) {
        let path = format!("templates/{path}");
        assert!(packaged.lines().any(|line| line == path), "{path} is missing");
    }
}

#[test]
fn manifest_strings_use_literal_filters() {
    let root = root().join("templates");
    let mut faults = Vec::new();
    let mut used = Vec::new();
    for path in templates() {
        let Some(made) = path.strip_suffix(".j2") else {
            faults.push(format!("{path}: does not end in .j2"));
            continue;
        };
        let allowed = FILTERS.iter().filter(|(end, _)| made.ends_with(end)).flat_map(|(_, filters)| *filters);
        let allowed: Vec<_> = allowed.copied().collect();
        for (line, expression) in expressions(&fs::read_to_string(root.join(&path)).unwrap()) {
            let (value, filter) = last_filter(&expression);
            match filter {
                None if IDENTIFIERS.contains(&value) => used.push(value.to_owned()),
                Some(filter) if allowed.contains(&filter) => {}
                _ => faults.push(format!("{path}:{line}: `{expression}` is not a literal of this file")),
            }
        }
    }
    let unused = IDENTIFIERS.iter().filter(|name| !used.iter().any(|used| used == *name));
    faults.extend(unused.map(|name| format!("no template prints `{name}` without a filter: remove it from the list")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The expressions between `{{` and `}}`, with their lines.
fn expressions(template: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(open) = template[start..].find("{{").map(|place| start + place + 2) {
        let close = open + template[open..].find("}}").expect("every `{{` has its `}}`");
        let line = template[..open].lines().count();
        found.push((line, template[open..close].trim_matches('-').trim().to_owned()));
        start = close + 2;
    }
    found
}

/// The value of an expression and its last filter.
fn last_filter(expression: &str) -> (&str, Option<&str>) {
    match expression.rsplit_once('|') {
        None => (expression, None),
        Some((value, filter)) => (value.trim(), Some(filter.split('(').next().unwrap_or(filter).trim())),
    }
}
