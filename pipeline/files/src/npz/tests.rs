use std::io::Cursor;

use ndarray::{Array1, Array2, Array3, ShapeBuilder};
use ndarray_npy::NpzWriter;

use super::*;
use numerics::failure::Failure as _;

fn field(count: usize) -> Vec<Complex<f64>> {
    (0..count).map(|i| Complex::from_polar(1.0 / (1.0 + i as f64), 0.7 * i as f64)).collect()
}

/// Reproducible numbers below `limit` (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    /// One to four changes: a byte, a number that is too large, a cut, or a piece that stands twice.
    fn mutate(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len().max(1)).min(bytes.len());
            match self.below(6) {
                0 => bytes.truncate(at),
                1 => bytes.splice(at..at, bytes[at / 2..at].to_vec()).for_each(drop),
                2 => bytes.iter_mut().skip(at).take(4).for_each(|byte| *byte = 0xFF),
                3 => bytes.iter_mut().skip(at).take(2).for_each(|byte| *byte = b'9'),
                _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = self.below(256) as u8),
            }
        }
        bytes
    }
}

/// A compressed archive of two arrays.
fn deflated() -> Vec<u8> {
    let mut zip = NpzWriter::new_compressed(Cursor::new(Vec::new()));
    let source = Array3::from_shape_vec((2, 3, 4), field(24)).unwrap();
    zip.add_array("source", &source).unwrap();
    zip.add_array("bin", &Array1::from_iter(0i64..50)).unwrap();
    zip.finish().unwrap().into_inner()
}

/// An archive of one array as it is in memory.
fn stored() -> Vec<u8> {
    let mut zip = NpzWriter::new(Cursor::new(Vec::new()));
    zip.add_array("source", &Array2::from_shape_vec((4, 6), field(24)).unwrap()).unwrap();
    zip.finish().unwrap().into_inner()
}

/// Where `mark` is in an archive, the first time and the last.
fn places(archive: &[u8], mark: &[u8]) -> (usize, usize) {
    let mut windows = archive.windows(mark.len());
    let first = windows.clone().position(|w| w == mark);
    (first.unwrap(), windows.rposition(|w| w == mark).unwrap())
}

/// The archive with other bytes at some place of the last record of its directory. Places: flags 8, method 10,
/// CRC-32 16, packed size 20, size 24, offset of the entry 42.
fn with_record(mut archive: Vec<u8>, place: usize, bytes: &[u8]) -> Vec<u8> {
    let at = places(&archive, b"PK\x01\x02").1 + place;
    archive[at..at + bytes.len()].copy_from_slice(bytes);
    archive
}

fn complex(archive: &[u8], name: &str) -> Result<(Vec<Complex<f64>>, Vec<usize>), Error> {
    let path = Path::new("a.npz");
    read(Cursor::new(archive), path, name)?.complex().map_err(|reason| bad(path, name, reason))
}

/// An NPY file with this dictionary.
fn npy(dictionary: &str, numbers: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((dictionary.len() as u16).to_le_bytes());
    bytes.extend(dictionary.bytes());
    bytes.extend(numbers);
    bytes
}

#[test]
fn arrays_come_back_as_they_were() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.npz");
    let singles: Vec<Complex<f32>> =
        field(12).iter().map(|v| Complex::new(v.re as f32, v.im as f32)).collect();
    NpzFile::create(&path)
        .and_then(|file| file.add("source", &[2, 3, 4], &field(24)))
        .and_then(|file| file.add("measured", &[3, 4], &singles))
        .and_then(|file| file.add("cutoff", &[2], &[50.0, 1e-300]))
        .and_then(|file| file.add("bin", &[3], &[i64::MIN, -1, 7]))
        .and_then(|file| file.add("one", &[], &[0.25f32]))
        .and_then(|file| file.add("none", &[0, 5], &[0.0f64; 0]))
        .and_then(NpzFile::finish)
        .unwrap();
    assert_eq!(names(&path).unwrap(), ["source", "measured", "cutoff", "bin", "one", "none"]);
    assert_eq!(read_complex(&path, "source").unwrap(), (field(24), vec![2, 3, 4]));
    let (measured, shape) = read_complex(&path, "measured").unwrap();
    assert_eq!(shape, [3, 4]);
    assert!(measured.iter().zip(&singles).all(|(m, s)| (m.re, m.im) == (s.re.into(), s.im.into())));
    assert_eq!(read_real(&path, "cutoff").unwrap(), (vec![50.0, 1e-300], vec![2]));
    assert_eq!(read_real(&path, "bin").unwrap().0, [i64::MIN as f64, -1.0, 7.0]);
    assert_eq!(read_real(&path, "one").unwrap(), (vec![0.25], vec![]));
    assert_eq!(read_real(&path, "none").unwrap(), (vec![], vec![0, 5]));
    let mut other = ndarray_npy::NpzReader::new(File::open(&path).unwrap()).unwrap();
    let source: Array3<Complex<f64>> = other.by_name("source").unwrap();
    assert_eq!((source.dim(), source.into_raw_vec_and_offset().0), ((2, 3, 4), field(24)));
}

