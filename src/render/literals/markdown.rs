use super::{is_hidden, one_line};

/// Characters that join the parts of emojis, or of words in some scripts. They are harmless.
const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];

/// A string on one line of Markdown, displayed literally: without formatting, links, tables or HTML.
pub fn markdown_text(text: &str) -> String {
    let text = markdown_cell(text);
    let digits = text.len() - text.trim_start_matches(|character: char| character.is_ascii_digit()).len();
    let (number, rest) = text.split_at(digits);
    // Characters that only have a meaning at the start of a line: headings, lists, quotes, rules, fences.
    let marker =
        if number.is_empty() { rest.starts_with(['#', '+', '-', '=', '~', ':']) } else { rest.starts_with(['.', ')']) };
    if marker { format!("{number}\\{rest}") } else { text }
}

/// A string in a cell of a Markdown table: like [`markdown_text`], but never at the start of a line.
pub fn markdown_cell(text: &str) -> String {
    let text = one_line(text);
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        let after = characters.peek().copied().unwrap_or(' ');
        match character {
            // An underscore within a word has no meaning.
            '_' if before.is_alphanumeric() && after.is_alphanumeric() => shown.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '&' | '$' | '~' | '!' => {
                shown.push('\\');
                shown.push(character);
            }
            _ if is_hidden(character) && !JOINERS.contains(&character) => shown.push(char::REPLACEMENT_CHARACTER),
            _ => shown.push(character),
        }
        before = character;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::super::tests::OBSTACLES;
    use super::*;

    #[test]
    fn escapes_markdown_syntax() {
        for (text, expected) in [
            ("Weather for a place", "Weather for a place"),
            ("get_weather _now_", r"get_weather \_now\_"),
            ("a | b", r"a \| b"),
            ("# not a heading", r"\# not a heading"),
            ("- not an item", r"\- not an item"),
            ("1. not first", r"1\. not first"),
            ("3 apples, 2.5 pears", "3 apples, 2.5 pears"),
            ("two\n\nlines", "two lines"),
            ("<b> & [x](y) `z` **w** $$ ~~", r"\<b\> \& \[x\](y) \`z\` \*\*w\*\* \$\$ \~\~"),
            ("\u{202e}evil\0", "\u{fffd}evil\u{fffd}"),
        ] {
            assert_eq!(markdown_text(text), expected);
        }
    }

    #[test]
    fn stays_on_one_line() {
        for text in OBSTACLES {
            assert!(!markdown_cell(text).contains(['\n', '\r', '\u{2028}']), "{text:?}");
            assert!(!markdown_text(text).contains(['\n', '\r', '\u{2028}']), "{text:?}");
        }
    }
}
