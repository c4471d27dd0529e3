//! Splits names into words and joins them in another case.
//!
//! Independent of languages and manifests. Reserved words and valid first letters are part of the targets.

mod closest;
mod device;

use std::collections::BTreeMap;

use heck::ToSnakeCase;

pub use closest::closest;
pub use device::is_device;

/// Default acronyms, capitalized as a whole.
const ACRONYMS: [&str; 30] = [
    "API", "CPU", "CSS", "DB", "DNS", "GB", "GPU", "HTML", "HTTP", "HTTPS", "ID", "IO", "IP", "JS", "JSON", "KB", "MB",
    "MCP", "OS", "RAM", "SQL", "SSL", "TCP", "TLS", "UDP", "UI", "URI", "URL", "UUID", "XML",
];

/// Joins words in a case and capitalizes acronyms.
#[derive(Debug, Clone)]
pub struct Casing {
    acronyms: BTreeMap<String, String>,
}

impl Casing {
    /// The default acronyms and those of the manifest (`spec.acronyms`).
    pub fn new<'a>(acronyms: impl IntoIterator<Item = &'a str>) -> Self {
        let all = ACRONYMS.into_iter().chain(acronyms);
        Self { acronyms: all.map(|word| (word.to_lowercase(), word.to_uppercase())).collect() }
    }

    /// `query_database` -> `QueryDatabase`, `page_url` -> `PageURL`.
    pub fn pascal(&self, name: &str) -> String {
        words(name).iter().map(|word| self.capital(word)).collect()
    }

    /// `query_database` -> `queryDatabase`, `url_list` -> `urlList`: the first word is lower case as a whole.
    pub fn camel(&self, name: &str) -> String {
        let words = words(name);
        let mut parts = words.iter();
        let first = parts.next().cloned().unwrap_or_default();
        parts.fold(first, |joined, word| joined + &self.capital(word))
    }

    fn capital(&self, word: &str) -> String {
        if let Some(acronym) = self.acronyms.get(word) {
            return acronym.clone();
        }
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    }
}

/// The words of a name in lower case: `maxFileSizeMB` -> `max file size mb`, `Get Weather!` -> `get weather`.
///
/// A name without letters or digits has no words.
pub fn words(name: &str) -> Vec<String> {
    name.to_snake_case().split('_').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// `get-weather` -> `Get Weather`, for headings.
pub fn title(name: &str) -> String {
    let casing = Casing { acronyms: BTreeMap::new() };
    words(name).iter().map(|word| casing.capital(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_words_by_case() {
        let casing = Casing::new(["n8n"]);
        for (name, pascal, camel) in [
            ("query_database", "QueryDatabase", "queryDatabase"),
            ("page_url", "PageURL", "pageURL"),
            ("urlList", "URLList", "urlList"),
            ("HTTPServer", "HTTPServer", "httpServer"),
            ("n8n-flow", "N8NFlow", "n8nFlow"),
            ("$ref", "Ref", "ref"),
            ("5g-scan", "5gScan", "5gScan"),
            ("", "", ""),
        ] {
            assert_eq!(casing.pascal(name), pascal, "{name}");
            assert_eq!(casing.camel(name), camel, "{name}");
        }
    }

    #[test]
    fn titles_have_no_separators() {
        assert_eq!(title("weather-agent"), "Weather Agent");
    }
}
