//! Applies safe suggestions, then parses and checks the text again, until none is left.
//!
//! Each step is verified against the previous document. A fix that would change anything else is rejected.

use std::collections::BTreeMap;

use crate::diagnostics::{self, Applicability, Code, Diagnostic, Edit, Suggestion};
use crate::document::edit::{Taken, VerifyError, apply, verify};
use crate::document::{Document, parse};
use crate::ops::check::{Checked, Scope, examine};

/// The maximum number of rounds. Each round applies as many fixes as possible, so a few are usually enough.
const ROUNDS: u32 = 100;

/// The maximum number of trials in the first round; each round doubles it. Most conflicts between fixes disappear after
/// a round, and resolving them in the same round would take one trial each.
const TRIAL_LIMIT: usize = 32;

/// A suggestion that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The finding's code.
    pub code: Code,
    /// The finding's headline.
    pub headline: String,
    /// The suggestion's text, in the imperative.
    pub text: String,
}

/// A text after all fixes.
#[derive(Debug)]
pub struct Repaired {
    /// The text.
    pub text: String,
    /// The remaining findings, and one for each rejected fix.
    pub checked: Checked,
    /// The applied fixes, in order.
    pub applied: Vec<Applied>,
}

/// Findings whose suggestion was rejected, by code and headline, with the reason.
type Refused = BTreeMap<(Code, String), VerifyError>;

/// Applies all safe suggestions to the text of the manifest `name`.
pub fn repair(name: &str, text: &str) -> Repaired {
    repair_counting(name, text, &mut 0)
}

/// Like [`repair`]; also counts in `trials` how many edited texts were parsed to verify them.
fn repair_counting(name: &str, text: &str, trials: &mut usize) -> Repaired {
    let mut text = text.to_owned();
    let (mut applied, mut refused) = (Vec::new(), Refused::new());
    let mut rounds = 0..ROUNDS;
    loop {
        let mut checked = examine(name.to_owned(), text.clone().into_bytes(), Scope::Manifest);
        let round = rounds.next();
        let fixes = if round.is_some() { fixes(&checked.diagnostics, &refused) } else { Vec::new() };
        let (Some(document), false) = (&checked.document, fixes.is_empty()) else {
            add_refusals(&mut checked.diagnostics, &refused);
            return Repaired { text, checked, applied };
        };
        let limit = TRIAL_LIMIT.saturating_mul(2_usize.saturating_pow(round.unwrap_or_default()));
        let mut trial = Trial { document, text: &text, refused: &mut refused, accepted: Vec::new(), count: 0, limit };
        trial.extend(&fixes);
        *trials += trial.count;
        let accepted = trial.accepted;
        if let Some(edited) = edited(&text, &accepted) {
            applied.extend(accepted.iter().map(Fix::applied));
            text = edited;
        }
    }
}

/// A finding and its suggestion.
#[derive(Clone, Copy)]
struct Fix<'d> {
    finding: &'d Diagnostic,
    suggestion: &'d Suggestion,
}

impl Fix<'_> {
    fn applied(&self) -> Applied {
        let Diagnostic { code, headline, .. } = self.finding;
        Applied { code: *code, headline: headline.clone(), text: self.suggestion.text.clone() }
    }
}

/// The safe suggestions that do not overlap, in the order of the text. Empty if the text has YAML errors, because its
/// meaning is then unclear.
fn fixes<'d>(diagnostics: &'d [Diagnostic], refused: &Refused) -> Vec<Fix<'d>> {
    if has_yaml_fault(diagnostics) {
        return Vec::new();
    }
    let (mut fixes, mut taken) = (Vec::new(), Taken::default());
    for finding in diagnostics.iter().filter(|finding| !refused.contains_key(&key(finding))) {
        let Some(suggestion) = safe(finding) else { continue };
        if taken.take(&suggestion.edits) {
            fixes.push(Fix { finding, suggestion });
        }
    }
    fixes
}

/// How many of the findings about a manifest [`repair`] would fix.
pub fn fixable(diagnostics: &[Diagnostic]) -> usize {
    if has_yaml_fault(diagnostics) { 0 } else { diagnostics.iter().filter(|finding| safe(finding).is_some()).count() }
}

fn has_yaml_fault(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|finding| finding.is_error() && finding.code < Code::WrongType)
}

