//! Decodes bytes to text that is allowed in a YAML file.

use crate::diagnostics::{Code, Diagnostic, FileId, Span};

/// Bytes that are not UTF-8.
#[derive(Debug)]
pub struct Undecodable {
    /// The decoded bytes, with U+FFFD for invalid UTF-8. The finding refers to this text.
    pub text: String,
    /// The finding, with the position of the first invalid byte.
    pub diagnostic: Box<Diagnostic>,
}

/// Reads bytes as UTF-8. A byte order mark stays in the text; the reader skips it.
pub fn decode_utf8(file: FileId, bytes: Vec<u8>) -> Result<String, Undecodable> {
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        let bytes = error.into_bytes();
        let byte = bytes.get(place).copied().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let span = Span::new(file, place..place + char::REPLACEMENT_CHARACTER.len_utf8());
        let headline = format!("invalid UTF-8: byte {} is 0x{byte:02X}", place + 1);
        let cause = match bytes.as_slice() {
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "the file looks like UTF-16",
            _ => "the file may use another encoding or not be a text file",
        };
        let diagnostic = Diagnostic::new(Code::InvalidUtf8, span, headline)
            .label("invalid byte")
            .note(cause)
            .help("save the file as UTF-8");
        Undecodable { text, diagnostic: Box::new(diagnostic) }
    })
}

/// Finds the first control character that is not allowed anywhere in a YAML file.
pub(super) fn control_character(file: FileId, text: &str) -> Option<Diagnostic> {
    let place = text.bytes().position(|byte| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r'))?;
    let character = text.as_bytes().get(place).copied().unwrap_or_default();
    let name = match character {
        0 => "a NUL character".to_owned(),
        0x1B => "an escape character (U+001B)".to_owned(),
        other => format!("the control character U+{other:04X}"),
    };
    let finding =
        Diagnostic::new(Code::YamlSyntax, Span::new(file, place..place + 1), format!("the file contains {name}"))
            .label("not allowed anywhere in YAML")
            .help(format!("remove it, or write `\\x{character:02X}` inside double quotes"));
    Some(finding)
}
