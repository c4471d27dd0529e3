//! Words for what the YAML parser refuses. Its own messages name parser states; ours name what the author sees.

use std::ops::Range;

use granit_parser::{ErrorKind, ScanError};

use super::finding::nested_too_deep;
use crate::diagnostics::{Code, Diagnostic, FileId, Span};

/// Headline, and what to do.
type Words = (&'static str, &'static str);

/// Turns a parser error into a finding. `opener` is the innermost bracket that is still open.
pub(super) fn finding(file: FileId, text: &str, error: &ScanError, opener: Option<Range<usize>>) -> Diagnostic {
    let offset = error.marker().byte_offset().unwrap_or(text.len());
    let surroundings = Surroundings::new(text, offset);
    let place = place(text, offset, error.kind(), &surroundings);
    let span = Span::new(file, place.clone());
    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
        return nested_too_deep(span);
    }
    let (headline, help) = words(error.kind(), &surroundings);
    let opener = opener.filter(|opener| opener.start < place.start).map(|opener| {
        let bracket = text.get(opener.clone()).unwrap_or_default();
        (Span::new(file, opener), bracket)
    });
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have fixed words")]
    let headline = match error.kind() {
        ErrorKind::UnexpectedCharacter { character } => format!("a value cannot begin with `{character}`"),
        ErrorKind::UnclosedFlowCollection { open } => format!("the bracket `{open}` is never closed"),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            format!("the bracket `{open}` is closed by `{close}`")
        }
        ErrorKind::InvalidColonPlacement => {
            if let Some((opener, bracket)) = opener {
                let headline = format!("the bracket `{bracket}` is not closed before the next key");
                return Diagnostic::new(Code::YamlSyntax, opener, headline)
                    .related(span, "this key begins while it is open")
                    .help("close it, or quote the text if its `:` is literal");
            }
            headline.to_owned()
        }
        _ => headline.to_owned(),
    };
    let finding = Diagnostic::new(Code::YamlSyntax, span, headline).help(help);
    match opener {
        Some((opener, bracket)) => finding.related(opener, format!("this `{bracket}` is still open")),
        None => finding,
    }
}

/// The lines around the place of an error.
struct Surroundings<'t> {
    /// The part of the line in front of the place.
    before: &'t str,
    /// The nearest line above it that is neither blank nor a comment.
    above: &'t str,
}

impl<'t> Surroundings<'t> {
    fn new(text: &'t str, offset: usize) -> Self {
        let mut lines = text.get(..offset).unwrap_or_default().rsplit(['\n', '\r']);
        let before = lines.next().unwrap_or_default();
        let above = lines.map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        Self { before, above: above.unwrap_or_default() }
    }
}

/// What the error is about: the character at the parser's place, the tab or the `-` before it, the key that ends there.
#[expect(clippy::wildcard_enum_match_arm, reason = "most errors are about one character")]
fn place(text: &str, offset: usize, kind: &ErrorKind, surroundings: &Surroundings<'_>) -> Range<usize> {
    let line = offset - surroundings.before.len();
    let indentation = surroundings.before.len() - surroundings.before.trim_start().len();
    match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => {
            if let Some(tab) = surroundings.before.rfind('\t') {
                return line + tab..line + tab + 1;
            }
        }
        ErrorKind::ExpectedBlockMappingKey if surroundings.before.trim() == "-" => {
            return line + indentation..line + indentation + 1;
        }
        ErrorKind::MappingValueNotAllowed if !surroundings.before.contains(": ") => return line + indentation..offset,
        _ => {}
    }
    let character = text.get(offset..).and_then(|rest| rest.chars().next());
    offset..offset + character.filter(|character| !matches!(character, '\r' | '\n')).map_or(0, char::len_utf8)
}

const TAB: Words = ("a tab cannot indent", "indent with blanks");
const QUOTE_OR_ESCAPE: Words = (
    "the double-quoted text contains an escape that does not exist",
    r"write `\\` for a backslash, or use single quotes, in which nothing is escaped",
);
const UNICODE_ESCAPE: Words =
    ("a `\\x`, `\\u` or `\\U` escape names no character", r"complete the escape, or write `\\` for a backslash");
