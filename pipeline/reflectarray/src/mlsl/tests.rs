use super::*;

/// A function of the literature, with its gradient by central differences and a local search by BFGS that stays in the box.
struct Known {
    f: fn(&[f64]) -> f64,
    bounds: Vec<[f64; 2]>,
}

impl Known {
    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let h = 1e-6;
        let at = |i: usize, step: f64| {
            let mut moved = x.to_vec();
            moved[i] += step;
            (self.f)(&moved)
        };
        (0..x.len()).map(|i| (at(i, h) - at(i, -h)) / (2.0 * h)).collect()
    }

    fn inside(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&self.bounds).map(|(x, [low, high])| x.clamp(*low, *high)).collect()
    }

    /// BFGS with the inverse Hessian as a matrix, from a short step downhill, which is also the way on where it has no descent.
    fn descend_one(&self, x: &mut Vec<f64>) -> f64 {
        let mut g = self.gradient(x);
        let mut inverse = identity(x.len(), 0.01 / dot(&g, &g).sqrt().max(1e-300));
        for _ in 0..500 {
            let Some(next) = self.step(x, &g, &inverse) else {
                let short = identity(x.len(), 0.01 / dot(&g, &g).sqrt().max(1e-300));
                if inverse == short {
                    break;
                }
                inverse = short;
                continue;
            };
            let gradient = self.gradient(&next);
            let s: Vec<f64> = next.iter().zip(x.iter()).map(|(a, b)| a - b).collect();
            let y: Vec<f64> = gradient.iter().zip(&g).map(|(a, b)| a - b).collect();
            update(&mut inverse, &s, &y);
            (*x, g) = (next, gradient);
            if dot(&s, &s) < 1e-20 {
                if dot(&g, &g) < 1e-10 {
                    break;
                }
                inverse = identity(x.len(), 0.01 / dot(&g, &g).sqrt());
            }
        }
        (self.f)(x)
    }

    /// The longest of halved steps that goes down as the slope promises (Armijo).
    fn step(&self, x: &[f64], g: &[f64], inverse: &[f64]) -> Option<Vec<f64>> {
        let n = x.len();
        // A coordinate that stands at its bound and would leave the box stays where it is.
        let held =
            |i: usize| (x[i] <= self.bounds[i][0] && g[i] > 0.0) || (x[i] >= self.bounds[i][1] && g[i] < 0.0);
        let free: Vec<f64> = (0..n).map(|i| if held(i) { 0.0 } else { g[i] }).collect();
        let along = |i: usize| -dot(&inverse[i * n..(i + 1) * n], &free);
        let way: Vec<f64> = (0..n).map(|i| if held(i) { 0.0 } else { along(i) }).collect();
        let value = (self.f)(x);
        let place = |t: f64| self.inside(&x.iter().zip(&way).map(|(x, p)| x + t * p).collect::<Vec<_>>());
        (0..200).map(|i| place(0.5f64.powi(i))).find(|y| {
            let slope: f64 = y.iter().zip(x).zip(g).map(|((y, x), g)| (y - x) * g).sum();
            slope < 0.0 && (self.f)(y) <= value + 1e-4 * slope
        })
    }
}

