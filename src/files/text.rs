//! Texts as they are compared: a file whose every line ends in `\r\n` says the same as one whose lines end in `\n`.

use std::borrow::Cow;

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
