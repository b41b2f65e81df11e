//! The steps of a run, what is recorded of it, and what stops it.

use super::super::Context;
use super::super::args::Dgtd;
use super::super::progress::Progress;
use pipeline::solvers::dgtd::case::{Case, Initial};
use pipeline::solvers::dgtd::checkpoint::Checkpoint;
use pipeline::solvers::dgtd::cpu::{Compiled, Fields, Plan};
use pipeline::solvers::dgtd::design::Design;
use pipeline::solvers::dgtd::{Error, Probe, Spectrum, State, reference, time_step};
use pipeline::vec3::Vec3;
use std::path::PathBuf;
use std::time::Instant;

/// The energy of fields that grow by this, over the largest that was there or came in, has no other reason than an unstable scheme.
const GROWTH: f64 = 1e3;

/// What a run leaves.
#[derive(Default)]
pub struct Recorded {
    /// c t, m, of every row.
    pub times: Vec<f64>,
    /// Half the integral of eps E^2 + mu H^2, V^2 m, of every row.
    pub energies: Vec<f64>,
    /// Fields at all probes of every row.
    pub probes: Vec<State>,
    /// Fields on the Huygens surface at frequencies.
    pub spectrum: Option<Spectrum>,
    /// Time step, m.
    pub dt: f64,
    /// Steps that were wanted and done.
    pub steps: [u64; 2],
    /// Steps that an earlier run did.
    pub before: u64,
    /// Of steps alone, without what is recorded between them.
    pub seconds: f64,
    pub elements: usize,
    pub unknowns: usize,
    /// Root mean square of the error at the end over that of the formula, where there is one.
    pub error: Option<f64>,
}

/// A run on its way.
struct Run<'a, T> {
    case: &'a Case,
    plan: Plan<T>,
    fields: Fields<T>,
    probes: Vec<Probe>,
    /// Fields at all nodes after the last row.
    states: Vec<State>,
    recorded: Recorded,
    /// Where and after how many rows checkpoints are written.
    checkpoint: Option<(PathBuf, u64)>,
}

/// Goes through all steps, or those that a checkpoint leaves, or until Ctrl-C.
pub fn run<T: Compiled>(
    context: &Context,
    arguments: &Dgtd,
    case: &Case,
    design: Design,
    found: Option<Checkpoint>,
) -> anyhow::Result<Recorded> {
    let mut run = Run::<T>::new(arguments, case, design)?;
    let [steps, _] = run.recorded.steps;
    let every = steps.div_ceil(case.samples as u64);
    let mut progress = Progress::new(context, "steps", steps);
    match found {
        Some(found) => run.restart(found)?,
        None => run.look()?,
    }
    let mut rows = 0;
    while run.recorded.steps[1] < steps {
        if progress.at(run.recorded.steps[1]).is_err() {
            run.write_checkpoint()?;
            break;
        }
        run.step(every.min(steps - run.recorded.steps[1]));
        run.look()?;
        rows += 1;
        if run.checkpoint.as_ref().is_some_and(|(_, every)| rows % every == 0) {
            run.write_checkpoint()?;
        }
    }
    run.recorded.error = run.error();
    Ok(run.recorded)
}

impl<'a, T: Compiled> Run<'a, T> {
    fn new(arguments: &Dgtd, case: &'a Case, design: Design) -> anyhow::Result<Self> {
        let probes: Result<Vec<Probe>, Error> =
            case.probes.iter().map(|point| Probe::new(&design, *point)).collect();
        let probes = probes?;
        let steps = (case.duration / (case.courant * time_step::limit(&design))).ceil().max(1.0) as u64;
        let spectrum =
            case.far_field.as_ref().map(|far_field| Spectrum::new(&design, &far_field.wavenumbers));
        let recorded = Recorded {
            dt: case.duration / steps as f64,
            steps: [steps, 0],
            elements: design.cells.len(),
            unknowns: design.unknowns(),
            spectrum,
            ..Recorded::default()
        };
        let plan = Plan::<T>::new(design);
        let states = initial(case, plan.design());
        let fields = plan.load(&states, 0.0)?;
        let checkpoint = arguments.checkpoint.map(|rows| (arguments.out.join("checkpoint.bin"), rows.get()));
        Ok(Self { case, plan, fields, probes, states, recorded, checkpoint })
    }

    fn step(&mut self, count: u64) {
        let (start, dt) = (Instant::now(), self.recorded.dt);
        for _ in 0..count {
            self.plan.step(&mut self.fields, dt);
            if let (Some(spectrum), Some(wave)) = (&mut self.recorded.spectrum, &self.case.settings.wave) {
                spectrum.add(&self.plan, &self.fields, wave, dt);
            }
        }
        self.recorded.seconds += start.elapsed().as_secs_f64();
        self.recorded.steps[1] += count;
    }

