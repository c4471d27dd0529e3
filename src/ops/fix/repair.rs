//! Applies safe suggestions, then parses and checks the text again, until none is left.
//!
//! Each step is verified against the document before it. A fix that would change anything else is rejected.

use std::collections::BTreeMap;

use crate::diagnostics::{self, Applicability, Code, Diagnostic, Edit, Suggestion};
use crate::document::edit::{Taken, VerifyError, apply, verify};
use crate::document::{Document, parse};
use crate::ops::check::{Checked, Scope, examine};

/// How often a text is checked anew. Each round does all that can be done at once, so that few are needed.
const ROUNDS: u32 = 100;

/// How many sets of fixes the first round tries; each round doubles the limit. Conflicts between fixes are mostly gone after a
/// round, and resolving them in the same one would take a trial for each.
const TRIAL_LIMIT: usize = 32;

/// A suggestion that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The finding's code.
    pub code: Code,
    /// What was wrong.
    pub headline: String,
    /// What was done about it, as a request.
    pub text: String,
}

/// A text after all that could be done for it.
#[derive(Debug)]
pub struct Repaired {
    /// The text.
    pub text: String,
    /// What is left to a person, and each fix that was refused.
    pub checked: Checked,
    /// What was done, in order.
    pub applied: Vec<Applied>,
}

/// The findings, by code and headline, whose suggestion is not done, each with the reason.
type Refused = BTreeMap<(Code, String), VerifyError>;

/// Does all safe suggestions that there are for the text of a manifest called `name`.
pub fn repair(name: &str, text: &str) -> Repaired {
    repair_counting(name, text, &mut 0)
}

/// The same; `trials` counts the texts that were read on the way to see whether they are sound.
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

/// A finding and what to do about it.
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

/// The safe suggestions that do not meet one another, in the order of the text. None for a text with faults of its YAML: a
/// person has to say first what it means.
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

/// How many of these findings about one manifest [`repair`] takes up.
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

/// Fixes that are tried on one text.
struct Trial<'a, 'd> {
    document: &'a Document,
    text: &'a str,
    refused: &'a mut Refused,
    /// The fixes that can be done together.
    accepted: Vec<Fix<'d>>,
    /// How many sets of fixes were tried.
    count: usize,
    /// How many may be.
    limit: usize,
}

impl<'d> Trial<'_, 'd> {
    /// Accepts as many of these fixes as can be done together with those before them; the first ones, where some are in each
    /// other's way. One that does damage even alone is refused for good. Stops when patience ends.
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

/// Adds a finding for each refused suggestion that is still there.
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

    /// A manifest whose skills are tools of an older form, but for one, so that `tools` is made by the first that moves.
    fn old_skills(count: usize) -> String {
        let skill =
            |number| format!("    - id: s{number}\n      name: s{number}\n      description: d\n      schema: {{}}\n");
        let skills: Vec<_> = (0..count).map(skill).collect();
        format!(
            "apiVersion: adl.inference-gateway.com/v1\nspec:\n  skills:\n    - id: bare\n      bare: true\n{}",
            skills.concat()
        )
    }

    /// How many texts were read, and what was done.
    fn trials(text: &str) -> (usize, usize) {
        let mut trials = 0;
        let repaired = repair_counting("agent.yaml", text, &mut trials);
        (trials, repaired.applied.iter().filter(|applied| applied.code == Code::OutdatedFormat).count())
    }

    #[test]
    fn conflicting_fixes_need_few_trials() {
        let emptied = |count: usize| {
            old_skills(count).replace("    - id: bare\n      bare: true\n", "") + "  tools:\n    - id: t\n"
        };
        for text in [old_skills, emptied] {
            let ((few, done), (many, all_done)) = (trials(&text(20)), trials(&text(160)));
            assert_eq!((done, all_done), (20, 160));
            assert!(many < few + 30, "{many} trials for 160 skills, {few} for 20");
        }
    }
}
