//! The run-time code is formatted for every combination of features.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use adl::{project::Feature, render::Adaptation, targets::go::runtime::FILES};

use super::support::needs;

/// What a file becomes with every combination of the features that its markers name, each with those that are on.
pub(crate) fn variants(text: &str) -> Vec<(String, String)> {
    let is_named = |name: &&str| {
        text.lines().any(|line| {
            let condition = line.trim().strip_prefix("//adl:if ").unwrap_or_default();
            condition.trim_start_matches('!') == *name
        })
    };
    let names: Vec<_> = Feature::ALL.into_iter().map(Feature::name).filter(is_named).collect();
    let variant = |combination: u32| {
        let switched = (0..).zip(&names).map(|(bit, name)| (*name, combination >> bit & 1 == 1));
        let others = Feature::ALL.into_iter().map(|feature| (feature.name(), true));
        let features: BTreeMap<_, _> = others.chain(switched).collect();
        let on: Vec<_> = names.iter().copied().filter(|name| features.get(name) == Some(&true)).collect();
        (on.join("-"), Adaptation { features, module: None }.apply(text).unwrap())
    };
    (0..1_u32 << names.len()).map(variant).collect()
}

#[test]
fn every_combination_of_features_is_formatted() {
    needs!(Go);
    let folder = tempfile::tempdir().unwrap();
    for (index, file) in FILES.iter().enumerate() {
        let base = Path::new(file.path).file_stem().unwrap().to_str().unwrap();
        for (on, text) in variants(file.source.text) {
            fs::write(folder.path().join(format!("{index}-{base}-{on}.go")), text).unwrap();
        }
    }
    let output = Command::new("gofmt").args(["-l", "."]).current_dir(folder.path()).output().unwrap();
    let printed = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(printed, ["", ""], "gofmt would change these files, which are named after the enabled features");
}
