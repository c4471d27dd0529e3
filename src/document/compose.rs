//! Builds the source tree from parser events: aliases stay references, merge keys stay keys, scalars stay text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, Tag, options};

use super::extent::Extent;
use super::{NESTING_LIMIT, finding, syntax};
use crate::diagnostics::{Diagnostic, FileId, Span};

/// The estimated number of source bytes per node, to reserve capacity.
const BYTES_PER_NODE: usize = 16;

/// The source tree of a document. The root is the node that was completed first at depth 0.
pub(super) struct Tree<'t> {
    nodes: Vec<SourceNode<'t>>,
    root: SourceId,
}

/// Index into a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SourceId(u32);

pub(super) struct SourceNode<'t> {
    /// The range of a scalar or alias. For a collection, its opening bracket, or an empty range at its start if it has
    /// none.
    pub(super) extent: Extent,
    pub(super) tag: Option<Box<(Extent, Tag)>>,
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
    /// An unresolved alias, already reported.
    Broken,
}

impl<'t> Tree<'t> {
    /// The number of nodes in the source.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn root(&self) -> SourceId {
        self.root
    }

    #[expect(clippy::indexing_slicing, reason = "ids are made only together with their nodes")]
    pub(super) fn node(&self, id: SourceId) -> &SourceNode<'t> {
        &self.nodes[id.0 as usize]
    }
}

/// Parses the text; `None` if it is invalid or contains no document. Returns the first of multiple documents.
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
    /// Complete nodes by anchor number of the parser. A missing number belongs to an open collection.
    anchors: BTreeMap<usize, SourceId>,
    /// The start of the current document.
    start: Range<usize>,
    /// The first document that is not empty.
    first: Option<Tree<'t>>,
    /// The locations of further documents.
    others: Vec<Range<usize>>,
}

/// An unfinished collection.
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
            nodes: Vec::with_capacity(text.len() / BYTES_PER_NODE),
            open: Vec::new(),
            anchors: BTreeMap::new(),
            start: 0..0,
            first: None,
            others: Vec::new(),
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the parser's enum may grow; other events are sent only if an option requests them"
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
            Box::new((Extent::new(&place), tag.into_owned()))
        });
        let id = SourceId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(SourceNode { extent: Extent::new(&range), tag, content });
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

    /// Adds a complete node to the collection around it, or ends the document.
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

    /// Keeps the first document, counts the others and ignores empty ones, such as after a final `---`.
    fn end_document(&mut self, root: SourceId) {
        let nodes = std::mem::take(&mut self.nodes);
        let tree = Tree { nodes, root };
        let node = tree.node(root);
        let left_out = matches!(node.content, Content::Scalar { plain: true, .. }) && node.extent.is_empty();
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
        self.nodes.get(frame.id.0 as usize).map(|node| node.extent.start()..node.extent.end())
    }

    fn without_trailing_blanks(&self, range: Range<usize>) -> Range<usize> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        range.start..range.start + text.trim_end().len()
    }

    fn report_count(&mut self) {
        if self.first.is_none() {
            self.diagnostics.push(finding::empty_document(self.file));
        }
        if let Some(second) = self.others.first() {
            let second = Span::new(self.file, second.clone());
            self.diagnostics.push(finding::multiple_documents(second, self.others.len() + 1));
        }
    }

    fn report_version(&mut self, minor: u32) {
        let start = self.text.find("%YAML").unwrap_or(self.start.start);
        let line = self.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let directive = Span::new(self.file, start..start + line.trim_end().len());
        self.diagnostics.push(finding::unsupported_yaml_version(directive, minor));
    }

    fn report_cycle(&mut self, range: Range<usize>) -> Content<'t> {
        let written = self.text.get(range.clone()).unwrap_or_default();
        self.diagnostics.push(finding::recursive_alias(Span::new(self.file, range), written));
        Content::Broken
    }

    fn report_unknown_anchor(&mut self, name: &str, range: Range<usize>) -> Content<'t> {
        let later = self.text.get(range.end..).and_then(|rest| anchor_place(rest, name)).map(|place| {
            let start = range.end + place;
            Span::new(self.file, start..start + 1 + name.len())
        });
        self.diagnostics.push(finding::unknown_anchor(Span::new(self.file, range), name, later));
        Content::Broken
    }
}

/// Finds `&name` as a separate word.
fn anchor_place(text: &str, name: &str) -> Option<usize> {
    let anchor = format!("&{name}");
    text.match_indices(&anchor).map(|(place, _)| place).find(|place| {
        let before = text.get(..*place).and_then(|text| text.chars().next_back());
        let after = text.get(place + anchor.len()..).and_then(|text| text.chars().next());
        before.is_none_or(|character| character.is_whitespace() || "[{,".contains(character))
            && after.is_none_or(|character| character.is_whitespace() || ",]}".contains(character))
    })
}
