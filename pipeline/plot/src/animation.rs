//! A level map over time as an animated GIF, on one colour scale.
//!
//! The palette is the colour map itself in 208 steps, and 48 greys for axes and type: nothing is quantised
//! afterwards, and equal levels have equal colours in every frame. Axes and colour bar are drawn once, three
//! times as large, and averaged down; a frame after the first replaces the time and the map only. Frames go
//! to the file as they come, so that memory does not grow with their number, and the file appears under its
//! name with [`Animation::finish`].

use std::path::{Path, PathBuf};

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use plotters::style::RGBColor;

use super::canvas::{Canvas, LABEL, TICK, TITLE};
use super::colour_map::colour;
use super::error::fault;
use super::grid::{Grid, places};
use super::level_map::is_level;
use super::panel::Panel;
use super::raster::{Scale, hatching};
use super::{Error, Result};
use files::atomic::AtomicFile;

const FIGURE: &str = "animation";

/// Colours of the map and greys in the palette: 256 together.
const COLOURS: u8 = 208;
const GREYS: u8 = 48;

/// The drawing is this many times the size of the picture.
const FINE: i32 = 3;

/// Pixels of the picture. The map's longer side is a multiple of 8, 16, 32 and 64.
const SIDE: i32 = 320;
const LEFT: i32 = 66;
const BAR_GAP: i32 = 16;
const BAR_WIDTH: i32 = 14;
const RIGHT: i32 = 64;
const WIDTH: i32 = LEFT + SIDE + BAR_GAP + BAR_WIDTH + RIGHT;
const TITLE_TOP: i32 = 4;
const LINE: i32 = 22;
const TIME_TOP: i32 = TITLE_TOP + LINE;
const TOP: i32 = TIME_TOP + LINE + 4;
const BOTTOM: i32 = 54;
/// Least height of a map that is one row, and of the bar.
const LEAST: i32 = 4;
const LEAST_BODY: i32 = 160;

/// Least distance between numbers along the map, in pixels of the drawing.
const TICK_SPACING: f64 = 130.0;

/// What all frames share.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// What stands above: frequency, plane, method.
    pub title: &'a str,
    /// Where the pixels are.
    pub grid: Grid,
    /// Level of the lowest colour in decibels.
    pub low_db: f64,
    /// Level of the highest colour in decibels.
    pub high_db: f64,
    /// What stands beside the colour bar.
    pub label: &'a str,
    /// How long a frame stands, in seconds: 0.02 to 600, in steps of 0.01.
    pub delay_s: f64,
}

/// An animation being written; dropped before [`Animation::finish`] it leaves nothing behind.
pub struct Animation {
    encoder: Encoder<AtomicFile>,
    path: PathBuf,
    grid: Grid,
    levels: (f64, f64),
    map: Panel,
    /// Palette indices of the whole picture.
    picture: Vec<u8>,
    delay: u16,
    frames: u64,
}

impl Animation {
    /// Draws the axes and begins the file.
    pub fn create(path: impl AsRef<Path>, settings: &Settings<'_>) -> Result<Self> {
        let path = path.as_ref();
        check(settings)?;
        let (width, height) = settings.grid.fit(SIDE, LEAST);
        let body = height.max(LEAST_BODY);
        let map = Panel { x: LEFT + (SIDE - width) / 2, y: TOP + (body - height) / 2, width, height };
        let picture = background(settings, &map, body)?;
        let failed = |error| failure(path, error);
        let size = (WIDTH as u16, (picture.len() / WIDTH as usize) as u16);
        let mut encoder =
            Encoder::new(AtomicFile::create(path)?, size.0, size.1, &palette()).map_err(failed)?;
        encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
        Ok(Self {
            encoder,
            path: path.into(),
            grid: settings.grid,
            levels: (settings.low_db, settings.high_db),
            map,
            picture,
            delay: (100.0 * settings.delay_s).round() as u16,
            frames: 0,
        })
    }

