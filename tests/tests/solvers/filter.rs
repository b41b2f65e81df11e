//! The automatic k-filter on a card against the CPU's rule: the same filter of 343 for every hologram, and the same
//! operators.

use crate::devices;
use kernels::{Buffer, Captured, Device, Stream};
use num_complex::Complex;
use pipeline::holography::camera::FilterRule;
use pipeline::holography::cutoff::{self, Estimate, cuda};
use pipeline::holography::design::{Aperture, Field, Grid, KFilter, Operator, Radii};
use pipeline::holography::noise::Noise;
use pipeline::holography::{Direction, Error, Padding, Settings};
use pipeline::signal::front_end::{self, Method};
use std::f64::consts::TAU;
use tests::holograms::{Chain, datasets};

/// Sums of some 1e3 terms in another order differ by 1e3 x 1.1e-16; the regression for a and g cancels at most three
/// digits of them where |p| varies over the array by a part in 30 or more, and the least it is told apart from is their
/// sum: 1e-10, with two digits to spare.
const NOISE: f64 = 1e-8;
/// Exponentials that differ in their last bit, and a product more, round to neighbours in `f32`.
const ROUNDING: f32 = 2.0 * f32::EPSILON;

type Complex32 = Complex<f32>;

/// Numbers from a xorshift generator.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.uniform()
    }

    /// Circular normal, E|z|^2 = 1.
    fn complex(&mut self) -> Complex<f64> {
        Complex::from_polar((-(1.0 - self.uniform()).ln()).sqrt(), TAU * self.uniform())
    }
}

/// A batch of scenes: holograms `[frame][n][y][x]` of one to three monopoles with gain errors of 1 to 3 %.
struct Batch {
    settings: Settings,
    frequencies: Vec<f64>,
    frames: usize,
    holograms: Vec<Complex32>,
}

impl Batch {
    fn random(settings: Settings, count: usize, frames: usize, seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let frequencies: Vec<f64> = (0..count).map(|_| random.between(300.0, 2500.0)).collect();
        let scenes: Vec<_> = frequencies.iter().map(|&f| scene(&settings, f, &mut random)).collect();
        let mut holograms = Vec::new();
        for _ in 0..frames {
            for (exact, gain) in &scenes {
                let noisy = exact.iter().map(|p| p + random.complex() * p.norm() * *gain);
                holograms.extend(noisy.map(|p| Complex32::new(p.re as f32, p.im as f32)));
            }
        }
        Self { settings, frequencies, frames, holograms }
    }

    fn count(&self) -> usize {
        self.frequencies.len()
    }

    /// The CPU's choice.
    fn expected(&self) -> Vec<Result<Estimate, Error>> {
        let (settings, length) = (&self.settings, self.settings.grid.aperture.len());
        let chooser = cutoff::Chooser::new(&settings.grid, settings.padding).unwrap();
        let choose = |(i, frequency): (usize, &f64)| {
            let frames = self.holograms.chunks_exact(length).skip(i).step_by(self.count());
            let wide = |v: &Complex32| Complex::new(f64::from(v.re), f64::from(v.im));
            let frames: Vec<Complex<f64>> = frames.flatten().map(wide).collect();
            chooser.choose(settings.medium.wavenumber(*frequency), settings.distance(), &frames)
        };
        self.frequencies.iter().enumerate().map(choose).collect()
    }

    fn on(&self, stream: &mut Stream) -> cuda::Chooser {
        cuda::Chooser::new(stream, &self.settings, &self.frequencies, self.frames).unwrap()
    }

    /// Values of all operators.
    fn operators(&self) -> usize {
        let (grid, fields) = (&self.settings.grid, if self.settings.velocity { 2 } else { 1 });
        fields * self.count() * (grid.rows / 2 + 1) * grid.cols
    }

