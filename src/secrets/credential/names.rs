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
    match last_words(name) {
        (Some(before), Some(last)) if is(last, "key") => is_one_of(before, KEYS),
        (_, Some(last)) => is_one_of(last, SECRET_WORDS) || ENDINGS.iter().any(|ending| ends_with(last, ending)),
        (_, None) => false,
    }
}

/// As [`is_secret_name`], and `KEY`, `OPENAI_KEY`, `X-Session-Id`, `X-Creds` too: for headers, variables and options of MCP
/// servers, where a plain key is nearly always one.
pub(super) fn is_telling_name(name: &str) -> bool {
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

/// The last word of a name but one, and the last: words part at separators and before a capital behind a small letter.
fn last_words(name: &str) -> (Option<&str>, Option<&str>) {
    let mut words = (None, None);
    let (mut start, mut after_small) = (0, false);
    let mut end_word = |start: usize, end: usize| {
        if let Some(word) = name.get(start..end).filter(|word| !word.is_empty()) {
            words = (words.1, Some(word));
        }
    };
    for (at, character) in name.char_indices() {
        if !character.is_alphanumeric() {
            end_word(start, at);
            start = at + character.len_utf8();
        } else if character.is_uppercase() && after_small {
            end_word(start, at);
            start = at;
        }
        after_small = character.is_lowercase() || character.is_numeric();
    }
    end_word(start, name.len());
    words
}
