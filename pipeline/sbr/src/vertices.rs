//! Vertices at which borders turn, in the cells of the launch grid.
//!
//! A corner of a face that reaches into a cell without covering one of the cell's corners is seen by none of
//! its rays, and what it covers would be lost. Cells that hold such a corner therefore have a ray in it, just
//! behind the vertex. A sharp corner, or a narrow notch, passes between the rays of other cells, too, before
//! it ends: as long as it is narrower than a cell, there are rays along the line between its sides.

use super::edges;
use super::launch::Launch;
use mesh::Mesh;
use mesh::check::Side;
use numerics::vec3::Vec3;

/// Two borders that meet at an angle below this, rad, are one straight border.
const STRAIGHT: f64 = 1e-3;
/// A corner wider than this, in tubes, covers a corner of every cell that it passes: the diagonal of a cell.
const WIDE: f64 = std::f64::consts::SQRT_2;
/// How far behind a vertex the first ray is, in tubes. A corner that reaches less far into a cell covers less
/// than a thousandth of it.
const BEHIND: f64 = 1.0 / 32.0;
/// From one ray to the next along a corner, in tubes.
const STEP: f64 = 0.25;

#[derive(Debug, Clone, PartialEq)]
pub struct Turning {
    /// Its place, m from the centre of the facets.
    pub at: Vec3,
    /// Along the borders that meet there, to where each turns next, m.
    pub arms: Vec<Vec3>,
}

/// Vertices at which borders turn: end points of open edges, and of those whose faces turn by more than
/// `least_turn`, rad, but not where a straight border was only divided.
pub fn turning(mesh: &Mesh, sides: &[Side], centre: Vec3, least_turn: f64) -> Vec<Turning> {
    let borders = edges::edges(sides).filter(|edge| edges::turn(mesh, edge) >= least_turn);
    let mut ends: Vec<(u32, u32)> = borders
        .flat_map(|edge| {
            let [a, b] = edge[0].vertices;
            [(a, b), (b, a)]
        })
        .collect();
    ends.sort_unstable();
    let borders = Borders { mesh, ends: &ends };
    ends.chunk_by(|one, other| one.0 == other.0)
        .filter(|meeting| !borders.is_straight(meeting))
        .map(|meeting| {
            let at = borders.place(meeting[0].0);
            let arms = meeting.iter().map(|(from, to)| borders.next_turn(*from, *to) - at).collect();
            Turning { at: at - centre, arms }
        })
        .collect()
}

/// Borders by the vertices at both of their ends.
struct Borders<'a> {
    mesh: &'a Mesh,
    /// Sorted.
    ends: &'a [(u32, u32)],
}

impl Borders<'_> {
    fn place(&self, vertex: u32) -> Vec3 {
        self.mesh.vertices[vertex as usize]
    }

    /// Whether the borders that meet at a vertex are one that goes straight on.
    fn is_straight(&self, meeting: &[(u32, u32)]) -> bool {
        let &[(at, one), (_, other)] = meeting else { return false };
        let [one, other] = [one, other].map(|end| (self.place(end) - self.place(at)).unit());
        one.dot(other) < 0.0 && one.cross(other).length() < STRAIGHT
    }

    /// Where a border that goes from one vertex to another turns next.
    fn next_turn(&self, mut from: u32, mut to: u32) -> Vec3 {
        // A closed line of small turns comes back to its start.
        for _ in 0..self.ends.len() {
            let first = self.ends.partition_point(|(vertex, _)| *vertex < to);
            let count = self.ends[first..].iter().take_while(|(vertex, _)| *vertex == to).count();
            let meeting = &self.ends[first..first + count];
            if !self.is_straight(meeting) {
                break;
            }
            let onwards = if meeting[0].1 == from { meeting[1].1 } else { meeting[0].1 };
            (from, to) = (to, onwards);
        }
        self.place(to)
    }
}

/// Rays in the corners of borders, by cells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Seeds {
    /// Number of a cell, row by row, in the order of numbers.
    cells: Vec<u64>,
    /// In tubes from the grid's corner, in the same order.
    places: Vec<[f64; 2]>,
    columns: u64,
}

