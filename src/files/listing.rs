//! The contents of an output folder. Every folder is read once, and names are matched without regard to case.
//!
//! The result is therefore the same on every file system: a path is also found if its spelling on the disk differs in
//! case, and the difference is reported. Links are followed if they stay inside the folder.

use std::collections::BTreeMap;
use std::io::{self, Read as _};

use cap_std::fs::Dir;

use super::path::is_users;
use super::{FilesError, ObstacleKind};

/// The result of looking up a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing exists at the path.
    Nothing {
        /// The path as a file would be created: existing folders as spelled on the disk, with links followed.
        real: String,
        /// The first existing folder whose spelling differs in case, as spelled on the disk.
        twin: Option<String>,
    },
    /// A regular file.
    File {
        /// The path as spelled on the disk. Links are not followed.
        spelled: String,
        /// The path of the file, with links followed.
        real: String,
    },
    /// Anything else, at the path or above it.
    Obstacle {
        /// The path of the obstacle. Links are not followed.
        at: String,
        /// The kind of obstacle.
        kind: ObstacleKind,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Symlink,
    Special,
}

/// The names in one folder by their lower-case form.
type Names = BTreeMap<String, Vec<(String, Kind)>>;

/// A view of an output folder. A folder inside it is read on first use and then cached.
pub(super) struct Listing<'a> {
    root: Option<&'a Dir>,
    folders: BTreeMap<String, Names>,
}

impl<'a> Listing<'a> {
    /// Creates a listing of `root`; `None` for a folder that does not exist.
    pub(super) fn new(root: Option<&'a Dir>) -> Self {
        Self { root, folders: BTreeMap::new() }
    }

    /// Looks up `path`.
    pub(super) fn find(&mut self, path: &str) -> Result<Found, FilesError> {
        let (mut spelled, mut real) = (String::new(), String::new());
        let mut twin = None;
        let mut components = path.split('/').peekable();
        while let Some(component) = components.next() {
            let Some((name, kind)) = self.name(&real, component)? else {
                let rest = std::iter::once(component).chain(components);
                return Ok(Found::Nothing { real: rest.fold(real, |path, name| join(&path, name)), twin });
            };
            spelled = join(&spelled, &name);
            real = join(&real, &name);
            let is_last = components.peek().is_none();
            if name != component && !is_last {
                twin.get_or_insert_with(|| spelled.clone());
            }
            let kind = if kind == Kind::Symlink {
                match self.follow(&real)? {
                    Ok((target, kind)) => {
                        real = target;
                        kind
                    }
                    Err(kind) => return Ok(Found::Obstacle { at: spelled, kind }),
                }
            } else {
                kind
            };
            let obstacle = match (kind, is_last) {
                (Kind::File, true) => return Ok(Found::File { spelled, real }),
                (Kind::Folder, false) => continue,
                (Kind::Folder, true) => ObstacleKind::Folder,
                (Kind::Special | Kind::Symlink, true) => ObstacleKind::Special,
                (_, false) => ObstacleKind::NotAFolder,
            };
            return Ok(Found::Obstacle { at: spelled, kind: obstacle });
        }
        Ok(Found::Obstacle { at: spelled, kind: ObstacleKind::Folder })
    }

