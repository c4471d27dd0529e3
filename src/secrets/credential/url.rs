//! Credentials in URLs: user information, query and fragment.

use super::names::is_server_secret_name;
use super::{Credential, Found, has_literal};

/// Names of parameters with credentials, in addition to the general names.
const PARAMETERS: &[&str] = &["sig", "signature", "code"];
/// Schemes whose user information starts with an account name, which is not a credential.
const ACCOUNT_SCHEMES: &[&str] =
    &["ssh", "sftp", "ftp", "postgres", "postgresql", "mysql", "mariadb", "mongodb", "srv", "sqlserver", "oracle"];

/// The credentials in a URL, which may lack its scheme.
pub(super) fn parts(url: &str) -> Found {
    let mut found = Found::default();
    in_userinfo(url, &mut found);
    in_parameters(url, &mut found);
    found
}

fn in_userinfo(url: &str, found: &mut Found) {
    let (scheme, start) = match (url.find("//"), url.find("://")) {
        (_, Some(end)) => (url.get(..end).unwrap_or_default(), end + 3),
        (Some(0), None) => ("", 2),
        _ => ("", 0),
    };
    let scheme = scheme.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let rest = url.get(start..).unwrap_or_default();
    let authority = rest.get(..rest.find(['/', '?', '#']).unwrap_or(rest.len())).unwrap_or_default();
    let Some((userinfo, _)) = authority.rsplit_once('@') else { return };
    let has_account = ACCOUNT_SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let (user, password) = match userinfo.split_once(':') {
        Some((user, password)) => (user, Some(password)),
        None => (userinfo, None),
    };
    if !has_account && has_literal(user) {
        let name = if password.is_some() { "user" } else { "userinfo" };
        found.add(Credential { range: start..start + user.len(), name: name.to_owned() });
    }
    if let Some(password) = password.filter(|password| has_literal(password)) {
        let start = start + user.len() + 1;
        found.add(Credential { range: start..start + password.len(), name: "password".to_owned() });
    }
}

fn in_parameters(url: &str, found: &mut Found) {
    let Some(mut start) = url.find(['?', '#']).map(|place| place + 1) else { return };
    while let Some(rest) = url.get(start..).filter(|rest| !rest.is_empty()) {
        let Some(equals) = rest.find(['=', '&', '?', '#', ';', '/']) else { return };
        let name = rest.get(..equals).unwrap_or_default();
        start += equals + 1;
        if !rest.get(equals..).is_some_and(|rest| rest.starts_with('=')) {
            continue;
        }
        let rest = url.get(start..).unwrap_or_default();
        let value = rest.get(..end_of_value(rest)).unwrap_or_default();
        let plain = decoded(name);
        let is_secret =
            is_server_secret_name(&plain) || PARAMETERS.iter().any(|known| plain.eq_ignore_ascii_case(known));
        if is_secret && has_literal(value) {
            found.add(Credential { range: start..start + value.len(), name: plain });
            start += value.len();
        }
    }
}

/// The end of a parameter's value: before `&` or `#`, or before `;` if another parameter follows.
fn end_of_value(rest: &str) -> usize {
    let end = rest.find(['&', '#']).unwrap_or(rest.len());
    let value = rest.get(..end).unwrap_or_default();
    let semicolon = value.find(';').filter(|place| value.get(*place..).is_some_and(|after| after.contains('=')));
    semicolon.unwrap_or(end)
}

/// Decodes percent-encoding. Returns the name unchanged if the result is not UTF-8.
fn decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut place = 0;
    while let Some(byte) = name.as_bytes().get(place) {
        let escape = name.get(place + 1..place + 3).filter(|_| *byte == b'%');
        let escape = escape.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escape.unwrap_or(*byte));
        place += if escape.is_some() { 3 } else { 1 };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}
