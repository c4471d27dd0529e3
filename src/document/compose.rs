//! From the parser's events to the tree as it is written: aliases stay references, merge keys stay keys, scalars stay text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, Tag, options};

use super::{NESTING_LIMIT, syntax};
use crate::diagnostics::{Code, Diagnostic, FileId, Span};

/// One document as it is written. The root is the node that was completed first at depth 0.
pub(super) struct Tree<'t> {
    nodes: Vec<SourceNode<'t>>,
    root: SourceId,
}

/// Index into a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SourceId(u32);

pub(super) struct SourceNode<'t> {
    /// A scalar's or alias's text; the first byte of a collection, as an empty range when it has no bracket.
    pub(super) range: Range<usize>,
    pub(super) tag: Option<Box<(Range<usize>, Tag)>>,
    pub(super) content: Content<'t>,
}

pub(super) enum Content<'t> {
    Scalar {
        text: Cow<'t, str>,
        plain: bool,
    },
    Sequence(Vec<SourceId>),
    Mapping(Vec<(SourceId, SourceId)>),
    Alias(SourceId),
    /// An alias that leads nowhere; the finding is made.
    Broken,
}

impl<'t> Tree<'t> {
    pub(super) fn root(&self) -> SourceId {
        self.root
    }

    #[expect(clippy::indexing_slicing, reason = "ids are made only together with their nodes")]
    pub(super) fn node(&self, id: SourceId) -> &SourceNode<'t> {
        &self.nodes[id.0 as usize]
    }
}

/// Reads the text; `None` when it cannot be read or holds no document. Of several documents the first is returned.
pub(super) fn compose<'t>(file: FileId, text: &'t str, diagnostics: &mut Vec<Diagnostic>) -> Option<Tree<'t>> {
    let options = options! {
        emit_unresolved_aliases: true,
        flow_nesting_limit: NESTING_LIMIT,
        block_nesting_limit: NESTING_LIMIT,
    };
    let mut composer = Composer::new(file, text, diagnostics);
    for event in Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((event, span)) => composer.event(event, &span),
            Err(error) => {
                let opener = composer.open_bracket();
                diagnostics.push(syntax::finding(file, text, &error, opener));
                return None;
            }
        }
    }
    composer.report_count();
    composer.first
}

struct Composer<'t, 'd> {
    file: FileId,
    text: &'t str,
    diagnostics: &'d mut Vec<Diagnostic>,
    nodes: Vec<SourceNode<'t>>,
    open: Vec<Frame>,
    /// Complete nodes by the parser's anchor number; a number that is missing here belongs to an open collection.
    anchors: BTreeMap<usize, SourceId>,
    /// The place where the current document begins.
    start: Range<usize>,
    /// The first document that is not empty.
    first: Option<Tree<'t>>,
    /// The places of the further ones.
    others: Vec<Range<usize>>,
}

/// A collection whose end is not reached.
struct Frame {
    id: SourceId,
    anchor: usize,
    style: StructureStyle,
    children: Children,
}

enum Children {
    Items(Vec<SourceId>),
    Entries { complete: Vec<(SourceId, SourceId)>, key: Option<SourceId> },
}

