//! Near fields to far fields: a dipole by its formula, images, and what an empty Huygens surface sends out.

use super::super::spectrum::{Phasor, Point, Spectrum, surface};
use super::super::{Boundary, PlaneWave, Pulse, far_field};
use super::*;
use num_complex::Complex64;

/// Fields of a short current element of 1 A m along z, H times the impedance of vacuum.
fn dipole(k: f64, place: Vec3) -> Phasor {
    let (r, u) = (place.length(), place.unit());
    let j = Complex64::I;
    let wave = Complex64::from_polar(k * k / (4.0 * std::f64::consts::PI), -k * r);
    let x = k * r;
    let radial = wave * 2.0 * (Complex64::from(x.powi(-2)) - j * x.powi(-3)) * u.z;
    let across = wave * (j / x + x.powi(-2) - j * x.powi(-3));
    let around = wave * (j / x + x.powi(-2));
    // -z across u is theta-hat sin theta; z x u is phi-hat sin theta.
    let z = Vec3::new(0.0, 0.0, 1.0);
    let (theta, phi) = (u * u.z - z, z.cross(u));
    Phasor {
        e: [0, 1, 2].map(|axis| radial * u[axis] + across * theta[axis]),
        h: [0, 1, 2].map(|axis| around * phi[axis]),
    }
}

/// A cube with the total field in a cube, or in the part of it where x > 0 and y > 0.
fn cube(order: usize, quarter: bool) -> Design {
    let low = if quarter { Vec3::new(0.0, 0.0, -1.0) } else { Vec3::splat(-1.0) };
    let cells = if quarter { [4, 4, 8] } else { [8; 3] };
    let mut volume = kuhn::cuboid(low, Vec3::splat(1.0), cells);
    volume.names.push("total".into());
    for element in 0..volume.tetrahedra.len() {
        let corners = volume.corners(element);
        let centre = corners.iter().fold(Vec3::ZERO, |sum, corner| sum + *corner * 0.25);
        volume.groups[element] = u32::from((0..3).all(|axis| centre[axis].abs() < 0.75));
    }
    let mut settings = Settings::new(order);
    let pulse = Pulse::Gauss { centre: 0.0, width: 1.0, wavenumber: 2.0 };
    let direction = Vec3::new(0.0, 0.0, 1.0);
    settings.wave =
        Some(PlaneWave::new(direction, Vec3::new(1.0, 0.0, 0.0), pulse, &Material::VACUUM).unwrap());
    settings.total_field = vec!["total".into()];
    Design::new(Mesh::new(volume).unwrap(), &settings).unwrap()
}

fn spectrum(design: &Design, k: f64, field: impl Fn(Vec3) -> Phasor) -> Spectrum {
    let mut found = Spectrum::new(design, &[k]);
    found.phasors = found.points.iter().map(|point| field(point.place)).collect();
    found.incident = vec![Complex64::ONE];
    found
}

const DIRECTIONS: [[f64; 3]; 5] =
    [[1.0, 0.0, 0.0], [0.0, 0.6, 0.8], [0.48, -0.6, 0.64], [-0.6, 0.0, -0.8], [0.0, 0.0, 1.0]];

#[test]
fn the_surface_is_closed_and_looks_outwards() {
    let points: Vec<Point> = surface(&cube(3, false));
    let area: f64 = points.iter().map(|point| point.weight).sum();
    assert!((area - 6.0 * 2.25).abs() < 1e-12, "{area}");
    // Three times the volume, by the theorem of Gauss.
    let flux: f64 = points.iter().map(|point| point.weight * point.normal.dot(point.place)).sum();
    assert!((flux - 3.0 * 3.375).abs() < 1e-12, "{flux}");
}

