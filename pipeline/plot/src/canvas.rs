//! A white sheet of pixels: rectangles, text and shades on it, and the way into a PNG file.
//!
//! Coordinates are pixels from the top left; what lies outside is cut off.

use std::path::Path;
use std::sync::Once;

use plotters::backend::{BitMapBackend, DrawingBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, FontStyle, FontTransform, IntoFont, RGBColor, TextStyle, register_font};
use png::{ColorType, Encoder};

use super::{Error, Result};

/// Light grey of grids.
pub const GRID: RGBColor = RGBColor(222, 222, 222);

/// Type sizes in pixels.
pub const TITLE: i32 = 46;
/// Size of axis labels.
pub const LABEL: i32 = 42;
/// Size of tick labels.
pub const TICK: i32 = 38;

/// Width of frames and ticks in pixels.
pub const STROKE: i32 = 3;

const FONT: &str = "figure";

/// Height of digits and capitals, as a part of the type size.
const CAPITAL: f64 = 0.62;

/// Where a text lies relative to its point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// To the right of the point, centred vertically.
    Right,
    /// To the left of the point, centred vertically.
    Left,
    /// Centred on the point.
    Centre,
    /// Centred on the point, to be read from the right side of the sheet.
    Upright,
}

/// The sheet.
pub struct Canvas {
    width: i32,
    height: i32,
    rgb: Vec<u8>,
}

impl Canvas {
    /// A white sheet.
    pub fn new(width: i32, height: i32) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        Self { width, height, rgb: vec![255; 3 * width as usize * height as usize] }
    }

    fn size(&self) -> (u32, u32) {
        (self.width.unsigned_abs(), self.height.unsigned_abs())
    }

    fn backend(&mut self) -> BitMapBackend<'_> {
        let size = self.size();
        BitMapBackend::with_buffer(&mut self.rgb, size)
    }

    /// Mixes `colour` into a pixel; `cover` from 0 to 1.
    pub fn shade(&mut self, x: i32, y: i32, RGBColor(r, g, b): RGBColor, cover: f64) {
        if (0..self.width).contains(&x) && (0..self.height).contains(&y) {
            let at = 3 * (y as usize * self.width as usize + x as usize);
            for (old, new) in self.rgb[at..at + 3].iter_mut().zip([r, g, b]) {
                *old = (f64::from(*old) + cover * (f64::from(new) - f64::from(*old))).round() as u8;
            }
        }
    }

    /// Fills `w` x `h` pixels from (x, y).
    pub fn fill(&mut self, (x, y): (i32, i32), (w, h): (i32, i32), RGBColor(r, g, b): RGBColor) {
        let inside = |from: i32, count: i32, limit: i32| {
            let (first, end) = (from.clamp(0, limit), (from + count).clamp(0, limit));
            (first as usize, end.max(first) as usize)
        };
        let ((left, right), (top, bottom)) = (inside(x, w, self.width), inside(y, h, self.height));
        for line in self.rgb.chunks_exact_mut(3 * self.width as usize).take(bottom).skip(top) {
            for pixel in line[3 * left..3 * right].chunks_exact_mut(3) {
                pixel.copy_from_slice(&[r, g, b]);
            }
        }
    }

    /// A frame around `w` x `h` pixels from (x, y), drawn outside of them.
    pub fn frame(&mut self, (x, y): (i32, i32), (w, h): (i32, i32)) {
        let (wide, high) = (w + 2 * STROKE, h + 2 * STROKE);
        for (corner, size) in [
            ((x - STROKE, y - STROKE), (wide, STROKE)),
            ((x - STROKE, y + h), (wide, STROKE)),
            ((x - STROKE, y - STROKE), (STROKE, high)),
            ((x + w, y - STROKE), (STROKE, high)),
        ] {
            self.fill(corner, size, BLACK);
        }
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str, size: i32, (x, y): (i32, i32), place: Place) -> Result<()> {
        let half = (0.5 * CAPITAL * f64::from(size)) as i32;
        // The library puts the baseline half a type size below the point.
        let drop = half - size / 2;
        let (x, y, h_pos, transform) = match place {
            Place::Right => (x, y + drop, HPos::Left, FontTransform::None),
            Place::Left => (x, y + drop, HPos::Right, FontTransform::None),
            Place::Centre => (x, y + drop, HPos::Center, FontTransform::None),
            Place::Upright => (x + drop, y, HPos::Center, FontTransform::Rotate270),
        };
        let style = style(size).transform(transform).pos(Pos::new(h_pos, VPos::Top));
        self.backend().draw_text(text, &style, (x, y)).map_err(fault)
    }

    /// Writes a text centred on a point, made smaller, to a third at most, to take no more than `room`
    /// pixels.
    pub fn title(&mut self, text: &str, size: i32, point: (i32, i32), room: i32) -> Result<()> {
        let width = text_width(text, size)?.max(1);
        let size = if width > room { (size * room / width).max(size / 3) } else { size };
        self.text(text, size, point, Place::Centre)
    }

    /// The mean grey of every square of `side` pixels, row by row; colours count by their mean.
    pub fn averaged(&self, side: i32) -> Vec<u8> {
        let side = side.max(1) as usize;
        let (width, count) = (3 * self.width as usize, 3 * side * side);
        let square = |rows: &[u8], column: usize| {
            let lines =
                rows.chunks_exact(width).flat_map(|row| &row[3 * side * column..3 * side * (column + 1)]);
            ((lines.map(|&c| usize::from(c)).sum::<usize>() + count / 2) / count) as u8
        };
        let rows = self.rgb.chunks_exact(width * side);
        rows.flat_map(|rows| (0..self.width as usize / side).map(move |column| square(rows, column)))
            .collect()
    }

    /// Writes the sheet as a PNG file, whatever the name ends in.
    pub fn save(&self, path: &Path) -> Result<()> {
        let (width, height) = self.size();
        Ok(files::atomic::write(path, |file| {
            let mut encoder = Encoder::new(file, width, height);
            encoder.set_color(ColorType::Rgb);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&self.rgb)?;
            Ok(writer.finish()?)
        })?)
    }
}

