//! Failures of the world as findings: each has a code, the path and a next step.

use crate::diagnostics::{Code, Diagnostic};
use crate::host::{READ_LIMIT, ReadError, ReadProblem};

/// A file that could not be read. `hint` says how to name another one.
pub(super) fn unreadable(error: &ReadError, hint: &str) -> Diagnostic {
    let path = error.path.display();
    match &error.problem {
        ReadProblem::Missing => {
            Diagnostic::without_place(Code::FileMissing, format!("there is no file `{path}`")).help(hint)
        }
        ReadProblem::Directory => {
            Diagnostic::without_place(Code::FileIsDirectory, format!("`{path}` is a directory")).help(hint)
        }
        ReadProblem::TooLarge => {
            let megabytes = READ_LIMIT / (1024 * 1024);
            Diagnostic::without_place(
                Code::FileTooLarge,
                format!("`{path}` has more than {megabytes} MiB, too much for a manifest"),
            )
            .help(hint)
        }
        ReadProblem::Io(cause) => Diagnostic::without_place(Code::FileCannotBeRead, format!("`{path}` cannot be read"))
            .note(cause.to_string())
            .help("check the permissions of the file and of the directories above it"),
    }
}
