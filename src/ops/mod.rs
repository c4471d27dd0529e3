//! One function per command, which takes options and returns an outcome. Operations do not know the command line and do
//! not print.

mod allow;
mod check;
mod diff;
mod env;
mod explain;
mod fix;
mod generate;
mod inputs;
mod mcp;
mod parallel;
mod policy;
mod validate;

pub use crate::coding_agents::{Problem as EntryProblem, Scope as AgentScope, masked_command, masked_url};
pub use crate::files::{
    Action, Adopt, Batch, BatchError, Change, Event, FilesError, Kept, LOCK_SCHEMA, Note, Obstacle, OnConflict,
    PlanOptions, ReplaceError, Undone, obstacles,
};
pub use crate::manifest::SCHEMA as MANIFEST_SCHEMA;
pub use crate::mcp::{Connection as AgentConnection, Setting as AgentSetting};
pub use crate::project::{Group as VariableGroup, Kind as VariableKind, Variable};
pub use crate::registry::{EffectiveServer, REGISTRY_SCHEMA};
pub use crate::render::RenderError;
pub use check::{Checked, Scope, check, examine};
pub use env::{
    CheckedEnv, Deviation, Difference, EnvError, EnvOptions, ShownValue, SyncMode, Synced, check_env, diff_env,
    list_env, sync_env,
};
pub use explain::{Explanation, FieldExplanation, Topics, UnknownTopic, explain, topics};
pub use fix::{Applied, FixMode, FixOptions, Fixed, Fixes, Repaired, fix, fixable, repair};
pub use generate::{
    GenerateError, GenerateMode, GenerateOptions, GenerateOutcome, Generated, Hook, HookError, HookProblem,
    ShowOptions, Shown, State, generate, run_hooks, show,
};
pub use inputs::{Input, InputError, STANDARD_INPUT};
pub use mcp::{
    Attention, ChangeOptions, ChangePlan, Conflict, DiscoverOptions, Discovered, FileProblem, FoundAgent, FoundServer,
    ListOptions, Listed, McpError, Operation, PlanStep, RegistryFault, StepAction, agents, backups, coding_agent,
    confirm_change, discover, list, plan_change, recover,
};
pub use policy::{Policy, Warnings};
pub use validate::{Findings, ValidateOptions, ValidateOutcome, Validated, validate};
