//! How far a face goes on: a walk over its facets from an edge, straight ahead.

use crate::edges;
use crate::facets::{Facets, NO_FACET};
use mesh::Mesh;
use mesh::check::{Side, inside};
use numerics::vec3::Vec3;

/// A face ends at an edge that turns by this, rad. Over a lesser one the current goes on, as it does round a
/// bend.
const END_TURN: f64 = 0.25 * std::f64::consts::PI;

#[derive(Debug, Clone)]
pub struct Surface {
    /// Across each of a facet's edges: the facet there, and which of its edges it is; [`NO_FACET`] where the
    /// face ends.
    neighbours: Vec<[(u32, u8); 3]>,
    /// Where a walk has turned so far it is no longer on the face that it began on, as a cosine.
    bent: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// m along the strip.
    pub length: f64,
    /// Whether an edge is there, or the face has only bent away.
    pub ends: bool,
}

impl Surface {
    /// Of a mesh with its sides; a face is left where it has turned by `least_turn`, rad.
    pub fn new(mesh: &Mesh, sides: &[Side], facets: &Facets, least_turn: f64) -> Self {
        let mut neighbours = vec![[(NO_FACET, 0); 3]; facets.len()];
        let place = |side: &Side| {
            let facet = facets.triangles.binary_search(&side.triangle());
            facet.ok().map(|facet| (facet, side.place() as usize))
        };
        for edge in edges::edges(sides).filter(|edge| edges::turn(mesh, edge) < END_TURN) {
            let [one, other] = edge else { continue };
            let (Some(one), Some(other)) = (place(one), place(other)) else { continue };
            neighbours[one.0][one.1] = (other.0 as u32, other.1 as u8);
            neighbours[other.0][other.1] = (one.0 as u32, one.1 as u8);
        }
        Self { neighbours, bent: least_turn.cos() }
    }

    /// How far the face goes on from `start` on an edge of `facet` towards `direction`, a unit vector into
    /// the facet.
    pub fn reach(&self, facets: &Facets, facet: u32, start: Vec3, direction: Vec3) -> Reach {
        let (mut facet, mut at, mut ahead, mut length) = (facet as usize, start, direction, 0.0);
        // Through a vertex a walk may turn round it; it is never allowed to go on for ever.
        for _ in 0..4 * facets.len() + 16 {
            let corners = facets.corners[facet].map(Vec3::from);
            let Some((distance, edge, inside)) = leaves(&corners, at, ahead) else { break };
            (length, at) = (length + distance, at + ahead * distance);
            let (next, entered) = self.neighbours[facet][edge];
            if next == NO_FACET {
                return Reach { length, ends: true };
            }
            let onwards = inside_of(&facets.corners[next as usize].map(Vec3::from), entered as usize);
            ahead = (ahead - inside * ahead.dot(inside) - onwards * ahead.dot(inside)).unit();
            facet = next as usize;
            if ahead.dot(direction) < self.bent {
                break;
            }
        }
        Reach { length, ends: false }
    }
}

fn inside_of(corners: &[Vec3; 3], edge: usize) -> Vec3 {
    inside([0, 1, 2].map(|step| corners[(edge + step) % 3]))
}

/// The edge through which a walk leaves a triangle: how far, which, and the unit vector from it inwards.
fn leaves(corners: &[Vec3; 3], at: Vec3, ahead: Vec3) -> Option<(f64, usize, Vec3)> {
    let candidates = (0..3).filter_map(|edge| {
        let inside = inside_of(corners, edge);
        let slope = -ahead.dot(inside);
        (slope > 1e-12).then(|| (((at - corners[edge]).dot(inside) / slope).max(0.0), edge, inside))
    });
    candidates.min_by(|one, other| one.0.total_cmp(&other.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesh::{check, shapes};

    fn surface(mesh: &Mesh, least_turn: f64) -> (Surface, Facets) {
        let (sides, facets) = (check::sides(mesh), Facets::new(mesh).unwrap());
        (Surface::new(mesh, &sides, &facets, least_turn), facets)
    }

    /// The facet with an edge that a point lies on, whose inside is towards `direction`.
    fn facet_at(facets: &Facets, point: Vec3, direction: Vec3) -> u32 {
        let on = |facet: &u32| {
            let corners = facets.corners[*facet as usize].map(Vec3::from);
            (0..3).any(|edge| {
                let (p, q) = (corners[edge], corners[(edge + 1) % 3]);
                let along = (q - p).dot(point - p) / (q - p).dot(q - p);
                (p + (q - p) * along - point).length() < 1e-12
                    && (0.0..=1.0).contains(&along)
                    && inside_of(&corners, edge).dot(direction) > 0.1
            })
        };
        (0..facets.len() as u32).find(on).unwrap()
    }

    #[test]
    fn a_strip_of_a_plate_ends_at_its_other_side_for_any_mesh() {
        for mesh in [shapes::plate(1.0, 2.0), shapes::plate(1.0, 2.0).refined().refined()] {
            let (surface, facets) = surface(&mesh, 0.2);
            for (y, angle) in [(0.13, 0.0), (0.5, 0.0), (-0.3, 0.4), (0.8, 1.2)] {
                let (sin, cos) = f64::sin_cos(angle);
                let (start, direction) = (Vec3::new(-0.5, y, 0.0), Vec3::new(cos, sin, 0.0));
                let facet = facet_at(&facets, start, direction);
                let found = surface.reach(&facets, facet, start, direction);
                let expected = (1.0 / cos).min((1.0 - y) / sin);
                assert!(found.ends && (found.length - expected).abs() < 1e-12, "{y} {angle}: {found:?}");
            }
        }
    }

    #[test]
    fn a_strip_of_a_round_body_bends_away_and_creases_end_it() {
        let mesh = shapes::sphere(1.0, 4);
        let (round, facets) = surface(&mesh, 0.3);
        let [a, b, c] = facets.corners[7].map(Vec3::from);
        let start = (a + b) * 0.5;
        let found = round.reach(
            &facets,
            7,
            start,
            (c - start - (b - a) * ((c - start).dot(b - a) / (b - a).dot(b - a))).unit(),
        );
        // 0.3 rad of a great circle, to a facet.
        assert!(!found.ends && (found.length - 0.3).abs() < 0.1, "{found:?}");
        let mesh = shapes::dihedral(1.0);
        let (corner, facets) = surface(&mesh, 0.2);
        let (start, direction) = (Vec3::new(0.5, -0.5, 0.1), Vec3::new(-1.0, 0.0, 0.0));
        let facet = facet_at(&facets, start, direction);
        let found = corner.reach(&facets, facet, start, direction);
        assert!(found.ends && (found.length - 1.0).abs() < 1e-12, "{found:?}");
    }
}
