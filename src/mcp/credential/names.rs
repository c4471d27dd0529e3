//! Names that tell of credentials.

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
/// Ends of single words that do, as in `PGPASSWORD` and `OPENAIAPIKEY`.
const ENDINGS: &[&str] =
    &["password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "secretkey", "privatekey"];
/// Words before `key` that make it harmless.
const HARMLESS_KEYS: &[&str] = &[
    "primary",
    "public",
    "foreign",
    "sort",
    "partition",
    "cache",
    "idempotency",
    "routing",
    "row",
    "group",
    "host",
    "object",
    "pub",
    "hot",
    "shortcut",
    "dedup",
    "lookup",
];

/// Whether a credential stands under this name: `Authorization`, `X-API-Key`, `GITHUB_TOKEN`, `dbPassword`; but not
/// `MAX_TOKENS`, `TOKEN_PATH` or `primary-key`.
pub fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    match words.as_slice() {
        [.., before, last] if last == "key" => KEYS.contains(&before.as_str()),
        [.., last] => SECRET_WORDS.contains(&last.as_str()) || ENDINGS.iter().any(|ending| last.ends_with(ending)),
        [] => false,
    }
}

/// As [`is_secret_name`], and `KEY`, `OPENAI_KEY`, `X-Session-Id`, `X-Creds` too: for headers, variables and options of MCP
/// servers, where a plain key is nearly always one.
pub(super) fn is_telling_name(name: &str) -> bool {
    is_secret_name(name)
        || match words(name).as_slice() {
            [.., before, last] if last == "key" => !HARMLESS_KEYS.contains(&before.as_str()),
            [.., before, last] if last == "id" => ["session", "token"].contains(&before.as_str()),
            [.., last] => ["key", "creds", "cred"].contains(&last.as_str()) || last.ends_with("key") && last.len() > 9,
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
