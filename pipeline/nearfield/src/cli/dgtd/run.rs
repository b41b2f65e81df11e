//! The steps of a run, what is recorded of it, and what stops it.

use super::super::args::Dgtd;
use super::super::progress::Progress;
use super::super::ranks::{OtherFailed, Ranks, Sent, State as Fate};
use super::super::{Context, Result};
use super::part::deal_out;
use num_complex::Complex64;
use pipeline::dgtd::case::{Case, FarField, Initial};
use pipeline::dgtd::checkpoint::Checkpoint;
use pipeline::dgtd::cuda::Number;
use pipeline::dgtd::design::Design;
use pipeline::dgtd::numbers::{flat, listed};
use pipeline::dgtd::partition::Statistics;
use pipeline::dgtd::ringing::Ringing;
use pipeline::dgtd::spectrum::Phasor;
use pipeline::dgtd::{
    Error, Moment, Plan, Probe, Spectrum, State, Sums, Terminals, reference, snapshot, time_step,
};
use pipeline::numerics::constants::{ETA_0, SPEED_OF_LIGHT};
use pipeline::numerics::vec3::Vec3;
use serde_json::json;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The energy of fields that grow by this, over the largest that was there or came in, has no other reason than an unstable scheme.
const GROWTH: f64 = 1e3;

/// What a run leaves.
#[derive(Default)]
pub struct Recorded {
    /// c t, m, of every row.
    pub times: Vec<f64>,
    /// Half the integral of eps E^2 + mu H^2 and what poles have, V^2 m, of every row.
    pub energies: Vec<f64>,
    /// Fields at all probes of every row.
    pub probes: Vec<State>,
    /// On the Huygens surface and at a port, at frequencies.
    pub sums: Sums,
    /// The last of these sums, from which their end follows while fields ring.
    pub ringing: Ringing,
    /// Time step, m.
    pub dt: f64,
    /// The most steps that were wanted, and those done.
    pub steps: [u64; 2],
    /// Whether it went to its end, and not to Ctrl-C.
    pub is_whole: bool,
    /// Steps that an earlier run did.
    pub before: u64,
    /// Of steps alone, without what is recorded between them.
    pub seconds: f64,
    pub elements: usize,
    pub unknowns: usize,
    /// What each of several processes has.
    pub parts: Option<Statistics>,
    /// Root mean square of the error at the end over that of the formula, where there is one.
    pub error: Option<f64>,
}

impl Recorded {
    /// Running sums of the incident wave and of a port.
    fn signals(&self) -> Vec<Complex64> {
        let wave = self.sums.spectrum.iter().flat_map(|spectrum| &spectrum.incident);
        let port = self.sums.terminals.iter().flat_map(|it| it.fields.iter().chain(&it.source));
        wave.chain(port).copied().collect()
    }

    /// The last energy over the largest; 1 before there was any.
    pub fn energy_left(&self) -> f64 {
        let most = self.energies.iter().copied().fold(0.0, f64::max);
        self.energies.last().filter(|_| most > 0.0).map_or(1.0, |last| last / most)
    }
}

/// A run on its way.
struct Run<'a, T> {
    case: &'a Case,
    ranks: &'a Ranks,
    plan: Plan<'a, T>,
    probes: Vec<Probe>,
    recorded: Recorded,
    folder: PathBuf,
    /// After how many rows checkpoints are written.
    checkpoint: Option<NonZero<u64>>,
    clock: Instant,
}