    /// A row of the files; fails where the fields have become meaningless.
    fn look(&mut self) -> Result<(), Error> {
        self.plan.store(&self.fields, &mut self.states)?;
        let design = self.plan.design();
        let energy = reference::energy(design, &self.states);
        let most = self.recorded.energies.iter().copied().fold(0.0, f64::max);
        let is_grown = design.wave.is_none() && self.recorded.times.len() > 1 && energy > GROWTH * most;
        if !energy.is_finite() || is_grown {
            return Err(unstable(design, &self.states, self.recorded.steps[1]));
        }
        self.recorded.times.push(self.fields.time);
        self.recorded.energies.push(energy);
        self.recorded.probes.extend(self.probes.iter().map(|probe| self.plan.probe(&self.fields, probe)));
        Ok(())
    }

    fn write_checkpoint(&self) -> anyhow::Result<()> {
        let Some((path, _)) = &self.checkpoint else { return Ok(()) };
        let recorded = &self.recorded;
        let probes =
            recorded.probes.iter().flat_map(|state| state.e.to_array().into_iter().chain(state.h.to_array()));
        let record = recorded.times.iter().chain(&recorded.energies).copied().chain(probes).collect();
        let spectrum = recorded.spectrum.as_ref();
        let checkpoint = Checkpoint {
            fingerprint: self.case.fingerprint(size_of::<T>()),
            step: recorded.steps[1],
            time: self.fields.time,
            states: self.states.clone(),
            memory: self.plan.memories(&self.fields),
            phasors: spectrum.map(|spectrum| spectrum.phasors.clone()).unwrap_or_default(),
            incident: spectrum.map(|spectrum| spectrum.incident.clone()).unwrap_or_default(),
            record,
        };
        Ok(checkpoint.write(path)?)
    }

    /// Puts everything back; lists that cannot be those of this run were refused with the fingerprint.
    fn restart(&mut self, found: Checkpoint) -> Result<(), Error> {
        self.fields = self.plan.load(&found.states, found.time)?;
        self.plan.remember(&mut self.fields, &found.memory)?;
        let numbers = 2 + 6 * self.probes.len();
        let rows = found.record.len() / numbers;
        let (times, rest) = found.record.split_at(rows);
        let (energies, probes) = rest.split_at(rows);
        let vector = |numbers: &[f64]| Vec3::new(numbers[0], numbers[1], numbers[2]);
        let state = |numbers: &[f64]| State { e: vector(&numbers[..3]), h: vector(&numbers[3..]) };
        self.recorded.times = times.to_vec();
        self.recorded.energies = energies.to_vec();
        self.recorded.probes = probes.chunks_exact(6).map(state).collect();
        if let Some(spectrum) = &mut self.recorded.spectrum {
            (spectrum.phasors, spectrum.incident) = (found.phasors, found.incident);
        }
        (self.recorded.steps[1], self.recorded.before) = (found.step, found.step);
        self.states = found.states;
        Ok(())
    }

    fn error(&self) -> Option<f64> {
        let (design, time) = (self.plan.design(), self.fields.time);
        self.case.formula(design.place(0, 0), time)?;
        let exact = design.sampled(|x| self.case.formula(x, time).unwrap_or_default());
        let wrong: Vec<State> =
            self.states.iter().zip(&exact).map(|(a, b)| State { e: a.e - b.e, h: a.h - b.h }).collect();
        Some((reference::energy(design, &wrong) / reference::energy(design, &exact)).sqrt())
    }
}

fn initial(case: &Case, design: &Design) -> Vec<State> {
    match case.initial {
        Initial::Nothing => vec![State::default(); design.states()],
        Initial::Wave | Initial::Mode(_) => design.sampled(|x| case.formula(x, 0.0).unwrap_or_default()),
    }
}

/// The element with the largest field, or the first without a number.
fn unstable(design: &Design, states: &[State], step: u64) -> Error {
    let size = |state: &State| {
        let size = state.e.dot(state.e) + state.h.dot(state.h);
        if size.is_nan() { f64::INFINITY } else { size }
    };
    let largest = (0..states.len()).max_by(|a, b| size(&states[*a]).total_cmp(&size(&states[*b])));
    let element = largest.unwrap_or_default() / design.element.node_count();
    Error::Unstable { step, element, position: design.place(element, 0).to_array() }
}
