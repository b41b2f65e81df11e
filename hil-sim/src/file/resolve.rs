//! What the tables of a scene file mean, and where in the text an error of the bench belongs.

use std::ops::Range;
use std::path::Path;

use dsp_core::pdm::TileLayout;
use files::case::Placed;

use super::tables::{
    ArrayTable, FaultTable, FaultsTables, FieldTable, Kind, LineTable, MicrophonesTable, MovingTable,
    NoiseTable, SceneTables,
};
use super::{Faults, MAX_LINES, MAX_SOURCES, MAX_WORK};
use crate::bench::Bench;
use crate::faults::{Chosen, Fault, Trouble};
use crate::field::Field;
use crate::moving::{Moving, Path as Track};
use crate::noise::{Noise, Origin};
use crate::{Array, Error, Imperfections, Line, Scene, Settings};

/// An error and where in the text it is.
pub type Located = (Error, Range<usize>);

impl SceneTables {
    /// The checked bench. Files are looked for in `folder`.
    pub fn resolve(self, folder: &Path) -> Result<Bench, Located> {
        let array = resolve_array(self.array)?;
        let (imperfections, overload_pa) = resolve_microphones(self.microphones)?;
        let defaults = Settings::default();
        let settings = Settings {
            bit_rate_hz: self.bit_rate_hz.unwrap_or(defaults.bit_rate_hz),
            seed: self.seed.unwrap_or(defaults.seed),
            imperfections,
        };
        let mut bench = Bench::new(resolve_include(self.include)?, array, settings);
        let included = bench.scene.lines.len();
        let lists = [
            ("moving", spans(&self.moving)),
            ("noise", spans(&self.noise)),
            ("field", spans(&self.field)),
            ("fault", spans(&self.fault)),
        ];
        let lines = self.line.iter().map(|line| (line.span(), spans(&line.get_ref().source))).collect();
        let spans = Spans { included, lines, lists };
        bench.overload_pa = overload_pa;
        check_counts(&self.line)?;
        bench.scene.lines.extend(self.line.into_iter().map(|line| line.into_inner().resolve()));
        bench.moving = self.moving.into_iter().map(|moving| moving.into_inner().resolve()).collect();
        bench.noises = self.noise.into_iter().map(|noise| noise.into_inner().resolve()).collect();
        let faults = FaultsTables { fault: self.fault, clock: self.clock, link: self.link }.resolve()?;
        bench.faults = faults.microphones;
        bench.clock = faults.clock.unwrap_or_default();
        bench.link = faults.link.unwrap_or_default();
        bench.check().map_err(|error| spans.locate(error))?;
        check_work(&bench).map_err(|error| spans.locate(error))?;
        // Large files are read only when all else is right.
        for field in self.field {
            let span = field.span();
            bench.fields.push(field.into_inner().resolve(folder, &array).map_err(|error| (error, span))?);
        }
        bench.check().map_err(|error| spans.locate(error))?;
        Ok(bench)
    }
}

impl FaultsTables {
    /// The faults, checked as far as they can be without an array.
    pub fn resolve(self) -> Result<Faults, Located> {
        let mut faults = Faults::default();
        for fault in self.fault {
            let span = fault.span();
            faults.microphones.push(fault.into_inner().resolve().map_err(|error| (error, span))?);
        }
        faults.clock = self.clock.map(Placed::into_inner);
        if let Some(table) = self.link {
            table.get_ref().check().map_err(|error| (error, table.span()))?;
            faults.link = Some(table.into_inner());
        }
        Ok(faults)
    }
}