/// Goes through all steps, or those that a checkpoint leaves, or until Ctrl-C.
pub fn run<T: Number + Sent>(
    context: &Context,
    arguments: &Dgtd,
    case: &Case,
    design: Design,
    found: Option<Checkpoint>,
) -> Result<Recorded> {
    let mut run = Run::<T>::new(context, arguments, case, design)?;
    run.ranks.set_last_words(match (&arguments.restart, &found) {
        (Some(path), Some(found)) => goes_on_from(path, found.step),
        _ => "; no checkpoint was written, which --checkpoint does".into(),
    });
    if let Some(parts) = &run.recorded.parts {
        parts.to_string().lines().for_each(|line| context.say(format!("  {line}")));
    }
    let [steps, _] = run.recorded.steps;
    let every = steps.div_ceil(case.samples as u64);
    let mut progress = Progress::new(context, "steps", steps);
    match found {
        Some(found) => run.ranks.agree(run.restart(found).map_err(Into::into))?,
        None => run.look()?,
    }
    while run.recorded.steps[1] < steps && !run.has_faded() {
        let (note, figures) = run.note();
        let is_asked = progress.at_with(run.recorded.steps[1], note, figures).is_err();
        if run.ranks.worst(if is_asked { Fate::Interrupted } else { Fate::Fine }) != Fate::Fine {
            run.write_checkpoint()?;
            return Ok(run.recorded);
        }
        run.step(every.min(steps - run.recorded.steps[1]))?;
        run.look()?;
        run.write_between()?;
    }
    (run.recorded.error, run.recorded.is_whole) = (run.error()?, true);
    run.recorded.sums = run.plan.sums()?.clone();
    Ok(run.recorded)
}

impl<'a, T: Number + Sent> Run<'a, T> {
    fn new(context: &'a Context, arguments: &Dgtd, case: &'a Case, design: Design) -> Result<Self> {
        let probes: Result<Vec<Probe>, Error> =
            case.probes.iter().map(|point| Probe::new(&design, *point)).collect();
        let probes = probes?;
        let steps = (case.duration / (case.courant * time_step::limit(&design))).ceil().max(1.0) as u64;
        let spectrum =
            case.far_field.as_ref().map(|far_field| Spectrum::new(&design, &far_field.wavenumbers));
        let partition = deal_out(&context.ranks, &design)?;
        let recorded = Recorded {
            dt: case.duration / steps as f64,
            steps: [steps, 0],
            elements: design.cells.len(),
            unknowns: design.unknowns(),
            parts: partition.as_ref().map(|partition| partition.statistics(&design)),
            ..Recorded::default()
        };
        let sums = Sums { spectrum, terminals: Terminals::new(&design, &case.sweep) };
        let start = Moment::start(&design, initial(case, &design));
        let made = match (partition, context.device()) {
            (Some(partition), _) => Plan::on_processes(&context.ranks, partition, design, &start, sums),
            (None, Some(device)) => Plan::on_cuda(device, design, &start, sums),
            (None, None) => Plan::on_cpu(design, &start, sums),
        };
        let plan = context.ranks.agree(made.map_err(Into::into))?;
        let (folder, checkpoint, clock) = (arguments.out.clone(), arguments.checkpoint, Instant::now());
        Ok(Self { case, ranks: &context.ranks, plan, probes, recorded, folder, checkpoint, clock })
    }

    fn step(&mut self, count: u64) -> Result<(), Error> {
        let (start, dt) = (Instant::now(), self.recorded.dt);
        for number in self.recorded.steps[1]..self.recorded.steps[1] + count {
            self.plan.step(dt)?;
            let time = self.plan.time();
            if self.case.far_field.as_ref().is_some_and(|far_field| rings(far_field, number, time, dt))
                && let Some(spectrum) = &self.plan.sums()?.spectrum
            {
                self.recorded.ringing.keep(spectrum);
            }
        }
        self.plan.wait()?;
        self.recorded.seconds += start.elapsed().as_secs_f64();
        self.recorded.steps[1] += count;
        Ok(())
    }

    /// A row of the files; fails where the fields have become meaningless.
    fn look(&mut self) -> Result<()> {
        let energy = self.plan.energy()?;
        let design = self.plan.design();
        let most = self.recorded.energies.iter().copied().fold(0.0, f64::max);
        let is_driven = design.wave.is_some() || design.port.is_some() || !design.sources.is_empty();
        let is_grown = !is_driven && self.recorded.times.len() > 1 && energy > GROWTH * most;
        if !energy.is_finite() || is_grown {
            return Err(self.unstable()?);
        }
        self.recorded.times.push(self.plan.time());
        self.recorded.energies.push(energy);
        self.recorded.probes.extend(self.plan.probes(&self.probes)?);
        Ok(())
    }

