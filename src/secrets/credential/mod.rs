//! Detects literal credentials by their name, by the format of known tokens, and inside URLs.
//!
//! A value that consists of references is not a credential (`${TOKEN}`, `Bearer ${TOKEN}`, a database's
//! `user:${PASSWORD}@host`). If the name says nothing, the check prefers false negatives, because detected values are
//! removed from generated projects.

mod names;
mod shape;
mod text;
mod url;

use std::ops::Range;

use crate::mcp::without_references;
use names::is_server_secret_name;

pub use names::is_secret_name;
pub use shape::private_keys;

/// A credential in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// Byte range of the credential, without its name and a scheme such as `Bearer`.
    pub range: Range<usize>,
    /// Name of the header, variable, option or parameter; otherwise a word such as `password`.
    pub name: String,
}

/// Words that precede a credential in a header.
const SCHEMES: &[&str] = &["bearer", "basic", "token", "apikey", "digest", "negotiate", "key", "jwt"];
/// Schemes that indicate a credential under any name.
const SECRET_SCHEMES: &[&str] = &["bearer ", "basic "];
/// Options for a user name. With one of them, `-p` is a password, not a port or a path.
const USER_OPTIONS: &[&str] = &["-u", "-U", "--user", "--username"];
/// Values that are settings, not credentials.
const SWITCHES: &[&str] = &[
    "true", "false", "yes", "no", "on", "off", "none", "null", "0", "1", "disabled", "enabled", "required", "optional",
];

/// The credentials in the value of a header.
pub fn in_header(name: &str, value: &str) -> Vec<Credential> {
    let lowercase = value.trim_start().to_ascii_lowercase();
    let is_secret = is_server_secret_name(name) || SECRET_SCHEMES.iter().any(|scheme| lowercase.starts_with(scheme));
    if is_secret { in_named(name, value, 0) } else { text::plain(value).0 }
}

/// The credentials in the value of an environment variable.
pub fn in_environment(name: &str, value: &str) -> Vec<Credential> {
    if is_switch(value) {
        Vec::new()
    } else if is_secret_name(name) || (is_server_secret_name(name) && !is_path(value)) {
        in_named(name, value, 0)
    } else if name.is_empty() {
        text::plain(value).0
    } else {
        text::loose(value).0
    }
}

/// The credentials in a URL: user information, query parameters, and tokens in the path.
pub fn in_url(url: &str) -> Vec<Credential> {
    let trimmed = url.trim_start();
    let mut found = Found::default();
    found.add_all(url::parts(trimmed.trim_end()), url.len() - trimmed.len());
    found.add_tokens(url);
    found.0
}

/// The credentials in a machine-readable text such as a command line, a connection string or JSON.
pub fn in_text(text: &str) -> Vec<Credential> {
    text::loose(text).0
}

/// The credentials in a program's arguments, each with the index of its argument. Detects `--token=x`, `--token x`,
/// `NAME_TOKEN=x`, `Authorization: Bearer x`, `-u user:x`, `-uuser:x`, URLs and tokens, and `-p x` if a user is also
/// given.
pub fn in_arguments(arguments: &[String]) -> Vec<(usize, Credential)> {
    let mut found = Vec::new();
    let mut announced: Option<&str> = None;
    let names_user = arguments.iter().any(|argument| USER_OPTIONS.contains(&argument.as_str()));
    for (index, argument) in arguments.iter().enumerate() {
        let option = announced.take();
        let own = option.and_then(|option| match option {
            "-p" if names_user && !is_option(argument) && !is_path(argument) => Some(in_named("password", argument, 0)),
            _ => in_announced(option, argument),
        });
        let here = own.unwrap_or_else(|| match option {
            Some("-c") => in_text(argument),
            _ => in_argument(argument),
        });
        found.extend(here.into_iter().map(|credential| (index, credential)));
        announced = Some(argument.as_str()).filter(|option| option.starts_with('-') && !option.contains('='));
    }
    found
}

