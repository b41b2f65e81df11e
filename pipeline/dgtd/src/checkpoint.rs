//! Checkpoints: a run that is stopped and goes on gives the same bits as one that was not.
//!
//! Residuals of the Runge-Kutta scheme are not in a checkpoint, as the first stage of a step does not look at them. A file is, in little-endian order: `NFDGTD3\n`, 8 bytes; a fingerprint of the case, the number of steps done and the lengths of the six
//! lists, 8 bytes each; the time; the lists as numbers of 64 bits; and a check sum. Fields are node by node in the order of the mesh, whatever the plan that made them.

use super::State;
use super::dispersion::Polarisation;
use super::moment::Moment;
use super::numbers::{Numbers, each};
use super::pml::Memory;
use super::spectrum::Phasor;
use files::atomic::AtomicFile;
use num_complex::Complex64;
use numerics::failure::{Failure, Kind};
use std::hash::Hasher;
use std::io::Write;
use std::path::{Path, PathBuf};

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
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is none, or damaged.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: &'static str,
    },
    /// It belongs to something else.
    #[error("{}: a checkpoint of another case, mesh or precision", path.display())]
    Other {
        /// The file.
        path: PathBuf,
    },
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        Kind::Input
    }
}

/// Fowler, Noll and Vo's sum (1a) of 64 bits: the same on every machine.
#[derive(Debug, Clone, Copy)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

impl Checkpoint {
    fn lengths(&self) -> [usize; 6] {
        let Moment { states, memory, polarisations, .. } = &self.moment;
        let (memory, polarisations) = (memory.len(), polarisations.len());
        [states.len(), memory, polarisations, self.phasors.len(), self.signals.len(), self.record.len()]
    }

    fn numbers(&self) -> impl Iterator<Item = f64> {
        let Moment { states, memory, polarisations, .. } = &self.moment;
        let fields = each(states).chain(each(memory)).chain(each(polarisations));
        fields.chain(each(&self.phasors)).chain(each(&self.signals)).chain(each(&self.record))
    }

    /// Writes the file under its name only when it is complete.
    pub fn write(&self, path: &Path) -> Result<(), files::Error> {
        let failed = |source| files::Error::Write { path: path.into(), source };
        let mut file = AtomicFile::create(path)?;
        let mut sum = Fnv::default();
        let mut put = |bytes: &[u8]| {
            sum.write(bytes);
            file.write_all(bytes).map_err(failed)
        };
        put(MAGIC)?;
        let lengths = self.lengths().map(|length| length as u64);
        for number in [self.fingerprint, self.step].into_iter().chain(lengths) {
            put(&number.to_le_bytes())?;
        }
        put(&self.moment.time.to_le_bytes())?;
        for number in self.numbers() {
            put(&number.to_le_bytes())?;
        }
        file.write_all(&sum.finish().to_le_bytes()).map_err(failed)?;
        file.commit()
    }

    /// Reads a file of the run with this fingerprint.
    pub fn read(path: &Path, fingerprint: u64) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|source| Error::Read { path: path.into(), source })?;
        let found = parse(&bytes).map_err(|reason| Error::Damaged { path: path.into(), reason })?;
        if found.fingerprint == fingerprint { Ok(found) } else { Err(Error::Other { path: path.into() }) }
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
    let mut sum = Fnv::default();
    sum.write(body);
    if !rest.is_empty() || end != sum.finish().to_le_bytes() {
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
    let mut left = numbers.iter().map(|word| f64::from_le_bytes(*word));
    let count = |at: usize| 0..number(at);
    let states = count(2).map(|_| State::next(&mut left)).collect();
    let memory = count(3).map(|_| Memory::next(&mut left)).collect();
    let polarisations = count(4).map(|_| Polarisation::next(&mut left)).collect();
    let phasors = count(5).map(|_| Phasor::next(&mut left)).collect();
    let signals = count(6).map(|_| Complex64::next(&mut left)).collect();
    let record = left.collect();
    let moment = Moment { time: f64::from_le_bytes(header[8]), states, memory, polarisations };
    Ok(Checkpoint { fingerprint: number(0), step: number(1), moment, phasors, signals, record })
}
