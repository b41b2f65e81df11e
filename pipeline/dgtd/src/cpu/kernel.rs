//! The work of a stage on some blocks, compiled for each instruction set.

use super::block::{Block, Face, Gap};
use super::lane::{LANES, Lane, Six};
use super::layers::Remembered;
use super::poles::Polarised;
use super::tables::Tables;
use crate::{PlaneWave, Port, State, port};
use numerics::real::Real;
use numerics::simd::{Kernel, multiply_add};

/// A stage on some blocks.
pub struct Stage<'a, T> {
    pub(super) tables: &'a Tables<T>,
    pub(super) blocks: &'a [Block<T>],
    /// All blocks.
    pub(super) now: &'a [Lane<T>],
    /// Of these blocks.
    pub(super) next: &'a mut [Lane<T>],
    pub(super) residual: &'a mut [Lane<T>],
    pub(super) remembered: &'a mut [Vec<Remembered<T>>],
    pub(super) polarised: &'a mut [Vec<Polarised<T>>],
    /// Traces, then fluxes, of the nodes of all faces.
    pub(super) scratch: &'a mut [Six<T>],
    /// a, b and dt.
    pub(super) factors: [T; 3],
    pub(super) wave: Option<PlaneWave>,
    pub(super) port: Option<&'a Port>,
    /// Number of the first of these blocks.
    pub(super) first: usize,
    /// m
    pub(super) time: f64,
}

impl<T: Real> Kernel for Stage<'_, T> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(mut self) {
        for block in 0..self.blocks.len() {
            self.traces(block);
            self.fluxes::<FMA>(block);
            // As many sums as there are registers for.
            if WIDE && size_of::<T>() == 4 {
                self.update::<FMA, 2>(block);
            } else {
                self.update::<FMA, 1>(block);
            }
        }
    }
}

/// a b + c in every lane.
#[inline(always)]
fn add<T: Real, const FMA: bool>(sum: &mut Lane<T>, a: &Lane<T>, b: &Lane<T>) {
    for lane in 0..LANES {
        sum[lane] = multiply_add::<T, FMA>(a[lane], b[lane], sum[lane]);
    }
}

/// c - a b in every lane.
#[inline(always)]
fn subtract<T: Real, const FMA: bool>(sum: &mut Lane<T>, a: &Lane<T>, b: &Lane<T>) {
    for lane in 0..LANES {
        sum[lane] = multiply_add::<T, FMA>(-a[lane], b[lane], sum[lane]);
    }
}

/// a b + c with one number a for all lanes.
#[inline(always)]
fn add_scaled<T: Real, const FMA: bool>(sum: &mut Lane<T>, a: T, b: &Lane<T>) {
    for lane in 0..LANES {
        sum[lane] = multiply_add::<T, FMA>(a, b[lane], sum[lane]);
    }
}

/// a b - c d in every lane.
#[inline(always)]
fn cross<T: Real, const FMA: bool>(a: &Lane<T>, b: &Lane<T>, c: &Lane<T>, d: &Lane<T>) -> Lane<T> {
    let mut found = [T::zero(); LANES];
    for lane in 0..LANES {
        found[lane] = multiply_add::<T, FMA>(a[lane], b[lane], -(c[lane] * d[lane]));
    }
    found
}