impl Seeds {
    pub fn new(launch: &Launch, vertices: &[Turning]) -> Self {
        let (mut found, mut arms) = (Vec::new(), Vec::new());
        for vertex in vertices {
            corners(launch, vertex, &mut arms, |[x, y]| {
                if x >= 0.0 && y >= 0.0 && x < launch.columns as f64 && y < launch.rows as f64 {
                    found.push((y as u64 * launch.columns + x as u64, [x, y]));
                }
            });
        }
        found.sort_by_key(|(cell, _)| *cell);
        let (cells, places) = found.into_iter().unzip();
        Self { cells, places, columns: launch.columns }
    }

    /// Numbers of cells, row by row, in the order of numbers, once for each of their rays.
    pub fn cells(&self) -> &[u64] {
        &self.cells
    }

    /// Places of all rays in the same order, in tubes from the grid's corner.
    pub fn places(&self) -> &[[f64; 2]] {
        &self.places
    }

    pub fn of(&self, column: u64, row: u64) -> &[[f64; 2]] {
        let number = row * self.columns + column;
        let first = self.cells.partition_point(|cell| *cell < number);
        let count = self.cells[first..].iter().take_while(|cell| **cell == number).count();
        &self.places[first..first + count]
    }
}

/// Places behind a vertex between each two neighbouring borders, and on along the line between these as far
/// as they are narrow; in tubes from the grid's corner. `arms` is kept, so that it is not made for every
/// vertex.
fn corners(launch: &Launch, vertex: &Turning, arms: &mut Vec<Arm>, mut seed: impl FnMut([f64; 2])) {
    let [over_u, over_v] = [launch.u, launch.v].map(|side| side * (1.0 / side.dot(side)));
    let flat = |v: Vec3| [v.dot(over_u), v.dot(over_v)];
    let [x, y] = flat(vertex.at - launch.corner);
    arms.clear();
    arms.extend(vertex.arms.iter().map(|arm| Arm::new(flat(*arm))).filter(|arm| arm.length > BEHIND));
    arms.sort_by(|one, other| one.turn.total_cmp(&other.turn));
    for (index, one) in arms.iter().enumerate() {
        let last = index + 1 == arms.len();
        let other = if last { &arms[0] } else { &arms[index + 1] };
        let ([a, b], [c, d]) = (one.along, other.along);
        let (sin, cos) = (a * d - b * c, a * c + b * d);
        // Half a turn and more is seen by the cell's own rays. Two borders on one line have no angle on one
        // side and a whole turn on the other.
        if sin < 0.0 || (sin == 0.0 && (last || cos < 0.0)) {
            continue;
        }
        // Along the middle, and the tangent of half the angle.
        let (middle, tan) = match cos < 0.0 {
            false => ([a + c, b + d], sin / (1.0 + cos)),
            true => ([d - b, a - c], (1.0 - cos) / sin),
        };
        let middle = Arm::new(middle);
        // The width at a distance r along the middle is 2 r tan.
        let far = (0.5 * WIDE / tan.max(1e-12)).min(one.length.min(other.length));
        for step in 0..=((far - BEHIND).max(0.0) / STEP) as u64 {
            let distance = BEHIND + step as f64 * STEP;
            seed([x + distance * middle.along[0], y + distance * middle.along[1]]);
        }
    }
}

/// A border as the grid has it.
struct Arm {
    /// Unit vector.
    along: [f64; 2],
    /// In tubes.
    length: f64,
    /// A number that grows as the angle does, from -2 to 2.
    turn: f64,
}

