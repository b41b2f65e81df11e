//! The least that goes through all kernels of the plane in both precisions: under a race checker an instruction takes a thousand times as long.

use super::{Spread, coordinates, distance, slices, values, wide};
use crate::devices;
use kernels::{Buffer, Device};
use num_complex::Complex;
use pipeline::nufft::{Precision, Settings, Sign, Type, cuda, reference};

/// Both types, once, of a few hundred points.
fn both<T: Precision>(device: &Device, tolerance: f64) -> [f64; 2] {
    let (modes, count) = ([8, 8], 300);
    let points = coordinates(2, count, Spread::Everywhere);
    let points = slices(&points);
    let mut plan = cuda::Plan::<T>::new(device, &modes, &Settings::new(tolerance, Sign::Negative)).unwrap();
    plan.set_points(&points).unwrap();
    let (c, f) = (values::<T>(count, 41), values::<T>(64, 42));
    let [one, two] = [(Type::One, &c, 64), (Type::Two, &f, count)].map(|(kind, input, length)| {
        let from = Buffer::from_slice(plan.stream(), "input", input).unwrap();
        let mut to = Buffer::poisoned(plan.stream(), "output", length).unwrap();
        plan.execute(kind, &from, &mut to).unwrap();
        let mut found = vec![Complex::new(T::nan(), T::nan()); length];
        plan.stream().download(&to, &mut found).unwrap();
        found
    });
    [
        distance(&one, &reference::type_1(&points, &wide(&c), &modes, -1.0)),
        distance(&two, &reference::type_2(&points, &wide(&f), &modes, -1.0)),
    ]
}

#[test]
fn tiny_transforms_of_the_plane() {
    for device in devices("nufft::tiny::tiny_transforms_of_the_plane") {
        // Spreading multiplies matrices in double precision, and does not in single.
        let (single, double) = (both::<f32>(&device, 1e-4), both::<f64>(&device, 1e-9));
        assert!(single.iter().all(|error| *error <= 1e-4), "{single:?}");
        assert!(double.iter().all(|error| *error <= 1e-9), "{double:?}");
    }
}
