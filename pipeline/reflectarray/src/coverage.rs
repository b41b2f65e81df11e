//! From coverage polygons on the Earth to the directions that a design is judged at.
//!
//! A polygon's sides are straight in longitude and latitude. Each is cut into pieces ([`PIECES`] at least, none longer than [`LONGEST_DEG`]) whose ends are taken to the
//! u-v plane of the antenna ([`geostationary`]) and joined by straight lines there. The polygon is then grown by the sine of the pointing error, so that the
//! antenna may miss its aim by as much in any direction (u and v shrink by the cosine of the angle off the aim; a satellite's Earth ends before
//! that is 5 %, on the safe side).
//!
//! A region is sampled at the multiples of `step` in u and v that lie inside and along its boundary at most `step` apart. [`Specification::mask`] at half
//! the step is the finer mask that scores are taken on: it has every direction of the coarser one and as many in between each way.

mod area;
pub mod geostationary;

pub use area::Area;

use super::mask::{Mask, Region};
use super::{Error, Result};
use geostationary::{Place, View};
use numerics::real::ends;

/// Fewest pieces that a side is cut into.
pub const PIECES: usize = 8;
/// Longest piece of a side, degrees.
pub const LONGEST_DEG: f64 = 4.0;
/// Most directions of a mask.
pub const MOST_SAMPLES: f64 = 2e6;
/// Most pairs of a direction and a vertex that are compared for a region.
pub const MOST_WORK: f64 = 2e9;
/// Direction cosines that regions with contradictory levels may overlap by: they are outlines that touch.
const TOUCH: f64 = 1e-6;
/// Most vertices of a polygon.
pub const MOST_VERTICES: usize = 2000;

/// A region with its levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone {
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub area: Area,
    /// Least directivity, dBi, of a coverage.
    pub lower_dbi: Option<f64>,
    /// Greatest directivity, dBi.
    pub upper_dbi: Option<f64>,
    /// What it counts for beside the others.
    pub weight: f64,
}

/// Everything around the coverages, kept below a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SideLobes {
    /// Greatest directivity, dBi.
    pub upper_dbi: f64,
    /// From the coverages, in direction cosines.
    pub gap: f64,
    /// Farthest from the aim, direction cosine; 1 is all that is visible.
    pub reach: f64,
    /// What they count for beside the others.
    pub weight: f64,
}

/// All that is asked of the directivity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Specification {
    /// The regions; those with a lower level are coverages.
    pub zones: Vec<Zone>,
    /// Around them.
    pub side_lobes: Option<SideLobes>,
}

/// The outline in u and v of a polygon of places.
pub fn outline(region: &str, view: &View, polygon: &[Place]) -> Result<Vec<[f64; 2]>> {
    check_vertices(region, &unwrapped(polygon))?;
    let mut outline = Vec::new();
    for (vertex, (&from, &to)) in polygon.iter().zip(polygon.iter().cycle().skip(1)).enumerate() {
        for place in pieces(from, to) {
            let given = || format!("{region}: vertex {vertex} ({place})");
            let beyond = || Error::invalid(given(), "it lies beyond the horizon of the satellite");
            outline.push(view.direction(place).ok_or_else(beyond)?);
        }
    }
    Ok(outline)
}

/// The outline of a polygon that is given in u and v.
pub fn outline_uv(region: &str, polygon: &[[f64; 2]]) -> Result<Vec<[f64; 2]>> {
    let hidden = |[u, v]: &[f64; 2]| u.hypot(*v).partial_cmp(&1.0) != Some(std::cmp::Ordering::Less);
    if let Some(vertex) = polygon.iter().position(hidden) {
        let [u, v] = polygon[vertex];
        let given = format!("{region}: vertex {vertex} is u {u} v {v}");
        return Err(Error::invalid(given, "u^2 + v^2 must be below 1"));
    }
    check_vertices(region, polygon)?;
    Ok(polygon.to_vec())
}

