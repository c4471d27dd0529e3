//! Strings as literals of the generated languages. For any input, the result is a single literal with that value;
//! comments and Markdown display the text and do nothing else.

mod env;
mod go;
mod json;
mod markdown;
mod rust;
mod shell;
mod typescript;
mod yaml;

pub use env::env_value;
pub use go::{go_comment, go_string, go_text};
pub use json::json_pretty;
pub use markdown::{markdown_cell, markdown_text};
pub use rust::{rust_comment, rust_string};
pub use shell::shell_word;
pub use typescript::{ts_assigned, ts_comment, ts_key, ts_member, ts_string, ts_text, ts_value};
pub use yaml::yaml_string;

/// Whether a character is invisible or changes the display of its neighbours: control characters, direction marks,
/// format characters and line separators. They are escaped if the language supports it.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(u32::from(character),
            0x00ad
            | 0x0600..=0x0605
            | 0x061c
            | 0x06dd
            | 0x070f
            | 0x0890..=0x0891
            | 0x08e2
            | 0x180e
            | 0x200b..=0x200f
            | 0x2028..=0x202e
            | 0x2060..=0x206f
            | 0xfdd0..=0xfdef
            | 0xfeff
            | 0xfff9..=0xfffb
            | 0x110bd
            | 0x110cd
            | 0x13430..=0x1343f
            | 0x1bca0..=0x1bca3
            | 0x1d173..=0x1d17a
            | 0xe0000..=0xe007f)
        || u32::from(character) & 0xfffe == 0xfffe
}

/// Whether a comment with this text has any visible character.
pub fn shows(text: &str) -> bool {
    text.chars().any(|character| !is_hidden(character) && !character.is_whitespace())
}

/// The escape sequence of a character in Go and YAML: `\u` and four digits, or `\U` and eight digits.
fn escape_utf32(character: char) -> String {
    let code = u32::from(character);
    if code > 0xffff { format!("\\U{code:08x}") } else { format!("\\u{code:04x}") }
}

/// `text` with every run of white space replaced by a single space.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Wraps the words of `line` into lines of at most `width` columns; longer words are not split.
fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        match lines.last_mut() {
            Some(last) if last.chars().count() + 1 + word.chars().count() <= width => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    /// Strings that break careless implementations of literals.
    pub(super) const OBSTACLES: &[&str] = &[
        "",
        " ",
        "plain",
        "it's \"quoted\" and `ticked`",
        "'",
        "\"",
        "`",
        "\\",
        "ends in \\",
        "C:\\new\\table",
        "two\nlines",
        "windows\r\nline",
        "lone\rreturn",
        "tab\tstop",
        "\n",
        "{{ 7 * 7 }} {% raw %} {# x #}",
        "${HOME} $HOME $(id) `id` $$ \\$",
        "100 % # not a comment",
        "ends */ a comment /* and -- > ]]> -->",
        "\u{202e}gnp.exe\u{202c} \u{200f}\u{feff}",
        "family \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{2764}\u{fe0f}",
        "nul \0 escape \u{1b}[31m bell \u{7}",
        "\u{85}\u{2028}\u{2029}\u{a0}",
        "caf\u{e9} \u{65e5}\u{672c} e\u{301}",
        "<script>alert(1)</script> & &amp;",
        "- a list\n# a heading\n1. first\n> quote",
        "~ null true yes 0123 1e3",
        "!important &anchor *alias",
        "a: b, c: [d]",
        "go:build ignore",
        "+build ignore",
        "[link]: https://example.com",
        "    indented\n\n\n\tcode",
    ];
}
