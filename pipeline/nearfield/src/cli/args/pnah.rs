//! Options of `nearfield pnah`.

use clap::{Args, ValueEnum};
use pipeline::holography::Padding;
use pipeline::holography::camera::FilterRule;
use pipeline::signal::front_end::{FrontEndError, Method, Taper};
use std::fmt;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = include_str!("pnah.txt"))]
pub struct Pnah {
    /// The recording: NAME, NAME.sigmf-meta or NAME.sigmf-data
    #[arg(required_unless_present = "compare")]
    pub recording: Option<PathBuf>,
    /// Folder for the results
    #[arg(long, default_value = "nearfield-pnah", value_name = "DIR")]
    pub out: PathBuf,
    /// Compare two results instead: RMSRE, NSAD and relative L2 error of the second against the first; FILE.npz or
    /// FILE.npz:ARRAY, the array `source` by default
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with = "recording")]
    pub compare: Option<Vec<String>>,
    #[command(flatten)]
    pub what: What,
    #[command(flatten)]
    pub how: How,
    #[command(flatten)]
    pub where_: Where,
}

/// Which sound.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Which sound")]
pub struct What {
    /// Frequencies, each taken to the nearest bin; without them or --bins, the strongest tones
    #[arg(
        long,
        value_name = "HZ",
        value_delimiter = ',',
        conflicts_with = "bins",
        allow_negative_numbers = true
    )]
    pub frequency: Vec<f64>,
    /// Bins of the window's spectrum (45.8 Hz apart for the camera's 1024 samples)
    #[arg(long, value_name = "K", value_delimiter = ',')]
    pub bins: Vec<usize>,
    /// First time sample of the window; by default the recording's first valid one
    #[arg(long, value_name = "N", conflicts_with = "window")]
    pub skip: Option<u64>,
    /// Window number, one after the other from the first valid time sample
    #[arg(long, value_name = "I")]
    pub window: Option<u64>,
    /// Decimated samples of the window (32 time samples each)
    #[arg(long, default_value_t = 1024, value_name = "N")]
    pub samples: usize,
    /// Follow the sound to the end of the recording and write a film (GIF) for every frequency
    #[arg(long)]
    pub animate: bool,
    /// Time samples from one frame of the film to the next; by default the length of the window
    #[arg(long, value_name = "N", requires = "animate")]
    pub hop: Option<u64>,
}

/// How it is computed.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How")]
pub struct How {
    /// From bits to bins: auto (dot or nominal, whichever is cheaper), nominal (CIC, FIR, FFT), dot (the same by dot products),
    /// average (popcounts), walsh, bits (exact)
    #[arg(long, default_value = "auto", value_name = "METHOD", value_parser = method)]
    pub method: MethodChoice,
    /// Walsh coefficients for every bin, or all
    #[arg(long, default_value = "all", value_name = "K", value_parser = coefficients)]
    pub coefficients: Coefficients,
    /// Window over time: hann or none; by default hann behind a decimator, none for average, walsh and bits
    #[arg(long, value_name = "TAPER")]
    pub taper: Option<Taper>,
    /// Beyond the aperture: lpbp or lpbp:ORDER (linear prediction; the default, of order 6), plpbp or plpbp:ORDER (planar), zero
    #[arg(long, value_name = "PAD", value_parser = padding)]
    pub pad: Option<Padding>,
    /// Side of the padded grid; by default three times the array's
    #[arg(long, value_name = "N")]
    pub grid: Option<usize>,
    /// k-filter: auto, lcurve, none or CUTOFF:SLOPE (rad/m and 1), such as 50:0.3
    #[arg(long, default_value = "auto", value_name = "FILTER")]
    pub filter: FilterRule,
    /// What to compute on the source plane, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "pressure")]
    pub quantity: Vec<Quantity>,
    /// Finer output: points for every microphone, each way
    #[arg(long, default_value_t = 1, value_name = "U")]
    pub refine: usize,
}

