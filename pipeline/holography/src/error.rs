//! What holography can refuse.

use numerics::failure::{Failure, Kind};
use thiserror::Error as ThisError;

/// Largest refinement of the output.
pub const FINEST: usize = 64;

/// What a plan or a run can refuse.
#[derive(Debug, Clone, PartialEq, ThisError)]
pub enum Error {
    /// A temperature in degrees Celsius at absolute zero or below, or not a number.
    #[error("air at {0} degrees Celsius: the temperature must be above -273.15")]
    Temperature(f64),
    /// No microphones, or a pitch that is not a positive length.
    #[error("aperture of {rows} x {cols} microphones at a pitch of {pitch} m: all three must be positive")]
    Aperture {
        /// Microphones down a column.
        rows: usize,
        /// Microphones along a row.
        cols: usize,
        /// Pitch, m.
        pitch: f64,
    },
    /// The padded grid cuts the aperture.
    #[error("padded grid of {grid} points for {measured} microphones: it must be at least as large")]
    Grid {
        /// Points of the grid along one edge.
        grid: usize,
        /// Microphones along that edge.
        measured: usize,
    },
    /// More points than can be indexed.
    #[error("padded grid of {rows} x {cols} points: at most 2^32 - 1 in all")]
    GridSize {
        /// Rows of the grid.
        rows: usize,
        /// Columns of the grid.
        cols: usize,
    },
    /// The k-filter makes no sense.
    #[error(
        "k-filter {cutoff} rad/m : {slope}: the cutoff must be positive, the slope finite and not negative"
    )]
    Filter {
        /// k_co, rad/m.
        cutoff: f64,
        /// alpha.
        slope: f64,
    },
    /// A frequency in Hz that is not a positive number.
    #[error("frequency {0} Hz: it must be positive and finite")]
    Frequency(f64),
    /// Half a wavelength is shorter than the pitch.
    #[error(
        "frequency {frequency} Hz: microphones {pitch} m apart alias from {limit} Hz on; \
         choose a lower frequency or a finer array"
    )]
    SpatialAliasing {
        /// What was given, Hz.
        frequency: f64,
        /// First frequency that aliases, Hz.
        limit: f64,
        /// Pitch, m.
        pitch: f64,
    },
    /// A standoff in m that is not a positive number.
    #[error("standoff {0} m: it must be positive and finite")]
    Standoff(f64),
    /// Speed of sound or density is not a positive number.
    #[error(
        "speed of sound {speed_of_sound} m/s, density {density} kg/m^3: both must be positive and finite"
    )]
    Medium {
        /// c, m/s.
        speed_of_sound: f64,
        /// rho, kg/m^3.
        density: f64,
    },
    /// Linear prediction needs more samples than coefficients.
    #[error(
        "linear prediction of order {order} from {samples} samples: the order must be from 1 to {}",
        samples.saturating_sub(1)
    )]
    Order {
        /// What was asked.
        order: usize,
        /// Samples of the shorter line.
        samples: usize,
    },
    /// The output is refined by nothing, or by more than memory allows.
    #[error("output refined {0} times: the factor must be from 1 to {FINEST}")]
    Refinement(usize),
    /// Filter x propagator is too large for the precision.
    #[error(
        "k-filter x propagator reaches exp({exponent:.1}) at {wavenumber:.1} rad/m and {standoff} m, more than \
         exp({limit:.1}): reduce the standoff, filter harder or use f64"
    )]
    Overflow {
        /// Distance, m.
        standoff: f64,
        /// k_r where the product is largest, rad/m.
        wavenumber: f64,
        /// Natural logarithm of the product.
        exponent: f64,
        /// Largest logarithm that the precision allows.
        limit: f64,
    },
    /// Too few microphones to tell noise from field.
    #[error(
        "{rows} x {cols} microphones: the noise estimate needs {needed} each way; give the filter as CUTOFF:SLOPE"
    )]
    TooSmall {
        /// Microphones down a column.
        rows: usize,
        /// Microphones along a row.
        cols: usize,
        /// Fewest along either edge.
        needed: usize,
    },
    /// A plan without holograms.
    #[error("no frequency given: a plan needs at least one")]
    NoFrequency,
    /// There is no such hologram.
    #[error("hologram {index} of a plan for {count}")]
    Hologram {
        /// What was asked.
        index: usize,
        /// What the plan has.
        count: usize,
    },
    /// Input or output has the wrong number of values.
    #[error("{what} with {given} values: the plan needs {needed}")]
    Length {
        /// Which slice.
        what: &'static str,
        /// Its length.
        given: usize,
        /// The right length.
        needed: usize,
    },
    /// The input holds NaN or infinity.
    #[error("hologram {hologram}, row {row}, column {col} is not a finite number")]
    NotFinite {
        /// Which hologram.
        hologram: usize,
        /// Its row.
        row: usize,
        /// Its column.
        col: usize,
    },
    /// Too few microphones for a picture.
    #[error("{count} live microphones at irregular places: at least {fewest} are needed")]
    FewMicrophones {
        /// What there is.
        count: usize,
        /// What is needed.
        fewest: usize,
    },
    /// The microphones reach too far beyond the grid, or its pitch is too fine for them.
    #[error(
        "microphones over {rows:.0} x {cols:.0} waves of the grid's pitch, at most {most:.0} in all: give a coarser grid, \
         or leave the farthest microphones out"
    )]
    Waves {
        /// Along y.
        rows: f64,
        /// Along x.
        cols: f64,
        /// In all.
        most: f64,
    },
    /// A pressure is NaN or infinite.
    #[error("hologram {hologram}, microphone {microphone} is not a finite number")]
    MicrophoneNotFinite {
        /// Which hologram.
        hologram: usize,
        /// Which of the live microphones.
        microphone: usize,
    },
    /// The fit to the microphones does not end.
    #[error(
        "hologram {hologram}: no fit to the microphones within {iterations} iterations; check their positions and the standoff"
    )]
    NotConverged {
        /// Which hologram.
        hologram: usize,
        /// Iterations that were made.
        iterations: usize,
    },
    /// The NUFFT of irregular arrays refuses.
    #[error(transparent)]
    Nufft(#[from] nufft::Error),
    /// Velocity was asked of a plan made without it.
    #[error("this plan has no operator for the normal velocity: make it with `velocity` set")]
    NoVelocity,
    /// The card, or what it needs, failed.
    #[error(transparent)]
    Card(#[from] kernels::Error),
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Nufft(error) => error.kind(),
            Self::Card(error) => error.kind(),
            _ => Kind::Input,
        }
    }
}

/// A slice has as many values as the plan needs.
pub(crate) fn check_length(what: &'static str, given: usize, needed: usize) -> Result<(), Error> {
    if given == needed { Ok(()) } else { Err(Error::Length { what, given, needed }) }
}

impl Error {
    /// Value `index` of `hologram`, whose rows have `cols` values, is not finite.
    pub(crate) fn at(hologram: usize, index: usize, cols: usize) -> Self {
        let cols = cols.max(1);
        Self::NotFinite { hologram, row: index / cols, col: index % cols }
    }
}