    /// What a card chooses, and the operators that it writes over NaN; both twice, the same bits.
    fn chosen(&self, device: &Device) -> (Vec<Result<Estimate, Error>>, Vec<Complex32>) {
        let mut stream = device.stream().unwrap();
        let holograms = Buffer::from_slice(&mut stream, "holograms", &self.holograms).unwrap();
        let mut chooser = self.on(&mut stream);
        let mut run = || {
            let mut table = Buffer::poisoned(&mut stream, "operators", self.operators()).unwrap();
            chooser.choose(&mut stream, &holograms).unwrap();
            chooser.write_operators(&mut stream, &mut table).unwrap();
            let mut values = vec![Complex32::default(); table.len()];
            stream.download(&table, &mut values).unwrap();
            (chooser.estimates(&mut stream).unwrap(), values)
        };
        let (first, again) = (run(), run());
        assert_eq!(first.0, again.0, "a second run");
        assert_eq!(bits(&first.1), bits(&again.1), "a second run");
        first
    }

    /// The card's choice is the CPU's.
    fn agrees(&self, device: &Device, name: &str) {
        let (found, operators) = self.chosen(device);
        for (i, (found, expected)) in found.iter().zip(self.expected()).enumerate() {
            let (found, expected) = (found.as_ref().unwrap(), expected.unwrap());
            // The filters and ranges are entries of the same tables.
            assert_eq!(found.filter, expected.filter, "{name}, hologram {i}");
            assert_eq!(found.range, expected.range, "{name}, hologram {i}");
            same_noise(&found.noise, &expected.noise, name);
            self.check_operators(i, &found.filter, &operators);
        }
    }

    fn check_operators(&self, index: usize, filter: &KFilter, operators: &[Complex32]) {
        let Settings { grid, medium, velocity, .. } = &self.settings;
        let radii = Radii::new(grid);
        let k = medium.wavenumber(self.frequencies[index]);
        let operator = Operator::new(&radii, medium, k, self.settings.distance());
        let length = radii.half_rows() * grid.cols;
        let mut values = vec![Complex32::default(); radii.values().len()];
        let mut table = vec![Complex32::default(); length];
        let fields = [Field::Pressure, Field::NormalVelocity];
        for (n, field) in fields.into_iter().enumerate().take(1 + usize::from(*velocity)) {
            operator.evaluate(&radii, filter, (field, 1.0 / grid.len() as f64), &mut values).unwrap();
            radii.spread(&values, &mut table);
            let found = &operators[(n * self.count() + index) * length..][..length];
            for (i, (a, b)) in found.iter().zip(&table).enumerate() {
                let close = (a - b).norm() <= ROUNDING * b.norm() + f32::MIN_POSITIVE;
                assert!(close, "{field:?} of hologram {index}, value {i}: {a} {b}");
            }
        }
    }
}

fn same_noise(found: &Noise, expected: &Noise, name: &str) {
    let close = |a: f64, b: f64| (a - b).abs() <= NOISE * b.abs();
    let same = close(found.additive, expected.additive) && close(found.relative, expected.relative);
    assert!(same, "{name}: {found:?} {expected:?}");
}

fn bits(values: &[Complex32]) -> Vec<[u32; 2]> {
    values.iter().map(|v| [v.re.to_bits(), v.im.to_bits()]).collect()
}

/// A field without noise, and the size of its gain errors.
fn scene(settings: &Settings, frequency: f64, random: &mut Random) -> (Vec<Complex<f64>>, f64) {
    let Aperture { rows, cols, pitch } = settings.grid.aperture;
    let k = settings.medium.wavenumber(frequency);
    let mut field = vec![Complex::new(0.0, 0.0); rows * cols];
    for _ in 0..=(3.0 * random.uniform()) as usize {
        let (y, x) = (random.between(0.2, 0.8) * rows as f64, random.between(0.2, 0.8) * cols as f64);
        let (depth, strength) = (settings.standoff + random.between(0.02, 0.045), random.complex());
        for (i, value) in field.iter_mut().enumerate() {
            let (dy, dx) = (((i / cols) as f64 - y) * pitch, ((i % cols) as f64 - x) * pitch);
            let r = dy.hypot(dx).hypot(depth);
            *value += strength * Complex::from_polar(1.0 / r, -k * r);
        }
    }
    (field, random.between(0.01, 0.03))
}

fn camera(padding: Padding, standoff: f64) -> Settings {
    Settings { padding, ..Settings::new(Grid::triple(Aperture::CAMERA).unwrap(), standoff) }
}

