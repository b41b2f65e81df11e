//! A field that another solver computed: the complex pressure at every microphone, from NumPy files.
//!
//! The array has the shape (rows, cols) of the microphones, `[y][x]`, or one more axis in front of which one
//! index is taken; complex of 64 or 128 bits, either byte order, C or Fortran order. It is the peak value in
//! pascal with the time factor exp(+jwt), in the plane of the microphones. A field of the other sign
//! convention is the complex conjugate.
//!
//! Files up to [`MAX_BYTES`] are read, and an archive's entry may take that much when unpacked.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use ndarray::{ArrayD, ArrayViewD, Axis, Ix2};
use ndarray_npy::{ReadNpyExt, ReadableElement, ViewElement, ViewNpyExt};
use num_complex::Complex;

use crate::Error;

/// Largest file, and largest entry of an archive: 4 million values.
pub const MAX_BYTES: u64 = 64 << 20;

/// NumPy writes up to 128 bytes of header for such arrays. The parser recurses, so this also bounds its stack.
const MAX_HEADER: usize = 1024;

/// One tone with its pressure at every microphone.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Frequency in hertz.
    pub frequency_hz: f64,
    /// Complex pressure by grid index in pascal, peak.
    pub pressure: Vec<Complex<f64>>,
}

impl Field {
    /// Reads a field for a grid of `rows` x `cols` from an `.npy` file, or from the array `entry` of an
    /// `.npz` file; `index` chooses along a leading axis. The values are multiplied by `scale`.
    pub fn read(
        path: &Path,
        entry: Option<&str>,
        index: Option<usize>,
        [rows, cols]: [usize; 2],
        frequency_hz: f64,
        scale: f64,
    ) -> Result<Self, Error> {
        let bad = |message: String| Error::File { path: path.into(), message };
        let bytes = load(path, entry).map_err(bad)?;
        let array = parse(&bytes).map_err(bad)?;
        let plane = choose(array, index).map_err(bad)?;
        let plane = plane.into_dimensionality::<Ix2>().map_err(|_| bad("not a plane".into()))?;
        if plane.dim() != (rows, cols) {
            let (y, x) = plane.dim();
            return Err(bad(format!(
                "the field has {y} x {x} values, the array {rows} x {cols} microphones"
            )));
        }
        // Logical order is row by row, whatever the order in memory.
        let pressure: Vec<_> = plane.iter().map(|p| p * scale).collect();
        if pressure.iter().any(|p| !(p.re.is_finite() && p.im.is_finite())) {
            return Err(bad("the field has a value that is no number".into()));
        }
        Ok(Self { frequency_hz, pressure })
    }
}

/// The bytes of one array in NumPy's format.
fn load(path: &Path, entry: Option<&str>) -> Result<Vec<u8>, String> {
    let file = crate::limited::open_limited(path, MAX_BYTES)?;
    if path.extension().is_some_and(|e| e == "npz") {
        return unpack(file, entry);
    }
    if let Some(entry) = entry {
        return Err(format!("array {entry:?} is asked for, but only an .npz file has named arrays"));
    }
    limited(file)
}

fn unpack(file: File, entry: Option<&str>) -> Result<Vec<u8>, String> {
    let mut archive = zip::ZipArchive::new(file).map_err(|e| format!("not an .npz archive: {e}"))?;
    let names = archive.file_names().map(|n| n.trim_end_matches(".npy")).collect::<Vec<_>>().join(", ");
    let name = match (entry, archive.len()) {
        (Some(entry), _) => format!("{entry}.npy"),
        (None, 1) => archive.file_names().next().unwrap_or_default().to_owned(),
        (None, _) => return Err(format!("say which array: array = one of {names}")),
    };
    let entry = archive.by_name(&name).map_err(|e| format!("{name}: {e}; the arrays are {names}"))?;
    limited(entry)
}

/// Reads to the end, but not beyond the limit.
fn limited(from: impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("larger than {MAX_BYTES} bytes"));
    }
    Ok(bytes)
}

