//! The thesis's Figures 7.6 to 7.8 on our scenes: `cargo run -p tests --example front_ends -- FOLDER`.
//!
//! Writes `front-ends-d1.png` to `-d4.png` (the source plane by four front ends, filter 50:0.3, LPBP of order 8) and
//! `walsh.png` (the error against the nominal front end over the number of Walsh coefficients).

use num_complex::Complex;
use pipeline::holography::Padding;
use pipeline::holography::camera::FilterRule;
use pipeline::holography::design::KFilter;
use pipeline::holography::metrics::compare;
use pipeline::plot::Grid;
use pipeline::plot::hologram::{Figure, Panel, Reference, Values};
use pipeline::plot::lines::{Curve, Figure as Lines, Quantity};
use pipeline::signal::front_end::{Method, Taper};
use std::path::PathBuf;
use tests::holograms::{Chain, Dataset, datasets};

const POINTS: usize = 1024;
const COEFFICIENTS: [usize; 10] = [4, 10, 20, 40, 100, 200, 400, 1000, 4000, 32768];

/// The first bin's source field.
fn source(dataset: &Dataset, method: Method) -> Vec<Complex<f64>> {
    let (padding, rule) = (Padding::Lpbp { order: 8 }, FilterRule::Fixed(KFilter::THESIS));
    let taper = if method == Method::Nominal { Taper::Hann } else { Taper::None };
    let mut field = Chain { method, taper, padding, rule }.run::<f64>(dataset).1;
    field.truncate(POINTS);
    field
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("give a folder")?);
    let Some(datasets) = datasets("front_ends") else { return Ok(()) };
    let mut curves = Vec::new();
    for dataset in &datasets {
        let nominal = source(dataset, Method::Nominal);
        let walsh = |count: usize| source(dataset, Method::Walsh { coefficients: Some(count) });
        let error = |field: &[Complex<f64>]| {
            Ok::<_, Box<dyn std::error::Error>>(100.0 * compare(&nominal, field)?.relative_l2)
        };
        let fields = [
            ("average", source(dataset, Method::Average)),
            ("walsh, 40 coefficients", walsh(40)),
            ("bits", source(dataset, Method::Bits)),
        ];
        let mut titles = vec!["nominal".to_string()];
        for (name, field) in &fields {
            titles.push(format!("{name}: {:.2} %", error(field)?));
        }
        let all: Vec<&[Complex<f64>]> =
            std::iter::once(&nominal[..]).chain(fields.iter().map(|f| &f.1[..])).collect();
        let panels = titles.iter().zip(all).map(|(title, values)| Panel {
            title,
            grid: Grid::centred(32, 32, 0.02),
            values: Values::Complex { values, reference: Reference::Maximum },
        });
        let title =
            format!("{}, bin {}, on the source plane by four front ends", dataset.name, dataset.bins[0]);
        Figure::new(&title, panels.collect())
            .save(folder.join(format!("front-ends-{}.png", dataset.name)))?;
        let errors =
            COEFFICIENTS.iter().map(|&count| error(&walsh(count))).collect::<Result<Vec<f64>, _>>()?;
        curves.push((format!("{}, bin {}", dataset.name, dataset.bins[0]), errors));
    }
    let x: Vec<f64> = COEFFICIENTS.iter().map(|&n| n as f64).collect();
    let curves = curves.iter().map(|(name, y)| Curve { name, x: &x, y }).collect();
    let figure = Lines {
        title: "Walsh against the nominal front end, on the source plane",
        x: Quantity::logarithmic("Walsh coefficients a bin"),
        y: Quantity::logarithmic("relative L2 error (%)"),
        curves,
    };
    figure.save(folder.join("walsh.png"))?;
    Ok(())
}
