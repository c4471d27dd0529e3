//! Comments in a manifest that allow a warning: `# adl: allow ADL0309 token of a test server`.
//!
//! A comment on its own line applies to the next line that is not empty, a comment after a value to its own line, and a
//! comment before the first key to the whole file. A reason is required. Errors cannot be allowed.

use std::collections::BTreeMap;

use crate::diagnostics::{Applicability, Code, Diagnostic, Edit, FileId, Sources, Span, Suggestion};
use crate::document::{Document, View};
use crate::manifest;
use crate::names::closest;
use crate::rules;

const MARK: &str = "adl:";

/// Drops the warnings that comments allow, and adds findings about the comments themselves.
pub(super) fn apply(document: &Document, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) {
    let text = sources.text(document.file());
    if !text.contains(MARK) {
        return;
    }
    let mut allows = BTreeMap::<_, Vec<Allow>>::new();
    for comment in comments(document, sources) {
        match comment.read() {
            Ok((code, target)) => {
                let allow = Allow { comment: comment.span(document.file()), effect: Effect::None };
                allows.entry((code, target)).or_default().push(allow);
            }
            Err(fault) => diagnostics.push(fault.at(comment.span(document.file()))),
        }
    }
    if allows.is_empty() {
        return;
    }
    diagnostics.retain(|finding| {
        let effect = if finding.is_error() { Effect::Refused } else { Effect::Dropped };
        let affected = affect(&mut allows, finding, sources, effect);
        finding.is_error() || !affected
    });
    // Other commands or flags may report more.
    if allows.values().flatten().any(|allow| allow.effect == Effect::None) {
        let others = rules::check_generation(document).into_iter().chain(manifest::check_extensions(document));
        for finding in others {
            affect(&mut allows, &finding, sources, Effect::Dropped);
        }
    }
    for ((code, _), allow) in allows.iter().flat_map(|(key, allows)| allows.iter().map(move |allow| (key, allow))) {
        diagnostics.extend(allow.finding(*code));
    }
}

/// Records the effect of every comment that applies to a finding. Returns `false` if there is none.
fn affect(
    allows: &mut BTreeMap<(Code, Target), Vec<Allow>>,
    finding: &Diagnostic,
    sources: &Sources,
    effect: Effect,
) -> bool {
    let line = finding.primary.as_ref().map(|label| Target::Line(sources.position(label.span).line));
    let mut affected = false;
    for target in line.into_iter().chain([Target::File]) {
        for allow in allows.get_mut(&(finding.code, target)).into_iter().flatten() {
            allow.effect = allow.effect.max(effect);
            affected = true;
        }
    }
    affected
}

/// A valid comment.
#[derive(Debug)]
struct Allow {
    comment: Span,
    effect: Effect,
}

/// The effect of a comment, in order of severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    None,
    Dropped,
    Refused,
}

impl Allow {
    fn finding(&self, code: Code) -> Option<Diagnostic> {
        let name = code.name();
        match self.effect {
            Effect::Dropped => None,
            Effect::None => Some(
                Diagnostic::new(Code::UnusedAllowComment, self.comment, format!("no `{code}` ({name}) to allow here"))
                    .help("remove the comment")
                    .suggest(Suggestion {
                        text: "remove the comment".to_owned(),
                        edits: vec![Edit { span: self.comment, replacement: String::new() }],
                        applicability: Applicability::Review,
                    }),
            ),
            Effect::Refused => Some(
                Diagnostic::new(
                    Code::AllowCommentOnError,
                    self.comment,
                    format!("`{code}` ({name}) is an error and cannot be allowed"),
                )
                .note("only warnings can be allowed")
                .help("fix the error, then remove the comment"),
            ),
        }
    }
}

/// What a comment applies to. Line numbers start at 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    File,
    Line(usize),
}

/// Why a comment is invalid.
#[derive(Debug, PartialEq, Eq)]
enum Fault {
    NoCode,
    UnknownCode(String),
    NoReason(Code),
}

