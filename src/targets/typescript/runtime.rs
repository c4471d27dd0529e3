//! The run-time code of a TypeScript agent, `templates/typescript/runtime/`: a project of its own from which others receive the
//! files and regions that their features need.
//!
//! The table below names every file but tests and the files of the project itself. A file is part of a project that has all its
//! features.

use crate::{
    project::Project,
    render::PlannedFile,
    targets::runtime::{self, RuntimeFile, runtime_files},
};

/// Every file of the run-time code.
pub static FILES: &[RuntimeFile] = runtime_files! { "typescript/runtime/":
    ".npmrc" => [],
    ".prettierrc.json" => [],
    "eslint.config.js" => [],
    "src/agent/conversation.ts" => [Model],
    "src/agent/executor.ts" => [],
    "src/agent/loop.ts" => [Model],
    "src/environment.ts" => [],
    "src/json.ts" => [],
    "src/llm/client.ts" => [Model],
    "src/log.ts" => [],
    "src/mcp/client.ts" => [Mcp],
    "src/mcp/config.ts" => [Mcp],
    "src/mcp/content.ts" => [Mcp],
    "src/mcp/server.ts" => [Mcp],
    "src/mcp/session.ts" => [Mcp],
    "src/mcp/stdio.ts" => [Stdio],
    "src/server/push.ts" => [Push],
    "src/server/rpc.ts" => [],
    "src/server/server.ts" => [],
    "src/server/tasks.ts" => [],
    "src/tool.ts" => [Model],
    "tsconfig.build.json" => [],
    "tsconfig.json" => [],
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
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/typescript/runtime");
        let entries = WalkDir::new(&folder).into_iter().filter_entry(|entry| entry.file_name() != "node_modules");
        let files = entries.map(Result::unwrap).filter(|entry| entry.file_type().is_file());
        let mut found: Vec<_> =
            files.map(|file| file.path().strip_prefix(&folder).unwrap().to_str().unwrap().to_owned()).collect();
        found.retain(|path| {
            !path.ends_with(".test.ts") && !["package.json", "package-lock.json"].contains(&path.as_str())
        });
        found.sort();
        assert_eq!(FILES.iter().map(|file| file.path).collect::<Vec<_>>(), found, "in order of the paths");
    }
}
