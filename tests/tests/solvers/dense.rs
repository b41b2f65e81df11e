//! LU on a card: solutions of both precisions with panels of ours and of the library, and matrices that have no solution.

use crate::devices;
use kernels::dense::{Library, Lu, Norms, Panels};
use kernels::{Buffer, Device, Error, Stream};
use num_complex::Complex;

type C = Complex<f64>;
type Single = Complex<f32>;

/// Right-hand sides: not a multiple of what a block takes.
const COLUMNS: usize = 7;

/// Numbers of real and imaginary parts below a half.
fn random(count: usize) -> Vec<C> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..count).map(|_| C::new(next(), next())).collect()
}

struct Case {
    stream: Stream,
    library: Library,
    norms: Norms,
    size: usize,
    matrix: Buffer<C>,
    right: Buffer<C>,
}

impl Case {
    fn new(device: &Device, size: usize) -> Self {
        let mut stream = device.stream().unwrap();
        let library = Library::new(&stream).unwrap();
        let values = random((size + COLUMNS) * size);
        let (matrix, right) = values.split_at(size * size);
        let matrix = Buffer::from_slice(&mut stream, "matrix", matrix).unwrap();
        let right = Buffer::from_slice(&mut stream, "right-hand sides", right).unwrap();
        Self { norms: library.norms(size), stream, library, size, matrix, right }
    }

    fn double(&mut self, panels: Panels, fast: bool) -> Lu<f64> {
        let mut copy = Buffer::unwritten(&self.stream, "factors", self.matrix.len()).unwrap();
        self.stream.copy(&self.matrix, &mut copy).unwrap();
        self.library.factor(&mut self.stream, copy, self.size, fast, panels).unwrap()
    }

    fn greatest(&mut self, values: &Buffer<C>) -> f64 {
        let mut host = vec![C::new(f64::NAN, f64::NAN); values.len()];
        self.stream.download(values, &mut host).unwrap();
        let worse = |worst: f64, size: f64| if size <= worst { worst } else { size };
        host.iter().map(|value| value.norm()).fold(0.0, worse)
    }

    /// Greatest residual, over entries of one half in every column and the greatest solution.
    fn backward(&mut self, solved: &Buffer<C>) -> f64 {
        let mut rest = Buffer::unwritten(&self.stream, "residuals", self.right.len()).unwrap();
        self.stream.copy(&self.right, &mut rest).unwrap();
        let sides = [self.size, self.size, COLUMNS];
        let factors = [&self.matrix, solved];
        self.library.multiply(&mut self.stream, factors, &mut rest, sides, [-1.0, 1.0]).unwrap();
        self.greatest(&rest) / (0.5 * self.size as f64 * self.greatest(solved))
    }

    /// Residuals of 32-bit factors.
    fn single(&mut self, panels: Panels, fast: bool) -> f64 {
        let Self { stream, library, norms, size, matrix, right } = self;
        let mut narrow = Buffer::<Single>::unwritten(stream, "factors", matrix.len()).unwrap();
        norms.narrow(stream, matrix, None, &mut narrow).unwrap();
        let lu = library.factor(stream, narrow, *size, fast, panels).unwrap();
        let mut narrow = Buffer::<Single>::unwritten(stream, "right-hand sides", right.len()).unwrap();
        norms.narrow(stream, right, None, &mut narrow).unwrap();
        let solved = library.solve(stream, norms, &lu, &narrow).unwrap();
        let mut wide = Buffer::zeros(stream, "solutions", right.len()).unwrap();
        let ones = Buffer::from_slice(stream, "scales", &[1.0; COLUMNS]).unwrap();
        norms.add(stream, &solved, &ones, &mut wide).unwrap();
        self.backward(&wide)
    }
}

/// Elimination has at most `size` roundings an entry, whose signs are random, of entries that grow less than tenfold (Trefethen and Schreiber, 1990, for random matrices).
fn bound(size: usize, rounding: f64) -> f64 {
    10.0 * (size as f64).sqrt().max(4.0) * rounding
}

/// Sizes round parts of panels, panels, and where the shape of a part and the width of panels change.
#[test]
fn residuals_of_lu_are_roundings() {
    for device in devices("residuals_of_lu_are_roundings") {
        for size in [1, 2, 31, 33, 256, 257, 600, 6200, 10_300] {
            let mut case = Case::new(&device, size);
            for (panels, fast) in [(Panels::Fastest, true), (Panels::Fastest, false), (Panels::Library, true)]
            {
                let lu = case.double(panels, fast);
                let solved = case.library.solve(&mut case.stream, &case.norms, &lu, &case.right).unwrap();
                let backward = case.backward(&solved);
                assert!(backward < bound(size, f64::EPSILON), "{size} {panels:?} {fast}: {backward:e}");
                let rounding = if fast { 2f64.powi(-11) } else { f64::from(f32::EPSILON) };
                let backward = case.single(panels, fast);
                assert!(backward < bound(size, rounding), "{size} {panels:?} {fast}: {backward:e}");
            }
        }
    }
}

/// x^H A y of a solution x with the adjoint matrix and a solution y with the matrix itself is the product of one right-hand side with the other's solution, taken both ways.
#[test]
fn adjoint_solutions_fit_plain_ones() {
    for device in devices("adjoint_solutions_fit_plain_ones") {
        let size = 300;
        let mut case = Case::new(&device, size);
        let lu = case.double(Panels::Fastest, true);
        let Case { stream, library, norms, right, .. } = &mut case;
        let plain = library.solve(stream, norms, &lu, right).unwrap();
        let adjoint = library.solve_adjoint(stream, norms, &lu, right).unwrap();
        let [mut b, mut y, mut x] = [(); 3].map(|()| vec![C::new(f64::NAN, f64::NAN); COLUMNS * size]);
        stream.download(right, &mut b).unwrap();
        stream.download(&plain, &mut y).unwrap();
        stream.download(&adjoint, &mut x).unwrap();
        let product = |a: &[C], b: &[C]| a.iter().zip(b).map(|(a, b)| a.conj() * b).sum::<C>();
        for (j, k) in (0..COLUMNS).flat_map(|j| (0..COLUMNS).map(move |k| (j, k))) {
            let (j, k) = (j * size..(j + 1) * size, k * size..(k + 1) * size);
            let (one, other) = (product(&x[j.clone()], &b[k.clone()]), product(&b[j], &y[k]));
            // Roundings times a condition of some 1e4.
            assert!((one - other).norm() < 1e-9 * (1.0 + one.norm()), "{one} {other}");
        }
    }
}

#[test]
fn matrices_without_pivots_are_refused() {
    for device in devices("matrices_without_pivots_are_refused") {
        let mut stream = device.stream().unwrap();
        let library = Library::new(&stream).unwrap();
        for (value, expected) in [(1.0, 1), (0.0, 0), (f64::NAN, 0)] {
            for panels in [Panels::Fastest, Panels::Library] {
                if value.is_nan() && panels == Panels::Library {
                    // The library does not look for these.
                    continue;
                }
                let matrix = Buffer::from_slice(&mut stream, "matrix", &[C::new(value, 0.0); 3600]).unwrap();
                let found = library.factor(&mut stream, matrix, 60, true, panels).unwrap_err();
                assert!(
                    matches!(found, Error::SingularMatrix { pivot, size: 60 } if pivot == expected),
                    "{value} {panels:?}: {found}"
                );
            }
        }
    }
}
