//! A ship: hull, deck, gun, bridge, mast, hollow funnels and an open hangar.

use super::super::Mesh;
use super::loft::{both_sides, joined, loft};
use super::section::{circle, even, level, rectangle, rounded, upright};
use numerics::vec3::Vec3;

/// What it is made of. The bow looks along x, z is up from the keel, and the origin is in the middle of the length. What stands on the deck, or on a block, begins inside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ship {
    /// From stern to bow, along x, m.
    pub length: f64,
    /// Of the deck, along y, m.
    pub beam: f64,
    /// From the keel to the top of the mast, along z, m.
    pub height: f64,
    /// From the keel to the deck, m.
    pub depth: f64,
    /// Bands of triangles from stern to bow.
    pub stations: usize,
    /// Triangles of a band on one side of the hull, in pairs.
    pub strakes: usize,
    /// Parts of an edge of the blocks.
    pub parts: usize,
    /// Corners of a ring of the funnels; mast and barrel have half of them.
    pub around: usize,
}

impl Default for Ship {
    /// As large as that of the paper's Table I, with as many triangles: 0.9 m x 0.2 m x 0.2 m, about 2400.
    fn default() -> Self {
        Self {
            length: 0.9,
            beam: 0.2,
            height: 0.2,
            depth: 0.06,
            stations: 26,
            strakes: 7,
            parts: 4,
            around: 16,
        }
    }
}

impl Ship {
    /// The surface: parts `hull`, `gun`, `bridge`, `mast`, `funnel` and `hangar`, each closed.
    pub fn mesh(&self) -> Mesh {
        let mut parts = vec![self.hull()];
        // Places along the ship and across it in parts of its length and beam, upwards in parts of what is above the deck.
        parts.push(self.block([0.24, 0.30], 0.15, [-0.1, 0.16], 0.8, "gun"));
        parts.push(self.barrel());
        parts.push(self.block([0.00, 0.20], 0.36, [-0.1, 0.28], 0.95, "bridge"));
        parts.push(self.block([0.05, 0.17], 0.28, [0.2, 0.50], 0.9, "bridge"));
        parts.push(self.mast());
        parts.push(self.block([0.066, 0.074], 0.3, [0.72, 0.76], 1.0, "mast"));
        parts.extend(both_sides(self.funnel(-0.08)));
        parts.push(self.hangar());
        joined(parts)
    }

    /// A height in parts of what is above the deck, m.
    fn above(&self, part: f64) -> f64 {
        self.depth + part * (self.height - self.depth)
    }

    /// Rings from the stern to the stem, each from the keel up one side, across the deck and down the other.
    fn hull(&self) -> Mesh {
        let ring = |t: f64| {
            // 0 amidships, 1 at the bow.
            let bow = ((t - 0.6) / 0.4).max(0.0);
            let stern = (1.0 - t / 0.35).max(0.0);
            let half = 0.5 * self.beam * (1.0 - bow.powf(2.2)) * (1.0 - 0.2 * stern * stern);
            let side = |h: f64| {
                let rake = 0.08 * self.length * bow * bow * (1.0 - h);
                let bulge = h.powf(0.3 + 0.7 * bow);
                let z = self.depth * (h + 0.25 * bow * bow * h);
                Vec3::new((t - 0.5) * self.length - rake, half * bulge, z)
            };
            let starboard: Vec<Vec3> = even(self.strakes).map(side).collect();
            let port = starboard[1..].iter().rev().map(|point| Vec3::new(point.x, -point.y, point.z));
            starboard.iter().copied().chain(port).collect()
        };
        loft(even(self.stations).map(ring).collect(), "hull")
    }

    /// A block with walls that lean in: its ends, half its width, bottom and top, and its upper side over the lower.
    fn block(&self, [aft, fore]: [f64; 2], half: f64, [low, high]: [f64; 2], lean: f64, name: &str) -> Mesh {
        let sides = [0.5 * (fore - aft) * self.length, half * self.beam];
        let ring = |t: f64| {
            let factor = 1.0 + (lean - 1.0) * t;
            let z = self.above(low + (high - low) * t);
            let section = rectangle(sides.map(|side| side * factor), self.parts);
            level(&section, Vec3::new(0.5 * (aft + fore) * self.length, 0.0, z))
        };
        loft(even(self.parts).map(ring).collect(), name)
    }

    fn barrel(&self) -> Mesh {
        let section = circle(0.025 * self.beam, self.around / 2);
        let ring = |x: f64| upright(&section, Vec3::new(x * self.length, 0.0, self.above(0.09)));
        loft([0.27, 0.33, 0.38].map(ring).to_vec(), "gun")
    }

    fn mast(&self) -> Mesh {
        let ring = |t: f64| {
            let section = circle((0.06 - 0.035 * t) * self.beam, self.around / 2);
            let z = if t == 1.0 { self.height } else { self.above(0.45 + 0.55 * t) };
            level(&section, Vec3::new(0.07 * self.length, 0.0, z))
        };
        loft(even(self.parts).map(ring).collect(), "mast")
    }

    /// One of a pair: up its outer wall and down the inner one to a bottom.
    fn funnel(&self, at: f64) -> Mesh {
        let ring = |size: f64, t: f64| {
            let section = rounded([0.03 * self.length * size, 0.1 * self.beam * size], 2.5, self.around);
            let rake = 0.02 * t;
            level(
                &section,
                Vec3::new((at - rake) * self.length, 0.22 * self.beam, self.above(-0.1 + 0.6 * t)),
            )
        };
        let outer = even(self.parts).map(|t| ring(1.0 - 0.15 * t, t));
        let inner = even(self.parts.saturating_sub(1)).map(|t| ring(0.7, 1.0 - 0.55 * t));
        loft(outer.chain(inner).collect(), "funnel")
    }

    /// Open to the stern: back along the outer walls, forward along the inner ones to the end.
    fn hangar(&self) -> Mesh {
        let half = [0.32 * self.beam, 0.5 * (self.above(0.32) - self.above(-0.1))];
        let middle = 0.5 * (self.above(0.32) + self.above(-0.1));
        let ring = |walls: f64, x: f64| {
            let section = rectangle([half[0] - walls, half[1] - walls], self.parts);
            upright(&section, Vec3::new(x * self.length, 0.0, middle))
        };
        let walls = 0.02 * self.beam;
        let outer = even(self.parts).map(|t| ring(0.0, -0.14 - 0.11 * t));
        let inner = even(self.parts.saturating_sub(1)).map(|t| ring(walls, -0.25 + 0.09 * t));
        loft(outer.chain(inner).collect(), "hangar")
    }
}
