//! Vertices at which borders turn, in the cells of the launch grid.
//!
//! A corner of a face that reaches into a cell without covering one of the cell's corners is seen by no ray of the cell's, and what it covers would be lost. Cells that
//! hold such a vertex are therefore quartered, whatever their corners say, down to sub-cells of an eighth. A cell has a mask of its 8 x 8 sub-cells, bit 8 row + column, and its quarters have their part of it.
//! A sharp corner, or a narrow notch, passes between the corners of other cells, too, before it ends: where it is narrower than a cell, the line between its sides is marked as the vertex is.

use super::design::Launch;
use super::edges;
use crate::mesh::Mesh;
use crate::mesh::check::Side;
use crate::vec3::Vec3;

/// Sub-cells along a side of a cell.
const ACROSS: u64 = 8;
/// Two borders that meet at an angle below this, rad, are one straight border.
const STRAIGHT: f64 = 1e-3;
/// A point this near to a side of a sub-cell, in tubes, is in both: more than the rounding of a place on the largest grid.
const ON_SIDE: f64 = 1e-8;
/// A corner wider than this, in tubes, covers a corner of every cell that it passes: the diagonal of a cell.
const WIDE: f64 = std::f64::consts::SQRT_2;
/// Marks along a corner, in tubes: half a sub-cell.
const STEP: f64 = 1.0 / 16.0;

/// A vertex at which borders turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Turning {
    /// Its place, m from the centre of the facets.
    pub at: Vec3,
    /// Along the borders that meet there, to where each turns next, m.
    pub arms: Vec<Vec3>,
}

/// Vertices at which borders turn: end points of open edges, and of those whose faces turn by more than `least_turn`, rad, but not where a straight border was only divided.
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

/// Which sub-cells of which cells hold vertices, or sharp corners.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Masks {
    /// Number of a cell, row by row, and its mask; in the order of numbers.
    cells: Vec<(u64, u64)>,
    columns: u64,
}

impl Masks {
    /// The cells of a launch grid.
    pub fn new(launch: &Launch, vertices: &[Turning]) -> Self {
        let mut bits = Vec::new();
        for vertex in vertices {
            marks(launch, vertex, |at| sub_cells(launch, at, &mut bits));
        }
        bits.sort_unstable();
        let cells = bits
            .chunk_by(|one, other| one.0 == other.0)
            .map(|cell| (cell[0].0, cell.iter().fold(0, |mask, (_, bit)| mask | 1 << bit)));
        Self { cells: cells.collect(), columns: launch.columns }
    }

    /// Numbers of cells, row by row, and their masks; in the order of numbers.
    pub fn cells(&self) -> &[(u64, u64)] {
        &self.cells
    }

    /// The mask of a cell; 0 where nothing is.
    pub fn of(&self, column: u64, row: u64) -> u64 {
        let number = row * self.columns + column;
        let found = self.cells.binary_search_by_key(&number, |(cell, _)| *cell);
        found.map_or(0, |index| self.cells[index].1)
    }
}

/// A vertex, and the lines between each two of its borders as far as they are narrow; in tubes from the grid's corner.
fn marks(launch: &Launch, vertex: &Turning, mut mark: impl FnMut([f64; 2])) {
    let flat = |v: Vec3| [v.dot(launch.u) / launch.u.dot(launch.u), v.dot(launch.v) / launch.v.dot(launch.v)];
    let [x, y] = flat(vertex.at - launch.corner);
    mark([x, y]);
    let arms: Vec<([f64; 2], f64)> = vertex
        .arms
        .iter()
        .map(|arm| {
            let [a, b] = flat(*arm);
            let length = a.hypot(b);
            ([a / length, b / length], length)
        })
        .filter(|(_, length)| *length > STEP)
        .collect();
    for (index, (one, reach)) in arms.iter().enumerate() {
        for (other, other_reach) in &arms[..index] {
            let middle = [one[0] + other[0], one[1] + other[1]];
            let across = [one[0] - other[0], one[1] - other[1]];
            let [double_cos, double_sin] = [middle, across].map(|[a, b]| a.hypot(b));
            // The width at a distance r along the middle is 2 r tan of half the angle.
            let far = (0.5 * WIDE * double_cos / double_sin.max(1e-12)).min(reach.min(*other_reach));
            for step in 1..=(far / STEP) as u64 {
                let part = step as f64 * STEP / double_cos;
                mark([x + part * middle[0], y + part * middle[1]]);
            }
        }
    }
}

/// Adds cells and bits of the sub-cells that hold a point, in tubes from the grid's corner: one, or those around a side that it lies on.
fn sub_cells(launch: &Launch, at: [f64; 2], found: &mut Vec<(u64, u64)>) {
    let [columns, rows] = [0, 1].map(|axis| {
        // Negative numbers become 0; all vertices lie in the grid but for rounding.
        let most = [launch.columns, launch.rows][axis] * ACROSS - 1;
        let cell = |x: f64| ((x * ACROSS as f64).floor() as u64).min(most);
        let [one, other] = [cell(at[axis] - ON_SIDE), cell(at[axis] + ON_SIDE)];
        one..=other
    });
    for y in rows {
        for x in columns.clone() {
            let number = y / ACROSS * launch.columns + x / ACROSS;
            found.push((number, y % ACROSS * ACROSS + x % ACROSS));
        }
    }
}

