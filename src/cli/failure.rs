//! Errors of operations as findings, each with a code, a path and a next step.

use std::io;
use std::path::Path;

use super::Status;
use super::printer::counted;
use crate::diagnostics::{Code, Diagnostic};
use crate::host::{PIPE_PATIENCE, READ_LIMIT, ReadError, ReadProblem};
use crate::ops::{
    BatchError, EnvError, FileProblem, FilesError, GenerateError, HookError, HookProblem, InputError, McpError,
    Obstacle, RegistryFault, RenderError, ReplaceError, obstacles,
};

/// A file that cannot be read. `hint` tells how to select another one.
pub(super) fn unreadable(error: &ReadError, hint: &str) -> Diagnostic {
    let path = error.path.display();
    match &error.problem {
        ReadProblem::Missing => {
            Diagnostic::without_place(Code::FileNotFound, format!("file `{path}` not found")).help(hint)
        }
        ReadProblem::Dangling => {
            let headline = format!("`{path}` is a broken symbolic link");
            Diagnostic::without_place(Code::FileNotFound, headline).help("remove the link, or create its target")
        }
        ReadProblem::Directory => {
            Diagnostic::without_place(Code::FileIsDirectory, format!("`{path}` is a directory")).help(hint)
        }
        ReadProblem::TooLarge => {
            let megabytes = READ_LIMIT / (1024 * 1024);
            Diagnostic::without_place(Code::FileTooLarge, format!("`{path}` is larger than {megabytes} MiB")).help(hint)
        }
        ReadProblem::NoFile => {
            Diagnostic::without_place(Code::FileReadFailed, format!("`{path}` is not a regular file")).help(hint)
        }
        ReadProblem::NoWriter => {
            let seconds = PIPE_PATIENCE.as_secs();
            Diagnostic::without_place(Code::FileReadFailed, format!("`{path}` is a pipe without a writer"))
                .note(format!("no process opened it for writing within {seconds} seconds"))
                .help(hint)
        }
        ReadProblem::Io(cause) => Diagnostic::without_place(Code::FileReadFailed, format!("cannot read `{path}`"))
            .note(cause.to_string())
            .help("check the permissions of the file and of the directories above it"),
    }
}

/// An input of `adl COMMAND` without a readable manifest.
pub(super) fn unreadable_input(error: &InputError, command: &str) -> Diagnostic {
    match error {
        InputError::Read(error) => unreadable(
            error,
            &format!(
                "pass manifests or folders that contain manifests: `adl {command} PATH...`; the default is `agent.yaml` in the \
                 current directory"
            ),
        ),
        InputError::NoManifest { folder } => {
            Diagnostic::without_place(Code::ManifestNotFound, format!("no manifest found in `{}`", folder.display()))
                .note("looked for `agent.yaml`, `*.agent.yaml` and files with the `apiVersion` of a manifest")
                .note("hidden files and files that `.gitignore` excludes are skipped")
                .help("pass the manifest itself or another folder")
        }
    }
}

/// A file `name` that was not replaced.
pub(super) fn replace_failed(name: &str, error: &ReplaceError) -> Diagnostic {
    match error {
        ReplaceError::Changed { path } => Diagnostic::without_place(
            Code::ConcurrentModification,
            format!("`{}` was modified by another process; nothing was written", path.display()),
        )
        .help("run the command again"),
        ReplaceError::ReadOnly { path } => Diagnostic::without_place(
            Code::FileWriteFailed,
            format!("`{}` is read-only; nothing was written", path.display()),
        )
        .help("make the file writable, or look at the changes with `--diff`"),
        ReplaceError::Write { path, source } => Diagnostic::without_place(
            Code::FileWriteFailed,
            format!("cannot write `{}`; it is unchanged", path.display()),
        )
        .note(source.to_string())
        .help("check the permissions of its folder and the free disk space"),
        ReplaceError::Interrupted => {
            Diagnostic::without_place(Code::Interrupted, format!("interrupted; `{name}` is unchanged"))
                .help("run the command again")
        }
    }
}

