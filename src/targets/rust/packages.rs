//! The crates that an agent stands on: `Cargo.toml` and `Cargo.lock`, pinned.
//!
//! Both come from those of the run-time code, which name the crates of every feature. What a project does not need is left out of
//! them, and so is what only that needs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::{
    project::{Feature, Project},
    render::{Adaptation, Source, source},
};

/// The manifest of the run-time code. Cargo drops folders that contain a `Cargo.toml` from a package, so it has another name.
const MANIFEST: Source = source!("rust/runtime/package.toml");
const LOCK: Source = source!("rust/runtime/Cargo.lock");

/// What a package needs only where a crate of a feature asks more of it: name, version, the dependencies, and the feature.
const ASKED_FOR: [(&str, &str, &[&str], Feature); 2] = [
    ("hashbrown", "0.17.2", &["allocator-api2", "equivalent", "foldhash"], Feature::Tools),
    ("indexmap", "2.14.2", &["serde", "serde_core"], Feature::Mcp),
];

/// The package of the run-time code.
const RUNTIME: &str = "agent-runtime";

/// What `Cargo.toml` and `Cargo.lock` of a project print.
pub(super) fn files(project: &Project, package: &str, rust_version: &str) -> (Value, Value) {
    let version = if is_semantic(&project.version) { project.version.as_str() } else { "0.0.0" };
    let adaptation = Adaptation { features: project.features(), module: None };
    let manifest = adaptation.apply(MANIFEST.text).unwrap_or_default();
    let (_, dependencies) = manifest.split_once("[dependencies]").unwrap_or_default();
    let dependencies = format!("[dependencies]{}", dependencies.trim_end());
    let lock = lock(&direct(&dependencies), |feature| project.has(feature), package, version);
    let manifest = json!({
        "package": package,
        "version": version,
        "rust_version": rust_version,
        "dependencies": dependencies,
    });
    (manifest, json!({"lock": lock}))
}

/// The names of the crates that a list of dependencies asks for.
fn direct(dependencies: &str) -> BTreeSet<&str> {
    let lines = dependencies.lines().filter_map(|line| line.split_once(" = "));
    lines
        .map(|(name, value)| match value.split_once("package = \"") {
            Some((_, package)) => package.split('"').next().unwrap_or(name),
            None => name,
        })
        .collect()
}

/// A package of the lock file.
struct Locked<'a> {
    name: &'a str,
    version: &'a str,
    text: &'a str,
}

impl<'a> Locked<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""));
            line.and_then(|value| value.strip_suffix('"'))
        };
        Some(Self { name: field("name")?, version: field("version")?, text })
    }

    /// What it needs in a project with some features: names, with a version where there are several.
    fn dependencies(&self, has: impl Fn(Feature) -> bool) -> Vec<&'a str> {
        let (_, list) = self.text.split_once("dependencies = [\n").unwrap_or_default();
        let all = list.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\","));
        let is_needed = |needed: &&str| {
            let name = needed.split(' ').next().unwrap_or_default();
            let asked_for = |(package, version, needs, feature): &(&str, &str, &[&str], Feature)| {
                *package == self.name && *version == self.version && needs.contains(&name) && !has(*feature)
            };
            !ASKED_FOR.iter().any(asked_for)
        };
        all.filter(is_needed).collect()
    }
}

/// The lock file without the packages that nothing needs.
fn lock(direct: &BTreeSet<&str>, has: impl Fn(Feature) -> bool, package: &str, version: &str) -> String {
    let mut parts = LOCK.text.trim_end().split("\n[[package]]\n");
    let head = parts.next().unwrap_or_default();
    let all: Vec<_> = parts.filter_map(Locked::parse).collect();
    let find = |needed: &str| {
        let (name, version) = needed.split_once(' ').map_or((needed, None), |(name, version)| (name, Some(version)));
        all.iter().position(|locked| locked.name == name && version.is_none_or(|version| locked.version == version))
    };
    let own = all.iter().find(|locked| locked.name == RUNTIME);
    let wanted: Vec<_> = own
        .into_iter()
        .flat_map(|own| own.dependencies(&has))
        .filter(|needed| direct.contains(needed.split(' ').next().unwrap_or_default()))
        .collect();
    let mut kept = BTreeSet::new();
    let mut open: Vec<_> = wanted.iter().filter_map(|needed| find(needed)).collect();
    while let Some(place) = open.pop() {
        if kept.insert(place) {
            open.extend(all.get(place).into_iter().flat_map(|locked| locked.dependencies(&has)).filter_map(find));
        }
    }
    // A name that is left with one version needs none any more.
    let mut versions: BTreeMap<&str, usize> = BTreeMap::from([(package, 1)]);
    for locked in kept.iter().filter_map(|place| all.get(*place)) {
        *versions.entry(locked.name).or_default() += 1;
    }
    let entry = |needed: &str| {
        let locked = find(needed).and_then(|place| all.get(place));
        let several = locked.is_some_and(|locked| versions.get(locked.name).is_some_and(|count| *count > 1));
        locked.map_or_else(String::new, |locked| {
            let version = if several { format!(" {}", locked.version) } else { String::new() };
            format!(" \"{}{version}\",\n", locked.name)
        })
    };
    let list = |needed: &[&str]| needed.iter().map(|needed| entry(needed)).collect::<String>();
    let mut packages: Vec<(&str, String)> = kept
        .iter()
        .filter_map(|place| all.get(*place))
        .map(|locked| {
            let before = locked.text.split_once("dependencies = [\n").map_or(locked.text, |(before, _)| before);
            let needed = locked.dependencies(&has);
            let text = match needed.as_slice() {
                [] => before.trim_end().to_owned(),
                needed => format!("{before}dependencies = [\n{}]", list(needed)),
            };
            (locked.name, text)
        })
        .collect();
    let dependencies = list(&wanted);
    let own = format!("name = \"{package}\"\nversion = \"{version}\"\ndependencies = [\n{dependencies}]");
    let place = packages.partition_point(|(name, _)| *name < package);
    packages.insert(place, (package, own));
    let packages: Vec<_> = packages.iter().map(|(_, text)| format!("\n\n[[package]]\n{text}")).collect();
    format!("{}{}", head.trim_end(), packages.concat())
}

/// Whether Cargo takes a text as a version: three numbers without leading zeros, and nothing else.
fn is_semantic(version: &str) -> bool {
    let is_number = |part: &str| {
        part.bytes().all(|digit| digit.is_ascii_digit()) && (part == "0" || !part.is_empty() && !part.starts_with('0'))
    };
    let parts: Vec<_> = version.split('.').collect();
    parts.len() == 3 && parts.into_iter().all(|part| is_number(part) && part.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_with_everything_has_the_lock_file_of_the_run_time_code() {
        let (_, dependencies) = MANIFEST.text.split_once("[dependencies]").unwrap();
        let made = lock(&direct(dependencies), |_| true, RUNTIME, "0.0.0");
        assert!(made == LOCK.text.trim_end(), "{made}");
    }
}
