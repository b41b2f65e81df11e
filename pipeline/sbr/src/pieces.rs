//! A cell of the launch grid as the pieces of it that go one way each.
//!
//! Facets are flat. Rays that meet the same facets in the same order leave at places that are linear in where
//! they began, so that every edge of every facet on the way is a straight line in the grid, and what a way
//! covers of a cell is a convex polygon: its region. Nothing is searched for.
//!
//! A region does not know what stands before its facets. Where another ray of the cell parts from a way, by
//! meeting another facet instead of the next one, or one where the way ends, that facet takes from the region
//! what it covers as far as it is nearer. With that, the pieces of the ways that the rays of a cell have
//! found are the cell, unless there are ways that none of them has found.
//!
//! `kernels/cuda/sbr_pieces.cuh` does the same on a card, to the last bit.

use super::facets::Facets;
use super::launch::Launch;
use super::path::Bounce;
use super::polygon::{Linear, Polygon};
use numerics::vec3::Vec3;

/// Facets of a way that are remembered. Rays with more bounces are told apart by these and by their number.
pub const REMEMBERED: usize = 8;

/// The facets that a ray met, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Way {
    facets: [u32; REMEMBERED],
    length: usize,
}

impl Way {
    pub fn new(bounces: &[Bounce]) -> Self {
        let mut facets = [0; REMEMBERED];
        for (facet, bounce) in facets.iter_mut().zip(bounces) {
            *facet = bounce.facet;
        }
        Self { facets, length: bounces.len() }
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    fn facets(&self) -> &[u32] {
        &self.facets[..self.length.min(REMEMBERED)]
    }

    /// Bounces before another goes on to a facet that this does not, and that facet; none if it does not.
    fn parting(&self, other: &Self) -> Option<(usize, u32)> {
        let common = self.facets().iter().zip(other.facets()).take_while(|(a, b)| a == b).count();
        other.facets().get(common).map(|facet| (common, *facet))
    }
}

/// Facets that may take the same.
const MOST_TAKERS: usize = 3;
/// Parts of a region with less of the cell are rounding.
pub const LEAST: f64 = 1e-9;

/// What goes one way: a region less what facets before it take. What two of them take is taken once too often
/// and given back, and so on.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Which of the cell's rays goes it.
    pub ray: usize,
    /// All that its facets cover, in tubes from its ray.
    pub region: Polygon,
    /// What is taken (-1), and what is given back (1).
    pub others: Vec<(f64, Polygon)>,
    /// Of what is left, in tubes.
    pub area: f64,
}

/// A square cell, the rays in it, where they began, in tubes from the grid's corner, and their ways.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    pub launch: &'a Launch,
    pub facets: &'a Facets,
    /// In tubes.
    pub middle: [f64; 2],
    /// Side of the cell, in tubes.
    pub size: f64,
    /// Those that met nothing have no piece.
    pub rays: &'a [([f64; 2], Way)],
}

impl Scene<'_> {
    /// The ways that rays have found, with all that they cover.
    pub fn regions(&self) -> Vec<Piece> {
        let is_first = |ray: &usize| {
            let way = &self.rays[*ray].1;
            !way.is_empty() && self.rays[..*ray].iter().all(|(_, other)| other != way)
        };
        (0..self.rays.len()).filter(is_first).map(|ray| self.region(ray)).collect()
    }

    fn region(&self, ray: usize) -> Piece {
        let (at, way) = &self.rays[ray];
        let mut tube = Tube::new(self.launch, *at);
        let mut region = Polygon::square([self.middle[0] - at[0], self.middle[1] - at[1]], self.size);
        for facet in way.facets() {
            let depth = tube.depth(self.facets, *facet);
            tube.cut(self.facets, *facet, &depth, &mut region);
            tube.bounce(self.facets, *facet, &depth);
        }
        Piece { ray, region, others: Vec::new(), area: region.area() }
    }

    /// Takes from a region what stands before it.
    pub fn take(&self, piece: &mut Piece) {
        let (at, way) = &self.rays[piece.ray];
        let mut partings: Vec<(usize, u32)> = Vec::new();
        for parting in self.rays.iter().filter_map(|(_, other)| way.parting(other)) {
            if !partings.contains(&parting) {
                partings.push(parting);
            }
        }
        let take = |parting: &(usize, u32), polygon: &Polygon| {
            taken(Tube::new(self.launch, *at), self.facets, way.facets(), *parting, polygon)
        };
        let least = LEAST * self.size * self.size;
        share(&take, &partings, (&piece.region, MOST_TAKERS), least, &mut piece.others);
        piece.area =
            piece.others.iter().fold(piece.area, |area, (sign, polygon)| area + sign * polygon.area());
    }
}

