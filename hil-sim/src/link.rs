//! The link: frames in, datagrams out, with seeded faults on the way, each of them counted.
//!
//! | fault | what happens to a frame | what a receiver reports |
//! |---|---|---|
//! | loss | it vanishes; each by itself, or in bursts | lost, once a later frame arrives |
//! | corruption | one to three of its bits are flipped | bad, and lost |
//! | truncation | only its first bytes arrive (a runt) | bad, and lost |
//! | duplication | it arrives twice in a row | late |
//! | reordering | it arrives after up to `reorder_depth` later frames | late, and lost |
//! | garbage | random bytes arrive before it | bad |
//! | foreign | a sound frame of another array arrives before it | bad |
//!
//! Losses, bursts, garbage and foreign frames are drawn by themselves; of corruption, truncation, duplication
//! and reordering a frame that is not lost suffers at most one, so that every count has one cause. One to three
//! flipped bits never pass the CRC-32C: its Hamming distance is at least 4 for any frame.
//!
//! Bursts follow Gilbert and Elliott: before every frame the link turns bad with probability `burst_start`,
//! or, if it is bad, good again with probability 1 / `burst_length`; in the bad state a frame is lost with
//! probability `burst_loss`.
//!
//! What a receiver must report depends on more than these counts: losses before the first or after the last
//! frame cannot be seen, a reordered frame whose successors are lost is not late, a restart hides a gap.
//! [`Link::expected`] therefore follows what leaves the link with the receiver's rule, see [`Receiver`].
//!
//! The same seed and the same frames give the same datagrams. The number of random draws a frame is fixed, so
//! a change of one rate leaves the faults of the others in their places.

mod receiver;
mod stamp;

use dsp_core::frame::{Header, Kind};
use numerics::random::SplitMix64;
use serde::{Deserialize, Serialize};

use crate::Error;

pub use receiver::{Expected, LATE, RESTART, Receiver};
pub use stamp::{Content, Stamp};

/// Largest `reorder_depth`: bounds the frames that the link holds back.
pub const MAX_DEPTH: u32 = 1000;

/// How often each fault occurs, as a probability a frame. The default is a perfect link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rates {
    /// Loss, each frame by itself.
    pub loss: f64,
    /// A burst of losses begins.
    pub burst_start: f64,
    /// Mean length of a burst in frames.
    pub burst_length: f64,
    /// Loss within a burst.
    pub burst_loss: f64,
    /// The frame arrives twice.
    pub duplicate: f64,
    /// The frame is overtaken by later ones.
    pub reorder: f64,
    /// By how many at most.
    pub reorder_depth: u32,
    /// Bits are flipped.
    pub corrupt: f64,
    /// The end is cut off.
    pub truncate: f64,
    /// Random bytes arrive before the frame.
    pub garbage: f64,
    /// A frame of another array arrives before the frame.
    pub foreign: f64,
}

impl Default for Rates {
    fn default() -> Self {
        Self {
            loss: 0.0,
            burst_start: 0.0,
            burst_length: 10.0,
            burst_loss: 1.0,
            duplicate: 0.0,
            reorder: 0.0,
            reorder_depth: 3,
            corrupt: 0.0,
            truncate: 0.0,
            garbage: 0.0,
            foreign: 0.0,
        }
    }
}

impl Rates {
    /// Refuses what is no probability.
    pub fn check(&self) -> Result<(), Error> {
        let probabilities = [
            ("loss", self.loss),
            ("burst_start", self.burst_start),
            ("burst_loss", self.burst_loss),
            ("duplicate", self.duplicate),
            ("reorder", self.reorder),
            ("corrupt", self.corrupt),
            ("truncate", self.truncate),
            ("garbage", self.garbage),
            ("foreign", self.foreign),
        ];
        for (name, value) in probabilities {
            Error::unless((0.0..=1.0).contains(&value), name, value, "it must lie in 0 .. 1")?;
        }
        let sum = self.damage();
        let expected = "corrupt, truncate, duplicate and reorder together must not exceed 1";
        Error::unless(sum <= 1.0, "sum of rates", sum, expected)?;
        let length = self.burst_length;
        Error::unless((1.0..=1e9).contains(&length), "burst_length", length, "it must lie in 1 .. 1e9")?;
        let depth = self.reorder_depth;
        let within = (1..=MAX_DEPTH).contains(&depth);
        Error::unless(within, "reorder_depth", depth.into(), "it must lie in 1 .. 1000")
    }