/// Why the environment file `name` was not written, except for errors in the file or the manifest.
pub(super) fn env_file_failed(name: &str, error: &EnvError) -> Diagnostic {
    match error {
        EnvError::Write(error) => replace_failed(name, error),
        EnvError::Lock(error) => {
            let folder = Path::new(name).parent().filter(|folder| !folder.as_os_str().is_empty());
            write_failed(error, folder.unwrap_or(Path::new("."))).0
        }
        EnvError::Manifest(_)
        | EnvError::ManifestAtFault(_)
        | EnvError::File(_)
        | EnvError::FileAtFault(_)
        | EnvError::Decode(_)
        | EnvError::Render(_) => bug("cannot determine the environment variables", error),
    }
}

/// Why nothing was generated, with the exit status. The finding is `None` if the findings about the manifest explain
/// it.
pub(super) fn generation_failed(error: &GenerateError, output: &Path) -> (Option<Diagnostic>, Status) {
    let (diagnostic, status) = match error {
        GenerateError::Manifest => return (None, Status::Refused),
        GenerateError::Decode(source) => (bug("cannot decode the manifest", source), Status::Failed),
        GenerateError::Render(RenderError::Path(error)) => {
            (bug("a generated file has an invalid path", error), Status::Failed)
        }
        GenerateError::Render(error @ (RenderError::Template { .. } | RenderError::Runtime { .. })) => {
            (bug("a template failed", error), Status::Failed)
        }
        GenerateError::Files(error) => write_failed(error, output),
    };
    (Some(diagnostic), status)
}

/// A bug in the program.
fn bug(what: &str, error: &dyn std::error::Error) -> Diagnostic {
    Diagnostic::without_place(Code::InternalError, format!("{what}; nothing was written"))
        .note(error.to_string())
        .help("this is a bug in adl; please report it with the manifest and this message")
}

/// Why there is no answer about coding agents.
pub(super) fn mcp_failed(error: &McpError) -> Diagnostic {
    match error {
        McpError::UnknownAgent { id, closest } => {
            let similar = closest.map(|id| format!("did you mean `{id}`? ")).unwrap_or_default();
            Diagnostic::without_place(Code::UnknownCodingAgent, format!("unknown coding agent `{id}`"))
                .help(format!("{similar}`adl mcp agents` lists the names"))
        }
        McpError::NoHome => Diagnostic::without_place(Code::FileNotFound, "the home folder is unknown")
            .help(if cfg!(windows) { "set `USERPROFILE` to its path" } else { "set `HOME` to its absolute path" }),
        McpError::Project { folder, source } => {
            Diagnostic::without_place(Code::FileReadFailed, format!("cannot read the folder `{}`", folder.display()))
                .note(source.to_string())
                .help("use `--project FOLDER` to name the folder of the project")
        }
        McpError::InvalidRegistry { faults } => match faults.first() {
            Some(fault) => invalid_registry(fault),
            None => bug("a registry is invalid", error),
        },
        McpError::UnknownServer { name, scope } => {
            let headline = format!("the registry of the {scope} has no server `{name}`");
            Diagnostic::without_place(Code::UnknownServer, headline)
                .help(format!("`adl mcp list --scope {scope}` lists its servers"))
        }
        McpError::ServerExists { name, scope } => {
            let headline = format!("the registry of the {scope} already has a server `{name}`");
            Diagnostic::without_place(Code::ServerExists, headline)
                .help("edit the registry and run `adl mcp sync`, or remove the server first")
        }
        McpError::NotInAgent { name, agent, scope } => {
            let headline = format!("{} has no server `{name}` of the {scope}", agent.title);
            Diagnostic::without_place(Code::UnknownServer, headline)
                .help(format!("`adl mcp discover --agent {}` lists its servers", agent.id))
        }
        McpError::NotPortable { name, agent, problems } => {
            let headline = format!("the server `{name}` of {} is not portable", agent.title);
            let diagnostic = Diagnostic::without_place(Code::EntryBlocked, headline);
            let diagnostic = problems.iter().fold(diagnostic, |diagnostic, problem| diagnostic.note(problem.clone()));
            diagnostic.help("change the entry in the agent, or leave the server to this agent")
        }
        McpError::Unusable { path, problem } => {
            let headline = format!("cannot use `{}`: {problem}", path.display());
            Diagnostic::without_place(Code::InvalidAgentFile, headline).help("fix the file; nothing was written")
        }
        McpError::PlanChanged { .. } => {
            Diagnostic::without_place(Code::PlanChanged, "the plan has changed; nothing was written")
                .help("look at the plan with `--dry-run` and confirm its token")
        }
        McpError::Locked(error) => write_failed(error, Path::new("~/.adl")).0,
        McpError::Write(BatchError::Edit(error)) => replace_failed("every file", error),
        McpError::Write(error @ BatchError::NotUndone { id, .. }) => {
            Diagnostic::without_place(Code::RollbackFailed, "some files were changed, and could not be restored")
                .note(error.to_string())
                .help(format!("fix the cause and run `adl mcp recover {id}`"))
        }
        McpError::Write(error @ BatchError::Unknown { .. }) => {
            Diagnostic::without_place(Code::FileNotFound, error.to_string()).help("`adl mcp backups` lists the names")
        }
        McpError::Write(BatchError::Journal { path, source }) => {
            Diagnostic::without_place(Code::FileWriteFailed, format!("cannot write `{}`", path.display()))
                .note(source.to_string())
                .help("check the permissions of the folder and the free disk space; nothing was changed")
        }
    }
}