fn small() -> Settings {
    let grid = Grid::new(Aperture { rows: 5, cols: 8, pitch: 0.02 }, 16, 25).unwrap();
    Settings { velocity: true, ..Settings::new(grid, 0.04) }
}

#[test]
fn random_scenes() {
    for device in devices("random_scenes") {
        let lpbp = Padding::Lpbp { order: 6 };
        let planar = Padding::Plpbp { order: 6 };
        Batch::random(camera(lpbp, 0.04), 10, 1, 1).agrees(&device, "LPBP");
        Batch::random(camera(lpbp, 0.1), 3, 1, 2).agrees(&device, "far");
        Batch::random(camera(Padding::Zero, 0.03), 3, 1, 3).agrees(&device, "zeros");
        Batch::random(camera(planar, 0.04), 2, 1, 4).agrees(&device, "PLPBP");
        let forward = Settings { direction: Direction::Forward, ..camera(lpbp, 0.1) };
        Batch::random(forward, 2, 1, 5).agrees(&device, "forward");
        Batch::random(camera(lpbp, 0.04), 2, 3, 6).agrees(&device, "three frames");
    }
}

/// One of each kernel, for tools that take a thousand times as long.
#[test]
fn tiny_scenes() {
    for device in devices("tiny_scenes") {
        Batch::random(small(), 1, 1, 7).agrees(&device, "5 x 8");
    }
}

/// Odd and even, narrow and wide: more than one tile, rings without points, the sanitizer's sizes.
#[test]
fn other_apertures() {
    for device in devices("other_apertures") {
        Batch::random(small(), 3, 1, 7).agrees(&device, "5 x 8");
        let odd = Grid::new(Aperture { rows: 11, cols: 7, pitch: 0.03 }, 33, 26).unwrap();
        let planar = Settings { padding: Padding::Plpbp { order: 3 }, ..Settings::new(odd, 0.04) };
        Batch::random(planar, 3, 2, 8).agrees(&device, "11 x 7");
        let wide = Grid::new(Aperture { rows: 9, cols: 70, pitch: 0.01 }, 27, 140).unwrap();
        Batch::random(Settings::new(wide, 0.02), 2, 1, 9).agrees(&device, "9 x 70");
    }
}

#[test]
fn independent_recordings() {
    let devices = devices("independent_recordings");
    if devices.is_empty() {
        return;
    }
    for dataset in datasets("independent_recordings").into_iter().flatten() {
        let padding = Padding::Lpbp { order: 6 };
        let (holograms, _) = Chain::nominal(padding, FilterRule::Auto).run::<f32>(&dataset);
        let front_end = front_end::Settings::camera(Method::Nominal, dataset.bins.clone());
        let batch = Batch {
            settings: Settings { velocity: true, ..camera(padding, dataset.standoff) },
            frequencies: dataset.bins.iter().map(|&bin| front_end.frequency_hz(bin)).collect(),
            frames: 1,
            // They were single before they were widened.
            holograms: holograms.iter().map(|v| Complex32::new(v.re as f32, v.im as f32)).collect(),
        };
        devices.iter().for_each(|device| batch.agrees(device, dataset.name));
    }
}

#[test]
fn silence_has_a_filter_unless_it_overflows() {
    for device in devices("silence_has_a_filter_unless_it_overflows") {
        for (standoff, overflows) in [(0.04, false), (0.3, true)] {
            let mut batch = Batch::random(camera(Padding::Lpbp { order: 6 }, standoff), 2, 1, 10);
            batch.holograms[..1024].fill(Complex32::default());
            let (found, operators) = batch.chosen(&device);
            let expected = batch.expected()[0].clone().unwrap();
            let untouched = operators[..operators.len() / 2].iter().all(|h| h.re.is_nan() && h.im.is_nan());
            assert_eq!(untouched, overflows, "{standoff} m");
            if overflows {
                let is = matches!(found[0], Err(Error::Overflow { standoff: z, .. }) if z == standoff);
                assert!(is, "{:?}", found[0]);
            } else {
                assert_eq!(found[0], Ok(expected));
                batch.check_operators(0, &expected.filter, &operators);
            }
        }
    }
}

