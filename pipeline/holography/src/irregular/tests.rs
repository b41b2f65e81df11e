use super::super::design::{Grid, KFilter, Medium};
use super::super::testing::{Random, monopole};
use super::super::{Settings as PnahSettings, cpu as propagation};
use super::*;
use signal::array::Geometry;

/// x and y of a point of the aperture.
fn point(aperture: &Aperture, centre_m: [f64; 2], index: usize) -> [f64; 2] {
    let Aperture { rows, cols, pitch: pitch_m } = *aperture;
    array::Grid { rows, cols, pitch_m, centre_m }.point(index)
}

const PITCH: f64 = 0.02;
const STANDOFF: f64 = 0.04;
const NAN: C = C::new(f64::NAN, f64::NAN);

fn square(side: usize) -> Aperture {
    Aperture { rows: side, cols: side, pitch: PITCH }
}

/// The points of the aperture, moved by up to `by` pitches each way.
fn jittered(aperture: &Aperture, by: f64, random: &mut Random) -> Vec<[f64; 2]> {
    let mut moved = |x: f64| x + PITCH * random.between(-by, by);
    (0..aperture.len()).map(|i| point(aperture, [0.0; 2], i).map(&mut moved)).collect()
}

fn plan(places: &[[f64; 2]], aperture: &Aperture, frequency: f64) -> Result<Plan, Error> {
    let areas = vec![PITCH * PITCH; places.len()];
    let microphones = Microphones { positions: places, areas: &areas };
    let k = Medium::default().wavenumber(frequency);
    Plan::new(microphones, aperture, [0.0; 2], STANDOFF, &[k])
}

fn hologram(plan: &mut Plan, pressures: &[C]) -> (Vec<C>, Fit) {
    let mut hologram = vec![NAN; plan.points];
    let fit = plan.execute(0, pressures, &mut hologram).unwrap();
    (hologram, fit)
}

/// Field of a monopole 7 cm before the array.
fn pressures(places: &[[f64; 2]], frequency: f64) -> Vec<C> {
    let one = Aperture { rows: 1, cols: 1, pitch: 1.0 };
    let at = |&[x, y]: &[f64; 2]| monopole(&one, frequency, [0.03 - x, -0.05 - y, -0.03], STANDOFF)[0];
    places.iter().map(at).collect()
}

fn error(found: &[C], exact: &[C]) -> f64 {
    let apart: f64 = found.iter().zip(exact).map(|(f, e)| (f - e).norm_sqr()).sum();
    (apart / norm_sqr(exact)).sqrt()
}

/// The bound of the module's page, for sums of the waves themselves.
#[test]
fn on_the_grid_itself_the_hologram_is_what_was_measured() {
    let (aperture, frequency) = (square(16), 2000.0);
    let (k, step) = (Medium::default().wavenumber(frequency), TAU / (PERIOD * 16.0 * PITCH));
    let radius = |i: f64, j: f64| (i * step).hypot(j * step);
    let amplitude = |kr: f64| (-STANDOFF * (kr * kr - k * k).max(0.0).sqrt()).exp();
    let whole: f64 =
        (-16..16).flat_map(|i| (-16..16).map(move |j| amplitude(radius(i.into(), j.into())).powi(2))).sum();
    // Two that radiate and one that does not.
    let waves = [(2.0, -1.0, C::new(1.0, 0.0)), (0.0, 3.0, C::new(0.0, -0.5)), (-5.0, 4.0, C::new(0.1, 0.1))];
    let places: Vec<[f64; 2]> = (0..aperture.len()).map(|i| point(&aperture, [0.0; 2], i)).collect();
    let field = |[x, y]: &[f64; 2]| waves.iter().map(|(i, j, c)| c * C::cis(step * (i * x + j * y))).sum();
    let measured: Vec<C> = places.iter().map(field).collect();
    let coefficients: f64 =
        waves.iter().map(|(i, j, c)| c.norm_sqr() * whole / amplitude(radius(*i, *j)).powi(2)).sum();
    let mut plan = plan(&places, &aperture, frequency).unwrap();
    let (found, fit) = hologram(&mut plan, &measured);
    let bound = (NUGGET * (coefficients + norm_sqr(&measured)) / norm_sqr(&measured)).sqrt();
    let apart = error(&found, &measured);
    assert!(apart < bound && bound < 0.1, "{apart:e}, bound {bound:e}");
    // Grid and microphones are the same places: transforms of tolerance 1e-6 both.
    assert!((fit.misfit - apart).abs() < 1e-5, "{fit:?}, {apart:e}");
    // A plan keeps nothing of a hologram.
    let (other, _) = hologram(&mut plan, &vec![C::new(0.0, 1.0); measured.len()]);
    assert!(error(&other, &measured) > 0.1);
    assert_eq!(hologram(&mut plan, &measured), (found, fit));
}

