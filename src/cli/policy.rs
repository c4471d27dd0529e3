//! `--deny` and `--allow`: what the user thinks of warnings.

use std::collections::BTreeSet;

use super::Printer;
use crate::diagnostics::Code;
use crate::ops::{Policy, Warnings};

/// Flags of every command that judges something.
#[derive(Debug, clap::Args)]
pub(super) struct PolicyArguments {
    /// Count the warnings of this code, by number or name, as errors; `warnings` means all
    #[arg(long, value_name = "CODE|warnings", value_parser = Denied::parse)]
    deny: Vec<Denied>,
    /// Drop the warnings of this code; errors stay
    #[arg(long, value_name = "CODE", value_parser = code)]
    allow: Vec<Code>,
}

/// What `--deny` names.
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
    Code::from_word(word).ok_or_else(|| "no finding has this code or name".to_owned())
}

impl PolicyArguments {
    /// The policy that they make.
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

/// Says which errors `--allow` names in vain.
pub(super) fn print_not_allowed(codes: &BTreeSet<Code>, printer: &mut Printer) {
    for code in codes {
        printer.progress(&format!("note: {code} ({}) is an error and cannot be allowed", code.name()));
    }
}