/// What each of the partings takes from a polygon, and of that, those before it, which was taken twice, and
/// so on.
fn share<T: Fn(&(usize, u32), &Polygon) -> Polygon>(
    take: &T,
    partings: &[(usize, u32)],
    (polygon, takers): (&Polygon, usize),
    least: f64,
    others: &mut Vec<(f64, Polygon)>,
) {
    if takers == 0 {
        return;
    }
    for (index, parting) in partings.iter().enumerate() {
        let part = take(parting, polygon);
        if part.area() > least {
            let sign = if (MOST_TAKERS - takers).is_multiple_of(2) { -1.0 } else { 1.0 };
            others.push((sign, part));
            share(take, &partings[..index], (&part, takers - 1), least, others);
        }
    }
}

/// What a facet takes from a region where rays part from its way after so many bounces.
fn taken(
    mut tube: Tube,
    facets: &Facets,
    way: &[u32],
    (bounces, facet): (usize, u32),
    region: &Polygon,
) -> Polygon {
    for facet in &way[..bounces] {
        let depth = tube.depth(facets, *facet);
        tube.bounce(facets, *facet, &depth);
    }
    let depth = tube.depth(facets, facet);
    let mut before = *region;
    tube.cut(facets, facet, &depth, &mut before);
    if let Some(own) = way.get(bounces) {
        before.cut(&depth.less(&tube.depth(facets, *own)));
    }
    before
}

/// A tube on its way along known facets: its ray, the sides of its cross-section, and from where rays beside
/// it leave the last facet, m from its wave front.
struct Tube {
    place: Vec3,
    direction: Vec3,
    u: Vec3,
    v: Vec3,
    leaves: Linear,
}

impl Tube {
    fn new(launch: &Launch, [x, y]: [f64; 2]) -> Self {
        // From far outside.
        let leaves = Linear { constant: f64::NEG_INFINITY, slope: [0.0; 2] };
        Self { place: launch.point(x, y), direction: -launch.sight, u: launch.u, v: launch.v, leaves }
    }

    /// How far the plane of a facet is, m, for rays beside this one.
    fn depth(&self, facets: &Facets, facet: u32) -> Linear {
        let normal = facets.normals[facet as usize];
        let over = 1.0 / normal.dot(self.direction);
        let corner = Vec3::from(facets.corners[facet as usize][0]);
        Linear {
            constant: normal.dot(corner - self.place) * over,
            slope: [-(normal.dot(self.u) * over), -(normal.dot(self.v) * over)],
        }
    }

    /// Leaves the part of a polygon whose rays meet a facet at such a depth.
    fn cut(&self, facets: &Facets, facet: u32, depth: &Linear, polygon: &mut Polygon) {
        let normal = facets.normals[facet as usize];
        let corners = facets.corners[facet as usize].map(Vec3::from);
        let place = self.place + self.direction * depth.constant;
        let u = self.u + self.direction * depth.slope[0];
        let v = self.v + self.direction * depth.slope[1];
        // Not where it lies behind the last one: facets may go through each other.
        polygon.cut(&self.leaves.less(depth));
        for i in 0..3 {
            let out = (corners[(i + 1) % 3] - corners[i]).cross(normal);
            polygon.cut(&Linear { constant: out.dot(place - corners[i]), slope: [out.dot(u), out.dot(v)] });
        }
    }