    /// Adds a frame: levels in decibels, row by row from the top left. Levels outside the scale have its end
    /// colours; NaN and plus infinity are hatched.
    pub fn add_frame<T: Copy + Into<f64>>(&mut self, time_s: f64, level_db: &[T]) -> Result<()> {
        self.grid.check(FIGURE, level_db.len())?;
        if !time_s.is_finite() {
            return fault(FIGURE, "time", time_s, self.frames as usize, "it must be finite");
        }
        self.draw_time(time_s)?;
        self.draw_map(level_db);
        // All of the first frame; then from the line with the time to the end of the map.
        let rows = match self.frames {
            0 => 0..self.picture.len() as i32 / WIDTH,
            _ => TIME_TOP..self.map.y + self.map.height,
        };
        let (top, height) = (rows.start as u16, rows.len() as u16);
        let pixels = &self.picture[(rows.start * WIDTH) as usize..(rows.end * WIDTH) as usize];
        let frame = Frame {
            delay: self.delay,
            dispose: DisposalMethod::Keep,
            top,
            width: WIDTH as u16,
            height,
            buffer: pixels.into(),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame).map_err(|error| failure(&self.path, error))?;
        self.frames += 1;
        Ok(())
    }

    /// Completes the file and gives it its name. Without a frame there is nothing to show: an error.
    pub fn finish(self) -> Result<()> {
        if self.frames == 0 {
            return Err(Error::Empty(FIGURE));
        }
        let file = self.encoder.into_inner().map_err(|error| failure(&self.path, error))?;
        Ok(file.commit()?)
    }

    fn draw_time(&mut self, time_s: f64) -> Result<()> {
        let mut strip = Canvas::new(FINE * WIDTH, FINE * LINE);
        let text = format!("t = {time_s:.3} s").replace('-', "\u{2212}");
        let centre = FINE * (LEFT + SIDE / 2);
        strip.title(&text, TITLE, (centre, FINE * LINE / 2), FINE * SIDE)?;
        let pixels = strip.averaged(FINE).into_iter().map(grey);
        self.picture
            .iter_mut()
            .skip((TIME_TOP * WIDTH) as usize)
            .zip(pixels)
            .for_each(|(old, new)| *old = new);
        Ok(())
    }

    fn draw_map<T: Copy + Into<f64>>(&mut self, level_db: &[T]) {
        let (low, high) = self.levels;
        for ((x, y), place) in places(&self.map) {
            let level = level_db[self.grid.index(place)].into();
            let RGBColor(no_data, ..) = hatching(FINE * x, FINE * y);
            let part = ((level - low) / (high - low)).clamp(0.0, 1.0);
            self.picture[(y * WIDTH + x) as usize] = if is_level(level) { step(part) } else { grey(no_data) };
        }
    }
}

fn check(settings: &Settings<'_>) -> Result<()> {
    let Settings { grid, low_db, high_db, delay_s, .. } = *settings;
    grid.check(FIGURE, grid.rows.saturating_mul(grid.cols))?;
    if !low_db.is_finite() {
        return fault(FIGURE, "lowest level", low_db, 0, "it must be finite");
    }
    if !(high_db.is_finite() && high_db - low_db >= 0.1) {
        let expected = "it must be finite and 0.1 dB above the lowest at least";
        return fault(FIGURE, "highest level", high_db, 0, expected);
    }
    if !(0.02..=600.0).contains(&delay_s) {
        return fault(FIGURE, "time of a frame", delay_s, 0, "it must be 0.02 to 600 s");
    }
    Ok(())
}

