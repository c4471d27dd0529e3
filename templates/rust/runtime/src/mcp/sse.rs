//! The HTTP transport of 2024, which the library does not have any more: answers come on a stream of events, whose first one
//! names the url for messages.

use std::collections::HashMap;

use futures::{StreamExt, stream::BoxStream};
use reqwest::{
    Method, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue},
};
use rmcp::{
    RoleClient,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{Transport, streamable_http_client::SseError},
};
use sse_stream::Sse;

use super::sdk::{Failure, Http, events};

pub struct SseTransport {
    http: Http,
    /// Of the messages to the server.
    url: Url,
    events: BoxStream<'static, Result<Sse, SseError>>,
}

impl SseTransport {
    /// Opens the stream and waits for the url for messages.
    pub async fn open(http: Http) -> Result<Self, Failure> {
        let headers = HashMap::from([(ACCEPT, HeaderValue::from_static("text/event-stream"))]);
        let response = http.send(Method::GET, http.url.clone(), headers, Vec::new()).await?;
        if !response.status().is_success() {
            return Err(Failure::new(format!("the server answers {}", response.status())));
        }
        let mut events = events(response, None);
        while let Some(Ok(event)) = events.next().await {
            if event.event.as_deref() == Some("endpoint") {
                let endpoint = event.data.and_then(|endpoint| http.url.join(endpoint.trim()).ok());
                let url = endpoint.ok_or_else(|| Failure::new("the server names no valid endpoint"))?;
                return Ok(Self { http, url, events });
            }
        }
        Err(Failure::new("the server ends its stream before it names an endpoint"))
    }
}

impl Transport<RoleClient> for SseTransport {
    type Error = Failure;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Failure>> + Send + 'static {
        let (http, url) = (self.http.clone(), self.url.clone());
        async move {
            let body = serde_json::to_vec(&message).map_err(|error| Failure::new(error.to_string()))?;
            let headers = HashMap::from([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
            let response = http.send(Method::POST, url, headers, body).await?;
            match response.status() {
                status if status.is_success() => Ok(()),
                status => Err(Failure::new(format!("the server answers {status}"))),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        while let Some(Ok(event)) = self.events.next().await {
            // What is no message is of no use.
            if let Ok(message) = serde_json::from_str(&event.data.unwrap_or_default()) {
                return Some(message);
            }
        }
        None
    }

    async fn close(&mut self) -> Result<(), Failure> {
        self.events = futures::stream::empty().boxed();
        Ok(())
    }
}
