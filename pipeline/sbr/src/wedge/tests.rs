pub mod reference;

use super::*;
use crate::Direction;
use mesh::{check, shapes};

/// An edge of 1 m along z; the first face along x.
fn wedge(n: f64) -> Wedge {
    let ends = [Vec3::new(0.0, 0.0, -0.5), Vec3::new(0.0, 0.0, 0.5)];
    let (sin, cos) = (n * PI).sin_cos();
    let faces = [
        Face { x: Vec3::new(1.0, 0.0, 0.0), y: Vec3::new(0.0, 1.0, 0.0), triangle: 0 },
        Face { x: Vec3::new(cos, sin, 0.0), y: Vec3::new(sin, -cos, 0.0), triangle: 1 },
    ];
    Wedge { ends, faces, n }
}

const ENDLESS: Reach = Reach { length: f64::INFINITY, ends: false };

/// Ufimtsev's f - f0 and g - g0 for an edge seen across it.
fn ufimtsev(n: f64, from: f64, to: f64) -> [f64; 2] {
    let a = PI / n;
    let minus = 1.0 / (a.cos() - ((to - from) / n).cos());
    let plus = 1.0 / (a.cos() - ((to + from) / n).cos());
    let factor = a.sin() / n;
    let (mut f0, mut g0) = (0.0, 0.0);
    if from < PI {
        f0 += from.sin() / (from.cos() + to.cos());
        g0 -= to.sin() / (from.cos() + to.cos());
    }
    let (from, to) = (n * PI - from, n * PI - to);
    if from < PI {
        f0 += from.sin() / (from.cos() + to.cos());
        g0 -= to.sin() / (from.cos() + to.cos());
    }
    [factor * (minus - plus) - f0, factor * (minus + plus) - g0]
}

#[test]
fn an_edge_seen_across_it_has_the_coefficients_of_ufimtsev() {
    let k = 20.0;
    for n in [1.3, 1.5, 1.9, 2.0] {
        for from in [0.4, 1.1, 2.0, 3.5] {
            for to in [0.7, 1.9, 2.9, 3.7] {
                let [sight, receiver] = [from, to].map(|phi: f64| Direction { theta: PI / 2.0, phi });
                let [[vv, vh], [hv, hh]] =
                    wedge(n).field(k, &sight.radar(), &receiver.radar(), &[ENDLESS; 2]);
                let [there, back] = [ufimtsev(n, from, to), ufimtsev(n, to, from)];
                let [f, g] = [0, 1].map(|i| 0.5 * (there[i] + back[i]));
                // v is E along the edge. For h, H along the edge is E of the wave that comes, and -E of the
                // one that goes.
                let scale = C::new(0.0, 2.0 / k);
                assert!((vv / scale - f).norm() < 1e-9 * (1.0 + f.abs()), "{n} {from} {to}: {vv} {f}");
                assert!((hh / scale + g).norm() < 1e-9 * (1.0 + g.abs()), "{n} {from} {to}: {hh} {g}");
                assert!(vh.norm() + hv.norm() < 1e-12);
            }
        }
    }
}

/// What currents of physical optics on faces without end radiate from the edge: 2 y x H times the integral of
/// exp(jk (s + s_i).x) from 0 on.
fn optical(n: f64, k: f64, transmitter: &Receiver, receiver: &Receiver) -> Matrix {
    let Receiver { sight, polarisations: incident } = *transmitter;
    let mut sum = Matrix::default();
    for face in wedge(n).faces.iter().filter(|face| face.y.dot(sight) > 0.0) {
        let currents = incident.map(|field| face.y.cross(-sight.cross(field)) * 2.0);
        let pattern = receiver.polarisations.map(|p| currents.map(|current| C::new(current.dot(p), 0.0)));
        let across = k * (sight + receiver.sight).dot(face.x);
        add(&mut sum, &pattern, C::new(0.0, 1.0 / across));
    }
    sum
}

fn apart_from_transpose(one: &Matrix, other: &Matrix) -> f64 {
    let pairs = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let apart = pairs.into_iter().map(|(p, q)| (one[p][q] - other[q][p]).norm());
    // NaN must not pass as zero.
    apart.fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}

#[test]
fn on_the_cone_of_diffraction_the_exact_currents_are_reciprocal_each_way() {
    let k = 20.0;
    let one_way = |n: f64, from: Direction, to: Direction| {
        let (from, to) = (from.radar(), to.radar());
        let mut sum = wedge(n).one_way(k, &from, &to, &[ENDLESS; 2]);
        add(&mut sum, &optical(n, k, &from, &to), C::new(1.0, 0.0));
        sum
    };
    for n in [1.3, 1.5, 1.9, 2.0] {
        for beta in [0.4, 1.1, 1.9] {
            for (from, to) in [(0.4, 0.7), (1.1, 3.7), (2.0, 0.7), (3.5, 1.9), (3.5, 2.9)] {
                let from = Direction { theta: beta, phi: from };
                let to = Direction { theta: PI - beta, phi: to };
                let (there, back) = (one_way(n, from, to), one_way(n, to, from));
                let size = there.iter().flatten().map(|x| x.norm()).fold(0.0, f64::max);
                // Sums of terms of 2/k/sin(beta)^2 over differences of cosines of 1e-2: 1e4 roundings.
                assert!(
                    apart_from_transpose(&there, &back) < 1e-11 * (1.0 + size),
                    "{n} {from:?} {to:?}: {there:?} {back:?}"
                );
            }
        }
    }
}

