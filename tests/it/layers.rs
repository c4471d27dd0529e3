//! Dependencies between modules. A module may only use lower layers, and the files of a module must not depend on each
//! other in cycles, so each can be read, tested and changed alone.
#![expect(clippy::indexing_slicing, reason = "the indexes are positions in the same slice")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use walkdir::WalkDir;

/// Layer, module, and the modules it may use.
const MODULES: &[(u8, &str, &[&str])] = &[
    (0, "diagnostics", &[]),
    (0, "dotenv", &[]),
    (0, "names", &[]),
    (1, "document", &["diagnostics", "names"]),
    (1, "host", &["diagnostics", "names"]),
    (1, "merge", &["dotenv", "names"]),
    (2, "files", &["diagnostics", "names", "merge"]),
    (2, "mcp", &["document"]),
    (3, "manifest", &["diagnostics", "names", "document", "mcp"]),
    (3, "render", &["diagnostics", "names", "merge", "files"]),
    (3, "secrets", &["diagnostics", "names", "document", "dotenv", "mcp"]),
    (4, "coding_agents", &["document", "mcp", "secrets"]),
    (4, "project", &["diagnostics", "names", "manifest", "mcp", "secrets"]),
    (4, "rules", &["diagnostics", "names", "document", "manifest", "mcp", "secrets"]),
    (5, "registry", &["coding_agents", "document", "mcp"]),
    (5, "targets", &["diagnostics", "names", "mcp", "project", "render", "merge", "files"]),
    (
        6,
        "ops",
        &[
            "coding_agents",
            "diagnostics",
            "names",
            "document",
            "dotenv",
            "files",
            "host",
            "merge",
            "manifest",
            "mcp",
            "registry",
            "rules",
            "secrets",
            "project",
            "render",
            "targets",
        ],
    ),
    (7, "cli", &["ops", "diagnostics", "host"]),
];

/// Modules that still contain cycles. Remove a module from the list when its cycles are resolved.
const CYCLIC: &[&str] = &["files"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn table_only_allows_lower_layers() {
    for (layer, module, uses) in MODULES {
        for used in *uses {
            let (below, ..) = MODULES.iter().find(|(_, name, _)| name == used).unwrap();
            assert!(below < layer, "{module} may not use {used}");
        }
    }
}

#[test]
fn every_module_is_in_the_table() {
    for entry in fs::read_dir(source()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            assert!(MODULES.iter().any(|(_, module, _)| *module == name), "src/{name} has no layer");
        }
    }
}

