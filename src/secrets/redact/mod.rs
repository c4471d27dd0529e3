//! Determines which parts of a text are secret. Every text that is shown, such as a snippet, a diff or a command, is
//! checked here, so that no output shows what another one hides.

mod env_file;
mod lines;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use crate::diagnostics::{FileId, Sources, Span};
use crate::document;
use crate::names;
use crate::secrets::credential::{self, is_secret_name};
use crate::secrets::manifest::in_manifest;

/// The placeholder for a secret.
pub const MASK: &str = "<hidden>";

/// The secrets of one agent.
#[derive(Debug, Default)]
pub struct Secrets {
    /// Names of environment variables with secrets: referenced by the manifest, from headers, or with a secret name.
    names: BTreeSet<String>,
    /// Names of the other variables that the agent reads.
    harmless: BTreeSet<String>,
    /// Texts that are secret wherever they occur.
    texts: BTreeSet<String>,
}

impl Secrets {
    /// Creates the secrets of an agent that reads secrets from the variables `secret` and other values from `harmless`.
    pub fn new(secret: BTreeSet<String>, harmless: BTreeSet<String>) -> Self {
        Self { names: secret, harmless, texts: BTreeSet::new() }
    }

    /// Adds the concealed parts of the manifest, so that they are not shown in generated text either.
    #[must_use]
    pub fn with_concealed(mut self, manifest: &Sources) -> Self {
        self.texts = manifest.concealed_lines().map(str::to_owned).collect();
        self
    }

    /// Whether the value of a variable must be hidden: its name is a secret one or similar to one (unless known to be
    /// harmless), or its name or value indicates a credential.
    pub fn hides(&self, name: &str, value: &str) -> bool {
        let is_meant = || names::closest(name, self.names.iter().map(String::as_str)).is_some();
        self.names.contains(name)
            || is_secret_name(name)
            || gives_away(name, value)
            || !self.harmless.contains(name) && is_meant()
    }

    /// The byte ranges of secrets in the file at `path`; they may overlap. The name of the file determines its type.
    pub fn in_file(&self, path: &str, text: &str) -> Vec<Range<usize>> {
        let path = Path::new(path);
        let part = |part: Option<&std::ffi::OsStr>| part.and_then(|part| part.to_str()).unwrap_or_default().to_owned();
        let (name, extension) = (part(path.file_name()), part(path.extension()));
        if name.starts_with(".env") || extension == "env" {
            return self.in_env_file(text);
        }
        let mut places = self.in_lines(text);
        if ["yaml", "yml", "json"].contains(&extension.as_str())
            && let Some(document) = document::parse(FileId::default(), text).document
        {
            places.extend(in_manifest(&document, text).into_iter().map(Span::range));
        }
        places
    }

    /// The text of the file at `path` without secrets. Lines that also occur in `rendered` are generated; in these only
    /// concealed parts of the manifest are secret.
    pub fn shown(&self, path: &str, text: &str, rendered: &str) -> String {
        let ours: BTreeSet<_> = rendered.lines().collect();
        let is_ours = |place: &Range<usize>| {
            let start = text.get(..place.start).and_then(|before| before.rfind('\n')).map_or(0, |last| last + 1);
            let end =
                text.get(place.end..).and_then(|after| after.find('\n')).map_or(text.len(), |next| place.end + next);
            text.get(start..end).is_some_and(|lines| lines.lines().all(|line| ours.contains(line)))
        };
        let mut places = self.in_file(path, text);
        places.retain(|place| !is_ours(place));
        let concealed = self.texts.iter().flat_map(|secret| text.match_indices(secret.as_str()));
        places.extend(concealed.map(|(start, secret)| start..start + secret.len()));
        masked(text, places)
    }

    /// The words of a command without secrets.
    pub fn masked_words(&self, words: &[String]) -> Vec<String> {
        let mut places = vec![Vec::new(); words.len()];
        for (index, credential) in credential::in_arguments(words) {
            places.get_mut(index).into_iter().for_each(|places| places.push(credential.range.clone()));
        }
        let words = words.iter().zip(places).map(|(word, mut places)| {
            places.extend(self.in_lines(word));
            masked(word, places)
        });
        words.collect()
    }
}

/// Whether the name or value of a variable indicates a credential. A value that consists of references does not.
pub fn gives_away(name: &str, value: &str) -> bool {
    !credential::in_environment(name, value).is_empty()
        || value.split(',').any(|part| !credential::in_url(part).is_empty())
}

/// Replaces each byte range of `text` with [`MASK`]; ranges may overlap.
pub fn masked(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| (range.start, range.end));
    let (mut masked, mut done) = (String::with_capacity(text.len()), 0);
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        if range.start >= done {
            masked.push_str(text.get(done..range.start).unwrap_or_default());
            masked.push_str(MASK);
        }
        done = done.max(range.end);
    }
    masked.push_str(text.get(done..).unwrap_or_default());
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str, text: &str) -> String {
        let secrets = Secrets { names: ["WEATHER_LOGIN".to_owned()].into(), ..Secrets::default() };
        secrets.shown(path, text, "")
    }

    #[test]
    fn shows_generated_lines_except_concealed_parts() {
        let secrets = Secrets { texts: ["open sesame".to_owned()].into(), ..Secrets::default() };
        let ours = "token: ours\nTOKEN = \"x\"\nurl: open sesame\n";
        let text = format!("{ours}token: mine\n");
        let expected = "token: ours\nTOKEN = \"x\"\nurl: <hidden>\ntoken: <hidden>\n";
        assert_eq!(secrets.shown("a.txt", &text, ours), expected);
    }

    #[test]
    fn hides_secrets_in_every_type_of_file() {
        for (path, text, expected) in [
            ("Dockerfile", "ENV API_KEY=opensesame4711 A=1\n", "ENV API_KEY=<hidden> A=1\n"),
            ("Dockerfile", "ENV WEATHER_LOGIN=mine A=1\n", "ENV WEATHER_LOGIN=<hidden>\n"),
            ("compose.yaml", "e:\n  - WEATHER_LOGIN=mine\n", "e:\n  - WEATHER_LOGIN=<hidden>\n"),
            ("compose.yaml", "e: {WEATHER_LOGIN: '${WEATHER_LOGIN}'}\n", "e: {WEATHER_LOGIN: '${WEATHER_LOGIN}'}\n"),
            ("agent.yaml", "a: 1 # token: opensesame4711\n", "a: 1 # token: <hidden>\n"),
            ("agent.yaml", "password: |\n  open\n  sesame\nb: 1\n", "password: |\n  <hidden>\nb: 1\n"),
            (".env.example", "TOKEN=\"open\nsesame\"\nA=1\n", "TOKEN=<hidden>\nA=1\n"),
            ("deploy/prod.env", "WEATHER_LOGIN=mine\n", "WEATHER_LOGIN=<hidden>\n"),
            ("main.go", "x := \"https://a:b@c.com\"\n", "x := \"https://<hidden>:<hidden>@c.com\"\n"),
            ("a.txt", "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nb\n", "<hidden>\nb\n"),
            ("a.md", "Set TOKEN=\nA=1\n", "Set TOKEN=\nA=1\n"),
        ] {
            assert_eq!(shown(path, text), expected, "{path}: {text}");
        }
    }
}
