//! Secrets in an environment file.

use std::ops::Range;

use super::Secrets;
use crate::dotenv::{self, Document, Fault, ItemKind, Value, Variable};
use crate::secrets::credential;

impl Secrets {
    /// The byte ranges of an environment file that must not be shown; they may overlap. After an unclosed quote,
    /// everything is secret.
    pub fn in_env_file(&self, text: &str) -> Vec<Range<usize>> {
        let document = Document::parse(text);
        let mut places = credential::private_keys(text);
        // The quote that a secret in a comment opened and no later comment has closed.
        let mut open = None;
        for item in document.items() {
            let quote = open.take();
            let line = item.range.start..item.range.start + document.slice(&item.range).trim_end().len();
            match &item.kind {
                ItemKind::Blank => {}
                ItemKind::Comment if quote.is_some() => {
                    open = quote.filter(|quote| !document.slice(&line).contains(*quote));
                    places.push(line);
                }
                ItemKind::Comment => {
                    let comment = document.slice(&line);
                    let found = match dotenv::uncommented(comment) {
                        Some(variable) => shifted(self.in_env_file(variable), comment.len() - variable.len()),
                        None => self.in_lines(comment),
                    };
                    let is_open = |quote: &char| !found.is_empty() && comment.matches(*quote).count() % 2 == 1;
                    open = ['"', '\''].into_iter().find(is_open);
                    places.extend(shifted(found, line.start));
                }
                ItemKind::Variable(Variable { value: Some(value), name }) => {
                    let after = value.end..line.end;
                    // Such as `abc==`, the last line of a Base64 key.
                    let is_padding = document.slice(value).bytes().all(|byte| byte == b'=');
                    let read = match Value::read(document.slice(value)) {
                        Value::Literal(text) => text,
                        Value::Interpolated | Value::Invalid(_) => document.slice(value).to_owned(),
                    };
                    if is_padding && !value.is_empty() && !self.is_plain(document.slice(name)) {
                        places.push(line);
                    } else if !self.hides(document.slice(name), &read) {
                        places.extend(shifted(self.in_lines(document.slice(&after)), after.start));
                    } else if read.is_empty() {
                        places.push(after);
                    } else {
                        places.push(value.start..line.end);
                    }
                }
                ItemKind::Variable(Variable { name, value: None }) => {
                    let name = document.slice(name);
                    if !self.is_plain(name) {
                        places.push(line);
                    }
                }
                ItemKind::Malformed(malformed) if malformed.fault == Fault::UnclosedQuote => {
                    places.push(malformed.place.start..text.len());
                    break;
                }
                // The apparent name may be part of the secret too.
                ItemKind::Malformed(malformed) => places.push(line.start..malformed.place.end.max(line.end)),
            }
        }
        places.retain(|place| !place.is_empty());
        places
    }

    /// Whether a name is really a name and not a line of a key: the agent reads it, or it consists of upper-case
    /// letters and `_`.
    fn is_plain(&self, name: &str) -> bool {
        self.names.contains(name)
            || self.harmless.contains(name)
            || name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    }
}

fn shifted(places: Vec<Range<usize>>, offset: usize) -> Vec<Range<usize>> {
    places.into_iter().map(|place| place.start + offset..place.end + offset).collect()
}

#[cfg(test)]
mod tests {
    use super::super::masked;
    use super::*;

    #[test]
    fn masks_secrets() {
        let secrets = Secrets { names: ["TOOLS_LOGIN".to_owned()].into(), ..Secrets::default() };
        for (text, expected) in [
            ("A=1 # one\n\n# two\nB\n", "A=1 # one\n\n# two\nB\n"),
            ("TOOLS_LOGIN=b3BlbnNlc2FtZQ==\n", "TOOLS_LOGIN=<hidden>\n"),
            ("# TOOLS_LOGIN: b3BlbnNlc2FtZQ==\n", "# TOOLS_LOGIN: <hidden>\n"),
            ("#export TOOLS_LOGIN = b3BlbnNlc2FtZQ==\r\n", "#export TOOLS_LOGIN = <hidden>\r\n"),
            ("# token: opensesame4711 (rotate=monthly)\n", "# token: <hidden>\n"),
            ("# see TOOLS_LOGIN=open sesame\n", "# see TOOLS_LOGIN=<hidden>\n"),
            ("API_KEY=\"new\" # was opensesame\n", "API_KEY=<hidden>\n"),
            ("API_KEY='' # was opensesame\n", "API_KEY=''<hidden>\n"),
            ("API_KEY='open\nsesame' # was opensesame\nA=1\n", "API_KEY=<hidden>\nA=1\n"),
            ("TOOL_LOGIN=open sesame\n", "TOOL_LOGIN=<hidden>\n"),
            ("A=1 # token: opensesame\n", "A=1 # token: <hidden>\n"),
            ("abc+def==\nopensesame\nA=1\n", "<hidden>\n<hidden>\nA=1\n"),
            ("A=abc\\\nopen4711-x\nHOME\nopensesame==\n", "A=abc\\\n<hidden>\nHOME\n<hidden>\n"),
            ("A=\"1\n2\" opensesame\n", "<hidden>\n"),
            ("A='open\nsesame\n", "A=<hidden>"),
            ("KEY=-----BEGIN RSA PRIVATE KEY-----\nopen\n-----END RSA PRIVATE KEY-----\nA=1\n", "KEY=<hidden>\nA=1\n"),
            ("# TOOLS_LOGIN='open\n# sesame'\n# two\n", "# TOOLS_LOGIN=<hidden>\n<hidden>\n# two\n"),
            ("# -----BEGIN PRIVATE KEY-----\n# open\n", "# <hidden>"),
        ] {
            assert_eq!(masked(text, secrets.in_env_file(text)), expected, "{text}");
        }
    }
}