/// What is wrong with a registry of MCP servers.
pub(super) fn invalid_registry(fault: &RegistryFault) -> Diagnostic {
    let place = fault.place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
    let headline = match fault.field.as_str() {
        "" => format!("the registry of MCP servers is invalid: {}", fault.problem),
        field => format!("`{field}` {}", fault.problem),
    };
    Diagnostic::without_place(Code::InvalidRegistry, headline)
        .note(format!("in `{}{place}`", fault.file.display()))
        .help("fix the entry; `adl schema mcp-registry` describes the format")
}

/// A file of a coding agent that cannot be read.
pub(super) fn unreadable_agent_file(problem: &FileProblem) -> Diagnostic {
    let place = problem.place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
    let headline = format!("the MCP configuration of {} is invalid: {}", problem.agent.title, problem.problem);
    Diagnostic::without_place(Code::InvalidAgentFile, headline)
        .note(format!("in `{}{place}`", problem.file.display()))
        .help("fix the file; its MCP servers are not listed completely")
}

/// A hook that failed.
pub(super) fn hook_failed(error: &HookError, output: &Path) -> Diagnostic {
    let HookError { hook, problem, left } = error;
    let (what, help) = match problem {
        HookProblem::NoProgram { program } => (
            format!("hook `{hook}` failed: program `{program}` not found"),
            "install the program, or correct the command in `spec.hooks.post`",
        ),
        HookProblem::NotStarted(_) => (
            format!("cannot start hook `{hook}`"),
            "check that the file is executable; paths are relative to the output folder",
        ),
        HookProblem::Status(status) => (
            format!("hook `{hook}` exited with status {status}"),
            "run it in the output folder, fix what it reports, and run the command again",
        ),
        HookProblem::Signal(signal) => {
            (format!("hook `{hook}` was terminated by signal {signal}"), "run it in the output folder to see why")
        }
        HookProblem::Interrupted => (format!("interrupted during hook `{hook}`"), "run the command again"),
    };
    let mut finding = Diagnostic::without_place(Code::HookFailed, what)
        .note(format!("the project in `{}` was written", output.display()));
    if let HookProblem::NotStarted(cause) = problem {
        finding = finding.note(cause.to_string());
    }
    finding = match left {
        0 => finding,
        1 => finding.note("1 later hook was not run"),
        _ => finding.note(format!("{left} later hooks were not run")),
    };
    finding.help(help)
}

