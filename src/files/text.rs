//! Line endings and hashes of texts. A file whose lines all end with `\r\n` is treated like one whose lines end with
//! `\n`.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

/// SHA-256 in lower-case hex, like `sha256sum`.
pub fn sha256(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or_default();
    Sha256::digest(bytes).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The line endings of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endings {
    /// `\n`, mixed, or no line break.
    Plain,
    /// `\r\n` only.
    Windows,
}

impl Endings {
    /// Detects the line endings of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let mut before = 0;
        let mut lines = 0_usize;
        for &byte in bytes {
            if byte == b'\n' {
                if before != b'\r' {
                    return Self::Plain;
                }
                lines += 1;
            }
            before = byte;
        }
        if lines == 0 { Self::Plain } else { Self::Windows }
    }

    /// Converts `text` from `\n` to these line endings.
    pub fn restore(self, text: &[u8]) -> Vec<u8> {
        match self {
            Self::Plain => text.to_vec(),
            Self::Windows => {
                let mut bytes = Vec::with_capacity(text.len() + text.len() / 16);
                for line in text.split_inclusive(|&byte| byte == b'\n') {
                    match line.strip_suffix(b"\n") {
                        Some(line) => {
                            bytes.extend_from_slice(line);
                            bytes.extend_from_slice(b"\r\n");
                        }
                        None => bytes.extend_from_slice(line),
                    }
                }
                bytes
            }
        }
    }
}

/// Converts `bytes` to `\n` line endings. Mixed line endings are kept.
pub fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    if Endings::of(bytes) == Endings::Plain {
        return Cow::Borrowed(bytes);
    }
    let mut text = bytes.to_vec();
    let mut next = 1;
    text.retain(|&byte| {
        let is_kept = !(byte == b'\r' && bytes.get(next) == Some(&b'\n'));
        next += 1;
        is_kept
    });
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_like_sha256sum() {
        assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn line_endings_round_trip() {
        for (bytes, text) in
            [("a\r\nb\r\n", "a\nb\n"), ("a\r\nb", "a\nb"), ("\r\n", "\n"), ("a\r\r\nb\r\n", "a\r\nb\n")]
        {
            assert_eq!(Endings::of(bytes.as_bytes()), Endings::Windows, "{bytes:?}");
            assert_eq!(plain(bytes.as_bytes()), text.as_bytes(), "{bytes:?}");
            assert_eq!(Endings::Windows.restore(text.as_bytes()), bytes.as_bytes(), "{bytes:?}");
        }
    }

    #[test]
    fn keeps_mixed_line_endings() {
        for bytes in ["", "a", "a\nb\n", "a\r\nb\n", "a\nb\r\n", "a\rb"] {
            assert_eq!(Endings::of(bytes.as_bytes()), Endings::Plain, "{bytes:?}");
            assert_eq!(plain(bytes.as_bytes()), bytes.as_bytes());
        }
    }
}
