//! Pictures of currents, echo widths and the near field, of the first incidence.

use super::run::Run;
use crate::cli::Result;
use pipeline::mom::{Currents, Plan, Polarisation};
use pipeline::numerics::real::ends;
use pipeline::plot::lines::{Curve, Figure, Quantity};
use pipeline::plot::{map, polar};

/// Levels below the highest by more are not drawn, dB.
const RANGE_DB: f64 = 60.0;
/// Of polar diagrams.
const POLAR_RANGE_DB: f64 = 40.0;
/// Of the near field.
const FIELD_RANGE_DB: f64 = 40.0;
/// Pixels of the near field's longer side, and most field values times nodes.
const FIELD_SIDE: usize = 200;
const MOST_FIELD_TERMS: usize = 8_000_000;

/// All of them.
pub fn write(run: &Run, plan: &Plan, currents: &Currents, widths: &[f64]) -> Result<()> {
    let behind = case(run);
    draw_currents(run, plan, currents, &behind)?;
    draw_widths(run, widths, &behind)?;
    draw_field(run, plan, currents, &behind)
}

/// What titles say of a run.
pub fn case(run: &Run) -> String {
    let (incidence, wavelength) = (run.incidences_deg[0], run.settings.wavelength);
    let wave = match run.settings.polarisation {
        Polarisation::Tm => "TM",
        Polarisation::Te => "TE",
    };
    format!("{wave}, wavelength {wavelength:.4} m, incidence {incidence}\u{b0}")
}

fn draw_currents(run: &Run, plan: &Plan, currents: &Currents, behind: &str) -> Result<()> {
    let density = currents.density(0);
    let x: Vec<f64> = plan.mesh().nodes.iter().map(|node| node.arc_length).collect();
    // A graded cell may be too short for its nodes to have different arc lengths.
    let mut kept: Vec<usize> = (0..x.len()).collect();
    kept.dedup_by(|after, before| x[*after] <= x[*before]);
    let at: Vec<f64> = kept.iter().map(|i| x[*i]).collect();
    let part = |value: &dyn Fn(usize) -> f64| kept.iter().map(|i| 1e3 * value(*i)).collect::<Vec<f64>>();
    let (size, re, im) = (part(&|i| density[i].norm()), part(&|i| density[i].re), part(&|i| density[i].im));
    let curve = |name, y| Curve { name, x: &at, y };
    let title = format!("Current, {behind}");
    let figure = Figure {
        title: &title,
        x: Quantity::linear("arc length (m)"),
        y: Quantity::linear("current (mA/m)"),
        curves: vec![curve("magnitude", &size), curve("real", &re), curve("imaginary", &im)],
    };
    Ok(figure.save(run.folder.join("currents.png"))?)
}

pub fn draw_widths(run: &Run, widths: &[f64], behind: &str) -> Result<()> {
    let mut order: Vec<usize> = (0..widths.len()).collect();
    order.sort_by(|a, b| run.phi_deg[*a].total_cmp(&run.phi_deg[*b]));
    let degrees: Vec<f64> = order.iter().map(|i| run.phi_deg[*i]).collect();
    let levels: Vec<f64> = order.iter().map(|i| 10.0 * widths[*i].log10()).collect();
    let Some(highest) = levels.iter().copied().filter(|level| level.is_finite()).reduce(f64::max) else {
        return Ok(());
    };
    let title = format!("Echo width, {behind}");
    let figure = Figure {
        title: &title,
        x: Quantity::linear("phi (degrees)"),
        y: Quantity::linear("sigma (dB above 1 m)").down_to(highest - RANGE_DB),
        curves: vec![Curve { name: "sigma", x: &degrees, y: &levels }],
    };
    figure.save(run.folder.join("echo_width.png"))?;
    if degrees.len() > 1 {
        let title = format!("Echo width (dB above 1 m), {behind}");
        let figure =
            polar::Figure { title: &title, degrees: &degrees, level_db: &levels, range_db: POLAR_RANGE_DB };
        figure.save(run.folder.join("echo_width_polar.png"))?;
    }
    Ok(())
}

fn draw_field(run: &Run, plan: &Plan, currents: &Currents, behind: &str) -> Result<()> {
    let [x0, x1, y0, y1] = run.window.unwrap_or_else(|| window(plan, run.settings.wavelength));
    // Fewer pixels for more unknowns.
    let affordable = (MOST_FIELD_TERMS / plan.mesh().nodes.len()).isqrt();
    let side = FIELD_SIDE.min(affordable).max(40) as f64;
    let step = (x1 - x0).max(y1 - y0) / side;
    let centres = |from: f64, to: f64| {
        let count = ((to - from) / step).round().max(2.0) as usize;
        (0..count).map(|i| from + (i as f64 + 0.5) * (to - from) / count as f64).collect::<Vec<f64>>()
    };
    let (x, y) = (centres(x0, x1), centres(y0, y1));
    let points: Vec<[f64; 2]> = y.iter().flat_map(|y| x.iter().map(|x| [*x, *y])).collect();
    let fields = plan.fields(currents, 0, &points);
    let (unit, name) = match run.settings.polarisation {
        Polarisation::Tm => (1.0, "|E_z| (dB above 1 V/m)"),
        Polarisation::Te => (1e-3, "|H_z| (dB above 1 mA/m)"),
    };
    let level_db: Vec<f64> = fields.iter().map(|field| 20.0 * (field.norm() / unit).log10()).collect();
    let highest =
        level_db.iter().copied().filter(|level| level.is_finite()).reduce(f64::max).unwrap_or_default();
    let title = format!("Near field, {behind}");
    let figure = map::Figure {
        title: &title,
        x: map::Side { label: "x (m)", values: &x },
        y: map::Side { label: "y (m)", values: &y },
        level_db: &level_db,
        label: name,
        highest_db: highest.ceil(),
        range_db: FIELD_RANGE_DB,
        in_proportion: true,
    };
    Ok(figure.save(run.folder.join("near_field.png"))?)
}

/// Twice the bodies, and a wavelength around them at least.
fn window(plan: &Plan, wavelength: f64) -> [f64; 4] {
    let nodes = &plan.mesh().nodes;
    let middle = |axis: usize| {
        let [low, high] = ends(nodes.iter().map(|node| node.point[axis]));
        (0.5 * (low + high), 0.5 * (high - low))
    };
    let ((x, half_x), (y, half_y)) = (middle(0), middle(1));
    let half = (2.0 * half_x.max(half_y)).max(half_x.max(half_y) + wavelength);
    [x - half, x + half, y - half, y + half]
}
