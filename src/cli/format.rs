//! `--format`: in which form a command tells what it found.

use crate::diagnostics::{FileReport, render_github, render_gitlab, render_json, render_junit, render_sarif};

/// Flags of every command that reports findings.
#[derive(Debug, clap::Args)]
pub(super) struct FormatArguments {
    /// The form of the findings; all but `text` go to standard output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    format: Format,
    /// Short for `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// A form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Text for people, with the lines concerned
    Text,
    /// JSON, a versioned contract
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// A code quality report of GitLab
    Gitlab,
    /// XML as `JUnit` writes it
    Junit,
}

/// The form of an answer that is no list of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum AnswerFormat {
    /// Text for people
    Text,
    /// JSON, a versioned contract
    Json,
}

/// A form for machines: reports in, a document out.
pub(super) type Renderer = fn(&[FileReport]) -> String;

impl FormatArguments {
    /// What renders the findings; `None` for text.
    pub(super) fn renderer(&self) -> Option<Renderer> {
        let format = if self.json { Format::Json } else { self.format };
        match format {
            Format::Text => None,
            Format::Json => Some(render_json),
            Format::Sarif => Some(render_sarif),
            Format::Github => Some(render_github),
            Format::Gitlab => Some(render_gitlab),
            Format::Junit => Some(render_junit),
        }
    }
}
