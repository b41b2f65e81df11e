//! A file that appears under its name only when it is complete.
//!
//! The bytes go to a temporary name in the same folder (so that the rename stays within one file system).
//! [`AtomicFile::commit`] flushes, waits until the bytes are on the disk, and renames. An [`AtomicFile`] that
//! is dropped without it, or in which a write failed, leaves nothing behind, and a file that was there before
//! stays as it was. Only a killed process leaves its temporary file, `.nearfield-*.part`.

use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::Error;

/// Large enough that a system call costs nothing beside the copy.
const BUFFER_BYTES: usize = 1 << 18;

/// A buffered, seekable output file under a temporary name.
#[derive(Debug)]
pub struct AtomicFile {
    temp: BufWriter<NamedTempFile>,
    path: PathBuf,
    failed: bool,
}

impl AtomicFile {
    /// Opens a temporary file beside `path`. Fails now, not after an hour's work, if `path` cannot be a file.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        // Renaming over a device would replace it by a file.
        if path.metadata().is_ok_and(|found| !found.is_file()) || path.file_name().is_none() {
            return Err(Error::NotAFile(path.into()));
        }
        let temp = builder().tempfile_in(folder(path)).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Error::NoFolder(path.into()),
            _ => Error::write(path, source),
        })?;
        Ok(Self { temp: BufWriter::with_capacity(BUFFER_BYTES, temp), path: path.into(), failed: false })
    }

    /// The name that the file will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name. After an error nothing of it is left.
    pub fn commit(self) -> Result<(), Error> {
        let (temp, path) = self.sync()?;
        rename(temp, &path)
    }

    /// The complete file, once all bytes are on the disk, and the name that it lacks.
    fn sync(mut self) -> Result<(NamedTempFile, PathBuf), Error> {
        let failure = |source| Error::write(&self.path, source);
        if self.failed {
            return Err(failure(std::io::Error::other("an earlier write failed")));
        }
        self.temp.flush().map_err(failure)?;
        self.temp.get_ref().as_file().sync_all().map_err(failure)?;
        let temp = self.temp.into_inner().map_err(|e| Error::write(&self.path, e.into_error()))?;
        Ok((temp, self.path))
    }

    /// Remembers that the content has a hole: `commit` must not succeed after a failed write.
    fn note<T>(&mut self, result: std::io::Result<T>) -> std::io::Result<T> {
        self.failed |= result.as_ref().is_err_and(|e| e.kind() != std::io::ErrorKind::Interrupted);
        result
    }
}

/// Writes a file, which has its name when it is complete.
pub fn write(
    path: impl AsRef<Path>,
    fill: impl FnOnce(&mut AtomicFile) -> std::io::Result<()>,
) -> Result<(), Error> {
    let path = path.as_ref();
    let mut file = AtomicFile::create(path)?;
    fill(&mut file).map_err(|source| Error::write(path, source))?;
    file.commit()
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let result = self.temp.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let result = self.temp.flush();
        self.note(result)
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let result = self.temp.seek(to);
        self.note(result)
    }
}

/// Gives a complete file on the disk its name.
fn rename(temp: NamedTempFile, path: &Path) -> Result<(), Error> {
    temp.persist(path).map_err(|e| Error::write(path, e.error))?;
    // Makes the rename durable, too. Some file systems cannot, and the file is complete all the same.
    let _ = std::fs::File::open(folder(path)).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Commits two files of which a reader needs both: `data` first, then `meta`, which says that both are there.
///
/// An older `meta` is removed in between, so that at no moment it describes the new data.
pub fn commit_pair(data: AtomicFile, meta: AtomicFile) -> Result<(), Error> {
    let ((data, data_path), (meta, meta_path)) = (data.sync()?, meta.sync()?);
    match std::fs::remove_file(&meta_path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::write(&meta_path, e)),
        _ => {}
    }
    rename(data, &data_path)?;
    rename(meta, &meta_path).inspect_err(|_| {
        // Half a pair is of no use; the error to report is the one that caused it.
        let _ = std::fs::remove_file(&data_path);
    })
}

/// The folder that holds `path`.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Temporary names, with the permissions of any other new file instead of the private ones of a temporary.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".nearfield-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

#[cfg(test)]
mod tests {
    use super::*;
    use numerics::failure::Failure as _;
    use std::fs;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn appears_only_at_commit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.bin");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"abc").unwrap();
        assert!(!path.exists());
        file.seek(SeekFrom::Start(1)).unwrap();
        file.write_all(b"X").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"aXc");
        assert_eq!(names(dir.path()), ["x.bin"]);
    }

    #[test]
    fn drop_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.bin");
        fs::write(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(&[7; 2 * BUFFER_BYTES]).unwrap();
        assert_eq!(names(dir.path()).len(), 2);
        drop(file);
        assert_eq!(names(dir.path()), ["x.bin"]);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn a_failed_write_cannot_be_committed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.bin");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"abc").unwrap();
        assert!(file.seek(SeekFrom::Current(-100)).is_err());
        let error = file.commit().unwrap_err();
        assert!(!error.is_input(), "{error}");
        assert_eq!(names(dir.path()), [""; 0]);
    }

    #[test]
    fn refuses_folders_devices_and_missing_folders_at_once() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(AtomicFile::create(dir.path()), Err(Error::NotAFile(..))));
        assert!(matches!(AtomicFile::create(dir.path().join("a/b.npy")), Err(Error::NoFolder(..))));
        fs::write(dir.path().join("f"), b"").unwrap();
        assert!(matches!(AtomicFile::create(dir.path().join("f/b.npy")), Err(Error::NoFolder(..))));
        #[cfg(unix)]
        assert!(matches!(AtomicFile::create("/dev/null"), Err(Error::NotAFile(..))));
        assert_eq!(names(dir.path()), ["f"]);
    }

    #[test]
    fn a_bare_name_means_the_current_folder() {
        assert_eq!(folder(Path::new("x.npy")), Path::new("."));
        assert_eq!(folder(Path::new("a/x.npy")), Path::new("a"));
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_an_ordinary_file() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let dir = tempfile::tempdir().unwrap();
        let (ordinary, atomic) = (dir.path().join("a"), dir.path().join("b"));
        fs::write(&ordinary, b"").unwrap();
        AtomicFile::create(&atomic).unwrap().commit().unwrap();
        assert_eq!(mode(&atomic), mode(&ordinary));
    }

    #[test]
    fn a_pair_is_both_or_neither() {
        let dir = tempfile::tempdir().unwrap();
        let (data, meta) = (dir.path().join("d"), dir.path().join("m"));
        let write = |path: &Path| {
            let mut file = AtomicFile::create(path).unwrap();
            file.write_all(b"new").unwrap();
            file
        };
        fs::write(&meta, b"old").unwrap();
        commit_pair(write(&data), write(&meta)).unwrap();
        assert_eq!((fs::read(&data).unwrap(), fs::read(&meta).unwrap()), (b"new".to_vec(), b"new".to_vec()));

        // The metadata loses its temporary file before it gets its name.
        let (data, meta) = (write(&dir.path().join("d2")), write(&dir.path().join("m2")));
        fs::remove_file(meta.temp.get_ref().path()).unwrap();
        assert!(!commit_pair(data, meta).unwrap_err().is_input());
        assert_eq!(names(dir.path()), ["d", "m"]);
    }
}