impl<'t, 'd> Composer<'t, 'd> {
    fn new(file: FileId, text: &'t str, diagnostics: &'d mut Vec<Diagnostic>) -> Self {
        Self {
            file,
            text,
            diagnostics,
            nodes: Vec::new(),
            open: Vec::new(),
            anchors: BTreeMap::new(),
            start: 0..0,
            first: None,
            others: Vec::new(),
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the parser's enum may grow; what no option asks for is not sent"
    )]
    fn event(&mut self, event: Event<'t>, span: &granit_parser::Span) {
        let range = span.byte_range().unwrap_or_default();
        match event {
            Event::DocumentStart(_, version) => {
                self.start = range;
                self.anchors.clear();
                if let Some(version) = version.filter(|version| version.minor != 2) {
                    self.report_version(version.minor);
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let left_out = range.is_empty() && style == ScalarStyle::Plain;
                let text = if left_out { Cow::Borrowed("") } else { text };
                let range = match style {
                    ScalarStyle::Literal | ScalarStyle::Folded => self.without_trailing_blanks(range),
                    ScalarStyle::Plain | ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => range,
                };
                let content = Content::Scalar { text, plain: style == ScalarStyle::Plain };
                let id = self.add(range, tag.map(|tag| (span, tag)), content);
                self.complete(id, anchor);
            }
            Event::SequenceStart(style, anchor, tag) => {
                let id = self.add(range, tag.map(|tag| (span, tag)), Content::Sequence(Vec::new()));
                self.open.push(Frame { id, anchor, style, children: Children::Items(Vec::new()) });
            }
            Event::MappingStart(style, anchor, tag) => {
                let id = self.add(range, tag.map(|tag| (span, tag)), Content::Mapping(Vec::new()));
                let children = Children::Entries { complete: Vec::new(), key: None };
                self.open.push(Frame { id, anchor, style, children });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => {
                let content = match self.anchors.get(&anchor) {
                    Some(id) => Content::Alias(*id),
                    None => self.report_cycle(range.clone()),
                };
                let id = self.add(range, None, content);
                self.complete(id, 0);
            }
            Event::UnresolvedAlias(name) => {
                let content = self.report_unknown_anchor(&name, range.clone());
                let id = self.add(range, None, content);
                self.complete(id, 0);
            }
            _ => {}
        }
    }

    fn add(
        &mut self,
        range: Range<usize>,
        tag: Option<(&granit_parser::Span, Cow<'t, Tag>)>,
        content: Content<'t>,
    ) -> SourceId {
        let tag = tag.map(|(span, tag)| {
            let place = span.tag_span().and_then(|span| span.byte_range()).unwrap_or_else(|| range.clone());
            Box::new((place, tag.into_owned()))
        });
        let id = SourceId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(SourceNode { range, tag, content });
        id
    }

    /// Ends the innermost open collection.
    fn close(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        if let Some(node) = self.nodes.get_mut(frame.id.0 as usize) {
            node.content = match frame.children {
                Children::Items(items) => Content::Sequence(items),
                Children::Entries { complete, .. } => Content::Mapping(complete),
            };
        }
        self.complete(frame.id, frame.anchor);
    }

    /// Hands a complete node to the collection around it, or ends the document.
    fn complete(&mut self, id: SourceId, anchor: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        match self.open.last_mut().map(|frame| &mut frame.children) {
            Some(Children::Items(items)) => items.push(id),
            Some(Children::Entries { complete, key }) => match key.take() {
                Some(key) => complete.push((key, id)),
                None => *key = Some(id),
            },
            None => self.end_document(id),
        }
    }

    /// Keeps the first document, counts the others, drops those that hold nothing, as behind a last `---`.
    fn end_document(&mut self, root: SourceId) {
        let nodes = std::mem::take(&mut self.nodes);
        let tree = Tree { nodes, root };
        let node = tree.node(root);
        let left_out = matches!(node.content, Content::Scalar { plain: true, .. }) && node.range.is_empty();
        if left_out && node.tag.is_none() {
            return;
        }
        if self.first.is_some() {
            self.others.push(self.start.clone());
        } else {
            self.first = Some(tree);
        }
    }

    /// The bracket of the innermost flow collection that is still open.
    fn open_bracket(&self) -> Option<Range<usize>> {
        let frame = self.open.iter().rev().find(|frame| frame.style == StructureStyle::Flow)?;
        self.nodes.get(frame.id.0 as usize).map(|node| node.range.clone())
    }

    fn without_trailing_blanks(&self, range: Range<usize>) -> Range<usize> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        range.start..range.start + text.trim_end().len()
    }

    fn report_count(&mut self) {
        if self.first.is_none() {
            let finding =
                Diagnostic::new(Code::EmptyDocument, Span::new(self.file, 0..0), "the file holds no document")
                    .note("an empty file, and one with nothing but comments, describes nothing")
                    .help("write the document, or name another file");
            self.diagnostics.push(finding);
        }
        let Some(second) = self.others.first() else { return };
        let count = self.others.len() + 1;
        let finding = Diagnostic::new(
            Code::SeveralDocuments,
            Span::new(self.file, second.clone()),
            format!("the file holds {count} documents"),
        )
        .label("the second document begins here")
        .note("only one document a file is read")
        .help("keep one document and move each other one to a file of its own");
        self.diagnostics.push(finding);
    }

    fn report_version(&mut self, minor: u32) {
        let start = self.text.find("%YAML").unwrap_or(self.start.start);
        let line = self.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let finding = Diagnostic::new(
            Code::OtherYamlVersion,
            Span::new(self.file, start..start + line.trim_end().len()),
            format!("the file asks for YAML 1.{minor} and is read as YAML 1.2"),
        )
        .note("in YAML 1.2 only `true` and `false` are booleans: `yes`, `no`, `on` and `off` are strings")
        .help("remove the directive, or write `%YAML 1.2`");
        self.diagnostics.push(finding);
    }

    fn report_cycle(&mut self, range: Range<usize>) -> Content<'t> {
        let name = self.text.get(range.clone()).unwrap_or_default();
        let finding = Diagnostic::new(
            Code::AliasInsideItsAnchor,
            Span::new(self.file, range),
            format!("the alias `{name}` stands inside the value that it names"),
        )
        .label("would contain itself without end")
        .help("write the value out, or move the anchor to a smaller part");
        self.diagnostics.push(finding);
        Content::Broken
    }

    fn report_unknown_anchor(&mut self, name: &str, range: Range<usize>) -> Content<'t> {
        let mut finding = Diagnostic::new(
            Code::UnknownAnchor,
            Span::new(self.file, range.clone()),
            format!("no anchor `&{name}` stands before this alias"),
        )
        .label("unknown alias")
        .help(format!("put `&{name}` before the value that is meant, or quote the text if its `*` is literal"));
        let later = self.text.get(range.end..).and_then(|rest| Some(range.end + anchor_place(rest, name)?));
        if let Some(start) = later {
            let span = Span::new(self.file, start..start + 1 + name.len());
            finding = finding.related(span, "the anchor is set only here, behind its use");
        }
        self.diagnostics.push(finding);
        Content::Broken
    }
}

/// Finds `&name` as a word of its own.
fn anchor_place(text: &str, name: &str) -> Option<usize> {
    let anchor = format!("&{name}");
    text.match_indices(&anchor).map(|(place, _)| place).find(|place| {
        let before = text.get(..*place).and_then(|text| text.chars().next_back());
        let behind = text.get(place + anchor.len()..).and_then(|text| text.chars().next());
        before.is_none_or(|character| character.is_whitespace() || "[{,".contains(character))
            && behind.is_none_or(|character| character.is_whitespace() || ",]}".contains(character))
    })
}
