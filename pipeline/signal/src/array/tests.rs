use numerics::random::SplitMix64;

use super::testing::{STANDOFF, draw, monopole, pressure};
use super::*;

/// An array described by files, its channels in odd order, with gains, a dead channel and one left out: the
/// grid has the pressure in order.
#[test]
fn files_to_pascal_on_the_grid() {
    let mut random = SplitMix64::new(1);
    let grid = Grid { rows: 8, cols: 8, pitch_m: 0.02, centre_m: [0.0; 2] };
    let places: Vec<_> = draw(&mut random, 64, 64).into_iter().map(|index| grid.point(index)).collect();
    let mut xml = String::from("<MicArray name='odd order'>\n");
    let mut csv = String::from("channel,gain_db,phase_deg,delay_s\n");
    for (channel, [x, y]) in places.iter().enumerate() {
        xml += &format!("<pos Name='Point {channel}' x='{x}' y='{y}' z='0.1'/>\n");
        csv += &match channel {
            20 => "20,dead,,\n".to_owned(),
            _ => format!("{channel},{},{},1e-5\n", random.normal(), 5.0 * random.normal()),
        };
    }
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let calibration = Calibration::from_file(&write("gains.csv", &csv), 64).unwrap();
    let array = Array::from_file(&write("array.xml", &(xml + "</MicArray>"))).unwrap();
    let array = array.with_calibration(calibration).unwrap().without(&[33]).unwrap();
    assert_eq!(array.live().iter().filter(|live| !**live).count(), 2);
    assert_eq!((array.grid().rows, array.grid().cols), (8, 8));

    let frequencies = [300.0, 1500.0];
    let plan = array.plan::<f64>(&frequencies, STANDOFF, 343.0).unwrap();
    for (n, &frequency) in frequencies.iter().enumerate() {
        let source = monopole(0.01, 0.02);
        let mut bins = pressure(&source, frequency, &places);
        for (channel, bin) in bins.iter_mut().enumerate() {
            let response = array.calibration().response(channel);
            let gain = response.map_or(Complex::new(f64::NAN, 0.0), |r| r.at(frequency));
            *bin *= gain * hil_sim::microphones::SENSITIVITY;
        }
        let mut found = vec![Complex::new(f64::NAN, f64::NAN); 64];
        plan.prepare(n, &bins, &mut found).unwrap();
        let points: Vec<_> = (0..64).map(|index| grid.point(index)).collect();
        for (index, truth) in pressure(&source, frequency, &points).into_iter().enumerate() {
            // Rounding where there is a microphone, three standard deviations where there is none.
            let interpolated = [20, 33].iter().any(|&c: &usize| places[c] == points[index]);
            let limit = if interpolated { 3.0 * plan.deviation(n).unwrap()[index] } else { 1e-13 };
            assert!((found[index] - truth).norm() <= limit * truth.norm(), "{index} at {frequency} Hz");
        }
    }
}

#[test]
fn suspects_are_judged_after_calibration() {
    let frequencies = [500.0];
    let array = Array::regular(16, 16, 0.02).unwrap();
    let csv = "channel,gain_db,phase_deg\ndefault,0,0\n100,6,0\n";
    let calibrated = array.clone().with_calibration(Calibration::parse_csv(csv, 256).unwrap()).unwrap();
    let mut bins = pressure(&monopole(0.0, 0.0), 500.0, array.geometry().positions());
    bins[100] *= 10f64.powf(6.0 / 20.0);
    let suspects = |array: &Array| array.suspects(&frequencies, STANDOFF, 343.0, &bins).unwrap();
    assert_eq!(suspects(&array).iter().map(|s| s.channel).collect::<Vec<_>>(), [100]);
    assert_eq!(suspects(&calibrated), []);
    assert_eq!(suspects(&array.without(&[100]).unwrap()), []);
}

#[test]
fn nonsense_is_refused() {
    let array = Array::regular(4, 4, 0.02).unwrap();
    assert!(Array::regular(0, 4, 0.02).is_err() && Array::regular(4, 4, -0.02).is_err());
    let message = |error: Error| error.to_string();
    let short = array.clone().with_calibration(Calibration::ideal(15)).unwrap_err();
    assert_eq!(message(short), "the calibration has 15 values; it must have 16");
    let twice = array.clone().without(&[3, 3]).unwrap_err();
    assert!(message(twice).contains("the channels to leave out is 3 again"));
    assert!(array.plan::<f32>(&[f64::NAN], STANDOFF, 343.0).is_err());
    assert!(array.plan::<f32>(&[100.0], 0.0, 343.0).is_err());
    let plan = array.plan::<f32>(&[100.0], STANDOFF, 343.0).unwrap();
    let mut grid = [Complex::ZERO; 16];
    assert!(message(plan.prepare(1, &[Complex::ZERO; 16], &mut grid).unwrap_err()).contains("below 1"));
    assert!(array.suspects(&[100.0], STANDOFF, 343.0, &[Complex::<f32>::ONE; 4]).is_err());
}
