//! Findings about documents, apart from syntax errors.

use granit_parser::Tag;

use super::scalar::Unrepresentable;
use super::{EXPANSION_BUDGET, NESTING_LIMIT};
use crate::diagnostics::{Code, Diagnostic, FileId, Span};

pub(super) fn empty_document(file: FileId) -> Diagnostic {
    Diagnostic::new(Code::EmptyDocument, Span::new(file, 0..0), "the file contains no document")
        .note("the file is empty or contains only comments")
        .help("add a document, or choose another file")
}

pub(super) fn multiple_documents(second: Span, count: usize) -> Diagnostic {
    Diagnostic::new(Code::MultipleDocuments, second, format!("the file contains {count} documents"))
        .label("the second document starts here")
        .note("a file must contain exactly one document")
        .help("move each further document to its own file")
}

pub(super) fn unsupported_yaml_version(directive: Span, minor: u32) -> Diagnostic {
    let headline = format!("YAML 1.{minor} is not supported; the file is read as YAML 1.2");
    Diagnostic::new(Code::UnsupportedYamlVersion, directive, headline)
        .note("in YAML 1.2 only `true` and `false` are booleans: `yes`, `no`, `on` and `off` are strings")
        .help("remove the directive, or write `%YAML 1.2`")
}

/// `later` is the location of an anchor with this name after the alias.
pub(super) fn unknown_anchor(alias: Span, name: &str, later: Option<Span>) -> Diagnostic {
    let finding = Diagnostic::new(Code::UnknownAnchor, alias, format!("unknown anchor `{name}`"))
        .label("no anchor with this name before this alias")
        .help(format!(
            "add the anchor `&{name}` to a value before this alias, or quote the string if its `*` is literal"
        ));
    match later {
        Some(anchor) => finding.related(anchor, "the anchor is defined here, after its use"),
        None => finding,
    }
}

pub(super) fn recursive_alias(alias: Span, written: &str) -> Diagnostic {
    let headline = format!("the alias `{written}` refers to a value that contains it");
    Diagnostic::new(Code::RecursiveAlias, alias, headline)
        .label("recursive alias")
        .help("replace the alias with its value, or move the anchor to a smaller part")
}

pub(super) fn too_many_aliased_nodes(alias: Span) -> Diagnostic {
    Diagnostic::new(Code::TooManyAliasedNodes, alias, "the document is too large after expanding its aliases")
        .label(format!("aliases up to here add more than {EXPANSION_BUDGET} values"))
        .note("nested aliases multiply: a few lines can expand to billions of values")
        .help("replace aliases with their values, or use fewer levels of aliases")
}

pub(super) fn nesting_too_deep(place: Span) -> Diagnostic {
    let headline = format!("mappings and lists are nested deeper than {NESTING_LIMIT} levels");
    Diagnostic::new(Code::NestingTooDeep, place, headline).label("exceeds the limit").help("reduce the nesting")
}

pub(super) fn duplicate_key(name: &str, first: Span, second: Span) -> Diagnostic {
    Diagnostic::new(Code::DuplicateKey, second, format!("duplicate key `{name}`"))
        .label("duplicate")
        .related(first, "first defined here")
        .note("only one of the values can take effect")
        .help(if name == "<<" {
            "merge several mappings with a single key: `<<: [*first, *second]`"
        } else {
            "remove or rename one of them"
        })
}

pub(super) fn invalid_merge_value(value: Span) -> Diagnostic {
    Diagnostic::new(
        Code::InvalidMergeValue,
        value,
        "the value of the merge key `<<` must be a mapping or a list of mappings",
    )
    .label("not a mapping")
    .help("use an alias of a mapping (`<<: *name`) or a list of these, or quote `\"<<\"` if it is an ordinary key")
}

pub(super) fn collection_as_key(key: Span) -> Diagnostic {
    Diagnostic::new(Code::NonStringKey, key, "a key must be a string, not a mapping or list")
        .help("write a string as the key")
}

/// `kind` is the type of the key: `null`, `a boolean`, `a number`.
pub(super) fn non_string_key(key: Span, text: &str, kind: &str) -> Diagnostic {
    if text.is_empty() {
        return Diagnostic::new(Code::NonStringKey, key, "missing key before `:`").help("add the key");
    }
    Diagnostic::new(Code::NonStringKey, key, format!("the key `{text}` must be a string, not {kind}"))
        .help(format!("quote it: `\"{text}\"`"))
}

/// `what` is the tagged part: `this value`, `a mapping`, `a list`.
pub(super) fn unknown_tag(place: Span, written: &str, tag: &Tag, what: &str) -> Diagnostic {
    let headline = if tag.is_yaml_core_schema() {
        format!("the tag `{written}` is not valid for {what}")
    } else {
        format!("unknown tag `{written}`")
    };
    Diagnostic::new(Code::UnknownTag, place, headline)
        .note("supported tags are `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!map` and `!!seq`")
        .help("remove the tag")
}

pub(super) fn unrepresentable_number(place: Span, text: &str, reason: Unrepresentable) -> Diagnostic {
    let (headline, note) = match reason {
        Unrepresentable::NotFinite => {
            (format!("`{text}` is not a finite number"), "infinity and not-a-number have no JSON representation")
        }
        Unrepresentable::TooLarge => (
            format!("the number `{text}` is too large"),
            "integers are limited to 64 bits, other numbers to double precision",
        ),
    };
    Diagnostic::new(Code::UnrepresentableNumber, place, headline)
        .note(note)
        .help("write a smaller number, or quote it if it is a string")
}
