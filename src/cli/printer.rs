//! Prints data to standard output, findings and progress to standard error.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Stderr, Stdout, Write};

use serde::Serialize;

use super::Status;
use crate::diagnostics::{self, Diagnostic, Severity, Sources, Style};
use crate::host;
use crate::ops::{Event, Kept};

/// The maximum number of findings with the same code that are printed; the rest are counted.
const MAX_REPEATS: usize = 100;

/// Both output streams. A broken pipe is not an error: further output is dropped.
pub(super) struct Printer {
    data: BufWriter<Stdout>,
    messages: BufWriter<Stderr>,
    style: Style,
    /// Whether the hint about `adl explain` has been printed. It is printed once per run.
    hinted: bool,
    /// A description of what was written, for the error message if printing fails.
    written: Option<String>,
    failure: Option<io::Error>,
}

impl Printer {
    pub(super) fn new() -> Self {
        let style = if host::stderr_wants_colour() { Style::Colour } else { Style::Plain };
        Self {
            data: BufWriter::new(io::stdout()),
            messages: BufWriter::new(io::stderr()),
            style,
            hinted: false,
            written: None,
            failure: None,
        }
    }

    /// Prints a line of data.
    pub(super) fn data(&mut self, line: &str) {
        let result = writeln!(self.data, "{line}");
        self.record(result);
    }

    /// Prints rows of cells as columns. The first row is the header.
    pub(super) fn table<const COLUMNS: usize>(&mut self, rows: &[[String; COLUMNS]]) {
        let mut widths = [0; COLUMNS];
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        for row in rows {
            let cells: Vec<_> = widths.iter().zip(row).map(|(width, cell)| format!("{cell:width$}")).collect();
            self.data(cells.join("  ").trim_end());
        }
    }

    /// Prints a JSON document.
    pub(super) fn json(&mut self, document: &impl Serialize) {
        self.data(&serde_json::to_string_pretty(document).unwrap_or_default());
    }

    /// Prints a string without a line break.
    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Prints bytes unchanged.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        let result = self.data.write_all(bytes);
        self.record(result);
    }

    /// Records what was written, so that a later printing error mentions it.
    pub(super) fn written(&mut self, what: String) {
        self.written = Some(what);
    }

    /// Flushes both streams before another program prints.
    pub(super) fn flush(&mut self) {
        let data = self.data.flush();
        self.record(data);
        let messages = self.messages.flush();
        self.record(messages);
    }

    /// Prints a line of progress.
    pub(super) fn progress(&mut self, line: &str) {
        let result = writeln!(self.messages, "{line}");
        self.record(result);
    }

    /// Prints an event of a file transaction at once.
    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::Waiting => self.progress("Waiting for another run in this folder"),
            Event::RolledBack(kept) => {
                self.progress("A previous run was interrupted; its partial changes were rolled back");
                self.kept(kept, "was edited since");
            }
            Event::Kept(kept) => self.kept(kept, "was edited during this run"),
        }
        self.flush();
    }

    fn kept(&mut self, kept: &[Kept], why: &str) {
        for Kept { path, backup } in kept {
            let backup = backup.as_ref().map(|backup| format!("; the previous version is in `{backup}`"));
            self.progress(&format!("`{path}` {why} and was kept{}", backup.unwrap_or_default()));
        }
    }

    /// Prints a line that the next output overwrites.
    pub(super) fn transient(&mut self, line: &str) {
        let result = write!(self.messages, "\r\x1b[K{line}").and_then(|()| self.messages.flush());
        self.record(result);
    }

    /// Prints findings about the file `name` and a summary.
    pub(super) fn report(&mut self, name: &str, diagnostics: &[Diagnostic], sources: &Sources) {
        self.findings(diagnostics, sources);
        if let Some(first) = diagnostics.first() {
            if !std::mem::replace(&mut self.hinted, true) {
                self.progress(&format!("run `adl explain {}` for details\n", first.code));
            }
            self.progress(&format!("{name}: {}", summary(diagnostics)));
        }
    }

    /// Prints findings about one file.
    pub(super) fn findings(&mut self, diagnostics: &[Diagnostic], sources: &Sources) {
        let mut counts = BTreeMap::new();
        for diagnostic in diagnostics {
            let count: &mut usize = counts.entry(diagnostic.code).or_default();
            *count += 1;
            if *count <= MAX_REPEATS {
                self.finding(diagnostic, sources);
            }
        }
        for (code, count) in counts {
            if let Some(rest) = count.checked_sub(MAX_REPEATS).filter(|rest| *rest > 0) {
                self.progress(&format!("{rest} more findings of {code} ({})\n", code.name()));
            }
        }
    }

    /// Prints one finding and an empty line.
    pub(super) fn finding(&mut self, diagnostic: &Diagnostic, sources: &Sources) {
        let text = diagnostics::render_text(diagnostic, sources, self.style);
        let result = writeln!(self.messages, "{text}");
        self.record(result);
    }

    /// Flushes the output. Returns `status`, or `Failed` if output was lost.
    pub(super) fn finish(mut self, status: Status) -> Status {
        self.flush();
        match self.failure {
            None => status,
            Some(error) => {
                // Standard error may be the stream that failed.
                let written = self.written.map(|what| format!("; {what}")).unwrap_or_default();
                let _ignored = writeln!(self.messages, "error: cannot print: {error}{written}");
                Status::Failed
            }
        }
    }

    fn record(&mut self, result: io::Result<()>) {
        if let Err(error) = result
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            self.failure.get_or_insert(error);
        }
    }
}

fn summary(diagnostics: &[Diagnostic]) -> String {
    let count = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    severity_counts(count(Severity::Error), count(Severity::Warning))
}

/// `2 errors, 1 warning`; empty if there are none.
pub(super) fn severity_counts(errors: usize, warnings: usize) -> String {
    let parts = [(errors, "error"), (warnings, "warning")].into_iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, noun)| counted(count, noun)).collect::<Vec<_>>().join(", ")
}

/// `1 file`, `2 files`
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
