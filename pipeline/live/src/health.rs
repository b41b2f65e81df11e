//! Which microphones can be trusted, found while the instrument runs.
//!
//! Every 0.1 s a block of [`ROWS`] rows without a hole is decimated and each microphone is judged:
//!
//! | state | rule |
//! |---|---|
//! | stuck | its bit is the same in all rows of the block |
//! | dead | its rms is below [`SILENT`] of full scale: a line that only follows the clock; a microphone has noise |
//! | saturated | more than [`CLIPPED_PART`] of its samples are beyond [`CLIPPED`] of full scale |
//! | noisy | its rms is more than [`LOUD`] times that of the loudest of its up to [`NEIGHBOURS`] neighbours within [`REACH`] pitches that work; or it disagrees with its neighbours at the chosen frequencies ([`signal::array::suspects`], every two seconds) |
//!
//! A source cannot be loud at one microphone only: the field of a monopole on the source plane right before a microphone falls by
//! sqrt(1 + (d/z)^2) to the next one, 2.2 for a standoff z of half the pitch d, and that of a dipole by its square, 5.
//!
//! A microphone is left out after [`BAD`] blocks in a row with a fault, 0.2 s, and taken back after [`GOOD`] without, 1 s. One that
//! was marked by the user or by calibration stays out.

use dsp_core::decimator::SETTLING;
use dsp_core::pdm::TileLayout;
use holography::product::Health;
use signal::array::{Array, stuck_bits};
use signal::decimate::{ArrayDecimator, DecimateError, FULL_SCALE};
use signal::filter_design::Design;

/// Rows of a block: 5.5 ms at 1.5 MHz, 256 samples.
pub const ROWS: usize = 8192;
/// Smallest rms of a microphone, -120 dBFS: one with 61 dB of signal to noise has -87.
pub const SILENT: f64 = 1e-6;
/// Largest part of full scale: second-order modulators follow up to about 0.7.
pub const CLIPPED: f64 = 0.65;
/// Part of the samples that may be beyond.
pub const CLIPPED_PART: f64 = 0.01;
/// Largest ratio to the neighbours.
pub const LOUD: f64 = 6.0;
/// Most neighbours of a microphone.
pub const NEIGHBOURS: usize = 8;
/// How far they are at most, in usual distances: on a square grid the diagonal ones are at 1.41, the next ones at 2.
pub const REACH: f64 = 1.5;
/// Blocks with a fault before a microphone is left out.
pub const BAD: u32 = 2;
/// Blocks without one before it is taken back.
pub const GOOD: u32 = 10;

/// Level of one microphone in a block, full scale 1.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    rms: f64,
    clipped: f64,
}

/// The judge of all microphones.
pub struct Monitor {
    layout: TileLayout,
    /// Of every microphone.
    neighbours: Vec<Vec<usize>>,
    decimator: ArrayDecimator,
    frames: Vec<i32>,
    levels: Vec<Level>,
    /// Left out for ever.
    marked: Vec<bool>,
    /// Disagreed with its neighbours when last asked.
    outliers: Vec<bool>,
    /// Blocks in a row with and without a fault.
    runs: Vec<(u32, u32)>,
    /// The state of every microphone.
    pub states: Vec<Health>,
}

impl Monitor {
    /// All microphones of `array` work but those that it marks.
    pub fn new(design: &Design, layout: &TileLayout, array: &Array) -> Result<Self, DecimateError> {
        let marked: Vec<bool> = array.live().into_iter().map(|live| !live).collect();
        let n = layout.channels() as usize;
        let states = marked.iter().map(|m| if *m { Health::Masked } else { Health::Ok }).collect();
        Ok(Self {
            layout: *layout,
            neighbours: array.geometry().neighbours(NEIGHBOURS, REACH),
            decimator: ArrayDecimator::new(design, layout)?,
            frames: Vec::new(),
            levels: vec![Level::default(); n],
            marked,
            outliers: vec![false; n],
            runs: vec![(0, 0); n],
            states,
        })
    }

    /// The microphones to leave out beside the marked ones.
    pub fn masked(&self) -> Vec<usize> {
        let bad = |(_, state): &(usize, &Health)| !matches!(state, Health::Ok | Health::Masked);
        self.states.iter().enumerate().filter(bad).map(|(channel, _)| channel).collect()
    }

    /// The channels whose fault is in their bits or level: not to be asked about their neighbours.
    pub fn broken(&self) -> Vec<usize> {
        let outlier = |channel: &usize| self.outliers[*channel];
        self.masked().into_iter().filter(|channel| !outlier(channel)).collect()
    }

