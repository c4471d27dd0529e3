//! The modules that a Go agent stands on: `go.mod` and `go.sum`, pinned.
//!
//! Both come from one table, made by `go mod tidy` for every combination of what decides which modules are needed. How to
//! renew it is written at its head.

use crate::project::{Feature, Project, Protocol};

/// The table. A line holds what it is for (`direct`, `indirect`: a requirement; `sum`: a line of `go.sum`), a mark for every
/// combination in which it is needed, and its text.
const TABLE: &str = include_str!("modules.txt");

/// The parts of `go.mod` and `go.sum` that do not name the project.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Modules {
    /// The blocks of requirements: direct ones, then indirect ones; none is empty.
    pub(super) requirements: Vec<Vec<&'static str>>,
    /// The lines of `go.sum`.
    pub(super) sums: Vec<&'static str>,
}

/// What a project needs.
pub(super) fn needed(project: &Project) -> Modules {
    let column = column(project);
    let (mut direct, mut indirect, mut sums) = (Vec::new(), Vec::new(), Vec::new());
    for line in TABLE.lines() {
        let mut words = line.splitn(3, ' ');
        let (Some(kind), Some(marks), Some(text)) = (words.next(), words.next(), words.next()) else { continue };
        if marks.as_bytes().get(column) != Some(&b'x') {
            continue;
        }
        match kind {
            "direct" => direct.push(text),
            "indirect" => indirect.push(text),
            "sum" => sums.push(text),
            _ => {}
        }
    }
    let requirements = [direct, indirect].into_iter().filter(|block| !block.is_empty()).collect();
    Modules { requirements, sums }
}

/// Which of the marks is a project's: both protocols without a model, with one, with tools of its own, with MCP servers; then the
/// same with 1.0 alone.
fn column(project: &Project) -> usize {
    let part = [Feature::Model, Feature::ToolSet, Feature::Mcp].into_iter().filter(|part| project.has(*part)).count();
    match project.card.protocol {
        Protocol::Both => part,
        Protocol::One => 4 + part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The column of a project that needs everything.
    const EVERYTHING: usize = 2;

    #[test]
    fn the_run_time_module_names_the_same_versions() {
        let module = include_str!("../../../templates/go/runtime/go.mod");
        let version = |line: &'static str| line.trim().trim_end_matches(" // indirect").rsplit_once(' ');
        let required: Vec<_> = module.lines().filter_map(version).collect();
        for line in TABLE.lines().filter(|line| !line.starts_with(['#', 's'])) {
            let mut words = line.splitn(3, ' ').skip(1);
            let (marks, text) = (words.next().unwrap(), words.next().unwrap());
            if marks.as_bytes()[EVERYTHING] == b'x' {
                assert!(required.contains(&version(text).unwrap()), "templates/go/runtime/go.mod lacks {text}");
            }
        }
    }
}
