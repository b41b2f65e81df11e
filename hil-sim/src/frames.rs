//! Rows in wire frames, as a board would send them (`dsp_core::frame`).
//!
//! Every frame holds the same number of time samples, only the last of a recording may hold fewer. Sequence
//! and sample counter start at 0; the time stamp is the sample counter over the nominal bit rate. Rows are
//! padded to whole 32-bit words, as the frame wants them.
//!
//! When the sensor restarts, nothing is sent during its silence, and then all three counters begin at 0 again.
//! Sound and bits go on meanwhile, as they do for a microphone.

use std::iter::Peekable;
use std::vec::IntoIter;

use dsp_core::frame::{FrameError, HEADER_LEN, Header, Kind, LAYOUT_CAMERA, LAYOUT_UNSPECIFIED, MAX_PAYLOAD};
use dsp_core::pdm::TileLayout;

use crate::clock::{Clock, Restart};
use crate::link::{Content, Stamp};
use crate::rows::Rows;
use crate::{Error, Simulator};

/// Largest datagram that an Ethernet frame without jumbo size carries over IPv4.
pub const ETHERNET_DATAGRAM: usize = 1472;

/// Largest datagram of UDP over IPv4.
pub const LARGEST_DATAGRAM: usize = 65_507;

/// Most time samples of which a frame fits into a datagram of `bytes`; at least one.
pub fn samples_in(layout: &TileLayout, bytes: usize) -> usize {
    let row = 4 * (layout.channels() as usize).div_ceil(32);
    (bytes.saturating_sub(HEADER_LEN) / row).max(1)
}

/// A source of datagrams.
pub trait Frames {
    /// Writes the next datagram over `datagram`; none at the end.
    fn next(&mut self, datagram: &mut Vec<u8>) -> Result<Option<Content>, Error>;

    /// Time samples that have passed so far, those of silence included.
    fn elapsed(&self) -> u64;

    /// Ends the source; what it has to report beside its frames.
    fn close(&mut self) -> Result<Option<serde_json::Value>, Error> {
        Ok(None)
    }
}

/// Rows that speak in frames.
#[derive(Clone, Debug)]
pub struct FrameSource<R = Simulator> {
    rows: R,
    bit_rate_hz: f64,
    samples: usize,
    header: Header,
    packed: Vec<u8>,
    /// Samples taken so far, and at which of them the counters began.
    taken: u64,
    begin: u64,
    restarts: Peekable<IntoIter<Restart>>,
    restarted: u64,
}

impl FrameSource<Simulator> {
    /// Frames of `samples` time samples each. Refuses frames that are empty or longer than the format allows.
    pub fn new(simulator: Simulator, samples: usize) -> Result<Self, Error> {
        let bit_rate_hz = simulator.settings().bit_rate_hz;
        FrameSource::of(simulator, samples, bit_rate_hz)
    }

    /// Writes the next frame to the start of `buf` and returns its length, [`FrameSource::frame_len`]. If
    /// `buf` is shorter, returns 0, and the frame is still the next one.
    pub fn next_frame(&mut self, buf: &mut [u8]) -> usize {
        match buf.get_mut(..self.frame_len()) {
            // A simulator neither ends nor fails.
            Some(frame) => self.write(frame).map_or(0, |_| frame.len()),
            None => 0,
        }
    }
}

impl<R: Rows> FrameSource<R> {
    /// Frames of any rows, taken at a nominal bit rate.
    pub fn of(rows: R, samples: usize, bit_rate_hz: f64) -> Result<Self, Error> {
        let layout = rows.layout();
        let channels = layout.channels();
        let header = Header {
            kind: Kind::Bits,
            layout: if layout == TileLayout::CAMERA { LAYOUT_CAMERA } else { LAYOUT_UNSPECIFIED },
            channels: channels.try_into().map_err(|_| Error::TooManyChannels(channels))?,
            stride: 1,
            sequence: 0,
            first_sample: 0,
            timestamp_ns: 0,
        };
        Error::unless(samples > 0, "samples a frame", 0.0, "there must be at least one")?;
        let len = samples.saturating_mul(header.kind.row_len(header.channels));
        if len > MAX_PAYLOAD {
            return Err(FrameError::TooLarge { len, max: MAX_PAYLOAD }.into());
        }
        Ok(Self {
            bit_rate_hz,
            samples,
            header,
            packed: vec![0; samples * layout.row_bytes()],
            taken: rows.position(),
            begin: 0,
            restarts: Vec::new().into_iter().peekable(),
            restarted: 0,
            rows,
        })
    }