/// Files that differ from what would be written.
pub(super) fn output_blocked(obstacles: &[Obstacle], output: &Path) -> Diagnostic {
    let files = counted(obstacles.len(), "file");
    let headline = format!("{files} in `{}` would be overwritten; nothing was written", output.display());
    let mut finding = Diagnostic::without_place(Code::OutputBlocked, headline).help(
        "move or delete these files, or choose another folder with `--output`; in a project with `.adl/lock.json`, \
             `--on-conflict` decides what happens to files that differ; `--adopt` takes over a project without it",
    );
    finding.notes.extend(obstacles.iter().map(ToString::to_string));
    finding
}

fn write_failed(error: &FilesError, output: &Path) -> (Diagnostic, Status) {
    let folder = output.display();
    let diagnostic = match error {
        FilesError::Blocked { changes } => return (output_blocked(&obstacles(changes), output), Status::Refused),
        FilesError::Changed { path } => Diagnostic::without_place(
            Code::ConcurrentModification,
            format!("`{path}` in `{folder}` was modified by another process; all changes were rolled back"),
        )
        .help("run the command again"),
        FilesError::NotRecovered { left } => {
            let headline =
                format!("a previous run in `{folder}` was interrupted and its changes cannot be rolled back");
            let mut finding = Diagnostic::without_place(Code::RollbackFailed, headline);
            finding.notes.extend(left.iter().map(|(path, error)| format!("`{path}`: {error}")));
            finding.help("fix the errors above, then run the command again; the previous files are in `.adl/staging`")
        }
        FilesError::Folder { path, source } => Diagnostic::without_place(
            Code::InvalidOutputFolder,
            format!("cannot use `{}` as the output folder", path.display()),
        )
        .note(source.to_string())
        .help("choose a writable folder with `--output`"),
        FilesError::Busy { .. } => Diagnostic::without_place(
            Code::OutputFolderLocked,
            format!("another run is writing to `{folder}`; nothing was written"),
        )
        .help("wait until it finishes, then run the command again"),
        FilesError::Read { path, source } => Diagnostic::without_place(
            Code::OutputReadFailed,
            format!("cannot read `{path}` in `{folder}`; nothing was written"),
        )
        .note(source.to_string())
        .help("check the permissions of the file"),
        FilesError::Write { path, source } => Diagnostic::without_place(
            Code::OutputWriteFailed,
            format!("cannot write `{path}` in `{folder}`; all changes were rolled back"),
        )
        .note(source.to_string())
        .help(advice(source)),
        FilesError::Interrupted => {
            Diagnostic::without_place(Code::Interrupted, "interrupted; all changes were rolled back")
                .help("run the command again")
        }
        FilesError::Path(error) => bug("a generated file has an invalid path", error),
        FilesError::NotRolledBack { cause, left } => {
            let mut finding = write_failed(cause, output).0;
            finding.code = Code::RollbackFailed;
            finding.headline = format!("cannot write to `{folder}`, and the changes cannot be rolled back");
            finding.notes.extend(left.iter().map(|(path, error)| format!("`{path}` was not restored: {error}")));
            finding.help("fix the cause, then run the command again; it rolls back the remaining changes first")
        }
    };
    (diagnostic, Status::Failed)
}

/// What to do about a file that cannot be written.
fn advice(error: &io::Error) -> &'static str {
    if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge) {
        "free some disk space, or choose a folder on another disk with `--output`"
    } else if error.kind() == io::ErrorKind::CrossesDevices {
        "unmount it during generation, or choose another folder with `--output`"
    } else {
        "check the permissions of the folder, or choose another one with `--output`"
    }
}