/// Where it is computed, and with which array.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Where")]
pub struct Where {
    /// Distance of the microphones from the source plane (with --forward, of the other plane beyond them)
    #[arg(long, value_name = "M", required_unless_present = "compare", allow_negative_numbers = true)]
    pub standoff: Option<f64>,
    /// Go away from the source instead of back to it
    #[arg(long)]
    pub forward: bool,
    /// Temperature of the air, which sets speed of sound and density; without it 343 m/s and 1.2 kg/m3
    #[arg(long, value_name = "CELSIUS", allow_negative_numbers = true)]
    pub temperature: Option<f64>,
    /// Speed of sound
    #[arg(long, value_name = "M/S", conflicts_with = "temperature", allow_negative_numbers = true)]
    pub speed_of_sound: Option<f64>,
    /// Positions of the microphones: MicArray XML (Acoular) or TOML; by default the recording's grid. `irregular` for spirals and
    /// random arrays: plane waves are fitted to the microphones of --positions, instead of interpolation between near ones
    #[arg(long, value_name = "FILE|irregular")]
    pub array: Option<ArrayChoice>,
    /// Positions of the microphones of --array irregular: MicArray XML or TOML; with rows, cols and pitch_m in the TOML the
    /// holograms are on that grid, else on one as dense as the microphones, inside their outline
    #[arg(long, value_name = "FILE", requires = "array")]
    pub positions: Option<PathBuf>,
    /// Gain and phase of the microphones: TOML or CSV
    #[arg(long, value_name = "FILE")]
    pub calibration: Option<PathBuf>,
    /// Microphones to leave out and interpolate: indices, or auto for all that look broken. Stuck ones are always left out
    #[arg(long, value_name = "I,...|auto", value_delimiter = ',')]
    pub dead: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArrayChoice {
    /// The grid of a file, each point interpolated from the microphones next to it.
    File(PathBuf),
    /// Waves fitted to all microphones.
    Irregular,
}

impl From<&str> for ArrayChoice {
    fn from(text: &str) -> Self {
        if text == "irregular" { Self::Irregular } else { Self::File(text.into()) }
    }
}

impl fmt::Display for ArrayChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Irregular => f.write_str("irregular"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MethodChoice {
    /// Whatever is cheaper for the number of bins.
    Auto,
    /// This one.
    Fixed(Method),
}

fn method(text: &str) -> Result<MethodChoice, String> {
    if text == "auto" {
        return Ok(MethodChoice::Auto);
    }
    let known = "auto, nominal, dot, average, walsh or bits";
    let fixed = text.parse().map(MethodChoice::Fixed);
    fixed.map_err(|_: FrontEndError| format!("'{text}' is no method: use {known}"))
}

/// `--coefficients`: a number, or all.
pub type Coefficients = Option<usize>;

fn coefficients(text: &str) -> Result<Coefficients, String> {
    match text {
        "all" => Ok(None),
        _ => text.parse().map(Some).map_err(|_| format!("'{text}' is neither a number nor all")),
    }
}

fn padding(text: &str) -> Result<Padding, String> {
    Padding::named(text, Padding::ORDER)
        .ok_or_else(|| format!("'{text}' is no padding: use lpbp, plpbp, either with :ORDER, or zero"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Quantity {
    /// Complex pressure, always written
    Pressure,
    /// Velocity of the air along z
    Velocity,
    /// Active intensity along z, and the radiated power
    Intensity,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_read_back() {
        for text in ["lpbp:8", "plpbp:4", "zero"] {
            assert_eq!(padding(text).unwrap().to_string(), text);
        }
        assert_eq!(padding("lpbp").unwrap().to_string(), "lpbp:6");
        for text in ["", "lpbp:", "lpbp:-1", "zero:3", "burg", "lpbp:4:4"] {
            assert!(padding(text).is_err(), "{text}");
        }
        assert_eq!(ArrayChoice::from("irregular"), ArrayChoice::Irregular);
        assert_eq!(ArrayChoice::from("irregular.xml").to_string(), "irregular.xml");
        assert_eq!(coefficients("all"), Ok(None));
        assert_eq!(coefficients("40"), Ok(Some(40)));
        assert!(coefficients("-3").is_err());
        assert!(method("fft").unwrap_err().contains("nominal"));
    }
}
