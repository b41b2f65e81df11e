//! Products of small real matrices, in the form in which both are read along their rows.

use numerics::simd::{Kernel, multiply_add};

/// Rows are padded with zeros to a multiple of this.
pub const LANES: usize = 8;

/// The next multiple of [`LANES`].
pub const fn padded(n: usize) -> usize {
    n.next_multiple_of(LANES)
}

/// A matrix whose rows are padded with zeros.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matrix {
    /// Numbers of a row that mean something.
    pub cols: usize,
    /// `[row][padded(cols)]`.
    pub data: Vec<f64>,
}

impl Matrix {
    /// From its values.
    pub fn new(rows: usize, cols: usize, value: impl Fn(usize, usize) -> f64) -> Self {
        let mut data = vec![0.0; rows * padded(cols)];
        for (i, row) in data.chunks_exact_mut(padded(cols).max(1)).enumerate() {
            row[..cols].iter_mut().enumerate().for_each(|(j, x)| *x = value(i, j));
        }
        Self { cols, data }
    }

    /// Rows and columns exchanged.
    pub fn transposed(&self) -> Self {
        let wide = padded(self.cols).max(1);
        Self::new(self.cols, self.data.len() / wide, |i, j| self.data[j * wide + i])
    }
}

/// `c[i * outer + j * inner] = sum_p a[i][p] b[j][p]`, with rows of `p` numbers, a multiple of [`LANES`].
pub struct Product<'a> {
    /// `[i][p]`.
    pub a: &'a [f64],
    /// `[j][p]`.
    pub b: &'a [f64],
    /// Numbers of a row.
    pub p: usize,
    /// Result.
    pub c: &'a mut [f64],
    /// Steps of the result along i and j.
    pub steps: [usize; 2],
}

/// Rows of b that share the loads of a row of a.
const BLOCK: usize = 4;

impl Kernel for Product<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let Self { a, b, p, c, steps } = self;
        for (i, a) in a.chunks_exact(p).enumerate() {
            for (block, b) in b.chunks(BLOCK * p).enumerate() {
                let to = i * steps[0] + block * BLOCK * steps[1];
                if b.len() == BLOCK * p {
                    let sums = dots::<FMA, BLOCK>(a, b, p);
                    sums.iter().enumerate().for_each(|(j, sum)| c[to + j * steps[1]] = *sum);
                } else {
                    for (j, b) in b.chunks_exact(p).enumerate() {
                        c[to + j * steps[1]] = dots::<FMA, 1>(a, b, p)[0];
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn dots<const FMA: bool, const N: usize>(a: &[f64], b: &[f64], p: usize) -> [f64; N] {
    let mut sums = [[0.0; LANES]; N];
    for (at, a) in a.as_chunks::<LANES>().0.iter().enumerate() {
        for (j, sum) in sums.iter_mut().enumerate() {
            let Some(b) = b[j * p + at * LANES..].first_chunk::<LANES>() else { continue };
            for lane in 0..LANES {
                sum[lane] = multiply_add::<_, FMA>(a[lane], b[lane], sum[lane]);
            }
        }
    }
    sums.map(|sum| ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])))
}
