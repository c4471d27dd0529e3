//! The run-time code of generated agents, in every language: real source files, of which a project receives those that its
//! features need, with the regions that its features need.

use std::sync::Arc;

use crate::{
    project::{Feature, Project},
    render::{Adaptation, PlannedFile, Source},
};

/// A file of the run-time code.
#[derive(Debug)]
pub struct RuntimeFile {
    /// The path in the folder of the run-time code and in projects.
    pub path: &'static str,
    /// The contents.
    pub source: Source,
    /// A project needs all of these features to receive the file; empty for every project.
    pub features: &'static [Feature],
}

/// A table of [`RuntimeFile`]s: the folder below `templates/`, then each path with its features.
macro_rules! runtime_files {
    ($folder:literal: $($path:literal => [$($feature:ident),*]),* $(,)?) => {
        &[$($crate::targets::runtime::RuntimeFile {
            path: $path,
            source: $crate::render::source!($folder, $path),
            features: &[$($crate::project::Feature::$feature),*],
        }),*]
    };
}
pub(super) use runtime_files;

/// The files that a project receives. `module` is the module path of the run-time code and the path that replaces it.
pub(super) fn plan(
    files: &[RuntimeFile],
    project: &Project,
    module: Option<(&'static str, String)>,
) -> Vec<PlannedFile> {
    let adaptation = Arc::new(Adaptation { features: project.features(), module });
    let needed = files.iter().filter(|file| file.features.iter().all(|feature| project.has(*feature)));
    needed.map(|file| PlannedFile::generated(file.path, file.source.adapt(&adaptation))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::{go, rust, typescript};

    #[test]
    fn every_marker_names_a_feature_and_every_region_ends() {
        for on in [true, false] {
            let features = Feature::ALL.into_iter().map(|feature| (feature.name(), on)).collect();
            let adaptation = Adaptation { features, module: None };
            for file in [go::runtime::FILES, rust::runtime::FILES, typescript::runtime::FILES].into_iter().flatten() {
                if let Err(error) = adaptation.apply(file.source.text) {
                    panic!("{}: {error}", file.source.path);
                }
            }
        }
    }
}
