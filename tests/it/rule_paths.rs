//! Checks that every field that a rule looks up exists in the schema: a misspelled path would never match.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use adl::manifest::{field, field_paths};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use walkdir::WalkDir;

/// Keys in tool schemas, which are JSON Schemas.
const TOOL_SCHEMA_KEYS: &[&str] = &["properties"];

/// Functions that take a field name.
const LOOKUPS: &[&str] = &["at", "get", "is_unfilled", "text"];

#[test]
fn fields_in_rules_exist_in_the_schema() {
    let known: BTreeSet<_> =
        field_paths().iter().filter_map(|path| path.rsplit(['.', '[']).next().map(str::to_owned)).collect();
    let (mut faults, mut count) = (Vec::new(), 0);
    for folder in ["src/rules", "src/secrets/manifest"] {
        for entry in WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).sort_by_file_name() {
            let entry = entry.unwrap();
            if entry.path().extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let mut names = Names::default();
            names.read(fs::read_to_string(entry.path()).unwrap().parse().unwrap(), false);
            count += names.paths.len() + names.keys.len();
            let unknown = names.paths.into_iter().filter(|path| field(path).is_err());
            let unknown = unknown.chain(
                names.keys.into_iter().filter(|key| !known.contains(key) && !TOOL_SCHEMA_KEYS.contains(&key.as_str())),
            );
            faults.extend(unknown.map(|name| format!("{}: {name}", entry.file_name().display())));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(count > 100, "only {count} names were found");
}

/// Field names in code.
#[derive(Default, Debug)]
struct Names {
    /// Paths from the root of the manifest.
    paths: BTreeSet<String>,
    /// Single keys, for code that looks at a part of the manifest.
    keys: BTreeSet<String>,
}

impl Names {
    fn read(&mut self, tokens: TokenStream, is_lookup: bool) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        for (index, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Literal(literal) => {
                    let literal = literal.to_string();
                    let Some(text) = literal.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
                        continue;
                    };
                    self.paths.extend(paths_in(text));
                    if is_lookup {
                        self.keys.insert(text.to_owned());
                    }
                }
                TokenTree::Group(group) => {
                    let called = index.checked_sub(1).and_then(|before| tokens.get(before));
                    let is_call = group.delimiter() == Delimiter::Parenthesis;
                    let is_lookup = is_lookup && !is_call
                        || is_call
                            && matches!(called, Some(TokenTree::Ident(name)) if LOOKUPS.contains(&&*name.to_string()));
                    let keys =
                        if group.delimiter() == Delimiter::Bracket { leading_texts(group.stream()) } else { vec![] };
                    if keys.first().is_some_and(|first| ["spec", "metadata"].contains(&first.as_str())) {
                        self.paths.insert(keys.join("."));
                    } else {
                        self.read(group.stream(), is_lookup);
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

/// The strings at the start of a list.
fn leading_texts(tokens: TokenStream) -> Vec<String> {
    let texts = tokens.into_iter().step_by(2).map_while(|token| match token {
        TokenTree::Literal(literal) => Some(literal.to_string().trim_matches('"').to_owned()),
        TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => None,
    });
    texts.collect()
}

/// The fields named in a message, up to the first placeholder.
fn paths_in(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric() && !".[]{}*".contains(character));
    let paths = words.filter(|word| word.starts_with("spec.") || word.starts_with("metadata."));
    paths.map(|path| path.split('{').next().unwrap_or_default().trim_end_matches('.').to_owned())
}

#[test]
fn finds_names_in_lookups_lists_and_messages() {
    let mut names = Names::default();
    let text = r#"fn f() { at(root, &["spec", "agnet", key]); g(view.get("a"), "b"); h(["spec", "x"]);
        format!("`spec.tools[].id` and `spec.language.{}.module`, see spec.md") }"#;
    names.read(text.parse().unwrap(), false);
    assert_eq!(Vec::from_iter(names.paths), ["spec.agnet", "spec.language", "spec.md", "spec.tools[].id", "spec.x"]);
    assert_eq!(Vec::from_iter(names.keys), ["a"]);
}
