//! The page's text and tables.

use super::cases::{CASES, FREQUENCY, LENGTHS, PUBLISHED, scaled};
use super::cut::{self, RANGES, SPAN};
use super::figures::{COMMAND, Figures, MESH, POLARISATIONS, Run, SETS};
use crate::machine;
use anyhow::{Context, Result};
use std::fmt::Write;

/// All of it.
pub fn page(figures: &Figures) -> Result<String> {
    let first = figures.dgtd.first().context("there is no run of DGTD")?;
    let device = first.summary["device"].as_str().context("a summary without its device")?;
    let mut page = format!(
        "# The EMCC almond: fields in time, rays, and published values\n\nDate: {}. Command: `cargo xtask measure-almond`, which made this page; do not edit. DGTD: `{COMMAND}` of the cases that the command writes, device: {device}. \
         SBR: `nearfield sbr {MESH} --frequency 1e9 --theta 90 --phi 0 --bistatic-theta 90 --bistatic-phi 0:180:1 --edges none|ildc --precision f64`.\n\n\
         The almond is {} m long, {:.1} wavelengths at 1 GHz. The wave comes onto the tip (theta 90, phi 0); receivers are in the wide plane, phi = 0 is back and 180 is forward. V has E along z, H along y. Mathematics: `docs/math/dgtd.md`, `docs/math/sbr.md`.\n",
        machine::date_and_commit()?,
        LENGTHS[0],
        LENGTHS[0] * FREQUENCY / LIGHT
    );
    page += &means(figures)?;
    page += &cuts(figures)?;
    page += &tip(figures)?;
    page += &runs(figures)?;
    Ok(page)
}

/// Speed of light, m/s.
const LIGHT: f64 = 299_792_458.0;

fn means(figures: &Figures) -> Result<String> {
    let mut text = format!(
        "\n## SBR beside DGTD at 1 GHz\n\nMean of |difference|, dB, over the angles at which DGTD is within {SPAN} dB of its largest value in the range; values of SBR below that count as {SPAN} dB below it. SBR is an approximation for bodies of many wavelengths and DGTD the check: \
         nothing creeps round the almond in SBR, and the wave that makes the shadow is not in its integral, so that it has no forward lobe, whatever the edges add (the angles above 150 degrees, in `all` only).\n\n\
         | polarisation | angles | number | rays | rays and edges |\n|---|---|---|---|---|\n"
    );
    for (number, (polarisation, _)) in POLARISATIONS.iter().enumerate() {
        let (truth, rays) = (figures.truth(number, FREQUENCY)?, figures.rays(number, FREQUENCY)?);
        for range in RANGES {
            let (count, without) = cut::difference(&rays[0], &truth, range)?;
            let (_, with) = cut::difference(&rays[1], &truth, range)?;
            writeln!(text, "| {polarisation} | {} | {count} | {without:.1} | {with:.1} |", range.0)?;
        }
    }
    Ok(text)
}

fn cuts(figures: &Figures) -> Result<String> {
    let mut text = String::from(
        "\n## The cut at 1 GHz\n\ndBsm.\n\n| phi | V: DGTD | rays | rays and edges | H: DGTD | rays | rays and edges |\n|---|---|---|---|---|---|---|\n",
    );
    for phi in (0..=180).step_by(10) {
        write!(text, "| {phi} |")?;
        for number in 0..POLARISATIONS.len() {
            let [without, with] = figures.rays(number, FREQUENCY)?;
            for cut in [figures.truth(number, FREQUENCY)?, without, with] {
                let level = cut::at(&cut, f64::from(phi))?;
                if level < -100.0 { write!(text, " none |")? } else { write!(text, " {level:.1} |")? }
            }
        }
        text.push('\n');
    }
    Ok(text)
}

fn tip(figures: &Figures) -> Result<String> {
    let scale = 20.0 * (LENGTHS[1] / LENGTHS[0]).log10();
    let [low, high] = PUBLISHED.map(|frequency| 1e-9 * scaled(frequency));
    let mut text = format!(
        "\n## The tip, as published\n\nBackscatter at phi = 0 of an almond of 9.936 inches, dBsm, of the public Austin benchmark suite. Ours are computed at {low:.4} and {high:.4} GHz, where the longer almond has as many wavelengths, and taken to the short one's size by {scale:.2} dB. \
         The second set of measurements is at half the frequencies with the levels of the first, as of an almond twice as long; its levels stand as they are in the files. At {:.1} and {:.1} wavelengths SBR is outside its range.\n\n\
         | GHz | polarisation |",
        LENGTHS[0] * 1e9 * low / LIGHT,
        LENGTHS[0] * 1e9 * high / LIGHT
    );
    let names = SETS.map(|(_, name)| name);
    let columns: Vec<&str> = names.into_iter().chain(["DGTD", "rays", "rays and edges"]).collect();
    writeln!(text, " {} |\n|---|---|{}", columns.join(" | "), "---|".repeat(columns.len()))?;
    for (place, frequency) in PUBLISHED.iter().enumerate() {
        for (number, (polarisation, _)) in POLARISATIONS.iter().enumerate() {
            let mut levels: Vec<f64> = figures.published.iter().map(|set| set[place][number]).collect();
            let mut cuts = vec![figures.truth(number, scaled(*frequency))?];
            cuts.extend(figures.rays(number, scaled(*frequency))?);
            for cut in &cuts {
                levels.push(cut::at(cut, 0.0)? + scale);
            }
            let levels: Vec<String> = levels.iter().map(|level| format!("{level:.2}")).collect();
            writeln!(text, "| {} | {polarisation} | {} |", 1e-9 * frequency, levels.join(" | "))?;
        }
    }
    Ok(text)
}