/// The credentials in the argument after `option`; `None` if the option does not determine what the argument is.
fn in_announced(option: &str, argument: &str) -> Option<Vec<Credential>> {
    let name = option.trim_start_matches('-');
    // `-v` is another option, and so is `-verbose` after `-token`, but `-x7f…` after `--token` is its value.
    let is_short = argument.starts_with('-') && (argument.len() <= 2 || !option.starts_with("--"));
    if is_option(argument) || is_short || is_switch(argument) {
        return None;
    }
    if option == "-u" || option == "--user" {
        return password_of_user(argument);
    }
    if option == "-p" {
        return text::looks_random(argument).then(|| in_named("password", argument, 0));
    }
    (is_secret_name(name) || (is_server_secret_name(name) && !is_path(argument))).then(|| in_named(name, argument, 0))
}

/// Whether an argument has the form of a long option, such as `--no-color` or `--level=3`, rather than a value that
/// starts with `--`.
fn is_option(argument: &str) -> bool {
    let name = argument.strip_prefix("--").map(|rest| rest.split('=').next().unwrap_or_default());
    name.is_some_and(|name| {
        name.is_empty()
            || name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    })
}

/// The password in `user:password`; `None` for other texts and for two numbers (`1000:1000`).
fn password_of_user(argument: &str) -> Option<Vec<Credential>> {
    let (user, password) = argument.split_once(':')?;
    let is_number = password.bytes().all(|byte| byte.is_ascii_digit()) && user.bytes().all(|b| b.is_ascii_digit());
    (!is_number).then(|| in_named("password", password, user.len() + 1))
}

fn in_argument(argument: &str) -> Vec<Credential> {
    if let Some(user) = argument.strip_prefix("-u")
        && user.starts_with(|c: char| c.is_alphanumeric())
        && !user.contains(['=', '/', ' '])
        && let Some(found) = password_of_user(user)
    {
        return shifted(found, 2);
    }
    if let Some(header) = argument.strip_prefix("-H") {
        return shifted(in_argument(header), 2);
    }
    for separator in ['=', ':'] {
        let Some(end) = argument.find(separator) else { continue };
        let (name, value) = (argument.get(..end).unwrap_or_default(), argument.get(end + 1..).unwrap_or_default());
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        if is_name && !is_switch(value) && !value.starts_with("//") {
            let name = name.trim_start_matches('-');
            if is_secret_name(name) || (separator == '=' && is_server_secret_name(name) && !is_path(value)) {
                return in_named(name, value, end + 1);
            }
            if separator == '=' {
                return shifted(in_argument(value), end + 1);
            }
        }
    }
    in_text(argument)
}

/// Whether a text is a placeholder for a credential: the name of a variable, `<token>`, `your-token`, `changeme`.
pub fn is_stand_in(text: &str) -> bool {
    let is_variable =
        text.contains('_') && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let lowercase = text.to_ascii_lowercase();
    is_variable || ["<", "your", "changeme", "change-me", "..."].iter().any(|start| lowercase.starts_with(start))
}

/// The credential in a value whose name indicates one; empty if the value consists of references.
fn in_named(name: &str, value: &str, offset: usize) -> Vec<Credential> {
    let secret = text::after_scheme(value);
    let start = offset + secret.as_ptr().addr() - value.as_ptr().addr();
    let found = has_literal(secret).then(|| Credential { range: start..start + secret.len(), name: name.to_owned() });
    found.into_iter().collect()
}

/// Whether a value contains anything besides references and the names before them.
pub fn has_literal(value: &str) -> bool {
    value.split([' ', ';', ',']).any(|part| {
        let named = part.split_once('=').map(|(_, rest)| rest).filter(|rest| rest.starts_with("${"));
        without_references(named.unwrap_or(part), "").chars().any(char::is_alphanumeric)
    })
}

/// Whether a value is the path of a key file.
fn is_path(value: &str) -> bool {
    ["/", "./", "../", "~/"].iter().any(|start| value.starts_with(start))
        || [".pem", ".key", ".crt", ".json"].iter().any(|end| value.ends_with(end))
}

fn is_switch(value: &str) -> bool {
    SWITCHES.iter().any(|switch| value.trim().eq_ignore_ascii_case(switch))
}

