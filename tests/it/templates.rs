//! No text of a manifest reaches the output but through a filter that makes it a literal of the file's language.

use std::fs;
use std::path::Path;

use walkdir::WalkDir;

/// The filters that fit each kind of file, by how the template's path without `.j2` ends.
const FILTERS: &[(&str, &[&str])] = &[
    (".go", &["go_string", "go_text", "go_comment"]),
    (".md", &["markdown_text", "markdown_cell", "shell_word"]),
    (".yaml", &["yaml_string"]),
    (".json", &["json"]),
    (".env.example", &["env_value"]),
];

/// What is printed bare: numbers, texts of our own, and names that the checks or the targets have made legal.
const IDENTIFIERS: &[&str] = &[
    "ask_url",
    "binary",
    "block[0]",
    "declaration.name",
    "field.name",
    "field.tag",
    "field.type",
    "go_directive",
    "go_version",
    "group.title",
    "group.type",
    "line",
    "module",
    "own_files",
    "port",
    "protocols",
    "requirement",
    "setting.field",
    "setting.type",
    "setting.value",
    "setting.variable",
    "tool.arguments",
    "tool.file",
    "tool.handler",
    "variable.kind",
    "variable.name",
    "variable.shown",
    "variable.source",
    "variable.text",
];

#[test]
fn every_text_of_a_manifest_goes_through_a_literal_filter() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let mut faults = Vec::new();
    let mut used = Vec::new();
    // The run-time is code of its language, not templates.
    let is_runtime = |entry: &walkdir::DirEntry| entry.file_name() == "runtime";
    for entry in WalkDir::new(&root).sort_by_file_name().into_iter().filter_entry(|entry| !is_runtime(entry)) {
        let entry = entry.unwrap();
        if !entry.file_type().is_file() {
            continue;
        }
        let path = entry.path().strip_prefix(&root).unwrap().display().to_string();
        let Some(made) = path.strip_suffix(".j2") else {
            faults.push(format!("{path}: does not end in .j2"));
            continue;
        };
        let fitting = FILTERS.iter().filter(|(end, _)| made.ends_with(end)).flat_map(|(_, filters)| *filters);
        let fitting: Vec<_> = fitting.copied().collect();
        for (line, expression) in expressions(&fs::read_to_string(entry.path()).unwrap()) {
            let (value, filter) = last_filter(&expression);
            match filter {
                None if IDENTIFIERS.contains(&value) => used.push(value.to_owned()),
                Some(filter) if fitting.contains(&filter) => {}
                _ => faults.push(format!("{path}:{line}: `{expression}` is not a literal of this file")),
            }
        }
    }
    let unused = IDENTIFIERS.iter().filter(|name| !used.iter().any(|used| used == *name));
    faults.extend(unused.map(|name| format!("no template prints `{name}` bare any more: take it off the list")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What stands between `{{` and `}}`, with its line.
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

/// The value of an expression, and the name of the filter that it goes through last.
fn last_filter(expression: &str) -> (&str, Option<&str>) {
    match expression.rsplit_once('|') {
        None => (expression, None),
        Some((value, filter)) => (value.trim(), Some(filter.split('(').next().unwrap_or(filter).trim())),
    }
}
