//! Protocol 0.3 in terms of 1.0, as JSON: the two differ in names and in how they tell things of several kinds apart.

use serde_json::{Map, Value, json};

/// The method of 1.0 that does the same.
pub fn method(name: &str) -> Option<&'static str> {
    Some(match name {
        "message/send" => "SendMessage",
        "message/stream" => "SendStreamingMessage",
        "tasks/get" => "GetTask",
        "tasks/cancel" => "CancelTask",
        "tasks/resubscribe" => "SubscribeToTask",
        "tasks/pushNotificationConfig/set" => "CreateTaskPushNotificationConfig",
        "tasks/pushNotificationConfig/get" => "GetTaskPushNotificationConfig",
        "tasks/pushNotificationConfig/list" => "ListTaskPushNotificationConfigs",
        "tasks/pushNotificationConfig/delete" => "DeleteTaskPushNotificationConfig",
        "agent/getAuthenticatedExtendedCard" => "GetExtendedAgentCard",
        _ => return None,
    })
}

/// Parameters of 0.3 as 1.0 has them. What is malformed stays so.
pub fn params_to_1_0(method: &str, mut params: Value) -> Value {
    let Some(fields) = params.as_object_mut() else { return params };
    match method {
        "SendMessage" | "SendStreamingMessage" => {
            if let Some(message) = fields.get_mut("message") {
                message_to_1_0(message);
            }
            if let Some(configuration) = fields.get_mut("configuration").and_then(Value::as_object_mut) {
                // 0.3 waits for the task unless told otherwise.
                let blocking = configuration.remove("blocking").and_then(|blocking| blocking.as_bool());
                configuration.insert("returnImmediately".to_owned(), json!(blocking == Some(false)));
                if let Some(hook) = configuration.remove("pushNotificationConfig").filter(|hook| !hook.is_null()) {
                    configuration.insert("taskPushNotificationConfig".to_owned(), hook_to_1_0(hook));
                }
            }
        }
        "CreateTaskPushNotificationConfig" => {
            let mut hook = hook_to_1_0(fields.remove("pushNotificationConfig").unwrap_or_default());
            if let Some(hook) = hook.as_object_mut() {
                hook.insert("taskId".to_owned(), fields.remove("taskId").unwrap_or_default());
            }
            return hook;
        }
        "GetTaskPushNotificationConfig" | "DeleteTaskPushNotificationConfig" => {
            rename(fields, "id", "taskId");
            rename(fields, "pushNotificationConfigId", "id");
        }
        "ListTaskPushNotificationConfigs" => rename(fields, "id", "taskId"),
        _ => {}
    }
    params
}

/// A result of 1.0 as 0.3 has it.
pub fn result_from_1_0(method: &str, mut result: Value) -> Value {
    match method {
        "SendMessage" | "SendStreamingMessage" | "SubscribeToTask" => event_from_1_0(result),
        "GetTask" | "CancelTask" => {
            task_from_1_0(&mut result);
            result
        }
        "CreateTaskPushNotificationConfig" | "GetTaskPushNotificationConfig" => hook_from_1_0(result),
        "ListTaskPushNotificationConfigs" => match result["configs"].take() {
            Value::Array(hooks) => hooks.into_iter().map(hook_from_1_0).collect(),
            _ => json!([]),
        },
        _ => result,
    }
}

/// Something that happened to a task: an object with one member, whose name tells what it is.
pub fn event_from_1_0(event: Value) -> Value {
    let Value::Object(members) = event else { return event };
    let Some((kind, mut value)) = members.into_iter().next() else { return Value::Null };
    match kind.as_str() {
        "task" => task_from_1_0(&mut value),
        "message" => message_from_1_0(&mut value),
        "statusUpdate" => {
            status_from_1_0(&mut value["status"]);
            let state = value["status"]["state"].as_str().unwrap_or_default();
            let is_final = !matches!(state, "submitted" | "working");
            value["kind"] = json!("status-update");
            value["final"] = json!(is_final);
        }
        "artifactUpdate" => {
            each(&mut value["artifact"]["parts"], part_from_1_0);
            value["kind"] = json!("artifact-update");
        }
        _ => {}
    }
    value
}

