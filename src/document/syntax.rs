//! Messages for YAML syntax errors. The parser's own messages name parser states; these describe the text of the file.

use std::ops::Range;

use granit_parser::{ErrorKind, ScanError};

use super::finding::nesting_too_deep;
use crate::diagnostics::{Code, Diagnostic, FileId, Span};

/// Headline and help.
type Message = (&'static str, &'static str);

/// Turns a parser error into a finding. `opener` is the innermost bracket that is still open.
pub(super) fn finding(file: FileId, text: &str, error: &ScanError, opener: Option<Range<usize>>) -> Diagnostic {
    let offset = error.marker().byte_offset().unwrap_or(text.len());
    let context = Context::new(text, offset);
    let place = place(text, offset, error.kind(), &context);
    let span = Span::new(file, place.clone());
    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
        return nesting_too_deep(span);
    }
    let (headline, help) = words(error.kind(), &context);
    let opener = opener.filter(|opener| opener.start < place.start).map(|opener| {
        let bracket = text.get(opener.clone()).unwrap_or_default();
        (Span::new(file, opener), bracket)
    });
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have fixed words")]
    let headline = match error.kind() {
        ErrorKind::UnexpectedCharacter { character } => format!("a value cannot start with `{character}`"),
        ErrorKind::UnclosedFlowCollection { open } => format!("unclosed bracket `{open}`"),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            format!("the bracket `{open}` is closed by `{close}`")
        }
        ErrorKind::InvalidColonPlacement => {
            if let Some((opener, bracket)) = opener {
                let headline = format!("unclosed bracket `{bracket}` before the next key");
                return Diagnostic::new(Code::YamlSyntax, opener, headline)
                    .related(span, "this key starts inside the bracket")
                    .help("close the bracket, or quote the string if its `:` is literal");
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

/// The text around an error.
struct Context<'t> {
    /// The part of the line before the error.
    before: &'t str,
    /// The nearest line above that is neither empty nor a comment.
    above: &'t str,
}

impl<'t> Context<'t> {
    fn new(text: &'t str, offset: usize) -> Self {
        let mut lines = text.get(..offset).unwrap_or_default().rsplit(['\n', '\r']);
        let before = lines.next().unwrap_or_default();
        let above = lines.map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        Self { before, above: above.unwrap_or_default() }
    }
}

/// The range of an error: the character at the parser's position, or the tab, `-` or key before it.
#[expect(clippy::wildcard_enum_match_arm, reason = "most errors are about one character")]
fn place(text: &str, offset: usize, kind: &ErrorKind, context: &Context<'_>) -> Range<usize> {
    let line = offset - context.before.len();
    let indentation = context.before.len() - context.before.trim_start().len();
    match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => {
            if let Some(tab) = context.before.rfind('\t') {
                return line + tab..line + tab + 1;
            }
        }
        ErrorKind::ExpectedBlockMappingKey if context.before.trim() == "-" => {
            return line + indentation..line + indentation + 1;
        }
        ErrorKind::MappingValueNotAllowed if !context.before.contains(": ") => return line + indentation..offset,
        _ => {}
    }
    let character = text.get(offset..).and_then(|rest| rest.chars().next());
    offset..offset + character.filter(|character| !matches!(character, '\r' | '\n')).map_or(0, char::len_utf8)
}

const TAB: Message = ("tabs are not allowed for indentation", "indent with spaces");
const QUOTE_OR_ESCAPE: Message = (
    "invalid escape sequence in a double-quoted string",
    r"write `\\` for a backslash, or use single quotes, which have no escape sequences",
);
const UNICODE_ESCAPE: Message =
    ("invalid `\\x`, `\\u` or `\\U` escape sequence", r"complete the escape sequence, or write `\\` for a backslash");
const TAG: Message = ("invalid tag", "remove the tag, or quote the string if its `!` is literal");
const DIRECTIVE: Message =
    ("invalid directive", "remove the line that starts with `%`, or quote the string if its `%` is literal");
const EXPECTED_KEY: Message =
    ("expected a key followed by `:`", "indent the line like the keys it belongs to, and write `key: value`");
const EXPECTED_SEPARATOR: Message = (
    "expected `,` or a closing bracket",
    "separate the items with `,`, close the bracket, or quote a string that contains brackets or `, `",
);

