//! Exit status.

use std::process::ExitCode;

/// How a command ended, the worse the later. A bug ends with 101 instead, see the panic hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// 0: done.
    Done,
    /// 1: the input is at fault, or files are in the way.
    Refused,
    /// 2: it could not be done.
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
