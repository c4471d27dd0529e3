//! Plans a change: from an operation to new texts of the registries, from these to the entries that each coding agent should
//! have, and from these to edits.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::list::user_folder;
use super::plan::{Attention, ChangeOptions, ChangePlan, Operation, PlanStep, StepAction};
use super::state::{Managed, State, hash};
use super::texts::{Texts, token};
use super::{McpError, RegistryFault, agents};
use crate::coding_agents::{AGENTS, CodingAgent, GateRecord, ProjectOff, Scope, read_native, user_files, write_native};
use crate::document::config::{Config, Dialect};
use crate::files::sha256;
use crate::host;
use crate::mcp::PortableServer;
use crate::registry::{Entry, Registry, read_registry};

/// What an agent should have in a file.
struct Wanted {
    agent: &'static CodingAgent,
    scope: Scope,
    server: String,
    is_enabled: bool,
    place: Result<Place, Vec<String>>,
}

/// An entry or an item of a list.
struct Place {
    file: PathBuf,
    dialect: Dialect,
    /// The path of the entry, or of the list.
    path: Vec<String>,
    /// What is there; `None` if the entry must not exist.
    value: Option<Value>,
    /// Whether the value is an item of a list.
    is_item: bool,
}

/// Makes one plan.
pub(super) struct Planner<'a> {
    options: &'a ChangeOptions,
    home: PathBuf,
    project: PathBuf,
    texts: Texts,
    steps: Vec<PlanStep>,
    attention: Vec<Attention>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(options: &'a ChangeOptions) -> Result<Self, McpError> {
        let folder = options.project.clone().unwrap_or_else(|| PathBuf::from("."));
        let project = host::real_path(&folder).map_err(|source| McpError::Project { folder, source })?;
        let home = host::home_folder().ok_or(McpError::NoHome)?;
        Ok(Self { options, home, project, texts: Texts::default(), steps: Vec::new(), attention: Vec::new() })
    }

    pub(super) fn plan(mut self) -> Result<ChangePlan, McpError> {
        self.operate()?;
        let registries = self.texts.edits().into_iter().map(|edit| edit.path).collect();
        let (user, project) = (self.registry(Scope::User)?, self.registry(Scope::Project)?);
        let all = matches!(self.options.operation, Operation::Move { .. });
        let none = matches!(self.options.operation, Operation::Adopt { .. });
        for scope in [Scope::User, Scope::Project] {
            if !none && (all || self.options.scope.is_none_or(|wanted| wanted == scope)) {
                let wanted = self.wanted(scope, &user, &project)?;
                self.reconcile(scope, wanted)?;
            }
        }
        self.steps.sort_by(|one, other| (&one.server, one.agent.id).cmp(&(&other.server, other.agent.id)));
        let edits = self.texts.edits();
        let (steps, attention) = (self.steps, self.attention);
        Ok(ChangePlan { token: token(&edits), registries, steps, attention, edits })
    }

    fn registry_file(&self, scope: Scope) -> Result<PathBuf, McpError> {
        Ok(match scope {
            Scope::User => user_folder()?.join("mcp/user.json"),
            Scope::Project | Scope::Local => self.project.join(".adl/mcp.json"),
        })
    }

    /// The registry as planned.
    fn registry(&mut self, scope: Scope) -> Result<Registry, McpError> {
        let file = self.registry_file(scope)?;
        let Some(text) = self.texts.get(&file)? else { return Ok(Registry::default()) };
        let (registry, faults) = read_registry(scope, text);
        if faults.is_empty() {
            return Ok(registry);
        }
        let faults = faults.into_iter().map(|fault| RegistryFault::new(&file, fault));
        Err(McpError::InvalidRegistry { faults: faults.collect() })
    }

    /// Changes the registry.
    fn operate(&mut self) -> Result<(), McpError> {
        let Some(scope) = self.options.scope else { return Ok(()) };
        let registry = self.registry(scope)?;
        let unknown = |name: &String| McpError::UnknownServer { name: name.clone(), scope };
        let (name, value) = match &self.options.operation {
            Operation::Sync => return Ok(()),
            Operation::Add { name, .. } | Operation::Adopt { name, .. } if registry.servers.contains_key(name) => {
                return Err(McpError::ServerExists { name: name.clone(), scope });
            }
            Operation::Add { name, entry } => (name, Some(Value::Object(entry.clone()))),
            Operation::Move { name } => return self.move_to(scope, name),
            Operation::Adopt { agent, name, from } => (name, Some(self.adopted(agent, name, *from)?)),
            Operation::Remove { name } if registry.servers.contains_key(name) => (name, None),
            Operation::Remove { name } => return Err(unknown(name)),
            Operation::Switch { name, enabled } => match registry.servers.get(name) {
                Some(Entry::Definition { .. }) => {
                    return self.edit_registry(scope, &["servers", name, "enabled"], Some(&json!(enabled)));
                }
                overridden => {
                    let inherited = match scope {
                        Scope::User => None,
                        Scope::Project | Scope::Local => self.registry(Scope::User)?.servers.get(name).cloned(),
                    };
                    let Some(Entry::Definition { server, .. }) = inherited else { return Err(unknown(name)) };
                    if server.enabled != *enabled {
                        (name, Some(json!({"inherits": "user", "enabled": enabled})))
                    } else if overridden.is_some() {
                        (name, None)
                    } else {
                        return Ok(());
                    }
                }
            },
        };
        self.edit_registry(scope, &["servers", name], value.as_ref())
    }

    /// Moves the definition from the other registry. An override of the server in the project is replaced, and keeps its switch.
    fn move_to(&mut self, scope: Scope, name: &str) -> Result<(), McpError> {
        let from = if scope == Scope::User { Scope::Project } else { Scope::User };
        let (source, target) = (self.registry(from)?, self.registry(scope)?);
        let file = self.registry_file(from)?;
        let path = ["servers", name];
        let text = self.texts.get(&file)?.unwrap_or_default().to_owned();
        let value = parse(&file, Dialect::Json, text)?.get(&path).cloned();
        let (Some(Entry::Definition { .. }), Some(mut value)) = (source.servers.get(name), value) else {
            return Err(McpError::UnknownServer { name: name.to_owned(), scope: from });
        };
        match target.servers.get(name) {
            None => {}
            Some(Entry::Override { enabled }) => {
                if let Some(entry) = value.as_object_mut() {
                    entry.insert("enabled".to_owned(), json!(enabled));
                }
                self.edit_registry(scope, &path, None)?;
            }
            Some(Entry::Definition { .. }) => return Err(McpError::ServerExists { name: name.to_owned(), scope }),
        }
        self.edit_registry(scope, &path, Some(&value))?;
        self.edit_registry(from, &path, None)
    }

    /// The entry of an agent, as a registry contains it.
    fn adopted(&mut self, agent: &'static CodingAgent, name: &str, from: Scope) -> Result<Value, McpError> {
        let not_found = || McpError::NotInAgent { name: name.to_owned(), agent, scope: from };
        let file = self.file(agent, from).ok_or_else(not_found)?;
        let text = self.texts.get(&file)?.ok_or_else(not_found)?.to_owned();
        let path: Vec<_> = agent.servers.iter().copied().chain([name]).collect();
        let entry = parse(&file, agent.dialect, text)?.get(&path).cloned().ok_or_else(not_found)?;
        let native = read_native(agent, name, &entry);
        let problems: Vec<_> = native.problems.iter().map(ToString::to_string).collect();
        match native.server {
            Some(server) if problems.is_empty() => Ok(serde_json::to_value(server).unwrap_or_default()),
            _ => Err(McpError::NotPortable { name: name.to_owned(), agent, problems }),
        }
    }

    fn edit_registry(&mut self, scope: Scope, path: &[&str], value: Option<&Value>) -> Result<(), McpError> {
        let file = self.registry_file(scope)?;
        let text = self.texts.get(&file)?.unwrap_or("{\n  \"schemaVersion\": 1,\n  \"servers\": {}\n}\n").to_owned();
        self.edit(&file, Dialect::Json, text, path, value)
    }

    fn edit(
        &mut self,
        file: &Path,
        dialect: Dialect,
        text: String,
        path: &[&str],
        value: Option<&Value>,
    ) -> Result<(), McpError> {
        let config = parse(file, dialect, text)?;
        let edited = match value {
            Some(value) => config.set(path, value),
            None => config.remove(path),
        };
        let edited = edited.map_err(|error| McpError::unreadable(file, &error.to_string()))?;
        dialect.check(&edited).map_err(|error| McpError::unreadable(file, &error.to_string()))?;
        self.texts.set(file, edited);
        Ok(())
    }

    /// What the agents should have for a scope.
    fn wanted(&mut self, scope: Scope, user: &Registry, project: &Registry) -> Result<Vec<Wanted>, McpError> {
        let installed: Vec<_> = agents()?.into_iter().filter(|it| it.is_installed).map(|it| it.agent.id).collect();
        let registry = if scope == Scope::User { user } else { project };
        let mut all = Vec::new();
        for (name, entry) in &registry.servers {
            let (server, targets, inherited) = match entry {
                Entry::Definition { server, targets } => (server.clone(), targets, None),
                Entry::Override { enabled } => {
                    let Some(Entry::Definition { server, targets }) = user.servers.get(name) else {
                        let fault = RegistryFault::orphan(&self.registry_file(scope)?, name);
                        return Err(McpError::InvalidRegistry { faults: vec![fault] });
                    };
                    (PortableServer { enabled: *enabled, ..server.clone() }, targets, Some(server.enabled))
                }
            };
            for agent in AGENTS {
                let is_target = match targets {
                    Some(targets) => targets.iter().any(|target| target == agent.id),
                    None => installed.contains(&agent.id),
                };
                // An override that changes nothing needs no entry.
                if is_target && inherited != Some(server.enabled) {
                    let place = match inherited {
                        Some(true) => self.switched_off(agent, name, &server),
                        _ => self.place(agent, scope, name, &server),
                    };
                    all.push(Wanted { agent, scope, server: name.clone(), is_enabled: server.enabled, place });
                }
            }
        }
        Ok(all)
    }

    fn file(&self, agent: &CodingAgent, scope: Scope) -> Option<PathBuf> {
        let candidates: Vec<PathBuf> = match scope {
            Scope::User => user_files(agent, &self.home, &host::path_variable),
            Scope::Project | Scope::Local => {
                agent.project.iter().filter(|file| !file.is_fallback).map(|file| self.project.join(file.path)).collect()
            }
        };
        let existing = candidates.iter().rev().find(|file| host::exists(file));
        // The first of several files of opencode has an old name.
        let new = if scope == Scope::User { candidates.get(1).or(candidates.first()) } else { candidates.first() };
        existing.or(new).cloned()
    }

    fn place(
        &self,
        agent: &CodingAgent,
        scope: Scope,
        name: &str,
        server: &PortableServer,
    ) -> Result<Place, Vec<String>> {
        let file = self.file(agent, scope).ok_or_else(|| vec!["has no servers for single projects".to_owned()])?;
        let value = write_native(agent, name, server)
            .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        let path = agent.servers.iter().copied().chain([name]).map(str::to_owned).collect();
        Ok(Place { file, dialect: agent.dialect, path, value: value.map(Value::Object), is_item: false })
    }

    /// The place that disables a server of the user in the project.
    fn switched_off(&self, agent: &CodingAgent, name: &str, server: &PortableServer) -> Result<Place, Vec<String>> {
        match agent.project_off {
            ProjectOff::Unsupported => Err(vec!["cannot disable a server of the user in one project".to_owned()]),
            ProjectOff::Entry => self.place(agent, Scope::Project, name, server),
            ProjectOff::List { file, path, .. } => Ok(Place {
                file: self.project.join(file),
                dialect: agent.dialect,
                path: path.iter().map(|key| (*key).to_owned()).collect(),
                value: Some(item(agent.project_off, name)),
                is_item: true,
            }),
        }
    }

    /// Brings the agents from the managed entries to the wanted ones.
    fn reconcile(&mut self, scope: Scope, wanted: Vec<Wanted>) -> Result<(), McpError> {
        let file = self.state_file(scope)?;
        let state = match self.texts.get(&file)? {
            Some(text) => State::parse(text).ok_or_else(|| McpError::unreadable(&file, "it is not a state of adl"))?,
            None => State::default(),
        };
        let mut next = State::default();
        let mut kept: Vec<(PathBuf, Vec<String>, String)> = Vec::new();
        for Wanted { agent, scope, server, is_enabled, place } in wanted {
            let (file, action) = match place {
                Err(reasons) => (None, StepAction::Unsupported(reasons)),
                Ok(place) => {
                    let known = state.find(agent.id, &place.file, &place.path, &server);
                    let action = self.bring(agent, &server, &place, known)?;
                    if place.value.is_some() {
                        let sha256 = (!place.is_item).then(|| self.current(&place).as_ref().map(hash)).flatten();
                        kept.push((place.file.clone(), place.path.clone(), server.clone()));
                        let (agent, server) = (agent.id.to_owned(), server.clone());
                        next.entries.push(Managed {
                            agent,
                            server,
                            file: place.file.clone(),
                            path: place.path.clone(),
                            sha256,
                        });
                    }
                    (Some(place.file), action)
                }
            };
            let is_written = action.reasons().is_empty() && action != StepAction::Remove;
            if scope == Scope::Project && is_written {
                self.ask(agent);
            }
            self.steps.push(PlanStep { server, agent, scope, file, is_enabled, action });
        }
        for managed in &state.entries {
            let is_kept = kept.iter().any(|(file, path, server)| {
                *file == managed.file && *path == managed.path && *server == managed.server
            });
            let agent = AGENTS.iter().find(|agent| agent.id == managed.agent);
            if let Some(agent) = agent.filter(|_| !is_kept) {
                let value = managed.sha256.is_none().then(|| item(agent.project_off, &managed.server));
                let dialect = agent.dialect;
                let (file, path) = (managed.file.clone(), managed.path.clone());
                let place = Place { file, dialect, path, value: value.clone(), is_item: value.is_some() };
                let action = self.take_away(&place, managed)?;
                if self.steps.iter().all(|step| step.server != managed.server || step.agent.id != agent.id) {
                    let (server, file) = (managed.server.clone(), Some(managed.file.clone()));
                    self.steps.push(PlanStep { server, agent, scope, file, is_enabled: false, action });
                }
            }
        }
        if next != state {
            self.texts.set(&file, next.to_json());
        }
        Ok(())
    }

    /// The state of a scope. A project is identified by its path.
    fn state_file(&self, scope: Scope) -> Result<PathBuf, McpError> {
        let name = match scope {
            Scope::User => "user".to_owned(),
            Scope::Project | Scope::Local => {
                let mut id = sha256(self.project.as_os_str().as_encoded_bytes());
                id.truncate(16);
                format!("project-{id}")
            }
        };
        Ok(user_folder()?.join(format!("state/mcp/{name}.json")))
    }

    /// The planned value of an entry.
    fn current(&mut self, place: &Place) -> Option<Value> {
        let text = self.texts.get(&place.file).ok()??.to_owned();
        let config = Config::parse(place.dialect, text).ok()?;
        config.get(&keys(&place.path)).cloned()
    }

    /// Writes a wanted entry, unless somebody else wrote what is there.
    fn bring(
        &mut self,
        agent: &CodingAgent,
        server: &str,
        place: &Place,
        known: Option<&Managed>,
    ) -> Result<StepAction, McpError> {
        let text = self.texts.get(&place.file)?.map(str::to_owned);
        let is_blank = text.as_ref().is_none_or(|text| text.trim_start_matches('\u{feff}').trim().is_empty());
        let empty = if matches!(place.dialect, Dialect::Toml | Dialect::Yaml) { "" } else { "{}\n" };
        let text = if is_blank { empty.to_owned() } else { text.unwrap_or_default() };
        let path = keys(&place.path);
        let config = parse(&place.file, place.dialect, text.clone())?;
        let current = config.get(&path).filter(|value| !value.is_null()).cloned();
        if place.is_item {
            let mut items = match current {
                None => Vec::new(),
                Some(Value::Array(items)) => items,
                Some(_) => {
                    return Ok(StepAction::Unsupported(vec![format!("`{}` is not a list", place.path.join("."))]));
                }
            };
            let Some(item) = place.value.clone().filter(|item| !items.contains(item)) else {
                return Ok(StepAction::Keep);
            };
            items.push(item);
            self.edit(&place.file, place.dialect, text, &path, Some(&Value::Array(items)))?;
            return Ok(StepAction::Add);
        }
        let is_ours = |value: &Value| known.is_some_and(|known| known.sha256.as_ref() == Some(&hash(value)));
        let means_the_same = |value: &Value, wanted: &Value| {
            let (one, other) = (read_native(agent, server, value), read_native(agent, server, wanted));
            one.problems.is_empty() && one.server.is_some() && one.server == other.server
        };
        match (&current, &place.value) {
            (None, None) => return Ok(StepAction::Keep),
            (Some(current), Some(wanted)) if means_the_same(current, wanted) => return Ok(StepAction::Keep),
            (None, Some(_)) if known.is_some() && !self.options.overwrite => {
                let reason = "was removed from the file since; `--overwrite` writes it again";
                return Ok(StepAction::Drift(reason.to_owned()));
            }
            (Some(current), _) if !is_ours(current) && !self.options.overwrite => {
                let reason = if known.is_some() {
                    "was edited since; `--overwrite` replaces it and keeps a backup"
                } else {
                    "exists with another definition; `--overwrite` replaces it and keeps a backup"
                };
                return Ok(StepAction::Drift(reason.to_owned()));
            }
            _ => {}
        }
        if let Some(reason) = self.inherited(agent, server, place) {
            return Ok(StepAction::Unsupported(vec![reason]));
        }
        self.edit(&place.file, place.dialect, text, &path, place.value.as_ref())?;
        Ok(match (current, &place.value) {
            (None, _) => StepAction::Add,
            (_, Some(_)) => StepAction::Update,
            (_, None) => StepAction::Remove,
        })
    }

    /// Why an entry of the project would get fields of the user's entry with the same name.
    fn inherited(&mut self, agent: &CodingAgent, server: &str, place: &Place) -> Option<String> {
        let is_project = place.file.starts_with(&self.project);
        let wanted = place.value.as_ref()?.as_object()?.clone();
        if !agent.merges_scopes || !is_project || wanted.get("enabled") == Some(&json!(false)) {
            return None;
        }
        let file = self.file(agent, Scope::User)?;
        let path = agent.servers.iter().copied().chain([server]).map(str::to_owned).collect();
        let user = self.current(&Place { file, dialect: agent.dialect, path, value: None, is_item: false })?;
        let extra: Vec<_> = user.as_object()?.keys().filter(|key| !wanted.contains_key(*key)).cloned().collect();
        let fields = extra.join("`, `");
        (!extra.is_empty()).then(|| format!("would inherit `{fields}` from the entry of the user"))
    }

    /// Removes an entry that is no longer wanted, unless it was edited since.
    fn take_away(&mut self, place: &Place, managed: &Managed) -> Result<StepAction, McpError> {
        let Some(text) = self.texts.get(&place.file)?.map(str::to_owned) else { return Ok(StepAction::Keep) };
        let path = keys(&place.path);
        match self.current(place) {
            None => Ok(StepAction::Keep),
            Some(Value::Array(items)) if place.is_item => {
                let rest: Vec<_> = items.iter().filter(|item| place.value.as_ref() != Some(item)).cloned().collect();
                let value = Value::Array(rest.clone());
                self.edit(&place.file, place.dialect, text, &path, (!rest.is_empty()).then_some(&value))?;
                Ok(StepAction::Remove)
            }
            Some(value) if managed.sha256.as_ref() == Some(&hash(&value)) || self.options.overwrite => {
                self.edit(&place.file, place.dialect, text, &path, None)?;
                Ok(StepAction::Remove)
            }
            Some(_) => {
                let reason = "was edited since; `--overwrite` removes it and keeps a backup";
                Ok(StepAction::Drift(reason.to_owned()))
            }
        }
    }

    /// Notes what the user must do before an agent uses servers of the project.
    fn ask(&mut self, agent: &'static CodingAgent) {
        let Some(gate) = agent.gate else { return };
        let is_noted = self.attention.iter().any(|noted| noted.agent.id == agent.id);
        if !is_noted && !self.is_trusted(agent, gate.record) {
            self.attention.push(Attention { agent, action: gate.action });
        }
    }

    fn is_trusted(&mut self, agent: &CodingAgent, record: Option<GateRecord>) -> bool {
        let Some(record) = record else { return false };
        let user = user_files(agent, &self.home, &host::path_variable);
        let Some(folder) = user.first().and_then(|file| file.parent()) else { return false };
        let file = folder.join(record.file);
        let Ok(Some(text)) = self.texts.get(&file) else { return false };
        let Ok(config) = Config::parse(record.dialect, text) else { return false };
        let project = self.project.to_string_lossy().into_owned();
        let path: Vec<_> =
            record.before.iter().copied().chain([project.as_str()]).chain(record.after.iter().copied()).collect();
        let trusted: Option<Value> = serde_json::from_str(record.trusted).ok();
        trusted.is_some() && config.get(&path) == trusted.as_ref()
    }
}

/// The item of a list that disables a server.
fn item(list: ProjectOff, server: &str) -> Value {
    match list {
        ProjectOff::List { field: Some(field), .. } => json!({ field: server }),
        ProjectOff::List { field: None, .. } | ProjectOff::Entry | ProjectOff::Unsupported => json!(server),
    }
}

fn keys(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

/// Parses a file that its agent accepts.
fn parse(file: &Path, dialect: Dialect, text: String) -> Result<Config, McpError> {
    let checked = dialect.check(&text).and_then(|()| Config::parse(dialect, text));
    checked.map_err(|error| McpError::unreadable(file, &error.to_string()))
}