/// Non-overlapping credentials, sorted by position. The first one found takes precedence.
#[derive(Default)]
struct Found(Vec<Credential>);

impl Found {
    fn add(&mut self, new: Credential) {
        let place = self.0.partition_point(|old| old.range.end <= new.range.start);
        if self.0.get(place).is_none_or(|next| new.range.end <= next.range.start) {
            self.0.insert(place, new);
        }
    }

    fn add_all(&mut self, others: Found, offset: usize) {
        for new in shifted(others.0, offset) {
            self.add(new);
        }
    }

    /// Adds private keys and tokens of known format.
    fn add_tokens(&mut self, text: &str) {
        for range in private_keys(text) {
            self.add(Credential { range, name: "key".to_owned() });
        }
        for range in shape::tokens(text) {
            self.add(Credential { range, name: "token".to_owned() });
        }
    }
}

fn shifted(mut found: Vec<Credential>, offset: usize) -> Vec<Credential> {
    for credential in &mut found {
        credential.range.start += offset;
        credential.range.end += offset;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_0123456789abcdefghij";

    fn shown(text: &str, found: &[Credential]) -> Vec<String> {
        found
            .iter()
            .map(|credential| format!("{}={}", credential.name, text.get(credential.range.clone()).unwrap()))
            .collect()
    }

    #[test]
    fn recognizes_secret_names() {
        for name in [
            "Authorization",
            "Proxy-Authorization",
            "X-API-Key",
            "x-api-key",
            "apiKey",
            "APIKEY",
            "GITHUB_TOKEN",
            "dbPassword",
            "DB_PASS",
            "Cookie",
            "AWS_SECRET_ACCESS_KEY",
            "client-secret",
            "X-Auth",
            "GITHUB_PAT",
            "access_token",
            "PGPASSWORD",
            "OPENAIAPIKEY",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "MAX_TOKENS",
            "TOKEN_PATH",
            "primary-key",
            "Accept",
            "X-Tenant",
            "key",
            "PASSWORD_FILE",
            "author",
            "passenger",
            "",
            "KEY_ID",
            "-",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn finds_credentials_in_headers() {
        let table: [(&str, &str, &[&str]); 25] = [
            ("Authorization", "Bearer abc", &["Authorization=abc"]),
            ("authorization", "abc", &["authorization=abc"]),
            ("Authorization", "Basic dXNlcjpwYXNz==", &["Authorization=dXNlcjpwYXNz=="]),
            ("Authorization", "Bearer ${TOKEN}", &[]),
            ("Authorization", "${SCHEME} ${TOKEN}", &[]),
            ("Authorization", "Token token=${TOKEN}", &[]),
            ("Authorization", "Bearer abc${TAIL}", &["Authorization=abc${TAIL}"]),
            ("Authorization", "Bearer ${TOKEN:-abc}", &["Authorization=${TOKEN:-abc}"]),
            ("Authorization", "", &[]),
            ("X-API-Key", "0", &["X-API-Key=0"]),
            ("Cookie", "session=${SESSION}", &[]),
            ("Cookie", "session=abc", &["Cookie=session=abc"]),
            ("X-Tenant", "acme", &[]),
            ("X-Custom", TOKEN, &["token=ghp_0123456789abcdefghij"]),
            ("X-Origin", "https://u:p@host", &["user=u", "password=p"]),
            ("X-Custom", "Bearer abc", &["X-Custom=abc"]),
            ("X-Custom", "basic abc", &["X-Custom=abc"]),
            ("X-Custom", "Bearer ${TOKEN}", &[]),
            ("X-Key", "abc", &["X-Key=abc"]),
            ("X-Session-Id", "abc", &["X-Session-Id=abc"]),
            ("X-Token-Id", "abc", &["X-Token-Id=abc"]),
            ("X-Creds", "abc", &["X-Creds=abc"]),
            ("X-Idempotency-Key", "abc", &[]),
            ("Cookie", "a=abc=${A}", &["Cookie=a=abc=${A}"]),
            ("Cookie", "a=${A}; b=${B}", &[]),
        ];
        for (name, value, expected) in table {
            assert_eq!(shown(value, &in_header(name, value)), expected, "{name}: {value}");
        }
    }

    #[test]
    fn finds_credentials_in_environments() {
        let table: [(&str, &str, &[&str]); 19] = [
            ("API_KEY", "abc", &["API_KEY=abc"]),
            ("API_KEY", "${API_KEY}", &[]),
            ("USE_TOKEN", "true", &[]),
            ("LOG_LEVEL", "debug", &[]),
            ("DATABASE_URL", "postgres://user:word@db/x", &["password=word"]),
            ("DATABASE_URL", "postgres://user:${PASSWORD}@db/x", &[]),
            ("PGPASSWORD", "abc", &["PGPASSWORD=abc"]),
            ("OPENAI_KEY", "abc", &["OPENAI_KEY=abc"]),
            ("openaiKey", "abc", &["openaiKey=abc"]),
            ("OPENAIAPIKEY", "abc", &["OPENAIAPIKEY=abc"]),
            ("KEY", "abc", &["KEY=abc"]),
            ("TLS_KEY", "/etc/tls/server.key", &[]),
            ("PRIMARY_KEY", "id", &[]),
            ("CONNECTION_STRING", "Server=h;Password=abc;Port=1", &["Password=abc"]),
            ("CONNECTION_STRING", "Server=h;Password=${P};Port=1", &[]),
            ("HEADERS", r#"{"Authorization": "Bearer abc"}"#, &["Authorization=abc"]),
            ("HEADERS", r#"{"Authorization":"Bearer ${T}"}"#, &[]),
            ("HEADERS", "X=Bearer abc", &[]),
            ("CACHE", "redis://abc@host", &["userinfo=abc"]),
        ];
        for (name, value, expected) in table {
            assert_eq!(shown(value, &in_environment(name, value)), expected, "{name}={value}");
        }
    }

    #[test]
    fn finds_credentials_in_urls() {
        let table: [(&str, &[&str]); 27] = [
            ("https://host/mcp", &[]),
            ("https://host/mcp?sessionId=abc", &["sessionId=abc"]),
            ("https://host/mcp?sessionid=abc&session_id=def", &["sessionid=abc", "session_id=def"]),
            ("https://host/mcp?openaiKey=abc", &["openaiKey=abc"]),
            ("https://user:word@host/mcp", &["user=user", "password=word"]),
            ("https://abc@host/mcp", &["userinfo=abc"]),
            ("https://${USER}:${PASSWORD}@host", &[]),
            ("https://user:${PASSWORD}@host", &["user=user"]),
            ("https://host/x?api_key=abc&x=1", &["api_key=abc"]),
            ("https://host/?key=abc#top", &["key=abc"]),
            ("https://host/?x=1&token=${T}&sig=s", &["sig=s"]),
            ("https://host/?tavilyApiKey=abc", &["tavilyApiKey=abc"]),
            ("https://host/ghp_0123456789abcdefghij/mcp", &["token=ghp_0123456789abcdefghij"]),
            ("https://host/?page=2&primary_key=3", &[]),
            ("https://host/@scope/x", &[]),
            ("https://abc:x@host", &["user=abc", "password=x"]),
            ("https://abc:${PASSWORD}@host", &["user=abc"]),
            ("  https://abc@host", &["userinfo=abc"]),
            ("HTTPS://abc@host", &["userinfo=abc"]),
            ("user:abc@host", &["user=user", "password=abc"]),
            ("//user:abc@host", &["user=user", "password=abc"]),
            ("ssh://git@host", &[]),
            ("https://host/?api%5Fkey=abc", &["api_key=abc"]),
            ("https://host/?x=1;token=abc", &["token=abc"]),
            ("https://host/#access_token=abc", &["access_token=abc"]),
            ("https://host/?a=b?token=abc", &["token=abc"]),
            ("https://host/?token=${T}#x", &[]),
        ];
        for (url, expected) in table {
            assert_eq!(shown(url, &in_url(url)), expected, "{url}");
        }
    }

    #[test]
    fn finds_credentials_in_arguments() {
        let table: [(&[&str], &[&str]); 44] = [
            (&["--api-key=abc"], &["0 api-key=abc"]),
            (&["--api-key", "abc"], &["1 api-key=abc"]),
            (&["--api-key", "${KEY}"], &[]),
            (&["--api-key", "--verbose"], &[]),
            (&["--token-file", "abc"], &[]),
            (&["-e", "GITHUB_TOKEN=abc"], &["1 GITHUB_TOKEN=abc"]),
            (&["-e", "GITHUB_TOKEN"], &[]),
            (&["--header", "Authorization: Bearer abc"], &["1 Authorization=abc"]),
            (&["--header=Authorization: Bearer abc"], &["0 Authorization=abc"]),
            (&["--header", "Authorization:Bearer ${T}"], &[]),
            (&["--url=https://u:p@host/?token=t"], &["0 user=u", "0 password=p", "0 token=t"]),
            (&["redis://:word@host:1"], &["0 password=word"]),
            (&["-y", "@scope/server", "/workspace"], &[]),
            (&["x", TOKEN], &["1 token=ghp_0123456789abcdefghij"]),
            (&["--token", "-abc"], &["1 token=-abc"]),
            (&["--token", "-v"], &[]),
            (&["-token", "-debug"], &[]),
            (&["-HAuthorization: Bearer abc"], &["0 Authorization=abc"]),
            (&["-c", "curl -H 'Authorization: Bearer abc' x"], &["1 Authorization=abc"]),
            (&["-c", "TOKEN=abc npx --key def"], &["1 TOKEN=abc", "1 key=def"]),
            (&["-u", "user:abc"], &["1 password=abc"]),
            (&["-u", "1000:1000"], &[]),
            (&["-p", "abc1"], &["1 password=abc1"]),
            (&["-p", "8080:80"], &[]),
            (&["-u", "me", "-p", "word"], &["3 password=word"]),
            (&["-p", "word", "--username", "me"], &["1 password=word"]),
            (&["-U", "me", "-p", "${PASSWORD}"], &[]),
            (&["-p", "word"], &[]),
            (&["-u", "me", "-p", "--verbose"], &[]),
            (&["--password", "--Z"], &["1 password=--Z"]),
            (&["--password", "--7f.x"], &["1 password=--7f.x"]),
            (&["--password", "--no-color"], &[]),
            (&["--password", "--level=3"], &[]),
            (&["-uuser:word"], &["0 password=word"]),
            (&["-uuser:${PASSWORD}"], &[]),
            (&["-u1000:1000"], &[]),
            (&["-p", "@scope/package"], &[]),
            (&["--key", "abc"], &["1 key=abc"]),
            (&["--key", "/etc/key.pem"], &[]),
            (&["connect with password=abc now"], &["0 password=abc"]),
            (&["Password=abc;"], &["0 Password=abc;"]),
            (&[r#"{"apiKey":"abc"}"#], &["0 apiKey=abc"]),
            (&["redis://abc@host"], &["0 userinfo=abc"]),
            (&["run", "ghcr.io/x/auth-token:latest"], &[]),
        ];
        for (arguments, expected) in table {
            let owned: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            let found = in_arguments(&owned).into_iter().map(|(index, credential)| {
                format!("{index} {}={}", credential.name, arguments[index].get(credential.range).unwrap())
            });
            assert_eq!(found.collect::<Vec<_>>(), expected, "{arguments:?}");
        }
    }

    #[test]
    fn finds_credentials_in_command_lines() {
        let table: [(&str, &[&str]); 6] = [
            ("npx --token=abc", &["token=abc"]),
            ("npx --token abc", &["token=abc"]),
            ("TOKEN=abc npx", &["TOKEN=abc"]),
            ("https://u:abc@host/x", &["user=u", "password=abc"]),
            ("Authorization: Bearer abc", &["Authorization=abc"]),
            ("npx --token=${TOKEN} -y @scope/server", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(shown(text, &in_text(text)), expected, "{text}");
        }
    }
}
