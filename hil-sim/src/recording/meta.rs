//! The metadata of a recording.
//!
//! | field | meaning |
//! |---|---|
//! | `core:datatype` | `ru8`: to SigMF a row is so many channels of bytes |
//! | `core:num_channels` | bytes of a row |
//! | `core:sample_rate` | bit rate in hertz |
//! | `core:version` | 1.x.y |
//! | `nearfield:packing` | `tiles-1bit-le` |
//! | `nearfield:grid` | rows and columns of microphones |
//! | `nearfield:tile_side` | microphones along a tile's side |
//! | `nearfield:pitch_m` | distance of neighbours in metres |
//! | `nearfield:first_valid` | time samples of filter history before the analysed window |
//!
//! Other fields are ignored, except those that would move the data: header bytes, trailing bytes, another
//! data file.

use dsp_core::pdm::TileLayout;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Array;

const DATATYPE: &str = "ru8";
const PACKING: &str = "tiles-1bit-le";

/// Most microphones that are accepted: what a frame can count.
const MAX_CHANNELS: u32 = 65_535;

/// How to read the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Meta {
    global: Global,
}

/// The members of `global` that are read and written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Global {
    #[serde(rename = "core:datatype")]
    datatype: String,
    #[serde(rename = "core:num_channels")]
    row_bytes: u64,
    #[serde(rename = "core:sample_rate")]
    sample_rate_hz: f64,
    #[serde(rename = "core:version")]
    version: String,
    #[serde(rename = "core:description", default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(rename = "core:extensions", default)]
    extensions: Value,
    #[serde(rename = "core:trailing_bytes", default, skip_serializing)]
    trailing_bytes: Option<Value>,
    #[serde(rename = "core:dataset", default, skip_serializing)]
    dataset: Option<Value>,
    #[serde(rename = "nearfield:packing")]
    packing: String,
    #[serde(rename = "nearfield:grid")]
    grid: [u16; 2],
    #[serde(rename = "nearfield:tile_side")]
    tile_side: u16,
    #[serde(rename = "nearfield:pitch_m")]
    pitch_m: f64,
    #[serde(rename = "nearfield:first_valid", default)]
    first_valid: u64,
}

#[derive(Serialize, Deserialize)]
struct Root {
    global: Global,
    #[serde(default)]
    captures: Vec<Capture>,
    #[serde(default)]
    annotations: Vec<Value>,
}

#[derive(Serialize, Deserialize)]
struct Capture {
    #[serde(rename = "core:sample_start", default)]
    sample_start: u64,
    #[serde(rename = "core:header_bytes", default, skip_serializing)]
    header_bytes: u64,
}

impl Meta {
    /// Metadata of rows that this array sends.
    pub fn new(array: &Array, bit_rate_hz: f64, description: &str) -> Self {
        let layout = array.layout;
        let global = Global {
            datatype: DATATYPE.into(),
            row_bytes: layout.row_bytes() as u64,
            sample_rate_hz: bit_rate_hz,
            version: "1.2.0".into(),
            description: Some(description.into()),
            extensions: serde_json::json!([{"name": "nearfield", "version": "1.0.0", "optional": false}]),
            trailing_bytes: None,
            dataset: None,
            packing: PACKING.into(),
            grid: [layout.rows(), layout.cols()],
            tile_side: layout.tile_side(),
            pitch_m: array.pitch,
            first_valid: 0,
        };
        Self { global }
    }

