//! The agent's log: one JSON object a line on standard error, without secrets.

use std::{
    fmt::Debug,
    io::{Write as _, stderr},
};

use chrono::{SecondsFormat, Utc};
use serde_json::{Map, Value, json};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// Writes what this agent's own crates log; lines of level debug only when asked for. Libraries stay silent: they log addresses and
/// keys.
pub fn init(program: &'static str, debug: bool) {
    // A test may have begun another log.
    drop(tracing::subscriber::set_global_default(Log { program, debug }));
}

struct Log {
    program: &'static str,
    debug: bool,
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let owner = metadata.target().split("::").next();
        let is_own = owner == module_path!().split("::").next() || owner == Some(self.program);
        let level = if self.debug { Level::DEBUG } else { Level::INFO };
        metadata.is_event() && is_own && *metadata.level() <= level
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(Map::new());
        event.record(&mut fields);
        let time = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        let message = fields.0.remove("message").unwrap_or_default();
        let mut line = json!({"time": time, "level": event.metadata().level().as_str(), "msg": message});
        if let Some(entries) = line.as_object_mut() {
            entries.append(&mut fields.0);
        }
        // Nobody is left to be told when the log cannot be written.
        drop(stderr().lock().write_all(format!("{line}\n").as_bytes()));
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

/// An error and its causes in one line.
pub fn describe(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        // Many errors repeat their cause.
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}
//adl:if mcp

/// Below this length a value is not taken for a secret: hiding "1" or "true" would make errors unreadable.
const SHORTEST_SECRET: usize = 5;

/// Replaces secrets in texts.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// Longer ones first, so that no rest of one is left.
    replacements: Vec<(String, String)>,
}

impl Redactor {
    /// `replacements` says what is written in place of some texts; other secrets are only marked.
    pub fn new(secrets: impl IntoIterator<Item = String>, replacements: &[(String, String)]) -> Self {
        let mut all: Vec<_> = replacements.iter().filter(|(text, _)| !text.is_empty()).cloned().collect();
        for secret in secrets {
            if secret.len() >= SHORTEST_SECRET && all.iter().all(|(known, _)| *known != secret) {
                all.push((secret, "[redacted]".to_owned()));
            }
        }
        all.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        Self { replacements: all }
    }

    pub fn redact(&self, text: &str) -> String {
        let mut redacted = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            match self.replacements.iter().find(|(secret, _)| rest.starts_with(secret.as_str())) {
                Some((secret, replacement)) => {
                    redacted.push_str(replacement);
                    rest = &rest[secret.len()..];
                }
                None => {
                    redacted.push(next);
                    rest = &rest[next.len_utf8()..];
                }
            }
        }
        redacted
    }
}
//adl:end