/// Title, axes and colour bar, as palette indices.
fn background(settings: &Settings<'_>, map: &Panel, body: i32) -> Result<Vec<u8>> {
    const CENTIMETRE: f64 = 0.01;
    let height = TOP + body + BOTTOM;
    let mut canvas = Canvas::new(FINE * WIDTH, FINE * height);
    let title = (FINE * (LEFT + SIDE / 2), FINE * (TITLE_TOP + LINE / 2));
    canvas.title(settings.title, TITLE, title, FINE * (WIDTH - 16))?;
    let fine = fine(map);
    canvas.frame((fine.x, fine.y), (fine.width, fine.height));
    let ((left, right), (top, bottom)) = (settings.grid.x_m(), settings.grid.y_m());
    let spacing = |length: i32| TICK_SPACING.min(f64::from(length) / 2.0).max(1.2 * f64::from(TICK));
    let (x, y) = (fine.horizontal(left, right, false), fine.vertical(top, bottom));
    fine.below(&mut canvas, &x, &x.ticks(spacing(fine.width), CENTIMETRE), "x (cm)")?;
    let label = ("y (cm)", fine.x - FINE * LEFT + LABEL);
    fine.left(&mut canvas, &y, &y.ticks(spacing(fine.height), CENTIMETRE), label)?;
    let bar = Panel { x: LEFT + SIDE + BAR_GAP, y: TOP, width: BAR_WIDTH, height: body };
    let Settings { low_db: low, high_db: high, label, .. } = *settings;
    let scale = Scale { low, high, unit: 1.0, step: None, label: label.into(), colour };
    scale.bar(&mut canvas, &self::fine(&bar), FINE * WIDTH - LABEL)?;
    let mut picture: Vec<u8> = canvas.averaged(FINE).into_iter().map(grey).collect();
    // The bar has colours, which are no greys: its pixels are the palette's own.
    for ((x, y), (_, v)) in places(&bar) {
        picture[(y * WIDTH + x) as usize] = step(1.0 - v);
    }
    Ok(picture)
}

/// A panel of the picture in the drawing.
fn fine(panel: &Panel) -> Panel {
    let Panel { x, y, width, height } = *panel;
    Panel { x: FINE * x, y: FINE * y, width: FINE * width, height: FINE * height }
}

/// The colour map in steps, then greys from black to white; red, green and blue of each.
fn palette() -> Vec<u8> {
    let colours = (0..COLOURS).map(|i| colour(f64::from(i) / f64::from(COLOURS - 1)));
    let greys = (0..GREYS).map(|i| (255.0 * f64::from(i) / f64::from(GREYS - 1)).round() as u8);
    let greys = greys.map(|grey| RGBColor(grey, grey, grey));
    colours.chain(greys).flat_map(|RGBColor(r, g, b)| [r, g, b]).collect()
}

/// Palette index of a part of the scale, from 0 to 1.
fn step(part: f64) -> u8 {
    (part * f64::from(COLOURS - 1)).round() as u8
}

/// Palette index of a grey.
fn grey(value: u8) -> u8 {
    COLOURS + (f64::from(value) / 255.0 * f64::from(GREYS - 1)).round() as u8
}

