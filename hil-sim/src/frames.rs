//! The rows of a simulator in wire frames, as a board would send them (`dsp_core::frame`).
//!
//! Every frame holds the same number of time samples. Sequence and sample counter start at 0; the time stamp
//! is the sample counter over the nominal bit rate. Rows are padded to whole 32-bit words, as the frame wants
//! them.

use dsp_core::frame::{FrameError, HEADER_LEN, Header, Kind, LAYOUT_CAMERA, LAYOUT_UNSPECIFIED};
use dsp_core::pdm::TileLayout;

use crate::{Error, Simulator};

/// Time samples a frame unless said otherwise: 8232 bytes for the camera, one jumbo frame.
pub const DEFAULT_SAMPLES: usize = 64;

/// A simulator that speaks in frames.
#[derive(Clone, Debug)]
pub struct FrameSource {
    simulator: Simulator,
    header: Header,
    rows: Vec<u8>,
    payload: Vec<u8>,
}

impl FrameSource {
    /// Frames of `samples` time samples each. Refuses frames that are empty or longer than the format allows.
    pub fn new(simulator: Simulator, samples: usize) -> Result<Self, Error> {
        let layout = simulator.array().layout;
        let channels = layout.channels();
        let header = Header {
            kind: Kind::Bits,
            layout: if layout == TileLayout::CAMERA { LAYOUT_CAMERA } else { LAYOUT_UNSPECIFIED },
            channels: channels.try_into().map_err(|_| Error::TooManyChannels { channels })?,
            stride: 1,
            sequence: 0,
            first_sample: 0,
            timestamp_ns: 0,
        };
        Error::unless(samples > 0, "samples a frame", 0.0, "there must be at least one")?;
        let sized = |row: usize| samples.saturating_mul(row);
        let len = sized(header.kind.row_len(header.channels));
        if len > dsp_core::frame::MAX_PAYLOAD {
            return Err(FrameError::TooLarge { len, max: dsp_core::frame::MAX_PAYLOAD }.into());
        }
        let rows = vec![0; sized(simulator.row_bytes())];
        Ok(Self { simulator, header, rows, payload: vec![0; len] })
    }

    /// Bytes of every frame.
    pub fn frame_len(&self) -> usize {
        HEADER_LEN + self.payload.len()
    }

    /// Writes the next frame to the start of `buf` and returns its length, [`FrameSource::frame_len`]. If
    /// `buf` is shorter, returns 0, and the frame is still the next one.
    pub fn next_frame(&mut self, buf: &mut [u8]) -> usize {
        if buf.len() < self.frame_len() {
            return 0;
        }
        self.header.first_sample = self.simulator.next_sample();
        self.header.timestamp_ns =
            nanoseconds(self.header.first_sample, self.simulator.settings().bit_rate_hz);
        self.simulator.fill(&mut self.rows);
        let padded = self.payload.chunks_exact_mut(self.header.kind.row_len(self.header.channels));
        for (padded, row) in padded.zip(self.rows.chunks_exact(self.simulator.row_bytes())) {
            padded[..row.len()].copy_from_slice(row);
        }
        // Lengths were checked in `new` and above.
        let len = self.header.encode(&self.payload, buf).unwrap_or(0);
        self.header.sequence = self.header.sequence.wrapping_add(1);
        len
    }
}

/// Time of a sample on the source's clock.
fn nanoseconds(sample: u64, bit_rate_hz: f64) -> u64 {
    (sample as f64 * 1e9 / bit_rate_hz).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Array, Scene, Settings};
    use dsp_core::frame::Frame;

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
}