/// Solves a x = b by elimination with pivots.
fn eliminate(mut a: Vec<Vec<C>>, mut b: Vec<C>) -> Vec<C> {
    let n = b.len();
    for i in 0..n {
        let pivot = (i..n).max_by(|p, q| a[*p][i].norm().total_cmp(&a[*q][i].norm())).unwrap();
        a.swap(i, pivot);
        b.swap(i, pivot);
        for row in i + 1..n {
            let factor = a[row][i] / a[i][i];
            let (above, below) = a.split_at_mut(row);
            below[0].iter_mut().zip(&above[i]).skip(i).for_each(|(to, from)| *to -= factor * from);
            b[row] = b[row] - factor * b[i];
        }
    }
    for i in (0..n).rev() {
        let known: C = (i + 1..n).map(|j| a[i][j] * b[j]).sum();
        b[i] = (b[i] - known) / a[i][i];
    }
    b
}

/// The definition: h = K_hm (K_mm + mu/W)^-1 p with the covariance K(x, y) = sum s^2 exp(j k (x - y)), by direct sums.
///
/// The residual that ends the iterations leaves sqrt(mu) = 1 % of the pressures at the microphones.
#[test]
fn the_fit_is_the_estimate_of_least_variance() {
    let (aperture, frequency) = (square(5), 1500.0);
    let mut random = Random::new(3);
    let places = jittered(&aperture, 0.4, &mut random);
    let areas: Vec<f64> = places.iter().map(|_| random.between(0.5, 1.5)).collect();
    let mean = areas.iter().sum::<f64>() / areas.len() as f64;
    let (k, measured) = (Medium::default().wavenumber(frequency), pressures(&places, frequency));
    let microphones = Microphones { positions: &places, areas: &areas };
    let mut plan = Plan::new(microphones, &aperture, [0.0; 2], STANDOFF, &[k]).unwrap();
    let (found, _) = hologram(&mut plan, &measured);
    let power: Vec<f64> = plan.prior.iter().map(|s| s * s).collect();
    let covariance = |p: &[f64; 2], q: &[f64; 2]| {
        let waves = plan.ky.iter().flat_map(|ky| plan.kx.iter().map(move |kx| (kx, ky)));
        let phases = waves.map(|(kx, ky)| C::cis(kx * (p[0] - q[0]) + ky * (p[1] - q[1])));
        phases.zip(&power).map(|(wave, s2)| wave * s2).sum::<C>()
    };
    let matrix = places.iter().enumerate().map(|(i, p)| {
        let mut row: Vec<C> = places.iter().map(|q| covariance(p, q)).collect();
        row[i] += NUGGET * mean / areas[i];
        row
    });
    let duals = eliminate(matrix.collect(), measured.clone());
    let exact = |i: usize| {
        let target = point(&aperture, [0.0; 2], i);
        places.iter().zip(&duals).map(|(p, dual)| covariance(&target, p) * dual).sum()
    };
    let exact: Vec<C> = (0..aperture.len()).map(exact).collect();
    assert!(error(&found, &exact) < NUGGET.sqrt(), "{:e}", error(&found, &exact));
}

/// Where every microphone is 0.3 pitches from its point, the hologram is within the error of a channel, 1 %, and the source plane
/// as near to the truth as a regular array's, to the error of a channel there.
#[test]
fn displaced_microphones_see_what_a_regular_array_sees() {
    let aperture = square(32);
    let settings = PnahSettings::new(Grid::triple(aperture).unwrap(), STANDOFF);
    let places = jittered(&aperture, 0.3, &mut Random::new(1));
    for frequency in [1000.0, 4000.0] {
        let regular = monopole(&aperture, frequency, [0.03, -0.05, -0.03], STANDOFF);
        let truth = monopole(&aperture, frequency, [0.03, -0.05, -0.03], 0.0);
        let mut plan = plan(&places, &aperture, frequency).unwrap();
        let (found, fit) = hologram(&mut plan, &pressures(&places, frequency));
        assert!(error(&found, &regular) < NUGGET.sqrt(), "{frequency} Hz: {:e}", error(&found, &regular));
        assert!(fit.misfit < NUGGET.sqrt() && fit.iterations < 200, "{fit:?}");
        // As if nothing had been displaced: much worse.
        assert!(error(&pressures(&places, frequency), &regular) > 0.02);
        let filter = KFilter { cutoff: 100.0, slope: 0.1 };
        let mut back = propagation::Plan::<f64>::new(&settings, &[frequency], filter).unwrap();
        let mut source_error = |hologram: &[C]| {
            let mut source = vec![NAN; aperture.len()];
            back.execute(hologram, &mut source, None).unwrap();
            error(&source, &truth)
        };
        let (ours, theirs) = (source_error(&found), source_error(&regular));
        assert!(ours < theirs + 0.01 && ours < 0.1, "{frequency} Hz: {ours} and {theirs}");
    }
}