    /// Whether a folder exists at exactly this path, without links in it.
    pub(super) fn has_folder(&mut self, path: &str) -> Result<bool, FilesError> {
        let mut above = String::new();
        for component in path.split('/') {
            match self.name(&above, component)? {
                Some((name, Kind::Folder)) if name == component => above = join(&above, &name),
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Reads a file returned by [`Listing::find`].
    pub(super) fn read(&self, real: &str) -> Result<Vec<u8>, FilesError> {
        let Some(root) = self.root else { return Ok(Vec::new()) };
        root.read(real).map_err(|source| FilesError::Read { path: real.to_owned(), source })
    }

    /// Reads at most the first `limit` bytes of a file returned by [`Listing::find`].
    pub(super) fn read_beginning(&self, real: &str, limit: u64) -> Result<Vec<u8>, FilesError> {
        let mut bytes = Vec::new();
        if let Some(root) = self.root {
            let file = root.open(real);
            file.and_then(|file| file.take(limit).read_to_end(&mut bytes))
                .map_err(|source| FilesError::Read { path: real.to_owned(), source })?;
        }
        Ok(bytes)
    }

    /// Whether a file returned by [`Listing::find`] is read-only.
    pub(super) fn is_read_only(&self, real: &str) -> Result<bool, FilesError> {
        let Some(root) = self.root else { return Ok(false) };
        let metadata = root.metadata(real).map_err(|source| FilesError::Read { path: real.to_owned(), source })?;
        Ok(metadata.permissions().readonly())
    }

    /// The names in a folder.
    pub(super) fn names_in(&mut self, folder: &str) -> Result<Vec<String>, FilesError> {
        Ok(self.names(folder)?.values().flatten().map(|(name, _)| name.clone()).collect())
    }

    /// All regular files, sorted by path; links are not followed. `enter` is called for each folder with the names in
    /// it and returns whether to descend.
    pub(super) fn walk(&mut self, enter: &dyn Fn(&str, &[&str]) -> bool) -> Result<Vec<String>, FilesError> {
        let (mut files, mut folders) = (Vec::new(), vec![String::new()]);
        while let Some(folder) = folders.pop() {
            let names = self.names(&folder)?.values().flatten();
            let all: Vec<&str> = names.clone().map(|(name, _)| name.as_str()).collect();
            if !enter(&folder, &all) {
                continue;
            }
            for (name, kind) in names {
                match kind {
                    Kind::File => files.push(join(&folder, name)),
                    Kind::Folder => folders.push(join(&folder, name)),
                    Kind::Symlink | Kind::Special => {}
                }
            }
        }
        files.sort();
        Ok(files)
    }

    /// The name in `folder` that equals `wanted`, or else differs from it only in case.
    fn name(&mut self, folder: &str, wanted: &str) -> Result<Option<(String, Kind)>, FilesError> {
        let Some(same) = self.names(folder)?.get(&wanted.to_ascii_lowercase()) else { return Ok(None) };
        Ok(same.iter().find(|(name, _)| name == wanted).or_else(|| same.first()).cloned())
    }

    fn names(&mut self, folder: &str) -> Result<&Names, FilesError> {
        if !self.folders.contains_key(folder) {
            let names = match self.root {
                Some(root) => {
                    read_names(root, folder).map_err(|source| FilesError::Read { path: folder.to_owned(), source })?
                }
                None => Names::new(),
            };
            self.folders.insert(folder.to_owned(), names);
        }
        Ok(self.folders.entry(folder.to_owned()).or_default())
    }

    /// Resolves the link at `path` to the path and kind of its target.
    fn follow(&self, path: &str) -> Result<Result<(String, Kind), ObstacleKind>, FilesError> {
        let failed = |source| FilesError::Read { path: path.to_owned(), source };
        let Some(root) = self.root else { return Ok(Err(ObstacleKind::LinkToNothing)) };
        let target = match root.canonicalize(path) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Err(ObstacleKind::LinkToNothing)),
            // The link leads out of the folder, is circular, or goes through a file.
            Err(_) => return Ok(Err(ObstacleKind::LinkLeadsOut)),
        };
        let Some(target) = target.to_str().map(|target| target.replace('\\', "/")) else {
            return Ok(Err(ObstacleKind::LinkLeadsOut));
        };
        if !target.split('/').all(is_users) {
            return Ok(Err(ObstacleKind::LinkLeadsOut));
        }
        let kind = kind_of(root.metadata(&target).map_err(failed)?.file_type());
        Ok(Ok((target, kind)))
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Reads the names in a folder. Names that are not Unicode are ignored, because no generated file has such a name.
fn read_names(root: &Dir, folder: &str) -> io::Result<Names> {
    let mut names = Names::new();
    let entries = match if folder.is_empty() { root.entries() } else { root.read_dir(folder) } {
        // Another run may have removed the folder.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(names),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let mut kind = kind_of(entry.file_type()?);
        if kind == Kind::Special {
            // Some file systems do not report file types in a listing.
            kind = kind_of(root.symlink_metadata(join(folder, &name))?.file_type());
        }
        names.entry(name.to_ascii_lowercase()).or_default().push((name, kind));
    }
    // The order of a listing depends on the file system.
    for same in names.values_mut() {
        same.sort_by(|(one, _), (other, _)| one.cmp(other));
    }
    Ok(names)
}

fn kind_of(file_type: cap_std::fs::FileType) -> Kind {
    if file_type.is_symlink() {
        Kind::Symlink
    } else if file_type.is_dir() {
        Kind::Folder
    } else if file_type.is_file() {
        Kind::File
    } else {
        Kind::Special
    }
}
