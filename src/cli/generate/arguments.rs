//! The flags of `adl generate`.

use std::path::PathBuf;

use super::super::format::AnswerFormat;
use super::super::policy::PolicyArguments;
use crate::ops::{Adopt, GenerateMode, GenerateOptions, OnConflict, PlanOptions};

/// Generate a project from a manifest
///
/// Validates the manifest, then writes the complete project or nothing. Your
/// edits of generated files are merged. If a merge conflicts or another file
/// would be overwritten, nothing is written and the files are listed.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    group = clap::ArgGroup::new("view").multiple(false),
    after_help = "Examples:\n  adl generate --output agent\n  adl generate -f agents/weather.yaml -o weather --dry-run\n  \
                  adl generate -o agent --check\n  adl generate --stdout main.go\n"
)]
pub(in crate::cli) struct Arguments {
    /// The manifest
    #[arg(short, long, value_name = "FILE", default_value = "agent.yaml")]
    pub(super) file: PathBuf,
    /// The output folder, created if necessary
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    looks: Looks,
    /// Print one file of the project instead of writing
    #[arg(long, value_name = "PATH", group = "view", conflicts_with_all = ["format", "json", "on_conflict", "adopt"])]
    pub(super) stdout: Option<String>,
    /// Watch the manifest and generate on every change, until Ctrl-C
    #[arg(long, group = "view", conflicts_with_all = ["format", "json", "adopt"])]
    watch: bool,
    /// How to resolve conflicts between your edits and generated changes
    #[arg(long, value_enum, value_name = "HOW")]
    on_conflict: Option<Conflicts>,
    #[command(flatten)]
    adoption: Adoption,
    #[command(flatten)]
    pub(super) policy: PolicyArguments,
    /// Run the commands in `spec.hooks.post` after writing the project
    #[arg(long, conflicts_with_all = ["dry_run", "diff", "check", "stdout"])]
    run_hooks: bool,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = AnswerFormat::Text)]
    format: AnswerFormat,
    /// Short for `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// Flags that prevent writing.
#[derive(Debug, clap::Args)]
struct Looks {
    /// List the action for each file and its reason instead of writing
    #[arg(long, group = "view")]
    dry_run: bool,
    /// Print a unified diff instead of writing
    #[arg(long, group = "view")]
    diff: bool,
    /// Write nothing; print a diff and exit with status 1 if anything would change
    #[arg(long, group = "view", conflicts_with_all = ["on_conflict", "adopt"])]
    check: bool,
}

/// Flags for projects of other tools.
#[derive(Debug, clap::Args)]
struct Adoption {
    /// Show how a project without `.adl/lock.json` would be taken over
    #[arg(long)]
    adopt: bool,
    /// Write the changes that `--adopt` shows
    #[arg(long, requires = "adopt", conflicts_with = "view")]
    yes: bool,
}

/// How to resolve a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Conflicts {
    /// Keep your version
    Keep,
    /// Write the generated version; your version is saved as `.orig`
    Overwrite,
    /// Write both versions between conflict markers; exit with status 1
    Markers,
}

/// What to do with the generated project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    /// Write it.
    Written,
    /// Write it after every change of the manifest.
    Watched,
    /// List the action for each file.
    DryRun,
    /// Print a diff.
    Diff,
    /// Check whether it is up to date.
    Check,
}

/// The parsed flags.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) options: GenerateOptions,
    pub(super) view: View,
    pub(super) run_hooks: bool,
    pub(super) json: bool,
    /// Whether to show how a project would be adopted.
    pub(super) shows_adoption: bool,
}

impl Request {
    pub(super) fn new(arguments: Arguments) -> Self {
        let Arguments { file, output, looks, stdout: _, watch, on_conflict, adoption, policy, run_hooks, format, json } =
            arguments;
        let shows_adoption = adoption.adopt && !adoption.yes;
        let view = match (looks.diff, looks.check, looks.dry_run || shows_adoption) {
            (true, ..) => View::Diff,
            (_, true, _) => View::Check,
            (_, _, true) => View::DryRun,
            _ if watch => View::Watched,
            _ => View::Written,
        };
        let plan = PlanOptions {
            on_conflict: on_conflict.map(|how| match how {
                Conflicts::Keep => OnConflict::Keep,
                Conflicts::Overwrite => OnConflict::Overwrite,
                Conflicts::Markers => OnConflict::Markers,
            }),
            adopt: if adoption.adopt { Adopt::Yes } else { Adopt::No },
        };
        let writes = matches!(view, View::Written | View::Watched);
        let mode = if writes { GenerateMode::Write } else { GenerateMode::Plan };
        Self {
            options: GenerateOptions { file, output, mode, plan, policy: policy.policy() },
            view,
            run_hooks,
            json: json || format == AnswerFormat::Json,
            shows_adoption,
        }
    }
}