#[test]
fn an_edge_is_reciprocal_in_all_directions_and_symmetric_in_backscatter() {
    let k = 20.0;
    let directions: Vec<Direction> =
        (1..40).map(f64::from).map(|i| Direction { theta: 0.077 * i, phi: 0.53 * i % 4.0 }).collect();
    let reaches = [Reach { length: 0.7, ends: true }, ENDLESS];
    let field =
        |n: f64, from: Direction, to: Direction| wedge(n).field(k, &from.radar(), &to.radar(), &reaches);
    let mut largest = 0f64;
    for n in [1.3, 1.5, 2.0] {
        for from in &directions {
            for to in &directions {
                let (there, back) = (field(n, *from, *to), field(n, *to, *from));
                // The same terms, added in the other order: the same bits.
                assert_eq!(
                    there,
                    [[back[0][0], back[1][0]], [back[0][1], back[1][1]]],
                    "{n} {from:?} {to:?}"
                );
            }
            largest = largest.max(field(n, *from, *from)[0][1].norm());
        }
    }
    assert!(largest > 1e-3, "no cross-polarised field to compare: {largest}");
}

#[test]
fn a_flat_edge_radiates_nothing_and_poles_are_passed() {
    for theta in [0.8, PI / 2.0, 2.0] {
        for phi in [0.5, PI / 2.0, 2.6] {
            let at = Direction { theta, phi };
            let field = |n: f64| wedge(n).field(20.0, &at.radar(), &at.radar(), &[ENDLESS; 2]);
            let size = |n: f64| field(n).iter().flatten().map(|x| x.norm()).fold(0.0, f64::max);
            assert!(size(1.0) < 1e-6, "{theta} {phi}: {}", size(1.0));
            // Specular from the first face at phi = 90 degrees: finite, and as large as beside it.
            assert!(size(1.5) > 1e-6 && size(1.5) < 1.0, "{theta} {phi}: {}", size(1.5));
        }
    }
}

#[test]
fn a_face_that_ends_radiates_a_bounded_field_in_every_direction() {
    let (k, length) = (20.0, 0.7);
    let grid = |steps: u32| (0..steps).map(move |i| 2.0 * PI * f64::from(i) / f64::from(steps));
    for n in [1.2, 1.5, 2.0] {
        // Along both faces, from and to, among others.
        for from in grid(16).chain([PI - 1e-9, n * PI]).filter(|from| *from <= n * PI) {
            for (to, theta) in
                grid(24).chain([1e-12, 1e-4, n * PI]).flat_map(|to| [(to, PI / 2.0), (to, 1.1)])
            {
                let at = Direction { theta: PI - theta, phi: from };
                let out = Direction { theta, phi: to };
                let reach = Reach { length, ends: true };
                let field = wedge(n).field(k, &at.radar(), &out.radar(), &[reach; 2]);
                // Fringes of at most 2 on each of two faces, and what is at the edge itself.
                let most = 2.0 * 2.0 * (length + 2.0 / k);
                // NaN is not below it.
                let bounded = field.iter().flatten().all(|x| x.norm() < most);
                assert!(bounded, "{n} {from} {to} {theta}: {field:?}");
            }
        }
    }
}

#[test]
fn wedges_are_found_with_their_angles() {
    let wedges = |mesh: &Mesh| wedges(mesh, &check::sides(mesh), Vec3::ZERO, 0.5);
    let plate = wedges(&shapes::plate(1.0, 2.0));
    assert!(plate.len() == 4 && plate.iter().all(|wedge| wedge.n == 2.0));
    let corner = wedges(&shapes::trihedral(1.0));
    assert_eq!(corner.iter().filter(|wedge| wedge.n == 2.0).count(), 3);
    let creases: Vec<&Wedge> = corner.iter().filter(|wedge| wedge.n < 2.0).collect();
    // The outer side of the creases is the one that the reflector does not look to.
    assert_eq!(creases.len(), 3);
    for crease in creases {
        assert!((crease.n - 1.5).abs() < 1e-12);
        assert!(
            !crease.sees(Vec3::new(1.0, 1.0, 1.0).unit()) && crease.sees(Vec3::new(-1.0, -1.0, -1.0).unit())
        );
    }
    assert!(wedges(&shapes::sphere(1.0, 3)).is_empty());
}
