//! `--format`: the output format of findings.

use crate::diagnostics::{FileReport, render_github, render_gitlab, render_json, render_junit, render_sarif};

/// Flags of every command that reports findings.
#[derive(Debug, clap::Args)]
pub(super) struct FormatArguments {
    /// Output format of findings; all but `text` go to standard output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    format: Format,
    /// Short for `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// An output format of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Text for people, with source lines
    Text,
    /// JSON with a versioned schema
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub Actions annotations
    Github,
    /// GitLab code quality report
    Gitlab,
    /// `JUnit` XML
    Junit,
}

/// The output format of anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum AnswerFormat {
    /// Text for people
    Text,
    /// JSON with a versioned schema
    Json,
}

/// Renders reports as one machine-readable document.
pub(super) type Renderer = fn(&[FileReport]) -> String;

impl FormatArguments {
    /// The renderer of the findings. Returns `None` for text.
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
