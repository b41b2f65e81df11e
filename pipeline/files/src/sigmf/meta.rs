//! The metadata of a recording: JSON text to checked numbers and back.
//!
//! Every field that decides how the data bytes are read is checked here, and an error names the file and the
//! field. Fields that are not listed in [`Meta`] are ignored, with four exceptions that would change the
//! meaning of the data: `core:header_bytes`, `core:trailing_bytes`, `core:dataset`, and an unknown extension
//! that is not optional.

use std::ops::Range;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::Error;

/// The one sample type in use: unsigned bytes, so that any SigMF reader can open the file.
pub const DATATYPE: &str = "ru8";
/// One bit per microphone, tile after tile, least significant bit first.
pub const PACKING: &str = "tiles-1bit-le";
/// The version of SigMF that new recordings declare.
pub const SIGMF_VERSION: &str = "1.2.0";

/// Accepted sample rates, in hertz.
const RATE_HZ: (f64, f64) = (1.0, 1e9);
/// Accepted distances between neighbouring microphones, in metres.
const PITCH_M: (f64, f64) = (1e-6, 100.0);
/// Largest number of rows or columns of the grid.
const MAX_SIDE: u16 = 4096;
/// Largest number of microphones: 64 times the camera's.
const MAX_MICROPHONES: u32 = 65536;

/// What a count of time samples or bytes must be.
const WHOLE: &str = "a whole number, not negative";

/// How to read the bytes of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Meta {
    /// `core:version`: the version of SigMF, 1.x.y.
    pub version: String,
    /// `core:sample_rate`: time samples per second, in hertz.
    pub sample_rate_hz: f64,
    /// `nearfield:grid`, first number: rows of microphones.
    pub rows: u16,
    /// `nearfield:grid`, second number: columns of microphones.
    pub cols: u16,
    /// `nearfield:tile_side`: microphones along the side of a square tile. The tiles follow one another
    /// column by column from the left, and in a column from the bottom.
    pub tile_side: u16,
    /// `nearfield:pitch_m`: distance between neighbouring microphones, in metres.
    pub pitch_m: f64,
    /// `nearfield:first_valid`: time samples of filter history before the window that is analysed.
    pub first_valid: u64,
    /// `core:description`: free text.
    pub description: Option<String>,
    /// `nearfield:unfinished`: the recorder has not closed the recording; its end may be within a time sample, which
    /// then does not count.
    pub unfinished: bool,
}

impl Meta {
    /// Bytes per time sample, which is also `core:num_channels`. Exact in a checked `Meta`.
    pub fn row_bytes(&self) -> usize {
        usize::from(self.rows) * usize::from(self.cols) / 8
    }

    /// Reads and checks the text of a metadata file; `path` is for the messages.
    pub fn parse(text: &[u8], path: &Path) -> Result<Self, Error> {
        let root: Value = serde_json::from_slice(text).map_err(|e| json_error(&e, path))?;
        let global = Fields::of(&root, "global", path)?;
        let side = format!("a whole number from 1 to {MAX_SIDE}");
        let sides = format!("two whole numbers [rows, columns] from 1 to {MAX_SIDE}");
        let [rows, cols] = global.get("nearfield:grid", &sides)?;
        let meta = Self {
            version: global.get("core:version", "a string such as \"1.2.0\"")?,
            sample_rate_hz: global.get("core:sample_rate", "a number")?,
            rows,
            cols,
            tile_side: global.get("nearfield:tile_side", &side)?,
            pitch_m: global.get("nearfield:pitch_m", "a number")?,
            first_valid: global.get("nearfield:first_valid", WHOLE)?,
            description: global.0.get("core:description").and_then(Value::as_str).map(str::to_owned),
            unfinished: global.0.get("nearfield:unfinished").and_then(Value::as_bool).unwrap_or(false),
        };
        global.expect_text("core:datatype", DATATYPE)?;
        global.expect_text("nearfield:packing", PACKING)?;
        meta.check(path)?;
        let row_bytes = meta.row_bytes() as u64;
        if global.get::<u64>("core:num_channels", WHOLE)? != row_bytes {
            let expected = format!("{row_bytes}, the bytes of {rows} x {cols} one-bit microphones");
            return Err(global.bad("core:num_channels", expected));
        }
        global.check_extensions()?;
        global.check_plain_data(&root)?;
        Ok(meta)
    }