fn failure(path: &Path, error: EncodingError) -> Error {
    match error {
        EncodingError::Io(source) => Error::File(files::Error::Write { path: path.into(), source }),
        other => Error::Draw(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(rows: usize, cols: usize) -> Settings<'static> {
        let grid = Grid::centred(rows, cols, 0.02);
        let label = "level (dB re maximum)";
        Settings { title: "1007 Hz", grid, low_db: -30.0, high_db: 0.0, label, delay_s: 0.1 }
    }

    /// The pictures that a viewer shows, as palette indices, and the global palette.
    fn shown(path: &Path) -> (Vec<Vec<u8>>, Vec<u8>) {
        let mut decoder = gif::DecodeOptions::new().read_info(std::fs::File::open(path).unwrap()).unwrap();
        let palette = decoder.global_palette().unwrap().to_vec();
        let mut screen = vec![0; usize::from(decoder.width()) * usize::from(decoder.height())];
        let mut pictures = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            assert_eq!((frame.delay, frame.left), (10, 0));
            let first = usize::from(frame.top) * usize::from(frame.width);
            screen[first..first + frame.buffer.len()].copy_from_slice(&frame.buffer);
            pictures.push(screen.clone());
        }
        (pictures, palette)
    }

    #[test]
    fn frames_show_their_levels_in_exact_colours() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.gif");
        let mut animation = Animation::create(&path, &settings(8, 8)).unwrap();
        let frame = |shift: i32| (0..64).map(|i| -((i + shift) as f32 % 40.0)).collect::<Vec<f32>>();
        for shift in 0..3 {
            animation.add_frame(0.1 * f64::from(shift), &frame(shift)).unwrap();
        }
        assert!(!path.exists());
        animation.finish().unwrap();
        let (pictures, found) = shown(&path);
        assert_eq!((pictures.len(), &found), (3, &palette()));
        for (shift, picture) in (0..).zip(&pictures) {
            for (i, level) in (0..).zip(frame(shift)) {
                let (x, y) = (LEFT + 40 * (i % 8) + 20, TOP + 40 * (i / 8) + 20);
                let expected = step(((f64::from(level) + 30.0) / 30.0).clamp(0.0, 1.0));
                assert_eq!(picture[(y * WIDTH + x) as usize], expected, "{shift} {i}");
            }
        }
        // The title, the axes and the bar stay; the line with the time changes.
        let rows = |picture: &[u8], from: i32, to: i32| {
            picture[(from * WIDTH) as usize..(to * WIDTH) as usize].to_vec()
        };
        assert_eq!(rows(&pictures[0], 0, TIME_TOP), rows(&pictures[2], 0, TIME_TOP));
        assert_ne!(rows(&pictures[0], TIME_TOP, TOP), rows(&pictures[2], TIME_TOP, TOP));
        assert_eq!(
            rows(&pictures[0], TOP + SIDE, TOP + SIDE + BOTTOM),
            rows(&pictures[2], TOP + SIDE, TOP + SIDE + BOTTOM)
        );
        let bar = |y: i32| pictures[0][((TOP + y) * WIDTH + LEFT + SIDE + BAR_GAP + 3) as usize];
        assert_eq!((bar(0), bar(SIDE - 1)), (COLOURS - 1, 0));
    }

    #[test]
    fn gaps_are_hatched_in_grey() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.gif");
        let mut animation = Animation::create(&path, &settings(1, 2)).unwrap();
        animation.add_frame(0.0, &[f64::NAN, f64::NEG_INFINITY]).unwrap();
        animation.finish().unwrap();
        let (pictures, _) = shown(&path);
        let row = ((TOP + SIDE / 4) * WIDTH + LEFT) as usize;
        assert!(pictures[0][row..row + 160].iter().all(|&index| index >= COLOURS));
        assert!(pictures[0][row + 160..row + 320].iter().all(|&index| index == 0));
    }

    #[test]
    fn nonsense_is_refused_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.gif");
        let refused = |settings: Settings<'_>| Animation::create(&path, &settings).err().unwrap();
        let good = settings(2, 2);
        assert!(matches!(refused(settings(0, 2)), Error::Empty { .. }));
        assert!(matches!(refused(settings(5000, 2)), Error::Axis { .. }));
        assert!(matches!(
            refused(Settings { high_db: -30.0, ..good }),
            Error::Axis { name: "highest level", .. }
        ));
        assert!(matches!(
            refused(Settings { low_db: f64::NAN, ..good }),
            Error::Axis { name: "lowest level", .. }
        ));
        for delay_s in [0.0, 0.01, f64::NAN, 1e9] {
            assert!(matches!(
                refused(Settings { delay_s, ..good }),
                Error::Axis { name: "time of a frame", .. }
            ));
        }
        let mut animation = Animation::create(&path, &good).unwrap();
        assert!(matches!(
            animation.add_frame(0.0, &[0.0; 3]),
            Err(Error::Length { found: 3, expected: 4, .. })
        ));
        assert!(matches!(animation.add_frame(f64::NAN, &[0.0; 4]), Err(Error::Axis { name: "time", .. })));
        assert!(matches!(animation.finish(), Err(Error::Empty { .. })));
        let missing = Animation::create(dir.path().join("no/a.gif"), &good);
        assert!(matches!(missing, Err(Error::File(files::Error::NoFolder(..)))));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