fn check_vertices(region: &str, polygon: &[[f64; 2]]) -> Result<()> {
    if !(3..=MOST_VERTICES).contains(&polygon.len()) {
        let given = format!("{region}: {} vertices", polygon.len());
        return Err(Error::invalid(given, format!("a polygon has 3 to {MOST_VERTICES}")));
    }
    area::crossing(polygon).map_or(Ok(()), |(first, second)| {
        let given = format!("{region}: the side after vertex {first} meets the side after vertex {second}");
        Err(Error::invalid(given, "sides of a polygon must not cross"))
    })
}

/// Longitude and latitude without jumps at the date line.
fn unwrapped(polygon: &[Place]) -> Vec<[f64; 2]> {
    let first = polygon.first().map_or(0.0, |place| place.longitude_deg);
    let along = polygon.iter().scan(first, |longitude, place| {
        *longitude += turn(place.longitude_deg - *longitude);
        Some([*longitude, place.latitude_deg])
    });
    along.collect()
}

/// The short way round, -180 to 180 degrees.
fn turn(degrees: f64) -> f64 {
    (degrees + 180.0).rem_euclid(360.0) - 180.0
}

/// The places that cut a side, with its first end and without its last.
fn pieces(from: Place, to: Place) -> impl Iterator<Item = Place> {
    let across = turn(to.longitude_deg - from.longitude_deg);
    let up = to.latitude_deg - from.latitude_deg;
    let count = PIECES.max((across.hypot(up) / LONGEST_DEG).ceil() as usize);
    (0..count).map(move |i| {
        let t = i as f64 / count as f64;
        Place { longitude_deg: from.longitude_deg + t * across, latitude_deg: from.latitude_deg + t * up }
    })
}

impl Specification {
    /// The directions to judge at, `step` apart in u and v.
    pub fn mask(&self, step: f64) -> Result<Mask> {
        let mut regions = self.zones.iter().map(|zone| region(zone, step)).collect::<Result<Vec<_>, _>>()?;
        regions.iter().try_for_each(|region| self.check_levels(region))?;
        if let Some(lobes) = &self.side_lobes {
            regions.push(self.lobe_region(lobes, step)?);
        }
        Ok(Mask { regions, solid_angle: self.solid_angle(step)? })
    }

    /// Refuses a coverage that lies in part where another region has to be below its level. Regions may touch.
    fn check_levels(&self, region: &Region) -> Result<()> {
        let Some(lower_dbi) = region.lower_dbi else { return Ok(()) };
        for zone in &self.zones {
            let Some(upper_dbi) = zone.upper_dbi.filter(|upper| *upper < lower_dbi) else { continue };
            let mut inside = region.u.iter().zip(&region.v).take(region.interior).map(|(u, v)| [*u, *v]);
            if let Some(at) = inside.find(|point| zone.area.depth(*point) > TOUCH) {
                let [covered, quiet] = [&region.name, &zone.name];
                let place = format!("at u {:.4} v {:.4}", at[0], at[1]);
                let given = format!("{covered} asks for at least {lower_dbi} dBi {place}");
                let given = format!("{given}, where {quiet} allows {upper_dbi} dBi at most");
                return Err(Error::invalid(given, "regions with such levels may only touch"));
            }
        }
        Ok(())
    }

    /// Areas to be covered.
    pub fn coverages(&self) -> impl Iterator<Item = &Zone> {
        self.zones.iter().filter(|zone| zone.lower_dbi.is_some())
    }

    /// Least and largest u and v of all coverages.
    pub fn bounds(&self) -> [[f64; 2]; 2] {
        [0, 1].map(|axis| ends(self.coverages().flat_map(|zone| zone.area.bounds()[axis])))
    }

    fn vertices(&self) -> usize {
        self.coverages().map(|zone| zone.area.outline().len()).sum()
    }