    /// Checks that the values can describe a recording; `path` is for the messages.
    pub fn check(&self, path: &Path) -> Result<(), Error> {
        let Self { rows, cols, tile_side, .. } = *self;
        let microphones = u32::from(rows) * u32::from(cols);
        let (rate, pitch, grid) = (self.sample_rate_hz, self.pitch_m, format!("[{rows}, {cols}]"));
        let sides = (1..=MAX_SIDE).contains(&rows) && (1..=MAX_SIDE).contains(&cols);
        let tiles = rows.is_multiple_of(tile_side) && cols.is_multiple_of(tile_side);
        let between = |(low, high), unit: &str| format!("between {low} and {high} {unit}");
        let most = format!("two numbers of 1 to {MAX_SIDE}, product at most {MAX_MICROPHONES}");
        let divisor = format!("a divisor of both sides of the grid {grid}");
        let checks = [
            (is_version_1(&self.version), "core:version", self.version.clone(), "1.x.y".into()),
            (within(RATE_HZ, rate), "core:sample_rate", rate.to_string(), between(RATE_HZ, "Hz")),
            (within(PITCH_M, pitch), "nearfield:pitch_m", pitch.to_string(), between(PITCH_M, "m")),
            (sides && microphones <= MAX_MICROPHONES, "nearfield:grid", grid.clone(), most),
            (tiles, "nearfield:tile_side", tile_side.to_string(), divisor),
            (
                microphones.is_multiple_of(8),
                "nearfield:grid",
                grid,
                "a multiple of 8 microphones: whole bytes".into(),
            ),
        ];
        match checks.into_iter().find(|(accepted, ..)| !accepted) {
            Some((_, field, found, expected)) => {
                Err(Error::BadField { path: path.into(), field, found: shorten(found), expected })
            }
            None => Ok(()),
        }
    }

    /// The text of the metadata file. Parsing it gives this `Meta` again.
    pub fn to_json(&self) -> String {
        self.to_json_with(&Holes::default())
    }

    /// The same with the holes: an annotation for each that is listed, and how many there are.
    pub fn to_json_with(&self, holes: &Holes) -> String {
        let mut global = json!({
            "core:datatype": DATATYPE,
            "core:num_channels": self.row_bytes(),
            "core:sample_rate": self.sample_rate_hz,
            "core:version": self.version,
            "core:extensions": [{"name": "nearfield", "version": "1.0.0", "optional": false}],
            "nearfield:packing": PACKING,
            "nearfield:grid": [self.rows, self.cols],
            "nearfield:tile_side": self.tile_side,
            "nearfield:pitch_m": self.pitch_m,
            "nearfield:first_valid": self.first_valid,
        });
        if let Some(description) = &self.description {
            global["core:description"] = json!(description);
        }
        if self.unfinished {
            global["nearfield:unfinished"] = json!(true);
        }
        if holes.count > 0 {
            global["nearfield:holes"] = json!(holes.count);
            global["nearfield:hole_samples"] = json!(holes.samples);
        }
        let annotations: Vec<Value> = holes.listed.iter().map(annotation).collect();
        let root =
            json!({"global": global, "captures": [{"core:sample_start": 0}], "annotations": annotations});
        format!("{root:#}\n")
    }
}

/// Time samples of a recording that are not the sensor's: lost on the way, and filled with idle ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holes {
    /// First time sample and how many, up to [`Holes::MOST_LISTED`] of them: annotations with the label [`Holes::LABEL`].
    pub listed: Vec<(u64, u64)>,
    /// `nearfield:holes`: how many there are, listed or not.
    pub count: u64,
    /// `nearfield:hole_samples`: time samples in all of them.
    pub samples: u64,
}

impl Holes {
    /// Most holes that are listed, a third of a megabyte of text; more are only counted.
    pub const MOST_LISTED: usize = 4096;
    /// `core:label` of their annotations.
    pub const LABEL: &str = "lost, filled with idle rows";

    /// Notes `count` time samples from `start` on. Holes come in order; one that goes on where another ended is part of it.
    pub fn note(&mut self, start: u64, count: u64) {
        self.samples = self.samples.saturating_add(count);
        match self.listed.last_mut().filter(|(first, length)| first + *length == start) {
            Some((_, length)) => *length += count,
            None => {
                self.count += 1;
                if self.listed.len() < Self::MOST_LISTED {
                    self.listed.push((start, count));
                }
            }
        }
    }

    /// Whether time sample `at` is the sensor's, and the sample up to which all others are like it. Where some are not listed, everything
    /// behind the last one that is may be theirs.
    pub fn whole_at(&self, at: u64) -> (bool, u64) {
        let spans = self.listed.iter().map(|(first, count)| (*first, first.saturating_add(*count)));
        let last = spans.clone().map(|(_, end)| end).max().unwrap_or(0);
        let behind = if self.count > self.listed.len() as u64 { last } else { u64::MAX };
        if at >= behind {
            return (false, u64::MAX);
        }
        match spans.clone().filter(|(first, end)| (*first..*end).contains(&at)).map(|(_, end)| end).max() {
            Some(end) => (false, end),
            None => (true, spans.map(|(first, _)| first).filter(|first| *first > at).min().unwrap_or(behind)),
        }
    }

    /// Time samples of `range` that are not the sensor's, or may not be.
    pub fn within(&self, range: Range<u64>) -> u64 {
        let (mut at, mut sum) = (range.start, 0);
        while at < range.end {
            let (whole, end) = self.whole_at(at);
            let end = end.min(range.end);
            sum += if whole { 0 } else { end - at };
            at = end;
        }
        sum
    }

