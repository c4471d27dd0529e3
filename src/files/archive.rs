//! Reads and writes a compressed archive (tar and gzip) that contains only paths and bytes.
//!
//! The same files produce the same bytes on every machine. An archive can come from an untrusted source, such as a
//! cloned repository or a failed merge. It is therefore never unpacked to the disk, and entries that are damaged, too
//! large or not regular files are ignored.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

/// The maximum size of an unpacked archive, in bytes.
const LIMIT: u64 = 64 * 1024 * 1024;

/// Almost as small as the maximum level, in a third of the time.
const LEVEL: Compression = Compression::new(3);

/// The maximum number of bytes that tar adds for each file.
const OVERHEAD: usize = 1024;

/// The readable part of an archive.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Archive {
    /// The contents of each file by path.
    pub(super) texts: BTreeMap<String, Vec<u8>>,
    /// Whether the archive is damaged or contains anything other than unique regular files.
    is_damaged: bool,
}

impl Archive {
    /// Reads as much of an archive as possible. If a path occurs more than once, the first file is used.
    pub(super) fn read(bytes: &[u8]) -> Self {
        Self::read_limited(bytes, LIMIT)
    }

    fn read_limited(bytes: &[u8], limit: u64) -> Self {
        let mut archive = Self::default();
        let mut plain = Vec::new();
        let is_whole = GzDecoder::new(bytes).take(limit).read_to_end(&mut plain).is_ok();
        let is_read = archive.add(&plain).is_ok();
        archive.is_damaged |= !is_whole || !is_read;
        archive
    }

    fn add(&mut self, plain: &[u8]) -> io::Result<()> {
        for entry in tar::Archive::new(plain).entries()? {
            let mut entry = entry?;
            let path = String::from_utf8(entry.path_bytes().into_owned()).map_err(io::Error::other)?;
            if entry.header().entry_type() != EntryType::Regular || self.texts.contains_key(&path) {
                self.is_damaged = true;
                continue;
            }
            let mut text = Vec::new();
            if entry.read_to_end(&mut text)? as u64 != entry.size() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.texts.insert(path, text);
        }
        Ok(())
    }

    /// The contents of the file at `path`.
    pub(super) fn get(&self, path: &str) -> Option<&[u8]> {
        self.texts.get(path).map(Vec::as_slice)
    }

    /// Whether the archive is undamaged and contains exactly these files.
    pub(super) fn holds(&self, texts: &BTreeMap<&str, &[u8]>) -> bool {
        let own = self.texts.iter().map(|(path, text)| (path.as_str(), text.as_slice()));
        !self.is_damaged && own.eq(texts.iter().map(|(path, text)| (*path, *text)))
    }
}

