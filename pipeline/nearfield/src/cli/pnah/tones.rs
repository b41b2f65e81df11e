//! The strongest tones of a window, for those who do not know their frequencies yet.

use super::super::{Context, Result};
use crate::cli::exit::refuse;
use num_complex::Complex;
use pipeline::files::sigmf::Recording;
use pipeline::signal::array::stuck_bits;
use pipeline::signal::front_end::{FrontEnd, Method, Settings};

/// Tones that are taken at most.
pub const MOST: usize = 4;
/// Power of a tone over the median bin, at least: 20 dB.
const ABOVE_MEDIAN: f64 = 100.0;
/// A Hann window spreads a tone over two bins either side of its own.
const SPREAD: usize = 2;

/// Bins of the strongest tones below `limit_hz`, from low to high, by the mean power of all microphones.
pub fn strongest(
    context: &Context,
    recording: &mut Recording,
    settings: &Settings,
    first: u64,
    limit_hz: f64,
) -> Result<Vec<usize>> {
    let method = Method::Nominal;
    let mut settings = Settings { method, taper: method.taper(), ..settings.clone() };
    let bins: Vec<usize> =
        (SPREAD..=settings.highest_bin()).take_while(|k| settings.frequency_hz(*k) < limit_hz).collect();
    settings.bins.clone_from(&bins);
    let mut front_end = FrontEnd::<f32>::new(&settings)?;
    let channels = settings.layout.channels() as usize;
    let mut rows =
        vec![0; settings.layout.row_bytes() * (front_end.history_rows() + front_end.window_rows())];
    recording.read_rows(first - front_end.history_rows() as u64, &mut rows)?;
    if stuck_bits(&rows, &settings.layout).len() == channels {
        refuse!("the bits of no microphone change in this window: is the array connected?");
    }
    let mut spectra = vec![Complex::default(); channels * bins.len()];
    front_end.holograms(&rows, &mut spectra)?;
    let powers: Vec<f64> =
        spectra.chunks_exact(channels).map(|bin| bin.iter().map(|x| f64::from(x.norm_sqr())).sum()).collect();
    let peaks = peaks(&powers);
    if peaks.is_empty() {
        refuse!("no tone stands out of this recording; choose a --frequency");
    }
    let found: Vec<usize> = peaks.iter().map(|&i| bins[i]).collect();
    let text: Vec<String> = found.iter().map(|&k| format!("{:.1}", settings.frequency_hz(k))).collect();
    context.say(format!("strongest tones: {} Hz", text.join(", ")));
    Ok(found)
}

/// Indices of the strongest local maxima that stand out, in order.
fn peaks(powers: &[f64]) -> Vec<usize> {
    let mut sorted = powers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let floor = ABOVE_MEDIAN * sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    let is_peak = |&i: &usize| {
        let around = &powers[i.saturating_sub(SPREAD)..(i + SPREAD + 1).min(powers.len())];
        powers[i] > floor && around.iter().all(|p| *p <= powers[i])
    };
    let mut found: Vec<usize> = (0..powers.len()).filter(is_peak).collect();
    found.sort_by(|a, b| powers[*b].total_cmp(&powers[*a]));
    found.truncate(MOST);
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_tones_are_found_and_their_skirts_are_not() {
        let mut powers = vec![1.0; 100];
        for (at, power) in
            [(10, 1e4), (12, 900.0), (40, 200.0), (60, 1e6), (61, 9e5), (80, 300.0), (95, 50.0)]
        {
            powers[at] = power;
        }
        assert_eq!(peaks(&powers), [10, 40, 60, 80]);
        powers[90] = 400.0;
        assert_eq!(peaks(&powers), [10, 60, 80, 90]);
        assert!(peaks(&[1.0; 50]).is_empty());
        assert!(peaks(&[]).is_empty());
    }
}