#[test]
fn modules_use_only_lower_layers() {
    let mut faults = String::new();
    for (path, file) in &Crate::read(&source()).files {
        let Some((_, module, uses)) =
            MODULES.iter().find(|(_, module, _)| path.first().is_some_and(|own| own == module))
        else {
            continue;
        };
        for used in file.uses.iter().filter_map(|path| path.first()) {
            if used != module && !uses.contains(&used.as_str()) {
                writeln!(faults, "{}: `{module}` may not use `crate::{used}`", file.name).unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn files_of_a_module_have_no_cycles() {
    let cycles = Crate::read(&source()).cycles();
    let unexpected: Vec<_> =
        cycles.iter().filter(|(module, _)| !CYCLIC.contains(&module.as_str())).map(|(_, cycle)| cycle).collect();
    assert!(unexpected.is_empty(), "\n{unexpected:#?}");
    for module in CYCLIC {
        assert!(cycles.iter().any(|(cyclic, _)| cyclic == module), "{module} has no cycle any more");
    }
}

/// The path of a module, without `crate`.
type Module = Vec<String>;

/// The source files, without code that is only compiled for tests.
#[derive(Default)]
struct Crate {
    files: BTreeMap<Module, File>,
}

/// A file of a crate.
#[derive(Default)]
struct File {
    name: String,
    /// The paths of this crate that the file uses.
    uses: Vec<Module>,
    /// Imported names and the paths that they refer to.
    imports: BTreeMap<String, Module>,
    /// Modules with a glob import.
    globs: Vec<Module>,
    /// Names that the file defines.
    items: BTreeSet<String>,
    /// Modules that are only compiled for tests.
    test_modules: Vec<String>,
}

impl Crate {
    fn read(source: &Path) -> Self {
        let mut files = BTreeMap::new();
        for entry in WalkDir::new(source).sort_by_file_name().into_iter().map(Result::unwrap) {
            let path = entry.path().strip_prefix(source).unwrap();
            if path.extension().is_some_and(|extension| extension == "rs")
                && !path.to_string_lossy().ends_with("tests.rs")
            {
                let name = format!("src/{}", path.display()).replace('\\', "/");
                let parts = path.with_extension("");
                let mut module: Module = parts.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
                if module.last().is_some_and(|last| ["mod", "lib"].contains(&last.as_str())) {
                    module.pop();
                }
                files.insert(module.clone(), File::parse(name, &module, &fs::read_to_string(entry.path()).unwrap()));
            }
        }
        Self::of(files)
    }

    fn of(mut files: BTreeMap<Module, File>) -> Self {
        let of_tests = files.iter().flat_map(|(module, file)| {
            file.test_modules.iter().map(|name| [module.as_slice(), std::slice::from_ref(name)].concat())
        });
        let of_tests: Vec<Module> = of_tests.collect();
        files.retain(|module, _| !of_tests.iter().any(|tests| module.starts_with(tests)));
        Self { files }
    }

    /// The module that a path refers to, including re-exports.
    fn resolve(&self, path: &[String], seen: &mut Vec<Module>) -> Module {
        for end in 1..=path.len() {
            let (module, rest) = path.split_at(end - 1);
            let Some(name) = rest.first().filter(|_| !self.files.contains_key(&path[..end])) else { continue };
            let Some(file) = self.files.get(module) else { break };
            let target = file.imports.get(name).cloned().or_else(|| {
                let defines = |glob: &&Module| self.files.get(*glob).is_some_and(|file| file.items.contains(name));
                file.globs.iter().find(defines).map(|glob| [glob.as_slice(), std::slice::from_ref(name)].concat())
            });
            return match target {
                Some(target) if !file.items.contains(name) && !seen.contains(&target) => {
                    seen.push(target.clone());
                    self.resolve(&[target.as_slice(), &rest[1..]].concat(), seen)
                }
                _ => module.to_vec(),
            };
        }
        path.to_vec()
    }

    /// All cycles among the files and folders of a folder, each with its top-level module. Dependencies between a
    /// `mod.rs` and its own folder are ignored.
    fn cycles(&self) -> Vec<(String, String)> {
        let mut edges: BTreeMap<Module, BTreeMap<&str, BTreeMap<String, String>>> = BTreeMap::new();
        for (module, file) in &self.files {
            for path in &file.uses {
                let target = self.resolve(path, &mut Vec::new());
                let common = module.iter().zip(&target).take_while(|(own, other)| own == other).count();
                if let (1.., Some(from), Some(to)) = (common, module.get(common), target.get(common)) {
                    let folder = edges.entry(module[..common].to_vec()).or_default();
                    folder.entry(from).or_default().entry(to.clone()).or_insert_with(|| {
                        let name = file.name.strip_prefix("src/").unwrap_or(&file.name);
                        format!("{name} uses {}", path.join("::"))
                    });
                }
            }
        }
        let mut cycles = Vec::new();
        for (folder, edges) in &edges {
            for start in edges.keys() {
                if let Some(cycle) = cycle(start, edges) {
                    cycles.push((folder[0].clone(), format!("src/{}: {cycle}", folder.join("/"))));
                }
            }
        }
        cycles
    }
}

/// The shortest cycle through `start`, unless it contains a file that precedes `start` in alphabetical order.
fn cycle(start: &str, edges: &BTreeMap<&str, BTreeMap<String, String>>) -> Option<String> {
    let mut queue = VecDeque::from([(start, start.to_owned())]);
    let mut seen = BTreeSet::new();
    while let Some((at, path)) = queue.pop_front() {
        for (next, place) in edges.get(at).into_iter().flatten() {
            let path = format!("{path} -> {next} ({place})");
            if next == start {
                return Some(path);
            }
            if next.as_str() > start && seen.insert(next) {
                queue.push_back((next, path));
            }
        }
    }
    None
}

impl File {
    fn parse(name: String, module: &[String], text: &str) -> Self {
        let mut file = Self { name, ..Self::default() };
        file.read(module, text.parse().unwrap());
        file
    }

    fn read(&mut self, module: &[String], tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' && is_for_tests(tokens.get(at)) => {
                    let rest = &tokens[at + 1..];
                    let end = rest.iter().position(ends_item).unwrap_or(rest.len());
                    if let [TokenTree::Ident(word), TokenTree::Ident(name), ..] = rest
                        && word == "mod"
                    {
                        self.test_modules.push(name.to_string());
                    }
                    at += end + 2;
                }
                TokenTree::Ident(word) if word == "use" => {
                    let end = at + tokens[at..].iter().position(is_semicolon).unwrap_or(tokens.len() - at);
                    self.import(module, &[], &tokens[at..end]);
                    at = end;
                }
                TokenTree::Ident(word) => {
                    let (path, used) = path(&tokens[at - 1..]);
                    if path.len() > 1 {
                        at += used - 1;
                        self.add(module, &path);
                    }
                    if let Some(TokenTree::Ident(name)) =
                        tokens.get(at).filter(|_| DEFINES.contains(&&*word.to_string()))
                    {
                        self.items.insert(name.to_string());
                    }
                }
                TokenTree::Group(group) => self.read(module, group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    /// Adds a path that begins with `crate`, `super` or `self`. Other paths may refer to other crates.
    fn add(&mut self, module: &[String], path: &[String]) -> Option<Module> {
        let path = absolute(module, path)?;
        self.uses.push(path.clone());
        Some(path)
    }

    /// Adds the imports between `use` and `;`, or a part of a group; `before` is the path of the group.
    fn import(&mut self, module: &[String], before: &[String], tokens: &[TokenTree]) {
        if tokens.is_empty() {
            return;
        }
        let (path, used) = path(tokens);
        let mut whole = [before, path.as_slice()].concat();
        if before.is_empty() && !["crate", "super", "self"].contains(&whole.first().map_or("", String::as_str)) {
            // The file's own module, if it exists; otherwise a package.
            whole.insert(0, "self".to_owned());
        }
        let rest = &tokens[used..];
        if let [.., TokenTree::Group(group)] = rest {
            let parts: Vec<_> = group.stream().into_iter().collect();
            for part in parts.split(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',')) {
                self.import(module, &whole, part);
            }
            return;
        }
        let is_glob = matches!(rest.last(), Some(TokenTree::Punct(mark)) if mark.as_char() == '*');
        let alias = match rest {
            [TokenTree::Ident(_), TokenTree::Ident(alias)] => Some(alias.to_string()),
            _ => whole.last().cloned(),
        };
        if whole.last().is_some_and(|last| last == "self") && whole.len() > 1 {
            whole.pop();
        }
        let Some(path) = self.add(module, &whole) else { return };
        if is_glob {
            self.globs.push(path);
        } else if let Some(alias) = alias {
            let alias = if alias == "self" { path.last().cloned().unwrap_or_default() } else { alias };
            self.imports.insert(alias, path);
        }
    }
}

/// Keywords before the name of an item.
const DEFINES: &[&str] = &["struct", "enum", "fn", "const", "static", "type", "trait", "mod"];

/// Whether an attribute marks an item as test code.
fn is_for_tests(attribute: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(group)) = attribute.filter(|token| is_group(token, Delimiter::Bracket)) else {
        return false;
    };
    let text = group.stream().to_string().replace(' ', "");
    text == "cfg(test)" || text.starts_with("cfg(all(test,")
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}

fn is_semicolon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';')
}

fn ends_item(token: &TokenTree) -> bool {
    is_semicolon(token) || is_group(token, Delimiter::Brace)
}

/// The path at the start of the tokens, and its number of tokens including a trailing `::`.
fn path(tokens: &[TokenTree]) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    let mut rest = tokens;
    while let [TokenTree::Ident(name), behind @ ..] = rest {
        path.push(name.to_string());
        rest = behind;
        match behind {
            [TokenTree::Punct(one), TokenTree::Punct(two), behind @ ..]
                if one.as_char() == ':' && one.spacing() == Spacing::Joint && two.as_char() == ':' =>
            {
                rest = behind;
            }
            _ => break,
        }
    }
    (path, tokens.len() - rest.len())
}