fn identity(n: usize, scale: f64) -> Vec<f64> {
    (0..n * n).map(|i| if i % (n + 1) == 0 { scale } else { 0.0 }).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// H + (1 + y.Hy/s.y) s s'/s.y - (Hy s' + s (Hy)')/s.y; as it was without curvature along s.
fn update(h: &mut [f64], s: &[f64], y: &[f64]) {
    let (n, sy) = (s.len(), dot(s, y));
    if sy <= 1e-14 {
        return;
    }
    let hy: Vec<f64> = (0..n).map(|i| dot(&h[i * n..(i + 1) * n], y)).collect();
    let grow = (1.0 + dot(y, &hy) / sy) / sy;
    for i in 0..n {
        for j in 0..n {
            h[i * n + j] += grow * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / sy;
        }
    }
}

impl Problem for Known {
    type Error = Error;

    fn values(&mut self, points: &[f64], values: &mut [f64]) -> Result<(), Self::Error> {
        points.chunks(self.bounds.len()).zip(values).for_each(|(x, value)| *value = (self.f)(x));
        Ok(())
    }

    fn descend(&mut self, points: &mut [f64], values: &mut [f64]) -> Result<(), Self::Error> {
        for (point, value) in points.chunks_mut(self.bounds.len()).zip(values) {
            let mut x = point.to_vec();
            *value = self.descend_one(&mut x);
            point.copy_from_slice(&x);
        }
        Ok(())
    }
}

fn six_hump_camel(x: &[f64]) -> f64 {
    let (a, b) = (x[0] * x[0], x[1] * x[1]);
    (4.0 - 2.1 * a + a * a / 3.0) * a + x[0] * x[1] + (4.0 * b - 4.0) * b
}

const WELLS: [[f64; 4]; 10] = [
    [4.0, 4.0, 4.0, 4.0],
    [1.0, 1.0, 1.0, 1.0],
    [8.0, 8.0, 8.0, 8.0],
    [6.0, 6.0, 6.0, 6.0],
    [3.0, 7.0, 3.0, 7.0],
    [2.0, 9.0, 2.0, 9.0],
    [5.0, 5.0, 3.0, 3.0],
    [8.0, 1.0, 8.0, 1.0],
    [6.0, 2.0, 6.0, 2.0],
    [7.0, 3.6, 7.0, 3.6],
];
const WIDTHS: [f64; 10] = [0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5];

fn shekel_10(x: &[f64]) -> f64 {
    let well =
        |(a, c): (&[f64; 4], f64)| -1.0 / (a.iter().zip(x).map(|(a, x)| (x - a).powi(2)).sum::<f64>() + c);
    WELLS.iter().zip(WIDTHS).map(well).sum()
}

fn hartmann_6(x: &[f64]) -> f64 {
    const A: [[f64; 6]; 4] = [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ];
    const P: [[f64; 6]; 4] = [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ];
    const C: [f64; 4] = [1.0, 1.2, 3.0, 3.2];
    let bump = |i: usize| {
        let power: f64 = (0..6).map(|j| A[i][j] * (x[j] - P[i][j]).powi(2)).sum();
        -C[i] * (-power).exp()
    };
    (0..4).map(bump).sum()
}

/// Searches with many seeds; all must end by themselves with these minima, each where `expected` has it to within `apart`, and nothing else.
fn check(f: fn(&[f64]) -> f64, bounds: &[[f64; 2]], expected: &[(Vec<f64>, f64)], apart: f64) {
    for seed in 0..20 {
        let settings = Settings { seed, ..Settings::new(bounds.to_vec()) };
        let mut problem = Known { f, bounds: bounds.to_vec() };
        let mut levels = 0;
        let outcome = search(&mut problem, &settings, |_| levels += 1).unwrap();
        assert_eq!(outcome.stop, Stop::Complete, "seed {seed}");
        assert_eq!(outcome.samples, levels * settings.samples);
        assert_eq!(outcome.minima.len(), expected.len(), "seed {seed}: {:?}", outcome.minima);
        assert!(outcome.expected < expected.len() as f64 + 0.5 && outcome.unseen < settings.unseen);
        assert!(outcome.minima.windows(2).all(|pair| pair[0].value <= pair[1].value));
        for (place, value) in expected {
            let found = outcome.minima.iter().find(|found| distance(&found.point, place) < apart);
            // Values of the literature have four decimals.
            assert!(found.is_some_and(|found| (found.value - value).abs() < 1e-4), "seed {seed}: {place:?}");
        }
        println!("seed {seed}: {} samples, {} searches", outcome.samples, outcome.searches);
    }
}

#[test]
fn finds_the_six_minima_of_the_camel() {
    let half = [([0.0898, -0.7127], -1.03163), ([1.7036, -0.7961], -0.21546), ([1.6071, 0.5687], 2.10425)];
    let expected: Vec<_> =
        half.iter().flat_map(|(p, v)| [(p.to_vec(), *v), (p.iter().map(|x| -x).collect(), *v)]).collect();
    check(six_hump_camel, &[[-3.0, 3.0], [-2.0, 2.0]], &expected, 2e-4);
}

#[test]
fn finds_the_ten_minima_of_shekel() {
    // Every well draws its neighbours' minima by less than 0.02.
    let value = |at: usize| {
        let mut well = WELLS[at].to_vec();
        let problem = Known { f: shekel_10, bounds: vec![[0.0, 10.0]; 4] };
        problem.descend_one(&mut well)
    };
    assert!((value(0) + 10.5364).abs() < 1e-4);
    let expected: Vec<_> = WELLS.iter().enumerate().map(|(at, well)| (well.to_vec(), value(at))).collect();
    check(shekel_10, &[[0.0, 10.0]; 4], &expected, 0.03);
}

#[test]
fn finds_both_minima_of_hartmann() {
    let expected = [
        (vec![0.20169, 0.15001, 0.47687, 0.27533, 0.31165, 0.65730], -3.32237),
        (vec![0.40465, 0.88244, 0.84610, 0.57399, 0.13893, 0.03850], -3.20316),
    ];
    check(hartmann_6, &[[0.0, 1.0]; 6], &expected, 1e-4);
}

#[test]
fn the_same_seed_gives_the_same_search_and_another_seed_another() {
    let bounds = vec![[-3.0, 3.0], [-2.0, 2.0]];
    let run = |seed| {
        let settings = Settings { seed, ..Settings::new(bounds.clone()) };
        search(&mut Known { f: six_hump_camel, bounds: bounds.clone() }, &settings, |_| ()).unwrap()
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5).minima[0].point, run(6).minima[0].point);
}

