use super::super::design::{Grid, Medium};
use super::super::testing::{Random, monopole};
use super::super::{Settings, cpu, l_curve, metrics};
use super::*;

const APERTURE: Aperture = Aperture::CAMERA;

fn make(aperture: Aperture) -> Chooser {
    let settings = Settings::new(Grid::triple(aperture).unwrap(), 0.04);
    Chooser::new(&settings.grid, settings.padding).unwrap()
}

/// A noisy hologram of one to three monopoles and the field on the source plane.
struct Scene {
    frequency: f64,
    standoff: f64,
    hologram: Vec<Complex<f64>>,
    truth: Vec<Complex<f64>>,
}

impl Scene {
    fn new(random: &mut Random) -> Self {
        let standoff = random.between(0.03, 0.05);
        Self::at(standoff, random)
    }

    fn at(standoff: f64, random: &mut Random) -> Self {
        let frequency = random.between(300.0, 2500.0);
        let mut fields = [0.0, standoff].map(|_| vec![Complex::new(0.0, 0.0); APERTURE.len()]);
        for _ in 0..=(3.0 * random.uniform()) as usize {
            let place = [random.between(-0.2, 0.2), random.between(-0.2, 0.2), -random.between(0.02, 0.045)];
            let strength = random.complex();
            for (field, z) in fields.iter_mut().zip([0.0, standoff]) {
                let one = monopole(&APERTURE, frequency, place, z);
                field.iter_mut().zip(one).for_each(|(sum, p)| *sum += p * strength);
            }
        }
        let [truth, exact] = fields;
        let noise = Noise { additive: 0.0, relative: random.between(0.01, 0.03).powi(2) };
        let hologram = exact.iter().map(|p| p + random.complex() * noise.variance(*p).sqrt()).collect();
        Self { frequency, standoff, hologram, truth }
    }

    fn plan(&self, padding: Padding) -> cpu::Plan<f64> {
        let settings = Settings { padding, ..Settings::new(Grid::triple(APERTURE).unwrap(), self.standoff) };
        cpu::Plan::new(&settings, &[self.frequency], KFilter::THESIS).unwrap()
    }

    /// ln of the relative error with a filter.
    fn ln_error(&self, plan: &mut cpu::Plan<f64>, filter: KFilter) -> f64 {
        plan.set_filter(0, filter).unwrap();
        let mut source = vec![Complex::new(f64::NAN, f64::NAN); APERTURE.len()];
        plan.execute(&self.hologram, &mut source, None).unwrap();
        metrics::compare(&self.truth, &source).unwrap().relative_l2.ln()
    }

    /// The least that any filter reaches, found with the truth.
    fn ln_best(&self, plan: &mut cpu::Plan<f64>) -> f64 {
        let cutoffs = (30..120).step_by(5).map(f64::from);
        let filters =
            cutoffs.flat_map(|cutoff| [0.05, 0.1, 0.15, 0.3].map(|slope| KFilter { cutoff, slope }));
        filters.map(|filter| self.ln_error(plan, filter)).fold(f64::INFINITY, f64::min)
    }
}

/// Over random scenes both rules come near to the best choice that the truth allows. The bounds are what a rule must be
/// worth, not what it measures (`docs/measured/pnah.md`).
#[test]
fn nearly_as_good_as_knowing_the_truth() {
    const SCENES: usize = 24;
    let chooser = make(APERTURE);
    let mut random = Random::new(2026);
    let [mut chosen, mut corner, mut best, mut thesis] = [0.0; 4];
    for _ in 0..SCENES {
        let scene = Scene::new(&mut random);
        let mut plan = scene.plan(Padding::usual(&APERTURE));
        best += scene.ln_best(&mut plan);
        thesis += scene.ln_error(&mut plan, KFilter::THESIS);
        let k = Medium::default().wavenumber(scene.frequency);
        let estimate = chooser.choose(k, scene.standoff, &scene.hologram).unwrap();
        chosen += scene.ln_error(&mut plan, estimate.filter);
        let l_curve = l_curve::choose(&plan.settings().grid, k, scene.standoff, plan.spectrum(0).unwrap());
        corner += scene.ln_error(&mut plan, l_curve);
    }
    let [chosen, corner, best, thesis] =
        [chosen, corner, best, thesis].map(|sum| (sum / SCENES as f64).exp());
    println!("chosen {chosen:.4}, L-curve {corner:.4}, best {best:.4}, thesis {thesis:.4}");
    assert!(chosen < 1.15 * best, "chosen {chosen}, best {best}");
    assert!(chosen < 0.85 * thesis, "chosen {chosen}, thesis {thesis}");
    assert!(corner < 1.5 * best && corner < thesis, "L-curve {corner}, best {best}, thesis {thesis}");
}

