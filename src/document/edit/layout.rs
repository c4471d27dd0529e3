//! The source layout of the tree: where each part starts and ends, its style, and whether an alias uses it elsewhere.
//!
//! Built only for edits, so that parsing does not pay for it.

use std::collections::BTreeMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, options};

use crate::document::NESTING_LIMIT;
use crate::document::pointer::tokens;

/// The first document of a text.
#[derive(Debug)]
pub(super) struct Layout {
    parts: Vec<Part>,
    root: PartId,
}

/// Index into a [`Layout`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PartId(usize);

/// A scalar, a collection or an alias.
#[derive(Debug)]
pub(super) struct Part {
    /// Its range, including brackets and quotes but not tag and anchor. A missing scalar has an empty range somewhere
    /// before the next token.
    pub(super) range: Range<usize>,
    pub(super) content: Content,
    /// Whether an alias uses it elsewhere.
    pub(super) repeated: bool,
}

#[derive(Debug)]
pub(super) enum Content {
    /// `text` is its value, with escapes resolved.
    Scalar {
        text: String,
        style: ScalarStyle,
    },
    Sequence {
        flow: bool,
        items: Vec<PartId>,
    },
    Mapping {
        flow: bool,
        entries: Vec<(PartId, PartId)>,
    },
    Alias,
}

impl Layout {
    /// Parses a text; `None` if it is not a single document or uses `\r` as line ending.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.replace("\r\n", "").contains('\r') {
            return None;
        }
        let options = options! {
            emit_unresolved_aliases: true,
            flow_nesting_limit: NESTING_LIMIT,
            block_nesting_limit: NESTING_LIMIT,
        };
        let mut reader = Reader { text, parts: Vec::new(), open: Vec::new(), anchors: BTreeMap::new(), root: None };
        for event in Parser::new_from_str_with_options(text, options) {
            let (event, span) = event.ok()?;
            reader.event(event, span.byte_range().unwrap_or_default())?;
        }
        Some(Self { root: reader.root?, parts: reader.parts })
    }

    #[expect(clippy::indexing_slicing, reason = "ids are made only together with their parts")]
    pub(super) fn part(&self, id: PartId) -> &Part {
        &self.parts[id.0]
    }

    /// The parts from the root to a JSON pointer, both included. `None` if the path leads through an alias or a merge
    /// key, or if an alias uses a part of it: an edit there would also apply elsewhere.
    pub(super) fn path(&self, pointer: &str) -> Option<Vec<Step>> {
        let mut path = vec![Step { part: self.root, slot: 0 }];
        for token in tokens(pointer) {
            let above = self.part(path.last()?.part);
            path.push(match &above.content {
                Content::Sequence { items, .. } => {
                    let slot = token.parse().ok()?;
                    Step { part: *items.get(slot)?, slot }
                }
                Content::Mapping { entries, .. } => {
                    let slot = entries.iter().position(|(key, _)| self.text(*key) == Some(&token))?;
                    Step { part: entries.get(slot)?.1, slot }
                }
                Content::Scalar { .. } | Content::Alias => return None,
            });
        }
        (!path.iter().any(|step| self.part(step.part).repeated)).then_some(path)
    }

    fn text(&self, id: PartId) -> Option<&str> {
        match &self.part(id).content {
            Content::Scalar { text, .. } => Some(text),
            Content::Sequence { .. } | Content::Mapping { .. } | Content::Alias => None,
        }
    }
}

/// A part of a path, and its index in the collection above it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) part: PartId,
    pub(super) slot: usize,
}

struct Reader<'t> {
    text: &'t str,
    parts: Vec<Part>,
    open: Vec<Frame>,
    anchors: BTreeMap<usize, PartId>,
    root: Option<PartId>,
}

/// An unfinished collection. Keys and values of a mapping alternate.
struct Frame {
    id: PartId,
    anchor: usize,
    flow: bool,
    mapping: bool,
    children: Vec<PartId>,
}

impl Reader<'_> {
    /// Adds an event. Returns `None` if there is a second document or an unresolved alias.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other events carry no part")]
    fn event(&mut self, event: Event<'_>, range: Range<usize>) -> Option<()> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let left_out = range.is_empty() && style == ScalarStyle::Plain;
                let text = if left_out { String::new() } else { text.into_owned() };
                let range = self.scalar_range(range, style);
                let id = self.add(range, Content::Scalar { text, style });
                self.complete(id, anchor)
            }
            Event::SequenceStart(style, anchor, _) => {
                self.open(range, anchor, style, false);
                Some(())
            }
            Event::MappingStart(style, anchor, _) => {
                self.open(range, anchor, style, true);
                Some(())
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(range.end),
            Event::Alias(anchor) => {
                if let Some(part) = self.anchors.get(&anchor).and_then(|target| self.parts.get_mut(target.0)) {
                    part.repeated = true;
                }
                let id = self.add(range, Content::Alias);
                self.complete(id, 0)
            }
            Event::UnresolvedAlias(_) => None,
            _ => Some(()),
        }
    }

    fn add(&mut self, range: Range<usize>, content: Content) -> PartId {
        self.parts.push(Part { range, content, repeated: false });
        PartId(self.parts.len() - 1)
    }

    fn open(&mut self, range: Range<usize>, anchor: usize, style: StructureStyle, mapping: bool) {
        let id = self.add(range, Content::Alias);
        let flow = style == StructureStyle::Flow;
        self.open.push(Frame { id, anchor, flow, mapping, children: Vec::new() });
    }

    fn close(&mut self, end: usize) -> Option<()> {
        let Frame { id, anchor, flow, mapping, children } = self.open.pop()?;
        let last = children.last().and_then(|last| self.parts.get(last.0)).map(|last| last.range.end);
        let part = self.parts.get_mut(id.0)?;
        part.range.end = if flow { end } else { last?.max(part.range.end) };
        part.content = if mapping {
            let pairs = children.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?)));
            Content::Mapping { flow, entries: pairs.collect() }
        } else {
            Content::Sequence { flow, items: children }
        };
        self.complete(id, anchor)
    }

    fn complete(&mut self, id: PartId, anchor: usize) -> Option<()> {
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        match self.open.last_mut() {
            Some(frame) => frame.children.push(id),
            None if self.root.is_some() => return None,
            None => self.root = Some(id),
        }
        Some(())
    }

    /// Drops the empty lines after a block scalar, unless its header keeps them (`|+`).
    fn scalar_range(&self, range: Range<usize>, style: ScalarStyle) -> Range<usize> {
        if !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            return range;
        }
        let header = self.text.get(..range.start).unwrap_or_default().trim_end();
        let header = header.rsplit('\n').next().unwrap_or_default();
        let keeps = header.rsplit(['|', '>']).next().is_some_and(|indicators| indicators.contains('+'));
        if keeps {
            return range;
        }
        let text = self.text.get(range.clone()).unwrap_or_default();
        range.start..range.start + text.trim_end().len()
    }
}
