use super::super::span::{Writer, ring};
use super::*;
use files::sigmf::{Recording as File, SIGMF_VERSION};

/// 16 microphones.
fn small() -> Meta {
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

/// A recorder for `length` spans of four rows into `name`, switched on.
fn start(name: &Path, length: usize) -> (Tape, Recorder, Arc<Switch>) {
    let switch = Arc::new(Switch::default());
    switch.set(true);
    let place = Place { name: name.into(), meta: small() };
    let (tape, recorder) = recorder(place, length, Policy::DropNewest, &switch);
    (tape, recorder, switch)
}

/// Four rows of an epoch, full of the number of the first.
fn span(writer: &mut Writer, epoch: u64, first: u64) -> Span {
    let mut span = writer.take(&|| false).unwrap();
    span.clear(epoch, first);
    span.room().fill(first as u8);
    span.advance(8);
    span
}

/// Sends spans of four rows with these epochs and first rows through a recorder into `name`.
fn record(name: &Path, spans: &[(u64, u64)]) -> Arc<Switch> {
    let (mut tape, recorder, switch) = start(name, spans.len());
    let (mut writer, _reader) = ring(spans.len(), 1, 8, Policy::DropNewest);
    for (epoch, first) in spans {
        assert!(tape.offer(span(&mut writer, *epoch, *first)).is_none());
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
fn a_gap_and_an_epoch_begin_another_recording() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("night");
    // Rows 8 and up to 11 went past; then the sensor restarts.
    let switch = record(&name, &[(0, 0), (0, 4), (0, 11), (1, 1)]);
    assert_eq!(rows(&name), [[0; 8], [4; 8]].concat());
    assert_eq!(rows(&folder.path().join("night-2")), [11; 8]);
    assert_eq!(rows(&folder.path().join("night-3")), [1; 8]);
    assert_eq!((switch.finished().len(), switch.state()), (3, Recording::Off));
}

/// What goes past is counted when it does, and the recorder takes nothing more until half of its ring is free.
#[test]
fn a_recorder_that_is_behind_counts_and_catches_up() {
    let folder = tempfile::tempdir().unwrap();
    let (mut tape, mut recorder, switch) = start(&folder.path().join("night"), 4);
    let (mut writer, mut reader) = ring(8, 1, 8, Policy::DropNewest);
    let mut refused = |tape: &mut Tape, first| {
        let left = tape.offer(span(&mut writer, 0, first));
        let was = left.is_some();
        left.into_iter().chain(tape.returned()).for_each(|span| reader.recycle(span));
        was
    };
    assert_eq!([0, 4, 8, 12, 16].map(|first| refused(&mut tape, first)), [false, false, false, false, true]);
    assert_eq!(switch.dropped.load(Ordering::Relaxed), 4);
    let one = recorder.from.pop().unwrap();
    recorder.take(&one).unwrap();
    assert!(refused(&mut tape, 20), "a quarter is free");
    let one = recorder.from.pop().unwrap();
    recorder.take(&one).unwrap();
    assert!(!refused(&mut tape, 24), "half is free");
    assert_eq!(switch.dropped.load(Ordering::Relaxed), 8);
    drop(tape);
    recorder.run();
    assert_eq!(rows(&folder.path().join("night")), [[0; 8], [4; 8], [8; 8], [12; 8]].concat());
    assert_eq!(rows(&folder.path().join("night-2")), [24; 8]);
}

/// All spans of a full ring, the recorder's own and one more come back though the stage looks only after all that.
#[test]
fn no_span_is_lost_on_its_way_back() {
    let folder = tempfile::tempdir().unwrap();
    let (mut tape, mut recorder, _) = start(&folder.path().join("night"), 1);
    let (mut writer, _reader) = ring(3, 0, 8, Policy::DropNewest);
    assert!(tape.offer(span(&mut writer, 0, 0)).is_none());
    let in_hand = recorder.from.pop().unwrap();
    assert!(tape.offer(span(&mut writer, 0, 4)).is_none());
    recorder.back.push(in_hand).unwrap();
    let in_hand = recorder.from.pop().unwrap();
    assert!(tape.offer(span(&mut writer, 0, 8)).is_none());
    recorder.back.push(in_hand).unwrap();
    let in_hand = recorder.from.pop().unwrap();
    recorder.back.push(in_hand).unwrap();
    assert_eq!(tape.returned().count(), 3);
}

/// A recording that cannot be closed ends recording: the span behind the seam begins no other.
#[test]
fn a_recording_that_cannot_be_closed_is_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let (mut tape, mut recorder, switch) = start(&inner.join("night"), 2);
    let (mut writer, _reader) = ring(2, 1, 8, Policy::DropNewest);
    recorder.take(&span(&mut writer, 0, 0)).unwrap();
    // The metadata cannot be replaced any more, and another recording could be begun.
    std::fs::rename(&inner, folder.path().join("moved")).unwrap();
    recorder.place.name = folder.path().join("other");
    assert!(tape.offer(span(&mut writer, 1, 0)).is_none());
    drop(tape);
    recorder.run();
    assert!(matches!(switch.state(), Recording::Failed { .. }) && !switch.is_on());
    assert!(!folder.path().join("other.sigmf-meta").exists());
}

/// A sensor that pauses: what came before can be read without an end of the recording.
#[test]
fn nothing_waits_in_memory_while_nothing_comes() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("night");
    let (mut tape, recorder, _) = start(&name, 2);
    let (mut writer, _reader) = ring(2, 1, 8, Policy::DropNewest);
    assert!(tape.offer(span(&mut writer, 0, 0)).is_none());
    let running = std::thread::spawn(move || recorder.run());
    let begin = std::time::Instant::now();
    while File::open(&name).map_or(0, |file| file.samples()) < 4 {
        assert!(begin.elapsed() < Duration::from_secs(20), "not flushed");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(File::open(&name).unwrap().meta().unfinished);
    drop(tape);
    running.join().unwrap();
}

#[test]
fn a_recorder_that_is_off_takes_nothing() {
    let (switch, folder) = (Arc::new(Switch::default()), tempfile::tempdir().unwrap());
    let place = Place { name: folder.path().join("night"), meta: small() };
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
    assert!(reason.contains("gone/night.sigmf-meta"), "{reason}");
    assert_eq!(switch.dropped.load(Ordering::Relaxed), 8, "both spans were to be recorded");
    assert!(switch.finished().is_empty());
}
