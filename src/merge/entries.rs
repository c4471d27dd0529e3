//! Lists of named entries with the comment lines before each, shared by environment files and ignore files.

use std::collections::{BTreeMap, BTreeSet};

use super::{Merged, Versions, text};

/// A file as a list of entries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct List {
    pub(super) entries: Vec<Entry>,
    /// The number of entries for each name.
    counts: BTreeMap<String, usize>,
    /// The lines after the last entry.
    pub(super) tail: String,
}

/// One entry. The `lead` and `text` of all entries, followed by the tail, are the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Identifies the entry in other versions of the file.
    pub(super) name: String,
    /// Comments and empty lines before the entry.
    pub(super) lead: String,
    /// The lines of the entry itself.
    pub(super) text: String,
    /// Whether the entry starts a paragraph: it is the first entry, or an empty line separates it from the previous
    /// one. Later changes of comments do not affect this.
    opens: bool,
}

impl List {
    /// Adds an entry. The current tail becomes its lead.
    pub(super) fn push(&mut self, name: &str, text: &str) {
        let lead = std::mem::take(&mut self.tail);
        let opens = self.entries.is_empty() || has_blank_line(&lead);
        self.entries.push(Entry { name: name.to_owned(), lead, text: text.to_owned(), opens });
        *self.counts.entry(name.to_owned()).or_default() += 1;
    }

    pub(super) fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(self.position(name)?)
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        if self.count(name) == 0 {
            return None;
        }
        self.entries.iter().position(|entry| entry.name == name)
    }

    fn is_at(&self, index: usize, name: &str) -> bool {
        self.entries.get(index).is_some_and(|entry| entry.name == name)
    }

    /// The number of entries with this name.
    pub(super) fn count(&self, name: &str) -> usize {
        self.counts.get(name).copied().unwrap_or_default()
    }

    /// Removes an entry. Lines of its lead that are not in `base_lead` belong to the user and are kept in the same
    /// paragraph.
    pub(super) fn remove(&mut self, index: usize, base_lead: &str) {
        let removed = self.entries.remove(index);
        self.counts.entry(removed.name.clone()).and_modify(|count| *count -= 1);
        let mut left = lead(base_lead, &removed.lead, "");
        if left == removed.lead {
            let is_ours = |line: &&str| base_lead.split_inclusive('\n').any(|known| known == *line);
            left = left.split_inclusive('\n').filter(|line| !is_ours(line)).collect();
        }
        match self.entries.get_mut(index) {
            Some(next) if next.opens => next.lead.insert_str(0, &left),
            Some(next) => {
                next.lead.insert_str(own_comment(&next.lead), &left);
                next.opens = removed.opens;
            }
            None => self.tail.insert_str(0, &left),
        }
    }

    /// Updates comments that the user has not changed since `base`.
    pub(super) fn update_leads(&mut self, base: &Self, ours: &Self) {
        for entry in &mut self.entries {
            if let (Some(base), Some(ours)) = (base.get(&entry.name), ours.get(&entry.name)) {
                entry.lead = lead(&base.lead, &entry.lead, &ours.lead);
            }
        }
    }

    /// Inserts the new entry at `index` of `ours`: after its predecessor or before its successor in `ours`, in the same
    /// paragraph if possible.
    pub(super) fn insert(&mut self, ours: &Self, index: usize) {
        let Some(new) = ours.entries.get(index) else { return };
        let mut new = new.clone();
        new.lead = self.without_repetition(&new.lead);
        end_line(&mut new.text);
        if self.entries.is_empty() {
            end_line(&mut self.tail);
            new.lead.insert_str(0, &std::mem::take(&mut self.tail));
        }
        let place = self.place_for(ours, index);
        let next = self.entries.get_mut(place);
        if let Some(next) = next.filter(|next| paragraph(ours, index).any(|kin| ours.is_at(kin, &next.name))) {
            if !next.opens {
                new.lead.drain(..own_comment(&new.lead));
            }
            new.opens = std::mem::replace(&mut next.opens, false);
        }
        if let Some(before) = place.checked_sub(1).and_then(|before| self.entries.get_mut(before)) {
            end_line(&mut before.text);
        }
        *self.counts.entry(new.name.clone()).or_default() += 1;
        self.entries.insert(place, new);
    }

    fn place_for(&self, ours: &Self, index: usize) -> usize {
        let paragraph = paragraph(ours, index);
        let entries = |range: std::ops::Range<usize>| ours.entries.get(range).unwrap_or_default();
        let after = |entry: &Entry| self.entries.iter().rposition(|known| known.name == entry.name);
        if let Some(place) = entries(paragraph.start..index).iter().rev().find_map(after) {
            return place + 1;
        }
        if let Some(place) = entries(index + 1..paragraph.end).iter().find_map(|next| self.position(&next.name)) {
            return place;
        }
        if let Some(place) = entries(0..paragraph.start).iter().rev().find_map(after) {
            let rest = self.entries.get(place + 1..).unwrap_or_default();
            return place + 1 + rest.iter().take_while(|entry| !entry.opens).count();
        }
        let next = entries(paragraph.end..ours.entries.len()).iter().find_map(|next| self.position(&next.name));
        next.unwrap_or(self.entries.len())
    }

    /// `lead` without comments that the list already contains. The last line, which describes the entry itself, is
    /// kept.
    fn without_repetition(&self, lead: &str) -> String {
        let leads = self.entries.iter().map(|entry| entry.lead.as_str()).chain([self.tail.as_str()]);
        let known: BTreeSet<_> = leads.flat_map(str::lines).filter(|line| !line.trim().is_empty()).collect();
        let count = lead.lines().count();
        let mut kept: Vec<&str> = Vec::new();
        for (number, line) in lead.split_inclusive('\n').enumerate() {
            let repeats_blank = line.trim().is_empty() && kept.last().is_some_and(|last| last.trim().is_empty());
            if number + 1 == count || !(repeats_blank || known.contains(line.trim_end_matches('\n'))) {
                kept.push(line);
            }
        }
        kept.concat()
    }

    /// The line number of the entry at `index`, from 1.
    pub(super) fn line(&self, index: usize) -> usize {
        let before =
            self.entries.iter().take(index).map(|entry| breaks(&entry.lead) + breaks(&entry.text)).sum::<usize>();
        before + self.entries.get(index).map_or(0, |entry| breaks(&entry.lead)) + 1
    }

    pub(super) fn into_text(self) -> String {
        let entries = self.entries.into_iter().flat_map(|entry| [entry.lead, entry.text]);
        entries.chain([self.tail]).collect()
    }
}

