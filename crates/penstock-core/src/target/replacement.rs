//! A file that is replaced at once, or not at all.

use super::Host;
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::process;
use std::time::SystemTime;

const NO_ENTRY: i32 = 2;
const IS_A_DIRECTORY: i32 = 21;
const INVALID: i32 = 22;
const TOO_MANY_LINKS: i32 = 40;

/// The most links from a path to its file, as for the kernel.
const MOST_LINKS: usize = 40;

/// The most bytes of a file's name.
const LONGEST_NAME: usize = 255;

/// How often a name is tried that somebody has already.
const PATIENCE: usize = 64;

/// What a path leads to.
#[derive(Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file, or none yet: its own path, behind all links.
    File(PathBuf),
    /// A pipe, a device, or a file that somebody has opened already (`/dev/stdout`): written to, but
    /// never replaced.
    Through,
}

/// Finds what a path leads to.
///
/// # Errors
/// The system's error; or the path is that of a directory.
pub fn kind_of(path: &Path) -> io::Result<Kind> {
    let directory = || io::Error::from_raw_os_error(IS_A_DIRECTORY);
    // An empty path is none.
    let mut at = std::path::absolute(path).map_err(|_| io::Error::from_raw_os_error(NO_ENTRY))?;
    for _ in 0..=MOST_LINKS {
        // What a link of these names is not a path.
        if ["/proc", "/sys", "/dev/fd"].iter().any(|folder| at.starts_with(folder)) {
            return Ok(Kind::Through);
        }
        let about = match fs::symlink_metadata(&at) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let is_folder = at.as_os_str().as_bytes().ends_with(b"/");
                return if is_folder { Err(directory()) } else { Ok(Kind::File(at)) };
            }
            Err(error) => return Err(error),
        };
        if about.is_symlink() {
            let to = fs::read_link(&at)?;
            at = at.parent().map_or_else(|| to.clone(), |folder| folder.join(&to));
        } else if about.is_dir() {
            return Err(directory());
        } else {
            return Ok(if about.is_file() { Kind::File(at) } else { Kind::Through });
        }
    }
    Err(io::Error::from_raw_os_error(TOO_MANY_LINKS))
}

/// A new file beside the one that it will replace.
///
/// If the file system can do that, it has no name until it is complete: then nothing is left of it,
/// however the process ends. Dropping it removes it. Neither that nor anything else happens in a process that was forked off
/// from the one that made it.
#[derive(Debug)]
pub(super) struct Replacement {
    file: Option<File>,
    /// Its own path, until it has the other one. None as long as it has no name.
    part: Option<PathBuf>,
    path: PathBuf,
    /// The folder, if it is synced.
    folder: Option<File>,
    process: u32,
}

