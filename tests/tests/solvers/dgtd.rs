//! DGTD against independent data: `shared/data/dgtd`, fields of cavity modes and plane waves by formula (eps0 = mu0 = 1, a cube of side 2), and `shared/data/mie`.

mod cuda;

use pipeline::dgtd::cpu::{Fields, Plan};
use pipeline::dgtd::design::Design;
use pipeline::dgtd::mesh::sphere::Sphere;
use pipeline::dgtd::mesh::{Mesh, kuhn};
use pipeline::dgtd::{
    Boundary, Layers, Material, Mode, PlaneWave, Probe, Pulse, Settings, Spectrum, State, far_field,
    time_step,
};
use pipeline::numerics::vec3::Vec3;

/// Order 5 in cells of 0.5.
const ORDER: usize = 5;
const CELLS: usize = 4;

/// Largest error for fields of some V/m. Waves of k h = 3 have 1e-3 of them at this order (the plan's own test of convergence has 1.1e-3 in the mean); half the wavenumber gains a factor of 2^6.
fn tolerance(wavenumber: f64) -> f64 {
    if wavenumber < 3.0 { 2e-4 } else { 6e-3 }
}

/// Rows of numbers without the first line.
fn rows(test: &str, file: &str) -> Option<Vec<Vec<f64>>> {
    let text = std::fs::read_to_string(tests::shared(test, file)?).unwrap();
    let row = |line: &str| line.split(',').map(|word| word.parse().unwrap()).collect();
    Some(text.lines().skip(1).map(row).collect())
}

fn vector(numbers: &[f64]) -> Vec3 {
    Vec3::new(numbers[0], numbers[1], numbers[2])
}

/// Goes on to a time in equal steps that are stable.
fn run_to(plan: &Plan<f32>, fields: &mut Fields<f32>, time: f64) {
    let span = time - fields.time;
    let steps = (span / time_step::limit(plan.design())).ceil();
    (0..steps as usize).for_each(|_| plan.step(fields, span / steps));
}

/// Compares fields with samples, whose last nine numbers are place, E and H.
fn compare(plan: &Plan<f32>, fields: &Fields<f32>, sample: &[f64], tolerance: f64) {
    let [place, e, h] = [9, 6, 3].map(|back| vector(&sample[sample.len() - back..]));
    let State { e: found_e, h: found_h } = plan.probe(fields, &Probe::new(plan.design(), place).unwrap());
    let wrong = (found_e - e).length().max((found_h - h).length());
    assert!(wrong < tolerance, "t = {}, {place:?}: {wrong:e}", fields.time);
}

#[test]
fn cavity_modes_are_those_of_the_samples() {
    let test = "cavity_modes_are_those_of_the_samples";
    let Some(samples) = rows(test, "dgtd/cavity_samples.csv") else { return };
    let side = Vec3::splat(2.0);
    let mesh = Mesh::new(kuhn::cuboid(Vec3::ZERO, side, [CELLS; 3])).unwrap();
    let plan = Plan::<f32>::new(Design::new(mesh, &Settings::new(ORDER)).unwrap());
    let mut looked_at = 0;
    for samples in samples.chunk_by(|a, b| a[..6] == b[..6]) {
        let mode =
            Mode::new([0, 1, 2].map(|i| samples[0][i] as u32), side, vector(&samples[0][3..])).unwrap();
        assert!((mode.wavenumber() - samples[0][6]).abs() < 1e-14);
        let mut fields = plan.load(&plan.design().sampled(|x| mode.at(x, 0.0)), 0.0).unwrap();
        let mut by_time = samples.to_vec();
        by_time.sort_by(|a, b| a[7].total_cmp(&b[7]));
        for sample in by_time {
            run_to(&plan, &mut fields, sample[7]);
            compare(&plan, &fields, &sample, tolerance(mode.wavenumber()));
            looked_at += 1;
        }
    }
    assert_eq!(looked_at, samples.len());
}