#[test]
fn an_archive_that_is_not_finished_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.npz");
    let file = NpzFile::create(&path).unwrap().add("x", &[2], &[1.0, 2.0]).unwrap();
    let Err(error) = file.add("y", &[2, 2], &[1.0; 3]) else { panic!("3 values are no 2 x 2") };
    assert!(matches!(&error, Error::Shape { shape, values: 3, .. } if shape == &[2, 2]), "{error}");
    assert!(NpzFile::create(&path).unwrap().add("y", &[usize::MAX, 2], &[1.0; 3]).is_err());
    assert!(NpzFile::create(&path).unwrap().add("y", &[1], &[1.0; 3]).is_err());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn arrays_smaller_and_larger_than_their_archive() {
    let mut random = Random(1);
    let noise: Vec<u8> = (0..300_000).map(|_| random.below(256) as u8).collect();
    for bytes in [vec![], vec![7], vec![0; 1_000_000], noise] {
        let mut zip = NpzWriter::new_compressed(Cursor::new(Vec::new()));
        zip.add_array("x", &Array1::from_vec(bytes.clone())).unwrap();
        let archive = zip.finish().unwrap().into_inner();
        let (found, _) = read(Cursor::new(&archive), Path::new("a.npz"), "x").unwrap().real().unwrap();
        assert!(found.iter().map(|&v| v as u8).eq(bytes.iter().copied()), "{} bytes", bytes.len());
    }
}

#[test]
fn fortran_order_becomes_c_order() {
    let by_columns = Array3::from_shape_fn((2, 3, 4).f(), |(i, j, k)| (100 * i + 10 * j + k) as f64);
    let mut zip = NpzWriter::new(Cursor::new(Vec::new()));
    zip.add_array("x", &by_columns).unwrap();
    let archive = zip.finish().unwrap().into_inner();
    assert!(archive.windows(4).any(|w| w == b"True"), "the array is not in Fortran order");
    let (values, shape) = read(Cursor::new(&archive), Path::new("a.npz"), "x").unwrap().real().unwrap();
    assert_eq!(shape, [2, 3, 4]);
    let expected = (0..2).flat_map(|i| (0..3).flat_map(move |j| (0..4).map(move |k| 100 * i + 10 * j + k)));
    assert!(values.into_iter().eq(expected.map(f64::from)));
}

#[test]
fn number_types_and_byte_orders() {
    let real = |descr: &str, numbers: &[u8]| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (1,), }}\n");
        Array::parse(npy(&header, numbers)).and_then(Array::real).map(|(values, _)| values[0])
    };
    assert_eq!(real("<f4", &1.5f32.to_le_bytes()), Ok(1.5));
    assert_eq!(real(">f4", &1.5f32.to_be_bytes()), Ok(1.5));
    assert_eq!(real(">f8", &(-0.1f64).to_be_bytes()), Ok(-0.1));
    assert_eq!(real("|i1", &[0x80]), Ok(-128.0));
    assert_eq!(real("|u1", &[0x80]), Ok(128.0));
    assert_eq!(real(">i2", &(-2i16).to_be_bytes()), Ok(-2.0));
    assert_eq!(real("<i4", &i32::MIN.to_le_bytes()), Ok(f64::from(i32::MIN)));
    assert_eq!(real("<u8", &u64::MAX.to_le_bytes()), Ok(u64::MAX as f64));
    for (descr, size) in [("<f2", 2), ("<U1", 4), ("|O", 8), ("=f8", 8), ("<f16", 16), ("\u{e9}f4", 4)] {
        assert!(real(descr, &vec![0; size]).unwrap_err().contains("numbers are"), "{descr}");
    }
    let big: Vec<u8> = [1.0f64, -2.0].iter().flat_map(|v| v.to_be_bytes()).collect();
    let header = "{\"shape\" : (1L,), \"descr\":\">c16\",'fortran_order':True}";
    let (values, _) = Array::parse(npy(header, &big)).unwrap().complex().unwrap();
    assert_eq!(values, [Complex::new(1.0, -2.0)]);
}

