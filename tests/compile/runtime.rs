//! The run-time code is formatted for every combination of features.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use adl::{
    project::Feature,
    render::Adaptation,
    targets::go::runtime::{FILES, RuntimeFile},
};

use super::support::needs;

/// The features in the markers of a file.
fn named(file: &RuntimeFile) -> Vec<&'static str> {
    let names = |name: &&str| {
        file.source.text.lines().any(|line| {
            let condition = line.trim().strip_prefix("//adl:if ").unwrap_or_default();
            condition.trim_start_matches('!') == *name
        })
    };
    Feature::ALL.into_iter().map(Feature::name).filter(names).collect()
}

#[test]
fn every_combination_of_features_is_formatted() {
    needs!(Go);
    let folder = tempfile::tempdir().unwrap();
    for (index, file) in FILES.iter().enumerate() {
        let names = named(file);
        for combination in 0..1_u32 << names.len() {
            let switched = (0..).zip(&names).map(|(bit, name)| (*name, combination >> bit & 1 == 1));
            let others = Feature::ALL.into_iter().map(|feature| (feature.name(), true));
            let features: BTreeMap<_, _> = others.chain(switched).collect();
            let on: Vec<_> =
                features.iter().filter(|(name, on)| **on && names.contains(name)).map(|(name, _)| *name).collect();
            let text = Adaptation { features, module: None }.apply(file.source.text).unwrap();
            let base = Path::new(file.path).file_stem().unwrap().to_str().unwrap();
            fs::write(folder.path().join(format!("{index}-{base}-{}.go", on.join("-"))), text).unwrap();
        }
    }
    let output = Command::new("gofmt").args(["-l", "."]).current_dir(folder.path()).output().unwrap();
    let printed = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(printed, ["", ""], "gofmt would change these files, which are named after the enabled features");
}