    /// The holes that a metadata file tells of. Other writers may only list them.
    pub fn parse(text: &[u8], path: &Path) -> Result<Self, Error> {
        let root: Value = serde_json::from_slice(text).map_err(|e| json_error(&e, path))?;
        let one = |annotation: &Value| {
            let number = |field| annotation.get(field).and_then(Value::as_u64);
            let ours = annotation.get("core:label").and_then(Value::as_str) == Some(Self::LABEL);
            Some((number("core:sample_start")?, number("core:sample_count")?)).filter(|_| ours)
        };
        let all = root.get("annotations").and_then(Value::as_array).into_iter().flatten();
        let listed: Vec<(u64, u64)> = all.filter_map(one).take(Self::MOST_LISTED).collect();
        let told = |field| root.get("global").and_then(|global| global.get(field)).and_then(Value::as_u64);
        let sum = listed.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
        let count = told("nearfield:holes").unwrap_or(0).max(listed.len() as u64);
        let samples = told("nearfield:hole_samples").unwrap_or(0).max(sum);
        Ok(Self { listed, count, samples })
    }
}

fn annotation(&(start, count): &(u64, u64)) -> Value {
    json!({"core:sample_start": start, "core:sample_count": count, "core:label": Holes::LABEL})
}

/// The members of the object `global`, with the file they are from.
struct Fields<'a>(&'a Map<String, Value>, &'a Path);

impl<'a> Fields<'a> {
    fn of(root: &'a Value, field: &'static str, path: &'a Path) -> Result<Self, Error> {
        let expected = "an object with the fields of SigMF";
        match root.get(field) {
            Some(Value::Object(map)) => Ok(Self(map, path)),
            Some(other) => Err(bad(path, field, other, expected)),
            None => Err(Error::MissingField { path: path.into(), field, expected: expected.into() }),
        }
    }

    /// The error for a value that is missing or wrong.
    fn bad(&self, field: &'static str, expected: impl Into<String>) -> Error {
        match self.0.get(field) {
            Some(found) => bad(self.1, field, found, expected),
            None => Error::MissingField { path: self.1.into(), field, expected: expected.into() },
        }
    }

    fn get<T: DeserializeOwned>(&self, field: &'static str, expected: &str) -> Result<T, Error> {
        self.0
            .get(field)
            .and_then(|value| T::deserialize(value).ok())
            .ok_or_else(|| self.bad(field, expected))
    }

    fn expect_text(&self, field: &'static str, only: &str) -> Result<(), Error> {
        let expected = format!("\"{only}\", the only one supported");
        if self.get::<String>(field, &expected)? == only { Ok(()) } else { Err(self.bad(field, expected)) }
    }

    /// SigMF: a reader must not open a file that needs an extension it does not know.
    fn check_extensions(&self) -> Result<(), Error> {
        let field = "core:extensions";
        for extension in self.0.get(field).and_then(Value::as_array).into_iter().flatten() {
            let needed = extension.get("optional").and_then(Value::as_bool) == Some(false);
            let name = extension.get("name").and_then(Value::as_str);
            if needed && name != Some("nearfield") {
                return Err(bad(
                    self.1,
                    field,
                    extension,
                    "without extensions that are not optional, except nearfield",
                ));
            }
        }
        Ok(())
    }

    /// SigMF's "non-conforming" data files have bytes that are no samples, or lie elsewhere.
    fn check_plain_data(&self, root: &Value) -> Result<(), Error> {
        if self.0.contains_key("core:dataset") {
            return Err(self.bad("core:dataset", "absent: the data must be in NAME.sigmf-data"));
        }
        let captures = root.get("captures").and_then(Value::as_array).into_iter().flatten();
        let header =
            captures.filter_map(|capture| capture.get("core:header_bytes")).map(|v| ("core:header_bytes", v));
        let trailer = self.0.get("core:trailing_bytes").map(|v| ("core:trailing_bytes", v));
        match header.chain(trailer).find(|(_, value)| value.as_u64() != Some(0)) {
            Some((field, value)) => {
                Err(bad(self.1, field, value, "0 or absent: every byte must be a sample"))
            }
            None => Ok(()),
        }
    }
}

fn bad(path: &Path, field: &'static str, found: &Value, expected: impl Into<String>) -> Error {
    Error::BadField { path: path.into(), field, found: shorten(found.to_string()), expected: expected.into() }
}

/// A hostile file must not flood the terminal.
fn shorten(text: String) -> String {
    const KEEP: usize = 80;
    match text.char_indices().nth(KEEP) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

fn within((low, high): (f64, f64), value: f64) -> bool {
    (low..=high).contains(&value)
}

fn is_version_1(version: &str) -> bool {
    let numbers: Vec<_> = version.split('.').collect();
    numbers.len() == 3
        && numbers[0] == "1"
        && numbers.iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn json_error(error: &serde_json::Error, path: &Path) -> Error {
    let text = error.to_string();
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message).to_owned();
    Error::Json { path: path.into(), line: error.line(), column: error.column(), message }
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
