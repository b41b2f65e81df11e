//! The paper's arrays, over coverages from files.

use reflectarray::coverage::geostationary::{Place, View};
use reflectarray::coverage::{self, Area, Specification, Zone};
use reflectarray::spacing::Shape;
use reflectarray::synthesis::{aperiodic, periodic, trade};
use reflectarray::{Design, Feed, Model, Plan, Spacing, Task};
use serde::Deserialize;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

/// A coverage file: polygons of latitude and longitude.
#[derive(Deserialize)]
struct Outlines {
    sat_lon: f64,
    centre_lat: f64,
    centre_lon: f64,
    polys_latlon: Vec<Vec<[f64; 2]>>,
}

/// Where elements are.
#[derive(Clone, Copy)]
pub enum Lattice {
    /// On a grid, wavelengths apart.
    Periodic(f64),
    /// 0.5 to 0.7 wavelengths apart.
    Aperiodic,
}

/// An array over a coverage.
#[derive(Clone, Copy)]
pub struct Array {
    /// Europe's feed or America's.
    pub feed: Feed,
    /// Elements along a side.
    pub side: usize,
    pub lattice: Lattice,
    /// `coverage_NAME.json`.
    pub coverage: &'static str,
}

/// Tables 1 and 3 of the paper.
pub const EUROPE: Feed = Feed::offset(0.423, 0.833, 12.0);
pub const CONUS: Feed = Feed::offset(0.276, 1.0, 12.0);
const FREQUENCY: f64 = 14.25e9;
/// Least and greatest spacing of aperiodic arrays, and the pitch that they begin with, wavelengths.
const SPACING: [f64; 2] = [0.5, 0.7];
const PITCH: f64 = 0.69;
/// Directions for each beam width, as `[sampling]` has it.
const SAMPLES_PER_BEAM: f64 = 12.0;
/// Starts of a design.
const STARTS: usize = 12;
/// Nodes of the map of positions in later stages.
const NODES: usize = 9;

impl Array {
    pub fn model(&self) -> Model {
        Model::new(FREQUENCY, self.feed)
    }

    /// Distance of elements, m.
    pub fn pitch(&self) -> f64 {
        let waves = match self.lattice {
            Lattice::Periodic(waves) => waves,
            Lattice::Aperiodic => PITCH,
        };
        waves * self.model().wavelength()
    }

    /// The task with mu = `mean`.
    pub fn task(&self, folder: &Path, mean: f64) -> Result<Task, Box<dyn Error>> {
        let (model, side) = (self.model(), self.side);
        let wavelength = model.wavelength();
        let (spacing, widest) = match self.lattice {
            Lattice::Periodic(waves) => (None, waves),
            Lattice::Aperiodic => {
                let [min, max] = SPACING.map(|waves| waves * wavelength);
                (Some(Spacing { min, max }), SPACING[1])
            }
        };
        let step = 1.0 / (side as f64 * widest * SAMPLES_PER_BEAM);
        let specification = specification(folder, self.coverage)?;
        Ok(Task {
            bands: vec![(model, 1.0)],
            shape: Shape { columns: side, rows: side },
            pitch: self.pitch(),
            spacing,
            mask: specification.mask(step)?,
            fine: specification.mask(0.5 * step)?,
            mean,
            starts: STARTS,
        })
    }

    /// A design with the first of `means`, and one for each of the others from there.
    pub fn designs(&self, folder: &Path, means: &[f64]) -> Result<Vec<Design>, Box<dyn Error>> {
        let [first, others @ ..] = means else { return Ok(Vec::new()) };
        let (stages, nodes) = match self.lattice {
            Lattice::Periodic(_) => (periodic(), 0),
            Lattice::Aperiodic => (aperiodic(), NODES),
        };
        let plan = Plan::on_cpu(self.task(folder, *first)?)?;
        Ok(plan.front(&stages, &trade(nodes), others, &mut |_| ControlFlow::Continue(()))?)
    }
}

fn specification(folder: &Path, name: &str) -> Result<Specification, Box<dyn Error>> {
    let path = folder.join(format!("coverage_{name}.json"));
    let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let outlines: Outlines = serde_json::from_slice(&text)?;
    let place = |latitude_deg, longitude_deg| Place { longitude_deg, latitude_deg };
    let view = View::new(outlines.sat_lon, place(outlines.centre_lat, outlines.centre_lon))
        .ok_or("the satellite does not see its aim")?;
    let mut zones = Vec::new();
    for polygon in &outlines.polys_latlon {
        let places: Vec<Place> =
            polygon.iter().map(|[latitude, longitude]| place(*latitude, *longitude)).collect();
        let area = Area::new(coverage::outline(name, &view, &places)?, 0.0);
        zones.push(Zone { name: name.into(), area, lower_dbi: Some(0.0), upper_dbi: None, weight: 1.0 });
    }
    Ok(Specification { zones, side_lobes: None })
}
