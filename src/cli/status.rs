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
    /// 2: `adl mcp` made the change, but the user must confirm it in an agent.
    Attention,
    /// 3: `adl mcp` cannot make a change as it is defined; nothing was written.
    Blocked,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Done => 0,
            Status::Refused => 1,
            Status::Failed | Status::Attention => 2,
            Status::Blocked => 3,
        })
    }
}