fn parse(bytes: &[u8]) -> Result<ArrayD<Complex<f64>>, String> {
    check_header(bytes)?;
    match read::<Complex<f64>>(bytes) {
        Ok(array) => Ok(array),
        Err(first) => match read::<Complex<f32>>(bytes) {
            Ok(array) => Ok(array.mapv(|p| Complex::new(p.re.into(), p.im.into()))),
            Err(_) => Err(format!("not an array of complex numbers: {first}")),
        },
    }
}

/// A view checks the declared shape against the bytes there are before anything is allocated; where a view
/// cannot be had, because of the byte order or of where the bytes lie, the array has passed that check or is
/// refused by it.
fn read<T>(bytes: &[u8]) -> Result<ArrayD<T>, String>
where
    T: Clone + ReadableElement + ViewElement,
{
    use ndarray_npy::ViewNpyError;
    match ArrayViewD::<T>::view_npy(bytes) {
        Ok(view) => Ok(view.to_owned()),
        Err(ViewNpyError::MisalignedData | ViewNpyError::NonNativeEndian) => {
            check_length(bytes, size_of::<T>())?;
            ArrayD::<T>::read_npy(bytes).map_err(|e| e.to_string())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Where the data begin: magic, version, header length in two or four bytes, header.
fn data_start(bytes: &[u8]) -> Option<usize> {
    let version = *bytes.get(6)?;
    let (len, start) = match version {
        1 => (usize::from(u16::from_le_bytes(bytes.get(8..10)?.try_into().ok()?)), 10),
        _ => (u32::from_le_bytes(bytes.get(8..12)?.try_into().ok()?) as usize, 12),
    };
    len.checked_add(start)
}

fn check_header(bytes: &[u8]) -> Result<(), String> {
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err("not a NumPy array".into());
    }
    match data_start(bytes) {
        Some(start) if start <= bytes.len().min(MAX_HEADER) => Ok(()),
        _ => Err(format!("the NumPy header is cut short or longer than {MAX_HEADER} bytes")),
    }
}

/// Refuses a declared shape that the bytes cannot fill.
fn check_length(bytes: &[u8], item: usize) -> Result<(), String> {
    let start = data_start(bytes).unwrap_or(bytes.len());
    let header = String::from_utf8_lossy(bytes.get(..start).unwrap_or_default()).into_owned();
    let shape = header.split("'shape'").nth(1).and_then(|s| s.split_once('(')?.1.split(')').next());
    let product = shape.and_then(|shape| {
        let sizes = shape.split(',').map(str::trim).filter(|s| !s.is_empty());
        sizes.map(|s| s.trim_end_matches('L').parse::<usize>().ok()).try_fold(item, |p, s| p.checked_mul(s?))
    });
    match product {
        Some(len) if len == bytes.len() - start => Ok(()),
        _ => Err("the shape does not fit the bytes of the file".into()),
    }
}

fn choose(array: ArrayD<Complex<f64>>, index: Option<usize>) -> Result<ArrayD<Complex<f64>>, String> {
    match (array.ndim(), index) {
        (2, None) => Ok(array),
        (3, Some(i)) if i < array.len_of(Axis(0)) => Ok(array.index_axis_move(Axis(0), i)),
        (3, Some(i)) => Err(format!("index {i}, but there are {} planes", array.len_of(Axis(0)))),
        (3, None) if array.len_of(Axis(0)) == 1 => Ok(array.index_axis_move(Axis(0), 0)),
        (3, None) => Err(format!("{} planes: say which with index", array.len_of(Axis(0)))),
        (n, Some(_)) => Err(format!("an index needs three axes, and there are {n}")),
        (n, None) => Err(format!("{n} axes, where [y][x] is expected")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, Array3};
    use ndarray_npy::{NpzWriter, WriteNpyExt, write_npy};
    use proptest::prelude::*;

    fn plane() -> Array2<Complex<f64>> {
        Array2::from_shape_fn((4, 6), |(y, x)| Complex::new(y as f64, x as f64))
    }

    fn read(path: &Path, entry: Option<&str>, index: Option<usize>) -> Result<Field, String> {
        Field::read(path, entry, index, [4, 6], 500.0, 2.0).map_err(|e| e.to_string())
    }

    #[test]
    fn every_form_reads_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let expected: Vec<_> = plane().iter().map(|p| p * 2.0).collect();
        let path = dir.path().join("a.npy");
        write_npy(&path, &plane()).unwrap();
        assert_eq!(read(&path, None, None).unwrap().pressure, expected);
        // Fortran order: the transposed array's transpose.
        write_npy(&path, &plane().reversed_axes().as_standard_layout().into_owned().reversed_axes()).unwrap();
        assert_eq!(read(&path, None, None).unwrap().pressure, expected);
        write_npy(&path, &plane().mapv(|p| Complex::new(p.re as f32, p.im as f32))).unwrap();
        assert_eq!(read(&path, None, None).unwrap().pressure, expected);
        let stack = Array3::from_shape_fn((3, 4, 6), |(i, y, x)| plane()[[y, x]] * i as f64);
        let path = dir.path().join("a.npz");
        let mut npz = NpzWriter::new_compressed(File::create(&path).unwrap());
        npz.add_array("measured", &stack).unwrap();
        npz.add_array("other", &plane()).unwrap();
        npz.finish().unwrap();
        assert_eq!(read(&path, Some("measured"), Some(1)).unwrap().pressure, expected);
        assert_eq!(read(&path, Some("other"), None).unwrap().pressure, expected);
        assert!(read(&path, None, None).unwrap_err().contains("measured, other"));
        assert!(read(&path, Some("measured"), Some(3)).unwrap_err().contains("3 planes"));
        assert!(read(&path, Some("measured"), None).unwrap_err().contains("say which with index"));
        assert!(read(&path, Some("absent"), None).unwrap_err().contains("absent"));
    }

    #[test]
    fn wrong_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npy");
        assert!(read(&path, None, None).is_err());
        write_npy(&path, &Array2::<f64>::zeros((4, 6))).unwrap();
        assert!(read(&path, None, None).unwrap_err().contains("complex"));
        write_npy(&path, &Array2::<Complex<f64>>::zeros((6, 4))).unwrap();
        assert!(read(&path, None, None).unwrap_err().contains("6 x 4"));
        write_npy(&path, &Array2::from_elem((4, 6), Complex::new(f64::NAN, 0.0))).unwrap();
        assert!(read(&path, None, None).unwrap_err().contains("no number"));
        assert!(read(&path, Some("x"), None).unwrap_err().contains(".npz"));
        assert!(read(dir.path(), None, None).unwrap_err().contains("not a file"));
    }

    /// The array above with another shape in its header, for either byte order.
    fn claiming(shape: &str, descr: &str) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        bytes.extend(format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}").bytes());
        bytes.resize(127, b' ');
        bytes.push(b'\n');
        bytes.resize(128 + 4 * 6 * 16, 0);
        bytes
    }

    #[test]
    fn claimed_shapes_are_checked_before_memory_is_taken() {
        for descr in ["<c16", ">c16"] {
            assert!(parse(&claiming("(4, 6)", descr)).is_ok(), "{descr}");
            for shape in ["(99999999999, 6)", "(4, 7)", "(18446744073709551615, 2)", "(4, 6, 1000000000)"] {
                assert!(parse(&claiming(shape, descr)).is_err(), "{descr} {shape}");
                // Data that is not aligned takes the other way.
                let shifted = [&[0], &claiming(shape, descr)[..]].concat();
                assert!(parse(&shifted[1..]).is_err(), "{descr} {shape}");
            }
        }
        let deep = "(".repeat(60_000);
        assert!(parse(&[b"\x93NUMPY\x01\x00\xff\xff", deep.as_bytes()].concat()).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::testing::cases()))]
        #[test]
        fn damaged_arrays_are_refused_or_read(at in 0usize..512, byte: u8, keep in 0usize..600) {
            let mut bytes = Vec::new();
            plane().write_npy(&mut bytes).unwrap();
            let at = at % bytes.len();
            bytes[at] = byte;
            bytes.truncate(keep);
            let _ = parse(&bytes);
        }
    }
}