    /// Probability of one of the faults that exclude each other.
    fn damage(&self) -> f64 {
        self.corrupt + self.truncate + self.duplicate + self.reorder
    }

    /// Whether nothing can happen on this link.
    fn is_perfect(&self) -> bool {
        self.loss + self.burst_start + self.damage() + self.garbage + self.foreign == 0.0
    }
}

/// What the link has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Injected {
    /// Frames that came from the source.
    pub frames: u64,
    /// Datagrams of the source that were no frames: only a capture has such.
    pub junk: u64,
    /// Frames lost by themselves.
    pub lost: u64,
    /// Frames lost in bursts.
    pub burst_lost: u64,
    /// Bursts begun.
    pub bursts: u64,
    /// Frames with flipped bits.
    pub corrupted: u64,
    /// Frames cut short.
    pub truncated: u64,
    /// Frames sent twice.
    pub duplicated: u64,
    /// Frames held back.
    pub reordered: u64,
    /// Datagrams of random bytes.
    pub garbage: u64,
    /// Frames of another array.
    pub foreign: u64,
    /// Datagrams that left the link.
    pub datagrams: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What befalls a frame that is not lost.
enum Damage {
    None,
    Corrupt,
    Truncate,
    Duplicate,
    Reorder,
}

/// The link.
#[derive(Clone, Debug)]
pub struct Link {
    rates: Rates,
    random: SplitMix64,
    in_burst: bool,
    /// Frames held back, with the number of the source frame after which they leave.
    held: Vec<(u64, Stamp, Vec<u8>)>,
    scratch: Vec<u8>,
    injected: Injected,
    receiver: Receiver,
}

impl Link {
    /// A link with these faults.
    pub fn new(rates: Rates, seed: u64) -> Result<Self, Error> {
        rates.check()?;
        Ok(Self {
            rates,
            random: SplitMix64::new(seed ^ (0x71C4_11E5 << 32)),
            in_burst: false,
            held: Vec::new(),
            scratch: Vec::new(),
            injected: Injected::default(),
            receiver: Receiver::default(),
        })
    }

    /// What has been done so far.
    pub fn injected(&self) -> Injected {
        self.injected
    }

    /// What a receiver that has seen all datagrams so far must report.
    pub fn expected(&self) -> Expected {
        self.receiver.expected()
    }

    /// Passes one datagram of the source on; `out` takes what arrives, in order.
    pub fn push(&mut self, datagram: &[u8], content: Content, out: &mut impl FnMut(&[u8])) {
        let Content::Frame(stamp) = content else {
            self.injected.junk += 1;
            return self.deliver(datagram, None, out);
        };
        self.injected.frames += 1;
        if self.rates.is_perfect() {
            return self.deliver(datagram, Some(stamp), out);
        }
        let draws: [f64; 5] = std::array::from_fn(|_| self.random.uniform());
        let choice = self.random.integer();
        let [turn, loss, damage, garbage, foreign] = draws;
        if garbage < self.rates.garbage {
            self.send_garbage(datagram.len(), choice, out);
        }
        if foreign < self.rates.foreign {
            self.send_foreign(stamp, out);
        }
        if !self.is_lost(turn, loss) {
            self.pass(datagram, stamp, damage, choice, out);
        }
        self.release(self.injected.frames, out);
    }

    /// Lets go what is still held back; the end of the stream.
    pub fn finish(&mut self, out: &mut impl FnMut(&[u8])) {
        self.release(u64::MAX, out);
    }

    fn is_lost(&mut self, turn: f64, loss: f64) -> bool {
        let Rates { burst_start, burst_length, burst_loss, .. } = self.rates;
        let turns = if self.in_burst { 1.0 / burst_length } else { burst_start };
        if turn < turns {
            self.in_burst = !self.in_burst;
            self.injected.bursts += u64::from(self.in_burst);
        }
        let in_burst = self.in_burst && loss < burst_loss;
        let alone = !in_burst && loss < self.rates.loss;
        self.injected.burst_lost += u64::from(in_burst);
        self.injected.lost += u64::from(alone);
        in_burst || alone
    }

