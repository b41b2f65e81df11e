use super::super::span::{Policy, Reader, ring};
use super::*;
use dsp_core::frame::{HEADER_LEN, Header};
use std::time::Duration;

/// 16 channels: rows of two bytes, padded to four in frames.
const SHAPE: Shape = Shape { layout: LAYOUT, pace_hz: 1e3, longest_gap: 40 };
const LAYOUT: TileLayout = match TileLayout::new(4, 4, 4) {
    Ok(layout) => layout,
    Err(_) => panic!("a layout"),
};

fn intake(spans: usize) -> (Intake, Reader) {
    let (writer, reader) = ring(spans, 1, 2 * 8, Policy::DropNewest);
    let stop = Arc::default();
    (Intake::new(SHAPE, writer, Clock::start(), Arc::default(), stop), reader)
}

/// Four rows whose bytes are the row's index.
fn frame(sequence: u32, first_sample: u64) -> Vec<u8> {
    stamped(sequence, first_sample, 0)
}

fn stamped(sequence: u32, first_sample: u64, timestamp_ns: u64) -> Vec<u8> {
    let (layout, stride) = (0, 1);
    let header =
        Header { kind: Kind::Bits, layout, channels: 16, stride, sequence, first_sample, timestamp_ns };
    let payload: Vec<u8> = (first_sample..first_sample + 4).flat_map(|i| [i as u8, i as u8, 0, 0]).collect();
    let mut bytes = vec![0; HEADER_LEN + 16];
    header.encode(&payload, &mut bytes).unwrap();
    bytes
}

fn spans(reader: &mut Reader) -> Vec<Span> {
    std::iter::from_fn(|| reader.next(Duration::ZERO)).collect()
}

#[test]
fn rows_lose_their_padding_and_fill_spans() {
    let (mut intake, mut reader) = intake(8);
    for i in 0..5 {
        intake.datagram(&frame(i, 100 + 4 * u64::from(i)), 1.0);
    }
    intake.finish();
    let spans = spans(&mut reader);
    let firsts: Vec<u64> = spans.iter().map(|s| s.first).collect();
    assert_eq!(firsts, [100, 108, 116]);
    let rows: Vec<u8> = spans.iter().flat_map(|s| s.rows().to_vec()).collect();
    assert_eq!(rows, (100..120).flat_map(|i| [i, i]).collect::<Vec<u8>>());
    assert!(spans.iter().all(|s| s.epoch == 0 && s.filled == 0));
    assert_eq!((spans[0].clean, spans[2].clean), (8, 4));
    assert!(reader.is_done());
}

#[test]
fn short_gaps_are_filled_and_long_ones_begin_an_epoch() {
    let (mut intake, mut reader) = intake(8);
    let tally = intake.tally.clone();
    intake.datagram(&frame(0, 0), 1.0);
    intake.datagram(&frame(2, 8), 1.0);
    intake.datagram(&frame(20, 80), 1.0);
    intake.finish();
    let spans = spans(&mut reader);
    let told: Vec<_> = spans.iter().map(|s| (s.epoch, s.first, s.filled, s.clean)).collect();
    assert_eq!(told, [(0, 0, 4, 0), (0, 8, 0, 4), (1, 80, 0, 4)]);
    // Ones and zeros in turn.
    assert_eq!(spans[0].rows()[8..], [0xff, 0xff, 0, 0, 0xff, 0xff, 0, 0]);
    assert_eq!(tally.filled.load(Ordering::Relaxed), 4);
    assert_eq!(tally.long_gaps.load(Ordering::Relaxed), 1);
    assert_eq!(tally.counters().lost_samples, 4 + 68);
}

#[test]
fn rows_without_a_span_are_dropped_counted_and_filled_later() {
    let (mut intake, mut reader) = intake(1);
    let dropped = intake.writer.dropped.clone();
    for i in 0..4 {
        intake.datagram(&frame(i, 4 * u64::from(i)), 1.0);
    }
    assert_eq!(dropped.load(Ordering::Relaxed), 8);
    let first = reader.next(Duration::ZERO).unwrap();
    reader.recycle(first);
    // Of the 8 dropped rows all fit the span that is free now; this frame finds none again.
    intake.datagram(&frame(4, 16), 1.0);
    let span = reader.next(Duration::ZERO).unwrap();
    assert_eq!((span.first, span.filled, span.rows().len()), (8, 8, 16));
    assert_eq!(dropped.load(Ordering::Relaxed), 12);
    assert_eq!(intake.tally.counters(), Counters::default(), "counters are shown once a batch");
    intake.publish();
    assert_eq!(intake.tally.counters().samples, 20);
}

