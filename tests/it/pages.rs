//! Tests the page of each code: its example yields exactly that code, the corrected example has no findings, and a safe
//! suggestion fixes the first.

use std::collections::BTreeSet;

use adl::diagnostics::{Code, Diagnostic, FileId, page_names};
use adl::document::parse;
use adl::manifest::check_schema;
use adl::ops::repair;
use adl::rules;

use crate::support::{MANIFEST, Sandbox};

const HEADINGS: [&str; 5] = ["What it means", "Why it matters", "Example", "Instead", "Related"];

/// Splits a page into the title and the text below each heading.
fn sections(page: &str) -> (&str, Vec<(&str, &str)>) {
    let mut parts = page.split("\n## ");
    let title = parts.next().unwrap().trim();
    let sections = parts.map(|part| part.split_once("\n\n").expect("a heading stands alone on its line"));
    (title, sections.map(|(heading, text)| (heading, text.trim())).collect())
}

/// The contents of a section that consists of a code block in this language.
fn block<'a>(section: &'a str, language: &str) -> Option<&'a str> {
    section.strip_prefix(&format!("```{language}\n"))?.strip_suffix("```")
}

/// Adds all required parts of a manifest that an example omits.
fn completed(example: &str) -> String {
    let has = |key: &str| example.lines().any(|line| line.starts_with(&format!("{key}:")));
    let mut text = String::new();
    let top = [
        ("apiVersion", "apiVersion: adl.inference-gateway.com/v1\n"),
        ("kind", "kind: Agent\n"),
        ("metadata", "metadata: {name: support-agent, description: Answers questions, version: 0.1.0}\n"),
    ];
    text.extend(top.iter().filter(|(key, _)| !has(key)).map(|(_, line)| *line));
    text.push_str(example);
    if !has("spec") {
        text.push_str("spec:\n");
    }
    let below = [
        (
            "capabilities",
            "  capabilities: {streaming: true, pushNotifications: false, stateTransitionHistory: false}\n",
        ),
        ("server", "  server: {port: 8080}\n"),
        ("language", "  language: {go: {module: example.com/support-agent, version: \"1.25\"}}\n"),
    ];
    text.extend(below.iter().filter(|(key, _)| !has(&format!("  {key}"))).map(|(_, line)| *line));
    text
}

/// The findings of `validate`, and the additional findings of `generate`. With `reading`, the text is not a manifest
/// and only parsed.
fn findings(text: &str, reading: bool) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let parsed = parse(FileId::default(), text);
    let mut diagnostics = parsed.diagnostics;
    let Some(document) = parsed.document.filter(|_| !reading) else { return (diagnostics, Vec::new()) };
    diagnostics.extend(check_schema(&document));
    diagnostics.extend(rules::check(&document));
    (diagnostics, rules::check_generation(&document))
}

fn codes(findings: &[Diagnostic]) -> BTreeSet<Code> {
    findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn codes_and_pages_match() {
    let wanted: BTreeSet<_> = Code::ALL.iter().map(|code| format!("{code}.md")).collect();
    let pages: BTreeSet<_> = page_names().into_iter().collect();
    let missing: Vec<_> = wanted.difference(&pages).collect();
    assert!(missing.is_empty(), "write `src/diagnostics/codes/` {missing:?}, then touch `src/diagnostics/pages.rs`");
    assert_eq!(pages.difference(&wanted).collect::<Vec<_>>(), [""; 0], "these pages have no code");
    for code in Code::ALL {
        let (title, sections) = sections(code.page());
        assert_eq!(title, format!("# {code} {}", code.name()));
        let headings: Vec<_> = sections.iter().map(|(heading, _)| *heading).collect();
        assert_eq!(headings, HEADINGS, "{code}");
        assert!(sections.iter().all(|(_, text)| !text.is_empty()), "{code}");
        for (place, _) in code.page().match_indices("ADL0") {
            let named = &code.page()[place..place + 7];
            assert!(Code::from_word(named).is_some(), "the page of {code} names {named}");
        }
    }
}

#[test]
fn page_examples_yield_their_code() {
    let mut faults = Vec::new();
    for code in Code::ALL {
        let (_, sections) = sections(code.page());
        let Some(example) = block(sections[2].1, "yaml") else { continue };
        let instead = block(sections[3].1, "yaml").unwrap_or_else(|| panic!("{code} has no example without the fault"));
        let reading = (*code as u16) < 100;
        let example = if reading { example.to_owned() } else { completed(example) };
        let (validation, generation) = findings(&example, reading);
        let found = if validation.is_empty() { generation } else { validation };
        if codes(&found) != BTreeSet::from([*code]) {
            faults.push(format!("the example of {code} yields {:?}", headlines(&found)));
        }
        let by_generation = (320..400).contains(&(*code as u16)) || (403..405).contains(&(*code as u16));
        let clean = if reading { instead.to_owned() } else { completed(instead) };
        let (mut left, warnings) = findings(&clean, reading);
        left.extend(warnings.into_iter().filter(|_| by_generation));
        if !left.is_empty() {
            faults.push(format!("what {code} has instead yields {:?}", headlines(&left)));
        }
        if let Some(fixed) = fixed(&example)
            && !findings(&fixed, reading).0.is_empty()
        {
            faults.push(format!("the safe suggestion of {code} leaves {:?}", findings(&fixed, reading).0));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

fn headlines(findings: &[Diagnostic]) -> Vec<String> {
    findings.iter().map(|finding| format!("{} {}", finding.code, finding.headline)).collect()
}

/// The text after safe suggestions. Returns `None` if there are none.
fn fixed(text: &str) -> Option<String> {
    let repaired = repair("agent.yaml", text);
    (!repaired.applied.is_empty()).then_some(repaired.text)
}

#[cfg(unix)]
#[test]
#[expect(clippy::disallowed_methods, reason = "the test runs the commands of the pages in a shell")]
fn page_commands_print_what_the_page_shows() {
    let binaries = std::path::Path::new(env!("CARGO_BIN_EXE_adl")).parent().unwrap();
    let mut faults = Vec::new();
    for code in Code::ALL {
        let (_, sections) = sections(code.page());
        let sandbox = Sandbox::new().file("agent.yaml", MANIFEST);
        let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
        let run = |shown: &str| {
            let (mut command, mut ran, mut faults) = ("", String::new(), Vec::new());
            for line in shown.lines() {
                if let Some(next) = line.strip_prefix("$ ") {
                    command = next;
                    let output = sandbox.command("sh").env("PATH", &path).args(["-c", command]).output().unwrap();
                    ran = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
                } else if !ran.contains(line) {
                    faults.push(format!("{code}: `{command}` prints no `{line}` but:\n{ran}"));
                }
            }
            (ran, faults)
        };
        let Some(example) = block(sections[2].1, "console") else { continue };
        let (printed, fault) = run(example);
        faults.extend(fault);
        assert!(printed.contains(&format!("[{code}]")), "the example of {code} prints {printed}");
        if let Some(instead) = block(sections[3].1, "console") {
            let (printed, fault) = run(instead);
            faults.extend(fault);
            assert!(!printed.contains(&code.to_string()), "what {code} has instead prints {printed}");
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