/// A spiral of 256 microphones with a grid of its own: inside the outline, as dense as the microphones, the hologram is within twice the
/// error of a channel. Its weights are those of the array.
#[test]
fn a_spiral_has_a_grid_of_its_own() {
    let turn = |m: u32| {
        let (radius, angle) = (0.18 * ((f64::from(m) + 0.5) / 256.0).sqrt(), 2.399_963 * f64::from(m));
        [0.3 + radius * angle.cos(), radius * angle.sin() - 0.1, 0.0]
    };
    let geometry = Geometry::new(&(0..256).map(turn).collect::<Vec<_>>(), None).unwrap();
    let grid = geometry.grid();
    let aperture = Aperture { rows: grid.rows, cols: grid.cols, pitch: grid.pitch_m };
    assert!((100..256).contains(&aperture.len()), "{aperture:?}");
    let (places, areas) = (geometry.positions(), geometry.areas(&[true; 256]));
    let source = |&[x, y]: &[f64; 2]| [x - 0.28, y + 0.1];
    for frequency in [500.0, 2000.0] {
        let k = Medium::default().wavenumber(frequency);
        let microphones = Microphones { positions: places, areas: &areas };
        let mut plan = Plan::new(microphones, &aperture, grid.centre_m, STANDOFF, &[k]).unwrap();
        let centred: Vec<[f64; 2]> = places.iter().map(source).collect();
        let (found, _) = hologram(&mut plan, &pressures(&centred, frequency));
        let points: Vec<[f64; 2]> = (0..grid.len()).map(|i| source(&grid.point(i))).collect();
        let apart = error(&found, &pressures(&points, frequency));
        assert!(apart < 2.0 * NUGGET.sqrt(), "{frequency} Hz: {apart:e}");
    }
}

#[test]
fn silence_stays_silence() {
    let aperture = square(6);
    let places = jittered(&aperture, 0.2, &mut Random::new(2));
    let (found, fit) = hologram(&mut plan(&places, &aperture, 500.0).unwrap(), &[C::default(); 36]);
    assert_eq!((found, fit), (vec![C::default(); 36], Fit { iterations: 0, misfit: 0.0 }));
}

#[test]
fn what_cannot_be_is_refused() {
    let aperture = square(6);
    let places = jittered(&aperture, 0.2, &mut Random::new(2));
    let message = |places: &[[f64; 2]]| plan(places, &aperture, 500.0).err().unwrap().to_string();
    assert_eq!(message(&places[..15]), "15 live microphones at irregular places: at least 16 are needed");
    let mut wrong = places.clone();
    wrong[7][1] = f64::NAN;
    assert!(message(&wrong).contains("point 7, axis 1"), "{}", message(&wrong));
    for far in [1e6, 1e300, f64::INFINITY] {
        wrong[7][1] = far;
        assert!(message(&wrong).contains("coarser grid"), "{}", message(&wrong));
    }
    let mut plan = plan(&places, &aperture, 500.0).unwrap();
    let (mut values, mut out) = (vec![C::new(1.0, 0.0); 36], vec![NAN; 36]);
    let length = |what, given| Err(Error::Length { what, given, needed: 36 });
    assert_eq!(plan.execute(0, &values[..35], &mut out), length("list of pressures", 35));
    assert_eq!(plan.execute(0, &values, &mut out[..1]), length("hologram", 1));
    assert_eq!(plan.execute(1, &values, &mut out), Err(Error::Hologram { index: 1, count: 1 }));
    values[9].im = f64::INFINITY;
    let expected = Error::MicrophoneNotFinite { hologram: 0, microphone: 9 };
    assert_eq!(plan.execute(0, &values, &mut out), Err(expected));
}
