use super::names::pair;
use super::*;
use crate::Error;
use std::fs::{self, File};
use std::path::PathBuf;

impl Meta {
    /// 16 microphones, for tests.
    pub(crate) fn small() -> Self {
        Self { rows: 4, cols: 4, tile_side: 4, ..camera(0) }
    }
}

fn camera(first_valid: u64) -> Meta {
    Meta {
        version: SIGMF_VERSION.into(),
        sample_rate_hz: 1.5e6,
        rows: 32,
        cols: 32,
        tile_side: 8,
        pitch_m: 0.02,
        first_valid,
        description: None,
        unfinished: false,
    }
}

/// Rows whose bytes tell which they are.
fn rows(count: usize) -> Vec<u8> {
    (0..count * 128).map(|i| (i / 128 * 7 + i % 128) as u8).collect()
}

/// Writes `count` time samples as `NAME` in a new folder.
fn recorded(count: usize) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("scene.one");
    let mut writer = RecordingWriter::create(&path, camera(2)).unwrap();
    for block in rows(count).chunks(5 * 128) {
        writer.write_rows(block).unwrap();
    }
    assert_eq!(writer.samples(), count as u64);
    writer.finish().unwrap();
    (dir, path)
}

fn files(dir: &tempfile::TempDir) -> usize {
    fs::read_dir(dir.path()).unwrap().count()
}

#[test]
fn what_is_written_is_read_by_any_of_the_three_names() {
    let (dir, path) = recorded(37);
    assert_eq!(files(&dir), 2);
    for suffix in ["", ".sigmf-meta", ".sigmf-data"] {
        let name = dir.path().join(format!("scene.one{suffix}"));
        let mut recording = Recording::open(name).unwrap();
        assert_eq!(recording.meta(), &camera(2));
        assert_eq!((recording.samples(), recording.row_bytes()), (37, 128));
        let mut buf = vec![0; 37 * 128];
        assert_eq!(recording.read_rows(0, &mut buf).unwrap(), 37);
        assert_eq!(buf, rows(37));
    }
    assert_eq!(fs::read(path.with_file_name("scene.one.sigmf-data")).unwrap(), rows(37));
}

#[test]
fn rows_are_read_at_any_position_and_end_with_the_file() {
    let (_dir, path) = recorded(37);
    let mut recording = Recording::open(path).unwrap();
    // Ten rows and a bit: the bit is left alone.
    let mut buf = vec![0xee; 10 * 128 + 5];
    for start in [20, 3, 0, 27] {
        assert_eq!(recording.read_rows(start as u64, &mut buf).unwrap(), 10);
        assert_eq!(buf[..1280], rows(37)[start * 128..][..1280]);
        assert_eq!(buf[1280..], [0xee; 5]);
    }
    assert_eq!(recording.read_rows(30, &mut buf).unwrap(), 7);
    assert_eq!(recording.read_rows(37, &mut buf).unwrap(), 0);
    assert_eq!(recording.read_rows(u64::MAX, &mut buf).unwrap(), 0);
    assert_eq!(recording.read_rows(0, &mut buf[..127]).unwrap(), 0);
}

