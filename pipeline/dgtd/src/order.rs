//! Elements along a curve through space (Morton), so that neighbours are near each other in memory.

use crate::design::Design;
use numerics::vec3::Vec3;

/// Bits of each coordinate.
const BITS: u32 = 20;

/// Axes along which an element is in matched layers, as bits.
pub fn absorbing_axes(design: &Design, element: u32) -> u32 {
    let sigma = design.absorber.as_ref().map_or(Vec3::ZERO, |absorber| absorber.sigma_of(element));
    (0..3).filter(|axis| sigma[*axis] != 0.0).map(|axis| 1 << axis).sum()
}

/// Numbers of the elements in the order of the curve, those in matched layers after all others, by their axes; those of one place in the order of the mesh.
pub fn along_a_curve(design: &Design) -> Vec<u32> {
    let mesh = &design.mesh;
    let centre =
        |element: usize| mesh.corners(element).into_iter().fold(Vec3::ZERO, |sum, corner| sum + corner);
    let (low, high) = Vec3::bounds((0..mesh.len()).map(centre));
    let size = (high - low).to_array().into_iter().fold(f64::MIN_POSITIVE, f64::max);
    let scale = f64::from((1u32 << BITS) - 1) / size;
    let code = |element: usize| {
        let place = ((centre(element) - low) * scale).to_array().map(|x| x as u64);
        let bit = |bit: u32| (0..3).map(move |axis| (place[axis] >> bit & 1) << (3 * bit + axis as u32));
        (0..BITS).flat_map(bit).sum::<u64>()
    };
    let mut order: Vec<u32> = (0..mesh.len() as u32).collect();
    order.sort_by_cached_key(|element| (absorbing_axes(design, *element), code(*element as usize)));
    order
}
