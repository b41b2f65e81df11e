//! What the tests of this module share: analytic fields, random numbers, wounded texts.

use hil_sim::{Source, source::Plate};
use num_complex::Complex;
use numerics::random::SplitMix64;

use super::Field;

/// Standoff of the tests in metres: two pitches.
pub(super) const STANDOFF: f64 = 0.04;

pub(super) fn field(frequency_hz: f64) -> Field {
    Field { frequency_hz, standoff_m: STANDOFF, sound_speed: hil_sim::SPEED_OF_SOUND }
}

/// A monopole 3 cm behind the plane that is at the standoff.
pub(super) fn monopole(x: f64, y: f64) -> Source {
    Source::Monopole { position: [x, y, -0.03], amplitude: Complex::new(0.3, 0.4) }
}

/// A 3 x 2 mode of a plate in the plane at the standoff; it has nodal lines.
pub(super) fn plate() -> Source {
    let (centre, sides) = ([0.01, -0.02, 0.0], [0.42, 0.3]);
    Source::Plate(Plate { centre, sides, mode: [3, 2], rotation: 0.3, velocity: Complex::new(1e-3, 0.0) })
}

/// Pressure at places of the array.
pub(super) fn pressure(source: &Source, frequency_hz: f64, places: &[[f64; 2]]) -> Vec<Complex<f64>> {
    places.iter().map(|&[x, y]| source.pressure(frequency_hz, [x, y, STANDOFF])).collect()
}

/// Multiplies every value with 1 + a complex normal number of this rms value.
pub(super) fn scatter(values: &mut [Complex<f64>], rms: f64, random: &mut SplitMix64) {
    for value in values {
        let error = Complex::new(random.normal(), random.normal()) * rms / 2f64.sqrt();
        *value *= 1.0 + error;
    }
}

pub(super) fn below(random: &mut SplitMix64, n: usize) -> usize {
    (random.integer() % n as u64) as usize
}

/// `count` different numbers below `n`.
pub(super) fn draw(random: &mut SplitMix64, count: usize, n: usize) -> Vec<usize> {
    let mut drawn = Vec::new();
    while drawn.len() < count {
        let next = below(random, n);
        if !drawn.contains(&next) {
            drawn.push(next);
        }
    }
    drawn
}

/// `text` with up to four wounds: bits, cuts, copies, and tokens of the format in odd places.
pub(super) fn wounded(text: &str, tokens: &[&str], random: &mut SplitMix64) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=below(random, 4) {
        let at = below(random, bytes.len().max(1)).min(bytes.len());
        let end = (at + below(random, 24)).min(bytes.len());
        let token = tokens[below(random, tokens.len())].bytes();
        match below(random, 7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << below(random, 7),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..end)),
            3 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
            4 => drop(bytes.splice(at..end, token)),
            _ => replace_number(&mut bytes, token, random),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Puts a token in the place of one of the numbers.
fn replace_number(text: &mut Vec<u8>, token: impl Iterator<Item = u8>, random: &mut SplitMix64) {
    let digit = |b: &u8| b.is_ascii_digit() || b".-".contains(b);
    let starts: Vec<_> = (1..text.len()).filter(|&i| digit(&text[i]) && !digit(&text[i - 1])).collect();
    if starts.is_empty() {
        return;
    }
    let start = starts[below(random, starts.len())];
    let end = text[start..].iter().position(|b| !digit(b)).map_or(text.len(), |n| start + n);
    text.splice(start..end, token);
}

/// Tokens that are trouble in any text format.
pub(super) const TOKENS: &[&str] = &[
    "0",
    "-0.0",
    "1",
    "2",
    "7",
    "1e-7",
    "0.02",
    "-0.02",
    "0.0201",
    "1e3",
    "1e308",
    "1e999",
    "5e-324",
    "nan",
    "-inf",
    "NaN",
    "65536",
    "18446744073709551616",
    "-1",
    "dead",
    "default",
    "\"",
    "'",
    "[",
    "]",
    "[]",
    "#",
    ",",
    "=",
    "<",
    "/>",
    "&lt;",
    "<!DOCTYPE a [<!ENTITY b \"c\">]>",
    "\n",
    "\r\n",
    "\t ",
    "é",
    "\u{feff}",
    "true",
    "{}",
];
