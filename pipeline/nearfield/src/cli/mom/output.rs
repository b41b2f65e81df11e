//! The results of `nearfield mom`, each under its name only when it is complete.

use super::super::{Context, Result, summary};
use super::pictures;
use super::run::Run;
use num_complex::Complex;
use pipeline::files::{self, atomic, npz::NpzFile};
use pipeline::mom::{Currents, Density, Formulation, Method, Plan, Polarisation, Solver};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

type C = Complex<f64>;

pub fn write(
    context: &Context,
    run: &Run,
    plan: &Plan,
    currents: &Currents,
    [condition, amplification]: [f64; 2],
    start: Instant,
) -> Result<()> {
    let all = plan.all_echo_widths(currents, &run.phi_deg)?;
    let echoes: Vec<&[f64]> = all.chunks(run.phi_deg.len().max(1)).collect();
    write_currents(&run.folder.join("currents.csv"), plan, &currents.density(0))?;
    write_echo_widths(&run.folder.join("echo_width.csv"), run, &echoes)?;
    write_archive(&run.folder.join("currents.npz"), run, plan, currents)?;
    context.check_interrupt()?;
    pictures::write(run, plan, currents, echoes[0])?;
    let [ahead, around] = plan.widths(currents, 0);
    let certified = if currents.rows < plan.mesh().nodes.len() {
        format!(" over {} rows of the matrix, without order,", currents.rows)
    } else {
        String::new()
    };
    say_result(context, run, condition, (currents.backward_error, &certified), around, start);
    let figures = json!({
        "unknowns": plan.mesh().nodes.len(),
        "cells": plan.mesh().cells.len(),
        "length_m": plan.mesh().length(),
        "condition": condition,
        "amplification": amplification,
        "backward_error": currents.backward_error,
        "backward_error_rows": currents.rows,
        "refinement_steps": currents.steps,
        "ranks": plan.compression().map(|compression| &compression.ranks),
        "compressed_gib": plan.compression().map(|compression| compression.gib),
        "scattering_width_m": around,
        "extinction_width_m": ahead,
        "absorption_width_m": ahead - around,
        "sigma_highest_m": echoes[0].iter().copied().fold(0.0, f64::max),
    });
    summary::write(context, &run.folder, settings(run), figures, start)
}

/// How good the solution is and how wide the bodies are; `certified` is said of the error.
pub fn say_result(
    context: &Context,
    run: &Run,
    condition: f64,
    (error, certified): (f64, &str),
    width: f64,
    start: Instant,
) {
    let (seconds, file) = (start.elapsed().as_secs_f64(), run.folder.join("echo_width.csv"));
    context.say(format!(
        "condition {condition:.1e}, backward error {error:.1e}{certified}; scattering width {width:.6} m; {seconds:.2} s; {}",
        file.display()
    ));
}

fn write_currents(path: &Path, plan: &Plan, current: &[C]) -> Result<(), files::Error> {
    atomic::write(path, |file| {
        writeln!(file, "arc_length_m,x_m,y_m,re_jz,im_jz")?;
        plan.mesh().nodes.iter().zip(current).try_for_each(|(node, value)| {
            let [x, y] = node.point;
            writeln!(file, "{},{x},{y},{:e},{:e}", node.arc_length, value.re, value.im)
        })
    })
}

pub fn write_echo_widths(path: &Path, run: &Run, echoes: &[&[f64]]) -> Result<(), files::Error> {
    atomic::write(path, |file| {
        writeln!(file, "incidence_deg,phi_deg,sigma_m,sigma_db_m")?;
        for (incidence, widths) in run.incidences_deg.iter().zip(echoes) {
            for (phi, sigma) in run.phi_deg.iter().zip(*widths) {
                writeln!(file, "{incidence},{phi},{sigma:e},{:.8}", 10.0 * sigma.log10())?;
            }
        }
        Ok(())
    })
}

fn write_archive(path: &Path, run: &Run, plan: &Plan, currents: &Currents) -> Result<()> {
    let nodes = &plan.mesh().nodes;
    let column = |value: &dyn Fn(usize) -> f64| (0..nodes.len()).map(value).collect::<Vec<f64>>();
    let all: Vec<C> = (0..run.incidences_deg.len()).flat_map(|at| currents.density(at)).collect();
    let file = NpzFile::create(path)?
        .add("arc_length_m", &[nodes.len()], &column(&|i| nodes[i].arc_length))?
        .add("x_m", &[nodes.len()], &column(&|i| nodes[i].point[0]))?
        .add("y_m", &[nodes.len()], &column(&|i| nodes[i].point[1]))?
        .add("incidence_deg", &[run.incidences_deg.len()], &run.incidences_deg)?
        .add("current", &[run.incidences_deg.len(), nodes.len()], &all)?;
    Ok(file.finish()?)
}

pub fn settings(run: &Run) -> Value {
    let settings = &run.settings;
    let ends = |values: &[f64]| json!([values.first(), values.last(), values.len()]);
    json!({
        "precision": "f64",
        "wavelength_m": settings.wavelength,
        "polarisation": if settings.polarisation == Polarisation::Tm { "tm" } else { "te" },
        "method": match settings.method {
            Method::Pulse => "pulse".to_owned(),
            Method::Kress => "kress".to_owned(),
            Method::Lcn(nodes) => format!("lcn:{nodes}"),
            Method::KapurRokhlin(order) => format!("kr:{order}"),
        },
        "formulation": match settings.formulation {
            Formulation::Efie => "efie".to_owned(),
            Formulation::Mfie => "mfie".to_owned(),
            Formulation::Cfie(part) => format!("cfie:{part}"),
        },
        "impedance_ohm": [settings.impedance.re, settings.impedance.im],
        "medium": run.medium.map(|medium| [medium.permittivity, medium.permeability]),
        "solver": format!("{:?}", settings.solver).to_lowercase(),
        "tolerance": (settings.solver == Solver::Hodlr).then_some(settings.tolerance),
        "cells_per_wavelength": if let Density::PerWavelength(count) = settings.density { Some(count) } else { None },
        "near_wavelengths": settings.near,
        "grading": settings.grading,
        "incidence_deg": ends(&run.incidences_deg),
        "phi_deg": ends(&run.phi_deg),
        "bodies": run.outlines.len(),
    })
}
