//! The records that an output folder keeps in `.adl`: the lock, and the texts that were generated last, which are
//! needed to tell edits of the user from generated changes.
//!
//! The texts are kept in one archive. A text is only used if its hash matches the lock, so a lost, damaged, forged or
//! foreign archive only costs the texts that it lacks. Up to version 0.2, each text was in a separate file below
//! `.adl/base`; such files are still read, and removed by the next write.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::archive::{self, Archive};
use super::edit::{After, Edit, Mode};
use super::listing::{Found, Listing};
use super::lock::{Entry, Lock};
use super::text::{Endings, plain, sha256};
use super::{FilesError, LOCK_PATH, Obstacle, ObstacleKind, Stamp, staging};

/// Path of the archive of texts, relative to the output folder.
pub(super) const ARCHIVE_PATH: &str = ".adl/base.tar.gz";

/// Tells git not to diff or merge the records, because either version is valid after a merge.
pub(super) const ATTRIBUTES_PATH: &str = ".adl/.gitattributes";

const ATTRIBUTES: &str = "\
# Written by adl. After a merge conflict in these files take either version, then run `adl generate`.
base.tar.gz binary linguist-generated
lock.json -merge linguist-generated
";

/// The former folder of the texts, one file each.
const OLD_FOLDER: &str = ".adl/base";

/// Where `adl env` keeps the text that it generated last for the environment file at `path`. The suffix hides it from
/// compilers, linters and searches.
pub fn base_path(path: &str) -> String {
    format!("{OLD_FOLDER}/{path}.base")
}

/// The records on the disk.
pub(super) struct Records {
    /// `None` if there is no lock.
    pub(super) lock: Option<Lock>,
    /// `None` if it has not been needed yet.
    archive: Option<Archive>,
}

/// The desired records.
pub(super) struct NewRecords<'a> {
    pub(super) stamp: &'a Stamp,
    /// The entries of the lock.
    pub(super) entries: BTreeMap<String, Entry>,
    /// The texts generated in this run, with `\n` line endings. Texts of other entries are kept.
    pub(super) rendered: BTreeMap<&'a str, Cow<'a, [u8]>>,
}

impl Records {
    /// Reads the lock. The archive is read on first use.
    pub(super) fn load(listing: &mut Listing<'_>) -> Result<Result<Self, Obstacle>, FilesError> {
        let blocked = |kind| Ok(Err(Obstacle { path: LOCK_PATH.to_owned(), kind }));
        let lock = match listing.find(LOCK_PATH)? {
            Found::File { real, .. } if real != LOCK_PATH => return blocked(ObstacleKind::Link),
            Found::File { real, .. } => match Lock::parse(&listing.read(&real)?) {
                Ok(lock) => Some(lock),
                Err(kind) => return blocked(kind),
            },
            // Obstacles are reported by [`Records::edits`].
            Found::Nothing { .. } | Found::Obstacle { .. } => None,
        };
        Ok(Ok(Self { lock, archive: None }))
    }

    /// The text that was last generated for `entry`. `None` if it is lost or does not match the entry's hash.
    pub(super) fn base(
        &mut self,
        listing: &mut Listing<'_>,
        path: &str,
        entry: &Entry,
    ) -> Result<Option<String>, FilesError> {
        let spelled = self.lock.as_ref().and_then(|lock| lock.spelling(path)).unwrap_or(path).to_owned();
        let is_right = |text: &[u8]| sha256(text) == entry.sha256;
        let text = match self.archive(listing)?.get(&spelled).filter(|text| is_right(text)) {
            Some(text) => Some(text.to_vec()),
            None => old_file(listing, &spelled)?.map(|bytes| plain(&bytes).into_owned()).filter(|text| is_right(text)),
        };
        Ok(text.and_then(|text| String::from_utf8(text).ok()))
    }

    fn archive(&mut self, listing: &mut Listing<'_>) -> Result<&Archive, FilesError> {
        if self.archive.is_none() {
            let archive = match listing.find(ARCHIVE_PATH)? {
                Found::File { real, .. } if real == ARCHIVE_PATH => Archive::read(&listing.read(&real)?),
                Found::File { .. } | Found::Nothing { .. } | Found::Obstacle { .. } => Archive::default(),
            };
            self.archive = Some(archive);
        }
        Ok(self.archive.get_or_insert_default())
    }

