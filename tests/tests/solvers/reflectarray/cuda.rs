//! The card's objective, gradient and optimiser of reflectarrays against the CPU's.

use crate::devices;
use pipeline::reflectarray::cpu::{Directions, Plan};
use pipeline::reflectarray::cuda;
use pipeline::reflectarray::lbfgs::{self, Functions, Settings};
use pipeline::reflectarray::objective::SoftMinimum;
use pipeline::reflectarray::problem::{Phases, Positions, Problem};
use pipeline::reflectarray::score::samples;
use pipeline::reflectarray::synthesis::{Task, periodic};
use pipeline::reflectarray::zernike::Zernike;
use pipeline::reflectarray::{self, Elements, Model, Pattern, case};
use std::f64::consts::PI;
use std::ops::ControlFlow;
use std::path::Path;

/// Of fields, on both sides: the same series, cut at the same terms.
const TOLERANCE: f64 = 1e-9;
/// Of the largest component: both round sums of 1e4 terms of a field whose least level is 1e-3 of its largest, 1e4 x 1e-16 x 1e3.
const SAME: f64 = 1e-9;

/// Of points after twenty steps: a step multiplies rounding by the ratio of its curvatures, 2 or so.
const STEPS: f64 = 1e-6;

/// A task, and elements for it.
struct Scene {
    task: Task,
    elements: Elements,
}

impl Scene {
    fn europe() -> Self {
        let (tables, folder) = case::load(Path::new("europe-71")).unwrap();
        Self::of(tables.resolve(&folder).unwrap().task().unwrap())
    }

    /// Two frequencies, elements cos^0.8, a lattice that is not square, a region to keep quiet.
    fn small() -> Self {
        let text = r#"
            [array]
            columns = 23
            rows = 14
            frequencies_hz = [12.0e9, 12.4e9]
            pitch_wavelengths = 0.55
            [feed]
            height_m = 0.25
            offset_m = 0.05
            exponent = 6.0
            [[coverage]]
            name = "one"
            polygon_uv = [[0.05, -0.05], [0.25, -0.02], [0.2, 0.15], [0.02, 0.1]]
            min_dbi = 18.0
            [[coverage]]
            name = "two"
            polygon_uv = [[-0.25, -0.1], [-0.1, -0.1], [-0.1, 0.05], [-0.2, 0.05]]
            min_dbi = 15.0
            weight = 2.0
            [[isolation]]
            name = "quiet"
            polygon_uv = [[-0.1, 0.2], [0.1, 0.2], [0.1, 0.3], [-0.1, 0.3]]
            max_dbi = 3.0
        "#;
        let tables: case::Tables = toml::from_str(text).unwrap();
        let mut task = tables.resolve(Path::new(".")).unwrap().task().unwrap();
        task.bands[1].1 = 0.7;
        for (model, _) in &mut task.bands {
            model.pattern = Pattern::Cosine { exponent: 0.8 };
        }
        Self::of(task)
    }

    fn of(task: Task) -> Self {
        let elements = Elements::grid(task.shape.columns, task.shape.rows, task.pitch);
        Self { task, elements }
    }

    fn plans(&self) -> Vec<(Plan, f64)> {
        let (u, v) = samples(&self.task.mask);
        let directions = Directions { u: &u, v: &v };
        let Elements { x, y, .. } = &self.elements;
        let plan = |(model, weight): &(Model, f64)| {
            (Plan::fixed(model, directions, x, y, TOLERANCE).unwrap(), *weight)
        };
        self.task.bands.iter().map(plan).collect()
    }

    fn on_cpu<'a>(&'a self, phases: Phases, objective: &'a SoftMinimum, starts: usize) -> Problem<'a> {
        let plans = self.plans();
        let places = plans.iter().map(|(plan, _)| plan.places(&self.elements.x, &self.elements.y).unwrap());
        let positions = Positions::Fixed(vec![places.collect()]);
        Problem::new(plans, phases, positions, objective, &self.task.mask, starts)
    }

    fn on_card(
        &self,
        device: &kernels::Device,
        phases: &Phases,
        objective: &SoftMinimum,
        starts: usize,
    ) -> cuda::Problem {
        let (u, v) = samples(&self.task.mask);
        let Elements { x, y, .. } = &self.elements;
        let scene = cuda::Scene {
            bands: &self.task.bands,
            places: [x, y],
            directions: [&u, &v],
            tolerance: TOLERANCE,
        };
        cuda::Problem::new(device, &scene, phases, objective, starts).unwrap()
    }

    /// Phases without order, but close to a beam that covers something.
    fn phases(&self, start: usize) -> impl Iterator<Item = f64> {
        let side = self.elements.len();
        (0..side).map(move |n| {
            let mixed = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(start as u64 * 77);
            ((mixed >> 40) as f64 / f64::from(1 << 24) - 0.5) * PI * (0.3 + 0.02 * start as f64)
        })
    }

    fn zernike(&self, starts: usize) -> Phases {
        let base = (0..starts).flat_map(|start| self.phases(start)).collect();
        Phases::Zernike(Zernike::new(&self.elements, 4), base)
    }
}

