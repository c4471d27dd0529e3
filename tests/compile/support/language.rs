//! The languages that agents are generated in: what a manifest says of them, and how a project is completed, built and started.

use std::{ffi::OsString, path::Path};

use super::{
    Agent, Launch, Project, Tool,
    manifests::{LANGUAGE, WRITTEN_BY_THE_USER},
    project::{build, go},
    typescript,
};

/// A language. One more is a variant here, with its tool, and a line in [`each_language`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Language {
    Go,
    TypeScript,
}

impl Language {
    /// The agent of this manifest, about to be started.
    pub(crate) fn agent(self, manifest: &str) -> Launch {
        Agent::of(self.project(manifest))
    }

    /// The project of this manifest, built when first asked for.
    pub(crate) fn project(self, manifest: &str) -> &'static Project {
        Project::of(self, manifest)
    }

    /// What its projects need to be built and started.
    pub(crate) fn tool(self) -> Tool {
        match self {
            Self::Go => Tool::Go,
            Self::TypeScript => Tool::Npm,
        }
    }

    /// The manifest, completed by the language, and by the transports where it wires none by itself.
    pub(super) fn manifest(self, manifest: &str) -> String {
        match self {
            Self::Go => manifest.replace(LANGUAGE, r#"{go: {module: example.com/sky-assistant, version: "1.25"}}"#),
            Self::TypeScript => {
                let block = r#"{typescript: {packageName: sky-assistant, nodeVersion: "22"}}"#;
                let wired = if manifest.contains("transports:") { "" } else { "\n      transports: [http]" };
                let on = "      enabled: true";
                manifest.replace(LANGUAGE, block).replace(on, &format!("{on}{wired}"))
            }
        }
    }

    /// What the user writes into a project, by path; only where `adl` has put a file for it.
    pub(super) fn written_by_the_user(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Go => &WRITTEN_BY_THE_USER,
            Self::TypeScript => &typescript::WRITTEN_BY_THE_USER,
        }
    }

    /// Builds a project, with a folder for what is made; returns the command that starts the agent.
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
        }
    }
}

/// Registers the functions named as tests of every language. Each takes the language and is skipped where its tool is missing.
macro_rules! each_language {
    [$($test:ident),+ $(,)?] => {
        mod go {
            $($crate::support::each_language!(@ Go $test);)+
        }
        mod typescript {
            $($crate::support::each_language!(@ TypeScript $test);)+
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
