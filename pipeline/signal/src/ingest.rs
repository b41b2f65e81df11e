//! Frames in, rows out: decodes what arrives, keeps it in order and counts what did not.
//!
//! A source that starts again (a board that was reset) goes back by more than [`LATE`] samples, or jumps forward by more than
//! [`RESTART`]: it sets a new clock; this is counted too, and no gap is claimed.
//!
//! A receiver hands over one datagram after the other. What comes back is a span of rows with the number of time
//! samples that are missing before it, so that the stages behind can keep time. Nothing is dropped silently.

use dsp_core::frame::{Frame, FrameError, Header, Kind, sequence_gap};

/// A jump of the sample counter forward that means another start of the source: 11 s at 1.5 MHz. Shorter ones are losses.
pub const RESTART: u64 = 1 << 24;

/// A jump backward that means the same: 87 ms. Frames that a network sent the wrong way round are not that late.
pub const LATE: u64 = 1 << 17;

/// Largest number of a sample: 195 000 years at 1.5 MHz. Numbers beyond are damage, and what is added to those below cannot overflow.
pub const LAST: u64 = 1 << 63;

/// What has happened so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counters {
    /// Frames accepted.
    pub frames: u64,
    /// Time samples accepted.
    pub samples: u64,
    /// Frames that never came, by their sequence numbers.
    pub lost_frames: u64,
    /// Time samples that never came, by their sample counters.
    pub lost_samples: u64,
    /// Frames refused: damaged, of another kind or of another array.
    pub bad_frames: u64,
    /// Frames refused because their samples were already past.
    pub late_frames: u64,
    /// Times that the source started again.
    pub restarts: u64,
}

/// Why a datagram was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IngestError {
    /// It is not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// It is a frame of something else.
    #[error(
        "a frame of {found:?} for {channels} channels with stride {stride}, where bits of {expected} channels with \
         stride 1 are expected"
    )]
    Unexpected {
        /// Its kind.
        found: Kind,
        /// Its channels.
        channels: u16,
        /// Its stride.
        stride: u16,
        /// The channels of this array.
        expected: u16,
    },
    /// Its samples have numbers that no source reaches, from this one on.
    #[error("a frame of samples from {0} on, beyond {LAST}")]
    Beyond(u64),
    /// It repeats or precedes what was already taken.
    #[error("a late frame: it starts at sample {first_sample}, but sample {next_sample} is due")]
    Late {
        /// Its first sample.
        first_sample: u64,
        /// The sample that is due.
        next_sample: u64,
    },
}

/// Rows of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span<'a> {
    /// Time samples missing before the first row.
    pub missing: u64,
    /// Whether the source started again before the first row: time is not continuous, and nothing is claimed lost.
    pub restarted: bool,
    /// Index of the first time sample.
    pub first_sample: u64,
    /// When it was taken, nanoseconds of the source's clock.
    pub timestamp_ns: u64,
    /// The rows, each padded to whole 32-bit words.
    pub rows: &'a [u8],
}

/// The receiving end of one array.
#[derive(Debug)]
pub struct Ingest {
    channels: u16,
    next: Option<(u32, u64)>,
    counters: Counters,
}

impl Ingest {
    /// Expects bits of `channels` channels; the first frame sets the clock.
    pub fn new(channels: u16) -> Self {
        Self { channels, next: None, counters: Counters::default() }
    }

