//! The NUFFT against independent data: `shared/data/nufft`, direct sums of the paper's eqs 7 and 21, exact to the last bit.
//!
//! There modes run from -N/2 to N/2, k along x first; points are in units of 2 pi/N; the exponent is negative. Here x is the axis
//! that runs fastest, so that it takes the data's y.

mod cuda;

use num_complex::Complex;
use pipeline::nufft::cpu::Plan;
use pipeline::nufft::design::Kind;
use pipeline::nufft::{Error, Settings, Sign, Type, reference};
use std::f64::consts::TAU;

type C = Complex<f64>;

struct Data {
    name: &'static str,
    modes: usize,
    /// In radians: the data's y, then x.
    points: [Vec<f64>; 2],
    strengths: Vec<C>,
    /// Of the strengths, eq. 7.
    ned: Vec<C>,
    f: Vec<C>,
    /// Of f, eq. 21.
    ner: Vec<C>,
}

fn data(test: &str) -> Vec<Data> {
    let open = |name: &'static str| {
        let file = tests::shared(test, &format!("nufft/{name}.npz"))?;
        let complex = |array: &str| tests::npz::<C>(&file, array).0;
        let modes = tests::npz::<i64>(&file, "k").0.len();
        let radians = |array: &str| {
            tests::npz::<f64>(&file, array).0.iter().map(|x| x * TAU / (modes - 1) as f64).collect()
        };
        let points = [radians("y"), radians("x")];
        let [strengths, ned, f, ner] = ["z", "ned", "F", "ner"].map(complex);
        Some(Data { name, modes, points, strengths, ned, f, ner })
    };
    ["nufft_S32_unit01", "nufft_S32_zeromean", "nufft_S64_unit01"].into_iter().filter_map(open).collect()
}

fn error(found: &[C], expected: &[C]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let apart: f64 = found.iter().zip(expected).map(|(a, b)| (a - b).norm_sqr()).sum();
    (apart / expected.iter().map(|b| b.norm_sqr()).sum::<f64>()).sqrt()
}

impl Data {
    fn points(&self) -> [&[f64]; 2] {
        [&self.points[0], &self.points[1]]
    }

    /// Errors of both types.
    fn errors(&self, settings: &Settings) -> Result<[f64; 2], Error> {
        let mut plan = Plan::<f64>::new(&[self.modes; 2], settings)?;
        plan.set_points(&self.points())?;
        let mut scratch = plan.scratch();
        let nan = C::new(f64::NAN, f64::NAN);
        let (mut f, mut values) = (vec![nan; self.f.len()], vec![nan; self.strengths.len()]);
        plan.execute(Type::One, &self.strengths, &mut f, &mut scratch)?;
        plan.execute(Type::Two, &self.f, &mut values, &mut scratch)?;
        Ok([error(&f, &self.ned), error(&values, &self.ner)])
    }
}

/// Rounding of 4096 terms.
const EXACT: f64 = 1e-14;

#[test]
fn the_definition_is_the_papers() {
    for data in data("the_definition_is_the_papers") {
        let modes = [data.modes; 2];
        let found = error(&reference::type_1(&data.points(), &data.strengths, &modes, -1.0), &data.ned);
        assert!(found < EXACT, "{}: {found:e}", data.name);
        let found = error(&reference::type_2(&data.points(), &data.f, &modes, -1.0), &data.ner);
        assert!(found < EXACT, "{}: {found:e}", data.name);
    }
}

#[test]
fn every_tolerance_is_met() {
    let mut worst: f64 = 0.0;
    for data in data("every_tolerance_is_met") {
        for window in [Kind::Prolate, Kind::Semicircle] {
            for exponent in 2..=14 {
                let tolerance = 10f64.powi(-exponent);
                let settings = Settings { window, ..Settings::new(tolerance, Sign::Negative) };
                let errors = match data.errors(&settings) {
                    // The exponential of semicircle ends before.
                    Err(Error::Tolerance { reach, .. })
                        if window == Kind::Semicircle && reach > tolerance =>
                    {
                        continue;
                    }
                    errors => errors.unwrap(),
                };
                for found in errors {
                    assert!(found <= tolerance, "{} {window} {tolerance:e}: {found:e}", data.name);
                    worst = worst.max(found / tolerance);
                }
            }
        }
    }
    println!("largest error over tolerance: {worst:.2}");
}

/// The paper's Figures 3 and 8: errors of its window for K = 3 to 8, against `kb_errors.csv` (c = 2, with the sine form outside).
#[test]
fn the_papers_window_is_as_good_as_the_paper_says() {
    let test = "the_papers_window_is_as_good_as_the_paper_says";
    let Some(file) = tests::shared(test, "nufft/kb_errors.csv") else { return };
    let table = std::fs::read_to_string(file).unwrap();
    for data in data(test) {
        for k in 3..=8 {
            let [size, kind] = [&data.name[7..9], &data.name[10..]];
            let row = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
            let mut rows = row.filter(|row| {
                row[0] == size
                    && row[1] == kind
                    && row[2] == k.to_string()
                    && row[5] == "True"
                    && row[6] == "round"
            });
            let row = rows.next().unwrap_or_else(|| panic!("no row of {size} {kind} {k}"));
            let expected = [7, 9].map(|column: usize| row[column].parse::<f64>().unwrap());
            let settings = Settings { window: Kind::Kaiser(k), ..Settings::new(1e-2, Sign::Negative) };
            let found = data.errors(&settings).unwrap();
            println!(
                "{} K = {k}: {:.1e} {:.1e}, the table {:.1e} {:.1e}",
                data.name, found[0], found[1], expected[0], expected[1]
            );
            for (found, expected) in found.into_iter().zip(expected) {
                // The fine grid is a little larger here, which is never worse; rounding is the floor.
                assert!(found < 1.3 * expected + 2e-15, "{} K = {k}: {found:e} {expected:e}", data.name);
            }
        }
    }
}
