//! Exit status.

use std::process::ExitCode;

/// How a command ended, in order of severity. A panic exits with 101 instead, see the panic hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// 0: success.
    Done,
    /// 1: the input is invalid, or files conflict.
    Refused,
    /// 2: the command could not run to completion.
    Failed,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Done => 0,
            Status::Refused => 1,
            Status::Failed => 2,
        })
    }
}