fn near(what: &str, got: &[f64], wanted: &[f64], part: f64) {
    let largest = wanted.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let off = got
        .iter()
        .zip(wanted)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |worst: f64, off| if off.is_nan() { f64::INFINITY } else { worst.max(off) });
    assert!(off <= part * largest, "{what}: off by {off:e} of {largest:e}");
}

#[test]
fn objective_and_gradient_are_those_of_the_cpu() {
    for device in devices("objective_and_gradient_are_those_of_the_cpu") {
        for (name, scene) in [("europe", Scene::europe()), ("small", Scene::small())] {
            // Few of them, or a block of the card's for four at once.
            for (coefficients, starts) in [(false, 3), (true, 3), (false, 34)] {
                let phases = || if coefficients { scene.zernike(starts) } else { Phases::Each };
                let objective = SoftMinimum::new(&scene.task.mask, 0.3, 20.0);
                let mut cpu = scene.on_cpu(phases(), &objective, starts);
                let mut card = scene.on_card(&device, &phases(), &objective, starts);
                let n = cpu.unknowns();
                let points: Vec<f64> =
                    (0..starts).flat_map(|start| scene.phases(start).take(n).collect::<Vec<_>>()).collect();
                let (mut values, mut gradients) = (vec![f64::NAN; starts], vec![f64::NAN; starts * n]);
                let rows: Vec<usize> = (0..starts).collect();
                cpu.evaluate(&rows, &points, &mut values, &mut gradients).unwrap();
                let mut both = Vec::new();
                for _ in 0..2 {
                    let (mut v, mut g) = (vec![f64::NAN; starts], vec![f64::NAN; starts * n]);
                    card.evaluate(&points, &mut v, &mut g).unwrap();
                    near(&format!("{name}, values"), &v, &values, SAME);
                    for (start, (g, gradient)) in g.chunks(n).zip(gradients.chunks(n)).enumerate() {
                        near(
                            &format!("{name}, gradient {start}, coefficients {coefficients}"),
                            g,
                            gradient,
                            SAME,
                        );
                    }
                    both.push((v, g));
                }
                assert!(both[0] == both[1], "{name}: another run, other bits");
            }
        }
    }
}

#[test]
fn the_optimiser_takes_the_steps_of_the_cpu() {
    for device in devices("the_optimiser_takes_the_steps_of_the_cpu") {
        let scene = Scene::small();
        for coefficients in [false, true] {
            let starts = 3;
            let phases = || if coefficients { scene.zernike(starts) } else { Phases::Each };
            let objective = SoftMinimum::new(&scene.task.mask, 0.3, 6.0);
            // More than the pairs that are remembered; rounding grows from step to step.
            let settings = Settings { iterations: 20, ..Settings::default() };
            let mut cpu = scene.on_cpu(phases(), &objective, starts);
            let n = cpu.unknowns();
            let from: Vec<f64> = (0..starts)
                .flat_map(|start| {
                    scene
                        .phases(start)
                        .map(|phase| if coefficients { 0.0 } else { phase })
                        .take(n)
                        .collect::<Vec<_>>()
                })
                .collect();
            let wanted =
                lbfgs::minimise(&mut cpu, &from, &settings, &mut |_, _| ControlFlow::Continue(())).unwrap();
            let mut card = scene.on_card(&device, &phases(), &objective, starts);
            let mut told = 0;
            let mut watch = |best: cuda::Best| {
                told += 1;
                assert!(best.value.is_finite() && best.score.d_min_db <= best.score.d_mean_db);
                ControlFlow::Continue(())
            };
            let got = card.minimise(&from, &settings, &mut watch).unwrap();
            assert!(told > 0);
            for (got, wanted) in got.iter().zip(&wanted) {
                assert_eq!(got.iterations, wanted.iterations);
                assert!((got.value - wanted.value).abs() < 1e-6, "{} and {}", got.value, wanted.value);
                near("point", &got.point, &wanted.point, STEPS);
            }
            let again = card.minimise(&from, &settings, &mut |_| ControlFlow::Continue(())).unwrap();
            assert!(got == again, "another run, other bits");
            let stopped = card.minimise(&from, &settings, &mut |_| ControlFlow::Break(())).unwrap();
            assert!(stopped.iter().zip(&got).all(|(early, late)| early.value >= late.value));
        }
    }
}

#[test]
fn a_design_of_the_card_is_as_good_as_one_of_the_cpu() {
    for device in devices("a_design_of_the_card_is_as_good_as_one_of_the_cpu") {
        let mut task = Scene::small().task;
        task.starts = 4;
        let cpu = reflectarray::Plan::on_cpu(task.clone())
            .unwrap()
            .synthesise(&periodic(), &mut |_| ControlFlow::Continue(()))
            .unwrap();
        let card = reflectarray::Plan::on_cuda(&device, task)
            .unwrap()
            .synthesise(&periodic(), &mut |_| ControlFlow::Continue(()))
            .unwrap();
        // Different rounding leads to different minima of the same height, a few hundredths of a decibel apart.
        assert!(card.objective < cpu.objective + 0.03, "{} and {}", card.objective, cpu.objective);
        assert!(card.score.d_min_db > cpu.score.d_min_db - 0.2, "{:?} and {:?}", card.score, cpu.score);
    }
}