/// Far planes amplify the padding's error, and zeros are bad padding: the rule must see both and filter harder.
#[test]
fn bad_padding_and_far_planes_are_filtered_harder() {
    const SCENES: usize = 12;
    let grid = Grid::triple(APERTURE).unwrap();
    let mut random = Random::new(11);
    for (padding, near, far) in [(Padding::Zero, 0.03, 0.05), (Padding::Lpbp { order: 6 }, 0.08, 0.1)] {
        let chooser = Chooser::new(&grid, padding).unwrap();
        let [mut chosen, mut best] = [0.0; 2];
        for _ in 0..SCENES {
            let scene = Scene::at(random.between(near, far), &mut random);
            let mut plan = scene.plan(padding);
            best += scene.ln_best(&mut plan);
            let k = Medium::default().wavenumber(scene.frequency);
            let filter = chooser.choose(k, scene.standoff, &scene.hologram).unwrap().filter;
            chosen += scene.ln_error(&mut plan, filter);
        }
        let [chosen, best] = [chosen, best].map(|sum| (sum / SCENES as f64).exp());
        println!("{padding:?}: chosen {chosen:.4}, best {best:.4}");
        assert!(chosen < 1.25 * best, "{padding:?}: chosen {chosen}, best {best}");
    }
}

#[test]
fn the_scale_of_the_data_does_not_matter() {
    let chooser = make(APERTURE);
    let scene = Scene::new(&mut Random::new(5));
    let k = Medium::default().wavenumber(scene.frequency);
    let of = |scale: f64| {
        let scaled: Vec<Complex<f64>> = scene.hologram.iter().map(|p| p * scale).collect();
        chooser.choose(k, scene.standoff, &scaled).unwrap()
    };
    // Powers of two scale without rounding; the starting point of the fit does not.
    let (small, one, large) = (of(2f64.powi(-60)), of(1.0), of(2f64.powi(60)));
    assert_eq!(small.filter, one.filter);
    assert_eq!(large.filter, one.filter);
    assert!((large.noise.relative / one.noise.relative - 1.0).abs() < 1e-6);
}

#[test]
fn copies_of_a_frame_change_nothing() {
    let chooser = make(APERTURE);
    let scene = Scene::new(&mut Random::new(6));
    let k = Medium::default().wavenumber(scene.frequency);
    let thrice = [&scene.hologram[..]; 3].concat();
    let one = chooser.choose(k, scene.standoff, &scene.hologram).unwrap();
    assert_eq!(chooser.choose(k, scene.standoff, &thrice).unwrap().filter, one.filter);
}

#[test]
fn extremes_have_a_filter_too() {
    let chooser = make(APERTURE);
    let k = Medium::default().wavenumber(1000.0);
    let check = |estimate: Estimate| {
        assert!(
            estimate.filter.check().is_ok() && estimate.filter.cutoff <= PI / APERTURE.pitch,
            "{estimate:?}"
        );
        estimate.filter
    };
    let zero = vec![Complex::new(0.0, 0.0); APERTURE.len()];
    check(chooser.choose(k, 0.04, &zero).unwrap());
    // Without noise nothing is gained by filtering.
    let exact = monopole(&APERTURE, 1000.0, [0.0, 0.0, -0.03], 0.04);
    assert!(check(chooser.choose(k, 0.04, &exact).unwrap()).cutoff > 100.0);
    // Nothing but noise, a plane far away (exponents beyond the range of f64), and forward.
    let mut random = Random::new(9);
    let noise: Vec<Complex<f64>> = (0..APERTURE.len()).map(|_| random.complex()).collect();
    for distance in [0.04, 5.0, -0.1] {
        check(chooser.choose(k, distance, &noise).unwrap());
    }
    // An acoustic wavenumber that leaves no evanescent rings but the corners.
    check(chooser.choose(150.0, 0.04, &exact).unwrap());
    let small = make(Aperture { rows: 5, cols: 8, pitch: 0.02 });
    check(small.choose(k, 0.04, &noise[..40]).unwrap());
    let tiny = Grid::triple(Aperture { rows: 4, ..APERTURE }).unwrap();
    assert!(matches!(Chooser::new(&tiny, Padding::Zero), Err(Error::TooSmall { rows: 4, .. })));
}
