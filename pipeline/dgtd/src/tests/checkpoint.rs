//! Runs that are stopped and go on.

use super::super::checkpoint::{Checkpoint, Reason};
use super::super::{Layers, Moment, PlaneWave, Pulse, Spectrum, cpu, time_step};
use super::*;
use numerics::real::Real;

/// Everything that has a memory: fields, layers, sums on a Huygens surface.
struct Run<T> {
    plan: cpu::Plan<T>,
    fields: cpu::Fields<T>,
    spectrum: Spectrum,
}

impl<T: Real> Run<T> {
    fn new() -> Self {
        let pulse = Pulse::Gauss { centre: 0.2, width: 0.5, wavenumber: 2.0 };
        let direction = Vec3::new(1.0, 0.2, -0.4);
        let wave = PlaneWave::new(direction, Vec3::new(0.0, 1.0, 0.3), pulse, &Material::VACUUM).unwrap();
        let design = mixed(2, 3, |settings| {
            (settings.wave, settings.total_field) = (Some(wave), vec!["two".into()]);
            settings.layers = Some(Layers::new(Vec3::splat(0.3), Vec3::splat(0.6)));
        });
        let spectrum = Spectrum::new(&design, &[1.0, 2.5]);
        let plan = cpu::Plan::new(design);
        let fields = plan.load(&Random(4).states(plan.design().states()), 0.0).unwrap();
        Self { plan, fields, spectrum }
    }

    fn step(&mut self, count: usize) {
        let dt = time_step::limit(self.plan.design());
        for _ in 0..count {
            self.plan.step(&mut self.fields, dt);
            self.plan.add(&mut self.spectrum, &self.fields, dt);
        }
    }

    fn checkpoint(&self) -> Checkpoint {
        let mut states = vec![State::default(); self.plan.design().states()];
        self.plan.store(&self.fields, &mut states).unwrap();
        Checkpoint {
            fingerprint: 77,
            step: 3,
            moment: Moment {
                time: self.fields.time,
                states,
                memory: self.plan.memories(&self.fields),
                polarisations: self.plan.polarisations(&self.fields),
            },
            phasors: self.spectrum.phasors.clone(),
            signals: self.spectrum.incident.clone(),
            record: vec![1.5, -2.5, 0.1],
        }
    }
}

fn goes_on<T: Real>() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let mut whole = Run::<T>::new();
    whole.step(5);
    whole.checkpoint().write(&path).unwrap();
    assert!(whole.checkpoint().moment.memory.iter().any(|memory| memory.e[1].length() > 0.0));
    whole.step(4);
    let found = Checkpoint::read(&path, 77).unwrap();
    let mut other = Run::<T>::new();
    other.fields = other.plan.load(&found.moment.states, found.moment.time).unwrap();
    other.plan.remember(&mut other.fields, &found.moment.memory).unwrap();
    (other.spectrum.phasors, other.spectrum.incident) = (found.phasors, found.signals);
    other.step(4);
    assert_eq!(other.checkpoint(), whole.checkpoint());
}

#[test]
fn a_run_that_is_stopped_goes_on_with_the_same_bits() {
    goes_on::<f32>();
    goes_on::<f64>();
}

fn goes_on_polarised<T: Real>() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let design = dispersive(2, 3, |_| ());
    let (dt, plan) = (time_step::limit(&design), cpu::Plan::<T>::new(design));
    let mut whole = plan.load(&Random(4).states(plan.design().states()), 0.0).unwrap();
    let checkpoint = |fields: &cpu::Fields<T>| {
        let mut states = vec![State::default(); plan.design().states()];
        plan.store(fields, &mut states).unwrap();
        let polarisations = plan.polarisations(fields);
        let moment = Moment { time: fields.time, states, polarisations, ..Default::default() };
        Checkpoint { moment, ..Default::default() }
    };
    (0..5).for_each(|_| plan.step(&mut whole, dt));
    checkpoint(&whole).write(&path).unwrap();
    assert!(
        checkpoint(&whole).moment.polarisations.iter().any(|it| it.p.length() > 0.0 && it.j.length() > 0.0)
    );
    (0..4).for_each(|_| plan.step(&mut whole, dt));
    let found = Checkpoint::read(&path, 0).unwrap();
    let mut other = plan.load(&found.moment.states, found.moment.time).unwrap();
    plan.polarise(&mut other, &found.moment.polarisations).unwrap();
    (0..4).for_each(|_| plan.step(&mut other, dt));
    assert_eq!(checkpoint(&other), checkpoint(&whole));
    let wrong = plan.polarise(&mut other, &found.moment.polarisations[1..]).unwrap_err();
    assert!(matches!(wrong, super::super::Error::Length { what: "polarisations", .. }), "{wrong}");
}

#[test]
fn dispersive_media_go_on_with_the_same_bits() {
    goes_on_polarised::<f32>();
    goes_on_polarised::<f64>();
}

#[test]
fn damaged_checkpoints_and_those_of_other_runs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let reason = |fingerprint| Checkpoint::read(&path, fingerprint).unwrap_err().reason;
    assert!(matches!(reason(77), Reason::Read(_)));
    let run = Run::<f32>::new();
    run.checkpoint().write(&path).unwrap();
    assert!(matches!(reason(78), Reason::Other));
    let bytes = std::fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        matches!(reason(77), Reason::Damaged(_))
    };
    for length in [0, 7, 8, 87, 88, bytes.len() - 8, bytes.len() - 1] {
        assert!(refused(&bytes[..length]), "{length}");
    }
    for at in [0, 8, 17, 25, 33, 64, bytes.len() / 2, bytes.len() - 1] {
        let mut changed = bytes.clone();
        changed[at] ^= 0x40;
        assert!(refused(&changed), "{at}");
    }
    let mut plan = Run::<f32>::new();
    let wrong = plan.plan.remember(&mut plan.fields, &[]).unwrap_err();
    assert!(matches!(wrong, super::super::Error::Length { what: "memories", given: 0, .. }));
}