#[test]
fn a_value_that_is_not_finite_is_found_and_keeps_its_operators() {
    for device in devices("a_value_that_is_not_finite_is_found_and_keeps_its_operators") {
        for (value, padding) in [(f32::NAN, Padding::Zero), (f32::INFINITY, Padding::Lpbp { order: 4 })] {
            let mut batch = Batch::random(Settings { padding, velocity: false, ..small() }, 3, 2, 11);
            // The second frame of hologram 1, and again later.
            for place in [3 * 8 + 6, 4 * 8] {
                batch.holograms[(3 + 1) * 40 + place].im = value;
            }
            let (found, operators) = batch.chosen(&device);
            assert_eq!(found[1], Err(Error::NotFinite { hologram: 1, row: 3, col: 6 }));
            let length = operators.len() / 3;
            assert!(operators[length..2 * length].iter().all(|h| h.re.is_nan() && h.im.is_nan()));
            for (i, expected) in batch.expected().into_iter().enumerate().filter(|(i, _)| *i != 1) {
                assert_eq!(found[i].as_ref().unwrap().filter, expected.unwrap().filter, "hologram {i}");
            }
        }
    }
}

#[test]
fn a_graph_does_the_same() {
    for device in devices("a_graph_does_the_same") {
        let batch = Batch::random(small(), 2, 1, 12);
        let (expected, operators) = batch.chosen(&device);
        let mut stream = device.stream().unwrap();
        let mut holograms = Buffer::zeros(&mut stream, "holograms", batch.holograms.len()).unwrap();
        let mut chooser = batch.on(&mut stream);
        let mut table = Buffer::poisoned(&mut stream, "operators", operators.len()).unwrap();
        let work = |stream: &mut Stream| {
            chooser.choose(stream, &holograms).unwrap();
            chooser.write_operators(stream, &mut table).unwrap();
            Ok(())
        };
        let mut graph = Captured::new(&mut stream, work).unwrap();
        // First silence, then the batch: nothing stays behind.
        graph.launch(&mut stream).unwrap();
        stream.upload(&batch.holograms, &mut holograms).unwrap();
        graph.launch(&mut stream).unwrap();
        assert_eq!(chooser.estimates(&mut stream).unwrap(), expected);
        let mut values = vec![Complex32::default(); table.len()];
        stream.download(&table, &mut values).unwrap();
        assert_eq!(bits(&values), bits(&operators));
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for device in devices("what_cannot_be_is_refused") {
        let mut stream = device.stream().unwrap();
        let mut new = |settings: &Settings, frequencies: &[f64], frames| {
            cuda::Chooser::new(&mut stream, settings, frequencies, frames).map(drop).unwrap_err()
        };
        let tiny = Grid::triple(Aperture { rows: 4, cols: 9, pitch: 0.02 }).unwrap();
        let tiny = new(&Settings::new(tiny, 0.04), &[1000.0], 1);
        assert_eq!(tiny, Error::TooSmall { rows: 4, cols: 9, needed: 5 });
        assert_eq!(new(&small(), &[], 1), Error::NoFrequency);
        assert!(matches!(new(&small(), &[1000.0], 0), Error::Length { what: "frames", .. }));
        assert!(matches!(new(&small(), &[9000.0], 1), Error::SpatialAliasing { .. }));
        let huge = Grid::new(Aperture::CAMERA, 1000, 1000).unwrap();
        let huge = new(&Settings::new(huge, 0.04), &[1000.0], 1);
        assert!(
            matches!(huge, Error::Card(kernels::Error::Geometry { kernel: "border_power", .. })),
            "{huge}"
        );
        let batch = Batch::random(small(), 2, 1, 13);
        let mut chooser = batch.on(&mut stream);
        let short = Buffer::zeros(&mut stream, "holograms", 79).unwrap();
        let error = chooser.choose(&mut stream, &short).unwrap_err();
        let length = kernels::Error::Length { what: "holograms", given: 79, needed: 80 };
        assert_eq!(error, Error::Card(length));
    }
}
