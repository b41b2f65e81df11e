//! Proofs that need only this library: trees against brute force, the plan against the reference,
//! invariances.

mod beams;
mod casting;
mod fields;
mod strip;

pub(super) use casting::meshes;

/// A cheap generator of numbers from 0 to 1.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A point in the cube from -1 to 1.
    pub(super) fn point(&mut self) -> numerics::vec3::Vec3 {
        let mut x = || 2.0 * self.next() - 1.0;
        numerics::vec3::Vec3::new(x(), x(), x())
    }
}
