//! Failures of the world as findings: each has a code, the path and a next step.

use std::io;
use std::path::Path;

use super::Status;
use crate::diagnostics::{Code, Diagnostic};
use crate::host::{PIPE_PATIENCE, READ_LIMIT, ReadError, ReadProblem};
use crate::ops::{
    EnvError, FilesError, GenerateError, HookError, HookProblem, InputError, Obstacle, RenderError, ReplaceError,
    obstacles,
};

/// A file that could not be read. `hint` says how to name another one.
pub(super) fn unreadable(error: &ReadError, hint: &str) -> Diagnostic {
    let path = error.path.display();
    match &error.problem {
        ReadProblem::Missing => {
            Diagnostic::without_place(Code::FileNotFound, format!("there is no file `{path}`")).help(hint)
        }
        ReadProblem::Dangling => {
            let headline = format!("`{path}` is a symbolic link that leads nowhere");
            Diagnostic::without_place(Code::FileNotFound, headline).help("remove the link, or make what it leads to")
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
        ReadProblem::NoFile => {
            Diagnostic::without_place(Code::FileReadFailed, format!("`{path}` is a device or a socket, not a file"))
                .help(hint)
        }
        ReadProblem::NoWriter => {
            let seconds = PIPE_PATIENCE.as_secs();
            Diagnostic::without_place(Code::FileReadFailed, format!("`{path}` is a pipe that nobody writes to"))
                .note(format!("waited {seconds} seconds for somebody to open its other end"))
                .help(hint)
        }
        ReadProblem::Io(cause) => Diagnostic::without_place(Code::FileReadFailed, format!("`{path}` cannot be read"))
            .note(cause.to_string())
            .help("check the permissions of the file and of the directories above it"),
    }
}

/// Something that was named to `adl COMMAND` and holds no manifest to look at.
pub(super) fn unjudged(error: &InputError, command: &str) -> Diagnostic {
    match error {
        InputError::Read(error) => unreadable(
            error,
            &format!(
                "name manifests, or folders that hold some: `adl {command} PATH...`; without PATH it is `agent.yaml` in the \
                 current directory"
            ),
        ),
        InputError::NoManifest { folder } => Diagnostic::without_place(
            Code::ManifestNotFound,
            format!("there is no manifest in the folder `{}`", folder.display()),
        )
        .note("looked for `agent.yaml`, `*.agent.yaml` and files with the `apiVersion` of a manifest")
        .note("hidden files, and what `.gitignore` excludes, are passed over")
        .help("name the manifest itself, or another folder"),
    }
}

/// A file called `name` that was not replaced by its new text.
pub(super) fn not_replaced(name: &str, error: &ReplaceError) -> Diagnostic {
    match error {
        ReplaceError::Changed { path } => Diagnostic::without_place(
            Code::ConcurrentModification,
            format!("`{}` has changed meanwhile; nothing was written", path.display()),
        )
        .help("run the command again"),
        ReplaceError::ReadOnly { path } => Diagnostic::without_place(
            Code::FileWriteFailed,
            format!("`{}` is read-only; nothing was written", path.display()),
        )
        .help("make the file writable, or look at the changes with `--diff`"),
        ReplaceError::Write { path, source } => Diagnostic::without_place(
            Code::FileWriteFailed,
            format!("`{}` cannot be written; it is as before", path.display()),
        )
        .note(source.to_string())
        .help("check the permissions of its folder and the room on its disk"),
        ReplaceError::Interrupted => {
            Diagnostic::without_place(Code::Interrupted, format!("interrupted; `{name}` is as before"))
                .help("run the command again")
        }
    }
}

/// Why an env file called `name` is neither made nor brought up to date, for reasons outside of it and the manifest.
pub(super) fn no_env_file(name: &str, error: &EnvError) -> Diagnostic {
    match error {
        EnvError::NoTemplates { language } => no_templates(language),
        EnvError::Write(error) => not_replaced(name, error),
        EnvError::Manifest(_)
        | EnvError::ManifestAtFault(_)
        | EnvError::File(_)
        | EnvError::FileAtFault(_)
        | EnvError::Decode(_)
        | EnvError::Render(_) => bug("the variables could not be worked out", error),
    }
}

/// Why nothing was generated, with the exit status; `None` when findings have said it.
pub(super) fn not_generated(error: &GenerateError, output: &Path) -> (Option<Diagnostic>, Status) {
    let (diagnostic, status) = match error {
        GenerateError::Manifest => return (None, Status::Refused),
        GenerateError::NoTemplates { language } => (no_templates(language), Status::Failed),
        GenerateError::Decode(source) => (bug("the manifest could not be decoded", source), Status::Failed),
        GenerateError::Render(RenderError::Path(error)) => {
            (bug("a file has a path that no folder can hold", error), Status::Failed)
        }
        GenerateError::Render(error @ (RenderError::Template { .. } | RenderError::Runtime { .. })) => {
            (bug("a template failed", error), Status::Failed)
        }
        GenerateError::Files(error) => not_written(error, output),
    };
    (Some(diagnostic), status)
}

fn no_templates(language: &str) -> Diagnostic {
    Diagnostic::without_place(Code::UnsupportedLanguage, format!("{language} cannot be generated yet"))
        .help("set `spec.language.go`, the language that has templates")
}

/// A fault of the program that the user cannot mend.
fn bug(what: &str, error: &dyn std::error::Error) -> Diagnostic {
    Diagnostic::without_place(Code::InternalError, format!("{what}; nothing was written"))
        .note(error.to_string())
        .help("this is a bug: please report it to the maintainers with the manifest and this message")
}

/// A hook that did not end well.
pub(super) fn hook_failed(error: &HookError, output: &Path) -> Diagnostic {
    let HookError { hook, problem, left } = error;
    let (what, help) = match problem {
        HookProblem::NoProgram { program } => (
            format!("the hook `{hook}` did not run: there is no program `{program}`"),
            "install it, or correct the command below `spec.hooks.post`",
        ),
        HookProblem::NotStarted(_) => (
            format!("the hook `{hook}` cannot be started"),
            "check that the file may be executed; a path is one below the output folder",
        ),
        HookProblem::Status(status) => (
            format!("the hook `{hook}` ended with status {status}"),
            "run it in the output folder, mend what it reports, and run the command again",
        ),
        HookProblem::Signal(signal) => {
            (format!("signal {signal} ended the hook `{hook}`"), "run it in the output folder to see why")
        }
        HookProblem::Interrupted => (format!("interrupted in the hook `{hook}`"), "run the command again"),
    };
    let mut finding = Diagnostic::without_place(Code::HookFailed, what)
        .note(format!("the project in `{}` is written", output.display()));
    if let HookProblem::NotStarted(cause) = problem {
        finding = finding.note(cause.to_string());
    }
    finding = match left {
        0 => finding,
        1 => finding.note("the hook after it was not run"),
        _ => finding.note(format!("the {left} hooks after it were not run")),
    };
    finding.help(help)
}

/// Files that differ from what would be written.
pub(super) fn in_the_way(obstacles: &[Obstacle], output: &Path) -> Diagnostic {
    let files = if obstacles.len() == 1 { "1 file is".to_owned() } else { format!("{} files are", obstacles.len()) };
    let headline = format!("{files} in the way in `{}`; nothing was written", output.display());
    let mut finding = Diagnostic::without_place(Code::OutputBlocked, headline)
        .help(
            "move away what you want to keep, delete the rest, or choose another folder with `--output`; in a project with \
             `.adl/lock.json`, `--on-conflict` decides about files that differ, and `--adopt` shows how one without is taken over",
        );
    finding.notes.extend(obstacles.iter().map(ToString::to_string));
    finding
}

fn not_written(error: &FilesError, output: &Path) -> (Diagnostic, Status) {
    let folder = output.display();
    let diagnostic = match error {
        FilesError::Blocked { changes } => return (in_the_way(&obstacles(changes), output), Status::Refused),
        FilesError::Changed { path } => Diagnostic::without_place(
            Code::ConcurrentModification,
            format!("`{path}` in `{folder}` has changed while it was being written; all is as before"),
        )
        .help("run the command again"),
        FilesError::NotTakenBack { left } => {
            let headline = format!("an earlier run to `{folder}` was ended half-way and cannot be taken back");
            let mut finding = Diagnostic::without_place(Code::RollbackFailed, headline);
            finding.notes.extend(left.iter().map(|(path, error)| format!("`{path}`: {error}")));
            finding
                .help("mend what is said above, then run the command again; what was there before is in `.adl/staging`")
        }
        FilesError::Folder { path, source } => Diagnostic::without_place(
            Code::InvalidOutputFolder,
            format!("`{}` cannot be the output folder", path.display()),
        )
        .note(source.to_string())
        .help("choose a folder that you may write to with `--output`"),
        FilesError::Busy { .. } => Diagnostic::without_place(
            Code::OutputFolderLocked,
            format!("another run is writing to `{folder}`; nothing was written"),
        )
        .help("wait for it to end and run the command again"),
        FilesError::Read { path, source } => Diagnostic::without_place(
            Code::OutputReadFailed,
            format!("`{path}` in `{folder}` cannot be read; nothing was written"),
        )
        .note(source.to_string())
        .help("check the permissions of the file"),
        FilesError::Write { path, source } => Diagnostic::without_place(
            Code::OutputWriteFailed,
            format!("`{path}` in `{folder}` cannot be written; all is as before"),
        )
        .note(source.to_string())
        .help(advice(source)),
        FilesError::Interrupted => {
            Diagnostic::without_place(Code::Interrupted, "interrupted; all is as before").help("run the command again")
        }
        FilesError::Path(error) => bug("a file has a path that no folder can hold", error),
        FilesError::NotRestored { cause, left } => {
            let mut finding = not_written(cause, output).0;
            finding.code = Code::RollbackFailed;
            finding.headline = format!("writing to `{folder}` failed, and so did taking it back");
            finding.notes.extend(left.iter().map(|(path, error)| format!("`{path}` is left behind: {error}")));
            finding.help("see to the cause, then run the command again: it takes back the rest first")
        }
    };
    (diagnostic, Status::Failed)
}

/// What to do about a file that cannot be written.
fn advice(error: &io::Error) -> &'static str {
    if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge) {
        "make room, or choose a folder on another disk with `--output`"
    } else if error.kind() == io::ErrorKind::CrossesDevices {
        "unmount it while the project is generated, or choose another folder with `--output`"
    } else {
        "check the permissions of the folder, or choose another one with `--output`"
    }
}
