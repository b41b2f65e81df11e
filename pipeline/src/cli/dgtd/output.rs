//! The results of `nearfield dgtd`, each under its name only when it is complete.

use super::super::exit::Halted;
use super::super::{Context, summary};
use super::far;
use super::run::Recorded;
use pipeline::io::atomic::AtomicFile;
use pipeline::solvers::dgtd::case::{Case, LIGHT};
use pipeline::solvers::dgtd::lsrk::STAGES;
use pipeline::solvers::dgtd::material::ETA0;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Everything; what Ctrl-C left goes under other names, and is an error.
pub fn write(
    context: &Context,
    folder: &Path,
    case: &Case,
    recorded: &Recorded,
    start: Instant,
) -> anyhow::Result<()> {
    let [steps, done] = recorded.steps;
    let is_whole = done == steps;
    let names = [["probes.partial.csv", "energy.partial.csv"], ["probes.csv", "energy.csv"]];
    let [probes, energy] = names[usize::from(is_whole)];
    write_probes(&folder.join(probes), case, recorded)?;
    write_energy(&folder.join(energy), recorded)?;
    let rate =
        recorded.unknowns as f64 * (STAGES as u64 * (done - recorded.before)) as f64 / recorded.seconds;
    let rcs = match (&case.far_field, &recorded.spectrum) {
        (Some(wanted), Some(spectrum)) if is_whole => {
            Some(far::write(&folder.join("rcs.csv"), wanted, spectrum)?)
        }
        _ => None,
    };
    let settings = json!({
        "title": case.title, "order": case.settings.order, "upwinding": case.settings.upwinding,
        "duration_s": case.duration / LIGHT, "courant": case.courant, "probes": case.probes.len(),
    });
    let figures = json!({
        "elements": recorded.elements, "unknowns": recorded.unknowns, "steps": steps, "steps_done": done,
        "time_step_s": recorded.dt / LIGHT, "relative_error": recorded.error,
        "energy_first_j": recorded.energies.first().map(joules), "energy_last_j": recorded.energies.last().map(joules),
        "unknown_stages_per_s": rate, "largest_rcs_dbsm": rcs, "interrupted": !is_whole,
    });
    summary::write(context, folder, settings, figures, start)?;
    if !is_whole {
        return Err(Halted { done, steps, file: folder.join(probes).display().to_string() }.into());
    }
    // What an earlier run left behind is all in these.
    names[0].iter().for_each(|name| drop(std::fs::remove_file(folder.join(name))));
    if let Some(rcs) = rcs {
        context.say(format!("  largest cross-section: {rcs:.2} dBsm"));
    }
    if let Some(error) = recorded.error {
        context.say(format!("  relative error at the end: {error:.3e}"));
    }
    context
        .say(format!("  {steps} steps, {rate:.3e} unknowns x stages/s; results are in {}", folder.display()));
    Ok(())
}

/// Energy, J, of half the integral of eps E^2 + mu H^2.
fn joules(energy: &f64) -> f64 {
    // The permittivity of vacuum is 1/(eta0 c).
    energy / (ETA0 * LIGHT)
}

fn write_probes(path: &Path, case: &Case, recorded: &Recorded) -> anyhow::Result<()> {
    let mut file = AtomicFile::create(path)?;
    writeln!(file, "time_s,probe,ex_v_per_m,ey_v_per_m,ez_v_per_m,hx_a_per_m,hy_a_per_m,hz_a_per_m")?;
    let rows = recorded.times.iter().flat_map(|time| (0..case.probes.len()).map(move |probe| (time, probe)));
    for ((time, probe), state) in rows.zip(&recorded.probes) {
        let ([ex, ey, ez], [hx, hy, hz]) = (state.e.to_array(), state.h.to_array().map(|h| h / ETA0));
        writeln!(file, "{:e},{probe},{ex:e},{ey:e},{ez:e},{hx:e},{hy:e},{hz:e}", time / LIGHT)?;
    }
    file.commit()?;
    Ok(())
}

fn write_energy(path: &Path, recorded: &Recorded) -> anyhow::Result<()> {
    let mut file = AtomicFile::create(path)?;
    writeln!(file, "time_s,energy_j")?;
    for (time, energy) in recorded.times.iter().zip(&recorded.energies) {
        writeln!(file, "{:e},{:e}", time / LIGHT, joules(energy))?;
    }
    file.commit()?;
    Ok(())
}