#[test]
fn a_cut_data_file_is_refused_with_its_position() {
    let (_dir, path) = recorded(37);
    let data = pair(&path).1;
    fs::OpenOptions::new().write(true).open(&data).unwrap().set_len(30 * 128 + 77).unwrap();
    match Recording::open(&path).unwrap_err() {
        Error::Truncated { path, bytes, row_bytes, at_sample } => {
            assert_eq!((path, bytes, row_bytes, at_sample), (data, 30 * 128 + 77, 128, 30));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_file_cut_while_it_is_read_is_an_error_with_its_position() {
    let (_dir, path) = recorded(37);
    let mut recording = Recording::open(&path).unwrap();
    let data = pair(&path).1;
    fs::OpenOptions::new().write(true).open(&data).unwrap().set_len(12 * 128 + 1).unwrap();
    let mut buf = vec![0; 10 * 128];
    assert_eq!(recording.read_rows(2, &mut buf).unwrap(), 10);
    for start in [3, 12, 20] {
        match recording.read_rows(start, &mut buf).unwrap_err() {
            Error::Shrunk { path, expected, found_at, at_sample } => {
                assert_eq!((&path, expected, found_at, at_sample), (&data, 37 * 128, 12 * 128 + 1, 12));
            }
            other => panic!("{other}"),
        }
    }
}

#[cfg(unix)]
#[test]
fn a_removed_file_reads_to_its_end_and_opens_no_more() {
    let (_dir, path) = recorded(37);
    let mut recording = Recording::open(&path).unwrap();
    fs::remove_file(pair(&path).1).unwrap();
    let mut buf = vec![0; 37 * 128];
    assert_eq!(recording.read_rows(0, &mut buf).unwrap(), 37);
    assert_eq!(buf, rows(37));
    let error = Recording::open(&path).unwrap_err();
    assert!(matches!(&error, Error::NotFound(named) if *named == pair(&path).1), "{error}");
    fs::remove_file(pair(&path).0).unwrap();
    let error = Recording::open(&path).unwrap_err();
    assert!(matches!(&error, Error::NotFound(named) if *named == pair(&path).0), "{error}");
}

#[test]
fn more_history_than_samples_is_refused() {
    let (_dir, path) = recorded(37);
    let meta = pair(&path).0;
    fs::write(&meta, camera(38).to_json()).unwrap();
    let error = Recording::open(&path).unwrap_err();
    assert!(matches!(&error, Error::BadField { field: "nearfield:first_valid", .. }), "{error}");
    fs::write(&meta, camera(37).to_json()).unwrap();
    assert_eq!(Recording::open(&path).unwrap().samples(), 37);
}

#[test]
fn a_huge_metadata_file_is_refused_unread() {
    let (_dir, path) = recorded(1);
    let meta = pair(&path).0;
    fs::OpenOptions::new().write(true).open(&meta).unwrap().set_len(1 << 40).unwrap();
    assert!(matches!(Recording::open(&path), Err(Error::TooLarge { bytes, .. }) if bytes == 1 << 40));
}

#[test]
fn a_folder_in_place_of_a_file_is_refused() {
    let (_dir, path) = recorded(1);
    let data = pair(&path).1;
    fs::remove_file(&data).unwrap();
    fs::create_dir(&data).unwrap();
    assert!(matches!(Recording::open(&path), Err(Error::NotAFile(named)) if named == data));
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_an_error_that_names_it() {
    use std::os::unix::fs::PermissionsExt;
    let (_dir, path) = recorded(3);
    let data = pair(&path).1;
    fs::set_permissions(&data, fs::Permissions::from_mode(0o000)).unwrap();
    match Recording::open(&path) {
        Err(Error::Read { path: named, offset: 0, .. }) => assert_eq!(named, data),
        Err(other) => panic!("{other}"),
        // The superuser may read anything.
        Ok(recording) => assert!(File::open(&data).is_ok() && recording.samples() == 3),
    }
}

#[test]
fn an_abandoned_recording_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("scene");
    let mut writer = RecordingWriter::create(&path, camera(0)).unwrap();
    writer.write_rows(&rows(1000)).unwrap();
    drop(writer);
    assert_eq!(files(&dir), 0);
    let mut unfit = camera(0);
    unfit.tile_side = 5;
    assert!(matches!(RecordingWriter::create(&path, unfit), Err(Error::BadField { .. })));
    assert_eq!(files(&dir), 0);
}

#[test]
fn part_of_a_time_sample_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = RecordingWriter::create(dir.path().join("scene"), camera(0)).unwrap();
    writer.write_rows(&rows(4)).unwrap();
    let error = writer.write_rows(&rows(4)[..200]).unwrap_err();
    assert!(matches!(error, Error::PartialSample { len: 200, per_sample: 128, at_sample: 4, .. }), "{error}");
    writer.write_rows(&rows(1)).unwrap();
    writer.finish().unwrap();
    assert_eq!(Recording::open(dir.path().join("scene")).unwrap().samples(), 5);
}

#[test]
fn a_recording_stopped_within_its_history_opens() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("scene");
    let mut writer = RecordingWriter::create(&path, camera(4096)).unwrap();
    writer.write_rows(&rows(10)).unwrap();
    writer.finish().unwrap();
    assert_eq!(Recording::open(&path).unwrap().meta().first_valid, 10);
}