impl Replacement {
    /// Makes a new file beside a path, which is that of a regular file or of none. It has the mode
    /// and the owner of the other one.
    pub(super) fn beside(path: PathBuf, sync: bool, host: &Host) -> io::Result<Self> {
        let old = match fs::symlink_metadata(&path) {
            Ok(about) => about.is_file().then_some(about),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let folder = match path.parent().filter(|_| sync) {
            Some(folder) => Some(File::open(folder)?),
            None => None,
        };
        // Nobody else may read what nobody else may read in the old file.
        let mode = if old.is_some() { 0o600 } else { 0o666 };
        let nameless = host.name.and_then(|_| nameless(&path, mode));
        let (file, part) = match nameless {
            Some(file) => (file, None),
            None => create(&path, mode).map(|(file, part)| (file, Some(part)))?,
        };
        let made = Replacement { file: Some(file), part, path, folder, process: process::id() };
        if let (Some(file), Some(old)) = (&made.file, old) {
            inherit(file, &old)?;
        }
        Ok(made)
    }

    /// The file, to write to.
    pub(super) fn file(&self) -> io::Result<&File> {
        self.file.as_ref().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    /// Gives the file its name. If it must be new, another file of that name stays, and this one
    /// goes.
    pub(super) fn commit(mut self, host: &Host, must_be_new: bool) -> io::Result<()> {
        if let Some(file) = self.file.take() {
            if self.folder.is_some() {
                file.sync_all()?;
            }
            if let (None, Some(name)) = (&self.part, host.name) {
                // Only a rename puts it in place of another file, and a rename needs a name.
                self.part = Some(named(&self.path, |part| name(&file, part))?.1);
            }
            // On a file system of a network, only now it may turn out that the disk is full.
            (host.close)(file)?;
        }
        if let Some(part) = &self.part {
            if must_be_new {
                // Renaming would replace a file that was made meanwhile.
                fs::hard_link(part, &self.path)?;
                fs::remove_file(part)?;
            } else {
                fs::rename(part, &self.path)?;
            }
            self.part = None;
        }
        sync_folder(self.folder.as_ref())
    }

    /// Removes the new file.
    pub(super) fn abort(mut self) -> io::Result<()> {
        self.remove()
    }

    fn remove(&mut self) -> io::Result<()> {
        match self.part.take() {
            Some(part) if self.process == process::id() => match fs::remove_file(part) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // Nobody asks any more.
        let _ = self.remove();
    }
}

/// Has the names of a folder on the disk.
pub(super) fn sync_folder(folder: Option<&File>) -> io::Result<()> {
    match folder.map(File::sync_all) {
        // Not all file systems have something to sync.
        Some(Err(error)) if error.raw_os_error() == Some(INVALID) => Ok(()),
        Some(synced) => synced,
        None => Ok(()),
    }
}

/// Makes a file without a name in the folder of a path. None if the system cannot do that, or cannot
/// give it a name later.
fn nameless(path: &Path, mode: u32) -> Option<File> {
    // What the kernel calls O_TMPFILE holds O_DIRECTORY, which is not the same for all processors.
    let flags = match std::env::consts::ARCH {
        "x86_64" => 0o20_200_000,
        "aarch64" => 0o20_040_000,
        _ => return None,
    };
    if !cfg!(target_os = "linux") {
        return None;
    }
    path.file_name()?;
    let folder = path.parent()?;
    let file = OpenOptions::new().write(true).mode(mode).custom_flags(flags).open(folder).ok()?;
    fs::symlink_metadata(own_path(&file)).is_ok().then_some(file)
}

/// The path by which the kernel knows an open file.
#[must_use]
pub fn own_path(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Makes a file beside a path under a name that nobody foresees.
fn create(path: &Path, mode: u32) -> io::Result<(File, PathBuf)> {
    // This follows no link: it refuses whatever has the name.
    named(path, |part| OpenOptions::new().write(true).create_new(true).mode(mode).open(part))
}

/// Makes something beside a path under a name that nobody foresees.
fn named<T>(path: &Path, make: impl FnMut(&Path) -> io::Result<T>) -> io::Result<(T, PathBuf)> {
    let mut counter = 0;
    let number = || {
        counter += 1;
        // The keys of a `RandomState` are secret; a forked process has the same ones.
        let seed = (process::id(), SystemTime::now(), counter);
        RandomState::new().hash_one(seed)
    };
    named_by(path, number, make)
}

fn named_by<T>(
    path: &Path,
    mut number: impl FnMut() -> u64,
    mut make: impl FnMut(&Path) -> io::Result<T>,
) -> io::Result<(T, PathBuf)> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::from_raw_os_error(IS_A_DIRECTORY));
    };
    let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..PATIENCE {
        let ending = format!(".{:016x}.part", number());
        let mut part = shortened(name.as_bytes(), LONGEST_NAME - ending.len()).to_owned();
        part.extend_from_slice(ending.as_bytes());
        let part = path.with_file_name(OsString::from_vec(part));
        match make(&part) {
            Ok(made) => return Ok((made, part)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

/// The beginning of a name, without a part of a character at its end.
fn shortened(name: &[u8], most: usize) -> &[u8] {
    if name.len() <= most {
        return name;
    }
    let is_boundary = |at: &usize| name[*at] & 0xC0 != 0x80;
    let end = (most.saturating_sub(3)..=most).rev().find(is_boundary);
    &name[..end.unwrap_or(most)]
}

/// Gives a file the mode of an old one, and its owner if the system permits that.
fn inherit(file: &File, old: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    // As after writing into the old file, which takes away the other bits.
    let mut mode = old.mode() & 0o777;
    let same = (new.uid(), new.gid()) == (old.uid(), old.gid());
    if !same && fchown(file, Some(old.uid()), Some(old.gid())).is_err() {
        // Only root may give a file away; its owner may give it to another of his groups.
        let is_group_kept = new.gid() == old.gid() || fchown(file, None, Some(old.gid())).is_ok();
        if !is_group_kept {
            // Another group gets no more than everybody.
            mode = (mode & 0o707) | (((mode & 0o007) << 3) & mode);
        }
    }
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// An empty directory, removed at the end.
    pub(in super::super) struct Folder(pub(in super::super) PathBuf);

    impl Folder {
        pub(in super::super) fn new() -> Self {
            let name = format!("penstock-{:016x}", RandomState::new().hash_one(process::id()));
            let path = std::env::temp_dir().join(name);
            fs::create_dir(&path).unwrap();
            Folder(path)
        }

        pub(in super::super) fn names(&self) -> Vec<String> {
            let name = |entry: io::Result<fs::DirEntry>| {
                entry.unwrap().file_name().to_string_lossy().into_owned()
            };
            let mut names: Vec<_> = fs::read_dir(&self.0).unwrap().map(name).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_name_that_somebody_has_is_left_alone() {
        let folder = Folder::new();
        let path = folder.0.join("rows");
        fs::write(folder.0.join("rows.0000000000000001.part"), "precious").unwrap();
        symlink("elsewhere", folder.0.join("rows.0000000000000002.part")).unwrap();
        let mut number = 0;
        let make =
            |part: &Path| OpenOptions::new().write(true).create_new(true).mode(0o600).open(part);
        let count = || {
            number += 1;
            number
        };
        let (_, part) = named_by(&path, count, make).unwrap();
        assert_eq!(part, folder.0.join("rows.0000000000000003.part"));
        assert_eq!(fs::metadata(&part).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read(folder.0.join("rows.0000000000000001.part")).unwrap(), b"precious");
        assert!(!folder.0.join("elsewhere").exists());
        let error = named_by(&path, || 1, make).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn names_differ() {
        let folder = Folder::new();
        let path = folder.0.join("rows");
        let mut parts: Vec<_> = (0..50).map(|_| create(&path, 0o600).unwrap().1).collect();
        parts.sort();
        parts.dedup();
        assert_eq!(parts.len(), 50);
    }

    #[test]
    fn long_names() {
        let folder = Folder::new();
        for name in ["x".repeat(255), "ü".repeat(127), "€".repeat(85), "🎉".repeat(63)] {
            let part = create(&folder.0.join(&name), 0o600).unwrap().1;
            let part = part.file_name().unwrap().to_str().unwrap();
            assert!((252..=255).contains(&part.len()), "{part}");
        }
        assert_eq!(shortened(b"\x80\x80\x80\x80\x80", 3), b"\x80\x80\x80");
    }

    #[test]
    fn what_paths_lead_to() {
        let folder = Folder::new();
        let at = |name: &str| folder.0.join(name);
        fs::write(at("file"), "").unwrap();
        fs::create_dir(at("folder")).unwrap();
        for (link, to) in [
            ("one", "file"),
            ("two", "folder/../one"),
            ("folder/up", "../two"),
            ("dangling", "folder/new"),
            ("loop", "loop"),
            ("null", "/dev/null"),
            ("directory", "folder"),
        ] {
            symlink(to, at(link)).unwrap();
        }
        let file = |name| Kind::File(at(name));
        assert_eq!(kind_of(&at("file")).unwrap(), file("file"));
        assert_eq!(kind_of(&at("new")).unwrap(), file("new"));
        assert_eq!(kind_of(&at("one")).unwrap(), file("file"));
        assert_eq!(kind_of(&at("two")).unwrap(), file("folder/../file"));
        assert_eq!(kind_of(&at("folder/up")).unwrap(), file("folder/../folder/../file"));
        assert_eq!(kind_of(&at("dangling")).unwrap(), file("folder/new"));
        assert_eq!(kind_of(&at("null")).unwrap(), Kind::Through);
        for path in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/null"] {
            assert_eq!(kind_of(Path::new(path)).unwrap(), Kind::Through, "{path}");
        }
        let error = |name: &str| kind_of(&at(name)).unwrap_err();
        assert_eq!(error("folder").raw_os_error(), Some(IS_A_DIRECTORY));
        assert_eq!(error("directory").raw_os_error(), Some(IS_A_DIRECTORY));
        assert_eq!(error("new/").raw_os_error(), Some(IS_A_DIRECTORY));
        assert_eq!(error("loop").raw_os_error(), Some(TOO_MANY_LINKS));
        assert_eq!(error("file/x").kind(), io::ErrorKind::NotADirectory);
        assert_eq!(kind_of(Path::new("")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
