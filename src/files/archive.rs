//! A compressed archive of texts (tar and gzip): every file's path and bytes, and nothing else of it.
//!
//! The same texts make the same bytes on every machine. What is read may come from anybody, such as a repository that was cloned or
//! a merge that went wrong: nothing is ever unpacked to the disk, and what is damaged, too large or no plain file is passed over.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

/// The most bytes that an archive may unpack to: far above any project, far below what a machine holds.
const LIMIT: u64 = 64 * 1024 * 1024;

/// Near the smallest size, in a third of the time that it takes.
const LEVEL: Compression = Compression::new(3);

/// What a tar archive adds to each file, at most.
const OVERHEAD: usize = 1024;

/// What could be read of an archive.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Archive {
    /// By path.
    pub(super) texts: BTreeMap<String, Vec<u8>>,
    /// Whether it holds something else, or is damaged.
    is_damaged: bool,
}

impl Archive {
    /// Reads an archive as far as it can be read. Of two files with one path the first counts.
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

    /// The text of a path.
    pub(super) fn get(&self, path: &str) -> Option<&[u8]> {
        self.texts.get(path).map(Vec::as_slice)
    }

    /// Whether it holds these texts, whole, and nothing else.
    pub(super) fn holds(&self, texts: &BTreeMap<&str, &[u8]>) -> bool {
        let own = self.texts.iter().map(|(path, text)| (path.as_str(), text.as_slice()));
        !self.is_damaged && own.eq(texts.iter().map(|(path, text)| (*path, *text)))
    }
}

/// The archive of these texts.
///
/// # Errors
/// A path is none that an archive can hold.
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
    // 255: no operating system in particular.
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

    /// An archive with entries of these kinds, paths and texts.
    fn forged(entries: &[(EntryType, &str, &str)]) -> Vec<u8> {
        let mut archive = Builder::new(Vec::new());
        for (kind, path, text) in entries {
            let mut header = Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_size(text.len() as u64);
            // As no honest tool would write it.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_cksum();
            archive.append(&header, text.as_bytes()).unwrap();
        }
        compressed(&archive.into_inner().unwrap())
    }

    #[test]
    fn what_is_written_is_read_and_always_the_same() {
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
        // Neither time nor machine: a header without flags and time, of no system.
        assert_eq!(bytes[..4], [0x1f, 0x8b, 8, 0]);
        assert_eq!((&bytes[4..8], bytes[9]), (&[0; 4][..], 255));
        assert!(Archive::read(&write(&BTreeMap::new()).unwrap()).holds(&BTreeMap::new()));
    }

    #[test]
    fn what_is_no_plain_file_is_passed_over() {
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
        // Paths are only looked up, so one that leads elsewhere leads nowhere.
        let archive =
            Archive::read(&forged(&[(regular, "../../x", "x"), (regular, "/etc/passwd", "x"), (regular, "a", "1")]));
        assert_eq!(archive.get("a"), Some(&b"1"[..]));
    }

    #[test]
    fn a_bomb_is_read_no_further_than_its_limit() {
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
        fn a_damaged_archive_yields_what_is_whole_and_never_a_panic(
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