    /// The samples of one microphone in the last block, full scale 1.
    pub fn sound(&self, channel: usize) -> Vec<f32> {
        let settled = self.frames.iter().skip(SETTLING * self.levels.len() + channel);
        settled.step_by(self.levels.len()).map(|code| *code as f32 / FULL_SCALE as f32).collect()
    }

    /// Takes the verdict of the neighbours at the chosen frequencies.
    pub fn set_outliers(&mut self, channels: impl Iterator<Item = usize>) {
        self.outliers.fill(false);
        for channel in channels {
            if let Some(outlier) = self.outliers.get_mut(channel) {
                *outlier = true;
            }
        }
    }

    /// Takes a block of rows, and judges nobody.
    pub fn hear(&mut self, rows: &[u8]) {
        self.frames.clear();
        let _ = self.decimator.process(rows, &mut self.frames);
    }

    /// Judges a block of rows; whether a state changed.
    pub fn check(&mut self, rows: &[u8]) -> bool {
        self.hear(rows);
        self.measure();
        let mut faults: Vec<Health> = self.levels.iter().map(of_level).collect();
        stuck_bits(rows, &self.layout).into_iter().for_each(|channel| faults[channel] = Health::Stuck);
        let loud: Vec<bool> = (0..faults.len()).map(|channel| self.is_loud(channel, &faults)).collect();
        for ((fault, loud), outlier) in faults.iter_mut().zip(loud).zip(&self.outliers) {
            if *fault == Health::Ok && (loud || *outlier) {
                *fault = Health::Noisy;
            }
        }
        self.decide(&faults)
    }

    /// Levels of the settled part of the block.
    fn measure(&mut self) {
        let channels = self.levels.len();
        let settled = self.frames.get(SETTLING * channels..).unwrap_or_default();
        let count = (settled.len() / channels) as f64;
        if count == 0.0 {
            return;
        }
        let limit = (CLIPPED * f64::from(FULL_SCALE)) as i32;
        let (mut sums, mut squares, mut beyond) =
            (vec![0.0; channels], vec![0.0; channels], vec![0u32; channels]);
        for frame in settled.chunks_exact(channels) {
            for (((code, sum), square), beyond) in
                frame.iter().zip(&mut sums).zip(&mut squares).zip(&mut beyond)
            {
                let x = f64::from(*code);
                *sum += x;
                *square += x * x;
                *beyond += u32::from(code.abs() > limit);
            }
        }
        for (((level, sum), square), beyond) in self.levels.iter_mut().zip(sums).zip(squares).zip(beyond) {
            let mean = sum / count;
            level.rms = (square / count - mean * mean).max(0.0).sqrt() / f64::from(FULL_SCALE);
            level.clipped = f64::from(beyond) / count;
        }
    }

    /// Whether a microphone stands out of all neighbours that work.
    fn is_loud(&self, channel: usize, faults: &[Health]) -> bool {
        let works = |&&other: &&usize| {
            faults[other] == Health::Ok && !self.marked[other] && self.states[other] == Health::Ok
        };
        let others = self.neighbours[channel].iter().filter(works);
        let loudest = others.map(|&other| self.levels[other].rms).fold(0.0, f64::max);
        loudest > 0.0 && self.levels[channel].rms > LOUD * loudest
    }

    fn decide(&mut self, faults: &[Health]) -> bool {
        let mut changed = false;
        let all = self.states.iter_mut().zip(&mut self.runs).zip(faults).zip(&self.marked);
        for (((state, (bad, good)), fault), marked) in all {
            if *marked {
                continue;
            }
            (*bad, *good) = if *fault == Health::Ok { (0, *good + 1) } else { (*bad + 1, 0) };
            let new = match *state {
                Health::Ok if *bad >= BAD => *fault,
                Health::Ok => Health::Ok,
                _ if *good >= GOOD => Health::Ok,
                _ if *bad >= BAD => *fault,
                old => old,
            };
            changed |= new != *state;
            *state = new;
        }
        changed
    }
}