/// Adds a line break to a text that does not end with one. Needed before more lines are appended, because the last line
/// of a file may lack it.
pub(super) fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

fn breaks(text: &str) -> usize {
    text.matches('\n').count()
}

/// The indices of the paragraph that contains `index`: entries that are not separated by empty lines.
fn paragraph(list: &List, index: usize) -> std::ops::Range<usize> {
    let starts = |entry: &Entry| entry.opens;
    let start = list.entries.iter().take(index + 1).rposition(starts).unwrap_or(0);
    let after = list.entries.get(index + 1..).unwrap_or_default();
    start..after.iter().position(starts).map_or(list.entries.len(), |next| index + 1 + next)
}

/// The offset of the comment at the end of `lead`, after its last empty line.
fn own_comment(lead: &str) -> usize {
    let mut place = 0;
    let mut start = 0;
    for line in lead.split_inclusive('\n') {
        place += line.len();
        if line.trim().is_empty() {
            start = place;
        }
    }
    start
}

fn has_blank_line(lead: &str) -> bool {
    lead.lines().any(|line| line.trim().is_empty())
}

/// Three-way merge of leads. The user's version is used in a conflict.
fn lead(base: &str, theirs: &str, ours: &str) -> String {
    if base == ours || theirs == ours {
        return theirs.to_owned();
    }
    match text::merge(&Versions { base: Some(base), theirs, ours }) {
        Merged::Clean { text, .. } => text,
        Merged::Conflict { .. } => theirs.to_owned(),
    }
}