#[expect(clippy::wildcard_enum_match_arm, reason = "the parser's enum may grow")]
fn words(kind: &ErrorKind, context: &Context<'_>) -> Message {
    use ErrorKind as E;
    let Context { before, above } = context;
    match kind {
        E::TabNotAllowed
        | E::TabInBlockIndentation
        | E::TabInIndentation
        | E::TabAtBlockScalarStart
        | E::TabInPlainScalar => TAB,
        E::UnexpectedCharacter { .. } => ("unexpected character", "quote the string"),
        E::UnclosedFlowCollection { .. } => ("unclosed bracket", "close the bracket"),
        E::MismatchedFlowCollectionEnd { .. } => {
            ("mismatched bracket", "use the matching closing bracket, or quote the string")
        }
        E::MisplacedFlowCollectionEnd => {
            ("closing bracket without an opening bracket", "remove it, or quote the string that contains it")
        }
        E::UnclosedQuotedScalar => ("unclosed quote", "close the quote; inside single quotes, write a quote as `''`"),
        E::DocumentIndicatorInQuotedScalar => {
            ("`---` or `...` at the start of a line ends the document inside a quoted string", "indent the line")
        }
        E::InvalidQuotedScalarIndent => {
            ("a line of the quoted string is not indented enough", "indent it deeper than its key")
        }
        E::InvalidTrailingSingleQuotedScalar | E::InvalidTrailingDoubleQuotedScalar => (
            "unexpected text after the closing quote",
            "quote the whole value; write a quote inside it as `''` (single quotes) or `\\\"` (double quotes)",
        ),
        E::UnknownQuotedScalarEscape => QUOTE_OR_ESCAPE,
        E::InvalidQuotedScalarHexEscape
        | E::InvalidLowSurrogateHexEscape
        | E::InvalidLowSurrogate
        | E::MissingLowSurrogate
        | E::UnpairedLowSurrogate
        | E::InvalidUnicodeEscape => UNICODE_ESCAPE,
        E::MappingValueNotAllowed if before.contains(": ") => (
            "unexpected second `: ` on the line",
            "quote the value if its `:` is literal, or put the inner key on its own line",
        ),
        E::MappingValueNotAllowed if above.contains(": ") => (
            "the indentation makes this line part of the value above",
            "indent it like the keys it belongs to, or quote the whole value if its `:` is literal",
        ),
        E::MappingValueNotAllowed | E::MappingKeyNotAllowed => {
            ("unexpected key", "add a `:` after the key on the line above, or indent the line like its neighbours")
        }
        E::SimpleKeyExpected | E::InvalidSimpleKey => {
            ("missing `:` after a key", "write `key: value`, with a space after `:`")
        }
        E::ExpectedBlockMappingKey if before.trim().is_empty() => EXPECTED_KEY,
        E::ExpectedBlockMappingKey if before.trim() == "-" => {
            ("unexpected list item among keys", "indent it below the key it belongs to, or remove the `-`")
        }
        E::ExpectedBlockMappingKey => {
            ("unexpected text at the end of the line", "quote the value, or start a new line")
        }
        E::ExpectedBlockSequenceEntry => (
            "expected a list item that starts with `- `",
            "write `- ` before the item, or indent the line like the keys it belongs to",
        ),
        E::BlockSequenceEntryNotAllowed | E::InvalidBlockEntryWhitespace => {
            ("a list cannot start here", "start the list on a new line below its key, or write it as `[a, b]`")
        }
        E::BlockEntryInFlowCollection | E::PlainScalarStartsWithDashFlowIndicator => {
            ("an item inside brackets cannot start with `-`", "write `[a, b]`, or quote a string that starts with `-`")
        }
        E::InvalidIndentation | E::InvalidFlowScalarIndent => {
            ("the line is not indented enough", "indent it deeper than the key it belongs to")
        }
        E::ExpectedFlowMappingSeparator | E::ExpectedFlowSequenceSeparator => EXPECTED_SEPARATOR,
        E::InvalidColonPlacement | E::FlowMappingValueAdjacentCollection | E::InvalidMappingValueWhitespace => {
            ("unexpected `:`", "quote the string if its `:` is literal; close brackets before the next key")
        }
        E::UnexpectedEof
        | E::UnexpectedEofFlowSequence
        | E::UnexpectedEofFlowMapping
        | E::UnexpectedEofImplicitFlowMapping
        | E::UnexpectedEofBlockSequence
        | E::UnexpectedEofBlockMapping => ("unexpected end of file inside a value", "complete the value"),
        E::InvalidBlockScalarHeader => (
            "unexpected text after `|` or `>`",
            "start the text on the next line, indented, or quote it if the character is literal",
        ),
        E::ZeroBlockScalarIndent => {
            ("the indentation indicator after `|` or `>` cannot be 0", "write a digit from 1 to 9, or none")
        }
        E::InvalidBlockScalarIndent => {
            ("a line of the block scalar is not indented enough", "indent all its lines like the first one")
        }
        E::CommentNotSeparated => ("missing space before `#`", "add a space before the comment, or quote the string"),
        E::CommentInterceptedScalar => {
            ("a comment interrupts a multi-line value", "move the comment, or quote the value")
        }
        E::ExpectedWhitespace => ("expected a space", "add a space, or quote the string"),
        E::BomInsideDocument => {
            ("byte order mark inside the document", "remove it; it is only allowed at the start of the file")
        }
        E::ExpectedDocumentStart | E::InvalidDocumentEnd => (
            "unexpected content after the end of the document",
            "indent the line like the part it belongs to, or remove it",
        ),
        E::MissingAnchorOrAliasName => {
            ("anchor or alias without a name", "quote the string if its `&` or `*` is literal")
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
        E::UnsupportedYamlMajorVersion => ("unsupported YAML version", "write `%YAML 1.2`"),
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
        // The other errors are internal to the parser or concern inputs that are not used here.
        _ => ("invalid YAML", "check the indentation, quotes and brackets before this place"),
    }
}