    /// Restarts as a checked clock says.
    #[must_use]
    pub fn restarting(mut self, clock: &Clock) -> Self {
        self.restarts = clock.restarts.clone().into_iter().peekable();
        self
    }

    /// Bytes of every frame but the last of a recording.
    pub fn frame_len(&self) -> usize {
        HEADER_LEN + self.samples * self.row_len()
    }

    /// Restarts so far.
    pub fn restarted(&self) -> u64 {
        self.restarted
    }

    /// Payload bytes of a row.
    fn row_len(&self) -> usize {
        self.header.kind.row_len(self.header.channels)
    }

    /// Writes the next frame over `frame`, which is as long as a whole one. Returns its time samples: none at
    /// the end.
    fn write(&mut self, frame: &mut [u8]) -> Result<usize, Error> {
        self.restart_if_due(frame)?;
        let (head, payload) = frame.split_at_mut(HEADER_LEN);
        let samples = self.read(payload)?;
        if samples == 0 {
            return Ok(0);
        }
        self.header.first_sample = self.taken - self.begin;
        self.header.timestamp_ns = nanoseconds(self.header.first_sample, self.bit_rate_hz);
        head.copy_from_slice(&self.header.encode_header(&payload[..samples * self.row_len()])?);
        self.header.sequence = self.header.sequence.wrapping_add(1);
        self.taken += samples as u64;
        Ok(samples)
    }

    /// Reads rows into a payload, with padding where a row is not whole words.
    fn read(&mut self, payload: &mut [u8]) -> Result<usize, Error> {
        let (row_len, row_bytes) = (self.row_len(), self.rows.layout().row_bytes());
        if row_len == row_bytes {
            return self.rows.read(payload);
        }
        let samples = self.rows.read(&mut self.packed)?;
        let rows = self.packed.chunks_exact(row_bytes).take(samples);
        for (padded, row) in payload.chunks_exact_mut(row_len).zip(rows) {
            padded[..row_bytes].copy_from_slice(row);
            padded[row_bytes..].fill(0);
        }
        Ok(samples)
    }

    /// Starts the counters again, after the silence, if the time has come. `scratch` is as long as a frame.
    fn restart_if_due(&mut self, scratch: &mut [u8]) -> Result<(), Error> {
        while let Some(&Restart { at_s, silence_s }) = self.restarts.peek() {
            if (self.taken as f64) < at_s * self.bit_rate_hz {
                break;
            }
            self.restarts.next();
            let end = self.taken + (silence_s * self.bit_rate_hz).round() as u64;
            while self.taken < end {
                let samples = self.samples.min(usize::try_from(end - self.taken).unwrap_or(usize::MAX));
                let len = samples * self.row_len();
                self.packed.resize(samples * self.rows.layout().row_bytes(), 0);
                let read = self.read(&mut scratch[HEADER_LEN..HEADER_LEN + len])?;
                self.taken += read as u64;
                if read < samples {
                    break;
                }
            }
            self.packed.resize(self.samples * self.rows.layout().row_bytes(), 0);
            self.begin = self.taken;
            self.header.sequence = 0;
            self.restarted += 1;
        }
        Ok(())
    }
}

impl<R: Rows> Frames for FrameSource<R> {
    fn next(&mut self, datagram: &mut Vec<u8>) -> Result<Option<Content>, Error> {
        datagram.resize(self.frame_len(), 0);
        let samples = self.write(datagram)?;
        if samples == 0 {
            return Ok(None);
        }
        datagram.truncate(HEADER_LEN + samples * self.row_len());
        // Writing has moved the number on.
        let sequence = self.header.sequence.wrapping_sub(1);
        let first_sample = self.header.first_sample;
        Ok(Some(Content::Frame(Stamp { sequence, first_sample, samples: samples as u64 })))
    }

    fn elapsed(&self) -> u64 {
        self.taken
    }
}

/// Nominal time of a sample.
fn nanoseconds(sample: u64, bit_rate_hz: f64) -> u64 {
    (sample as f64 * 1e9 / bit_rate_hz).round() as u64
}

#[cfg(test)]
mod tests;
