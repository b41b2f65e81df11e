//! `[synthesis]`: method, starts and stages.

use super::tables::{GlobalTable, StageTable, SynthesisTable, Tables};
use super::{Error, MOST_ITERATIONS, MOST_STARTS};
use crate::coverage::Specification;
use crate::synthesis::{self, Global, Method, Power, Stage};
use files::case::within;

/// Samples of a level of a global search, for every unknown.
const SAMPLES: usize = 10;
/// Most samples of a level, and most unknowns of a global search: beyond, samples say nothing about the space between them.
const MOST_SAMPLES: usize = 100_000;
const MOST_UNKNOWNS: usize = 100;

/// What stages depend on beside their own tables.
pub(super) struct Setting {
    pub method: Method,
    pub power: Power,
    /// Whether elements may move.
    pub moving: bool,
    /// Coefficients of Zernike's polynomials that send rays all over the coverages, rad.
    pub range: f64,
}

/// Gains are those of one frequency and of elements that stay: the model gives an element that moves into more light no smaller cell.
pub(super) fn power(tables: &Tables, method: Method, frequencies: usize) -> Result<Power, Error> {
    let power = tables.synthesis.power;
    let expected = if method == Method::Projections {
        "\"radiated\" for projections"
    } else if tables.array.spacing_wavelengths.is_some() || frequencies > 1 {
        "\"radiated\" unless elements stay and there is one frequency"
    } else {
        return Ok(power);
    };
    if power == Power::Radiated {
        Ok(power)
    } else {
        Err(Error::value("[synthesis] power", "\"incident\"", expected))
    }
}

/// Refuses a method that lacks what it needs.
pub(super) fn check(tables: &Tables, method: Method, frequencies: usize) -> Result<(), Error> {
    let word = match method {
        Method::MaxMin => return Ok(()),
        Method::Functional => "\"functional\"",
        Method::Projections => "\"projections\"",
    };
    let field = "[synthesis] method";
    if let Some(coverage) = tables.coverage.iter().find(|coverage| coverage.min_dbi.is_none()) {
        let name = &coverage.name;
        let expected = format!("\"max-min\" unless every coverage has min_dbi ({name} has none)");
        let reason = "the distance to levels is what this method makes small";
        let bound = "4 pi/solid angle, which a run prints, is what no level can be above";
        return Err(Error::value(field, word, format!("{expected}: {reason}, and {bound}")));
    }
    let alone = method == Method::Projections;
    if alone && tables.array.spacing_wavelengths.is_some() {
        let expected =
            "another one where spacing_wavelengths lets elements move: projections change phases only";
        return Err(Error::value(field, word, expected));
    }
    if alone && frequencies > 1 {
        let found = format!("{word} with {frequencies} frequencies");
        return Err(Error::value(field, found, "another one: projections serve one frequency"));
    }
    Ok(())
}

/// Phase (rad) at the edge of an aperture, of `columns` x `rows` at a pitch (wavelengths), whose rays fill the coverages from their middle.
pub(super) fn range(specification: &Specification, [columns, rows]: [usize; 2], pitch: f64) -> f64 {
    let [across, up] = specification.bounds().map(|[low, high]| high - low);
    let radius = 0.5 * pitch * (columns as f64).hypot(rows as f64);
    (0.5 * std::f64::consts::TAU * radius * 0.5 * across.hypot(up)).clamp(2.0, 100.0)
}

/// The stages that are given, or the usual ones.
pub(super) fn stages(table: &SynthesisTable, setting: &Setting) -> Result<Vec<Stage>, Error> {
    if table.stage.is_empty() {
        let usual = synthesis::usual(setting.method, setting.moving);
        return Ok(usual.into_iter().map(|stage| Stage { power: setting.power, ..stage }).collect());
    }
    let total = table.stage.iter().fold(0usize, |sum, stage| sum.saturating_add(stage.iterations));
    if total > MOST_ITERATIONS {
        let expected = format!("at most {MOST_ITERATIONS} in all");
        return Err(Error::value("[[synthesis.stage]] iterations", total, expected));
    }
    table.stage.iter().map(|table| stage(table, setting)).collect()
}

fn field(table: &StageTable, what: &str) -> String {
    format!("[[synthesis.stage]] {}, {what}", table.name)
}

fn stage(table: &StageTable, setting: &Setting) -> Result<Stage, Error> {
    let count = |what: &str, found: usize, limits| within(field(table, what), found, limits);
    let few = table.zernike_order.is_some() || table.nodes > 0 || table.global.is_some();
    if setting.method == Method::Projections && few {
        let expected = "left out: projections change every phase and nothing else";
        return Err(Error::value(field(table, "zernike_order, nodes, global"), "given", expected));
    }
    let sharpness = match (table.sharpness, setting.method) {
        (Some(sharpness), _) => within(field(table, "sharpness"), sharpness, [1e-3, 1e6])?,
        (None, Method::MaxMin) => {
            return Err(Error::value(field(table, "sharpness"), "missing", "there for \"max-min\""));
        }
        (None, _) => 0.0,
    };
    let zernike = table.zernike_order.map(|order| count("zernike_order", order, [1, 20])).transpose()?;
    let nodes = count("nodes", table.nodes, [0, 1000])?;
    let moving = if setting.moving { nodes } else { 0 };
    let global = table.global.as_ref().map(|wanted| global(table, wanted, [zernike, Some(moving)], setting));
    Ok(Stage {
        name: table.name.clone(),
        zernike,
        nodes,
        sharpness,
        iterations: count("iterations", table.iterations, [1, MOST_ITERATIONS])?,
        penalty: within(field(table, "penalty"), table.penalty.unwrap_or(1e2), [0.0, 1e9])?,
        keep: count("keep", table.keep.unwrap_or(1), [1, MOST_STARTS])?,
        method: setting.method,
        power: setting.power,
        global: global.transpose()?,
    })
}

fn global(
    stage: &StageTable,
    table: &GlobalTable,
    [zernike, nodes]: [Option<usize>; 2],
    setting: &Setting,
) -> Result<Global, Error> {
    let count = |what: &str, found: usize, limits| within(field(stage, what), found, limits);
    let part = |what: &str, found: f64, limits| within(field(stage, what), found, limits);
    let Some(order) = zernike else {
        let expected = "with zernike_order: every phase by itself is too many unknowns to sample";
        return Err(Error::value(field(stage, "global"), "without zernike_order", expected));
    };
    let unknowns = order * (order + 3) / 2 + 2 * nodes.unwrap_or(0).pow(2);
    if unknowns > MOST_UNKNOWNS {
        let expected = format!("of at most {MOST_UNKNOWNS} unknowns; lower zernike_order or nodes");
        return Err(Error::value(field(stage, "global"), unknowns, expected));
    }
    let samples = count("global.samples", table.samples.unwrap_or(SAMPLES * unknowns), [1, MOST_SAMPLES])?;
    Ok(Global {
        samples,
        levels: count("global.levels", table.levels.unwrap_or(12), [1, 10_000])?,
        searches: count("global.searches", table.searches.unwrap_or(64), [1, 100_000])?,
        range: part("global.range_rad", table.range_rad.unwrap_or(setting.range), [1e-3, 1e3])?,
        shift: part("global.shift_wavelengths", table.shift_wavelengths.unwrap_or(0.5), [1e-3, 1e2])?,
        seed: table.seed.unwrap_or(1),
    })
}
