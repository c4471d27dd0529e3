//! What is known about an agent.

use super::environment_reference::Notation;
use crate::document::config::Dialect;
use crate::mcp::Transport;

/// A coding agent, and how it stores MCP servers.
#[derive(Debug, Clone, Copy)]
pub struct CodingAgent {
    /// The name on the command line.
    pub id: &'static str,
    /// The name of the product.
    pub title: &'static str,
    /// The version that the facts were checked against; `None` if they are from its documentation only.
    pub checked: Option<&'static str>,
    /// The program, by which an installation is found.
    pub program: Option<&'static str>,
    /// Syntax of its files.
    pub dialect: Dialect,
    /// Files with servers for all projects. The agent reads all that exist.
    pub user: &'static [UserFile],
    /// Files with servers for one project, in the project's folder. Empty: it has no project scope.
    pub project: &'static [ProjectFile],
    /// Which folders above the project it reads, too.
    pub parents: Parents,
    /// The table of servers in the file.
    pub servers: &'static [&'static str],
    /// Whether the user's file has servers for single projects, below `projects`.
    pub has_local_scope: bool,
    /// Whether an entry of the project inherits the fields that it lacks from the user's entry with the same name.
    pub merges_scopes: bool,
    /// How a server of the user is switched off in one project.
    pub project_off: ProjectOff,
    /// What the user must do before the agent uses the servers of a project.
    pub gate: Option<Gate>,
    /// The fields of an entry.
    pub fields: Fields,
}

/// A file below the home folder.
#[derive(Debug, Clone, Copy)]
pub struct UserFile {
    /// Variables that move it, with the path below the folder that they name; an empty path if they name the file.
    pub variables: &'static [(&'static str, &'static str)],
    /// The path below the home folder.
    pub path: &'static str,
}

/// A file below the folder of a project.
#[derive(Debug, Clone, Copy)]
pub struct ProjectFile {
    /// The path.
    pub path: &'static str,
    /// The agent reads it only if the files before it do not exist.
    pub is_fallback: bool,
}

/// How a server of the user is switched off in one project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectOff {
    /// It cannot be.
    Unsupported,
    /// By an entry of the project with the same name, which is off.
    Entry,
    /// By a list of names.
    List {
        /// The file, below the folder of the project.
        file: &'static str,
        /// The list in it.
        path: &'static [&'static str],
        /// The field of an item that contains the name; `None` if items are names.
        field: Option<&'static str>,
    },
}

/// A confirmation by the user that an agent wants before it uses the servers of a project. This program never gives it.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// What to do, as in "CODEX: trust the folder".
    pub action: &'static str,
    /// Where the agent records it; `None` if this program cannot tell.
    pub record: Option<GateRecord>,
}

/// A record of trust in a folder.
#[derive(Debug, Clone, Copy)]
pub struct GateRecord {
    /// The file, beside the file of the user.
    pub file: &'static str,
    /// Its syntax.
    pub dialect: Dialect,
    /// The keys before the path of the folder.
    pub before: &'static [&'static str],
    /// The keys after it.
    pub after: &'static [&'static str],
    /// The value of a folder that is trusted, as JSON.
    pub trusted: &'static str,
}

/// Folders above the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parents {
    /// None.
    None,
    /// Up to the root of the repository.
    Repository,
    /// All.
    All,
}

/// Names and meaning of the fields of an entry.
#[derive(Debug, Clone, Copy)]
pub struct Fields {
    /// The program and its arguments.
    pub command: Command,
    /// Literal environment variables.
    pub environment: &'static str,
    /// A list of variables that are passed on.
    pub passed_variables: Option<&'static str>,
    /// URLs, with the transport that each stands for; `None` if `type` decides.
    pub urls: &'static [(&'static str, Option<Transport>)],
    /// Literal headers.
    pub headers: &'static str,
    /// Headers with the variable that holds their value.
    pub header_variables: Option<&'static str>,
    /// The variable with the token of an `Authorization` header.
    pub bearer_variable: Option<&'static str>,
    /// The field that names the transport.
    pub kind: &'static str,
    /// Its values.
    pub kinds: &'static [(&'static str, Transport)],
    /// The transport of a URL without `type`; `None` if the agent ignores such an entry.
    pub remote_default: Option<Transport>,
    /// Whether `cwd` has an effect.
    pub has_cwd: bool,
    /// The switch.
    pub off: Off,
    /// References to environment variables that it resolves.
    pub notations: &'static [Notation],
    /// Whether it resolves them in all strings, and not only in the environment and headers.
    pub resolves_everywhere: bool,
    /// Fields that mean nothing to a server definition, such as a description, or only with this value, as JSON.
    pub ignorable: &'static [(&'static str, Option<&'static str>)],
}

/// How the program is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// A string, and a list of arguments in `args`.
    Text(&'static str),
    /// One list of program and arguments.
    Words(&'static str),
}

/// How an entry is switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    /// `enabled: false`
    Enabled,
    /// `disabled: true`
    Disabled,
    /// Not in the entry.
    Elsewhere,
}