    /// Goes on behind a facet at such a depth.
    fn bounce(&mut self, facets: &Facets, facet: u32, depth: &Linear) {
        let normal = facets.normals[facet as usize];
        self.place += self.direction * depth.constant;
        self.direction = self.direction.mirrored(normal);
        self.u = self.u.mirrored(normal);
        self.v = self.v.mirrored(normal);
        self.leaves = Linear { constant: 0.0, slope: depth.slope };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::Bvh;
    use crate::tube::{Tracer, Tree};
    use crate::{Direction, Settings};
    use mesh::{Mesh, shapes};

    /// Rays along a side of a cell.
    const DENSE: usize = 48;

    /// A corner with a plate that stands across its middle, and goes through two of its faces.
    fn scene() -> Mesh {
        let mut mesh = shapes::trihedral(1.0);
        let plate =
            shapes::plate(0.6, 0.9).moved(|v| Vec3::new(0.2 + 0.3 * v.y, 0.1 + v.x, 0.2 + v.y + 0.2 * v.x));
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(&plate.vertices);
        mesh.triangles.extend(plate.triangles.iter().map(|t| t.map(|v| v + first)));
        mesh.groups.extend(vec![0; plate.triangles.len()]);
        mesh
    }

    /// Most of a cell that sub-cells hold through which the outline of a polygon passes.
    fn rounding(polygon: &Polygon) -> f64 {
        let steps = polygon.edges().map(|(a, b)| (b[0] - a[0]).abs() + (b[1] - a[1]).abs()).sum::<f64>();
        (steps * DENSE as f64 + 2.0 * polygon.corners().len() as f64) / (DENSE * DENSE) as f64
    }

    #[test]
    fn pieces_cover_what_dense_rays_say() {
        let facets = Facets::new(&scene()).unwrap();
        let bvh = Bvh::new(&facets);
        let (mut open, mut covered) = (0, [0; 4]);
        for (theta, phi) in [(54.0, 44.0), (35.0, 60.0), (80.0, 20.0)] {
            let settings = Settings::new(vec![1e9]);
            let launch = Launch::new(&facets, Direction::degrees(theta, phi), &settings).unwrap();
            let mut tracer = Tracer::new(&facets, Tree::Bvh(&bvh), &launch, 5);
            for (row, column) in (0..launch.rows).flat_map(|row| (0..launch.columns).map(move |x| (row, x))) {
                let step = |i: usize| (i as f64 + 0.5) / DENSE as f64;
                let mut rays = Vec::with_capacity(DENSE * DENSE);
                for i in 0..DENSE * DENSE {
                    let at = [column as f64 + step(i % DENSE), row as f64 + step(i / DENSE)];
                    tracer.trace(at);
                    rays.push((at, Way::new(&tracer.bounces)));
                }
                let middle = [column as f64 + 0.5, row as f64 + 0.5];
                let scene = Scene { launch: &launch, facets: &facets, middle, size: 1.0, rays: &rays };
                let mut pieces = scene.regions();
                pieces.iter_mut().for_each(|piece| scene.take(piece));
                let missed = rays.iter().filter(|(_, way)| way.is_empty()).count();
                let all: f64 = pieces.iter().map(|piece| piece.area).sum();
                // Where facets take from a region what others have taken, or a way is thinner than rays are
                // apart, pieces do not add up.
                if missed == 0 && (all - 1.0).abs() > 1e-9 {
                    open += 1;
                    continue;
                }
                for piece in &pieces {
                    let own = rays.iter().filter(|(_, way)| *way == rays[piece.ray].1).count();
                    let expected = own as f64 / (DENSE * DENSE) as f64;
                    let others = piece.others.iter().map(|(_, polygon)| polygon);
                    let rounding: f64 = [&piece.region].into_iter().chain(others).map(rounding).sum();
                    assert!((piece.area - expected).abs() < rounding, "{} {expected}", piece.area);
                    covered[rays[piece.ray].1.length.min(3)] += 1;
                }
            }
        }
        assert!(covered[1..].iter().all(|count| *count > 50), "{covered:?}");
        assert!(10 * open < covered.iter().sum::<i32>(), "{open} {covered:?}");
    }

    #[test]
    fn ways_part_where_they_meet_other_facets() {
        let way = |facets: &[u32]| {
            let bounce = |facet: &u32| Bounce { facet: *facet, incoming: Vec3::ZERO, normal: Vec3::ZERO };
            Way::new(&facets.iter().map(bounce).collect::<Vec<_>>())
        };
        assert_eq!(way(&[1, 2]).parting(&way(&[1, 3, 4])), Some((1, 3)));
        assert_eq!(way(&[1, 2]).parting(&way(&[1, 2, 4])), Some((2, 4)));
        assert_eq!(way(&[1, 2]).parting(&way(&[1])), None);
        assert_eq!(way(&[1, 2]).parting(&way(&[])), None);
        assert_eq!(way(&[1, 2]).parting(&way(&[1, 2])), None);
        // Beyond what is remembered only the number tells them apart.
        assert_ne!(way(&[7; 9]), way(&[7; 10]));
        assert_eq!(way(&[7; 9]).parting(&way(&[7; 10])), None);
    }
}
