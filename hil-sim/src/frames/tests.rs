//! Frames against the rows they carry.

use super::*;
use crate::{Array, Scene, Settings};
use dsp_core::frame::Frame;

/// 8232 bytes for the camera, one jumbo frame.
const DEFAULT_SAMPLES: usize = 64;

fn simulator(array: &Array) -> Simulator {
    Simulator::new(&Scene::named("monopole").unwrap(), array, &Settings::default()).unwrap()
}

#[test]
fn frames_carry_the_rows_and_their_counters() {
    let mut expected = vec![0; 3 * DEFAULT_SAMPLES * 128];
    simulator(&Array::CAMERA).fill(&mut expected);
    let mut source = FrameSource::new(simulator(&Array::CAMERA), DEFAULT_SAMPLES).unwrap();
    let mut buf = vec![0; 10_000];
    for (sequence, rows) in (0..).zip(expected.chunks_exact(DEFAULT_SAMPLES * 128)) {
        let len = source.next_frame(&mut buf);
        assert_eq!(len, 8232);
        let frame = Frame::decode_datagram(&buf[..len]).unwrap();
        assert!(frame.payload == rows);
        let header = Header {
            kind: Kind::Bits,
            layout: LAYOUT_CAMERA,
            channels: 1024,
            stride: 1,
            sequence,
            first_sample: 64 * u64::from(sequence),
            // 64 samples at 1.5 MHz are 42666.67 ns.
            timestamp_ns: [0, 42_667, 85_333][sequence as usize],
        };
        assert_eq!(frame.header, header);
    }
}

#[test]
fn rows_are_padded_to_words() {
    let array = Array { layout: TileLayout::new(2, 20, 2).unwrap(), ..Array::CAMERA };
    let mut expected = vec![0; 3 * 5];
    simulator(&array).fill(&mut expected);
    let mut source = FrameSource::new(simulator(&array), 3).unwrap();
    let mut buf = [0; 64];
    let len = source.next_frame(&mut buf);
    let frame = Frame::decode_datagram(&buf[..len]).unwrap();
    assert_eq!((frame.header.layout, frame.header.channels, frame.rows()), (LAYOUT_UNSPECIFIED, 40, 3));
    for (padded, row) in frame.payload.chunks_exact(8).zip(expected.chunks_exact(5)) {
        assert_eq!((&padded[..5], &padded[5..]), (row, &[0; 3][..]));
    }
}

#[test]
fn short_buffers_lose_nothing_and_bad_lengths_are_refused() {
    let mut source = FrameSource::new(simulator(&Array::CAMERA), 8).unwrap();
    let mut again = source.clone();
    let (mut a, mut b) = (vec![0; 1064], vec![0; 1064]);
    assert_eq!(source.next_frame(&mut a[..1063]), 0);
    assert_eq!((source.next_frame(&mut a), again.next_frame(&mut b)), (1064, 1064));
    assert!(a == b);
    let empty = FrameSource::new(simulator(&Array::CAMERA), 0);
    assert!(matches!(empty, Err(Error::Setting { name: "samples a frame", .. })));
    for samples in [8193, usize::MAX] {
        assert!(matches!(FrameSource::new(simulator(&Array::CAMERA), samples), Err(Error::Frame(_))));
    }
}

#[test]
fn restarts_begin_the_counters_again() {
    let restarts =
        vec![Restart { at_s: 20.5 / 1.5e6, silence_s: 13.0 / 1.5e6 }, Restart { at_s: 1.0, silence_s: 0.0 }];
    let clock = Clock { restarts, ..Clock::default() };
    let mut source = FrameSource::new(simulator(&Array::CAMERA), 8).unwrap().restarting(&clock);
    let mut all = vec![0; 61 * 128];
    simulator(&Array::CAMERA).fill(&mut all);
    let mut buf = Vec::new();
    // Frames at 0, 8, 16; the restart takes effect at 24 and is silent for 13 samples.
    let expected = [(0, 0, 0), (1, 8, 8), (2, 16, 16), (0, 0, 37), (1, 8, 45), (2, 16, 53)];
    for (sequence, first_sample, at) in expected {
        let content = source.next(&mut buf).unwrap().unwrap();
        assert_eq!(content, Content::Frame(Stamp { sequence, first_sample, samples: 8 }));
        let frame = Frame::decode_datagram(&buf).unwrap();
        assert_eq!((frame.header.sequence, frame.header.first_sample), (sequence, first_sample));
        assert!(frame.payload == &all[at * 128..(at + 8) * 128]);
    }
    assert_eq!((source.elapsed(), source.restarted()), (61, 1));
}

#[test]
fn frames_fit_their_datagrams() {
    assert_eq!(samples_in(&TileLayout::CAMERA, ETHERNET_DATAGRAM), 11);
    assert_eq!(samples_in(&TileLayout::CAMERA, LARGEST_DATAGRAM), 511);
    assert_eq!(samples_in(&TileLayout::CAMERA, 10), 1);
}
