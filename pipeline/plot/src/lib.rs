//! Figures for papers, as PNG files, and an animation.
//!
//! | module | figure |
//! |---|---|
//! | [`level_map()`] | the level at every microphone, in true proportion |
//! | [`spectrum()`] | level over frequency |
//! | [`hologram`] | fields at one frequency: level, phase, signed quantities |
//! | [`animation`] | a level map over time, as a GIF |
//! | [`lines`] | curves with a legend |
//! | [`convergence`] | objective and figures of merit over iterations |
//! | [`far_field`] | directivity over directions, with contours and outlines |
//! | [`cuts`] | directivity along direction cosines |
//! | [`map`] | levels over two quantities |
//! | [`polar`] | levels over direction |
//! | [`surface`] | triangles seen from afar, coloured by level |
//! | [`regions`] | what is asked of a far field |
//! | [`elements`] | positions and phases of an array |
//!
//! Figures are 1600 to 2000 pixels wide (holograms: 1020 a field) with 38-pixel type, which is 7- to 8-point
//! type at 14 cm. The font is part of the program, and a figure appears under its name only when it is
//! complete.
#![forbid(unsafe_code)]

/// Gives a figure, which has a `draw`, its way into a file.
macro_rules! saved {
    ($figure:ty) => {
        impl $figure {
            /// Draws the figure into a PNG file.
            pub fn save(&self, path: impl AsRef<std::path::Path>) -> Result<(), $crate::Error> {
                self.draw()?.save(path.as_ref())
            }
        }
    };
}

pub mod animation;
mod axis;
mod canvas;
mod colour_map;
mod contour;
pub mod convergence;
pub mod cuts;
pub mod elements;
mod error;
pub mod far_field;
mod grid;
pub mod hologram;
mod level_map;
mod line;
pub mod lines;
pub mod map;
mod panel;
mod plane;
pub mod polar;
mod raster;
pub mod regions;
mod spectrum;
pub mod surface;

pub use error::Error;
use error::Result;
pub use grid::Grid;
pub use level_map::level_map;
pub use spectrum::{FrequencyAxis, Mark, spectrum};