    /// What has happened so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Takes one datagram.
    pub fn accept<'a>(&mut self, datagram: &'a [u8]) -> Result<Span<'a>, IngestError> {
        let frame = self.check(datagram).inspect_err(|_| self.counters.bad_frames += 1)?;
        let header = frame.header;
        let samples = frame.rows() as u64;
        let (mut missing, mut restarted) = (0, false);
        if let Some((sequence, next_sample)) = self.next {
            let first_sample = header.first_sample;
            if first_sample > next_sample + RESTART || first_sample + LATE < next_sample {
                self.counters.restarts += 1;
                restarted = true;
            } else if first_sample < next_sample {
                self.counters.late_frames += 1;
                return Err(IngestError::Late { first_sample, next_sample });
            } else {
                missing = first_sample - next_sample;
                let gap = sequence_gap(sequence, header.sequence);
                // A gap beyond half the range is a sequence that went backwards, which says nothing.
                self.counters.lost_frames += if gap < 1 << 31 { u64::from(gap) } else { 0 };
                self.counters.lost_samples += missing;
            }
        }
        self.next = Some((header.sequence, header.first_sample + samples));
        self.counters.frames += 1;
        self.counters.samples += samples;
        let Header { first_sample, timestamp_ns, .. } = header;
        Ok(Span { missing, restarted, first_sample, timestamp_ns, rows: frame.payload })
    }

    fn check<'a>(&self, datagram: &'a [u8]) -> Result<Frame<'a>, IngestError> {
        let frame = Frame::decode_datagram(datagram)?;
        let (found, channels, stride) = (frame.header.kind, frame.header.channels, frame.header.stride);
        if found != Kind::Bits || channels != self.channels || stride != 1 {
            return Err(IngestError::Unexpected { found, channels, stride, expected: self.channels });
        }
        let first_sample = frame.header.first_sample;
        if first_sample > LAST {
            return Err(IngestError::Beyond(first_sample));
        }
        Ok(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dsp_core::frame::HEADER_LEN;

    fn frame(sequence: u32, first_sample: u64) -> Vec<u8> {
        let header = Header {
            kind: Kind::Bits,
            layout: 0,
            channels: 32,
            stride: 1,
            sequence,
            first_sample,
            timestamp_ns: 0,
        };
        let mut bytes = vec![0; HEADER_LEN + 16];
        header.encode(&[sequence as u8; 16], &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn gaps_are_counted_and_reported() {
        let mut ingest = Ingest::new(32);
        assert_eq!(ingest.accept(&frame(7, 100)).unwrap().missing, 0);
        assert_eq!(ingest.accept(&frame(8, 104)).unwrap().missing, 0);
        let span = ingest.accept(&frame(11, 116)).unwrap().missing;
        assert_eq!(span, 8);
        let expected =
            Counters { frames: 3, samples: 12, lost_frames: 2, lost_samples: 8, ..Counters::default() };
        assert_eq!(ingest.counters(), expected);
    }

    #[test]
    fn a_source_that_starts_again_is_followed() {
        let mut ingest = Ingest::new(32);
        let far = RESTART + 5;
        for (sequence, first_sample) in [(9, 0), (10, far), (0, 0), (1, 4), (0, 12)] {
            let frame = frame(sequence, first_sample);
            let span = ingest.accept(&frame).unwrap();
            assert_eq!(span.first_sample, first_sample);
            assert_eq!(
                span.restarted,
                (sequence, first_sample) == (10, far) || (sequence, first_sample) == (0, 0)
            );
        }
        let counters = ingest.counters();
        assert_eq!((counters.restarts, counters.frames), (2, 5));
        // The last frame came 4 samples late with a sequence number from the past: samples are lost, frames unknown.
        assert_eq!((counters.lost_samples, counters.lost_frames), (4, 0));
    }

    #[test]
    fn a_source_that_starts_again_soon_is_followed_and_late_frames_are_not() {
        let mut ingest = Ingest::new(32);
        let second = 1_500_000;
        assert!(ingest.accept(&frame(0, second)).is_ok());
        let late = frame(1, second + 4 - LATE);
        assert!(matches!(ingest.accept(&late), Err(IngestError::Late { .. })));
        assert!(ingest.accept(&frame(0, second + 3 - LATE)).unwrap().restarted);
        assert!(!ingest.accept(&frame(1, second + 7 - LATE)).unwrap().restarted);
        assert_eq!((ingest.counters().restarts, ingest.counters().late_frames), (1, 1));
    }

    #[test]
    fn late_damaged_and_foreign_frames_are_refused() {
        let mut ingest = Ingest::new(32);
        assert!(ingest.accept(&frame(0, 0)).is_ok());
        let late = IngestError::Late { first_sample: 0, next_sample: 4 };
        assert_eq!(ingest.accept(&frame(0, 0)), Err(late));
        let mut damaged = frame(1, 4);
        damaged[50] ^= 1;
        assert!(matches!(ingest.accept(&damaged), Err(IngestError::Frame(FrameError::BadCrc { .. }))));
        let mut other = Ingest::new(64);
        assert!(matches!(other.accept(&frame(0, 0)), Err(IngestError::Unexpected { expected: 64, .. })));
        assert!(Ingest::new(32).accept(&frame(0, LAST)).is_ok());
        let beyond = IngestError::Beyond(LAST + 1);
        assert_eq!(Ingest::new(32).accept(&frame(0, LAST + 1)), Err(beyond));
        assert_eq!(ingest.accept(&frame(1, 4)).unwrap().missing, 0);
        let counters = ingest.counters();
        assert_eq!((counters.frames, counters.late_frames, counters.bad_frames), (2, 1, 1));
    }
}