/// Creates an archive of these files.
///
/// # Errors
/// Returns an error if a path cannot be stored in an archive.
pub(super) fn write(texts: &BTreeMap<&str, &[u8]>) -> io::Result<Vec<u8>> {
    let size = texts.values().map(|text| text.len() + OVERHEAD).sum();
    let mut archive = Builder::new(Vec::with_capacity(size));
    for (path, text) in texts {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o644);
        header.set_mtime(0);
        header.set_size(text.len() as u64);
        archive.append_data(&mut header, path, *text)?;
    }
    let plain = archive.into_inner()?;
    // 255 is the value for an unknown operating system.
    let mut compressed = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), LEVEL);
    compressed.write_all(&plain)?;
    compressed.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts<'a>(files: &[(&'a str, &'a str)]) -> BTreeMap<&'a str, &'a [u8]> {
        files.iter().map(|(path, text)| (*path, text.as_bytes())).collect()
    }

    fn compressed(plain: &[u8]) -> Vec<u8> {
        let mut file = GzBuilder::new().write(Vec::new(), Compression::fast());
        file.write_all(plain).unwrap();
        file.finish().unwrap()
    }

    /// An archive with entries of these types, paths and contents.
    fn forged(entries: &[(EntryType, &str, &str)]) -> Vec<u8> {
        let mut archive = Builder::new(Vec::new());
        for (kind, path, text) in entries {
            let mut header = Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_size(text.len() as u64);
            // `set_path` would reject some of these paths.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_cksum();
            archive.append(&header, text.as_bytes()).unwrap();
        }
        compressed(&archive.into_inner().unwrap())
    }

    #[test]
    fn round_trips_and_is_deterministic() {
        let deep = format!("{}x.go", "a-folder/".repeat(21));
        let texts = texts(&[
            ("main.go", "package main\n"),
            (deep.as_str(), "deep\n"),
            ("empty", ""),
            (".env.example", "\u{e9}"),
        ]);
        let bytes = write(&texts).unwrap();
        let archive = Archive::read(&bytes);
        assert!(archive.holds(&texts), "{archive:?}");
        assert_eq!(archive.get(&deep), Some(&b"deep\n"[..]));
        assert_eq!(write(&texts).unwrap(), bytes);
        // The gzip header has no flags, no time and no operating system.
        assert_eq!(bytes[..4], [0x1f, 0x8b, 8, 0]);
        assert_eq!((&bytes[4..8], bytes[9]), (&[0; 4][..], 255));
        assert!(Archive::read(&write(&BTreeMap::new()).unwrap()).holds(&BTreeMap::new()));
    }

    #[test]
    fn ignores_entries_that_are_not_unique_regular_files() {
        let regular = EntryType::Regular;
        for (entries, known) in [
            (vec![(regular, "a", "1"), (regular, "a", "2")], Some("1")),
            (vec![(EntryType::Symlink, "a", ""), (regular, "b", "x")], None),
            (vec![(EntryType::Link, "a", "")], None),
            (vec![(EntryType::Directory, "a", "")], None),
            (vec![(EntryType::GNUSparse, "a", "x")], None),
            (vec![(EntryType::Char, "a", ""), (regular, "a", "2")], Some("2")),
        ] {
            let archive = Archive::read(&forged(&entries));
            assert_eq!(archive.get("a"), known.map(str::as_bytes), "{entries:?}");
            assert!(archive.is_damaged, "{entries:?}");
        }
        // Paths that lead out of the folder are harmless, because paths are only looked up.
        let archive =
            Archive::read(&forged(&[(regular, "../../x", "x"), (regular, "/etc/passwd", "x"), (regular, "a", "1")]));
        assert_eq!(archive.get("a"), Some(&b"1"[..]));
    }

    #[test]
    fn stops_reading_at_the_size_limit() {
        let limit = 100_000;
        let size = 30 * usize::try_from(limit).unwrap();
        let mut header = Header::new_gnu();
        header.set_path("a").unwrap();
        header.set_size(size as u64);
        header.set_cksum();
        let mut bomb = header.as_bytes().to_vec();
        bomb.resize(size, 0);
        let bomb = compressed(&bomb);
        assert!(bomb.len() < size / 100);
        let archive = Archive::read_limited(&bomb, limit);
        assert!(archive.is_damaged && archive.texts.is_empty());
    }

    proptest! {
        #[test]
        fn never_panics_on_damaged_archives(
            cut in any::<prop::sample::Index>(),
            place in any::<prop::sample::Index>(),
            byte in any::<u8>(),
            noise in prop::collection::vec(any::<u8>(), 0..600),
        ) {
            let texts = texts(&[("a", "first\n"), ("b/c", "second\n")]);
            let whole = write(&texts).unwrap();
            let cut = &whole[..cut.index(whole.len())];
            prop_assert!(!Archive::read(cut).holds(&texts));
            let mut changed = whole.clone();
            changed[place.index(whole.len())] = byte;
            Archive::read(&changed);
            prop_assert!(Archive::read(&noise).texts.is_empty() || noise.is_empty());
            Archive::read(&compressed(&noise));
        }
    }
}
