//! Figures 3 and 8 of the paper, for K = 3..8: error of the NUFFT with its window against direct sums, over the side of the array.
//!
//! As there: S x S points within one period and S x S modes, real and imaginary parts of the data even over (0, 1), oversampling 2, double
//! precision; 100 times the relative root mean square error. Run from the repository's root:
//! `cargo run --release --package nearfield-bench --example nufft_figures`.

use nufft::design::Kind;
use nufft::{Settings, Sign, Type, cpu, reference};
use num_complex::Complex;
use numerics::random::SplitMix64;
use plot::lines::{Curve, Figure, Quantity};
use std::f64::consts::PI;

type C = Complex<f64>;

const SIDES: [usize; 9] = [10, 16, 24, 36, 50, 64, 80, 100, 110];
const HALF_WIDTHS: std::ops::RangeInclusive<usize> = 3..=8;

/// One side: points, strengths, modes.
struct Case {
    side: usize,
    points: [Vec<f64>; 2],
    strengths: Vec<C>,
    f: Vec<C>,
}

impl Case {
    fn new(side: usize) -> Self {
        let mut random = SplitMix64::new(side as u64);
        let count = side * side;
        let mut coordinates = || (0..count).map(|_| PI * (2.0 * random.uniform() - 1.0)).collect();
        let points = [coordinates(), coordinates()];
        let mut values = || (0..count).map(|_| C::new(random.uniform(), random.uniform())).collect();
        Self { side, points, strengths: values(), f: values() }
    }

    fn points(&self) -> [&[f64]; 2] {
        [&self.points[0], &self.points[1]]
    }

    fn input(&self, kind: Type) -> &[C] {
        if kind == Type::One { &self.strengths } else { &self.f }
    }

    fn exact(&self, kind: Type) -> Vec<C> {
        let definition = if kind == Type::One { reference::type_1 } else { reference::type_2 };
        definition(&self.points(), self.input(kind), &[self.side; 2], -1.0)
    }

    fn found(&self, kind: Type, k: usize) -> Result<Vec<C>, nufft::Error> {
        // With this window the width is K's; the tolerance has nothing to decide.
        let settings = Settings { window: Kind::Kaiser(k), ..Settings::new(1e-14, Sign::Negative) };
        let mut plan = cpu::Plan::<f64>::new(&[self.side; 2], &settings)?;
        plan.set_points(&self.points())?;
        let mut output = vec![C::new(f64::NAN, f64::NAN); self.side * self.side];
        plan.execute(kind, self.input(kind), &mut output, &mut plan.scratch())?;
        Ok(output)
    }
}

/// 100 times the relative root mean square error.
fn percent(found: &[C], exact: &[C]) -> f64 {
    let apart: f64 = found.iter().zip(exact).map(|(f, e)| (f - e).norm_sqr()).sum();
    100.0 * (apart / exact.iter().map(|e| e.norm_sqr()).sum::<f64>()).sqrt()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cases: Vec<Case> = SIDES.iter().map(|&side| Case::new(side)).collect();
    let sides: Vec<f64> = SIDES.iter().map(|&side| side as f64).collect();
    let figures = [
        (Type::One, "NUFFT of type 1 (NED), window kaiser:K, c = 2", "docs/images/nufft-type-1.png"),
        (Type::Two, "NUFFT of type 2 (NER), window kaiser:K, c = 2", "docs/images/nufft-type-2.png"),
    ];
    for (kind, title, path) in figures {
        let exact: Vec<Vec<C>> = cases.iter().map(|case| case.exact(kind)).collect();
        let mut curves = Vec::new();
        for k in HALF_WIDTHS {
            let error = |(case, exact): (&Case, &Vec<C>)| Ok(percent(&case.found(kind, k)?, exact));
            let errors = cases.iter().zip(&exact).map(error).collect::<Result<Vec<f64>, _>>();
            curves.push((format!("K = {k}"), errors.map_err(|e: nufft::Error| e)?));
        }
        let curve = |(name, y)| Curve { name, x: &sides, y };
        let figure = Figure {
            title,
            x: Quantity::linear("points and modes along a side"),
            y: Quantity::logarithmic("RMS error in %"),
            curves: curves
                .iter()
                .map(|(name, y): &(String, Vec<f64>)| curve((name.as_str(), y.as_slice())))
                .collect(),
        };
        figure.save(path)?;
        for (name, errors) in &curves {
            let errors: Vec<String> = errors.iter().map(|error| format!("{error:.1e}")).collect();
            println!("{title}, {name}: {} %", errors.join(" "));
        }
    }
    Ok(())
}
