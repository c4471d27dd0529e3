//! Names that indicate credentials.

/// Last words of names that indicate a credential.
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
/// Words before `key` that indicate a credential.
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
/// Endings of single words that indicate a credential, as in `PGPASSWORD` and `OPENAIAPIKEY`.
const ENDINGS: &[&str] =
    &["password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "secretkey", "privatekey"];
/// Words before `key` that do not indicate a credential.
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

/// Whether a name indicates a credential, such as `Authorization`, `X-API-Key`, `GITHUB_TOKEN` or `dbPassword`, but not
/// `MAX_TOKENS`, `TOKEN_PATH` or `primary-key`.
pub fn is_secret_name(name: &str) -> bool {
    match last_words(name) {
        (Some(before), Some(last)) if is(last, "key") => is_one_of(before, KEYS),
        (_, Some(last)) => is_one_of(last, SECRET_WORDS) || ENDINGS.iter().any(|ending| ends_with(last, ending)),
        (_, None) => false,
    }
}

/// Like [`is_secret_name`], but also accepts `KEY`, `OPENAI_KEY`, `X-Session-Id` and `X-Creds`. For headers, variables
/// and options of MCP servers, where a key is nearly always a credential.
pub(super) fn is_server_secret_name(name: &str) -> bool {
    is_secret_name(name)
        || match last_words(name) {
            (Some(before), Some(last)) if is(last, "key") => !is_one_of(before, HARMLESS_KEYS),
            (Some(before), Some(last)) if is(last, "id") => is_one_of(before, &["session", "token"]),
            (_, Some(last)) => {
                is_one_of(last, &["key", "creds", "cred", "sessionid"]) || ends_with(last, "key") && last.len() > 9
            }
            (_, None) => false,
        }
}

fn is(word: &str, other: &str) -> bool {
    word.eq_ignore_ascii_case(other)
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|other| is(word, other))
}

fn ends_with(word: &str, ending: &str) -> bool {
    word.len().checked_sub(ending.len()).and_then(|start| word.get(start..)).is_some_and(|end| is(end, ending))
}

/// The last but one and the last word of a name. Words end at separators and before an upper-case letter that follows a
/// lower-case one.
fn last_words(name: &str) -> (Option<&str>, Option<&str>) {
    let mut words = (None, None);
    let (mut start, mut after_lowercase) = (0, false);
    let mut end_word = |start: usize, end: usize| {
        if let Some(word) = name.get(start..end).filter(|word| !word.is_empty()) {
            words = (words.1, Some(word));
        }
    };
    for (at, character) in name.char_indices() {
        if !character.is_alphanumeric() {
            end_word(start, at);
            start = at + character.len_utf8();
        } else if character.is_uppercase() && after_lowercase {
            end_word(start, at);
            start = at;
        }
        after_lowercase = character.is_lowercase() || character.is_numeric();
    }
    end_word(start, name.len());
    words
}
