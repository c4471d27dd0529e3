//! The run-time code of a Rust agent, `templates/rust/runtime/`: a crate of its own from which others receive the files and
//! regions that their features need. It is built from `templates/rust/crate/`, which links its `Cargo.toml` to `package.toml`.
//!
//! The table below names every file but tests and the files of the crate itself. A file is part of a project that has all its
//! features.

use std::sync::Arc;

use crate::{
    project::{Feature, Project},
    render::{Adaptation, PlannedFile, Source},
};

/// A file of the run-time code.
#[derive(Debug)]
pub struct RuntimeFile {
    /// Its path in the run-time crate and in others.
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
            source: $crate::render::source!("rust/runtime/", $path),
            features: &[$(Feature::$feature),*],
        }),*]
    };
}

/// Every file of the run-time code.
pub static FILES: &[RuntimeFile] = runtime! {
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
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/rust/runtime");
        let files = WalkDir::new(&folder).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file());
        let mut found: Vec<_> =
            files.map(|file| file.path().strip_prefix(&folder).unwrap().to_str().unwrap().to_owned()).collect();
        let of_the_crate = ["Cargo.lock", "package.toml", "src/lib.rs"];
        found.retain(|path| !path.starts_with("tests/") && !of_the_crate.contains(&path.as_str()));
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
