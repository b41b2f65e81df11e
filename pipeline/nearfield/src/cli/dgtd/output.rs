//! The results of `nearfield dgtd`, each under its name only when it is complete.

use super::super::exit::{Result, interrupted};
use super::super::{Context, summary};
use super::far::{self, Kind, Largest};
use super::run::{Recorded, joules};
use super::{pictures, touchstone};
use pipeline::dgtd::case::Case;
use pipeline::dgtd::dispersion::permittivity;
use pipeline::dgtd::lsrk::STAGES;
use pipeline::dgtd::partition::{Share, Statistics};
use pipeline::dgtd::ringing::KEPT;
use pipeline::dgtd::{Spectrum, Terminals, far_field};
use pipeline::files::{self, atomic};
use pipeline::numerics::constants::{ETA_0, SPEED_OF_LIGHT};
use serde_json::{Value, json};
use std::f64::consts::TAU;
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
) -> Result<()> {
    let ([steps, done], is_whole) = (recorded.steps, recorded.is_whole);
    let names = [["probes.partial.csv", "energy.partial.csv"], ["probes.csv", "energy.csv"]];
    let [probes, energy] = names[usize::from(is_whole)];
    write_probes(&folder.join(probes), case, recorded)?;
    write_energy(&folder.join(energy), recorded)?;
    let rate =
        recorded.unknowns as f64 * (STAGES as u64 * (done - recorded.before)) as f64 / recorded.seconds;
    let kind = if case.settings.wave.is_some() { Kind::Rcs } else { Kind::Directivity };
    let beams = match (&case.far_field, &recorded.sums.spectrum) {
        (Some(wanted), Some(spectrum)) if is_whole => {
            far::write(folder, &case.title, wanted, &recorded.ringing.ended(spectrum), kind)?
        }
        _ => Vec::new(),
    };
    let far = beams.iter().map(|beam| beam.value).reduce(f64::max);
    let is_antenna = matches!(kind, Kind::Directivity);
    let terminals = recorded.sums.terminals.as_ref().filter(|_| is_whole);
    let best = terminals.map(|it| touchstone::write(&folder.join("touchstone.s1p"), it)).transpose()?;
    terminals.map_or(Ok(()), |it| pictures::draw_reflection(folder, &case.title, it))?;
    let settings = json!({
        "title": case.title, "order": case.settings.order, "upwinding": case.settings.upwinding,
        "processes": context.ranks.size(), "duration_s": case.duration / SPEED_OF_LIGHT, "until_energy": case.until_energy, "courant": case.courant, "probes": case.probes.len(), "permittivities": permittivities(case),
    });
    let figures = json!({
        "elements": recorded.elements, "unknowns": recorded.unknowns, "steps": steps, "steps_done": done,
        "time_step_s": recorded.dt / SPEED_OF_LIGHT, "relative_error": recorded.error,
        "energy_first_j": recorded.energies.first().map(joules), "energy_last_j": recorded.energies.last().map(joules),
        "energy_left": recorded.energy_left(), "unknown_stages_per_s": rate, "largest_rcs_dbsm": far.filter(|_| !is_antenna),
        "largest_directivity_dbi": far.filter(|_| is_antenna), "best_match": best, "powers": powers(case, recorded),
        "radiated_over_accepted": efficiencies(recorded), "beams": beams.iter().filter(|_| is_antenna).map(Largest::described).collect::<Vec<Value>>(),
        "ringing_extrapolated": recorded.ringing.sums.len() == KEPT, "interrupted": !is_whole, "parts": recorded.parts.as_ref().map(parts),
    });
    summary::write(context, folder, settings, figures, start)?;
    if !is_whole {
        let file = folder.join(probes);
        let what = format!(" after {done} of {steps} steps; what was recorded is in {}", file.display());
        return Err(interrupted(what));
    }
    // What an earlier run left behind is all in these.
    names[0].iter().for_each(|name| drop(std::fs::remove_file(folder.join(name))));
    match (far, kind) {
        (Some(far), Kind::Rcs) => context.say(format!("  largest cross-section: {far:.2} dBsm")),
        (Some(far), Kind::Directivity) => context.say(format!("  largest directivity: {far:.2} dBi")),
        _ => {}
    }
    if let Some(error) = recorded.error {
        context.say(format!("  relative error at the end: {error:.3e}"));
    }
    if let Some(wanted) = case.until_energy.filter(|part| recorded.energy_left() > *part) {
        let left = recorded.energy_left();
        context.warn(format!("{left:.1e} of the largest energy is left, and until_energy is {wanted:.1e}: give a longer duration_s"));
    }
    context
        .say(format!("  {done} steps, {rate:.3e} unknowns x stages/s; results are in {}", folder.display()));
    Ok(())
}