#[test]
fn a_dipole_has_its_far_field() {
    let k = 3.0;
    let mut errors = Vec::new();
    for order in [2, 4] {
        let found = spectrum(&cube(order, false), k, |x| dipole(k, x));
        let mut most: f64 = 0.0;
        for u in DIRECTIONS.map(Vec3::from) {
            // E -> j k sin theta/(4 pi) theta-hat, for 1 A m.
            let across = u * u.z - Vec3::new(0.0, 0.0, 1.0);
            let scale = Complex64::new(0.0, k / (4.0 * std::f64::consts::PI));
            let amplitude = far_field::amplitude(&found, 0, u);
            for axis in 0..3 {
                most = most.max((amplitude[axis] - scale * across[axis]).norm() / scale.norm());
            }
        }
        errors.push(most);
    }
    assert!(errors[0] < 1e-2 && errors[1] < 1e-4, "{errors:?}");
}

#[test]
fn images_make_the_whole_of_a_quarter() {
    // Along x, the dipole is symmetric to a conductor at x = 0 and to a magnetic one at y = 0.
    let k = 3.0;
    let turned = |x: Vec3| {
        let Phasor { e, h } = dipole(k, Vec3::new(x.y, x.z, x.x));
        Phasor { e: [e[2], e[0], e[1]], h: [h[2], h[0], h[1]] }
    };
    let whole = spectrum(&cube(3, false), k, turned);
    let quarter = spectrum(&cube(3, true), k, turned).mirrored(0, Boundary::Pec).mirrored(1, Boundary::Pmc);
    assert_eq!(whole.points.len(), quarter.points.len());
    for u in DIRECTIONS.map(Vec3::from) {
        let [a, b] = [&whole, &quarter].map(|spectrum| far_field::amplitude(spectrum, 0, u));
        // Both have the error of their order; faces are cut along other diagonals.
        assert!((0..3).all(|axis| (a[axis] - b[axis]).norm() < 1e-3), "{a:?} {b:?}");
    }
}

#[test]
fn a_wave_that_passes_sends_nothing_out() {
    // What comes in on one side goes out on the other.
    let (k, design) = (2.0, cube(4, false));
    let wave = |x: Vec3| {
        let value = Complex64::from_polar(1.0, -k * x.z);
        Phasor { e: [value, Complex64::ZERO, Complex64::ZERO], h: [Complex64::ZERO, value, Complex64::ZERO] }
    };
    let found = spectrum(&design, k, wave);
    for u in DIRECTIONS.map(Vec3::from) {
        let sigma = far_field::cross_section(&found, 0, u);
        assert!(sigma < 1e-6, "{u:?}: {sigma:e}");
    }
}

/// A short current of 1 A m sends k^2/(12 pi) (H times the impedance of vacuum), through the surface and far away.
#[test]
fn what_arrives_far_away_is_what_passed_the_surface() {
    for k in [0.5, 3.0] {
        let found = spectrum(&cube(4, false), k, |x| dipole(k, x));
        let expected = k * k / (12.0 * std::f64::consts::PI);
        for power in [far_field::radiated(&found, 0), far_field::sent(&found, 0)] {
            // The far field's own error at this order, 1e-4, twice.
            assert!((power / expected - 1.0).abs() < 2e-4, "{k}: {power}, {expected}");
        }
    }
}

/// E = x - j y of a wave along z turns as a right-handed screw does.
#[test]
fn a_screw_that_is_right_handed_sends_what_is() {
    let (one, j) = (Complex64::ONE, Complex64::I);
    let phasor = Phasor { e: [one, -j, Complex64::ZERO], h: [j, one, Complex64::ZERO] };
    let point =
        Point { element: 0, node: 0, place: Vec3::ZERO, normal: Vec3::new(0.0, 0.0, 1.0), weight: 1.0 };
    let found =
        Spectrum { points: vec![point], wavenumbers: vec![3.0], phasors: vec![phasor], incident: vec![one] };
    for phi in [0.0, 30.0, 90.0] {
        let [right, left] = far_field::circular(&found, 0, [0.0, phi]).map(|part| part.norm());
        let all = far_field::amplitude(&found, 0, Vec3::new(0.0, 0.0, 1.0));
        let size = all.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
        assert!(size > 0.1 && (right / size - 1.0).abs() < 1e-14 && left < 1e-14 * size, "{right}, {left}");
    }
}
