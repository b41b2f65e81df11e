//! The spatial stages of an independent numpy reference, from its hologram on (`pnah/d1.stages.npz`).
//!
//! Tolerance of all stages: 1e-9 of the largest value. Both sides work in `f64`; the longest chain (Burg's recursion
//! twice, then transforms with a gain of exp(kappa z)) loses three to four digits of sixteen, so 1e-9 leaves room for
//! a different order of sums and none for a different formula.

use num_complex::Complex;
use pipeline::holography::cpu::Plan;
use pipeline::holography::design::{Aperture, Field, Grid, KFilter, propagator};
use pipeline::holography::{Padding, Settings, lpbp};
use std::path::PathBuf;
use tests::{npz, shared};

type C = Complex<f64>;

/// Of the largest value of a stage.
const TOLERANCE: f64 = 1e-9;

struct Stages(PathBuf);

impl Stages {
    fn of(test: &str) -> Option<Self> {
        Some(Self(shared(test, "pnah/d1.stages.npz")?))
    }

    fn complex(&self, name: &str) -> Vec<C> {
        npz::<C>(&self.0, name).0
    }

    fn real(&self, name: &str) -> Vec<C> {
        npz::<f64>(&self.0, name).0.into_iter().map(C::from).collect()
    }

    fn scalar(&self, name: &str) -> f64 {
        npz::<f64>(&self.0, name).0[0]
    }

    fn settings(&self) -> Settings {
        let grid = Grid::triple(Aperture::CAMERA).unwrap();
        Settings { padding: Padding::Lpbp { order: 8 }, ..Settings::new(grid, self.scalar("zh")) }
    }
}

fn agree(what: &str, ours: &[C], expected: &[C]) {
    assert_eq!(ours.len(), expected.len(), "{what}");
    let largest = expected.iter().map(|x| x.norm()).fold(0.0, f64::max);
    let worst = ours.iter().zip(expected).map(|(a, b)| (a - b).norm());
    let worst = worst.fold(0.0, |m: f64, e| if e <= m { m } else { e });
    assert!(worst <= TOLERANCE * largest, "{what}: worst {worst:e} of {largest:e}");
}

#[test]
fn padding_by_linear_prediction() {
    let Some(stages) = Stages::of("padding_by_linear_prediction") else { return };
    let grid = stages.settings().grid;
    let hologram = stages.complex("hologram");
    for (order, name) in [(8, "lpbp8"), (16, "lpbp16")] {
        agree(name, &lpbp::extend(&hologram, &grid, order).unwrap(), &stages.complex(name));
    }
}

#[test]
fn window_filter_and_operator() {
    let Some(stages) = Stages::of("window_filter_and_operator") else { return };
    let Settings { grid, medium, standoff, .. } = stages.settings();
    let (rows, cols) = grid.windows();
    let window: Vec<C> = rows.iter().flat_map(|y| cols.iter().map(move |x| C::from(x * y))).collect();
    agree("tukey", &window, &stages.real("tukey"));
    let k = medium.wavenumber(stages.scalar("f"));
    let (ky, kx) = grid.wavenumbers();
    let radii: Vec<f64> = ky.iter().flat_map(|y| kx.iter().map(|x| x.hypot(*y))).collect();
    let filter: Vec<C> = radii.iter().map(|&r| C::from(KFilter::THESIS.gain(r))).collect();
    agree("kfilter", &filter, &stages.real("kfilter"));
    let product = |(&r, f): (&f64, &C)| f * propagator(k, r, standoff);
    let operator: Vec<C> = radii.iter().zip(&filter).map(product).collect();
    agree("operator", &operator, &stages.complex("operator"));
}

#[test]
fn spectrum_and_reconstruction() {
    let Some(stages) = Stages::of("spectrum_and_reconstruction") else { return };
    let settings = stages.settings();
    assert_eq!(settings.padding, Padding::Lpbp { order: 8 });
    let mut plan = Plan::<f64>::new(&settings, &[stages.scalar("f")], KFilter::THESIS).unwrap();
    plan.pad(&stages.complex("hologram")).unwrap();
    plan.transform();
    agree("spectrum", plan.spectrum(0).unwrap(), &stages.complex("spectrum"));
    let mut source = vec![C::new(f64::NAN, f64::NAN); 1024];
    plan.propagate(Field::Pressure, &mut source).unwrap();
    agree("recon", &source, &stages.complex("recon"));
}
