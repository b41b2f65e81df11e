//! Checks of single numbers, which name the field.

use super::error::Error;
use files::case::within;
use signal::decimate::ROWS;

/// A number that has no upper bound.
pub fn at_least<T: PartialOrd + std::fmt::Display>(
    field: &'static str,
    found: T,
    least: T,
) -> Result<T, Error> {
    if found >= least { Ok(found) } else { Err(Error::value(field, found, format!("at least {least}"))) }
}

/// A multiple of the decimator's group, up to a second or so of rows.
pub fn multiple(field: &'static str, found: u64) -> Result<u64, Error> {
    let good = found > 0 && found.is_multiple_of(ROWS as u64) && found <= 1 << 21;
    if good {
        Ok(found)
    } else {
        Err(Error::value(field, found, format!("a multiple of {ROWS}, at most {}", 1 << 21)))
    }
}

/// Milliseconds to seconds, up to a minute.
pub fn milliseconds(field: &'static str, found: Option<f64>) -> Result<Option<f64>, Error> {
    let found = found.map(|ms| within(field, ms, [1e-6, 6e4])).transpose()?;
    Ok(found.map(|ms| 1e-3 * ms))
}
