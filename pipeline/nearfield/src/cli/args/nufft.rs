//! Options of `nearfield nufft`.

use clap::Args;
use pipeline::nufft::Sign;
use pipeline::nufft::design::Kind;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = include_str!("nufft.txt"))]
pub struct Nufft {
    /// Which sum: 1 (points to modes), 2 (modes to points) or 3 (points to frequencies)
    #[arg(long = "type", value_name = "1|2|3", value_parser = clap::value_parser!(u8).range(1..=3))]
    pub kind: u8,
    /// Archive with the points and their values, or the modes
    #[arg(long, value_name = "IN.npz")]
    pub input: PathBuf,
    /// Archive to write or replace
    #[arg(long, value_name = "OUT.npz")]
    pub output: PathBuf,
    /// Modes along x, then y, then z; needed for type 1, and for type 2 the shape of f says them
    #[arg(long, value_name = "N1[,N2[,N3]]", value_delimiter = ',')]
    pub modes: Vec<usize>,
    /// Relative error (l2) of the result; by default 1e-9, for complex64 1e-6
    #[arg(long, value_name = "EPS", allow_negative_numbers = true)]
    pub eps: Option<f64>,
    /// Sign of the exponent: -1 or +1
    #[arg(long, value_name = "-1|+1", default_value = "-1", allow_hyphen_values = true, value_parser = sign)]
    pub sign: Sign,
    /// Window: pswf (prolate), es (exponential of semicircle) or kaiser:K (the paper's, K from 1 to 8, whose error is its own
    /// whatever --eps is)
    #[arg(long, value_name = "WINDOW", default_value = "pswf", value_parser = window)]
    pub window: Kind,
}

fn sign(text: &str) -> Result<Sign, String> {
    match text {
        "-1" => Ok(Sign::Negative),
        "+1" | "1" => Ok(Sign::Positive),
        _ => Err(format!("'{text}' is no sign: use -1 or +1")),
    }
}

fn window(text: &str) -> Result<Kind, String> {
    let wrong = || format!("'{text}' is no window: use pswf, es or kaiser:K with K from 1 to 8");
    match text.split_once(':') {
        None if text == "pswf" => Ok(Kind::Prolate),
        None if text == "es" => Ok(Kind::Semicircle),
        Some(("kaiser", k)) => k.parse().map(Kind::Kaiser).map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_and_signs_read_back() {
        for text in ["pswf", "es", "kaiser:3"] {
            assert_eq!(window(text).unwrap().to_string(), text);
        }
        for text in ["", "kaiser", "kaiser:", "kaiser:-1", "pswf:3", "gauss"] {
            assert!(window(text).is_err(), "{text}");
        }
        assert_eq!(sign("+1"), Ok(Sign::Positive));
        assert_eq!(sign("1"), Ok(Sign::Positive));
        assert_eq!(sign("-1"), Ok(Sign::Negative));
        for text in ["", "0", "-", "2", "plus"] {
            assert!(sign(text).is_err(), "{text}");
        }
    }
}