/// Frequencies of the far field that the port has too: their numbers here and there.
fn both<'a>(spectrum: &'a Spectrum, terminals: &'a Terminals) -> impl Iterator<Item = [usize; 2]> + 'a {
    let port = |k: f64| terminals.wavenumbers.iter().position(|other| (other - k).abs() < 1e-9 * k);
    spectrum.wavenumbers.iter().enumerate().filter_map(move |(far, k)| Some([far, port(*k)?]))
}

/// Power through the Huygens surface over that into the port, at frequencies that both have.
fn efficiencies(recorded: &Recorded) -> Vec<f64> {
    let (Some(spectrum), Some(terminals)) = (&recorded.sums.spectrum, &recorded.sums.terminals) else {
        return Vec::new();
    };
    let of = |[far, near]: [usize; 2]| far_field::radiated(spectrum, far) / terminals.accepted(near);
    both(spectrum, terminals).map(of).collect()
}

/// Where the power of a generator of 1 V goes, W: what it could give, what the port takes (less what is reflected), what the sheet of the port takes of that, what passes the Huygens surface, and what arrives far away.
fn powers(case: &Case, recorded: &Recorded) -> Vec<Value> {
    let (Some(wanted), Some(spectrum), Some(terminals)) =
        (&case.far_field, &recorded.sums.spectrum, &recorded.sums.terminals)
    else {
        return Vec::new();
    };
    let whole = far::whole(wanted, spectrum);
    // Each image sends as much as what it is the image of.
    let images = f64::from(1 << wanted.images.len());
    let of = |[far, near]: [usize; 2]| {
        let watts = |power: f64| power / (ETA_0 * terminals.source[near].norm_sqr());
        json!({
            "frequency_hz": terminals.wavenumbers[near] * SPEED_OF_LIGHT / TAU, "available_w": 0.125 / terminals.resistance(),
            "accepted_w": watts(terminals.accepted(near)), "port_loss_w": watts(terminals.lost(near)), "surface_w": watts(far_field::radiated(spectrum, far)),
            "radiated_w": watts(far_field::sent(&whole, far) / images),
        })
    };
    both(spectrum, terminals).map(of).collect()
}

/// Of each dispersive group at the frequencies of the far field and of a port; losses are negative imaginary parts.
fn permittivities(case: &Case) -> Vec<Value> {
    let far = case.far_field.iter().flat_map(|far| &far.wavenumbers);
    let wavenumbers: Vec<f64> = far.chain(&case.sweep).copied().collect();
    let media = case.settings.poles.iter().zip(&case.settings.materials);
    let dispersive = media.filter(|((_, poles), _)| !poles.is_empty());
    let each = dispersive.flat_map(|((group, poles), (_, material))| {
        wavenumbers.iter().map(move |k| {
            let found = permittivity(material.permittivity, poles, *k);
            json!({"group": group, "frequency_hz": k * SPEED_OF_LIGHT / TAU, "real": found.re, "imaginary": found.im})
        })
    });
    each.collect()
}

/// Who has how much, and what is between them.
fn parts(found: &Statistics) -> Value {
    let share = |share: &Share| {
        let Share { elements, weight, faces, neighbours } = share;
        json!({"elements": elements, "weight": weight, "faces": faces, "neighbours": neighbours})
    };
    json!({
        "faces_between": found.cut(), "largest_weight_over_mean": found.imbalance(),
        "shares": found.shares.iter().map(share).collect::<Vec<Value>>(),
    })
}

fn write_probes(path: &Path, case: &Case, recorded: &Recorded) -> Result<(), files::Error> {
    let rows = recorded.times.iter().flat_map(|time| (0..case.probes.len()).map(move |probe| (time, probe)));
    atomic::write(path, |file| {
        writeln!(file, "time_s,probe,ex_v_per_m,ey_v_per_m,ez_v_per_m,hx_a_per_m,hy_a_per_m,hz_a_per_m")?;
        rows.zip(&recorded.probes).try_for_each(|((time, probe), state)| {
            let ([ex, ey, ez], [hx, hy, hz]) = (state.e.to_array(), state.h.to_array().map(|h| h / ETA_0));
            writeln!(file, "{:e},{probe},{ex:e},{ey:e},{ez:e},{hx:e},{hy:e},{hz:e}", time / SPEED_OF_LIGHT)
        })
    })
}

fn write_energy(path: &Path, recorded: &Recorded) -> Result<(), files::Error> {
    atomic::write(path, |file| {
        writeln!(file, "time_s,energy_j")?;
        let mut rows = recorded.times.iter().zip(&recorded.energies);
        rows.try_for_each(|(time, energy)| writeln!(file, "{:e},{:e}", time / SPEED_OF_LIGHT, joules(energy)))
    })
}
