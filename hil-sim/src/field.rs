//! A field that another solver computed: the complex pressure at every microphone, from NumPy files.
//!
//! The array has the shape (rows, cols) of the microphones, `[y][x]`, or one more axis in front of which one
//! index is taken; complex of 64 or 128 bits, either byte order, C or Fortran order. It is the peak value in
//! pascal with the time factor exp(+jwt), in the plane of the microphones. A field of the other sign
//! convention is the complex conjugate.
//!
//! Files up to [`MAX_BYTES`] are read, and an archive's entry may take that much when unpacked.

use std::path::Path;

use files::npz;
use num_complex::Complex;

use crate::Error;
use crate::limited::open_limited;

/// Largest file, and largest entry of an archive: 4 million values.
pub const MAX_BYTES: u64 = 64 << 20;

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
        open_limited(path, MAX_BYTES)?;
        let name = match (path.extension().is_some_and(|e| e == "npz"), entry) {
            (true, Some(entry)) => Some(entry.to_owned()),
            (true, None) => Some(only_array(path)?),
            (false, None) => None,
            (false, Some(entry)) => {
                let message = format!("array = {entry:?} chooses in an .npz file, and this is none");
                return Err(bad(message));
            }
        };
        let (values, shape) = npz::read_complex_within(path, name.as_deref(), MAX_BYTES)?;
        let (plane, [y, x]) = choose(&shape, index).map_err(bad)?;
        if [y, x] != [rows, cols] {
            let message = format!("the field has {y} x {x} values, the array {rows} x {cols} microphones");
            return Err(bad(message));
        }
        let values = &values[plane * rows * cols..][..rows * cols];
        let pressure: Vec<_> = values.iter().map(|p| p * scale).collect();
        if pressure.iter().any(|p| !(p.re.is_finite() && p.im.is_finite())) {
            return Err(bad("the field has a value that is no number".into()));
        }
        Ok(Self { frequency_hz, pressure })
    }
}

/// The name of the only array of an archive.
fn only_array(path: &Path) -> Result<String, Error> {
    let mut names = npz::names(path)?;
    match (names.pop(), names.is_empty()) {
        (Some(name), true) => Ok(name),
        (last, _) => {
            names.extend(last);
            let message = format!("say which array: array = one of {}", names.join(", "));
            Err(Error::File { path: path.into(), message })
        }
    }
}

/// Which plane of an array of this shape is meant, and its sides.
fn choose(shape: &[usize], index: Option<usize>) -> Result<(usize, [usize; 2]), String> {
    match (shape, index) {
        (&[y, x], None) | (&[1, y, x], None) => Ok((0, [y, x])),
        (&[planes, y, x], Some(i)) if i < planes => Ok((i, [y, x])),
        (&[planes, _, _], Some(i)) => Err(format!("index {i}, but there are {planes} planes")),
        (&[planes, _, _], None) => Err(format!("{planes} planes: say which with index")),
        (_, Some(_)) => Err(format!("an index needs three axes, and there are {}", shape.len())),
        (_, None) => Err(format!("{} axes, where [y][x] is expected", shape.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, Array3};
    use ndarray_npy::{NpzWriter, WriteNpyExt, write_npy};
    use proptest::prelude::*;
    use std::fs::File;

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

    /// A field from the bytes of a file.
    fn parse(path: &Path, bytes: &[u8]) -> Result<Field, String> {
        std::fs::write(path, bytes).unwrap();
        read(path, None, None)
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
        let dir = tempfile::tempdir().unwrap();
        let parse = |bytes: &[u8]| parse(&dir.path().join("a.npy"), bytes);
        for descr in ["<c16", ">c16"] {
            assert!(parse(&claiming("(4, 6)", descr)).is_ok(), "{descr}");
            for shape in ["(99999999999, 6)", "(4, 7)", "(18446744073709551615, 2)", "(4, 6, 1000000000)"] {
                assert!(parse(&claiming(shape, descr)).is_err(), "{descr} {shape}");
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
            let file = tempfile::Builder::new().suffix(".npy").tempfile().unwrap();
            let _ = parse(file.path(), &bytes);
        }
    }
}
