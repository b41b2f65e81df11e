//! Cross-sections of a dispersive sphere at two frequencies of one pulse, against Mie's series (Bohren and Huffman, Absorption and scattering of light by small particles (1983), chapter 4).

use super::super::dispersion::permittivity;
use super::super::mesh::sphere::Sphere;
use super::super::{Boundary, Layers, PlaneWave, Pulse, Spectrum, cpu, far_field, time_step};
use super::*;
use num_complex::Complex64;

/// Terms of the series: those after them are below 1e-12 for spheres of a circumference of up to two wavelengths.
const TERMS: usize = 12;

/// a_n and b_n from n = 1 on for a sphere of circumference `x` over the wavelength and index `m`, with a positive imaginary part where there are losses.
fn coefficients(x: f64, m: Complex64) -> Vec<[Complex64; 2]> {
    // Logarithmic derivatives of the field inside, downwards, which is the stable direction.
    let z = m * x;
    let mut d = vec![Complex64::ZERO; TERMS + 16];
    for n in (1..d.len()).rev() {
        let part = n as f64 / z;
        d[n - 1] = part - 1.0 / (d[n] + part);
    }
    let (mut psi, mut chi) = ([x.cos(), x.sin()], [-x.sin(), x.cos()]);
    let each = (1..=TERMS).map(|n| {
        let next = |[before, last]: [f64; 2]| (2 * n - 1) as f64 / x * last - before;
        (psi, chi) = ([psi[1], next(psi)], [chi[1], next(chi)]);
        let xi = [0, 1].map(|i| Complex64::new(psi[i], -chi[i]));
        let of = |inside: Complex64| {
            let factor = inside + n as f64 / x;
            (factor * psi[1] - psi[0]) / (factor * xi[1] - xi[0])
        };
        [of(d[n] / m), of(d[n] * m)]
    });
    each.collect()
}

/// Cross-sections across E and across H of the wave, m^2, at an angle from where it goes.
fn series(radius: f64, k: f64, eps: Complex64, theta: f64) -> [f64; 2] {
    // The series is that of exp(-jwt).
    let all = coefficients(k * radius, eps.conj().sqrt());
    let (mut before, mut last, mut sums) = (0.0, 1.0, [Complex64::ZERO; 2]);
    for (n, [a, b]) in (1..).zip(all) {
        let n = f64::from(n);
        let tau = n * theta.cos() * last - (n + 1.0) * before;
        let weight = (2.0 * n + 1.0) / (n * (n + 1.0));
        sums[0] += (a * tau + b * last) * weight;
        sums[1] += (a * last + b * tau) * weight;
        let next = ((2.0 * n + 1.0) * theta.cos() * last - (n + 1.0) * before) / n;
        (before, last) = (last, next);
    }
    sums.map(|sum| 4.0 * std::f64::consts::PI / (k * k) * sum.norm_sqr())
}

#[test]
fn the_series_loses_nothing_without_losses() {
    let sum = |m: Complex64| {
        let all = (1..).zip(coefficients(1.3, m));
        all.fold([0.0; 2], |[scattered, lost]: [f64; 2], (n, [a, b])| {
            let weight = f64::from(2 * n + 1);
            [scattered + weight * (a.norm_sqr() + b.norm_sqr()), lost + weight * (a + b).re]
        })
    };
    let [scattered, lost] = sum(Complex64::new(2.0, 0.0));
    assert!((scattered / lost - 1.0).abs() < 1e-12, "{scattered}, {lost}");
    let [scattered, lost] = sum(Complex64::new(2.0, 0.3));
    assert!(scattered < 0.9 * lost, "{scattered}, {lost}");
}

const HIGH: f64 = 2.0;

/// About 5.3 - 1.4j at k = 0.6 and 4.8 - 1.7j at k = 1.
fn medium() -> Vec<Pole> {
    vec![
        Pole::Debye { delta: 3.0, relaxation: 1.0 / SPEED_OF_LIGHT },
        Pole::Lorentz { delta: 1.0, resonance: 2.0 * SPEED_OF_LIGHT, damping: 0.5 * SPEED_OF_LIGHT },
    ]
}

/// A quarter of a sphere of 1 m in a pulse along z with E along x, and its far field.
fn scattered(wavenumbers: &[f64]) -> Spectrum {
    let (cell, edge) = (0.8, 2.4);
    let sphere = Sphere {
        radius: 1.0,
        half_side: 2.0 * cell,
        cells: 4,
        shells: 2,
        inside: Some(1),
        outside: 4,
        quarter: true,
    };
    let pulse = Pulse::Gauss { centre: 0.0, width: 2.0, wavenumber: 0.8 };
    let (x, z) = (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0));
    let wave = PlaneWave::new(z, x, pulse, &Material::VACUUM).unwrap();
    let mut settings = Settings::new(2);
    settings.boundaries = vec![("x_min".into(), Boundary::Pec), ("y_min".into(), Boundary::Pmc)];
    settings.materials = vec![("sphere".into(), Material { permittivity: HIGH, ..Material::VACUUM })];
    settings.poles = vec![("sphere".into(), medium())];
    (settings.wave, settings.total_field) = (Some(wave), vec!["total".into(), "sphere".into()]);
    settings.layers = Some(Layers::new(Vec3::new(0.0, 0.0, -edge), Vec3::splat(edge)));
    let design = Design::new(Mesh::new(sphere.volume().unwrap()).unwrap(), &settings).unwrap();
    let dt = time_step::limit(&design);
    let mut spectrum = Spectrum::new(&design, wavenumbers);
    let plan = cpu::Plan::<f32>::new(design);
    let mut fields = plan.load(&vec![State::default(); plan.design().states()], -8.0).unwrap();
    while fields.time < 20.0 {
        plan.step(&mut fields, dt);
        plan.add(&mut spectrum, &fields, dt);
    }
    spectrum.mirrored(0, Boundary::Pec).mirrored(1, Boundary::Pmc)
}

#[test]
fn a_dispersive_sphere_has_the_cross_sections_of_mies_series() {
    let wavenumbers = [0.6, 1.0];
    let spectrum = scattered(&wavenumbers);
    for (number, k) in wavenumbers.into_iter().enumerate() {
        // Root of the mean square over angles within 30 dB of the largest, dB.
        let error = |eps: Complex64, plane: usize| {
            let across = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)][plane];
            let angles = (0..=180).map(|degrees| f64::from(degrees).to_radians());
            let decibels = |sigma: f64| 10.0 * sigma.log10();
            let expected: Vec<f64> =
                angles.clone().map(|theta| decibels(series(1.0, k, eps, theta)[plane])).collect();
            let most = expected.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let squares = angles.zip(expected).filter(|(_, expected)| *expected > most - 30.0);
            let squares = squares.map(|(theta, expected)| {
                let u = across * theta.sin() + Vec3::new(0.0, 0.0, theta.cos());
                (decibels(far_field::cross_section(&spectrum, number, u)) - expected).powi(2)
            });
            let squares: Vec<f64> = squares.collect();
            (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
        };
        let eps = permittivity(HIGH, &medium(), k);
        for plane in [0, 1] {
            let found = error(eps, plane);
            assert!(found < 0.3, "k = {k}, plane {plane}: {found} dB");
            // What the same sphere would have without poles is another thing.
            assert!(error(HIGH.into(), plane) > 2.0);
        }
    }
}
