//! `nearfield pnah --compare A B`: how far two results are apart.

use super::super::exit::usage;
use super::super::{Context, Result};
use crate::cli::exit::refuse;
use num_complex::Complex;
use pipeline::files::npz;
use pipeline::holography::metrics::compare;
use serde_json::json;
use std::path::Path;

/// Array that is compared unless another is named.
const ARRAY: &str = "source";
/// Frequencies that differ by a smaller part are the same, rounded.
const SAME: f64 = 1e-6;

/// Prints the errors of the second file against the first, field by field.
pub fn run(context: &Context, files: &[String]) -> Result<()> {
    let [a, b] = files else { return Err(usage("--compare needs two files")) };
    let (reference, test) = (Fields::read(a)?, Fields::read(b)?);
    if reference.shape != test.shape {
        refuse!("{a} has the shape {:?}, {b} {:?}: only equal shapes compare", reference.shape, test.shape);
    }
    if let (Some(first), Some(second)) = (&reference.frequencies, &test.frequencies)
        && first.iter().zip(second).any(|(f, g)| (f - g).abs() > SAME * f.abs())
    {
        context.warn(format!("the frequencies differ: {first:.1?} Hz in {a}, {second:.1?} Hz in {b}"));
    }
    context.say(format!("{:>12} {:>10} {:>10} {:>12}", "", "RMSRE", "NSAD", "relative L2"));
    let mut logarithms = 0.0;
    for (n, (first, second)) in reference.fields().zip(test.fields()).enumerate() {
        let result = compare(first, second).map_err(|e| usage(format!("field {n}: {e}")))?;
        let frequency = reference.frequencies.as_ref().or(test.frequencies.as_ref()).and_then(|f| f.get(n));
        let name = frequency.map_or_else(|| format!("field {n}"), |f| format!("{f:.1} Hz"));
        let percent = |x: f64| format!("{:.3} %", 100.0 * x);
        let [rmsre, nsad, l2] = [result.rmsre, result.nsad, result.relative_l2];
        context.say(format!("{name:>12} {:>10} {:>10} {:>12}", percent(rmsre), percent(nsad), percent(l2)));
        context.emit(&json!({
            "field": n, "frequency_hz": frequency, "rmsre": rmsre, "nsad": nsad, "relative_l2": l2,
        }));
        logarithms += l2.ln();
    }
    let mean = (logarithms / reference.count() as f64).exp();
    context.say(format!("geometric mean of the relative L2 errors: {:.3} %", 100.0 * mean));
    context.emit(&json!({ "relative_l2_geometric_mean": mean }));
    Ok(())
}

struct Fields {
    values: Vec<Complex<f64>>,
    shape: Vec<usize>,
    frequencies: Option<Vec<f64>>,
}

impl Fields {
    /// `FILE` or `FILE:ARRAY`.
    fn read(text: &str) -> Result<Self> {
        let whole = Path::new(text);
        let (path, name) = match text.rsplit_once(':') {
            Some((path, name)) if !whole.exists() => (Path::new(path), name),
            _ => (whole, ARRAY),
        };
        let (values, shape) = npz::read_complex(path, name)?;
        if values.is_empty() || shape.len() < 2 {
            refuse!("{text}: the shape {shape:?} is no stack of fields");
        }
        let frequencies =
            ["frequency_hz", "bin_freqs"].iter().find_map(|name| npz::read_real(path, name).ok());
        Ok(Self { values, shape, frequencies: frequencies.map(|(values, _)| values) })
    }

    /// The last two axes are one field.
    fn fields(&self) -> impl Iterator<Item = &[Complex<f64>]> {
        let [.., rows, cols] = self.shape[..] else { unreachable!("checked when read") };
        self.values.chunks_exact(rows * cols)
    }

    fn count(&self) -> usize {
        self.fields().count()
    }
}
