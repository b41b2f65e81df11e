//! The array factor of a small part of the sky, by Chebyshev moments of the aperture.
//!
//! ```text
//! c_n     = a_n exp(j beta (u0 x_n + v0 y_n))                      u0, v0: middle of the directions
//! M[l][k] = j^(k + l) sum_n c_n T_k(x_n/X) T_l(y_n/Y)
//! F(u, v) = sum_lk M[l][k] e_k J_k(beta X (u - u0)) e_l J_l(beta Y (v - v0))
//! ```
//! A coverage is a few beam widths wide, and then a dozen or two moments along each axis are all that it sees of the aperture; their
//! number follows from the tolerance ([`terms`]). Elements on a lattice take one axis after the other. The adjoint is the transpose
//! of each step.

use super::super::design::Lattice;
use super::dense::{Matrix, Product, padded};
use super::series::{Collect, Expand, Split, fit};
use num_complex::Complex;
use numerics::real::ends;
use numerics::simd::dispatch;
use numerics::special::{bessel, terms};

type C = Complex<f64>;

/// What does not depend on the elements.
#[derive(Debug, Clone)]
pub struct Moments {
    beta: f64,
    /// u0, v0.
    centre: [f64; 2],
    /// X, Y.
    reach: [f64; 2],
    /// Terms along u and v.
    terms: [usize; 2],
    /// e_k J_k, `[k][direction]`, along u and v.
    waves: [Matrix; 2],
}

/// Chebyshev polynomials at the elements.
#[derive(Debug, Clone)]
pub enum Tables {
    /// `[k][line]` and `[line][k]` along x and y.
    Lattice([[Matrix; 2]; 2]),
    /// `[k][element]`, values and slopes, along x and y; exp(j beta (u0 x + v0 y)).
    Scattered {
        /// T_k(x/X), T_l(y/Y).
        values: [Matrix; 2],
        /// Their slopes, 1/m.
        slopes: [Matrix; 2],
    },
}

/// Memory of a run.
#[derive(Debug, Clone, Default)]
pub struct Room {
    moments: Split,
    lines: Split,
    dense: Split,
    points: Split,
}

/// Middle and half width.
pub fn middle(values: &[f64]) -> [f64; 2] {
    let [low, high] = ends(values.iter().copied());
    [0.5 * (low + high), 0.5 * (high - low)]
}

impl Moments {
    /// For elements within `reach` (m) of the centre, right to `tolerance` of the sum of all |a|.
    pub fn new(beta: f64, u: &[f64], v: &[f64], reach: [f64; 2], tolerance: f64) -> Self {
        let ([u0, half_u], [v0, half_v]) = (middle(u), middle(v));
        let terms = [beta * reach[0] * half_u, beta * reach[1] * half_v].map(|c| terms(c, 0.5 * tolerance));
        let waves = |values: &[f64], centre: f64, reach: f64, terms: usize| {
            let all: Vec<Vec<f64>> =
                values.iter().map(|u| bessel(beta * reach * (u - centre), terms)).collect();
            Matrix::new(terms, values.len(), |k, d| if k == 0 { all[d][0] } else { 2.0 * all[d][k] })
        };
        let waves = [waves(u, u0, reach[0], terms[0]), waves(v, v0, reach[1], terms[1])];
        Self { beta, centre: [u0, v0], reach, terms, waves }
    }

    /// Multiply-adds of a run, each way, for so many elements; `lines` of a lattice.
    pub fn work(&self, elements: usize, lines: Option<[usize; 2]>) -> f64 {
        let [k, l] = self.terms.map(|terms| terms as f64);
        let gather =
            lines.map_or(elements as f64 * k * l, |[x, y]| x as f64 * y as f64 * k + y as f64 * k * l);
        2.0 * (gather + self.waves[0].cols as f64 * k * l)
    }

    /// Tables for a lattice.
    pub fn lattice(&self, lattice: &Lattice) -> Tables {
        let both = |lines: &[f64], axis: usize| {
            let [values, _] = self.rows(lines, axis);
            let turned = values.transposed();
            [values, turned]
        };
        Tables::Lattice([both(&lattice.x, 0), both(&lattice.y, 1)])
    }

    /// Tables for elements anywhere.
    pub fn scattered(&self, x: &[f64], y: &[f64]) -> Tables {
        let [[x, by_x], [y, by_y]] = [self.rows(x, 0), self.rows(y, 1)];
        Tables::Scattered { values: [x, y], slopes: [by_x, by_y] }
    }

    /// T_k and its slope (1/m) at places along an axis, row after row by their recurrences.
    fn rows(&self, places: &[f64], axis: usize) -> [Matrix; 2] {
        let (count, wide, scale) = (places.len(), padded(places.len()), 1.0 / self.reach[axis]);
        let t: Vec<f64> = places.iter().map(|x| x * scale).collect();
        let mut both = [0; 2].map(|_| Matrix { cols: count, data: vec![0.0; self.terms[axis] * wide] });
        both[0].data[..count].fill(1.0);
        if self.terms[axis] > 1 {
            both[0].data[wide..][..count].copy_from_slice(&t);
            both[1].data[wide..][..count].fill(scale);
        }
        for k in 2..self.terms[axis] {
            let [values, slopes] = &mut both;
            let (before, to) = values.data.split_at_mut(k * wide);
            let (old, last) = before[(k - 2) * wide..].split_at(wide);
            for (((to, old), last), t) in to.iter_mut().zip(old).zip(last).zip(&t) {
                *to = 2.0 * t * last - old;
            }
            // T_k' = 2 T_(k-1) + 2 t T_(k-1)' - T_(k-2)'.
            let (before, to) = slopes.data.split_at_mut(k * wide);
            let (old, next) = before[(k - 2) * wide..].split_at(wide);
            for ((((to, old), next), last), t) in to.iter_mut().zip(old).zip(next).zip(last).zip(&t) {
                *to = 2.0 * scale * last + 2.0 * t * next - old;
            }
        }
        both
    }

