//! The figures of the page, for its template.

use super::cases::{CASES, FREQUENCY, LENGTHS, PUBLISHED, scaled};
use super::cut::{self, RANGES, SPAN};
use super::figures::{COMMAND, Figures, MESH, POLARISATIONS, Run};
use anyhow::{Context, Result};
use serde_json::{Value, json};

pub const TEMPLATE: &str = include_str!("../../pages/almond.md");

/// Speed of light, m/s.
const LIGHT: f64 = 299_792_458.0;

/// All of them.
pub fn data(figures: &Figures) -> Result<Value> {
    let first = figures.dgtd.first().context("there is no run of DGTD")?;
    let runs = figures.dgtd.iter().map(|run| self::run(figures, run).context(run.case.name));
    let [low, high] = PUBLISHED.map(scaled);
    let wavelengths = [low, high, FREQUENCY].map(|frequency| LENGTHS[0] * frequency / LIGHT);
    Ok(json!({
        "command": COMMAND, "device": first.summary["device"], "mesh": MESH, "span": SPAN, "length": LENGTHS[0],
        "frequencies": [low, high], "wavelengths": wavelengths,
        "truth": [CASES[0].name, CASES[1].name], "scale": scale(), "means": means(figures)?,
        "cuts": cuts(figures)?, "tip": tip(figures)?, "runs": runs.collect::<Result<Vec<Value>>>()?,
    }))
}

/// From levels of the long almond to those of the short one, dB.
fn scale() -> f64 {
    20.0 * (LENGTHS[1] / LENGTHS[0]).log10()
}

fn means(figures: &Figures) -> Result<Vec<Value>> {
    let mut rows = Vec::new();
    for (number, (polarisation, _)) in POLARISATIONS.iter().enumerate() {
        let (truth, rays) = (figures.truth(number, FREQUENCY)?, figures.rays(number, FREQUENCY)?);
        for range in RANGES {
            let (count, without) = cut::difference(&rays[0], &truth, range)?;
            let (_, with) = cut::difference(&rays[1], &truth, range)?;
            rows.push(json!({
                "polarisation": polarisation, "angles": range.0, "number": count, "rays": without, "edges": with,
            }));
        }
    }
    Ok(rows)
}

/// Levels of a polarisation in a direction: of DGTD, and of SBR without and with edges, dBsm.
fn levels(figures: &Figures, polarisation: usize, frequency: f64, phi: f64) -> Result<Vec<f64>> {
    let [without, with] = figures.rays(polarisation, frequency)?;
    let cuts = [figures.truth(polarisation, frequency)?, without, with];
    cuts.iter().map(|cut| cut::at(cut, phi)).collect()
}

fn cuts(figures: &Figures) -> Result<Vec<Value>> {
    let row = |phi: u32| -> Result<Value> {
        let both = [0, 1].map(|number| levels(figures, number, FREQUENCY, phi.into()));
        let [vertical, horizontal] = both;
        let shown =
            [vertical?, horizontal?].concat().into_iter().map(|level| (level >= -100.0).then_some(level));
        Ok(json!({ "phi": phi, "levels": shown.collect::<Vec<_>>() }))
    };
    (0..=180).step_by(10).map(row).collect()
}

fn tip(figures: &Figures) -> Result<Vec<Value>> {
    let mut rows = Vec::new();
    for (place, hertz) in PUBLISHED.iter().enumerate() {
        for (number, (polarisation, _)) in POLARISATIONS.iter().enumerate() {
            let mut all: Vec<f64> = figures.published.iter().map(|set| set[place][number]).collect();
            let ours = levels(figures, number, scaled(*hertz), 0.0)?;
            all.extend(ours.iter().map(|level| level + scale()));
            rows.push(json!({ "hertz": hertz, "polarisation": polarisation, "levels": all }));
        }
    }
    Ok(rows)
}

