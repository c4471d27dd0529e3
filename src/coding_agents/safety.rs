//! What of a definition may be shown, and which of its values are credentials.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::mcp::{Connection, PortableServer, Setting};
use crate::secrets::{self, MASK, Secrets, masked};

/// The fields of a definition with a credential in clear text, such as `environment.TOKEN`.
pub fn credentials(server: &PortableServer) -> Vec<String> {
    let mut fields = Vec::new();
    let literal = |setting: &Setting| match setting {
        Setting::Literal { literal } => Some(literal.clone()),
        Setting::Variable { .. } => None,
    };
    match &server.connection {
        Connection::Stdio { command, args, environment, .. } => {
            if !secrets::in_text(command).is_empty() {
                fields.push("command".to_owned());
            }
            fields.extend(secrets::in_arguments(args).into_iter().map(|(index, _)| format!("args[{index}]")));
            let secret = environment
                .iter()
                .filter(|(name, setting)| literal(setting).is_some_and(|value| secrets::gives_away(name, &value)));
            fields.extend(secret.map(|(name, _)| format!("environment.{name}")));
        }
        Connection::Http { url, headers } => {
            if !secrets::in_url(url).is_empty() {
                fields.push("url".to_owned());
            }
            let secret = headers.iter().filter(|(name, setting)| {
                literal(setting).is_some_and(|value| !secrets::in_header(name, &value).is_empty())
            });
            fields.extend(secret.map(|(name, _)| format!("headers.{name}")));
        }
    }
    fields.dedup();
    fields
}

/// A program and its arguments without credentials.
pub fn masked_command(command: &str, args: &[String]) -> (String, Vec<String>) {
    let places = secrets::in_text(command).into_iter().map(|credential| credential.range).collect();
    (masked(command, places), Secrets::default().masked_words(args))
}

/// A URL without credentials, query and fragment.
pub fn masked_url(url: &str) -> String {
    let shown = url.find(['?', '#']).and_then(|end| url.get(..end));
    let places = secrets::in_url(url).into_iter().map(|credential| credential.range).collect();
    match shown {
        None => masked(url, places),
        Some(shown) => {
            let places = secrets::in_url(shown).into_iter().map(|credential| credential.range).collect();
            format!("{}?{MASK}", masked(shown, places))
        }
    }
}

/// Tells two definitions apart without telling what is in them: a hash, in which credentials are masked.
pub fn fingerprint(server: &PortableServer) -> String {
    let mut server = server.clone();
    let fields = credentials(&server);
    let hide = |kind: &str, name: &str, setting: &mut Setting| {
        if fields.contains(&format!("{kind}.{name}")) {
            *setting = Setting::Literal { literal: MASK.to_owned() };
        }
    };
    match &mut server.connection {
        Connection::Stdio { command, args, environment, .. } => {
            (*command, *args) = masked_command(command, args);
            environment.iter_mut().for_each(|(name, setting)| hide("environment", name, setting));
            environment.sort_unstable_keys();
        }
        Connection::Http { url, headers } => {
            let places = secrets::in_url(url).into_iter().map(|credential| credential.range).collect();
            *url = masked(url, places);
            headers.iter_mut().for_each(|(name, setting)| hide("headers", name, setting));
            headers.sort_unstable_keys();
        }
    }
    let hash = Sha256::digest(serde_json::to_string(&server.connection).unwrap_or_default());
    hash.iter().take(6).fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}