fn of_level(level: &Level) -> Health {
    if level.rms < SILENT {
        Health::Dead
    } else if level.clipped > CLIPPED_PART {
        Health::Saturated
    } else {
        Health::Ok
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hil_sim::faults::{Chosen, Fault, Trouble};
    use hil_sim::{Bench, Scene, Simulator};
    use signal::filter_design::Specification;

    #[test]
    fn every_fault_is_found_in_time_and_forgiven_in_time() {
        let layout = TileLayout::new(8, 8, 8).unwrap();
        let array = hil_sim::Array { layout, ..hil_sim::Array::CAMERA };
        let mut bench = Bench::new(Scene::named("monopole").unwrap(), array, hil_sim::Settings::default());
        // None beside another: two of a kind vouch for each other.
        let faults = [
            (9, Trouble::Idle, Health::Dead),
            (12, Trouble::Zero, Health::Stuck),
            (33, Trouble::One, Health::Stuck),
            (36, Trouble::Noisy { rms_pa: 5.0 }, Health::Noisy),
            (54, Trouble::Saturated { gain_db: 40.0 }, Health::Saturated),
        ];
        let block_s = ROWS as f64 / 1.5e6;
        bench.faults = faults
            .iter()
            .map(|(microphone, trouble, _)| Fault {
                chosen: Chosen::List(vec![*microphone]),
                trouble: *trouble,
                from_s: 2.0 * block_s,
                to_s: 6.0 * block_s,
            })
            .collect();
        let mut simulator = Simulator::of(&bench).unwrap();
        let design = Design::with_taps(Specification::DEFAULT, dsp_core::decimator::TAPS.to_vec());
        let marked = Array::regular(8, 8, array.pitch).unwrap().without(&[63]).unwrap();
        let mut monitor = Monitor::new(&design, &layout, &marked).unwrap();
        let mut rows = vec![0; ROWS * layout.row_bytes()];
        for block in 0..20 {
            simulator.fill(&mut rows);
            monitor.check(&rows);
            let expected: Vec<usize> =
                if (3..15).contains(&block) { vec![9, 12, 33, 36, 54] } else { vec![] };
            assert_eq!(monitor.masked(), expected, "block {block}: {:?}", monitor.states);
            if block == 5 {
                for (microphone, _, state) in faults {
                    assert_eq!(monitor.states[microphone as usize], state, "microphone {microphone}");
                }
            }
            assert_eq!(monitor.states[63], Health::Masked);
        }
    }

    /// An array whose channels are wired the other way round in every second row: neighbours are by place, not by number.
    #[test]
    fn neighbours_are_those_of_the_geometry() {
        let layout = TileLayout::new(8, 8, 8).unwrap();
        let place = |channel: usize| {
            let (row, col) = (channel / 8, channel % 8);
            [0.02 * if row % 2 == 1 { 7 - col } else { col } as f64, 0.02 * row as f64, 0.0]
        };
        let places: Vec<[f64; 3]> = (0..64).map(place).collect();
        let array = Array::new(signal::array::Geometry::new(&places, None).unwrap());
        let design = Design::with_taps(Specification::DEFAULT, dsp_core::decimator::TAPS.to_vec());
        let mut monitor = Monitor::new(&design, &layout, &array).unwrap();
        for (channel, near) in monitor.neighbours.iter().enumerate() {
            let edges = [place(channel)[0] / 0.02, (channel / 8) as f64];
            let on_edge = edges.iter().filter(|at| at.round() == 0.0 || at.round() == 7.0).count();
            assert_eq!(near.len(), [8, 5, 3][on_edge], "{channel}: {near:?}");
        }
        // Channel 8 is at the far end of its row: 7 is before it, 0 is not. Loud beside a loud one is a source.
        monitor.levels.fill(Level { rms: 0.01, clipped: 0.0 });
        (monitor.levels[8].rms, monitor.levels[7].rms) = (0.1, 0.05);
        let faults = [Health::Ok; 64];
        assert!(!monitor.is_loud(8, &faults));
        (monitor.levels[7].rms, monitor.levels[0].rms) = (0.01, 0.05);
        assert!(monitor.is_loud(8, &faults));
    }

    #[test]
    fn outliers_are_masked_but_not_broken() {
        let layout = TileLayout::new(8, 8, 8).unwrap();
        let bench = Bench::new(
            Scene::named("monopole").unwrap(),
            hil_sim::Array { layout, ..hil_sim::Array::CAMERA },
            hil_sim::Settings::default(),
        );
        let mut simulator = Simulator::of(&bench).unwrap();
        let design = Design::with_taps(Specification::DEFAULT, dsp_core::decimator::TAPS.to_vec());
        let mut monitor = Monitor::new(&design, &layout, &Array::regular(8, 8, 0.02).unwrap()).unwrap();
        monitor.set_outliers([5, 999].into_iter());
        let mut rows = vec![0; ROWS * layout.row_bytes()];
        for _ in 0..BAD {
            simulator.fill(&mut rows);
            monitor.check(&rows);
        }
        assert_eq!((monitor.masked(), monitor.broken()), (vec![5], vec![]));
        assert_eq!(monitor.sound(5).len(), ROWS / 32 - SETTLING);
    }
}
