//! The run-time code of a Go agent, `templates/go/runtime/`: a Go module of its own from which a project receives the files and
//! regions that its features need.
//!
//! The table below names every file but tests and the module's own files. A file is part of a project that has all its features.

use crate::{
    project::Project,
    render::PlannedFile,
    targets::runtime::{self, RuntimeFile, runtime_files},
};

/// The module path of the run-time code, which a project's own takes the place of.
pub const MODULE: &str = "adl.example/agent";

/// Every file of the run-time code.
pub static FILES: &[RuntimeFile] = runtime_files! { "go/runtime/":
    "internal/agent/conversation.go" => [Model],
    "internal/agent/executor.go" => [],
    "internal/agent/loop.go" => [Model],
    "internal/config/config.go" => [],
    "internal/llm/client.go" => [Model],
    "internal/llm/stream.go" => [Model],
    "internal/mcp/client.go" => [Mcp],
    "internal/mcp/config.go" => [Mcp],
    "internal/mcp/content.go" => [Mcp],
    "internal/mcp/remote.go" => [Remote],
    "internal/mcp/sdk.go" => [Mcp],
    "internal/mcp/server.go" => [Mcp],
    "internal/mcp/stdio.go" => [Stdio],
    "internal/server/push.go" => [Push],
    "internal/server/rpc.go" => [],
    "internal/server/sdk.go" => [],
    "internal/server/server.go" => [],
    "internal/server/store.go" => [],
    "internal/tool/tool.go" => [Model],
};

/// The run-time files of a project.
pub fn plan(project: &Project, module: &str) -> Vec<PlannedFile> {
    runtime::plan(FILES, project, Some((MODULE, module.to_owned())))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::*;

    fn folder() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/go/runtime")
    }

    /// The files of the run-time module that projects can receive.
    fn on_disk(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                on_disk(&path, root, found);
            } else if !name.ends_with("_test.go") && !name.contains("testdata/") && name != "go.mod" && name != "go.sum"
            {
                found.insert(name);
            }
        }
    }

    #[test]
    fn the_table_names_every_file_once() {
        let mut found = BTreeSet::new();
        on_disk(&folder(), &folder(), &mut found);
        let listed: Vec<_> = FILES.iter().map(|file| file.path.to_owned()).collect();
        assert_eq!(listed, found.into_iter().collect::<Vec<_>>(), "in order of the paths");
    }

    /// Formatters sort the imports of a block by their paths: only where those of the module form a block can the path be replaced.
    #[test]
    fn imports_of_the_module_form_a_block() {
        let of_module = |line: &str| line.contains(&format!("\"{MODULE}/"));
        for file in FILES {
            for lines in file.source.text.lines().collect::<Vec<_>>().windows(2) {
                let [first, second] = lines else { continue };
                let apart = |line: &str| line.is_empty() || line.ends_with(['(', ')']) || line.trim().starts_with("//");
                let is_mixed = of_module(first) != of_module(second) && !apart(first) && !apart(second);
                assert!(!is_mixed, "{}: {first} {second}", file.path);
            }
        }
    }
}
