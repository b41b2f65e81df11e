use super::super::cpu::Plan;
use super::super::design::{Aperture, Grid, KFilter, Radii, vertical_wavenumber};
use super::super::{Direction, Padding};
use super::*;

type C = Complex<f64>;

/// Sums of a few hundred terms in `f64`.
const ROUNDING: f64 = 1e-12;

/// No padding, so that the plane is exactly the aperture.
fn settings() -> Settings {
    let grid = Grid::new(Aperture { rows: 18, cols: 24, pitch: 0.02 }, 18, 24).unwrap();
    Settings { padding: Padding::Zero, velocity: true, ..Settings::new(grid, 0.04) }
}

fn fields(settings: &Settings, frequency: f64, filter: KFilter, hologram: &[C]) -> (Vec<C>, Vec<C>, Vec<C>) {
    let mut plan = Plan::<f64>::new(settings, &[frequency], filter).unwrap();
    let (rows, cols) = plan.output_shape();
    let mut pressure = vec![C::new(f64::NAN, f64::NAN); rows * cols];
    let mut velocity = pressure.clone();
    plan.execute(hologram, &mut pressure, Some(&mut velocity)).unwrap();
    (pressure, velocity, plan.spectrum(0).unwrap().to_vec())
}

/// Power through the whole padded plane, W, from the spectrum P of a hologram behind the k-filter G; the same at every distance:
/// d^2/(2 n_x n_y) sum |P G|^2 Re(k_z)/(rho c k), where only propagating waves carry power and exp(j k_z z) has modulus 1 for
/// them (Parseval).
fn power_in_k_space<T: Real>(
    spectrum: &[Complex<T>],
    settings: &Settings,
    frequency: f64,
    filter: &KFilter,
) -> f64 {
    let (grid, medium) = (&settings.grid, &settings.medium);
    let (k, radii) = (medium.wavenumber(frequency), Radii::new(grid));
    let weight = |&radial: &f64| filter.gain(radial).powi(2) * vertical_wavenumber(k, radial).re;
    let weights: Vec<f64> = radii.values().iter().map(weight).collect();
    let power = |(i, p): (usize, &Complex<T>)| {
        Real::to_f64(p.norm_sqr()) * weights[radii.at(i / grid.cols, i % grid.cols)]
    };
    let sum: f64 = spectrum.iter().enumerate().map(power).sum();
    let impedance = medium.density * medium.speed_of_sound * k;
    sum * grid.aperture.pitch.powi(2) / (2.0 * grid.len() as f64 * impedance)
}

/// A plane wave straight towards the array: v = p/(rho c), I = |p|^2/(2 rho c), at every distance.
#[test]
fn plane_wave() {
    let settings = settings();
    let hologram = vec![C::new(3.0, 4.0); settings.grid.len()];
    let (pressure, velocity, spectrum) = fields(&settings, 1000.0, KFilter::NONE, &hologram);
    let impedance = settings.medium.density * settings.medium.speed_of_sound;
    let mut active = vec![f64::NAN; pressure.len()];
    intensity(&pressure, &velocity, &mut active);
    for i in &active {
        assert!((i * 2.0 * impedance / 25.0 - 1.0).abs() <= ROUNDING, "{i}");
    }
    let area = settings.grid.len() as f64 * 0.02 * 0.02;
    let expected = 25.0 / (2.0 * impedance) * area;
    assert!((power(&active, &settings) / expected - 1.0).abs() <= ROUNDING);
    let in_k_space = power_in_k_space(&spectrum, &settings, 1000.0, &KFilter::NONE);
    assert!((in_k_space / expected - 1.0).abs() <= ROUNDING, "{in_k_space} {expected}");
    assert!((level(C::new(3.0, 4.0)) - 20.0 * (5.0f64 / 2.0f64.sqrt() / 20e-6).log10()).abs() <= ROUNDING);
    assert_eq!(level(Complex::<f32>::new(0.0, 0.0)), f64::NEG_INFINITY);
}

/// Parseval: the power on the plane is the one in k-space, back or forward, refined or not, for waves of all kinds.
/// Evanescent waves grow to about 3e3 at 0.04 m and carry nothing; their rounding is what the tolerance leaves room
/// for.
#[test]
fn power_is_the_same_in_both_spaces() {
    let plain = settings();
    let wave = |i: usize| C::cis((i * i % 997) as f64) + C::from_polar(3.0, 0.3 * i as f64);
    let hologram: Vec<C> = (0..plain.grid.len()).map(wave).collect();
    let filter = KFilter { cutoff: 60.0, slope: 0.2 };
    for (refinement, direction) in [(1, Direction::Back), (2, Direction::Back), (1, Direction::Forward)] {
        let settings = Settings { refinement, direction, ..plain };
        let (pressure, velocity, spectrum) = fields(&settings, 2000.0, filter, &hologram);
        let mut active = vec![f64::NAN; pressure.len()];
        intensity(&pressure, &velocity, &mut active);
        let in_k_space = power_in_k_space(&spectrum, &settings, 2000.0, &filter);
        let on_the_plane = power(&active, &settings);
        assert!(in_k_space > 0.0);
        assert!((on_the_plane / in_k_space - 1.0).abs() <= 1e-9, "{on_the_plane} {in_k_space}");
    }
}

/// An evanescent wave carries no power: velocity and pressure are a quarter of a period apart everywhere.
#[test]
fn evanescent_waves_carry_nothing() {
    let settings = settings();
    let hologram: Vec<C> = (0..settings.grid.len())
        .map(|i| C::cis(std::f64::consts::TAU * 5.0 * (i % 24) as f64 / 24.0))
        .collect();
    let (pressure, velocity, _) = fields(&settings, 500.0, KFilter::NONE, &hologram);
    let mut active = vec![f64::NAN; pressure.len()];
    intensity(&pressure, &velocity, &mut active);
    for (i, (p, v)) in active.iter().zip(pressure.iter().zip(&velocity)) {
        assert!(p.norm() > 1.0 && i.abs() <= ROUNDING * p.norm() * v.norm(), "{i} {p} {v}");
        // kz = -j kappa: the velocity follows the pressure by a quarter of a period.
        assert!((v / p).im < 0.0);
    }
}
