//! Literal credentials: by the name that they stand under, by the shape of known tokens, and inside urls.
//!
//! A value made of references (`${TOKEN}`, `Bearer ${TOKEN}`, `user:${PASSWORD}@host`) is none. The check leans towards
//! silence where a name says nothing, because what it finds is taken out of the generated project.

use std::ops::Range;

use super::reference::without_references;

/// A credential in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// Its bytes; a scheme word such as `Bearer` and its name do not belong to it.
    pub range: Range<usize>,
    /// What it goes by: the name of its header, variable, option or parameter, else a word such as `password`.
    pub name: String,
}

/// Words that end a name under which credentials stand.
const SECRET_WORDS: &[&str] = &[
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "pass",
    "pat",
    "jwt",
    "apikey",
    "apitoken",
    "authtoken",
    "accesstoken",
    "accesskey",
    "secretkey",
    "privatekey",
    "credential",
    "credentials",
    "authorization",
    "auth",
    "cookie",
];
/// Words before `key` that make it a credential.
const KEYS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "signing",
    "encryption",
    "subscription",
    "service",
    "master",
    "admin",
    "account",
    "license",
    "functions",
];
/// Names of query parameters that carry credentials, beside the words above.
const QUERY_NAMES: &[&str] = &["key", "sig", "signature", "code"];
/// Words that stand before a credential in a header.
const SCHEMES: &[&str] = &["bearer", "basic", "token", "apikey", "digest", "negotiate", "key", "jwt"];
/// Values that decide something and hide nothing.
const SWITCHES: &[&str] = &[
    "true", "false", "yes", "no", "on", "off", "none", "null", "0", "1", "disabled", "enabled", "required", "optional",
];
/// Beginnings of tokens that services issue.
const TOKEN_PREFIXES: &[&str] = &[
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "rk_test_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxs-",
    "xoxe-",
    "xapp-",
    "npm_",
    "pypi-",
    "hf_",
    "gsk_",
    "xai-",
    "r8_",
    "tvly-",
    "figd_",
    "lin_api_",
    "ntn_",
    "sbp_",
    "dop_v1_",
    "SG.",
    "AIza",
    "AKIA",
    "ASIA",
    "pplx-",
    "fc-",
    "shpat_",
    "key-",
];

/// The credentials in the value of a header.
pub fn in_header(name: &str, value: &str) -> Vec<Credential> {
    in_named(name, value, 0).unwrap_or_else(|| in_text(value))
}

/// The credentials in the value of an environment variable.
pub fn in_environment(name: &str, value: &str) -> Vec<Credential> {
    if is_switch(value) { Vec::new() } else { in_named(name, value, 0).unwrap_or_else(|| in_text(value)) }
}

/// The credentials in a url: its userinfo, its query, tokens in its path.
pub fn in_url(url: &str) -> Vec<Credential> {
    let mut found = Vec::new();
    found.extend(in_userinfo(url));
    found.extend(in_query(url));
    add_tokens(url, &mut found);
    found
}

/// The credentials in a program's arguments, each with the index of its argument: `--token=x`, `--token x`, `NAME_TOKEN=x`,
/// `Authorization: Bearer x`, urls and tokens.
pub fn in_arguments(arguments: &[String]) -> Vec<(usize, Credential)> {
    let mut found = Vec::new();
    let mut announced: Option<&str> = None;
    for (index, argument) in arguments.iter().enumerate() {
        let name = announced.take().filter(|_| !argument.starts_with('-') && !is_switch(argument));
        let own = name.and_then(|name| in_named(name, argument, 0));
        found.extend(own.unwrap_or_else(|| in_argument(argument)).into_iter().map(|credential| (index, credential)));
        announced =
            argument.strip_prefix('-').map(|rest| rest.trim_start_matches('-')).filter(|rest| !rest.contains('='));
    }
    found
}

