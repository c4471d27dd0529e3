//! The run-time code of a TypeScript agent, `templates/typescript/runtime/`: a project of its own from which others receive the
//! files and regions that their features need.
//!
//! The table below names every file but tests and the files of the project itself. A file is part of a project that has all its
//! features.

use std::sync::Arc;

use crate::{
    project::{Feature, Project},
    render::{Adaptation, PlannedFile, Source},
};

/// A file of the run-time code.
#[derive(Debug)]
pub struct RuntimeFile {
    /// Its path in the run-time project and in others.
    pub path: &'static str,
    /// What it holds.
    pub source: Source,
    /// What it is for; empty: every project has it.
    pub features: &'static [Feature],
}

macro_rules! runtime {
    ($($path:literal => [$($feature:ident),*]),* $(,)?) => {
        &[$(RuntimeFile {
            path: $path,
            source: $crate::render::source!("typescript/runtime/", $path),
            features: &[$(Feature::$feature),*],
        }),*]
    };
}

/// Every file of the run-time code.
pub static FILES: &[RuntimeFile] = runtime! {
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
    let adaptation = Arc::new(Adaptation { features: project.features(), module: None });
    let needed = FILES.iter().filter(|file| file.features.iter().all(|feature| project.has(*feature)));
    needed.map(|file| PlannedFile::generated(file.path, file.source.adapt(&adaptation))).collect()
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

    #[test]
    fn every_marker_names_a_feature_and_every_region_ends() {
        for on in [true, false] {
            let features = Feature::ALL.into_iter().map(|feature| (feature.name(), on)).collect();
            let adaptation = Adaptation { features, module: None };
            for file in FILES {
                assert!(adaptation.apply(file.source.text).is_ok(), "{}", file.path);
            }
        }
    }
}
