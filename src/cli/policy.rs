//! `--deny` and `--allow`: the treatment of warnings.

use std::collections::BTreeSet;

use super::Printer;
use crate::diagnostics::Code;
use crate::ops::{Policy, Warnings};

/// Flags of every command that reports warnings.
#[derive(Debug, clap::Args)]
pub(super) struct PolicyArguments {
    /// Treat warnings of this code (number or name) as errors; `warnings` for all warnings
    #[arg(long, value_name = "CODE|warnings", value_parser = Denied::parse)]
    deny: Vec<Denied>,
    /// Ignore warnings of this code; errors cannot be ignored
    #[arg(long, value_name = "CODE", value_parser = code)]
    allow: Vec<Code>,
}

/// A value of `--deny`.
#[derive(Debug, Clone, Copy)]
enum Denied {
    Warnings,
    Code(Code),
}

impl Denied {
    fn parse(word: &str) -> Result<Self, String> {
        if word == "warnings" { Ok(Self::Warnings) } else { code(word).map(Self::Code) }
    }
}

fn code(word: &str) -> Result<Code, String> {
    Code::from_word(word).ok_or_else(|| "unknown code".to_owned())
}

impl PolicyArguments {
    /// The resulting policy.
    pub(super) fn policy(self) -> Policy {
        let mut policy = Policy { allowed: BTreeSet::from_iter(self.allow), ..Policy::default() };
        for denied in self.deny {
            match denied {
                Denied::Warnings => policy.warnings = Warnings::Denied,
                Denied::Code(code) => {
                    policy.denied.insert(code);
                }
            }
        }
        policy
    }
}

/// Reports the errors that `--allow` names, because errors cannot be allowed.
pub(super) fn print_not_allowed(codes: &BTreeSet<Code>, printer: &mut Printer) {
    for code in codes {
        printer.progress(&format!("note: {code} ({}) is an error and cannot be allowed", code.name()));
    }
}