fn in_argument(argument: &str) -> Vec<Credential> {
    for separator in ['=', ':'] {
        let Some(end) = argument.find(separator) else { continue };
        let (name, value) = (argument.get(..end).unwrap_or_default(), argument.get(end + 1..).unwrap_or_default());
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        if is_name && !is_switch(value) && !value.starts_with("//") {
            if let Some(found) = in_named(name.trim_start_matches('-'), value, end + 1) {
                return found;
            }
            if separator == '=' {
                return shifted(in_argument(value), end + 1);
            }
        }
    }
    in_text(argument)
}

/// The credential under a name that says that there is one; `None` when the name says nothing.
fn in_named(name: &str, value: &str, offset: usize) -> Option<Vec<Credential>> {
    if !is_secret_name(name) {
        return None;
    }
    let start = value.len() - value.trim_start().len();
    let trimmed = value.trim();
    let scheme =
        trimmed.split_once(' ').filter(|(word, _)| SCHEMES.iter().any(|known| word.eq_ignore_ascii_case(known)));
    let secret = scheme.map_or(trimmed, |(_, rest)| rest.trim_start());
    let start = start + trimmed.len() - secret.len();
    let found = has_literal(secret).then(|| Credential { range: start..start + secret.len(), name: name.to_owned() });
    Some(shifted(found.into_iter().collect(), offset))
}

/// Whether something is left of a value when its references, and the names before them, are gone.
fn has_literal(value: &str) -> bool {
    value.split([' ', ';', ',']).any(|part| {
        let part = part.find("=${").and_then(|equals| part.get(equals..)).unwrap_or(part);
        without_references(part, "").chars().any(char::is_alphanumeric)
    })
}

/// Credentials that show by themselves: urls and tokens.
fn in_text(text: &str) -> Vec<Credential> {
    let mut found = Vec::new();
    for word in text.split_whitespace().filter(|word| word.contains("://")) {
        let offset = word.as_ptr().addr() - text.as_ptr().addr();
        found.extend(shifted(in_userinfo(word).into_iter().chain(in_query(word)).collect(), offset));
    }
    add_tokens(text, &mut found);
    found
}

fn in_userinfo(url: &str) -> Option<Credential> {
    let start = url.find("://")? + 3;
    let rest = url.get(start..)?;
    let authority = rest.get(..rest.find(['/', '?', '#']).unwrap_or(rest.len()))?;
    let (userinfo, _) = authority.rsplit_once('@')?;
    let (range, name) = match userinfo.split_once(':') {
        Some((user, password)) => (start + user.len() + 1..start + user.len() + 1 + password.len(), "password"),
        None if url.starts_with("http") => (start..start + userinfo.len(), "userinfo"),
        None => return None,
    };
    has_literal(url.get(range.clone())?).then(|| Credential { range, name: name.to_owned() })
}

fn in_query(url: &str) -> Vec<Credential> {
    let Some(question) = url.find('?') else { return Vec::new() };
    let end = url.find('#').filter(|hash| *hash > question).unwrap_or(url.len());
    let mut start = question + 1;
    let mut found = Vec::new();
    for pair in url.get(start..end).unwrap_or_default().split('&') {
        if let Some((name, value)) = pair.split_once('=') {
            let telling = is_secret_name(name) || QUERY_NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
            if telling && has_literal(value) {
                found.push(Credential { range: start + name.len() + 1..start + pair.len(), name: name.to_owned() });
            }
        }
        start += pair.len() + 1;
    }
    found
}

/// Adds the tokens of known shape that lie outside what was already found.
fn add_tokens(text: &str, found: &mut Vec<Credential>) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    for word in text.split(|c| !is_part(c)).filter(|word| is_token(word)) {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        let range = start..start + word.len();
        if found.iter().all(|other| other.range.end <= range.start || range.end <= other.range.start) {
            found.push(Credential { range, name: "token".to_owned() });
        }
    }
    found.sort_by_key(|credential| credential.range.start);
}

fn is_token(word: &str) -> bool {
    // The shortest beginning has three characters, and sixteen follow.
    if word.len() < 19 {
        return false;
    }
    let is_web_token = word.starts_with("eyJ") && word.len() >= 30 && word.matches('.').count() == 2;
    is_web_token
        || TOKEN_PREFIXES
            .iter()
            .filter_map(|prefix| word.strip_prefix(prefix))
            .any(|rest| rest.len() >= 16 && rest.bytes().any(|byte| byte.is_ascii_digit()))
}