#[test]
fn lies_about_the_shape_are_refused_before_memory_is_taken() {
    for shape in [
        "(1125899906842624,)",
        "(4294967296, 4294967296, 16)",
        "(3,)",
        "(-1,)",
        "(1.5,)",
        "((1,),)",
        "(1",
        "1",
    ] {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
        assert!(Array::parse(npy(&header, &[0; 8])).is_err(), "{shape}");
    }
    let nested = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {}", "(".repeat(60_000));
    assert!(Array::parse(npy(&nested, &[0; 8])).is_err());
    // No values, but 2^62 places of them.
    let header = "{'descr': '<f8', 'fortran_order': True, 'shape': (1073741824, 4294967296, 0)}";
    assert_eq!(Array::parse(npy(header, &[])).map_or(0, |a| a.real().unwrap().0.len()), 0);
    assert!(Array::parse(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{".to_vec()).is_err());
}

#[test]
fn lies_of_the_directory_are_refused() {
    let reason = |archive: &[u8]| match complex(archive, "source").unwrap_err() {
        Error::Archive { reason, .. } => reason,
        other => panic!("{other}"),
    };
    let valid = stored();
    let end = places(&valid, b"PK\x01\x02").0;
    // A gigabyte where there are some hundred bytes, a byte too many and a byte too few: the array is all that
    // is before the directory but a header of 30 bytes and a name of 10.
    for size in [1 << 30, end - 39, end - 41] {
        let archive = with_record(valid.clone(), 24, &(size as u32).to_le_bytes());
        assert_eq!(reason(&archive), "an array has another size than the directory says");
    }
    let archive = with_record(valid.clone(), 24, &u32::MAX.to_le_bytes());
    assert!(matches!(complex(&archive, "source"), Err(Error::TooLarge { bytes: 0xFFFF_FFFF, .. })));
    let checksum = "an array's checksum is wrong; copy the file again";
    assert_eq!(reason(&with_record(valid.clone(), 16, &[0; 4])), checksum);
    let mut archive = valid.clone();
    archive[end - 1] ^= 1;
    assert_eq!(reason(&archive), checksum, "a bit of the last number");
    // Unpacking stops at the size claimed: it does not come to the damage.
    let archive = with_record(archive, 24, &100u32.to_le_bytes());
    assert_eq!(reason(&archive), "an array has another size than the directory says");
    assert_eq!(reason(&with_record(valid.clone(), 8, &[1])), "the array is encrypted");
    assert_eq!(reason(&with_record(valid.clone(), 10, &[12])), "a compression other than deflate");
    assert_eq!(reason(&with_record(valid, 42, &[1])), "no array where the directory has one");
    let mut archive = deflated();
    let stream = places(&archive, b"source.npy").0 + 10;
    // The last block, of a kind that deflate does not have.
    archive[stream] = 0b111;
    assert_eq!(reason(&archive), "damaged bytes; copy the file again");
}

#[test]
fn refusals_say_what_is_wrong() {
    let archive = deflated();
    let text = |result: Result<_, Error>| result.map(|_: (Vec<Complex<f64>>, _)| ()).unwrap_err().to_string();
    assert_eq!(text(complex(&archive, "p0")), "a.npz: no array \"p0\"; it holds: source, bin");
    assert!(text(complex(&archive, "bin")).contains("it is real where complex numbers are needed"));
    let path = Path::new("a.npz");
    let real = read(Cursor::new(&archive), path, "source").unwrap().real();
    assert_eq!(real.unwrap_err(), "it is complex where real numbers are needed");
    for length in 0..archive.len() {
        let error = complex(&archive[..length], "source").unwrap_err();
        assert!(matches!(error, Error::Archive { .. }) && error.is_input(), "{length}: {error}");
    }
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(read_real(dir.path(), "x"), Err(Error::NotAFile(..))));
    assert!(matches!(read_real(dir.path().join("no.npz"), "x"), Err(Error::Read { .. })));
}

#[test]
fn mutated_archives_are_errors_or_the_same_field() {
    let (stored, packed) = (stored(), deflated());
    let mut random = Random(2);
    let mut survived = 0;
    for _ in 0..20_000 {
        for valid in [&stored, &packed] {
            if let Ok((values, _)) = complex(&random.mutate(valid), "source") {
                // The checksum covers the numbers: what is still read is right.
                assert_eq!(values, field(24));
                survived += 1;
            }
        }
    }
    assert!((1000..39_000).contains(&survived), "{survived}: the mutations are too mild or too wild");
}

#[test]
fn mutated_streams_are_errors_or_the_same_field() {
    let valid = deflated();
    // From the first local header to the second: 30 bytes, the name, and the compressed array.
    let stream = places(&valid, b"source.npy").0 + 10..places(&valid, b"PK\x03\x04").1;
    let (mut random, mut survived) = (Random(3), 0);
    for _ in 0..20_000 {
        // The directory stays as it is: every one of these is unpacked.
        let mut mutated = random.mutate(&valid[stream.clone()]);
        mutated.resize(stream.len(), 0);
        let mut archive = valid.clone();
        archive[stream.clone()].copy_from_slice(&mutated);
        match complex(&archive, "source") {
            Ok((values, _)) => {
                assert_eq!(values, field(24));
                survived += 1;
            }
            Err(error) => assert!(matches!(error, Error::Archive { .. }), "{error}"),
        }
    }
    assert!(survived < 2000, "{survived}: the mutations are too mild");
}

#[test]
fn mutated_arrays_never_panic() {
    let header = "{'descr': '<c16', 'fortran_order': True, 'shape': (2, 2), }\n";
    let array = npy(header, &[0x3F; 64]);
    let (mut random, mut read) = (Random(4), 0);
    for _ in 0..20_000 {
        // No checksum here: these reach the parser.
        if let Ok(array) = Array::parse(random.mutate(&array)) {
            read += 1;
            let _ = array.complex();
        }
    }
    assert!(read > 1000, "{read}");
}