fn runs(figures: &Figures) -> Result<String> {
    let mut text = format!(
        "\n## The runs of DGTD\n\nThe built-in case `almond` with a pulse of 0.7 ns at 0.7 GHz, whose spectrum has all three frequencies. Its cells of 0.16 m are half a wavelength at 1 GHz, and its triangles are flat: the tables above are those of `{}` and `{}`, with cells of half the size. \
         Layers are 0.47 m thick, half a wavelength at the lowest frequency: what they absorb does not depend on the frequency as long as the wavenumber is well above their shift of 0.03 rad/m, and `layers` has thicker ones. Differences are means, dB, from the run in the column `beside`, over the angles within {SPAN} dB of its largest value, and \
         over those of the back half. Where runs with the same polarisation differ, the elements are not fine enough there, and differences of SBR below that mean nothing.\n\n\
         | run | what it is | elements | unknowns | steps | s | energy left | beside | 1 GHz | back half | 0.71 GHz | back half | 0.35 GHz | back half |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        CASES[0].name, CASES[1].name
    );
    for run in &figures.dgtd {
        text += &line(figures, run).context(run.case.name)?;
    }
    Ok(text)
}

fn line(figures: &Figures, Run { case, table, summary }: &Run) -> Result<String> {
    let figure =
        |name: &str| summary["figures"][name].as_f64().with_context(|| format!("there is no {name}"));
    let mut line = format!(
        "| `{}` | {} | {} | {} | {} | {:.1} | {:.1e} |",
        case.name,
        case.about,
        figure("elements")?,
        figure("unknowns")?,
        figure("steps_done")?,
        summary["elapsed_s"].as_f64().context("there is no elapsed_s")?,
        figure("energy_left")?
    );
    write!(line, " {} |", case.beside.map_or(String::new(), |name| format!("`{name}`")))?;
    for frequency in [FREQUENCY, scaled(PUBLISHED[1]), scaled(PUBLISHED[0])] {
        let truth = case.beside.map(|name| figures.waves(name, frequency)).transpose()?.flatten();
        for range in &RANGES[..2] {
            match &truth {
                Some(truth) => {
                    let found = cut::cut(table, frequency, 3)?;
                    write!(line, " {:.2} |", cut::difference(&found, truth, *range)?.1)?;
                }
                None => line += " |",
            }
        }
    }
    line.push('\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        let text = page(&all).unwrap();
        for part in [
            "device: a card.",
            "2.499 m long, 8.3 wavelengths",
            "| V | all | 181 | 2.0 | 1.0 |\n",
            "| H | back half, phi < 90 | 90 | 2.0 | 1.0 |\n",
            "| 180 | -5.0 | -3.0 | -4.0 | -6.0 | -4.0 | -5.0 |\n",
            "| 3.5 | V | -40.00 | -40.00 | -40.00 | -24.91 | -22.91 | -23.91 |\n",
            "| 7 | H | -34.00 | -34.00 | -34.00 | -25.91 | -23.91 | -24.91 |\n",
            "size, order 3 | 10 | 20 | 30 | 1.5 | 4.0e-7 |  | | | | | | |\n",
            "| `v3` | V, order 3 | 10 | 20 | 30 | 1.5 | 4.0e-7 | `fine_v` | 0.25 | 0.25 | 0.25 | 0.25 | 0.25 | 0.25 |\n",
            "three | 10 | 20 | 30 | 1.5 | 4.0e-7 | `v` | | | | | | |\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(page(&figures(&["fine_v"])).is_err() && page(&figures(&[])).is_err());
    }

    #[test]
    fn what_is_not_there_has_no_level() {
        let mut all = figures(&["fine_v", "fine_h"]);
        all.sbr[0].last_mut().unwrap()[6] = -330.0;
        assert!(cuts(&all).unwrap().ends_with("| 180 | -5.0 | none | -4.0 | -6.0 | -4.0 | -5.0 |\n"));
    }
}
