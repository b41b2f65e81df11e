//! Checkpoints: a run that is stopped and goes on gives the same bits as one that was not.
//!
//! Residuals of the Runge-Kutta scheme are not in a checkpoint, as the first stage of a step does not look at them. A file is, in little-endian order: `NFDGTD3\n`, 8 bytes; a fingerprint of the case, the number of steps done and the lengths of the six
//! lists, 8 bytes each; the time; the lists as numbers of 64 bits; and a check sum. Fields are node by node in the order of the mesh, whatever the plan that made them.

use super::State;
use super::dispersion::Polarisation;
use super::moment::Moment;
use super::numbers::{Numbers, flat, listed};
use super::pml::Memory;
use super::spectrum::Phasor;
use files::InFile;
use num_complex::Complex64;
use std::io::Write;
use std::path::Path;

const MAGIC: &[u8; 8] = b"NFDGTD3\n";

/// Numbers of an entry of each list.
const ENTRIES: [usize; 6] =
    [State::COUNT, Memory::COUNT, Polarisation::COUNT, Phasor::COUNT, Complex64::COUNT, f64::COUNT];

/// Bytes before the lists.
const HEADER: usize = 8 * 10;

/// Where a run is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checkpoint {
    /// Of the case and the precision.
    pub fingerprint: u64,
    /// Steps done.
    pub step: u64,
    /// Fields with what they remember.
    pub moment: Moment,
    /// Running sums on the Huygens surface.
    pub phasors: Vec<Phasor>,
    /// Running sums of signals: the incident wave, and those of a port.
    pub signals: Vec<Complex64>,
    /// What was recorded, in an order that the caller knows.
    pub record: Vec<f64>,
}

/// What is wrong with a checkpoint.
pub type Error = InFile<Reason>;

/// What is wrong with a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// It is none, or damaged.
    #[error("{0}")]
    Damaged(&'static str),
    /// It belongs to something else.
    #[error("a checkpoint of another case, mesh or precision")]
    Other,
}

/// Where [`fnv`] begins.
pub(super) const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// Fowler, Noll and Vo's sum (1a) of 64 bits, the same on every machine, that goes on from `sum`.
pub(super) fn fnv(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

impl Checkpoint {
    fn lengths(&self) -> [usize; 6] {
        let Moment { states, memory, polarisations, .. } = &self.moment;
        let (memory, polarisations) = (memory.len(), polarisations.len());
        [states.len(), memory, polarisations, self.phasors.len(), self.signals.len(), self.record.len()]
    }

    /// Writes the file under its name only when it is complete.
    pub fn write(&self, path: &Path) -> Result<(), files::Error> {
        files::atomic::write(path, |file| {
            let mut sum = FNV;
            let mut put = |bytes: &[u8]| {
                sum = fnv(sum, bytes);
                file.write_all(bytes)
            };
            put(MAGIC)?;
            let lengths = self.lengths().map(|length| length as u64);
            for number in [self.fingerprint, self.step].into_iter().chain(lengths) {
                put(&number.to_le_bytes())?;
            }
            let Moment { time, states, memory, polarisations } = &self.moment;
            let mut put_all = |list: Vec<f64>| list.iter().try_for_each(|number| put(&number.to_le_bytes()));
            put_all(vec![*time])?;
            put_all(flat(states))?;
            put_all(flat(memory))?;
            put_all(flat(polarisations))?;
            put_all(flat(&self.phasors))?;
            put_all(flat(&self.signals))?;
            put_all(flat(&self.record))?;
            file.write_all(&sum.to_le_bytes())
        })
    }

    /// Reads a file of the run with this fingerprint.
    pub fn read(path: &Path, fingerprint: u64) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(Reason::Read);
        let found = bytes.and_then(|bytes| parse(&bytes).map_err(Reason::Damaged));
        let own =
            found.and_then(|it| if it.fingerprint == fingerprint { Ok(it) } else { Err(Reason::Other) });
        own.map_err(|reason| Error { path: path.into(), reason })
    }
}

/// The checkpoint in the bytes of a file; lists are as long as the file says only if the file is as long.
fn parse(bytes: &[u8]) -> Result<Checkpoint, &'static str> {
    let short = "no checkpoint of a DGTD run";
    if bytes.len() < HEADER + 8 || !bytes.starts_with(MAGIC) {
        return Err(short);
    }
    let (body, end) = bytes.split_at(bytes.len() - 8);
    let (words, rest) = body[8..].as_chunks::<8>();
    if !rest.is_empty() || end != fnv(FNV, body).to_le_bytes() {
        return Err("damaged: the check sum is wrong");
    }
    let (header, numbers) = words.split_at(HEADER / 8 - 1);
    let number = |at: usize| u64::from_le_bytes(header[at]);
    let needed = ENTRIES.iter().zip(2..).try_fold(0u64, |sum, (entry, at)| {
        number(at).checked_mul(*entry as u64).and_then(|length| length.checked_add(sum))
    });
    if needed != Some(numbers.len() as u64) {
        return Err("damaged: the lengths of its lists are not that of the file");
    }
    let numbers: Vec<f64> = numbers.iter().map(|word| f64::from_le_bytes(*word)).collect();
    let mut left = &numbers[..];
    let mut next =
        |list: usize| left.split_off(..ENTRIES[list] * number(2 + list) as usize).unwrap_or_default();
    let [states, memory, polarisations] = [next(0), next(1), next(2)];
    let (states, memory, polarisations) = (listed(states), listed(memory), listed(polarisations));
    let (phasors, signals, record) = (listed(next(3)), listed(next(4)), listed(next(5)));
    let moment = Moment { time: f64::from_le_bytes(header[8]), states, memory, polarisations };
    Ok(Checkpoint { fingerprint: number(0), step: number(1), moment, phasors, signals, record })
}