impl Arm {
    fn new([x, y]: [f64; 2]) -> Self {
        let length = (x * x + y * y).sqrt();
        let along = [x / length, y / length];
        let part = x / (x.abs() + y.abs());
        Self { along, length, turn: if y < 0.0 { part - 1.0 } else { 1.0 - part } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::{Ray, brute_force};
    use crate::facets::Facets;
    use crate::settings::LEAST_TURN;
    use crate::{Direction, Settings};
    use mesh::{check, shapes};

    fn turning_of(mesh: &Mesh) -> Vec<Turning> {
        turning(mesh, &check::sides(mesh), Vec3::ZERO, LEAST_TURN)
    }

    #[test]
    fn borders_turn_at_corners_only() {
        assert_eq!(turning_of(&shapes::plate(1.0, 2.0)).len(), 4);
        // Finer triangles of the same surface have no other corners.
        assert_eq!(turning_of(&shapes::plate(1.0, 2.0).refined().refined()).len(), 4);
        assert_eq!(turning_of(&shapes::trihedral(1.0).refined()).len(), 4);
        // Three borders end on each end of the crease of a dihedral.
        assert_eq!(turning_of(&shapes::dihedral(1.0).refined()).len(), 6);
        assert!(turning_of(&shapes::sphere(1.0, 3)).is_empty());
    }

    #[test]
    fn arms_reach_to_the_next_turn_for_any_mesh() {
        let plate = shapes::plate(1.0, 2.0);
        for mesh in [plate.clone(), plate.refined().refined()] {
            for vertex in turning_of(&mesh) {
                let mut lengths: Vec<f64> = vertex.arms.iter().map(|arm| arm.length()).collect();
                lengths.sort_by(f64::total_cmp);
                assert!((lengths[0] - 1.0).abs() < 1e-12 && (lengths[1] - 2.0).abs() < 1e-12);
            }
        }
    }

    fn launch(mesh: &Mesh, theta: f64, phi: f64) -> Launch {
        let facets = Facets::new(mesh).unwrap();
        Launch::new(&facets, Direction::degrees(theta, phi), &Settings::new(vec![1e9])).unwrap()
    }

    #[test]
    fn corners_of_a_plate_have_rays_just_inside() {
        let mesh = shapes::plate(1.0, 0.7);
        let launch = launch(&mesh, 20.0, 50.0);
        let vertices = turning_of(&mesh);
        let seeds = Seeds::new(&launch, &vertices);
        // A right corner is as wide as a cell's diagonal at 0.7 tubes.
        assert_eq!(seeds.places().len(), 12);
        for [x, y] in seeds.places() {
            assert!(seeds.of(*x as u64, *y as u64).contains(&[*x, *y]));
            let point = launch.point(*x, *y);
            let beside = |vertex: &&Turning| {
                let from = point - vertex.at;
                let across = from - launch.sight * from.dot(launch.sight);
                let distance = across.length() / launch.u.length();
                [BEHIND, BEHIND + STEP, BEHIND + 2.0 * STEP]
                    .iter()
                    .any(|expected| (distance - expected).abs() < 1e-9)
            };
            assert_eq!(vertices.iter().filter(beside).count(), 1);
            let facets = Facets::new(&mesh).unwrap();
            assert!(brute_force(&facets, &Ray::new(point, -launch.sight)).is_some());
        }
        assert!(seeds.cells().is_sorted());
    }

    #[test]
    fn sharp_corners_have_rays_as_far_as_they_are_narrow() {
        let launch = launch(&shapes::plate(4.0, 4.0), 0.0, 0.0);
        let place = |x: f64, y: f64| launch.u * x + launch.v * y;
        let at = launch.point(20.25, 30.5);
        let seeded = |arms: Vec<Vec3>| {
            let seeds = Seeds::new(&launch, &[Turning { at, arms }]);
            (0..launch.columns).filter(|column| !seeds.of(*column, 30).is_empty()).collect::<Vec<u64>>()
        };
        // Half the width of a diagonal at 0.1 x, and at x where the corner is a right one.
        assert_eq!(seeded(vec![place(40.0, 4.0), place(40.0, -4.0)]), (20..=27).collect::<Vec<u64>>());
        assert_eq!(seeded(vec![place(40.0, 40.0), place(40.0, -40.0)]), [20]);
        // No further than the shorter arm, not along a straight border, and nothing where borders are seen
        // along themselves.
        assert_eq!(seeded(vec![place(40.0, 4.0), place(3.0, -0.3)]), (20..=23).collect::<Vec<u64>>());
        assert_eq!(seeded(vec![place(40.0, 0.1), place(-40.0, 0.1)]), [20]);
        assert!(seeded(vec![Vec3::ZERO, launch.sight]).is_empty());
    }

    #[test]
    fn rays_beyond_the_grid_are_left_out() {
        let launch = launch(&shapes::plate(1.0, 1.0), 0.0, 0.0);
        let arms = vec![launch.u * 3.0 + launch.v, launch.u + launch.v * 3.0];
        let at = launch.point(launch.columns as f64 + 1.0, 5.0);
        assert!(Seeds::new(&launch, &[Turning { at, arms }]).places().is_empty());
        assert!(Seeds::new(&launch, &[]).of(0, 0).is_empty());
    }
}
