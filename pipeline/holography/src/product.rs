//! What an instrument makes and shows: maps, spectra, the microphones' health, and how it does.

use num_complex::Complex;
use serde::{Serialize, Serializer};
use signal::front_end::Method;
use signal::ingest::Counters;

/// Most rows and most columns of a map.
pub const MOST_POINTS: usize = 1024;

/// Points and shape of a map differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{points} values for a map of {rows} by {cols} points (at most {MOST_POINTS} each way)")]
pub struct MapShape {
    /// Of the shape.
    pub rows: usize,
    /// Of the shape.
    pub cols: usize,
    /// Values given.
    pub points: usize,
}

/// A field on the source plane, row by row from the top.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// Peak pressure, Pa.
    Amplitude(Vec<f32>),
    /// Complex peak pressure, Pa; the page can show its phase too.
    Pressure(Vec<Complex<f32>>),
}

impl Field {
    /// Points of the field.
    pub fn len(&self) -> usize {
        match self {
            Self::Amplitude(values) => values.len(),
            Self::Pressure(values) => values.len(),
        }
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A map's way through the instrument, in seconds of one clock (the viewer shows differences only).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stamps {
    /// The window's first sample was taken.
    pub first_sample: f64,
    /// Its last row came into the ring.
    pub ring_in: f64,
    /// The device began.
    pub device_in: f64,
    /// The device was done.
    pub device_out: f64,
    /// The map was handed over.
    pub sink: f64,
}

/// What a reader of a map must know before trusting it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// Rows of the window are missing.
    pub holes: bool,
    /// Microphones were left out and interpolated.
    pub masked: bool,
    /// The device failed and the CPU computed this.
    pub fallback: bool,
    /// The stream began anew before this map: the source started again, or a gap was too long to fill.
    pub restarted: bool,
    /// The k-filter is not chosen yet: only the coarsest features are there.
    pub provisional: bool,
}

impl Flags {
    /// A bit each, from the lowest in the order of the fields.
    pub fn bits(self) -> u16 {
        let Self { holes, masked, fallback, restarted, provisional } = self;
        let flags = [provisional, restarted, fallback, masked, holes];
        flags.iter().fold(0, |bits, flag| bits << 1 | u16::from(*flag))
    }
}

/// The field of one frequency on the source plane, centred on the aperture.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    rows: u16,
    cols: u16,
    field: Field,
    /// Counts the maps of the pipeline, shown or not.
    pub sequence: u64,
    /// Hz.
    pub frequency_hz: f64,
    /// How bits became this bin.
    pub method: Method,
    /// From one point to the next along x and along y, m.
    pub pitch_m: [f32; 2],
    /// When.
    pub stamps: Stamps,
    /// What is wrong with it.
    pub flags: Flags,
}

impl Map {
    /// A field of `rows` by `cols` points `pitch_m` apart (x, y); everything else has its default until set.
    pub fn new(rows: usize, cols: usize, pitch_m: [f32; 2], field: Field) -> Result<Self, MapShape> {
        let good = (1..=MOST_POINTS).contains(&rows) && (1..=MOST_POINTS).contains(&cols);
        let points = field.len();
        match (u16::try_from(rows), u16::try_from(cols)) {
            (Ok(r), Ok(c)) if good && rows * cols == points => Ok(Self {
                rows: r,
                cols: c,
                field,
                sequence: 0,
                frequency_hz: 0.0,
                method: Method::default(),
                pitch_m,
                stamps: Stamps::default(),
                flags: Flags::default(),
            }),
            _ => Err(MapShape { rows, cols, points }),
        }
    }

    /// Rows and columns.
    pub fn shape(&self) -> (u16, u16) {
        (self.rows, self.cols)
    }

    /// The values.
    pub fn field(&self) -> &Field {
        &self.field
    }
}

/// A point of the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Point {
    /// From the top.
    pub row: usize,
    /// From the left.
    pub col: usize,
}

/// Spectrum at one point of the source plane or of the array.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spectrum {
    /// Where.
    pub point: Point,
    /// Frequency of the first value, Hz.
    pub first_hz: f64,
    /// From one value to the next, Hz.
    pub step_hz: f64,
    /// Peak pressure, Pa.
    pub pressure_pa: Vec<f32>,
}

/// State of a microphone. On the wire it is one letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// `o`: works.
    Ok,
    /// `d`: no signal.
    Dead,
    /// `s`: its bit does not change.
    Stuck,
    /// `n`: more noise than its neighbours.
    Noisy,
    /// `c`: clips.
    Saturated,
    /// `m`: left out by the user or by calibration.
    Masked,
}

impl Health {
    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            Self::Ok => 'o',
            Self::Dead => 'd',
            Self::Stuck => 's',
            Self::Noisy => 'n',
            Self::Saturated => 'c',
            Self::Masked => 'm',
        }
    }
}

/// Latencies so far, from last sample to sink unless the pipeline says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Latency {
    /// Upper edge in seconds and count of every bin, edges rising.
    pub bins: Vec<(f64, u64)>,
    /// Half are faster, s.
    pub p50_s: f64,
    /// 99 % are faster, s.
    pub p99_s: f64,
    /// 99.9 % are faster, s.
    pub p999_s: f64,
    /// The slowest, s.
    pub max_s: f64,
    /// The configured bound, s.
    pub deadline_s: Option<f64>,
    /// How many were slower than that.
    pub misses: u64,
}

/// What the recorder does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Recording {
    /// Nothing.
    #[default]
    Off,
    /// It writes.
    On {
        /// The recording.
        name: String,
        /// Written so far.
        bytes: u64,
    },
    /// It had to stop.
    Failed {
        /// Why.
        reason: String,
    },
}

/// Something the user should know until acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Its number, by which it is acknowledged.
    pub id: u64,
    /// How bad.
    pub severity: Severity,
    /// One sentence.
    pub text: String,
}

/// How bad a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Note,
    /// Results may be worse.
    Warning,
    /// Something does not work.
    Error,
}

/// Values that a full ring dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// The ring.
    pub ring: String,
    /// How many.
    pub count: u64,
}

/// How the instrument does, and which settings are in force.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Status {
    /// Since the start, s.
    pub running_s: f64,
    /// Bits taken in, 1/s.
    pub bits_per_s: f64,
    /// Holograms made, 1/s.
    pub holograms_per_s: f64,
    /// Of the ingest.
    pub ingest: Counters,
    /// Of the rings.
    pub dropped: Vec<Dropped>,
    /// From last bit to result.
    pub latency: Latency,
    /// Of the recorder.
    pub recording: Recording,
    /// What computes, such as "CPU, 2 threads".
    pub device: String,
    /// In force, Hz; the first one is on the map.
    pub frequencies_hz: Vec<f64>,
    /// In force.
    #[serde(serialize_with = "as_text")]
    pub method: Method,
    /// In force, such as `auto` or `50:0.3`.
    pub filter: String,
    /// Not yet acknowledged.
    pub messages: Vec<Message>,
}

fn as_text<S: Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_has_as_many_values_as_points() {
        let of = |rows, cols, points| Map::new(rows, cols, [0.02; 2], Field::Amplitude(vec![0.0; points]));
        assert_eq!(of(2, 3, 6).unwrap().shape(), (2, 3));
        for (rows, cols, points) in [(2, 3, 5), (0, 3, 0), (1025, 1, 1025), (1, usize::MAX, 1)] {
            assert_eq!(of(rows, cols, points), Err(MapShape { rows, cols, points }));
        }
    }
}