    /// Reads and checks the text of a metadata file.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let root: Root = serde_json::from_slice(text).map_err(|e| e.to_string())?;
        if let Some(capture) = root.captures.iter().find(|c| c.header_bytes != 0) {
            return Err(format!("core:header_bytes {}: the data must be rows only", capture.header_bytes));
        }
        let meta = Self { global: root.global };
        meta.check()?;
        Ok(meta)
    }

    /// Refuses what no recording of this kind has.
    pub fn check(&self) -> Result<(), String> {
        let Global { datatype, packing, version, sample_rate_hz, pitch_m, .. } = &self.global;
        let expect = |accepted: bool, field: &str, found: String, expected: &str| {
            if accepted { Ok(()) } else { Err(format!("{field} is {found}; it must be {expected}")) }
        };
        expect(datatype == DATATYPE, "core:datatype", format!("{datatype:.40?}"), DATATYPE)?;
        expect(packing == PACKING, "nearfield:packing", format!("{packing:.40?}"), PACKING)?;
        expect(version.starts_with("1."), "core:version", format!("{version:.40?}"), "1.x.y")?;
        let rate = (1.0..=1e9).contains(sample_rate_hz);
        expect(rate, "core:sample_rate", sample_rate_hz.to_string(), "between 1 and 1e9 Hz")?;
        let pitch = (1e-6..=100.0).contains(pitch_m);
        expect(pitch, "nearfield:pitch_m", pitch_m.to_string(), "between 1e-6 and 100 m")?;
        let plain = self.global.trailing_bytes.is_none() && self.global.dataset.is_none();
        expect(plain, "core:trailing_bytes or core:dataset", "set".into(), "left out")?;
        let layout = self.layout()?;
        let row = layout.row_bytes() as u64;
        let found = self.global.row_bytes;
        expect(found == row, "core:num_channels", found.to_string(), &format!("{row}, the bytes of a row"))
    }

    /// The grid and the order of its channels.
    pub fn layout(&self) -> Result<TileLayout, String> {
        let Global { grid: [rows, cols], tile_side, .. } = self.global;
        let layout = TileLayout::new(rows, cols, tile_side).map_err(|e| format!("nearfield:grid: {e}"))?;
        match layout.channels() {
            0..=MAX_CHANNELS => Ok(layout),
            many => Err(format!("nearfield:grid: {many} microphones, at most {MAX_CHANNELS}")),
        }
    }

    /// Bit rate in hertz.
    pub fn bit_rate_hz(&self) -> f64 {
        self.global.sample_rate_hz
    }

    /// Distance of neighbouring microphones in metres.
    pub fn pitch_m(&self) -> f64 {
        self.global.pitch_m
    }

    /// The text of the metadata file.
    pub fn to_json(&self) -> String {
        let captures = vec![Capture { sample_start: 0, header_bytes: 0 }];
        let root = Root { global: self.global.clone(), captures, annotations: Vec::new() };
        // Strings, numbers and lists always have a text.
        serde_json::to_string_pretty(&root).unwrap_or_default() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn good() -> Meta {
        Meta::new(&Array::CAMERA, 1.5e6, "words")
    }

    #[test]
    fn text_and_back() {
        assert_eq!(Meta::parse(good().to_json().as_bytes()), Ok(good()));
    }

    #[test]
    fn wrong_fields_are_named() {
        let edits = [
            ("\"ru8\"", "\"cf32_le\"", "core:datatype"),
            ("tiles-1bit-le", "other", "nearfield:packing"),
            ("\"core:num_channels\": 128", "\"core:num_channels\": 127", "core:num_channels"),
            ("1500000.0", "-1.0", "core:sample_rate"),
            ("\"nearfield:tile_side\": 8", "\"nearfield:tile_side\": 7", "nearfield:grid"),
            ("\"nearfield:tile_side\": 8", "\"nearfield:tile_side\": 0", "nearfield:grid"),
            ("\"nearfield:pitch_m\": 0.02", "\"nearfield:pitch_m\": 0.0", "nearfield:pitch_m"),
            ("\"core:sample_start\": 0", "\"core:header_bytes\": 8", "core:header_bytes"),
            ("\"nearfield:first_valid\": 0", "\"core:dataset\": \"x\"", "core:dataset"),
            ("\"nearfield:packing\"", "\"nearfield:pack\"", "nearfield:packing"),
            ("1.2.0", "2.0.0", "core:version"),
        ];
        for (from, to, field) in edits {
            let text = good().to_json();
            assert!(text.contains(from), "{from}");
            let error = Meta::parse(text.replace(from, to).as_bytes()).unwrap_err();
            assert!(error.contains(field), "{to}: {error}");
        }
        let deep = "[".repeat(100_000);
        assert!(Meta::parse(deep.as_bytes()).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::testing::cases()))]
        #[test]
        fn any_text_is_refused_or_read(
            bytes in proptest::collection::vec(any::<u8>(), 0..40),
            at in 0usize..700,
            cut in 0usize..40,
        ) {
            let mut text = good().to_json().into_bytes();
            let at = at.min(text.len());
            let end = (at + cut).min(text.len());
            text.splice(at..end, bytes.iter().copied());
            if let Ok(meta) = Meta::parse(&text) {
                prop_assert!(meta.layout().is_ok());
            }
            let _ = Meta::parse(&bytes);
        }
    }
}
