//! Double series at many points, and their transpose, in lanes of points.
//!
//! ```text
//! expand    value_p = sum_l s_l(p) sum_k m[l][k] t_k(p)
//! collect   m[l][k] = sum_p s_l(p) t_k(p) value_p
//! ```
//! The functions t_k and s_l at the points are tables `[k][point]`; values are complex, real and imaginary parts apart.

use super::dense::{LANES, Matrix, padded};
use num_complex::Complex;
use numerics::simd::{Kernel, multiply_add};

/// Real parts, then imaginary parts: two rows of equal, padded length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Split {
    /// Real parts.
    pub re: Vec<f64>,
    /// Imaginary parts.
    pub im: Vec<f64>,
}

impl Split {
    /// Zeros.
    pub fn new(len: usize) -> Self {
        Self { re: vec![0.0; len], im: vec![0.0; len] }
    }

    /// One value.
    #[inline(always)]
    pub fn at(&self, index: usize) -> Complex<f64> {
        Complex::new(self.re[index], self.im[index])
    }

    /// Replaces one value.
    #[inline(always)]
    pub fn set(&mut self, index: usize, value: Complex<f64>) {
        (self.re[index], self.im[index]) = (value.re, value.im);
    }
}

/// Values at the points of a series.
pub struct Expand<'a> {
    /// t, `[k][point]`.
    pub t: &'a Matrix,
    /// s, `[l][point]`.
    pub s: &'a Matrix,
    /// Coefficients, `[l][k]`, k up to `terms`.
    pub m: &'a Split,
    /// Numbers of a row of m.
    pub terms: usize,
    /// Values, padded.
    pub values: &'a mut Split,
}

impl Kernel for Expand<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let Self { t, s, m, terms, values } = self;
        let wide = padded(t.cols);
        let blocks =
            values.re.as_chunks_mut::<LANES>().0.iter_mut().zip(values.im.as_chunks_mut::<LANES>().0);
        for (block, (re, im)) in blocks.enumerate() {
            let at = block * LANES;
            let mut sums = [[0.0; LANES]; 2];
            for (l, (m_re, m_im)) in m.re.chunks_exact(terms).zip(m.im.chunks_exact(terms)).enumerate() {
                let mut inner = [[0.0; LANES]; 2];
                let rows = t.data[at..].chunks(wide);
                for ((t, &m_re), &m_im) in rows.zip(m_re).zip(m_im) {
                    let Some(t) = t.first_chunk::<LANES>() else { continue };
                    for lane in 0..LANES {
                        inner[0][lane] = multiply_add::<_, FMA>(m_re, t[lane], inner[0][lane]);
                        inner[1][lane] = multiply_add::<_, FMA>(m_im, t[lane], inner[1][lane]);
                    }
                }
                let Some(s) = s.data[l * wide + at..].first_chunk::<LANES>() else { continue };
                for lane in 0..LANES {
                    sums[0][lane] = multiply_add::<_, FMA>(inner[0][lane], s[lane], sums[0][lane]);
                    sums[1][lane] = multiply_add::<_, FMA>(inner[1][lane], s[lane], sums[1][lane]);
                }
            }
            (*re, *im) = (sums[0], sums[1]);
        }
    }
}

/// Sums over the points; the transpose of [`Expand`].
pub struct Collect<'a> {
    /// t, `[k][point]`.
    pub t: &'a Matrix,
    /// s, `[l][point]`.
    pub s: &'a Matrix,
    /// Values, padded.
    pub values: &'a Split,
    /// Room for values times s, padded.
    pub room: &'a mut Split,
    /// Numbers of a row of m.
    pub terms: usize,
    /// Result, `[l][k]`.
    pub m: &'a mut Split,
}

/// Functions t that share the loads of the values.
const BLOCK: usize = 3;

impl Kernel for Collect<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let Self { t, s, values, room, terms, m } = self;
        let wide = padded(t.cols);
        let rows = m.re.chunks_exact_mut(terms).zip(m.im.chunks_exact_mut(terms));
        for (l, (m_re, m_im)) in rows.enumerate() {
            let s = &s.data[l * wide..][..wide];
            for (room, values) in [(&mut room.re, &values.re), (&mut room.im, &values.im)] {
                for ((room, value), s) in room.iter_mut().zip(values).zip(s) {
                    *room = value * s;
                }
            }
            for k in (0..terms).step_by(BLOCK) {
                let t = &t.data[k * wide..];
                if k + BLOCK <= terms {
                    let [re, im] = sums::<FMA, BLOCK>(room, t, wide);
                    m_re[k..][..BLOCK].copy_from_slice(&re);
                    m_im[k..][..BLOCK].copy_from_slice(&im);
                } else {
                    for k in k..terms {
                        let [re, im] = sums::<FMA, 1>(room, &t[(k % BLOCK) * wide..], wide);
                        (m_re[k], m_im[k]) = (re[0], im[0]);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn sums<const FMA: bool, const N: usize>(room: &Split, t: &[f64], wide: usize) -> [[f64; N]; 2] {
    let mut sums = [[[0.0; LANES]; 2]; N];
    let values = room.re.as_chunks::<LANES>().0.iter().zip(room.im.as_chunks::<LANES>().0);
    for (at, (re, im)) in values.enumerate() {
        for (j, sum) in sums.iter_mut().enumerate() {
            let Some(t) = t[j * wide + at * LANES..].first_chunk::<LANES>() else { continue };
            for lane in 0..LANES {
                sum[0][lane] = multiply_add::<_, FMA>(re[lane], t[lane], sum[0][lane]);
                sum[1][lane] = multiply_add::<_, FMA>(im[lane], t[lane], sum[1][lane]);
            }
        }
    }
    [0, 1].map(|part| std::array::from_fn(|j| sums[j][part].iter().sum()))
}

/// Makes room; padding stays zero.
pub(super) fn fit(split: &mut Split, len: usize) {
    if split.re.len() != len {
        *split = Split::new(len);
    }
}
