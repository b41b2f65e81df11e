use super::*;

/// Rosenbrock's function in many variables, each row with its own factor.
struct Rosenbrock {
    factors: Vec<f64>,
    unknowns: usize,
    calls: usize,
}

impl Functions for Rosenbrock {
    fn unknowns(&self) -> usize {
        self.unknowns
    }

    fn evaluate(
        &mut self,
        rows: &[usize],
        points: &[f64],
        values: &mut [f64],
        gradients: &mut [f64],
    ) -> Result<(), Error> {
        self.calls += 1;
        gradients.fill(0.0);
        for (i, &row) in rows.iter().enumerate() {
            let (x, g) = (
                &points[i * self.unknowns..][..self.unknowns],
                &mut gradients[i * self.unknowns..][..self.unknowns],
            );
            values[i] = 0.0;
            for j in 0..self.unknowns - 1 {
                let (a, b) = (x[j + 1] - x[j] * x[j], 1.0 - x[j]);
                values[i] += self.factors[row] * a * a + b * b;
                g[j] -= 4.0 * self.factors[row] * a * x[j] + 2.0 * b;
                g[j + 1] += 2.0 * self.factors[row] * a;
            }
        }
        Ok(())
    }
}

fn rosenbrock(rows: usize, unknowns: usize) -> Rosenbrock {
    Rosenbrock { factors: (0..rows).map(|row| 10.0 + 30.0 * row as f64).collect(), unknowns, calls: 0 }
}

fn settings() -> Settings {
    Settings { iterations: 2000, gain: 0.0, gradient: 1e-9, ..Settings::default() }
}

fn all(_: &Rosenbrock, _: &[Search]) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A gradient of 1e-9 at curvatures of 0.5 or more leaves 2e-9.
#[test]
fn all_starts_reach_the_minimum_and_each_as_it_would_alone() {
    let starts: Vec<f64> = (0..4 * 10).map(|i| f64::from(i % 7) * 0.4 - 1.1).collect();
    let together = minimise(&mut rosenbrock(4, 10), &starts, &settings(), &mut all).unwrap();
    for (row, found) in together.iter().enumerate() {
        assert!(found.converged, "{row}: {found:?}");
        // A second minimum of this function lies near x_0 = -1.
        if found.point[0] > 0.0 {
            assert!(found.point.iter().all(|x| (x - 1.0).abs() < 1e-6), "{row}: {:?}", found.point);
        } else {
            assert!(found.value > 1.0, "{row}: {found:?}");
        }
        let mut alone = rosenbrock(4, 10);
        alone.factors = vec![alone.factors[row]];
        let alone = minimise(&mut alone, &starts[row * 10..][..10], &settings(), &mut all).unwrap();
        assert_eq!(alone[0], *found, "{row}");
    }
}

#[test]
fn bounds_hold_and_the_answer_lies_on_them() {
    let settings = Settings { bounds: vec![[-2.0, 0.5], [-2.0, 2.0]], ..settings() };
    let found = minimise(&mut rosenbrock(1, 2), &[-1.0, 3.0], &settings, &mut all).unwrap().remove(0);
    assert!(found.converged);
    assert_eq!(found.point[0], 0.5);
    assert!((found.point[1] - 0.25).abs() < 1e-8, "{found:?}");
}

/// What a watcher stops keeps the best so far.
#[test]
fn a_stop_keeps_the_best_and_bad_input_is_refused() {
    let mut rounds = 0;
    let mut stop = |_: &Rosenbrock, searches: &[Search]| {
        rounds += 1;
        assert!(searches[0].value() <= 24.2 + 1e-12);
        if rounds == 8 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut functions = Rosenbrock { factors: vec![100.0], unknowns: 2, calls: 0 };
    let found = minimise(&mut functions, &[-1.2, 1.0], &settings(), &mut stop).unwrap().remove(0);
    assert!(functions.calls == 8 && !found.converged && found.value < 24.2, "{found:?}");
    let wrong = minimise(&mut rosenbrock(1, 3), &[0.0; 4], &settings(), &mut all);
    assert!(wrong.unwrap_err().to_string().starts_with("starts of 4 numbers for 3 unknowns"));
    let bounds = Settings { bounds: vec![[0.0, 1.0]], ..settings() };
    let wrong = minimise(&mut rosenbrock(1, 3), &[0.0; 3], &bounds, &mut all);
    assert_eq!(wrong, Err(Error::Length { what: "array of bounds", given: 1, needed: 3 }));
    let nan = minimise(&mut rosenbrock(1, 2), &[f64::NAN, 0.0], &settings(), &mut all).unwrap().remove(0);
    assert!(!nan.converged && nan.iterations == 0);
}