/// Where the items of the lists are in the text.
struct Spans {
    /// Lines that come from an included scene.
    included: usize,
    lines: Vec<(Range<usize>, Vec<Range<usize>>)>,
    lists: [(&'static str, Vec<Range<usize>>); 4],
}

impl Spans {
    /// Gives an error of the bench its place.
    fn locate(&self, error: Error) -> Located {
        let line = |line: &usize| line.checked_sub(self.included).and_then(|i| self.lines.get(i));
        let span = match &error {
            Error::Frequency { line: i, .. } => line(i).map(|(span, _)| span),
            Error::Item { list: "line", index, source } => match &**source {
                Error::Item { index: source, .. } => {
                    line(index).and_then(|(_, sources)| sources.get(*source))
                }
                _ => None,
            },
            Error::Item { list, index, .. } => {
                self.lists.iter().find(|(name, _)| name == list).and_then(|(_, spans)| spans.get(*index))
            }
            _ => None,
        };
        let span = span.cloned().unwrap_or(0..0);
        (error, span)
    }
}

fn spans<T>(items: &[Placed<T>]) -> Vec<Range<usize>> {
    items.iter().map(Placed::span).collect()
}

fn check_counts(lines: &[Placed<LineTable>]) -> Result<(), Located> {
    let many = lines.len();
    Error::unless(many <= MAX_LINES, "number of lines", many as f64, "at most 1000")
        .map_err(|error| (error, lines[MAX_LINES].span()))?;
    let mut sources = 0;
    for line in lines {
        sources += line.get_ref().source.len();
        Error::unless(
            sources <= MAX_SOURCES,
            "number of sources",
            sources as f64,
            "at most 10000 in all lines",
        )
        .map_err(|error| (error, line.span()))?;
    }
    Ok(())
}

/// Refuses scenes that would take minutes to set up.
fn check_work(bench: &Bench) -> Result<(), Error> {
    let work = bench.scene.evaluations() * f64::from(bench.array.layout.channels());
    let expected = "at most 2^31: take smaller plates, pistons farther away, or fewer microphones";
    Error::unless(work <= MAX_WORK, "exponentials at set-up", work, expected)
}

fn resolve_include(include: Option<Placed<String>>) -> Result<Scene, Located> {
    let Some(name) = include else { return Ok(Scene::default()) };
    Scene::named(name.get_ref()).map_err(|error| (error, name.span()))
}

fn resolve_array(table: Option<Placed<ArrayTable>>) -> Result<Array, Located> {
    let Some(table) = table else { return Ok(Array::CAMERA) };
    let span = table.span();
    let ArrayTable { rows, cols, tile_side, pitch_m, standoff_m } = table.into_inner();
    let layout = TileLayout::new(rows, cols, tile_side).map_err(|e| (Error::Layout(e), span.clone()))?;
    let channels = layout.channels();
    if u16::try_from(channels).is_err() {
        return Err((Error::TooManyChannels(channels), span));
    }
    let array = Array { layout, pitch: pitch_m, standoff: standoff_m };
    array.check().map_err(|error| (error, span))?;
    Ok(array)
}

fn resolve_microphones(
    table: Option<Placed<MicrophonesTable>>,
) -> Result<(Imperfections, Option<f64>), Located> {
    let Some(table) = table else { return Ok((Imperfections::TYPICAL, None)) };
    let span = table.span();
    let table = table.into_inner();
    let base = if table.ideal { Imperfections::default() } else { Imperfections::TYPICAL };
    let imperfections = Imperfections {
        gain_spread_db: table.gain_spread_db.unwrap_or(base.gain_spread_db),
        phase_spread: table.phase_spread_deg.map_or(base.phase_spread, f64::to_radians),
        offset_spread_fs: table.offset_spread_fs.unwrap_or(base.offset_spread_fs),
        snr_db: table.snr_db.or(base.snr_db),
    };
    imperfections.check().map_err(|error| (error, span))?;
    Ok((imperfections, table.overload_pa))
}

impl LineTable {
    fn resolve(self) -> Line {
        let sources = self.source.into_iter().map(Placed::into_inner).collect();
        Line { frequency_hz: self.frequency_hz, sources }
    }
}

impl MovingTable {
    fn resolve(self) -> Moving {
        match self {
            Self::Straight { frequency_hz, amplitude_pa_m, start_m, velocity_m_s } => Moving {
                frequency_hz,
                amplitude: amplitude_pa_m,
                path: Track::Straight { start: start_m, velocity: velocity_m_s },
            },
            Self::Circle { frequency_hz, amplitude_pa_m, centre_m, radius_m, turns_per_s, start_deg } => {
                let start_turns = start_deg / 360.0;
                let path = Track::Circle { centre: centre_m, radius: radius_m, turns_per_s, start_turns };
                Moving { frequency_hz, amplitude: amplitude_pa_m, path }
            }
        }
    }
}

impl NoiseTable {
    fn resolve(self) -> Noise {
        match self {
            Self::Point { band_hz, position_m, rms_pa_m } => {
                Noise { band_hz, origin: Origin::Point { position: position_m, rms_pa_m } }
            }
            Self::Flow { band_hz, rms_pa } => Noise { band_hz, origin: Origin::Flow { rms_pa } },
        }
    }
}

impl FieldTable {
    fn resolve(self, folder: &Path, array: &Array) -> Result<Field, Error> {
        let grid = [array.layout.rows(), array.layout.cols()].map(usize::from);
        let path = folder.join(self.file);
        Field::read(&path, self.array.as_deref(), self.index, grid, self.frequency_hz, self.scale)
    }
}

impl FaultTable {
    fn resolve(self) -> Result<Fault, Error> {
        let chosen = match (self.microphones, self.fraction) {
            (Some(list), None) => Chosen::List(list),
            (None, Some(fraction)) => Chosen::Fraction(fraction),
            _ => return Err(Error::FaultTable("say either microphones or fraction")),
        };
        let trouble = match (self.kind, [self.rms_pa, self.offset_fs, self.gain_db]) {
            (Kind::Idle, [None, None, None]) => Trouble::Idle,
            (Kind::Zero, [None, None, None]) => Trouble::Zero,
            (Kind::One, [None, None, None]) => Trouble::One,
            (Kind::Noisy, [rms_pa, None, None]) => Trouble::Noisy { rms_pa: rms_pa.unwrap_or(f64::NAN) },
            (Kind::Offset, [None, offset, None]) => Trouble::Offset { offset_fs: offset.unwrap_or(f64::NAN) },
            (Kind::Saturated, [None, None, gain]) => Trouble::Saturated { gain_db: gain.unwrap_or(40.0) },
            _ => {
                let message = "rms_pa belongs to noisy, offset_fs to offset, gain_db to saturated";
                return Err(Error::FaultTable(message));
            }
        };
        Ok(Fault { chosen, trouble, from_s: self.from_s, to_s: self.to_s.unwrap_or(f64::INFINITY) })
    }
}
