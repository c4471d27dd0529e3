//! Texts as they are compared: a file whose every line ends in `\r\n` says the same as one whose lines end in `\n`. And their hash.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

/// SHA-256 in lower-case hex, as `sha256sum` prints it.
pub(super) fn sha256(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or_default();
    Sha256::digest(bytes).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// How the lines of a file end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endings {
    /// `\n`, or a mixture, or there is no line.
    Plain,
    /// `\r\n`, all of them.
    Windows,
}

impl Endings {
    /// Of a file with these bytes.
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

    /// `text`, whose lines end in `\n`, with these endings.
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

/// `bytes` with lines that end in `\n`.
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
    fn a_hash_is_what_sha256sum_prints() {
        assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn endings_go_and_come_back() {
        for (bytes, text) in
            [("a\r\nb\r\n", "a\nb\n"), ("a\r\nb", "a\nb"), ("\r\n", "\n"), ("a\r\r\nb\r\n", "a\r\nb\n")]
        {
            assert_eq!(Endings::of(bytes.as_bytes()), Endings::Windows, "{bytes:?}");
            assert_eq!(plain(bytes.as_bytes()), text.as_bytes(), "{bytes:?}");
            assert_eq!(Endings::Windows.restore(text.as_bytes()), bytes.as_bytes(), "{bytes:?}");
        }
    }

    #[test]
    fn a_mixture_stays_as_it_is() {
        for bytes in ["", "a", "a\nb\n", "a\r\nb\n", "a\nb\r\n", "a\rb"] {
            assert_eq!(Endings::of(bytes.as_bytes()), Endings::Plain, "{bytes:?}");
            assert_eq!(plain(bytes.as_bytes()), bytes.as_bytes());
        }
    }
}
