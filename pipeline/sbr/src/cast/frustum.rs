//! What bounds a packet of rays: a rectangle on its plane, and an interval of slopes along either axis.
//!
//! All rays of a packet have one frame and run in one sense along its major axis, which is z below. The plane
//! of the packet cuts that axis at the nearest origin, or at the border of the target. At depth d from the
//! plane the x of all rays lies between `low + s d` and `high + s d`, where s runs from the smallest to the
//! largest slope, and so does y.

use super::interval::{Row, bit_mask, max};
use super::node::{WIDTH, WideNode};
use numerics::simd::multiply_add;

/// The frustum of a packet; arrays of two are along the first axes of the frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct Frustum {
    /// Axes of the frame, the major axis last.
    pub axes: [usize; 3],
    /// Sense of the rays along the major axis: 1 or -1.
    pub sense: f64,
    /// Place of the plane along the major axis times the sense, m: depth 0.
    pub plane: f64,
    /// Centre of the rectangle, m.
    pub centre: [f64; 2],
    /// Half sides of the rectangle, m.
    pub half: [f32; 2],
    /// Middle of the slopes against depth.
    pub slope: [f64; 2],
    /// Largest difference of a slope from the middle.
    pub slope_half: [f32; 2],
    /// Bound on the error of depths, m.
    pub depth_error: f32,
    /// Bound on the error of places that comes from double precision, m.
    pub double_error: f32,
}

/// The same in single precision, as tests of boxes need it.
#[derive(Default, Clone, Copy)]
pub struct BoxFrustum {
    /// Depth 0, m.
    pub plane: f32,
    /// Lower corner of the rectangle, m.
    pub low: [f32; 2],
    /// Upper corner of the rectangle, m.
    pub high: [f32; 2],
    /// Smallest slopes against depth.
    pub slope_min: [f32; 2],
    /// Largest slopes against depth.
    pub slope_max: [f32; 2],
    /// Depth of the farthest of the nearest hits, m.
    pub far: f32,
}

impl BoxFrustum {
    /// Depths at which the boxes of the children of a node begin, and a bit mask of the boxes that rays may
    /// hit. Boxes are padded by more than the rounding of this test (lemma 6).
    #[inline(always)]
    pub fn hits<const FMA: bool>(&self, frustum: &Frustum, node: &WideNode) -> (Row<f32>, u32) {
        let [kx, ky, kz] = frustum.axes;
        let (b, sense, plane) = (self, frustum.sense as f32, self.plane);
        let (front, back) =
            if sense > 0.0 { (&node.low[kz], &node.high[kz]) } else { (&node.high[kz], &node.low[kz]) };
        let (mut nears, mut hit) = ([0.0; WIDTH], [false; WIDTH]);
        for i in 0..WIDTH {
            let (near, end) = (max(sense * front[i] - plane, 0.0), sense * back[i] - plane);
            let at = |place: f32, slope: f32, depth: f32| multiply_add::<f32, FMA>(slope, depth, place);
            let low = |k: usize| at(b.low[k], b.slope_min[k], if b.slope_min[k] < 0.0 { end } else { near });
            let high =
                |k: usize| at(b.high[k], b.slope_max[k], if b.slope_max[k] > 0.0 { end } else { near });
            nears[i] = near;
            hit[i] = (low(0) <= node.high[kx][i])
                & (high(0) >= node.low[kx][i])
                & (low(1) <= node.high[ky][i])
                & (high(1) >= node.low[ky][i])
                & (near <= b.far)
                & (end >= 0.0);
        }
        (nears, bit_mask(&hit))
    }
}