    /// Whether so little energy is left that the case ends here.
    fn has_faded(&self) -> bool {
        self.case.until_energy.is_some_and(|part| self.recorded.energy_left() <= part)
    }

    /// What is due after a row: a checkpoint, a snapshot.
    fn write_between(&mut self) -> Result<()> {
        let row = self.recorded.times.len() as u64 - 1;
        let is_due = |every: Option<NonZero<u64>>| every.is_some_and(|every| row.is_multiple_of(every.get()));
        if is_due(self.checkpoint) {
            self.write_checkpoint()?;
        }
        if is_due(self.case.snapshot_rows) {
            let states = self.plan.states()?;
            let written = if self.ranks.is_first() { self.write_snapshot(row, &states) } else { Ok(()) };
            self.ranks.agree(written.map_err(Into::into))?;
        }
        Ok(())
    }

    fn write_snapshot(&self, row: u64, states: &[State]) -> Result<(), pipeline::files::Error> {
        let design = self.plan.design();
        let path = |what: &str| self.folder.join(format!("{what}-{row:06}.vtu"));
        snapshot::write_fields(&path("fields"), design, states)?;
        if snapshot::has_conductors(design) {
            snapshot::write_currents(&path("currents"), design, states)?;
        }
        Ok(())
    }

    /// For a person and for a program: energy, speed, and the time that is left if the run does not end before its last step.
    fn note(&self) -> (String, serde_json::Value) {
        let [steps, done] = self.recorded.steps;
        let seconds = self.clock.elapsed().as_secs_f64();
        let rate = (done - self.recorded.before) as f64 / seconds;
        let speed = rate * self.recorded.elements as f64;
        let energy = self.recorded.energies.last().map_or(0.0, joules);
        let left = (done > self.recorded.before).then(|| (steps - done) as f64 / rate);
        let figures = json!({
            "energy_j": energy, "energy_left": self.recorded.energy_left(),
            "elements_steps_per_s": speed, "seconds_left": left,
        });
        (format!("{energy:.2e} J, {speed:.2e} elements x steps/s"), figures)
    }

    fn write_checkpoint(&mut self) -> Result<()> {
        if self.checkpoint.is_none() {
            return Ok(());
        }
        self.recorded.sums = self.plan.sums()?.clone();
        let path = self.folder.join("checkpoint.bin");
        let recorded = &self.recorded;
        let record = [recorded.times.clone(), recorded.energies.clone(), flat(&recorded.probes)].concat();
        let sums = recorded.sums.spectrum.iter().map(|spectrum| &spectrum.phasors);
        let checkpoint = Checkpoint {
            fingerprint: self.case.fingerprint(size_of::<T>()),
            step: recorded.steps[1],
            moment: self.plan.moment()?,
            phasors: sums.chain(&recorded.ringing.sums).flatten().copied().collect(),
            signals: recorded.signals(),
            record,
        };
        let written = if self.ranks.is_first() { checkpoint.write(&path) } else { Ok(()) };
        self.ranks.agree(written.map_err(Into::into))?;
        self.ranks.set_last_words(goes_on_from(&path, checkpoint.step));
        Ok(())
    }