#[test]
fn a_limit_ends_what_never_ends() {
    // 400 basins, of which the rule wants 320 000 samples.
    let waves = |x: &[f64]| x.iter().map(|x| (20.0 * std::f64::consts::TAU * x).cos()).sum();
    let bounds = vec![[0.0, 1.0]; 2];
    let limits = [(Settings::new(bounds.clone()).samples * 3, usize::MAX), (usize::MAX, 50)];
    for (most_samples, most_searches) in limits {
        let settings = Settings { most_samples, most_searches, ..Settings::new(bounds.clone()) };
        let outcome = search(&mut Known { f: waves, bounds: bounds.clone() }, &settings, |_| ()).unwrap();
        assert_eq!(outcome.stop, Stop::Limit);
        assert!(outcome.samples <= most_samples && outcome.searches <= most_searches, "{outcome:?}");
    }
}

#[test]
fn what_is_no_number_is_passed_over() {
    let holes = |x: &[f64]| if x[0] < 0.0 { f64::NAN } else { (x[0] - 1.0).powi(2) };
    let bounds = vec![[-3.0, 3.0]];
    let settings = Settings::new(bounds.clone());
    let outcome = search(&mut Known { f: holes, bounds: bounds.clone() }, &settings, |_| ()).unwrap();
    assert!((outcome.minima[0].point[0] - 1.0).abs() < 1e-4, "{outcome:?}");
    let nothing =
        search(&mut Known { f: |_| f64::NAN, bounds }, &Settings { most_samples: 500, ..settings }, |_| ());
    let nothing = nothing.unwrap();
    assert_eq!((nothing.minima.len(), nothing.searches, nothing.stop), (0, 0, Stop::Limit));
}

#[test]
fn a_failure_of_the_problem_ends_the_search() {
    struct Broken;
    impl Problem for Broken {
        type Error = Error;
        fn values(&mut self, _: &[f64], _: &mut [f64]) -> Result<(), Self::Error> {
            Err(Error::Places)
        }
        fn descend(&mut self, _: &mut [f64], _: &mut [f64]) -> Result<(), Self::Error> {
            Ok(())
        }
    }
    let failed = search(&mut Broken, &Settings::new(vec![[0.0, 1.0]]), |_| ()).unwrap_err();
    assert_eq!(failed, Error::Places);
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let refused = |settings: Settings| {
        let bounds = settings.bounds.clone();
        search(&mut Known { f: six_hump_camel, bounds }, &settings, |_| ()).unwrap_err().to_string()
    };
    let good = || Settings::new(vec![[-3.0, 3.0], [-2.0, 2.0]]);
    assert!(refused(Settings::new(vec![])).contains("coordinates"));
    for side in [[1.0, 1.0], [2.0, 1.0], [f64::NAN, 1.0], [0.0, f64::INFINITY]] {
        assert!(refused(Settings::new(vec![[0.0, 1.0], side])).contains("coordinate 1"), "{side:?}");
    }
    assert!(refused(Settings { samples: 0, ..good() }).contains("samples"));
    assert!(refused(Settings { sigma: f64::NAN, ..good() }).contains("sigma"));
    assert!(refused(Settings { same: 0.0, ..good() }).contains("distance"));
    assert!(refused(Settings { unseen: -1.0, ..good() }).contains("unseen"));
    assert!(refused(Settings { quiet: 0, ..good() }).contains("quiet"));
}

#[test]
fn the_critical_distance_is_the_literature_s() {
    // Gamma(2) = 1, Gamma(5/2) = 3 sqrt(pi)/4, Gamma(4) = 6.
    for (m, gamma) in [
        (1, std::f64::consts::PI.sqrt()),
        (2, 1.0),
        (4, 1.0),
        (5, 0.75 * std::f64::consts::PI.sqrt()),
        (8, 6.0),
    ] {
        assert!((ln_gamma_half(m) - f64::ln(gamma)).abs() < 1e-14, "{m}");
    }
    let expected = (4.0 * 1000f64.ln() / 1000.0 / std::f64::consts::PI).sqrt();
    assert!((critical_distance(2, 1000, 4.0) - expected).abs() < 1e-15);
}