fn safe(finding: &Diagnostic) -> Option<&Suggestion> {
    finding.suggestions.iter().find(|suggestion| suggestion.applicability == Applicability::Safe)
}

fn key(finding: &Diagnostic) -> (Code, String) {
    (finding.code, finding.headline.clone())
}

fn edited(text: &str, fixes: &[Fix<'_>]) -> Option<String> {
    apply(text, edits(fixes))
}

fn edits<'d>(fixes: &[Fix<'d>]) -> Vec<&'d Edit> {
    fixes.iter().flat_map(|fix| &fix.suggestion.edits).collect()
}

/// The trials of one round.
struct Trial<'a, 'd> {
    document: &'a Document,
    text: &'a str,
    refused: &'a mut Refused,
    /// Fixes that can be applied together.
    accepted: Vec<Fix<'d>>,
    /// The number of trials so far.
    count: usize,
    /// The maximum number of trials.
    limit: usize,
}

impl<'d> Trial<'_, 'd> {
    /// Accepts as many of these fixes as can be applied together with the accepted ones, preferring earlier fixes. A
    /// fix that fails even alone is rejected permanently. Stops at the limit.
    fn extend(&mut self, fixes: &[Fix<'d>]) {
        if self.count >= self.limit {
            return;
        }
        let both = [self.accepted.as_slice(), fixes].concat();
        let Some(verify_error) = self.verify_error(&both) else {
            self.accepted = both;
            return;
        };
        if let [fix] = fixes {
            let alone = if self.accepted.is_empty() { Some(verify_error) } else { self.verify_error(fixes) };
            if let Some(verify_error) = alone {
                self.refused.insert(key(fix.finding), verify_error);
            }
            return;
        }
        let (first, second) = fixes.split_at(fixes.len() / 2);
        self.extend(first);
        self.extend(second);
    }

    fn verify_error(&mut self, fixes: &[Fix<'_>]) -> Option<VerifyError> {
        self.count += 1;
        let Some(edited) = edited(self.text, fixes) else { return Some(VerifyError::ElsewhereChanged) };
        verify(self.document, &edits(fixes), &parse(self.document.file(), edited)).err()
    }
}

/// Adds a finding for each rejected suggestion that still applies.
fn add_refusals(diagnostics: &mut Vec<Diagnostic>, refused: &Refused) {
    let refusal = |finding: &Diagnostic| {
        let verify_error = refused.get(&key(finding))?;
        let headline = format!("cannot apply the fix: {}", safe(finding)?.text);
        Some(
            Diagnostic::new(Code::FixNotApplied, finding.primary.as_ref()?.span, headline)
                .note(verify_error.to_string())
                .help("edit it manually"),
        )
    };
    let refusals: Vec<_> = diagnostics.iter().filter_map(refusal).collect();
    diagnostics.extend(refusals);
    diagnostics::sort(diagnostics);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A manifest whose skills, except one, are tools in the outdated format: the first fix to move one creates
    /// `tools`.
    fn outdated_skills(count: usize) -> String {
        let skill =
            |number| format!("    - id: s{number}\n      name: s{number}\n      description: d\n      schema: {{}}\n");
        let skills: Vec<_> = (0..count).map(skill).collect();
        format!(
            "apiVersion: adl.inference-gateway.com/v1\nspec:\n  skills:\n    - id: bare\n      bare: true\n{}",
            skills.concat()
        )
    }

    /// The number of trials, and of applied fixes.
    fn trials(text: &str) -> (usize, usize) {
        let mut trials = 0;
        let repaired = repair_counting("agent.yaml", text, &mut trials);
        (trials, repaired.applied.iter().filter(|applied| applied.code == Code::OutdatedFormat).count())
    }

    #[test]
    fn conflicting_fixes_need_few_trials() {
        let emptied = |count: usize| {
            outdated_skills(count).replace("    - id: bare\n      bare: true\n", "") + "  tools:\n    - id: t\n"
        };
        for text in [outdated_skills, emptied] {
            let ((few, done), (many, all_done)) = (trials(&text(20)), trials(&text(160)));
            assert_eq!((done, all_done), (20, 160));
            assert!(many < few + 30, "{many} trials for 160 skills, {few} for 20");
        }
    }
}