    /// Puts everything back; lists that cannot be those of this run were refused with the fingerprint.
    fn restart(&mut self, found: Checkpoint) -> Result<(), Error> {
        let numbers = 2 + 6 * self.probes.len();
        let rows = found.record.len() / numbers;
        let (times, rest) = found.record.split_at(rows);
        let (energies, probes) = rest.split_at(rows);
        self.recorded.times = times.to_vec();
        self.recorded.energies = energies.to_vec();
        self.recorded.probes = listed(probes);
        let mut sums = self.plan.sums()?.clone();
        let mut signals = found.signals.into_iter();
        let mut take = |sums: &mut Vec<Complex64>| {
            sums.iter_mut().zip(&mut signals).for_each(|(sum, value)| *sum = value);
        };
        if let Some(spectrum) = &mut sums.spectrum {
            take(&mut spectrum.incident);
            let mut all = found.phasors.chunks(spectrum.phasors.len().max(1)).map(<[Phasor]>::to_vec);
            spectrum.phasors = all.next().unwrap_or_default();
            self.recorded.ringing.sums = all.collect();
        }
        if let Some(terminals) = &mut sums.terminals {
            take(&mut terminals.fields);
            take(&mut terminals.source);
        }
        (self.recorded.steps[1], self.recorded.before) = (found.step, found.step);
        self.plan.load(&found.moment, sums)
    }

    /// Where the fields are largest, and why that may be.
    fn unstable(&mut self) -> Result<crate::cli::Failed> {
        let states = self.plan.states()?;
        if !self.ranks.is_first() {
            return Ok(OtherFailed.into());
        }
        let (design, step, courant) = (self.plan.design(), self.recorded.steps[1], self.case.courant);
        let element = largest(&states) / design.element.node_count();
        let layers = design.absorber.as_ref().map(|absorber| absorber.sigma_of(element as u32));
        let reason = if courant > 1.0 {
            format!("courant is {courant}, and time steps are known to be stable up to 1")
        } else if layers.is_some_and(|sigma| sigma != Vec3::ZERO) {
            "it is in the matched layers, which may hold media or walls that they are not made for".into()
        } else {
            "the time step is short enough, so that its medium or a boundary there must feed the fields"
                .into()
        };
        let position = design.place(element, 0).to_array();
        Ok(Error::Unstable { step, element, position, reason }.into())
    }

    /// Root mean square of the error over that of the formula, where there is one.
    fn error(&mut self) -> Result<Option<f64>, Error> {
        let time = self.plan.time();
        if self.case.formula(self.plan.design().place(0, 0), time).is_none() {
            return Ok(None);
        }
        let states = self.plan.states()?;
        if !self.ranks.is_first() {
            return Ok(None);
        }
        let design = self.plan.design();
        let exact = design.sampled(|x| self.case.formula(x, time).unwrap_or_default());
        let wrong: Vec<State> =
            states.iter().zip(&exact).map(|(a, b)| State { e: a.e - b.e, h: a.h - b.h }).collect();
        Ok(Some((reference::energy(design, &wrong) / reference::energy(design, &exact)).sqrt()))
    }
}

/// Energy, J, of half the integral of eps E^2 + mu H^2.
pub fn joules(energy: &f64) -> f64 {
    // The permittivity of vacuum is 1/(eta0 c).
    energy / (ETA_0 * SPEED_OF_LIGHT)
}

/// What is said of a checkpoint where a process is lost.
fn goes_on_from(path: &Path, step: u64) -> String {
    let path = path.display();
    format!("; the last checkpoint is {path}, of step {step}: go on from it with --restart {path}")
}

/// Whether the sums after this step are kept.
fn rings(far_field: &FarField, step: u64, time: f64, dt: f64) -> bool {
    let [end, distance] = far_field.ringing;
    time > end && step.is_multiple_of((distance / dt).ceil() as u64)
}

fn initial(case: &Case, design: &Design) -> Vec<State> {
    match case.initial {
        Initial::Nothing => vec![State::default(); design.states()],
        Initial::Wave | Initial::Mode(_) => design.sampled(|x| case.formula(x, 0.0).unwrap_or_default()),
    }
}

/// Number of the node with the largest field, or of the last without a number.
fn largest(states: &[State]) -> usize {
    let size = |state: &State| {
        let size = state.e.dot(state.e) + state.h.dot(state.h);
        if size.is_nan() { f64::INFINITY } else { size }
    };
    let found = (0..states.len()).max_by(|a, b| size(&states[*a]).total_cmp(&size(&states[*b])));
    found.unwrap_or_default()
}