#[test]
fn a_restart_begins_an_epoch_and_claims_no_gap() {
    let (mut intake, mut reader) = intake(8);
    intake.datagram(&frame(9, signal::ingest::RESTART + 10), 1.0);
    intake.datagram(&frame(0, 0), 1.0);
    intake.finish();
    let told: Vec<_> = spans(&mut reader).iter().map(|s| (s.epoch, s.first, s.filled)).collect();
    assert_eq!(told, [(0, signal::ingest::RESTART + 10, 0), (1, 0, 0)]);
}

#[test]
fn rows_of_a_file_that_found_no_span_become_a_hole() {
    let (mut intake, mut reader) = intake(1);
    let rows = |first: u8| (first..first + 8).flat_map(|i| [i, i]).collect::<Vec<u8>>();
    // The first fills the ring, the second finds no room.
    intake.rows(&rows(0), true);
    intake.rows(&rows(8), true);
    let first = spans(&mut reader).remove(0);
    reader.recycle(first);
    intake.rows(&rows(16), true);
    let filled = spans(&mut reader).remove(0);
    assert_eq!((filled.epoch, filled.first, filled.filled, filled.clean), (0, 8, 8, 0));
    reader.recycle(filled);
    // The third had none either: its place is filled when there is room again.
    intake.rows(&rows(24), true);
    assert_eq!(spans(&mut reader).iter().map(|s| (s.first, s.filled)).collect::<Vec<_>>(), [(16, 8)]);
}

/// Rows of 1 ms: frames of four, spans of eight. What a frame's own stamp says changes nothing.
#[test]
fn rows_are_dated_by_the_sensors_counter_at_the_pace() {
    for stamp in [|_| 0, |i| 4_000_000 * i, |i| u64::MAX - i, |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)]
    {
        let (mut intake, mut reader) = intake(64);
        for i in 0..40u32 {
            // The last row of frame i is taken at 4 (i + 1) ms; the way takes 2 ms, that of every third frame 5 ms.
            let way = if i % 3 == 2 { 5.0 } else { 2.0 };
            let arrived = 1e-3 * (4.0 * f64::from(i + 1) + way);
            intake.datagram(&stamped(i, 4 * u64::from(i), stamp(u64::from(i))), arrived);
        }
        intake.finish();
        for (span, end) in spans(&mut reader).iter().zip((8..).step_by(8)) {
            let (found, expected) = (span.taken, 1e-3 * (f64::from(end) + 2.0));
            // What the estimate may drift in 0.16 s.
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
    }
}

#[test]
fn filled_rows_are_dated_before_the_frame_behind_them() {
    let (mut intake, mut reader) = intake(64);
    intake.datagram(&frame(0, 0), 0.004);
    intake.datagram(&frame(8, 32), 0.036);
    intake.finish();
    let told: Vec<_> = spans(&mut reader).iter().map(|s| (s.first, s.filled, s.taken)).collect();
    for ((first, filled, taken), expected) in
        told.into_iter().zip([(0, 4, 0.008), (8, 8, 0.016), (16, 8, 0.024), (24, 8, 0.032), (32, 0, 0.036)])
    {
        assert_eq!((first, filled), (expected.0, expected.1));
        assert!((taken - expected.2).abs() < 1e-4, "{taken} {}", expected.2);
    }
}

#[test]
fn one_stall_is_one_gap_however_long() {
    let (mut intake, mut reader) = intake(1);
    // The first two fill the ring; the others find no room, for far longer than a window.
    for i in 0..100 {
        intake.datagram(&frame(i, 4 * u64::from(i)), 1.0);
    }
    let first = spans(&mut reader).remove(0);
    reader.recycle(first);
    for i in 100..102 {
        intake.datagram(&frame(i, 4 * u64::from(i)), 1.0);
    }
    let span = spans(&mut reader).remove(0);
    assert_eq!((span.epoch, span.first, span.filled), (1, 400, 0));
    assert_eq!(intake.tally.long_gaps.load(Ordering::Relaxed), 1);
}

#[test]
fn rows_that_a_recorder_filled_stay_filled() {
    let (mut intake, mut reader) = intake(8);
    intake.rows(&[1; 2 * 10], true);
    intake.rows(&[2; 2 * 3], false);
    intake.rows(&[3; 2 * 11], true);
    let told: Vec<_> = spans(&mut reader).iter().map(|s| (s.first, s.filled, s.clean)).collect();
    assert_eq!(told, [(0, 0, 8), (8, 3, 3), (16, 0, 8)]);
    assert_eq!(intake.tally.filled.load(Ordering::Relaxed), 3);
}