/// The part of a mask that belongs to a quarter of a cell: `side` sub-cells along the whole cell, quarter 0 at the lowest row and column, then counterclockwise.
/// Sub-cells themselves have nothing left: 0.
pub fn quarter(mask: u64, side: u32, quarter: usize) -> u64 {
    let half = side / 2;
    if half <= 1 {
        return 0;
    }
    let (column, row) = [(0, 0), (half, 0), (half, half), (0, half)][quarter];
    let rows = if half == 4 { 0x0f0f_0f0f } else { 0x0303 };
    mask >> (8 * row + column) & rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{check, shapes};
    use crate::solvers::sbr::facets::Facets;
    use crate::solvers::sbr::settings::LEAST_TURN;
    use crate::solvers::sbr::{Direction, Settings};

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

    fn alone(at: Vec3) -> Turning {
        Turning { at, arms: vec![] }
    }

    #[test]
    fn masks_are_where_the_vertices_are() {
        let mesh = shapes::plate(1.0, 0.7);
        let launch = launch(&mesh, 20.0, 50.0);
        let vertices: Vec<Turning> = turning_of(&mesh).iter().map(|vertex| alone(vertex.at)).collect();
        let masks = Masks::new(&launch, &vertices);
        let mut bits = 0;
        for (row, column) in (0..launch.rows).flat_map(|row| (0..launch.columns).map(move |x| (row, x))) {
            let mask = masks.of(column, row);
            bits += mask.count_ones();
            for bit in (0..64).filter(|bit| mask >> bit & 1 == 1) {
                let x = column as f64 + ((bit % 8) as f64 + 0.5) / 8.0;
                let y = row as f64 + ((bit / 8) as f64 + 0.5) / 8.0;
                let near = |vertex: &&Turning| {
                    let from = vertex.at - launch.point(x, y);
                    let sides = [launch.u, launch.v];
                    sides.iter().all(|side| from.dot(*side).abs() / side.dot(*side) <= 1.0 / 16.0)
                };
                assert_eq!(vertices.iter().filter(near).count(), 1);
            }
        }
        assert_eq!(bits, 4);
    }

    #[test]
    fn sharp_corners_are_marked_as_far_as_they_are_narrow() {
        let launch = launch(&shapes::plate(4.0, 4.0), 0.0, 0.0);
        let place = |x: f64, y: f64| launch.u * x + launch.v * y;
        let at = launch.point(20.25, 30.5);
        let marked = |arms: Vec<Vec3>| {
            let masks = Masks::new(&launch, &[Turning { at, arms }]);
            (0..launch.columns).filter(|column| masks.of(*column, 30) != 0).collect::<Vec<u64>>()
        };
        // Half the width of a diagonal at 0.1 x, and at x where the corner is a right one.
        assert_eq!(marked(vec![place(40.0, 4.0), place(40.0, -4.0)]), (20..=27).collect::<Vec<u64>>());
        assert_eq!(marked(vec![place(40.0, 40.0), place(40.0, -40.0)]), [20]);
        // No further than the shorter arm, and not along a straight border.
        assert_eq!(marked(vec![place(40.0, 4.0), place(3.0, -0.3)]), (20..=23).collect::<Vec<u64>>());
        assert_eq!(marked(vec![place(40.0, 0.1), place(-40.0, 0.1)]), [20]);
        assert_eq!(marked(vec![Vec3::ZERO, launch.sight]), [20]);
    }

    #[test]
    fn a_vertex_on_a_side_is_in_both_cells() {
        let launch = launch(&shapes::plate(1.0, 1.0), 0.0, 0.0);
        let masks = Masks::new(&launch, &[alone(launch.point(3.0, 5.0))]);
        let found = [(2, 4), (3, 4), (3, 5), (2, 5)].map(|(column, row)| masks.of(column, row));
        assert_eq!(found, [1 << 63, 1 << 56, 1, 1 << 7]);
        // A point beyond the grid is in its last cell, not in another row.
        let masks = Masks::new(&launch, &[alone(launch.point(launch.columns as f64 + 1.0, -1.0))]);
        assert_eq!(masks.of(launch.columns - 1, 0), 1 << 7);
        assert_eq!(Masks::new(&launch, &[]).of(0, 0), 0);
    }

    #[test]
    fn quarters_have_their_part_down_to_nothing() {
        for bit in 0..64u64 {
            let (mut mask, mut side) = (1u64 << bit, 8);
            let (mut column, mut row) = (0, 0);
            // Down to sub-cells of a quarter; those of an eighth have nothing left.
            while side > 2 {
                let parts: Vec<u64> = (0..4).map(|part| quarter(mask, side, part)).collect();
                let own = parts.iter().position(|part| *part != 0).unwrap();
                assert_eq!(parts.iter().map(|part| part.count_ones()).sum::<u32>(), 1);
                side /= 2;
                column += [0, side, side, 0][own];
                row += [0, 0, side, side][own];
                mask = parts[own];
            }
            assert!((0..4).all(|part| quarter(mask, side, part) == 0));
            let at = bit - u64::from(8 * row + column);
            assert!([0, 1, 8, 9].contains(&at), "{bit} {at}");
        }
    }
}
