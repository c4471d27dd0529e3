/// One word for a POSIX shell, in single quotes if necessary.
pub fn shell_word(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Whether `text` has no character with a special meaning for shells or parsers of environment files.
pub(super) fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('=')
        && text.chars().all(|character| {
            character.is_ascii_alphanumeric()
                || matches!(character, '_' | '-' | '.' | '/' | ':' | '@' | '%' | '+' | ',' | '=')
        })
}

#[cfg(test)]
mod tests {
    use super::super::tests::OBSTACLES;
    use super::*;

    #[test]
    fn quotes_only_what_needs_it() {
        assert_eq!(shell_word("./out/agent-1"), "./out/agent-1");
        assert_eq!(shell_word("my out"), "'my out'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("~"), "'~'");
    }

    #[test]
    #[cfg(unix)]
    #[expect(clippy::disallowed_methods, reason = "the test runs a shell")]
    fn words_round_trip_through_a_shell() {
        for text in OBSTACLES.iter().filter(|text| !text.contains('\0')) {
            let script = format!("printf %s {}", shell_word(text));
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), *text);
        }
    }
}