impl<T: Real> Stage<'_, T> {
    /// Fields behind the faces, each from a place of its own.
    #[inline(always)]
    fn traces(&mut self, block: usize) {
        let (tables, count) = (self.tables, self.tables.face_nodes);
        let (nodes, _) = self.now.as_chunks::<6>();
        let (traces, _) = self.scratch.split_at_mut(4 * count);
        for (face, traces) in self.blocks[block].faces.iter().zip(traces.chunks_exact_mut(count)) {
            for (lane, (other, from, table)) in face.neighbours.iter().enumerate() {
                let other = &nodes[*other as usize * tables.nodes..][..tables.nodes];
                let seen = &tables.traces[usize::from(*table) * count..][..count];
                let from = usize::from(*from) % LANES;
                for (trace, node) in traces.iter_mut().zip(seen) {
                    let state = &other[*node];
                    for component in 0..6 {
                        trace[component][lane] = state[component][from];
                    }
                }
            }
        }
    }

    /// Traces to jumps to what is lifted.
    #[inline(always)]
    fn fluxes<const FMA: bool>(&mut self, block: usize) {
        let (tables, count) = (self.tables, self.tables.face_nodes);
        let (nodes, _) = self.now.as_chunks::<6>();
        let own = &nodes[(self.first + block) * tables.nodes..][..tables.nodes];
        let (traces, fluxes) = self.scratch.split_at_mut(4 * count);
        let faces = &self.blocks[block].faces;
        let images = faces.iter().flat_map(|face| std::iter::repeat_n(&face.image, count));
        for ((trace, image), node) in traces.iter_mut().zip(images).zip(&tables.own) {
            for component in 0..6 {
                let (image, own, mut jump) =
                    (&image[component / 3], &own[*node][component], trace[component]);
                for lane in 0..LANES {
                    jump[lane] = multiply_add::<T, FMA>(image[lane], jump[lane], -own[lane]);
                }
                trace[component] = jump;
            }
        }
        self.blocks[block].add_wave(self.wave.as_ref(), self.time, traces);
        self.blocks[block].bridge(self.port, self.time, own, traces);
        let parts = traces.chunks_exact(count).zip(fluxes.chunks_exact_mut(count));
        for (face, (jumps, fluxes)) in faces.iter().zip(parts) {
            for (jump, flux) in jumps.iter().zip(fluxes) {
                *flux = face.flux::<FMA>(jump);
            }
        }
    }

    /// Curl, lift and the stage, some rows of the matrices at a time.
    #[inline(always)]
    fn update<const FMA: bool, const ROWS: usize>(&mut self, block: usize) {
        let nodes = self.tables.nodes;
        let whole = nodes - nodes % ROWS;
        for row in (0..whole).step_by(ROWS) {
            self.rows::<FMA, ROWS>(block, row);
        }
        for row in whole..nodes {
            self.rows::<FMA, 1>(block, row);
        }
    }

    #[inline(always)]
    fn rows<const FMA: bool, const ROWS: usize>(&mut self, block: usize, row: usize) {
        let (tables, geometry) = (self.tables, &self.blocks[block]);
        let (nodes, _) = self.now.as_chunks::<6>();
        let own = &nodes[(self.first + block) * tables.nodes..][..tables.nodes];
        let (_, fluxes) = self.scratch.split_at(4 * tables.face_nodes);
        let curl_h = tables.curl::<FMA, ROWS, 3>(geometry, own, row);
        let curl_e = tables.curl::<FMA, ROWS, 0>(geometry, own, row);
        let mut rates = tables.lifted::<FMA, ROWS>(fluxes, row);
        let (next, _) = self.next.as_chunks_mut::<6>();
        let (residual, _) = self.residual.as_chunks_mut::<6>();
        let [a, b, dt] = self.factors;
        for r in 0..ROWS {
            let (q, place) = (&own[row + r], block * tables.nodes + row + r);
            for axis in 0..3 {
                add::<T, FMA>(&mut rates[r][axis], &geometry.inverse[0], &curl_h[r][axis]);
                subtract::<T, FMA>(&mut rates[r][axis], &geometry.loss, &q[axis]);
                subtract::<T, FMA>(&mut rates[r][3 + axis], &geometry.inverse[1], &curl_e[r][axis]);
            }
            if let Some(matched) = &geometry.matched {
                let remembered = &mut self.remembered[block][row + r];
                matched.absorb::<FMA>(q, &mut rates[r], remembered, self.factors);
            }
            if !geometry.poles.is_empty() {
                let count = geometry.poles.len();
                let polarised = &mut self.polarised[block][(row + r) * count..][..count];
                for (pole, polarised) in geometry.poles.iter().zip(polarised) {
                    pole.polarise::<FMA>(q, &mut rates[r], polarised, self.factors);
                }
            }
            for (lane, source) in &geometry.sources {
                let rate = source.rates[row + r] * source.pulse.at(self.time);
                (0..3).for_each(|axis| rates[r][axis][*lane] += T::of(rate[axis]));
            }
            let (next, residual) = (&mut next[place], &mut residual[place]);
            // Copies of whole lanes: where they come from and go to cannot then overlap, and loops become vectors.
            for component in 0..6 {
                let (mut sum, mut value) = (residual[component], q[component]);
                for lane in 0..LANES {
                    sum[lane] = multiply_add::<T, FMA>(a, sum[lane], dt * rates[r][component][lane]);
                    value[lane] = multiply_add::<T, FMA>(b, sum[lane], value[lane]);
                }
                (residual[component], next[component]) = (sum, value);
            }
        }
    }
}

impl<T: Real> Tables<T> {
    /// Curl of three components, the first of which is `FIRST`, at some nodes of a block.
    #[inline(always)]
    fn curl<const FMA: bool, const ROWS: usize, const FIRST: usize>(
        &self,
        geometry: &Block<T>,
        own: &[Six<T>],
        row: usize,
    ) -> [[Lane<T>; 3]; ROWS] {
        // d/dr, d/ds and d/dt of each component.
        let mut sums = [[[[T::zero(); LANES]; 3]; 3]; ROWS];
        let matrix: [&[[T; 3]]; ROWS] =
            std::array::from_fn(|r| &self.derivatives[(row + r) * self.nodes..][..own.len()]);
        for (column, state) in own.iter().enumerate() {
            for r in 0..ROWS {
                for axis in 0..3 {
                    let weight = matrix[r][column][axis];
                    for component in 0..3 {
                        add_scaled::<T, FMA>(
                            &mut sums[r][axis][component],
                            weight,
                            &state[FIRST + component],
                        );
                    }
                }
            }
        }
        // No closures here: they would be compiled without the instruction set.
        let mut curls = [[[T::zero(); LANES]; 3]; ROWS];
        for (curls, sums) in curls.iter_mut().zip(&sums) {
            for (axis, curl) in curls.iter_mut().enumerate() {
                *curl = geometry.curl::<FMA>(sums, axis);
            }
        }
        curls
    }

