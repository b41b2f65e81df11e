//! Named arrays in a NumPy archive, as `numpy.savez` writes and `numpy.load` reads them.
//!
//! An NPZ file is a ZIP archive with one NPY file an array. [`NpzFile`] writes arrays without compression
//! (fields are mostly noise, which does not compress) in C order. [`read_complex`], [`read_real`] and
//! [`read_numbers`] read one array, stored or deflated, little- or big-endian, C or Fortran order, into C order and double precision.
//!
//! | module | reads |
//! |---|---|
//! | `archive` | the ZIP directory and the bytes of one entry, by the crate `zip` |
//! | `array` | the NPY header and the numbers after it |
//!
//! A file from elsewhere may lie about every length. An array is at most 1 GiB, the size claimed for it takes
//! no more memory than the file has bytes, and size and checksum are compared with what was unpacked, so that
//! a damaged archive is an error and never a wrong field. Not read: encryption, compression other than
//! deflate, structured and text arrays.

mod archive;
mod array;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use num_complex::Complex;
use zip::CompressionMethod::Stored;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use self::archive::Archive;
use self::array::Array;
use super::Error;
use super::atomic::AtomicFile;
use super::npy::header;

/// A number of an array.
pub trait Element: Copy {
    /// Its type as NPY files name it.
    const DESCR: &str;
    /// The bytes of several, little-endian.
    fn bytes(values: &[Self]) -> Vec<u8>;
}

macro_rules! elements {
    ($($descr:literal $number:ty, $value:ident => $bytes:expr;)*) => { $(impl Element for $number {
        const DESCR: &str = $descr;
        fn bytes(values: &[Self]) -> Vec<u8> {
            values.iter().map(|$value| $bytes).collect::<Vec<_>>().into_flattened()
        }
    })* };
    ($($descr:literal $number:ty;)*) => { elements! { $($descr $number, value => value.to_le_bytes();)* } };
}
elements! { "|i1" i8; "<i2" i16; "<i4" i32; "<i8" i64; "|u1" u8; "<u2" u16; "<u4" u32; "<u8" u64; "<f4" f32; "<f8" f64; }
elements! {
    "|b1" bool, value => [u8::from(*value)];
    "<c8" Complex<f32>, z => (u64::from(z.im.to_bits()) << 32 | u64::from(z.re.to_bits())).to_le_bytes();
    "<c16" Complex<f64>, z => (u128::from(z.im.to_bits()) << 64 | u128::from(z.re.to_bits())).to_le_bytes();
}

/// The ZIP file behind a table of functions: the crates that write arrays do not compile the crate `zip`
/// again.
trait Zip: Write {
    fn begin(&mut self, name: &str, bytes: usize) -> io::Result<()>;
    fn finish(self: Box<Self>) -> io::Result<AtomicFile>;
}

impl Zip for ZipWriter<AtomicFile> {
    fn begin(&mut self, name: &str, bytes: usize) -> io::Result<()> {
        let large = bytes as u64 > u64::from(u32::MAX);
        let options = SimpleFileOptions::default().compression_method(Stored).large_file(large);
        Ok(self.start_file(format!("{name}.npy"), options)?)
    }

    fn finish(self: Box<Self>) -> io::Result<AtomicFile> {
        Ok((*self).finish()?)
    }
}

/// Largest array read, in bytes.
const ARRAY_LIMIT: u64 = 1 << 30;

/// An archive being written. It appears under its name with [`NpzFile::finish`]; dropped before, it leaves
/// nothing behind.
pub struct NpzFile {
    zip: Box<dyn Zip>,
    path: PathBuf,
}

/// Numbers whose bytes are made at once.
const BLOCK: usize = 8192;