fn is_switch(value: &str) -> bool {
    SWITCHES.iter().any(|switch| value.trim().eq_ignore_ascii_case(switch))
}

/// Whether a credential stands under this name: `Authorization`, `X-API-Key`, `GITHUB_TOKEN`, `dbPassword`; but not
/// `MAX_TOKENS`, `TOKEN_PATH` or `primary-key`.
pub fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    match words.as_slice() {
        [.., before, last] if last == "key" => KEYS.contains(&before.as_str()),
        [.., last] => SECRET_WORDS.contains(&last.as_str()),
        [] => false,
    }
}

/// The words of a name, in lower case: parted at separators and before a capital behind a small letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for character in name.chars() {
        let parts = !character.is_alphanumeric();
        if parts || (character.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if let (false, Some(word)) = (parts, words.last_mut()) {
            word.extend(character.to_lowercase());
        }
        after_small = character.is_lowercase() || character.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
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
    fn knows_telling_names() {
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
        let table: [(&str, &str, &[&str]); 15] = [
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
            ("X-Origin", "https://u:p@host", &["password=p"]),
        ];
        for (name, value, expected) in table {
            assert_eq!(shown(value, &in_header(name, value)), expected, "{name}: {value}");
        }
    }

    #[test]
    fn finds_credentials_in_environments() {
        let table: [(&str, &str, &[&str]); 6] = [
            ("API_KEY", "abc", &["API_KEY=abc"]),
            ("API_KEY", "${API_KEY}", &[]),
            ("USE_TOKEN", "true", &[]),
            ("LOG_LEVEL", "debug", &[]),
            ("DATABASE_URL", "postgres://user:word@db/x", &["password=word"]),
            ("DATABASE_URL", "postgres://user:${PASSWORD}@db/x", &[]),
        ];
        for (name, value, expected) in table {
            assert_eq!(shown(value, &in_environment(name, value)), expected, "{name}={value}");
        }
    }

    #[test]
    fn finds_credentials_in_urls() {
        let table: [(&str, &[&str]); 12] = [
            ("https://host/mcp", &[]),
            ("https://user:word@host/mcp", &["password=word"]),
            ("https://abc@host/mcp", &["userinfo=abc"]),
            ("https://${USER}:${PASSWORD}@host", &[]),
            ("https://user:${PASSWORD}@host", &[]),
            ("https://host/x?api_key=abc&x=1", &["api_key=abc"]),
            ("https://host/?key=abc#top", &["key=abc"]),
            ("https://host/?x=1&token=${T}&sig=s", &["sig=s"]),
            ("https://host/?tavilyApiKey=abc", &["tavilyApiKey=abc"]),
            ("https://host/ghp_0123456789abcdefghij/mcp", &["token=ghp_0123456789abcdefghij"]),
            ("https://host/?page=2&primary_key=3", &[]),
            ("https://host/@scope/x", &[]),
        ];
        for (url, expected) in table {
            assert_eq!(shown(url, &in_url(url)), expected, "{url}");
        }
    }

    #[test]
    fn finds_credentials_in_arguments() {
        let table: [(&[&str], &[&str]); 14] = [
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
            (&["--url=https://u:p@host/?token=t"], &["0 password=p", "0 token=t"]),
            (&["redis://:word@host:1"], &["0 password=word"]),
            (&["-y", "@scope/server", "/workspace"], &[]),
            (&["x", TOKEN], &["1 token=ghp_0123456789abcdefghij"]),
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
    fn knows_tokens_by_shape() {
        for word in
            [TOKEN, "sk-proj-abcdefgh12345678", "AKIA0123456789ABCDEF", "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.abc"]
        {
            assert!(is_token(word), "{word}");
        }
        for word in ["sk-learn", "ghp_short1", "sk-abcdefghijklmnopqrst", "eyJ.a.b", "hf_"] {
            assert!(!is_token(word), "{word}");
        }
    }
}
