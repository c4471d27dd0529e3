//! The words of every finding that is not about syntax.

use granit_parser::Tag;

use super::scalar::NoJsonForm;
use super::{EXPANSION_BUDGET, NESTING_LIMIT};
use crate::diagnostics::{Code, Diagnostic, FileId, Span};

pub(super) fn empty_document(file: FileId) -> Diagnostic {
    Diagnostic::new(Code::EmptyDocument, Span::new(file, 0..0), "the file holds no document")
        .note("an empty file, and one with nothing but comments, describes nothing")
        .help("write the document, or name another file")
}

pub(super) fn several_documents(second: Span, count: usize) -> Diagnostic {
    Diagnostic::new(Code::MultipleDocuments, second, format!("the file holds {count} documents"))
        .label("the second document begins here")
        .note("only one document a file is read")
        .help("keep one document and move each other one to a file of its own")
}

pub(super) fn other_yaml_version(directive: Span, minor: u32) -> Diagnostic {
    let headline = format!("the file asks for YAML 1.{minor} and is read as YAML 1.2");
    Diagnostic::new(Code::UnsupportedYamlVersion, directive, headline)
        .note("in YAML 1.2 only `true` and `false` are booleans: `yes`, `no`, `on` and `off` are strings")
        .help("remove the directive, or write `%YAML 1.2`")
}

/// `later` is the place of an anchor with this name behind the alias.
pub(super) fn unknown_anchor(alias: Span, name: &str, later: Option<Span>) -> Diagnostic {
    let finding = Diagnostic::new(Code::UnknownAnchor, alias, format!("no anchor `&{name}` stands before this alias"))
        .label("unknown alias")
        .help(format!("put `&{name}` before the value that is meant, or quote the text if its `*` is literal"));
    match later {
        Some(anchor) => finding.related(anchor, "the anchor is set only here, behind its use"),
        None => finding,
    }
}

pub(super) fn alias_inside_its_anchor(alias: Span, written: &str) -> Diagnostic {
    let headline = format!("the alias `{written}` stands inside the value that it names");
    Diagnostic::new(Code::RecursiveAlias, alias, headline)
        .label("would contain itself without end")
        .help("write the value out, or move the anchor to a smaller part")
}

pub(super) fn too_many_aliased_nodes(alias: Span) -> Diagnostic {
    Diagnostic::new(Code::TooManyAliasedNodes, alias, "the aliases expand to too large a document")
        .label(format!("more than {EXPANSION_BUDGET} values added by aliases up to here"))
        .note("aliases of aliases multiply: a few lines can stand for billions of values")
        .help("write the repeated parts out, or use fewer levels of aliases")
}

pub(super) fn nested_too_deep(place: Span) -> Diagnostic {
    let headline = format!("mappings and lists are nested deeper than {NESTING_LIMIT} levels");
    Diagnostic::new(Code::NestingTooDeep, place, headline).label("one level too many").help("flatten this part")
}

pub(super) fn duplicate_key(name: &str, first: Span, second: Span) -> Diagnostic {
    Diagnostic::new(Code::DuplicateKey, second, format!("the key `{name}` is written twice"))
        .label("written again here")
        .related(first, "first written here")
        .note("one of the two values would be lost")
        .help(if name == "<<" {
            "merge several mappings with one key: `<<: [*first, *second]`"
        } else {
            "remove or rename one of them"
        })
}

pub(super) fn merge_is_not_a_mapping(value: Span) -> Diagnostic {
    Diagnostic::new(Code::InvalidMergeValue, value, "only mappings can be merged with `<<`")
        .label("not a mapping")
        .help("merge an alias of a mapping (`<<: *name`) or a list of those; quote `\"<<\"` if a key is meant")
}

pub(super) fn key_is_a_collection(key: Span) -> Diagnostic {
    Diagnostic::new(Code::NonStringKey, key, "a mapping or a list cannot be a key").help("use a string as the key")
}

/// `kind` is what the key is instead of a string: `null`, `a boolean`, `a number`.
pub(super) fn key_is_not_a_string(key: Span, text: &str, kind: &str) -> Diagnostic {
    if text.is_empty() {
        return Diagnostic::new(Code::NonStringKey, key, "a key is missing before this `:`").help("write the key");
    }
    Diagnostic::new(Code::NonStringKey, key, format!("the key `{text}` is {kind}, not a string"))
        .help(format!("quote it: `\"{text}\"`"))
}

/// `what` is what the tag stands at: `this value`, `a mapping`, `a list`.
pub(super) fn unknown_tag(place: Span, written: &str, tag: &Tag, what: &str) -> Diagnostic {
    let headline = if tag.is_yaml_core_schema() {
        format!("the tag `{written}` does not fit {what}")
    } else {
        format!("the tag `{written}` is not known")
    };
    Diagnostic::new(Code::UnknownTag, place, headline)
        .note("known are `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!map` and `!!seq`")
        .help("remove the tag")
}

pub(super) fn number_without_json_form(place: Span, text: &str, reason: NoJsonForm) -> Diagnostic {
    let (headline, note) = match reason {
        NoJsonForm::NotFinite => {
            (format!("`{text}` has no JSON form"), "infinities and not-a-number cannot be passed on")
        }
        NoJsonForm::TooLarge => (
            format!("the number `{text}` is too large to be kept exactly"),
            "whole numbers have 64 bits, others are doubles",
        ),
    };
    Diagnostic::new(Code::UnrepresentableNumber, place, headline)
        .note(note)
        .help("write a smaller number, or quote it if a text is meant")
}