const TAG: Words = ("the tag is malformed", "remove the tag, or quote the text if its `!` is literal");
const DIRECTIVE: Words =
    ("the directive is malformed", "remove the line that begins with `%`, or quote the text if its `%` is literal");
const EXPECTED_KEY: Words = (
    "a key with a `:` was expected here",
    "give the line the indentation of the keys it belongs to, and write `key: value`",
);
const EXPECTED_SEPARATOR: Words = (
    "a `,` or a closing bracket was expected here",
    "separate the parts by `,`, close the bracket, or quote a text that contains brackets or `, `",
);

#[expect(clippy::wildcard_enum_match_arm, reason = "the parser's enum may grow")]
fn words(kind: &ErrorKind, surroundings: &Surroundings<'_>) -> Words {
    use ErrorKind as E;
    let Surroundings { before, above } = surroundings;
    match kind {
        E::TabNotAllowed
        | E::TabInBlockIndentation
        | E::TabInIndentation
        | E::TabAtBlockScalarStart
        | E::TabInPlainScalar => TAB,
        E::UnexpectedCharacter { .. } => ("a character is not allowed here", "quote the text"),
        E::UnclosedFlowCollection { .. } => ("a bracket is never closed", "close it"),
        E::MismatchedFlowCollectionEnd { .. } => {
            ("a bracket is closed by one of another kind", "close it with its own kind, or quote the text")
        }
        E::MisplacedFlowCollectionEnd => {
            ("a bracket is closed that was never opened", "remove it, or quote the text that it belongs to")
        }
        E::UnclosedQuotedScalar => {
            ("the quote is never closed", "close it; a quote inside single quotes is written twice: `''`")
        }
        E::DocumentIndicatorInQuotedScalar => {
            ("`---` or `...` at the start of a line ends the document inside a quoted text", "indent the line")
        }
        E::InvalidQuotedScalarIndent => {
            ("a line of the quoted text is indented too little", "indent it deeper than its key")
        }
        E::InvalidTrailingSingleQuotedScalar | E::InvalidTrailingDoubleQuotedScalar => (
            "text follows behind the closing quote",
            "put the whole value in quotes; inside them write a quote as `''` (single) or `\\\"` (double)",
        ),
        E::UnknownQuotedScalarEscape => QUOTE_OR_ESCAPE,
        E::InvalidQuotedScalarHexEscape
        | E::InvalidLowSurrogateHexEscape
        | E::InvalidLowSurrogate
        | E::MissingLowSurrogate
        | E::UnpairedLowSurrogate
        | E::InvalidUnicodeEscape => UNICODE_ESCAPE,
        E::MappingValueNotAllowed if before.contains(": ") => (
            "a second `: ` on one line",
            "quote the value if its `:` is literal, or put the inner key on a line of its own",
        ),
        E::MappingValueNotAllowed if above.contains(": ") => (
            "the line is indented like a part of the value above it",
            "give it the indentation of the key it belongs to, or quote the whole value if its `:` is literal",
        ),
        E::MappingValueNotAllowed | E::MappingKeyNotAllowed => (
            "a key cannot stand here",
            "write a `:` behind the key on the line above, or indent the line like its neighbours",
        ),
        E::SimpleKeyExpected | E::InvalidSimpleKey => {
            ("a key lacks its `:`", "write `key: value`, with a blank behind `:`")
        }
        E::ExpectedBlockMappingKey if before.trim().is_empty() => EXPECTED_KEY,
        E::ExpectedBlockMappingKey if before.trim() == "-" => {
            ("a list item cannot stand among keys", "put it below the key it belongs to, or remove the `-`")
        }
        E::ExpectedBlockMappingKey => {
            ("nothing more was expected on this line", "quote the value, or begin a new line")
        }
        E::ExpectedBlockSequenceEntry => (
            "an item with a `- ` was expected here",
            "write `- ` before the item, or indent the line as its key demands",
        ),
        E::BlockSequenceEntryNotAllowed | E::InvalidBlockEntryWhitespace => {
            ("a list cannot begin here", "begin the list on a new line below its key, or write it as `[a, b]`")
        }
        E::BlockEntryInFlowCollection | E::PlainScalarStartsWithDashFlowIndicator => {
            ("a `-` cannot begin an item inside brackets", "write `[a, b]`, or quote a text that begins with `-`")
        }
        E::InvalidIndentation | E::InvalidFlowScalarIndent => {
            ("the line is indented too little", "indent it deeper than the key it belongs to")
        }
        E::ExpectedFlowMappingSeparator | E::ExpectedFlowSequenceSeparator => EXPECTED_SEPARATOR,
        E::InvalidColonPlacement | E::FlowMappingValueAdjacentCollection | E::InvalidMappingValueWhitespace => {
            ("a `:` cannot stand here", "quote the text if its `:` is literal; close brackets before the next key")
        }
        E::UnexpectedEof
        | E::UnexpectedEofFlowSequence
        | E::UnexpectedEofFlowMapping
        | E::UnexpectedEofImplicitFlowMapping
        | E::UnexpectedEofBlockSequence
        | E::UnexpectedEofBlockMapping => ("the file ends in the middle of a value", "complete it"),
        E::InvalidBlockScalarHeader => (
            "text follows behind `|` or `>`",
            "begin the text on the next line, indented; or quote it if the sign is literal",
        ),
        E::ZeroBlockScalarIndent => {
            ("the indentation behind `|` or `>` cannot be 0", "write a digit from 1 to 9, or none")
        }
        E::InvalidBlockScalarIndent => {
            ("a line of the text block is indented too little", "indent all its lines as deep as the first one")
        }
        E::CommentNotSeparated => {
            ("a comment needs a blank before its `#`", "put a blank before it, or quote the text")
        }
        E::CommentInterceptedScalar => {
            ("a comment cuts a value of several lines in two", "move the comment, or quote the value")
        }
        E::ExpectedWhitespace => ("a blank was expected here", "put a blank here, or quote the text"),
        E::BomInsideDocument => {
            ("a byte order mark stands inside the document", "delete it; it is allowed at the start only")
        }
        E::ExpectedDocumentStart | E::InvalidDocumentEnd => (
            "the document has ended before this place",
            "give the line the indentation of the part it belongs to, or remove it",
        ),
        E::MissingAnchorOrAliasName => {
            ("an anchor or alias has no name", "quote the text if its `&` or `*` is literal")
        }
        E::UndeclaredTagHandle
        | E::ExpectedTagBang
        | E::InvalidGlobalTagCharacter
        | E::InvalidTagTerminator
        | E::MissingTagUri
        | E::UnclosedVerbatimTag
        | E::InvalidTagEscape
        | E::InvalidTagUtf8LeadingByte
        | E::InvalidTagUtf8TrailingByte
        | E::InvalidTagUtf8 => TAG,
        E::UnsupportedYamlMajorVersion => ("the file asks for another major version of YAML", "write `%YAML 1.2`"),
        E::DuplicateVersionDirective
        | E::DuplicateTagDirective
        | E::MissingDocumentEndBeforeDirective
        | E::ExpectedTagDirectiveBang
        | E::InvalidDirectiveTerminator
        | E::DirectiveDisallowed
        | E::MissingYamlVersionSeparator
        | E::MissingDirectiveName
        | E::InvalidDirectiveName
        | E::DirectiveByteLimitExceeded { .. }
        | E::TooManyReservedDirectiveParams { .. }
        | E::YamlVersionTooLong
        | E::MissingYamlVersion
        | E::InvalidTagDirectiveTerminator => DIRECTIVE,
        // The rest is internal to the parser or belongs to inputs that are not used here.
        _ => ("the YAML cannot be understood here", "check the indentation, quotes and brackets before this place"),
    }
}