/// Width of a text in pixels.
pub fn text_width(text: &str, size: i32) -> Result<i32> {
    let ((left, _), (right, _)) = style(size).font.layout_box(text).map_err(fault)?;
    Ok(right - left)
}

/// Width of the widest of some texts in pixels.
pub fn widest<'a>(texts: impl IntoIterator<Item = &'a str>, size: i32) -> Result<i32> {
    texts.into_iter().try_fold(0, |widest: i32, text| Ok(widest.max(text_width(text, size)?)))
}

/// Black text in the built-in font.
fn style(size: i32) -> TextStyle<'static> {
    static REGISTERED: Once = Once::new();
    // A font that cannot be parsed shows as an error of the first text.
    REGISTERED.call_once(|| drop(register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)));
    TextStyle::from((FONT, size).into_font()).color(&BLACK)
}

fn fault(error: impl std::fmt::Display) -> Error {
    Error::Draw(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Canvas {
        /// The colour of a pixel.
        pub fn pixel(&self, x: i32, y: i32) -> RGBColor {
            let at = 3 * (y * self.width + x) as usize;
            RGBColor(self.rgb[at], self.rgb[at + 1], self.rgb[at + 2])
        }
    }

    /// Bounding box of all that is not white: left, top, right, bottom.
    fn ink(canvas: &Canvas) -> Option<[i32; 4]> {
        let dark = |&(x, y): &(i32, i32)| canvas.pixel(x, y) != RGBColor(255, 255, 255);
        let all = (0..canvas.height).flat_map(|y| (0..canvas.width).map(move |x| (x, y)));
        all.filter(dark).fold(None, |found, (x, y)| {
            let [l, t, r, b] = found.unwrap_or([x, y, x, y]);
            Some([l.min(x), t.min(y), r.max(x), b.max(y)])
        })
    }

    #[test]
    fn text_lies_where_it_is_put() {
        for (place, [left, top, right, bottom]) in [
            // Width and height of the digits as drawn; the point is (200, 200) and the type 40 pixels high.
            (Place::Right, [200, 186, 262, 214]),
            (Place::Left, [138, 186, 200, 214]),
            (Place::Centre, [169, 186, 231, 214]),
            (Place::Upright, [186, 169, 214, 231]),
        ] {
            let mut canvas = Canvas::new(400, 400);
            canvas.text("880", 40, (200, 200), place).unwrap();
            let [l, t, r, b] = ink(&canvas).unwrap();
            println!("{place:?}: {l} {t} {r} {b}");
            assert!(l >= left && t >= top && r <= right && b <= bottom, "{place:?}: {l} {t} {r} {b}");
            // Centred on the point across the line to within a pixel of rounding either way.
            let centre = if place == Place::Upright { l + r } else { t + b };
            assert!((centre - 400).abs() <= 3, "{place:?}: {centre}");
        }
    }

    #[test]
    fn frames_lie_outside_and_fills_inside() {
        let mut canvas = Canvas::new(50, 40);
        canvas.frame((10, 10), (20, 15));
        assert_eq!(ink(&canvas), Some([10 - STROKE, 10 - STROKE, 29 + STROKE, 24 + STROKE]));
        assert_eq!(canvas.pixel(10, 10), RGBColor(255, 255, 255));
        canvas.fill((10, 10), (20, 15), GRID);
        assert_eq!((canvas.pixel(10, 10), canvas.pixel(29, 24)), (GRID, GRID));
        assert_eq!(canvas.pixel(30, 24), BLACK);
        canvas.fill((0, 0), (0, 9), GRID);
        canvas.fill((45, -5), (100, 6), GRID);
        assert_eq!((canvas.pixel(49, 0), canvas.pixel(49, 1)), (GRID, RGBColor(255, 255, 255)));
        canvas.shade(-1, 500, BLACK, 1.0);
        canvas.shade(0, 0, BLACK, 0.8);
        assert_eq!(canvas.pixel(0, 0), RGBColor(51, 51, 51));
    }

    #[test]
    fn averages_are_of_whole_squares() {
        let mut canvas = Canvas::new(7, 6);
        canvas.fill((0, 0), (1, 3), BLACK);
        canvas.fill((3, 3), (3, 3), BLACK);
        // Three columns are two squares and a rest; 6 of 9 pixels white are 170.
        assert_eq!(canvas.averaged(3), [170, 255, 255, 0]);
    }

    #[test]
    fn file_is_a_png_of_this_size_under_any_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("figure.out");
        Canvas::new(123, 45).save(&path).unwrap();
        let png = std::fs::read(&path).unwrap();
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!((&png[16..20], &png[20..24]), (&123u32.to_be_bytes()[..], &45u32.to_be_bytes()[..]));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        let missing = Canvas::new(9, 9).save(&dir.path().join("no/figure.png"));
        assert!(matches!(missing, Err(Error::File(files::Error::NoFolder(..)))));
    }
}
