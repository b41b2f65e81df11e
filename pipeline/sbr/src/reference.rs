//! The definition: every ray against every facet, every tube a point, in double precision.

use super::cast::{Ray, brute_force};
use super::facets::Facets;
use super::field::{C, Matrix, add, scale, wavenumber};
use super::launch::Launch;
use super::material::Material;
use super::path::{Bounce, Exit};
use super::po::{self, Complex3};
use super::{Direction, Error, Settings};
use mesh::Mesh;
use numerics::vec3::Vec3;

/// Scattering matrix at the first frequency of `settings`, for a wave from `incidence` seen from
/// `observation`, m.
///
/// Sides of tubes, bounces and the turn of the grid are those of the settings; tubes are never split or
/// dropped.
pub fn scattering(
    mesh: &Mesh,
    materials: &[Material],
    settings: &Settings,
    incidence: Direction,
    observation: Direction,
) -> Result<Matrix, Error> {
    settings.validate()?;
    observation.validate()?;
    let facets = Facets::new(mesh)?;
    let launch = Launch::new(&facets, incidence, settings)?;
    let k = wavenumber(settings.frequencies[0]);
    let receiver = observation.radar();
    let area = launch.u.cross(launch.v).length();
    let mut sum = Matrix::default();
    for row in 0..launch.rows {
        for column in 0..launch.columns {
            let start = launch.point(column as f64 + 0.5, row as f64 + 0.5);
            let Some((exit, bounces)) = trace(&facets, start, -launch.sight, settings.bounces) else {
                continue;
            };
            let fields =
                incidence.polarisations().map(|field| transport(field, &bounces, &facets, materials, k));
            let pattern = po::complex_pattern(&exit, &fields, &receiver);
            let footprint = area / exit.normal.dot(exit.direction);
            let wave = C::from_polar(footprint, k * (receiver.sight.dot(exit.place) - exit.path));
            add(&mut sum, &pattern, wave);
        }
    }
    let shift = C::from_polar(1.0, k * (launch.sight + receiver.sight).dot(facets.centre));
    Ok(sum.map(|row| row.map(|entry| entry * scale(k) * shift)))
}

fn trace(facets: &Facets, start: Vec3, direction: Vec3, most: usize) -> Option<(Exit, Vec<Bounce>)> {
    let mut ray = Ray::new(start, direction);
    let mut path = direction.dot(start);
    let mut bounces = Vec::new();
    while bounces.len() < most {
        let hit = brute_force(facets, &ray);
        if !hit.is_some() {
            break;
        }
        let normal = facets.normals[hit.facet as usize];
        let normal = if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
        bounces.push(Bounce { facet: hit.facet, incoming: ray.direction, normal });
        path += hit.distance;
        ray = Ray::leaving(facets, hit.facet, ray.at(hit.distance), ray.direction.mirrored(normal));
    }
    let last = bounces.last()?;
    let exit = Exit {
        place: ray.origin,
        direction: ray.direction,
        normal: last.normal,
        path,
        u: Vec3::ZERO,
        v: Vec3::ZERO,
        facet: last.facet,
        bounces: bounces.len(),
        cut: false,
    };
    (exit.normal.dot(exit.direction) > 1e-9).then_some((exit, bounces))
}

/// A field through all reflections, by the materials of the facets.
pub fn transport(
    field: Vec3,
    bounces: &[Bounce],
    facets: &Facets,
    materials: &[Material],
    k: f64,
) -> Complex3 {
    let start = field.to_array().map(|x| C::new(x, 0.0));
    bounces.iter().fold(start, |field, bounce| {
        let material = &materials[facets.groups[bounce.facet as usize] as usize];
        let r = material.reflection(k, -bounce.incoming.dot(bounce.normal));
        po::reflected(&field, bounce, r.across, r.along)
    })
}