    /// Passes a frame that is not lost on.
    fn pass(&mut self, frame: &[u8], stamp: Stamp, draw: f64, choice: u64, out: &mut impl FnMut(&[u8])) {
        match self.damage(draw) {
            Damage::None => self.deliver(frame, Some(stamp), out),
            Damage::Duplicate => {
                self.injected.duplicated += 1;
                self.deliver(frame, Some(stamp), out);
                self.deliver(frame, Some(stamp), out);
            }
            Damage::Reorder => {
                self.injected.reordered += 1;
                let later = 1 + choice % u64::from(self.rates.reorder_depth);
                self.held.push((self.injected.frames + later, stamp, frame.to_vec()));
            }
            Damage::Truncate => {
                self.injected.truncated += 1;
                // At least one byte, and at least one too few.
                let len = 1 + choice % (frame.len() as u64 - 1).max(1);
                self.deliver(&frame[..len as usize], None, out);
            }
            Damage::Corrupt => {
                self.injected.corrupted += 1;
                let mut bytes = std::mem::take(&mut self.scratch);
                bytes.clear();
                bytes.extend_from_slice(frame);
                flip_bits(&mut bytes, choice);
                self.deliver(&bytes, None, out);
                self.scratch = bytes;
            }
        }
    }

    fn damage(&self, draw: f64) -> Damage {
        let Rates { corrupt, truncate, duplicate, reorder, .. } = self.rates;
        let mut upper = 0.0;
        let kinds = [
            (corrupt, Damage::Corrupt),
            (truncate, Damage::Truncate),
            (duplicate, Damage::Duplicate),
            (reorder, Damage::Reorder),
        ];
        for (rate, damage) in kinds {
            upper += rate;
            if draw < upper {
                return damage;
            }
        }
        Damage::None
    }

    /// Random bytes, at most as many as a frame has, that do not begin like a frame.
    fn send_garbage(&mut self, frame_len: usize, choice: u64, out: &mut impl FnMut(&[u8])) {
        self.injected.garbage += 1;
        let len = 1 + (choice >> 32) as usize % frame_len;
        let mut bytes = std::mem::take(&mut self.scratch);
        let mut random = SplitMix64::new(choice);
        bytes.clear();
        bytes.extend((0..len).map(|_| random.integer() as u8));
        bytes[0] |= 0x80;
        self.deliver(&bytes, None, out);
        self.scratch = bytes;
    }

    /// A sound frame of samples instead of bits, of one channel.
    fn send_foreign(&mut self, stamp: Stamp, out: &mut impl FnMut(&[u8])) {
        self.injected.foreign += 1;
        let header = Header {
            kind: Kind::Samples,
            layout: 0,
            channels: 1,
            stride: 32,
            sequence: stamp.sequence,
            first_sample: stamp.first_sample,
            timestamp_ns: 0,
        };
        let mut bytes = [0; dsp_core::frame::HEADER_LEN + 4];
        // The buffer is as long as the frame.
        let len = header.encode(&[0; 4], &mut bytes).unwrap_or(0);
        self.deliver(&bytes[..len], None, out);
    }

    /// Lets frames go that were held back until `now`, the earliest due first.
    fn release(&mut self, now: u64, out: &mut impl FnMut(&[u8])) {
        while let Some(next) =
            (0..self.held.len()).filter(|&i| self.held[i].0 <= now).min_by_key(|&i| self.held[i].0)
        {
            let (_, stamp, frame) = self.held.remove(next);
            self.deliver(&frame, Some(stamp), out);
        }
    }

    /// A datagram leaves the link.
    fn deliver(&mut self, datagram: &[u8], stamp: Option<Stamp>, out: &mut impl FnMut(&[u8])) {
        self.injected.datagrams += 1;
        self.injected.bytes += datagram.len() as u64;
        self.receiver.take(stamp);
        out(datagram);
    }
}

/// Flips one to three different bits.
fn flip_bits(bytes: &mut [u8], choice: u64) {
    let mut random = SplitMix64::new(choice);
    let bits = 8 * bytes.len() as u64;
    let mut flipped = Vec::with_capacity(3);
    for _ in 0..1 + choice % 3 {
        let bit = random.integer() % bits;
        if !flipped.contains(&bit) {
            flipped.push(bit);
            bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
        }
    }
}

#[cfg(test)]
mod tests;
