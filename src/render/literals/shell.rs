/// One word for a POSIX shell: as it is where that is safe, else in single quotes.
pub fn shell_word(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Whether no shell and no reader of env files takes any character of `text` for more than itself.
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
    #[expect(clippy::disallowed_methods, reason = "asks a real shell")]
    fn a_shell_reads_the_text_back() {
        for text in OBSTACLES.iter().filter(|text| !text.contains('\0')) {
            let script = format!("printf %s {}", shell_word(text));
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), *text);
        }
    }
}
