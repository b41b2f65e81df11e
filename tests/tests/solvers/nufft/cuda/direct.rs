//! The sums by definition on a card, and what they say of sizes that the reference cannot reach.

use super::{Spread, coordinates, distance, on_card, slices, values, wide};
use crate::devices;
use kernels::nufft::Direct;
use kernels::{Buffer, Stream};
use num_complex::Complex;
use pipeline::nufft::{Settings, Sign, Type, cuda, reference};

/// The sums by definition on a card, both types.
fn direct(
    stream: &mut Stream,
    points: &[&[f64]],
    modes: &[usize],
    (c, f): (&[Complex<f64>], &[Complex<f64>]),
    positive: bool,
) -> [Vec<Complex<f64>>; 2] {
    let coordinates: Vec<_> = points.iter().map(|x| Buffer::from_slice(stream, "x", x).unwrap()).collect();
    let coordinates: Vec<_> = coordinates.iter().collect();
    let direct = Direct { points: &coordinates, modes, positive };
    let [strengths, given] = [c, f].map(|values| Buffer::from_slice(stream, "input", values).unwrap());
    let [mut modes, mut values] =
        [f.len(), c.len()].map(|length| Buffer::poisoned(stream, "output", length).unwrap());
    direct.modes(stream, &strengths, &mut modes).unwrap();
    direct.values(stream, &given, &mut values).unwrap();
    [modes, values].map(|buffer| {
        let mut values = vec![Complex::new(f64::NAN, f64::NAN); buffer.len()];
        stream.download(&buffer, &mut values).unwrap();
        values
    })
}

#[test]
fn small_direct_sums_are_the_definition() {
    for device in devices("nufft::direct::small_direct_sums_are_the_definition") {
        for (modes, count) in [(vec![70], 130), (vec![66, 5], 65), (vec![3, 20, 7], 1)] {
            let points = coordinates(modes.len(), count, Spread::Everywhere);
            let points = slices(&points);
            let (c, f) = (values::<f64>(count, 11), values::<f64>(modes.iter().product(), 12));
            for (positive, sign) in [(true, 1.0), (false, -1.0)] {
                let stream = &mut device.stream().unwrap();
                let [one, two] = direct(stream, &points, &modes, (&c, &f), positive);
                // Phases of dozens of turns, to the last bit or so.
                let apart = distance(&one, &reference::type_1(&points, &c, &modes, sign));
                assert!(apart < 1e-14, "{modes:?}: {apart}");
                let apart = distance(&two, &reference::type_2(&points, &f, &modes, sign));
                assert!(apart < 1e-14, "{modes:?}: {apart}");
            }
        }
    }
}

#[test]
fn large_transforms_hold_their_tolerance() {
    for device in devices("nufft::direct::large_transforms_hold_their_tolerance") {
        let (modes, count) = ([500, 500], 100_000);
        let points = coordinates(2, count, Spread::Everywhere);
        let points = slices(&points);
        // Numbers that single precision has.
        let (c, f) = (values::<f32>(count, 9), values::<f32>(250_000, 10));
        let exact = direct(&mut device.stream().unwrap(), &points, &modes, (&wide(&c), &wide(&f)), false);
        for tolerance in [1e-6, 1e-12] {
            let settings = Settings::new(tolerance, Sign::Negative);
            let apart = if tolerance == 1e-6 {
                let mut plan = cuda::Plan::<f32>::new(&device, &modes, &settings).unwrap();
                plan.set_points(&points).unwrap();
                let ones = on_card(&mut plan, Type::One, &c, 250_000);
                let twos = on_card(&mut plan, Type::Two, &f, count);
                [distance(&ones, &exact[0]), distance(&twos, &exact[1])]
            } else {
                let mut plan = cuda::Plan::<f64>::new(&device, &modes, &settings).unwrap();
                plan.set_points(&points).unwrap();
                let ones = on_card(&mut plan, Type::One, &wide(&c), 250_000);
                let twos = on_card(&mut plan, Type::Two, &wide(&f), count);
                [distance(&ones, &exact[0]), distance(&twos, &exact[1])]
            };
            assert!(apart.iter().all(|apart| *apart <= tolerance), "{apart:?}");
            eprintln!(
                "{}: 1e5 points, 500 x 500 modes, {tolerance:e}: {:.1e}, {:.1e}",
                device.properties().name,
                apart[0],
                apart[1]
            );
        }
    }
}
