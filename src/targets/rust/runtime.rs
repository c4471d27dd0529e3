//! The run-time code of a Rust agent, `templates/rust/runtime/`: a crate of its own from which others receive the files and
//! regions that their features need. It is built from `templates/rust/crate/`, which links its `Cargo.toml` to `package.toml`.
//!
//! The table below names every file but tests and the files of the crate itself. A file is part of a project that has all its
//! features.

use crate::{
    project::Project,
    render::PlannedFile,
    targets::runtime::{self, RuntimeFile, runtime_files},
};

/// Every file of the run-time code.
pub static FILES: &[RuntimeFile] = runtime_files! { "rust/runtime/":
    "rustfmt.toml" => [],
    "src/agent/conversation.rs" => [Model],
    "src/agent/executor.rs" => [],
    "src/agent/tool_loop.rs" => [Model],
    "src/config.rs" => [],
    "src/environment.rs" => [],
    "src/llm.rs" => [Model],
    "src/log.rs" => [],
    "src/mcp/client.rs" => [Mcp],
    "src/mcp/config.rs" => [Mcp],
    "src/mcp/content.rs" => [Mcp],
    "src/mcp/sdk.rs" => [Mcp],
    "src/mcp/server.rs" => [Mcp],
    "src/mcp/session.rs" => [Mcp],
    "src/mcp/sse.rs" => [Sse],
    "src/mcp/stdio.rs" => [Stdio],
    "src/server/http.rs" => [],
    "src/server/push.rs" => [Push],
    "src/server/rpc.rs" => [],
    "src/server/tasks.rs" => [],
    "src/server/v03.rs" => [V03],
    "src/tool.rs" => [Model],
};

/// The run-time files of a project.
pub(super) fn plan(project: &Project) -> Vec<PlannedFile> {
    runtime::plan(FILES, project, None)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use walkdir::WalkDir;

    use super::*;

    #[test]
    fn the_table_names_every_file_once() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/rust/runtime");
        let files = WalkDir::new(&folder).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file());
        let mut found: Vec<_> =
            files.map(|file| file.path().strip_prefix(&folder).unwrap().to_str().unwrap().to_owned()).collect();
        let of_the_crate = ["Cargo.lock", "package.toml", "src/lib.rs"];
        found.retain(|path| !path.starts_with("tests/") && !of_the_crate.contains(&path.as_str()));
        found.sort();
        assert_eq!(FILES.iter().map(|file| file.path).collect::<Vec<_>>(), found, "in order of the paths");
    }
}
