use super::super::span::ring;
use super::*;
use crate::io::sigmf::{Recording as File, SIGMF_VERSION};

fn meta() -> Meta {
    Meta {
        version: SIGMF_VERSION.into(),
        sample_rate_hz: 1.5e6,
        rows: 4,
        cols: 4,
        tile_side: 4,
        pitch_m: 0.02,
        first_valid: 0,
        description: None,
        unfinished: false,
    }
}

/// Sends spans of four rows with these epochs and first rows through a recorder into `name`.
fn record(name: &Path, spans: &[(u64, u64)]) -> Arc<Switch> {
    let switch = Arc::new(Switch::default());
    switch.set(true);
    let place = Place { name: name.into(), meta: meta() };
    let (mut tape, recorder) = recorder(place, spans.len(), Policy::DropNewest, &switch);
    let (mut writer, _reader) = ring(spans.len(), 1, 8, Policy::DropNewest);
    for (epoch, first) in spans {
        let mut span = writer.take(&|| false).unwrap();
        span.clear(*epoch, *first);
        span.room().fill(*first as u8);
        span.advance(8);
        assert!(tape.offer(span).is_none());
    }
    drop(tape);
    recorder.run();
    switch
}

fn rows(name: &Path) -> Vec<u8> {
    let mut file = File::open(name).unwrap();
    assert!(!file.meta().unfinished);
    let mut rows = vec![0; 2 * file.samples() as usize];
    file.read_rows(0, &mut rows).unwrap();
    rows
}

#[test]
fn rows_that_went_past_are_idle_and_an_epoch_begins_another_recording() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("night");
    // Rows 4 and up to 7 went past; then the sensor restarts.
    let switch = record(&name, &[(0, 0), (0, 7), (1, 1)]);
    let expected = [[0; 8].as_slice(), &[0xff, 0xff, 0, 0, 0xff, 0xff], &[7; 8]].concat();
    assert_eq!(rows(&name), expected);
    assert_eq!(rows(&folder.path().join("night-2")), [1; 8]);
    assert_eq!(switch.dropped.load(Ordering::Relaxed), 3);
    assert_eq!((switch.finished().len(), switch.state()), (2, Recording::Off));
}

#[test]
fn a_recorder_that_is_off_takes_nothing() {
    let (switch, folder) = (Arc::new(Switch::default()), tempfile::tempdir().unwrap());
    let place = Place { name: folder.path().join("night"), meta: meta() };
    let (mut tape, recorder) = recorder(place, 1, Policy::DropNewest, &switch);
    let (mut writer, _reader) = ring(1, 1, 8, Policy::DropNewest);
    let span = writer.take(&|| false).unwrap();
    assert!(tape.offer(span).is_some());
    drop(tape);
    recorder.run();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A folder that is gone stands for a disk that refuses: the recorder stops, says why, and gives its spans back.
#[test]
fn a_disk_that_refuses_stops_the_recording_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let switch = record(&folder.path().join("gone/night"), &[(0, 0), (0, 4)]);
    assert!(!switch.is_on());
    let Recording::Failed { reason } = switch.state() else { panic!("{:?}", switch.state()) };
    assert!(reason.contains("gone/night.sigmf-data"), "{reason}");
    assert!(switch.finished().is_empty());
}