fn run(figures: &Figures, Run { case, table, summary }: &Run) -> Result<Value> {
    let mut apart = Vec::new();
    for frequency in [FREQUENCY, scaled(PUBLISHED[1]), scaled(PUBLISHED[0])] {
        if let Some(truth) = case.beside.map(|name| figures.waves(name, frequency)).transpose()?.flatten() {
            let found = cut::cut(table, frequency, 3)?;
            for range in &RANGES[..2] {
                apart.push(cut::difference(&found, &truth, *range)?.1);
            }
        }
    }
    let beside = case.beside.map_or(String::new(), |name| format!("`{name}`"));
    Ok(
        json!({ "name": case.name, "about": case.about, "summary": summary, "beside": beside, "apart": apart }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page;

    fn text(figures: &Figures) -> Result<String> {
        let mut data = data(figures)?;
        data["date"] = "d".into();
        page::fill(TEMPLATE, &data)
    }

    /// DGTD at one level, rays 2 dB above it and 1 dB with edges.
    fn figures(names: &[&str]) -> Figures {
        let frequencies = PUBLISHED.map(scaled).into_iter().chain([FREQUENCY]);
        let rows: Vec<[f64; 3]> =
            frequencies.flat_map(|it| (0..=180).map(move |phi| [it, 90.0, f64::from(phi)])).collect();
        let rays = |more: f64| {
            rows.iter().map(|[f, t, p]| vec![*f, *t, *p, more - 6.0, -200.0, -200.0, more - 5.0]).collect()
        };
        let summary = json!({
            "device": "a card", "elapsed_s": 1.5,
            "figures": { "elements": 10, "unknowns": 20, "steps_done": 30, "energy_left": 4e-7 },
        });
        let waves = |name: &&str| {
            let level = if name.ends_with('h') { -6.0 } else { -5.0 };
            let level = if name.starts_with("v3") { level + 0.25 } else { level };
            let table = rows.iter().map(|[f, t, p]| vec![*f, *t, *p, level]).collect();
            let case = CASES.iter().find(|case| case.name == *name).unwrap();
            Run { case, table, summary: summary.clone() }
        };
        let published = vec![[[-40.0, -28.0], [-42.0, -34.0]]; 3];
        Figures { dgtd: names.iter().map(waves).collect(), sbr: [rays(2.0), rays(1.0)], published }
    }

    #[test]
    fn figures_become_lines() {
        let all = figures(&["fine_v", "fine_h", "v3", "layers"]);
        let text = text(&all).unwrap();
        for part in [
            "device: a card.",
            "2.499 m long, 8.3 wavelengths",
            "| V | all | 181 | 2.0 | 1.0 |\n",
            "| H | back half, phi < 90 | 90 | 2.0 | 1.0 |\n",
            "| 180 | -5.0 | -3.0 | -4.0 | -6.0 | -4.0 | -5.0 |\n",
            "| 3.5 | V | -40.00 | -40.00 | -40.00 | -24.91 | -22.91 | -23.91 |\n",
            "| 7 | H | -34.00 | -34.00 | -34.00 | -25.91 | -23.91 | -24.91 |\n",
            "size, order 3 | 10 | 20 | 30 | 1.5 | 4.0e-7 |  |  |  |  |  |  |  |\n",
            "| `v3` | V, order 3 | 10 | 20 | 30 | 1.5 | 4.0e-7 | `fine_v` | 0.25 | 0.25 | 0.25 | 0.25 | 0.25 | 0.25 |\n",
            "three | 10 | 20 | 30 | 1.5 | 4.0e-7 | `v` |  |  |  |  |  |  |\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(super::tests::text(&figures(&["fine_v"])).is_err() && data(&figures(&[])).is_err());
    }

    #[test]
    fn what_is_not_there_has_no_level() {
        let mut all = figures(&["fine_v", "fine_h"]);
        all.sbr[0].last_mut().unwrap()[6] = -330.0;
        let page = text(&all).unwrap();
        assert!(page.contains("| 180 | -5.0 | none | -4.0 | -6.0 | -4.0 | -5.0 |\n"), "{page}");
    }
}