/// Converts a path to one relative to the crate root.
fn absolute(module: &[String], path: &[String]) -> Option<Module> {
    let mut base = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "self" => module.to_vec(),
        "super" => module.split_last()?.1.to_vec(),
        _ => return None,
    };
    let mut rest = &path[1..];
    while let Some((_, behind)) = rest.split_first().filter(|(word, _)| *word == "super") {
        base.pop();
        rest = behind;
    }
    base.extend_from_slice(rest);
    Some(base)
}

/// A crate with these files, by path relative to `src`.
fn sample(files: &[(&str, &str)]) -> Crate {
    let files = files.iter().map(|(path, text)| {
        let module: Module = path.split('/').filter(|part| *part != "mod").map(str::to_owned).collect();
        (module.clone(), File::parse((*path).to_owned(), &module, text))
    });
    Crate::of(files.collect())
}

#[test]
fn finds_paths_in_imports_and_code_except_tests() {
    let text = "use crate::a::b;\nuse crate::{\n    c::{D, E as F},\n    self,\n};\n#[cfg(test)]\nuse crate::no::{A, B};\n\
                #[cfg(test)]\nmod tests { use crate::no; }\nfn f() { vec![super::g::h()]; }\n// crate::no\n";
    let file = File::parse("x".to_owned(), &["m".to_owned(), "n".to_owned()], text);
    let uses: Vec<_> = file.uses.iter().map(|path| path.join("::")).collect();
    assert_eq!(uses, ["a::b", "c::D", "c::E", "", "m::g::h"]);
    assert_eq!(file.imports["F"], ["c", "E"]);
}

#[test]
fn finds_cycles_through_reexports() {
    let files = [
        ("m/mod", "mod a;\nmod b;\nmod c;\nmod d;\npub use b::{B, C};\n"),
        ("m/a/mod", "mod x;"),
        ("m/a/x", "\nuse crate::m::B;"),
        ("m/b", "fn f() { super::c::g(); }\npub use super::d::C;"),
        ("m/c", "use super::a;\nuse super::C;\nuse super::M;"),
        ("m/d", "use super::f;"),
    ];
    let cycles = sample(&files).cycles();
    let expected = "src/m: a -> b (m/a/x uses m::B) -> c (m/b uses m::c::g) -> a (m/c uses m::a)";
    assert_eq!(cycles, [("m".to_owned(), expected.to_owned())]);
}