    /// Solid angle of all coverages together, sr, on a grid of a quarter of `step`: du dv/cos(theta).
    fn solid_angle(&self, step: f64) -> Result<f64> {
        let all = self.coverages().map(|zone| zone.area.bounds()).reduce(|[u, v], [s, t]| {
            let join = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
            [join(u, s), join(v, t)]
        });
        let Some(bounds) = all else { return Ok(0.0) };
        let fine = 0.25 * step;
        let points = multiples("all coverages", bounds, fine, self.vertices())?;
        let covered = points.filter(|point| self.coverages().any(|zone| zone.area.contains(*point)));
        Ok(covered.map(|[u, v]| fine * fine / (1.0 - u * u - v * v).sqrt()).sum())
    }

    fn lobe_region(&self, lobes: &SideLobes, step: f64) -> Result<Region> {
        let name = "side lobes";
        let reach = lobes.reach;
        let away = |[u, v]: &[f64; 2]| {
            let far = |zone: &Zone| {
                let point = [*u, *v];
                !zone.area.contains(point) && zone.area.distance(point) - zone.area.margin() >= lobes.gap
            };
            u.hypot(*v) <= reach && self.coverages().all(far)
        };
        let points = multiples(name, [[-reach, reach]; 2], step, self.vertices())?.filter(away);
        let (u, v): (Vec<f64>, Vec<f64>) = points.map(|[u, v]| (u, v)).unzip();
        if u.is_empty() {
            return Err(empty(name, step));
        }
        let (interior, upper_dbi) = (u.len(), Some(lobes.upper_dbi));
        Ok(Region { name: name.into(), u, v, interior, lower_dbi: None, upper_dbi, weight: lobes.weight })
    }
}

fn empty(region: &str, step: f64) -> Error {
    let given = format!("{region}: no multiple of the step {step} in u and v lies inside");
    Error::invalid(given, "make it smaller")
}

/// Samples of a zone: inside first, then along the boundary.
fn region(zone: &Zone, step: f64) -> Result<Region> {
    let visible = |[u, v]: &[f64; 2]| u * u + v * v < 1.0;
    let inside = multiples(&zone.name, zone.area.bounds(), step, zone.area.outline().len())?
        .filter(|point| zone.area.contains(*point));
    let mut points: Vec<[f64; 2]> = inside.filter(visible).collect();
    let interior = points.len();
    if interior == 0 {
        return Err(empty(&zone.name, step));
    }
    check_count(&zone.name, zone.area.boundary_cost(step), step, zone.area.outline().len())?;
    points.extend(zone.area.boundary(step).into_iter().filter(visible));
    let (u, v) = points.into_iter().map(|[u, v]| (u, v)).unzip();
    let Zone { name, lower_dbi, upper_dbi, weight, .. } = zone;
    let (name, lower_dbi, upper_dbi, weight) = (name.clone(), *lower_dbi, *upper_dbi, *weight);
    Ok(Region { name, u, v, interior, lower_dbi, upper_dbi, weight })
}

/// Multiples of `step` within bounds of u and v, row by row from the least v.
fn multiples(
    region: &str,
    [u, v]: [[f64; 2]; 2],
    step: f64,
    vertices: usize,
) -> Result<impl Iterator<Item = [f64; 2]> + use<>> {
    let ends = |[low, high]: [f64; 2]| [(low / step).ceil(), (high / step).floor()];
    let ([left, right], [bottom, top]) = (ends(u), ends(v));
    check_count(region, (right - left + 1.0) * (top - bottom + 1.0), step, vertices)?;
    let along = |from: f64, to: f64| from as i64..=to as i64;
    Ok(along(bottom, top)
        .flat_map(move |j| along(left, right).map(move |i| [i as f64 * step, j as f64 * step])))
}

fn check_count(region: &str, count: f64, step: f64, vertices: usize) -> Result<()> {
    // A step of zero or of no number has no count.
    let good = count <= MOST_SAMPLES && count * vertices as f64 <= MOST_WORK;
    let given = || format!("{region}: about {count:.0} directions at the step {step}");
    if good { Ok(()) } else { Err(Error::invalid(given(), format!("at most {MOST_SAMPLES:.0} are allowed"))) }
}

#[cfg(test)]
mod tests;