    /// LIFT times the fluxes at some nodes.
    #[inline(always)]
    fn lifted<const FMA: bool, const ROWS: usize>(&self, fluxes: &[Six<T>], row: usize) -> [Six<T>; ROWS] {
        let mut sums = [[[T::zero(); LANES]; 6]; ROWS];
        let matrix: [&[T]; ROWS] =
            std::array::from_fn(|r| &self.lift[(row + r) * fluxes.len()..][..fluxes.len()]);
        for (column, flux) in fluxes.iter().enumerate() {
            for r in 0..ROWS {
                let weight = matrix[r][column];
                for component in 0..6 {
                    add_scaled::<T, FMA>(&mut sums[r][component], weight, &flux[component]);
                }
            }
        }
        sums
    }
}

impl<T: Real> Block<T> {
    /// A component of the curl from derivatives along r, s and t.
    #[inline(always)]
    fn curl<const FMA: bool>(&self, along: &[[Lane<T>; 3]; 3], component: usize) -> Lane<T> {
        let (y, z) = ((component + 1) % 3, (component + 2) % 3);
        let mut sum = [T::zero(); LANES];
        for (axes, along) in self.axes.iter().zip(along) {
            add::<T, FMA>(&mut sum, &axes[y], &along[z]);
            subtract::<T, FMA>(&mut sum, &axes[z], &along[y]);
        }
        sum
    }

    /// Adds the plane wave to jumps.
    fn add_wave(&self, wave: Option<&PlaneWave>, time: f64, jumps: &mut [Six<T>]) {
        let Some(wave) = wave else { return };
        for wet in &self.wet {
            let values = wave.at(wet.place, time).six();
            for (lanes, value) in jumps[wet.trace].iter_mut().zip(values) {
                lanes[wet.lane] += T::of(wet.factor * value);
            }
        }
    }

    /// Replaces jumps at the sheet of a port by those with which the flux of any other face is that of the sheet: E* - E- and n x h = Y- (E* - E-).
    fn bridge(&self, port: Option<&Port>, time: f64, own: &[Six<T>], jumps: &mut [Six<T>]) {
        let Some(port) = port else { return };
        for Gap { trace, own: (lane, node), normal, factors } in &self.gaps {
            let state = |six: &Six<T>| State::of(|component| six[component][*lane]);
            let (own, jump) = (state(&own[*node]), state(&jumps[*trace]));
            let step = port::step(*normal, own, jump, *factors, port.field(time));
            let replaced = State { e: step, h: normal.cross(step) * -factors[1] };
            jumps[*trace]
                .iter_mut()
                .zip(replaced.six())
                .for_each(|(lanes, value)| lanes[*lane] = T::of(value));
        }
    }
}

impl<T: Real> Face<T> {
    /// n x (Z+ [H] - alpha n x [E]) and n x (-Y+ [E] - alpha n x [H]) with their factors.
    #[inline(always)]
    fn flux<const FMA: bool>(&self, jump: &Six<T>) -> Six<T> {
        let n = &self.normal;
        let mut flux = [[T::zero(); LANES]; 6];
        let mut along = [[T::zero(); LANES]; 2];
        for axis in 0..3 {
            add::<T, FMA>(&mut along[0], &n[axis], &jump[axis]);
            add::<T, FMA>(&mut along[1], &n[axis], &jump[3 + axis]);
        }
        for axis in 0..3 {
            let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
            let turned_e = cross::<T, FMA>(&n[y], &jump[z], &n[z], &jump[y]);
            let turned_h = cross::<T, FMA>(&n[y], &jump[3 + z], &n[z], &jump[3 + y]);
            let (mut e, mut h) = (jump[axis], jump[3 + axis]);
            subtract::<T, FMA>(&mut e, &n[axis], &along[0]);
            subtract::<T, FMA>(&mut h, &n[axis], &along[1]);
            add::<T, FMA>(&mut flux[axis], &self.electric[0], &turned_h);
            add::<T, FMA>(&mut flux[axis], &self.electric[1], &e);
            subtract::<T, FMA>(&mut flux[3 + axis], &self.magnetic[0], &turned_e);
            add::<T, FMA>(&mut flux[3 + axis], &self.magnetic[1], &h);
        }
        flux
    }
}
