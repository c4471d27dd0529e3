//! The languages of generated agents: their part of the manifest, and how projects are completed, built and started.

use std::{ffi::OsString, path::Path};

use super::{
    Agent, Launch, Project, Tool,
    manifests::{LANGUAGE, WRITTEN_BY_THE_USER},
    project::{build, go},
    rust, typescript,
};

/// A target language. To add one, add a variant with its tool and a module in [`each_language`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Language {
    Go,
    TypeScript,
    Rust,
}

impl Language {
    /// The command of this manifest's agent.
    pub(crate) fn agent(self, manifest: &str) -> Launch {
        Agent::of(self.project(manifest))
    }

    /// The project of this manifest, built on first use.
    pub(crate) fn project(self, manifest: &str) -> &'static Project {
        Project::of(self, manifest)
    }

    /// The tool that builds and starts projects.
    pub(crate) fn tool(self) -> Tool {
        match self {
            Self::Go => Tool::Go,
            Self::TypeScript => Tool::Npm,
            Self::Rust => Tool::Cargo,
        }
    }

    /// The manifest with the language, and with `transports` if the language requires it.
    pub(crate) fn manifest(self, manifest: &str) -> String {
        match self {
            Self::Go => manifest.replace(LANGUAGE, r#"{go: {module: example.com/sky-assistant, version: "1.25"}}"#),
            Self::TypeScript => wired(manifest, r#"{typescript: {packageName: sky-assistant, nodeVersion: "22"}}"#),
            Self::Rust => wired(manifest, r#"{rust: {packageName: sky-assistant, version: "1.88", edition: "2024"}}"#),
        }
    }

    /// The files that the user writes, by path; only used if `adl` generated a file with this path.
    pub(super) fn written_by_the_user(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Go => &WRITTEN_BY_THE_USER,
            Self::TypeScript => &typescript::WRITTEN_BY_THE_USER,
            Self::Rust => &rust::WRITTEN_BY_THE_USER,
        }
    }

    /// Builds a project with `folder` for build results, and returns the command that starts the agent.
    pub(super) fn build(self, project: &Path, folder: &Path) -> Vec<OsString> {
        match self {
            Self::Go => {
                let binary = folder.join("agent");
                build(go(project).args(["build", "-o"]).arg(&binary).arg("."));
                vec![binary.into()]
            }
            Self::TypeScript => {
                typescript::install(project);
                build(typescript::npm(project).args(["run", "build"]));
                vec![typescript::node().into(), project.join("dist/main.js").into()]
            }
            Self::Rust => vec![rust::build_agent(project, folder).into()],
        }
    }
}

/// The manifest in a language that ignores MCP servers without `transports`.
fn wired(manifest: &str, language: &str) -> String {
    let wired = if manifest.contains("transports:") { "" } else { "\n      transports: [http]" };
    let on = "      enabled: true";
    manifest.replace(LANGUAGE, language).replace(on, &format!("{on}{wired}"))
}

/// Registers functions as tests of every language. Each takes the language and is skipped if its tool is missing.
macro_rules! each_language {
    [$($test:ident),+ $(,)?] => {
        mod go {
            $($crate::support::each_language!(@ Go $test);)+
        }
        mod typescript {
            $($crate::support::each_language!(@ TypeScript $test);)+
        }
        mod rust {
            $($crate::support::each_language!(@ Rust $test);)+
        }
    };
    (@ $language:ident $test:ident) => {
        #[test]
        fn $test() {
            let language = $crate::support::Language::$language;
            if $crate::support::present(&[language.tool()]) {
                super::$test(language);
            }
        }
    };
}

pub(crate) use each_language;