    /// exp(j beta (u0 x + v0 y)) of an element.
    pub fn carrier(&self, x: f64, y: f64) -> C {
        C::from_polar(1.0, self.beta * (self.centre[0] * x + self.centre[1] * y))
    }

    /// j beta u0 and j beta v0: what the carrier's logarithm changes by along x and y.
    pub fn carrier_slope(&self) -> [C; 2] {
        self.centre.map(|u| C::new(0.0, self.beta * u))
    }

    /// F at the directions, of c at the elements (of a lattice: `[row][column]`, rows padded).
    pub fn forward(&self, tables: &Tables, c: &Split, field: &mut Split, room: &mut Room) {
        let [k, l] = self.terms;
        fit(&mut room.moments, k * l);
        match tables {
            Tables::Lattice([[x, _], [y, _]]) => {
                let rows = y.cols;
                fit(&mut room.lines, k * padded(rows));
                for (c, lines, moments) in room.parts(c) {
                    product(&c[..rows * padded(x.cols)], &x.data, padded(x.cols), lines, [1, padded(rows)]);
                    product(&y.data, lines, padded(rows), moments, [k, 1]);
                }
            }
            Tables::Scattered { values: [t, s], .. } => {
                fit(&mut room.points, c.re.len());
                let Room { moments, points, .. } = room;
                dispatch(Collect { t, s, values: c, room: points, terms: k, m: moments });
            }
        }
        turn(&mut room.moments, k, 1);
        let [t, s] = &self.waves;
        dispatch(Expand { t, s, m: &room.moments, terms: k, values: field });
    }

    /// sum_i h_i conj(e_ni) without the carrier, at the elements, and its slopes along x and y where they are wanted.
    pub fn backward(
        &self,
        tables: &Tables,
        h: &Split,
        adjoint: &mut Split,
        slopes: Option<&mut [Split; 2]>,
        room: &mut Room,
    ) {
        let [k, l] = self.terms;
        fit(&mut room.moments, k * l);
        fit(&mut room.points, h.re.len());
        let [t, s] = &self.waves;
        let Room { moments, points, .. } = room;
        dispatch(Collect { t, s, values: h, room: points, terms: k, m: moments });
        turn(moments, k, 3);
        match tables {
            Tables::Lattice([[_, x], [_, y]]) => self.spread(x, y, adjoint, room),
            Tables::Scattered { values: [t, s], slopes: [by_x, by_y] } => {
                let m = &room.moments;
                dispatch(Expand { t, s, m, terms: k, values: adjoint });
                if let Some([along, down]) = slopes {
                    dispatch(Expand { t: by_x, s, m, terms: k, values: along });
                    dispatch(Expand { t, s: by_y, m, terms: k, values: down });
                }
            }
        }
    }

    /// Moments to the crossings of a lattice.
    fn spread(&self, x: &Matrix, y: &Matrix, adjoint: &mut Split, room: &mut Room) {
        let [k, l] = self.terms;
        let rows = y.data.len() / padded(l);
        fit(&mut room.lines, rows * padded(k));
        fit(&mut room.dense, k * padded(l));
        let wide = padded(x.data.len() / padded(k));
        let Room { moments, lines, dense, .. } = room;
        for (moments, dense) in [(&moments.re, &mut dense.re), (&moments.im, &mut dense.im)] {
            for (i, row) in dense.chunks_exact_mut(padded(l)).enumerate() {
                row.iter_mut()
                    .enumerate()
                    .for_each(|(j, to)| *to = if j < l { moments[j * k + i] } else { 0.0 });
            }
        }
        let parts =
            [(&dense.re, &mut lines.re, &mut adjoint.re), (&dense.im, &mut lines.im, &mut adjoint.im)];
        for (dense, lines, adjoint) in parts {
            lines.fill(0.0);
            product(&y.data, dense, padded(l), lines, [padded(k), 1]);
            product(lines, &x.data, padded(k), adjoint, [wide, 1]);
        }
    }
}

impl Room {
    fn parts<'a>(&'a mut self, c: &'a Split) -> [(&'a [f64], &'a mut Vec<f64>, &'a mut Vec<f64>); 2] {
        let Self { moments, lines, .. } = self;
        [(&c.re, &mut lines.re, &mut moments.re), (&c.im, &mut lines.im, &mut moments.im)]
    }
}

fn product(a: &[f64], b: &[f64], p: usize, c: &mut [f64], steps: [usize; 2]) {
    dispatch(Product { a, b, p, c, steps });
}

/// Multiplies `[l][k]` by the power j^(quarters (k + l)).
fn turn(m: &mut Split, terms: usize, quarters: usize) {
    for (i, (re, im)) in m.re.iter_mut().zip(&mut m.im).enumerate() {
        (*re, *im) = match (i / terms + i % terms) * quarters % 4 {
            0 => (*re, *im),
            1 => (-*im, *re),
            2 => (-*re, -*im),
            _ => (*im, -*re),
        };
    }
}
