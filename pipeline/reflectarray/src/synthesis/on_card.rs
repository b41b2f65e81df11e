//! Stages on a card: phases, the soft minimum of directivities, an even lattice. Elements that move or have a scattering table, gains, the paper's
//! functional, projections and global searches take the CPU.

use super::super::objective::SoftMinimum;
use super::super::score::samples;
use super::super::{Result, Scattering, cuda, lbfgs};
use super::{Method, Power, Stage, State, TOLERANCE, Task, Tell};
use kernels::Device;

impl Task {
    /// Whether a card can have the stage.
    pub(super) fn is_for_card(&self, states: &[State], stage: &Stage) -> bool {
        let lattice = self.lattice();
        let moves = self.spacing.is_some() && stage.nodes > 0;
        let even = states.iter().all(|State { places: [x, y], .. }| *x == lattice.x && *y == lattice.y);
        let plain = self.bands.iter().all(|(model, _)| matches!(model.scattering, Scattering::PhaseOnly));
        let usual = stage.method == Method::MaxMin && stage.power == Power::Radiated;
        usual && !moves && even && plain
    }

    /// One stage of all states there.
    pub(super) fn on_card(
        &self,
        device: &Device,
        states: &mut [State],
        stage: &Stage,
        settings: &lbfgs::Settings,
        tell: &mut Tell<'_>,
    ) -> Result<()> {
        let objective = SoftMinimum::new(&self.mask, self.mean, stage.sharpness);
        let (phases, (u, v)) = (self.phases(states, stage), samples(&self.mask));
        let [x, y] = &states[0].places;
        let scene =
            cuda::Scene { bands: &self.bands, places: [x, y], directions: [&u, &v], tolerance: TOLERANCE };
        let mut problem = cuda::Problem::new(device, &scene, &phases, &objective, states.len())?;
        let starts: Vec<f64> = states.iter().flat_map(|state| phases.start(&state.phi)).collect();
        let mut told = |best: cuda::Best| tell(best.iterations, best.value, best.score);
        let minima = problem.minimise(&starts, settings, &mut told)?;
        for (row, (minimum, state)) in minima.into_iter().zip(states).enumerate() {
            phases.expand(row, self.shape.len(), &minimum.point, &mut state.phi);
            state.value = minimum.value;
            state.iterations += minimum.iterations;
        }
        Ok(())
    }
}
