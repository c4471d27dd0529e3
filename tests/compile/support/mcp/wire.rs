//! The HTTP responses of the scripted server.

use std::{future::pending, sync::Arc, time::Instant};

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::sleep};
use tokio_stream::wrappers::ReceiverStream;

use super::{Answers, Get, Listing, Loss, Manners, McpTool, Seen, Shared, header_text, lock};

const JSON: &str = "application/json";

pub(super) async fn handle(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body: Bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    lock(&shared.seen).push(Seen {
        http: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        method: message["method"].as_str().unwrap_or_default().to_owned(),
        headers: parts.headers.clone(),
        at: Instant::now(),
    });
    let manners = lock(&shared.manners).clone();
    if manners.unavailable {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    if let (Some((status, target)), "/mcp") = (&manners.redirect, parts.uri.path()) {
        return (StatusCode::from_u16(*status).unwrap(), [(header::LOCATION, target)]).into_response();
    }
    let session = header_text(&parts.headers, "mcp-session-id");
    if message["method"] == "initialize" {
        if manners.hangs {
            return pending().await;
        }
        return initialize(&shared, &message);
    }
    if session.is_empty() {
        return lost(Loss::BadRequest, &message["id"]);
    }
    if !lock(&shared.sessions).contains(&session) {
        return lost(manners.loss, &message["id"]);
    }
    match parts.method.as_str() {
        "GET" => listen(&shared, manners.get).await,
        "DELETE" => {
            lock(&shared.sessions).remove(&session);
            StatusCode::NO_CONTENT.into_response()
        }
        _ if message["id"].is_null() => StatusCode::ACCEPTED.into_response(),
        _ => answer(&shared, &manners, &message).await,
    }
}

fn initialize(shared: &Shared, message: &Value) -> Response {
    let session = {
        let mut count = lock(&shared.count);
        *count += 1;
        format!("session-{count}")
    };
    lock(&shared.sessions).insert(session.clone());
    let result = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {"listChanged": true}},
        "serverInfo": {"name": "scripted", "version": "1.0.0"},
    });
    let body = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
    ([("mcp-session-id", session.as_str()), ("content-type", JSON)], body).into_response()
}

fn lost(loss: Loss, id: &Value) -> Response {
    let body = |id: &Value| {
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": "no valid session"}}).to_string()
    };
    let json = [(header::CONTENT_TYPE, JSON)];
    match loss {
        Loss::NotFound => (StatusCode::NOT_FOUND, json, body(id)).into_response(),
        Loss::NotFoundBare => StatusCode::NOT_FOUND.into_response(),
        Loss::BadRequest => (StatusCode::BAD_REQUEST, json, body(id)).into_response(),
        Loss::BadRequestNullId => (StatusCode::BAD_REQUEST, json, body(&Value::Null)).into_response(),
    }
}

async fn listen(shared: &Shared, get: Get) -> Response {
    match get {
        Get::Refused => StatusCode::METHOD_NOT_ALLOWED.into_response(),
        Get::Hang => pending().await,
        Get::Stream => {
            let mut notices = shared.notices.subscribe();
            let (sender, receiver) = mpsc::channel(1);
            drop(tokio::spawn(async move {
                loop {
                    let notice = tokio::select! {
                        notice = notices.recv() => notice,
                        () = sender.closed() => return,
                    };
                    let Ok(notice) = notice else { return };
                    if sender.send(Ok::<_, axum::Error>(event(&notice))).await.is_err() {
                        return;
                    }
                }
            }));
            let stream = Body::from_stream(ReceiverStream::new(receiver));
            ([(header::CONTENT_TYPE, "text/event-stream")], stream).into_response()
        }
    }
}

async fn answer(shared: &Shared, manners: &Manners, message: &Value) -> Response {
    let method = message["method"].as_str().unwrap_or_default();
    if let (Some((status, body)), "tools/call") = (manners.refusal, method) {
        return (StatusCode::from_u16(status).unwrap(), body).into_response();
    }
    let _turn = if manners.one_at_a_time { Some(shared.working.lock().await) } else { None };
    let outcome = match method {
        "ping" => Ok(json!({})),
        "tools/list" => Ok(page(&lock(&shared.tools), manners.listing, &message["params"]["cursor"])),
        "tools/call" => call(shared, &message["params"]).await,
        unknown => Err(json!({"code": -32601, "message": format!("unknown method {unknown}")})),
    };
    let body = match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": message["id"], "result": result}),
        Err(error) => json!({"jsonrpc": "2.0", "id": message["id"], "error": error}),
    }
    .to_string();
    match manners.answers {
        Answers::Json => ([(header::CONTENT_TYPE, JSON)], body).into_response(),
        Answers::Events(events) => ([(header::CONTENT_TYPE, "text/event-stream")], events(&body)).into_response(),
    }
}

fn event(data: &str) -> String {
    format!("event: message\ndata: {data}\n\n")
}

/// The cursor is the index of the page's first tool.
fn page(tools: &[McpTool], listing: Listing, cursor: &Value) -> Value {
    let first: usize = cursor.as_str().map_or(0, |cursor| cursor.parse().unwrap());
    let listed = tools.iter().map(|tool| &tool.listed);
    let size = match listing {
        Listing::Pages(size) => size,
        Listing::Repeated => return json!({"tools": listed.collect::<Vec<_>>(), "nextCursor": (first + 1).to_string()}),
        Listing::Endless(bytes) => {
            let tool = McpTool::says(format!("tool_{first}"), "").listed_with("description", "x".repeat(bytes).into());
            return json!({"tools": [tool.listed], "nextCursor": (first + 1).to_string()});
        }
    };
    let listed: Vec<_> = listed.skip(first).take(size).collect();
    if first + size < tools.len() {
        return json!({"tools": listed, "nextCursor": (first + size).to_string()});
    }
    json!({"tools": listed})
}

async fn call(shared: &Shared, parameters: &Value) -> Result<Value, Value> {
    let found = lock(&shared.tools).iter().find(|tool| parameters["name"] == tool.name.as_str()).cloned();
    let Some(tool) = found else {
        return Err(json!({"code": -32602, "message": format!("unknown tool {}", parameters["name"])}));
    };
    sleep(tool.delay).await;
    Ok((tool.answer)(&parameters["arguments"]))
}