    /// The edits that bring the records up to date; empty if they are.
    pub(super) fn edits(
        &mut self,
        listing: &mut Listing<'_>,
        new: NewRecords<'_>,
    ) -> Result<Result<Vec<Edit>, Obstacle>, FilesError> {
        if let Some(obstacle) = staging::obstacle(listing)? {
            return Ok(Err(obstacle));
        }
        let NewRecords { stamp, entries, rendered: mut texts } = new;
        let mut edits = Vec::new();
        let mut kept = BTreeMap::new();
        for (path, entry) in entries.iter().filter(|(path, _)| !texts.contains_key(path.as_str())) {
            if let Some(text) = self.base(listing, path, entry)? {
                kept.insert(path.as_str(), Cow::Owned(text.into_bytes()));
            }
        }
        texts.append(&mut kept);
        let texts: BTreeMap<&str, &[u8]> = texts.iter().map(|(path, text)| (*path, &**text)).collect();
        if !self.archive(listing)?.holds(&texts) || !matches!(listing.find(ARCHIVE_PATH)?, Found::File { .. }) {
            let bytes =
                archive::write(&texts).map_err(|source| FilesError::Write { path: ARCHIVE_PATH.to_owned(), source })?;
            match replacement(listing, ARCHIVE_PATH, |_| Some(bytes))? {
                Ok(edit) => edits.extend(edit),
                Err(obstacle) => return Ok(Err(obstacle)),
            }
        }
        let was_known = self.lock.iter().flat_map(Lock::files).map(|(path, _)| path);
        let known: BTreeSet<&str> = was_known.chain(texts.keys().copied()).collect();
        for path in known {
            if let Some(bytes) = old_file(listing, path)? {
                edits.push(Edit::remove(&base_path(path), sha256(&bytes)));
            }
        }
        // Changes by the user are kept.
        let attributes = replacement(listing, ATTRIBUTES_PATH, |before| before.is_none().then(|| ATTRIBUTES.into()))?;
        let lock = Lock::new(stamp, entries).to_json();
        let lock = replacement(listing, LOCK_PATH, |before| match before {
            Some(before) if *plain(before) == *lock.as_bytes() => None,
            Some(before) => Some(Endings::of(before).restore(lock.as_bytes())),
            None => Some(lock.into()),
        })?;
        for edit in [attributes, lock] {
            match edit {
                Ok(edit) => edits.extend(edit),
                Err(obstacle) => return Ok(Err(obstacle)),
            }
        }
        Ok(Ok(edits))
    }
}

/// The file that held the text for `path` before there was an archive. Links are not followed.
fn old_file(listing: &mut Listing<'_>, path: &str) -> Result<Option<Vec<u8>>, FilesError> {
    if !listing.has_folder(OLD_FOLDER)? {
        return Ok(None);
    }
    let old = base_path(path);
    match listing.find(&old)? {
        Found::File { spelled, real } if spelled == old && real == old => listing.read(&real).map(Some),
        Found::File { .. } | Found::Nothing { .. } | Found::Obstacle { .. } => Ok(None),
    }
}

/// The edit that replaces the contents of the record at `path` with the result of `after`, or keeps the record if that
/// is `None`.
fn replacement(
    listing: &mut Listing<'_>,
    path: &str,
    after: impl FnOnce(Option<&[u8]>) -> Option<Vec<u8>>,
) -> Result<Result<Option<Edit>, Obstacle>, FilesError> {
    let blocked = |path: &str, kind| Ok(Err(Obstacle { path: path.to_owned(), kind }));
    Ok(Ok(match listing.find(path)? {
        Found::Nothing { real, .. } if real == path => {
            after(None).map(|bytes| Edit::create(path, After::new(bytes, Mode::Plain)))
        }
        Found::File { real, .. } if real == path => {
            let before = listing.read(path)?;
            let after = after(Some(&before)).map(|bytes| After::new(bytes, Mode::Like(path.to_owned())));
            after.map(|after| Edit::replace(path, sha256(&before), after))
        }
        Found::Nothing { twin: Some(folder), .. } => return blocked(&folder, ObstacleKind::Twin),
        Found::Nothing { .. } | Found::File { .. } => return blocked(path, ObstacleKind::Link),
        Found::Obstacle { at, kind } => return blocked(&at, kind),
    }))
}
