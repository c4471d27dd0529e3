//! Push notifications: web hooks that hear of every state of a task.

use std::{
    collections::HashMap,
    error::Error,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use a2a::{
    A2AError, DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, Task, TaskPushNotificationConfig,
    error_code,
};
use futures::future::join_all;
use reqwest::{
    Client, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::rpc::Version;
//adl:if v03
use super::v03;
//adl:end
use crate::log::describe;

/// Bounds one notification; those of a task are sent one after the other.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Bounds the web hooks of one task.
const MAX_HOOKS: usize = 10;

#[derive(Clone)]
struct Hook {
    config: TaskPushNotificationConfig,
    /// That of the client that registered it, which is the one that it is told in.
    version: Version,
}

/// The web hooks of one task.
struct Registered {
    hooks: Vec<Hook>,
    /// Takes the states of the task to those who are told.
    states: UnboundedSender<(Task, Vec<Hook>)>,
}

/// The web hooks of all tasks.
#[derive(Clone)]
pub struct WebHooks {
    client: Client,
    by_task: Arc<Mutex<HashMap<String, Registered>>>,
}

impl WebHooks {
    pub fn new() -> Result<Self, String> {
        let client = Client::builder()
            .timeout(TIMEOUT)
            .no_proxy()
            .redirect(redirect::Policy::none())
            .dns_resolver(Arc::new(OutsideResolver))
            .build()
            .map_err(|error| describe(&error))?;
        Ok(Self { client, by_task: Arc::default() })
    }

    /// Tells the hooks of a task about its state.
    pub fn notify(&self, task: &Task) {
        let by_task = self.by_task();
        let Some(Registered { hooks, states }) = by_task.get(&task.id) else { return };
        // Nobody takes states any more while the agent stops.
        drop(states.send((task.clone(), hooks.clone())));
    }

    /// Drops the hooks of a task that is gone.
    pub fn forget(&self, task_id: &str) {
        self.by_task().remove(task_id);
    }

    pub fn set(
        &self,
        mut config: TaskPushNotificationConfig,
        version: Version,
    ) -> Result<TaskPushNotificationConfig, A2AError> {
        let url = Url::parse(&config.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        if url.is_none() {
            return Err(A2AError::invalid_params("the URL of a web hook must be an http or https URL"));
        }
        let id = config.id.take().filter(|id| !id.is_empty()).unwrap_or_else(|| config.task_id.clone());
        config.id = Some(id);
        let mut by_task = self.by_task();
        let registered = by_task.entry(config.task_id.clone()).or_insert_with(|| {
            let (states, receiver) = unbounded_channel();
            tokio::spawn(deliver(self.client.clone(), receiver));
            Registered { hooks: Vec::new(), states }
        });
        registered.hooks.retain(|hook| hook.config.id != config.id);
        if registered.hooks.len() >= MAX_HOOKS {
            return Err(A2AError::invalid_params(format!("a task can have {MAX_HOOKS} web hooks at most")));
        }
        registered.hooks.push(Hook { config: config.clone(), version });
        Ok(config)
    }

    pub fn get(&self, request: &GetTaskPushNotificationConfigRequest) -> Result<TaskPushNotificationConfig, A2AError> {
        let all = self.of(&request.task_id);
        let found = all.into_iter().find(|config| config.id.as_deref() == Some(&request.id));
        found.ok_or_else(|| A2AError::new(error_code::TASK_NOT_FOUND, "the task has no such web hook"))
    }

    pub fn list(&self, request: &ListTaskPushNotificationConfigsRequest) -> ListTaskPushNotificationConfigsResponse {
        ListTaskPushNotificationConfigsResponse { configs: self.of(&request.task_id), next_page_token: None }
    }

    pub fn delete(&self, request: &DeleteTaskPushNotificationConfigRequest) {
        if let Some(registered) = self.by_task().get_mut(&request.task_id) {
            registered.hooks.retain(|hook| hook.config.id.as_deref() != Some(&request.id));
        }
    }

    fn of(&self, task_id: &str) -> Vec<TaskPushNotificationConfig> {
        let by_task = self.by_task();
        let hooks = by_task.get(task_id).map(|registered| registered.hooks.as_slice()).unwrap_or_default();
        hooks.iter().map(|hook| hook.config.clone()).collect()
    }

    fn by_task(&self) -> MutexGuard<'_, HashMap<String, Registered>> {
        self.by_task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends the states of one task in their order. A failure is logged, without the address, which may hold a secret.
async fn deliver(client: Client, mut states: UnboundedReceiver<(Task, Vec<Hook>)>) {
    while let Some((task, hooks)) = states.recv().await {
        let sent = hooks.iter().map(async |hook| {
            if let Err(error) = post(&client, hook, &task).await {
                let url = Url::parse(&hook.config.url).ok();
                let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
                tracing::warn!(task = task.id, host, error, "push notification not delivered");
            }
        });
        join_all(sent).await;
    }
}

async fn post(client: &Client, Hook { config, version }: &Hook, task: &Task) -> Result<(), String> {
    let url = Url::parse(&config.url).map_err(|error| error.to_string())?;
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    if host.parse().is_ok_and(is_own_network) {
        return Err(OWN_NETWORK.to_owned());
    }
    let mut request = client.post(url).json(&body(task, *version));
    if let Some(token) = &config.token {
        request = request.header("X-A2A-Notification-Token", token);
    }
    if let Some(authentication) = &config.authentication
        && let Some(credentials) = &authentication.credentials
    {
        request = request.header("Authorization", format!("{} {credentials}", authentication.scheme));
    }
    let response = request.send().await.map_err(|error| describe(&error.without_url()))?;
    let status = response.status();
    if status.is_success() { Ok(()) } else { Err(format!("HTTP {}", status.as_u16())) }
}

fn body(task: &Task, version: Version) -> Value {
    let event = json!({"task": task});
    match version {
        Version::V1_0 => event,
        //adl:if v03
        Version::V0_3 => v03::event_from_1_0(event),
        //adl:end
    }
}

const OWN_NETWORK: &str = "the host is in the agent's own network";

/// Finds the addresses of a host, unless one is in the agent's own network.
struct OutsideResolver;

impl Resolve for OutsideResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if found.iter().any(|address| is_own_network(address.ip())) {
                return Err(Box::<dyn Error + Send + Sync>::from(OWN_NETWORK));
            }
            let addresses: Addrs = Box::new(found.into_iter());
            Ok(addresses)
        })
    }
}

/// Whether an address is in the agent's own network, which a client must not reach through the agent.
pub fn is_own_network(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            first == 0
                || first >= 224
                || address.is_loopback()
                || address.is_private()
                || address.is_link_local()
                || (first == 100 && (64..128).contains(&second))
        }
        IpAddr::V6(address) => {
            address.is_loopback()
                || address.is_unspecified()
                || address.is_unique_local()
                || address.is_unicast_link_local()
                || address.is_multicast()
        }
    }
}
