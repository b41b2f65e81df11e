//! Pictures of radar cross-sections: curves over what varies, or maps where two things do.

use super::run::Run;
use crate::cli::Result;
use pipeline::plot::lines::{Curve, Figure, Quantity};
use pipeline::plot::map;
use pipeline::sbr::files::{CHANNELS, Cuts};
use pipeline::sbr::{Matrix, dbsm};
use std::path::Path;

/// Levels below the highest by more are not drawn in curves, dB.
const CURVE_RANGE_DB: f64 = 80.0;
/// Range of the colours of maps, dB; channels that are lower all over have none.
pub const MAP_RANGE_DB: f64 = 60.0;
/// Sides of a map in degrees that differ by more are not drawn in proportion.
const MOST_SLENDER: f64 = 4.0;

/// The highest level of all channels, dBsm; none if nothing comes back.
pub fn highest<'a>(fields: impl IntoIterator<Item = &'a Matrix>) -> Option<f64> {
    let levels = fields.into_iter().flatten().flatten().map(|entry| dbsm(*entry));
    levels.filter(|level| level.is_finite()).reduce(f64::max)
}

/// Channels that reach the range of colours below the highest level, with their levels.
pub fn seen(fields: &[Matrix], range_db: f64) -> Vec<(&'static str, Vec<f64>)> {
    let Some(highest) = highest(fields) else { return Vec::new() };
    let channel = |(name, p, q): (&'static str, usize, usize)| {
        let levels: Vec<f64> = fields.iter().map(|field| dbsm(field[p][q])).collect();
        levels.iter().any(|level| *level > highest - range_db).then_some((name, levels))
    };
    CHANNELS.into_iter().filter_map(channel).collect()
}

/// Something that may vary: its name, its values, and how far apart two of them lie in the fields.
struct Varying<'a> {
    label: &'a str,
    values: Vec<f64>,
    stride: usize,
    /// Numbers of the values in rising order.
    order: Vec<usize>,
}

impl<'a> Varying<'a> {
    fn new(label: &'a str, values: &[f64], stride: usize) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
        Self { label, values: order.iter().map(|at| values[*at]).collect(), stride, order }
    }

    fn side(&self) -> map::Side<'_> {
        map::Side { label: self.label, values: &self.values }
    }

    fn span(&self) -> f64 {
        self.values[self.values.len() - 1] - self.values[0]
    }

    /// Where its values lie in the fields, from where the first one does.
    fn places(&self) -> impl Iterator<Item = usize> {
        self.order.iter().map(|at| at * self.stride)
    }
}

/// `rcs.png` where one of theta, phi and frequency varies, `rcs_hh.png` and so on where more do.
pub fn write(run: &Run) -> Result<()> {
    let cuts = &run.cuts;
    let gigahertz: Vec<f64> = cuts.frequencies.iter().map(|frequency| 1e-9 * frequency).collect();
    let (frequencies, phis) = (cuts.frequencies.len(), cuts.phi_deg.len());
    let all = [
        Varying::new("theta (degrees)", &cuts.theta_deg, phis * frequencies),
        Varying::new("phi (degrees)", &cuts.phi_deg, frequencies),
        Varying::new("frequency (GHz)", &gigahertz, 1),
    ];
    let varying: Vec<&Varying<'_>> = all.iter().filter(|varying| varying.values.len() > 1).collect();
    match varying.as_slice() {
        [] => Ok(()),
        [one] => curves(run, one),
        [y, x, ..] => maps(run, y, x),
    }
}

fn curves(run: &Run, x: &Varying<'_>) -> Result<()> {
    let fields: Vec<Matrix> = x.places().map(|place| run.cuts.fields[place]).collect();
    let title = format!("{}: radar cross-section{}", run.name, fixed(&run.cuts, 0));
    save_curves(&run.folder.join("rcs.png"), &title, (x.label, &x.values), (&fields, CURVE_RANGE_DB))
}

/// A curve of every channel that is seen, down to `range_db` below the highest.
pub fn save_curves(
    path: &Path,
    title: &str,
    (label, x): (&str, &[f64]),
    (fields, range_db): (&[Matrix], f64),
) -> Result<()> {
    let Some(highest) = highest(fields) else { return Ok(()) };
    let channels = seen(fields, range_db);
    let curves = channels.iter().map(|(name, y)| Curve { name, x, y }).collect();
    let y = Quantity::linear("sigma (dBsm)").down_to(highest - range_db);
    Ok(Figure { title, x: Quantity::linear(label), y, curves }.save(path)?)
}

fn maps(run: &Run, y: &Varying<'_>, x: &Varying<'_>) -> Result<()> {
    let cuts = &run.cuts;
    // Of frequencies over both angles, that of the highest level.
    let both_angles = x.stride == cuts.frequencies.len();
    let highest = highest_at(cuts).filter(|_| both_angles);
    let at = highest.map_or(0, |(_, frequency)| frequency);
    let places = y.places().flat_map(|row| x.places().map(move |column| row + column + at));
    let fields: Vec<Matrix> = places.map(|place| cuts.fields[place]).collect();
    let slender = (x.span() / y.span()).max(y.span() / x.span()) > MOST_SLENDER;
    let name = format!("{}: radar cross-section", run.name);
    let figure = map::Figure {
        title: "",
        x: x.side(),
        y: y.side(),
        level_db: &[],
        label: "sigma (dBsm)",
        highest_db: 0.0,
        range_db: MAP_RANGE_DB,
        in_proportion: both_angles && !slender,
    };
    save_maps(&figure, &fields, run, ("rcs", &name, &fixed(cuts, at)))
}

/// A map of every channel that is seen, all with one scale: `NAME_hh.png` and so on.
pub fn save_maps(
    figure: &map::Figure<'_>,
    fields: &[Matrix],
    run: &Run,
    (file, title, behind): (&str, &str, &str),
) -> Result<()> {
    let highest_db = highest(fields).unwrap_or_default().ceil();
    for (channel, levels) in seen(fields, figure.range_db) {
        let title = format!("{title}, {channel}{behind}");
        let path = channel_file(&run.folder, file, channel);
        map::Figure { title: &title, level_db: &levels, highest_db, ..*figure }.save(path)?;
    }
    Ok(())
}

/// The name of a channel's picture.
pub fn channel_file(folder: &Path, file: &str, channel: &str) -> std::path::PathBuf {
    folder.join(format!("{file}_{channel}.png"))
}

/// Numbers of the direction and of the frequency with the highest level; none if nothing comes back.
pub fn highest_at(cuts: &Cuts) -> Option<(usize, usize)> {
    let levels = cuts.fields.iter().enumerate().filter_map(|(at, field)| Some((highest([field])?, at)));
    // Of equal ones the first.
    let (_, at) = levels.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    Some((at / cuts.frequencies.len(), at % cuts.frequencies.len()))
}

/// A number for a title: to four places.
pub fn short(value: f64) -> f64 {
    (1e4 * value).round() / 1e4
}

/// What does not vary, for titles.
fn fixed(cuts: &Cuts, frequency: usize) -> String {
    let mut text = String::new();
    for (name, values) in [("theta", &cuts.theta_deg), ("phi", &cuts.phi_deg)] {
        if let [value] = values.as_slice() {
            text += &format!(", {name} {}\u{b0}", short(*value));
        }
    }
    let both_angles = cuts.theta_deg.len() > 1 && cuts.phi_deg.len() > 1;
    if cuts.frequencies.len() == 1 || both_angles {
        text += &format!(", {} GHz", short(1e-9 * cuts.frequencies[frequency]));
    }
    text
}
