//! What stands at a path, and how it is written: a file as a whole, anything else in place.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;

/// So many links from link to link are followed at most, as on Linux.
const MOST_LINKS: usize = 40;

/// What a result is written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A file, there or not, behind all links: it is replaced as a whole.
    File(PathBuf),
    /// Something else that is there, such as a device or a FIFO: it is written in place, and stays what it is.
    Other(PathBuf),
}

impl Place {
    /// What is at this path.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        if path.file_name().is_none() {
            return Err(is_a_folder());
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(is_a_folder()),
            Ok(found) if !found.is_file() => Ok(Self::Other(path.to_owned())),
            Ok(_) => Ok(Self::File(behind_links(path)?)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound) => Ok(Self::File(behind_links(path)?)),
            Err(error) => Err(error),
        }
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Other(path) => path,
        }
    }

    /// Makes the folder if it is missing, and tries whether the result can be written; leaves no file behind.
    pub(super) fn try_to_write(&self) -> io::Result<()> {
        match self {
            Self::File(path) => {
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)?;
                }
                Unfinished::beside(path).map(drop)
            }
            // Not opened: that could wait for the reader of a FIFO, or start something in a device.
            Self::Other(path) if fs::metadata(path).is_ok_and(|found| is_read_only(&found)) => {
                Err(ErrorKind::PermissionDenied.into())
            }
            Self::Other(_) => Ok(()),
        }
    }

    /// Writes the result. A file appears whole or not at all.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::File(path) => {
                let mut unfinished = Unfinished::beside(path)?;
                unfinished.file.write_all(bytes)?;
                unfinished.rename_to(path)
            }
            Self::Other(path) => OpenOptions::new().write(true).open(path)?.write_all(bytes),
        }
    }
}

fn is_a_folder() -> io::Error {
    io::Error::new(ErrorKind::IsADirectory, "it is a folder")
}

fn is_read_only(found: &Metadata) -> bool {
    found.permissions().readonly()
}

/// The path that a link leads to, whether something is there or not; the path itself if it is no link.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let is_link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
        if !is_link {
            return Ok(path);
        }
        let target = fs::read_link(&path)?;
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    Err(io::Error::other("too many links lead to each other"))
}

/// A file beside the one that is meant, removed unless it is renamed to it.
struct Unfinished {
    file: File,
    path: PathBuf,
}

impl Unfinished {
    fn beside(path: &Path) -> io::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let unfinished = path.with_file_name(format!(".{name}.{}.unfinished", process::id()));
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&unfinished)?;
        Ok(Self { file, path: unfinished })
    }

    fn rename_to(self, path: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, path)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After a rename there is nothing of this name any more.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, bytes: &[u8]) {
        let place = Place::at(path).unwrap();
        place.try_to_write().unwrap();
        place.write(bytes).unwrap();
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "a longer old result").unwrap();
        write(&path, b"new");
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_what_it_leads_to_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("latest.json"), folder.path().join("results/1.json"));
        std::os::unix::fs::symlink("results/1.json", &link).unwrap();
        for bytes in [b"one", b"two"] {
            write(&link, bytes);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read(&target).unwrap(), bytes);
        }
        std::os::unix::fs::symlink("round.json", folder.path().join("round.json")).unwrap();
        assert!(Place::at(&folder.path().join("round.json")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_in_place() {
        assert_eq!(Place::at(Path::new("/dev/null")).unwrap(), Place::Other("/dev/null".into()));
        write(Path::new("/dev/null"), b"new");
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