#[test]
fn plane_waves_are_those_of_the_samples() {
    let test = "plane_waves_are_those_of_the_samples";
    let Some(mut samples) = rows(test, "dgtd/planewave_samples.csv") else { return };
    samples.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let pulses = [
        Pulse::Sine { wavenumber: 5.0 },
        Pulse::Gauss { centre: 1.5, width: 0.4, wavenumber: 1.2 * std::f64::consts::TAU },
    ];
    for samples in samples.chunk_by(|a, b| a[0] == b[0]) {
        let (direction, polarisation) = (Vec3::new(1.0, 2.0, -2.0), Vec3::new(2.0, -2.0, -1.0));
        let pulse = pulses[samples[0][0] as usize];
        let wave = PlaneWave::new(direction, polarisation, pulse, &Material::VACUUM).unwrap();
        let mut settings = Settings::new(ORDER);
        (settings.outer, settings.wave) = (Some(Boundary::Incident), Some(wave));
        let mesh = Mesh::new(kuhn::cuboid(Vec3::splat(-1.0), Vec3::splat(1.0), [CELLS; 3])).unwrap();
        let plan = Plan::<f32>::new(Design::new(mesh, &settings).unwrap());
        let mut fields = plan.load(&plan.design().sampled(|x| wave.at(x, 0.0)), 0.0).unwrap();
        for sample in samples {
            run_to(&plan, &mut fields, sample[1]);
            compare(&plan, &fields, sample, tolerance(5.0));
        }
    }
}

#[test]
fn modes_of_the_cube_are_those_of_the_table() {
    let test = "modes_of_the_cube_are_those_of_the_table";
    let Some(path) = tests::shared(test, "dgtd/cavity_modes_2m.csv") else { return };
    for line in std::fs::read_to_string(path).unwrap().lines().skip(1) {
        let words: Vec<&str> = line.split(',').collect();
        let expected: f64 = words[1].parse().unwrap();
        for triple in words[4].split(' ') {
            let halves = [0, 1, 2].map(|i| triple.as_bytes()[i] as u32 - u32::from(b'0'));
            // Perpendicular to any wavevector up to a part along it.
            let mode = Mode::new(halves, Vec3::splat(2.0), Vec3::new(0.3, 0.7, -0.9)).unwrap();
            assert!((mode.wavenumber() - expected).abs() < 1e-14 * expected, "{triple}");
        }
    }
}

/// RMS difference, dB, from the columns `sigma_E_dBsm` and `sigma_H_dBsm` of a table of Mie's series over angles within 30 dB of the largest.
fn mie_error(rows: &[Vec<f64>], column: usize, sigma: impl Fn(f64) -> f64) -> f64 {
    let most = rows.iter().map(|row| row[column]).fold(f64::NEG_INFINITY, f64::max);
    let near: Vec<f64> = rows
        .iter()
        .filter(|row| row[column] > most - 30.0)
        .map(|row| (10.0 * sigma(row[0].to_radians()).log10() - row[column]).powi(2))
        .collect();
    (near.iter().sum::<f64>() / near.len() as f64).sqrt()
}

#[test]
fn a_conducting_sphere_has_the_cross_section_of_mies_series() {
    let test = "a_conducting_sphere_has_the_cross_section_of_mies_series";
    let Some(table) = rows(test, "mie/pec_sphere_ka1_a1m.csv") else { return };
    // A quarter of a sphere of 1 m: half the side of the cube is 1.6 m, layers begin a cell further.
    let (cell, edge) = (0.8, 2.4);
    let sphere = Sphere {
        radius: 1.0,
        half_side: 2.0 * cell,
        cells: 4,
        shells: 2,
        inside: None,
        outside: 4,
        quarter: true,
    };
    let (x, z) = (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0));
    let pulse = Pulse::Gauss { centre: 0.0, width: 2.0, wavenumber: 1.0 };
    let wave = PlaneWave::new(z, x, pulse, &Material::VACUUM).unwrap();
    let mut settings = Settings::new(2);
    let walls = [("surface", Boundary::Pec), ("x_min", Boundary::Pec), ("y_min", Boundary::Pmc)];
    settings.boundaries = walls.map(|(name, wall)| (name.into(), wall)).to_vec();
    (settings.wave, settings.total_field) = (Some(wave), vec!["total".into()]);
    settings.layers = Some(Layers::new(Vec3::new(0.0, 0.0, -edge), Vec3::splat(edge)));
    let design = Design::new(Mesh::new(sphere.volume().unwrap()).unwrap(), &settings).unwrap();
    let dt = time_step::limit(&design);
    let mut spectrum = Spectrum::new(&design, &[1.0]);
    let plan = Plan::<f32>::new(design);
    let mut fields = plan.load(&vec![State::default(); plan.design().states()], -8.0).unwrap();
    while fields.time < 12.0 {
        plan.step(&mut fields, dt);
        plan.add(&mut spectrum, &fields, dt);
    }
    let whole = spectrum.mirrored(0, Boundary::Pec).mirrored(1, Boundary::Pmc);
    for (column, across) in [(3, x), (4, Vec3::new(0.0, 1.0, 0.0))] {
        let sigma = |theta: f64| far_field::cross_section(&whole, 0, across * theta.sin() + z * theta.cos());
        let error = mie_error(&table, column, sigma);
        assert!(error < 0.3, "column {column}: {error} dB");
    }
}