impl Fault {
    fn at(&self, comment: Span) -> Diagnostic {
        let finding = |headline: String| Diagnostic::new(Code::InvalidAllowComment, comment, headline);
        let form = "write `# adl: allow CODE REASON`, for example `# adl: allow ADL0309 token of a test server`";
        match self {
            Self::NoCode => finding("the comment names no code".to_owned()).help(form),
            Self::UnknownCode(word) => {
                let meant = closest(word, Code::ALL.iter().map(|code| code.name()));
                finding(format!("unknown code `{word}`")).help(match meant {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "write the code as findings show it, for example `ADL0309`".to_owned(),
                })
            }
            Self::NoReason(code) => {
                finding(format!("the comment gives no reason to allow `{code}`")).note("it has no effect").help(form)
            }
        }
    }
}

/// A comment that starts with `adl: allow`.
struct Comment<'a> {
    start: usize,
    /// From the `#` to the end of the line.
    text: &'a str,
    target: Target,
}

impl Comment<'_> {
    fn span(&self, file: FileId) -> Span {
        Span::new(file, self.start..self.start + self.text.len())
    }

    fn read(&self) -> Result<(Code, Target), Fault> {
        let words = instruction(self.text).unwrap_or_default();
        let (word, reason) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        if word.is_empty() {
            return Err(Fault::NoCode);
        }
        let code = Code::from_word(word).ok_or_else(|| Fault::UnknownCode(word.to_owned()))?;
        if reason.trim().is_empty() { Err(Fault::NoReason(code)) } else { Ok((code, self.target)) }
    }
}

/// The text after `# adl: allow`. Returns `None` for any other comment.
fn instruction(comment: &str) -> Option<&str> {
    let rest = comment.strip_prefix('#')?.trim_start().strip_prefix(MARK)?.trim_start().strip_prefix("allow")?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

fn comments<'a>(document: &Document, sources: &'a Sources) -> Vec<Comment<'a>> {
    let text = sources.text(document.file());
    let first_key = document.root().entries().next().and_then(|(_, view)| view.key_span());
    let first_key = first_key.map_or(0, |span| span.start);
    let mut scalars = Vec::new();
    marked_scalars(document.root(), &mut scalars);
    let mut comments = Vec::new();
    // Comments that apply to the next line that is not empty.
    let mut waiting = 0;
    for (number, range) in (1..).zip(sources.lines(document.file())) {
        let line = text.get(range.clone()).unwrap_or_default();
        let own_line = line.trim_start().starts_with('#');
        if !own_line && !line.trim().is_empty() {
            let from = comments.len() - waiting;
            comments.iter_mut().skip(from).for_each(|comment: &mut Comment<'_>| comment.target = Target::Line(number));
            waiting = 0;
        }
        let Some((place, comment)) = comment_of(line) else { continue };
        let start = range.start + place;
        if scalars.iter().any(|span| span.range().contains(&start)) {
            continue;
        }
        let whole_file = own_line && start < first_key;
        comments.push(Comment {
            start,
            text: comment,
            target: if whole_file { Target::File } else { Target::Line(number) },
        });
        waiting = if own_line && !whole_file { waiting + 1 } else { 0 };
    }
    comments
}

/// The comment at the end of a line, if it starts with `adl: allow`.
fn comment_of(line: &str) -> Option<(usize, &str)> {
    line.match_indices('#').find_map(|(place, _)| {
        let (before, comment) = line.split_at_checked(place)?;
        let begins = before.chars().next_back().is_none_or(char::is_whitespace);
        (begins && instruction(comment).is_some()).then(|| (place, comment.trim_end()))
    })
}

/// The scalars that contain the text of such a comment.
fn marked_scalars(view: View<'_>, spans: &mut Vec<Span>) {
    if view.raw().contains(MARK) {
        spans.push(view.span());
    }
    view.items().for_each(|item| marked_scalars(item, spans));
    view.entries().for_each(|(_, entry)| marked_scalars(entry, spans));
}