impl NpzFile {
    /// Begins an archive.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::at(path.as_ref())
    }

    fn at(path: &Path) -> Result<Self, Error> {
        Ok(Self { zip: Box::new(ZipWriter::new(AtomicFile::create(path)?)), path: path.into() })
    }

    /// Adds an array in C order: `f32`, `f64`, integers, `bool`, `Complex<f32>` (complex64) or `Complex<f64>`
    /// (complex128). An empty shape is a single number.
    pub fn add<T: Element>(mut self, name: &str, shape: &[usize], values: &[T]) -> Result<Self, Error> {
        let expected = shape.iter().try_fold(1usize, |product, &side| product.checked_mul(side));
        if expected != Some(values.len()) {
            let (shape, values) = (shape.to_vec(), values.len());
            return Err(Error::Shape { path: self.path, name: name.into(), shape, values });
        }
        let header = header(T::DESCR, shape);
        self.write(|zip| zip.begin(name, header.len() + size_of_val(values)))?;
        self.write(|zip| zip.write_all(&header))?;
        for block in values.chunks(BLOCK) {
            self.write(|zip| zip.write_all(&T::bytes(block)))?;
        }
        Ok(self)
    }

    fn write(&mut self, step: impl FnOnce(&mut dyn Zip) -> io::Result<()>) -> Result<(), Error> {
        step(&mut *self.zip).map_err(|error| Error::write(&self.path, error))
    }

    /// Completes the archive and gives it its name.
    pub fn finish(self) -> Result<(), Error> {
        self.zip.finish().map_err(|error| Error::write(&self.path, error))?.commit()
    }
}

/// The names of the arrays in an archive, in its order.
pub fn names(path: impl AsRef<Path>) -> Result<Vec<String>, Error> {
    let path = path.as_ref();
    Ok(Archive::open(open(path)?, path)?.names().map(String::from).collect())
}

/// The values of a complex array (complex64 or complex128) in C order, and its shape.
pub fn read_complex(path: impl AsRef<Path>, name: &str) -> Result<(Vec<Complex<f64>>, Vec<usize>), Error> {
    read_complex_within(path.as_ref(), Some(name), ARRAY_LIMIT)
}

/// The same of an array of at most `limit` bytes: `name` of an archive or, without a name, that of an NPY
/// file.
pub fn read_complex_within(
    path: &Path,
    name: Option<&str>,
    limit: u64,
) -> Result<(Vec<Complex<f64>>, Vec<usize>), Error> {
    let (file, mut bytes) = (open(path)?, Vec::new());
    match name {
        Some(name) => bytes = Archive::open(file, path)?.entry(name, limit)?,
        None => drop(file.take(limit).read_to_end(&mut bytes).map_err(|e| Error::read(path, 0, e))?),
    }
    let complex = Array::parse(bytes).and_then(Array::complex);
    complex.map_err(|reason| bad(path, name.unwrap_or_default(), reason))
}

/// The values of a real array (integers or floats of any size) in C order, and its shape. Integers beyond
/// 2^53 are rounded.
pub fn read_real(path: impl AsRef<Path>, name: &str) -> Result<(Vec<f64>, Vec<usize>), Error> {
    let path = path.as_ref();
    read(open(path)?, path, name)?.real().map_err(|reason| bad(path, name, reason))
}

/// An array of any numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// In C order; real numbers have no imaginary part.
    pub values: Vec<Complex<f64>>,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Whether it is of single precision: float32 or complex64.
    pub single: bool,
}

/// An array of any numbers, real or complex.
pub fn read_numbers(path: impl AsRef<Path>, name: &str) -> Result<Numbers, Error> {
    let path = path.as_ref();
    let array = read(open(path)?, path, name)?;
    let single = array.is_single();
    let (values, shape) = array.numbers();
    Ok(Numbers { values, shape, single })
}

fn open(path: &Path) -> Result<File, Error> {
    let failed = |source| Error::Read { path: path.into(), offset: 0, source };
    // A pipe would block in open().
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(Error::NotAFile(path.into()));
    }
    File::open(path).map_err(failed)
}

fn read(file: impl Read + std::io::Seek, path: &Path, name: &str) -> Result<Array, Error> {
    let bytes = Archive::open(file, path)?.entry(name, ARRAY_LIMIT)?;
    Array::parse(bytes).map_err(|reason| bad(path, name, reason))
}

fn bad(path: &Path, name: &str, reason: String) -> Error {
    Error::BadArray { path: path.into(), name: name.into(), reason }
}

#[cfg(test)]
mod tests;
