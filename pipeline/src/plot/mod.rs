//! Figures for papers, as PNG files.
//!
//! | module | figure |
//! |---|---|
//! | [`level_map`] | the level at every microphone, in true proportion |
//! | [`spectrum`] | level over frequency |
//!
//! Figures are about 1600 pixels wide with 38-pixel type, which is 8-point type at 14 cm. The font is part of
//! the program, and a figure appears under its name only when it is complete.

mod axis;
mod canvas;
mod colour_map;
mod error;
mod level_map;
mod panel;
mod spectrum;

pub use error::Error;
pub use level_map::level_map;
pub use spectrum::{FrequencyAxis, Mark, spectrum};