fn rename(fields: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = fields.remove(from) {
        fields.insert(to.to_owned(), value);
    }
}

fn each(list: &mut Value, change: fn(&mut Value)) {
    list.as_array_mut().into_iter().flatten().for_each(change);
}

fn message_to_1_0(message: &mut Value) {
    let Some(fields) = message.as_object_mut() else { return };
    fields.remove("kind");
    match fields.get("role").and_then(Value::as_str) {
        Some("user") => fields.insert("role".to_owned(), json!("ROLE_USER")),
        Some("agent") => fields.insert("role".to_owned(), json!("ROLE_AGENT")),
        _ => fields.insert("role".to_owned(), Value::Null), // names of 1.0 mean nothing here
    };
    if let Some(parts) = fields.get_mut("parts") {
        each(parts, part_to_1_0);
    }
}

fn part_to_1_0(part: &mut Value) {
    let Some(fields) = part.as_object_mut() else { return };
    fields.remove("kind");
    let Some(Value::Object(mut file)) = fields.remove("file") else { return };
    for (from, to) in [("uri", "url"), ("bytes", "raw"), ("name", "filename"), ("mimeType", "mediaType")] {
        if let Some(value) = file.remove(from).filter(|value| !value.is_null()) {
            fields.insert(to.to_owned(), value);
        }
    }
}

fn task_from_1_0(task: &mut Value) {
    status_from_1_0(&mut task["status"]);
    if let Some(history) = task.get_mut("history") {
        each(history, message_from_1_0);
    }
    if let Some(artifacts) = task.get_mut("artifacts") {
        each(artifacts, |artifact| each(&mut artifact["parts"], part_from_1_0));
    }
    task["kind"] = json!("task");
}

fn status_from_1_0(status: &mut Value) {
    let state = status["state"].as_str().unwrap_or_default();
    status["state"] = match state.strip_prefix("TASK_STATE_").unwrap_or_default() {
        "" | "UNSPECIFIED" => json!("unknown"),
        state => json!(state.to_lowercase().replace('_', "-")),
    };
    if let Some(message) = status.get_mut("message") {
        message_from_1_0(message);
    }
}

fn message_from_1_0(message: &mut Value) {
    let is_agent = message["role"] == "ROLE_AGENT";
    message["role"] = json!(if is_agent { "agent" } else { "user" });
    message["kind"] = json!("message");
    each(&mut message["parts"], part_from_1_0);
}

fn part_from_1_0(part: &mut Value) {
    let Some(fields) = part.as_object_mut() else { return };
    let kind = if fields.contains_key("text") {
        "text"
    } else if fields.contains_key("data") {
        "data"
    } else {
        let mut file = Map::new();
        for (from, to) in [("url", "uri"), ("raw", "bytes"), ("filename", "name"), ("mediaType", "mimeType")] {
            if let Some(value) = fields.remove(from) {
                file.insert(to.to_owned(), value);
            }
        }
        fields.insert("file".to_owned(), file.into());
        "file"
    };
    fields.insert("kind".to_owned(), json!(kind));
}

/// A web hook: 0.3 keeps the task beside it and several names of authentication schemes in it.
fn hook_to_1_0(mut hook: Value) -> Value {
    if let Some(authentication) = hook.get_mut("authentication").and_then(Value::as_object_mut) {
        let scheme = authentication.remove("schemes").and_then(|schemes| schemes.get(0).cloned());
        authentication.insert("scheme".to_owned(), scheme.unwrap_or_else(|| json!("")));
    }
    hook
}

fn hook_from_1_0(mut hook: Value) -> Value {
    let Some(fields) = hook.as_object_mut() else { return hook };
    let task_id = fields.remove("taskId");
    if let Some(authentication) = fields.get_mut("authentication").and_then(Value::as_object_mut) {
        let scheme = authentication.remove("scheme");
        authentication.insert("schemes".to_owned(), scheme.into_iter().collect());
    }
    json!({"taskId": task_id, "pushNotificationConfig": hook})
}
