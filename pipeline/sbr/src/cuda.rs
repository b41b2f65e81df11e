//! The card's twin of [`cpu`](super::cpu): the same rays to the last bit, the same rules, fields that differ
//! by rounding.
//!
//! | stage | what it does |
//! |---|---|
//! | lists | facets that the rays of a tile may meet first; which facets reflect into the open |
//! | tiles | corners and centres of 16 x 16 tubes; what goes one way radiates |
//! | cells | tubes that part, a level of quarterings after the other |
//! | parts | what is left of those radiates, direction by direction |
//! | edges | pieces of edges radiate that nothing hides |
//!
//! Many directions go at once where grids are small, and a large grid goes in several parts, so that memory
//! is bounded: see [`ROOM`]. Several workers have batches on the card at once. Tubes of a plane that lie side
//! by side radiate as one where there are several frequencies or receivers. Where not all is a perfect
//! conductor, and by the paper's rule, tiles list their tubes, which radiate with the parts.

mod batch;
mod edges;
mod tables;
mod worker;

use super::cast::Steps;
use super::cast::binary::BinaryBvh;
use super::design::Target;
use super::field::{Matrix, finished, wavenumber};
use super::launch::{AGREED_DIRECTION, Launch};
use super::path::Counts;
use super::response::{Response, Watch};
use super::{Direction, Error, Rule};
use batch::{Lit, batches};
use edges::Lighted;
use kernels::abi::{Sbr, SbrReceiver};
use kernels::sbr::{self, Band, Beams, ENTRIES, Receivers, Room, SIDE, Scene};
use kernels::{Device, Stream};
use num_complex::Complex;
use numerics::parallel;
use std::panic::resume_unwind;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::{self, ScopedJoinHandle};
use worker::{Work, Worker};

/// What lists of a worker on the card hold: 50 MiB of tubes, 680 MiB of cells at work with their rays and
/// pieces, 140 MiB of rays that tiles have traced, 400 MiB of parts. All workers have 16 GiB.
pub const ROOM: Room =
    Room { cells: 1 << 22, quartered: 1 << 18, parts: 1 << 21, kept: 1 << 19, listed: 1 << 20 };

/// Directions of incidence at once that fill the GPU with small grids.
pub const DIRECTIONS_AT_ONCE: usize = 64;

/// Batches at work at once, each with lists of its own. Every stage of a batch waits for its slowest ray; the
/// card then has others to work on, and the host is ahead.
const WORKERS: usize = 12;

/// Tubes of a grid for each facet, from which on it takes less to list the facets of tiles than to walk
/// through the tree with every ray.
const TUBES_FOR_LISTS: u64 = 32;

/// Facets of all directions at once, unless one has more: of each it is found beforehand whether what it
/// reflects meets anything.
const BEAMS: usize = 1 << 26;

/// A card with less free memory than this, bytes, gets no other worker.
const SPARE: usize = 4 << 30;

/// Numbers of all receivers at once: 1 GiB.
const SUMS: usize = 1 << 27;

/// A target on a GPU.
pub struct Plan {
    target: Arc<Target>,
    /// Nodes of its tree, and their bytes.
    tree: [usize; 2],
    splits: u32,
    room: Room,
    workers: Vec<Worker>,
    scene: Arc<Scene>,
    beams: Beams,
    edges: Option<Lighted>,
    band: Band,
    /// Kept from one call to the next: to free memory waits for all work of the card.
    receivers: Option<Receivers>,
    /// Of what comes before, beside and behind the workers.
    stream: Stream,
}

impl Plan {
    /// Builds the tree of a target and sends it to the GPU. Refuses what is only done on the CPU: tubes that
    /// are quartered more than three times.
    pub fn new(device: &Device, target: impl Into<Arc<Target>>) -> Result<Self, Error> {
        Self::with_room(device, target, ROOM)
    }

    /// The same with lists of other sizes, which results do not depend on.
    pub fn with_room(device: &Device, target: impl Into<Arc<Target>>, room: Room) -> Result<Self, Error> {
        let target = target.into();
        let Target { facets, settings, .. } = &*target;
        let (splits, rule) = match settings.rule {
            Rule::Footprint { splits } if splits <= sbr::LEVELS as u32 => (splits, sbr::Rule::Footprint),
            Rule::Footprint { .. } => {
                return Err(Error::NotOnCard("tubes that are quartered more than 3 times"));
            }
            Rule::Discard => (0, sbr::Rule::Strict),
        };
        let tree = BinaryBvh::for_gpu(facets);
        let tree_tables = tables::tables(facets, &tree)?;
        let matter = tables::matter(&target, &tree)?;
        let mut stream = device.stream()?;
        let scene = Arc::new(Scene::new(&mut stream, &tree_tables, matter.as_ref(), rule)?);
        let beams = Beams::new(&mut stream)?;
        let edges = Lighted::new(&mut stream, target.pieces())?;
        let mut workers = vec![Worker::new(device, &scene, room)?];
        while workers.len() < WORKERS && device.free_memory()? > SPARE {
            workers.push(Worker::new(device, &scene, room)?);
        }
        let waves: Vec<f64> =
            settings.frequencies.iter().map(|f| wavenumber(*f) / std::f64::consts::TAU).collect();
        // From the plane through the centre to a facet and on to the receiver: once through the target before
        // the first bounce and behind the last one, and between two.
        let across = 2.0 * facets.radius;
        let band = Band::new(&waves, [-across, across * settings.bounces as f64]);
        let tree =
            [tree.nodes.len(), size_of_val(tree.nodes.as_slice()) + size_of_val(tree.order.as_slice())];
        Ok(Self { target, tree, splits, room, workers, scene, beams, edges, band, receivers: None, stream })
    }

    /// The target.
    pub fn target(&self) -> &Arc<Target> {
        &self.target
    }

    /// Figures of the tree that rays traverse, by their names.
    pub fn tree(&self) -> Vec<(&'static str, usize)> {
        let [nodes, bytes] = self.tree;
        vec![("nodes", nodes), ("bytes", bytes)]
    }

    /// What a wave from each direction sends back there, at all frequencies.
    pub fn monostatic(
        &mut self,
        directions: &[Direction],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Response>, Error> {
        let most = (SUMS / self.band.sums()).min(BEAMS / self.target.facets.len()).max(1);
        let mut responses = Vec::with_capacity(directions.len());
        for some in directions.chunks(most) {
            let incidences: Vec<(Direction, usize)> =
                some.iter().enumerate().map(|(i, direction)| (*direction, i)).collect();
            responses.extend(self.light(&incidences, some, 1, watch)?);
        }
        Ok(responses)
    }

    /// What a wave from `incidence` sends towards all `observations`, at all frequencies.
    pub fn execute(
        &mut self,
        incidence: Direction,
        observations: &[Direction],
        watch: &mut Watch<'_>,
    ) -> Result<Response, Error> {
        if observations.is_empty() {
            return Err(Error::NoObservation);
        }
        let most = (SUMS / self.band.sums()).max(1);
        let mut all =
            Response { fields: Vec::new(), counts: Counts::default(), steps: [Steps::default(); 2] };
        for some in observations.chunks(most) {
            for response in self.light(&[(incidence, 0)], some, some.len(), watch)? {
                all.fields.extend(response.fields);
                all.counts = response.counts;
            }
        }
        Ok(all)
    }

    /// Responses to several incidences, each with `receivers` observations from a number on.
    fn light(
        &mut self,
        incidences: &[(Direction, usize)],
        observations: &[Direction],
        receivers: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Response>, Error> {
        observations.iter().try_for_each(|direction| direction.validate())?;
        let target = &self.target;
        let launch = |at: usize| Lit::new(target, incidences[at].0, incidences[at].1);
        let launches = parallel::map(incidences.len(), &launch).into_iter().collect::<Result<Vec<_>, _>>()?;
        let numbers = self.numbers(receivers as u32, &launches);
        let batches = batches(&launches, self.most(&launches))?;
        let seen: Vec<SbrReceiver> = observations.iter().map(receiver).collect();
        let receivers_seen = match &mut self.receivers {
            Some(receivers) => {
                receivers.set(&mut self.stream, &seen, &self.band)?;
                receivers
            }
            none => none.insert(Receivers::new(&mut self.stream, &seen, &self.band)?),
        };
        if numbers.listed > 0 {
            let sights: Vec<[f64; 3]> = launches.iter().map(|lit| lit.launch.sight.to_array()).collect();
            self.beams.find(&mut self.stream, &self.scene, &sights, &numbers)?;
        }
        let work = Work {
            lit: &launches,
            turning: &self.target.turning,
            batches: &batches,
            receivers: receivers_seen,
            numbers,
            beams: &self.beams,
            next: AtomicUsize::new(0),
            finding: Mutex::new(()),
        };
        self.stream.wait()?;
        if let Some(edges) = &mut self.edges {
            edges.begin(&mut self.stream, &self.scene, &work)?;
        }
        let did = run(&mut self.workers, &work, watch)?;
        let counts = did.iter().flatten().fold(Counts::default(), |sum, did| sum.plus(in_counts(did)));
        let sums = receivers_seen.sums(&mut self.stream, &numbers)?;
        Ok(self.finish(&launches, observations, receivers, &sums, counts))
    }

    /// Most tubes of a batch. Where tiles list them there is room for all; a row of tiles that has more goes
    /// alone, unless it is by the paper's rule.
    fn most(&self, launches: &[Lit]) -> usize {
        let Room { cells, parts, .. } = self.room;
        let row = launches.iter().map(|lit| SIDE * lit.launch.columns as usize).max().unwrap_or(0);
        match self.target.settings.rule {
            Rule::Discard => cells.min(parts),
            Rule::Footprint { .. } if self.scene.lists_tubes() => cells.min(parts.max(row)),
            Rule::Footprint { .. } => cells,
        }
    }

    fn numbers(&self, receivers: u32, launches: &[Lit]) -> Sbr {
        let tubes: u64 = launches.iter().map(|lit| lit.launch.columns * lit.launch.rows).sum();
        let lists = tubes >= TUBES_FOR_LISTS * (launches.len() * self.target.facets.len()) as u64;
        let least = self.target.facets.min_distance();
        let place = Launch::place_tolerance(&self.target.settings);
        Sbr {
            bounces: self.target.settings.bounces as u32,
            receivers,
            levels: self.splits,
            listed: if lists { self.room.listed as u32 } else { 0 },
            least,
            place: place * place,
            direction: AGREED_DIRECTION * AGREED_DIRECTION,
            linear: least * least,
            ..Sbr::default()
        }
    }

    /// Scattering matrices with the origin of coordinates as reference of phase. Counts are those of all
    /// together, with the first.
    fn finish(
        &self,
        launches: &[Lit],
        observations: &[Direction],
        receivers: usize,
        sums: &[i64],
        counts: Counts,
    ) -> Vec<Response> {
        let frequencies = &self.target.settings.frequencies;
        let (count, centre) = (frequencies.len(), self.target.facets.centre);
        let response = |index: usize| {
            let lit: &Lit = &launches[index];
            let first = lit.first;
            let fields = (0..receivers * count).map(|i| {
                let (r, f) = (i / count, i % count);
                let k = wavenumber(frequencies[f]);
                let both = lit.launch.sight + observations[first + r].unit();
                let entry = |k: usize| sums[((first + r) * ENTRIES + k) * count + f];
                let sum = matrix(&std::array::from_fn(entry), lit.quantum);
                finished(&sum, k, both.dot(centre))
            });
            Response {
                fields: fields.collect(),
                counts: if index == 0 { counts } else { Counts::default() },
                steps: Default::default(),
            }
        };
        parallel::map(launches.len(), &response)
    }
}

fn matrix(sums: &[i64; ENTRIES], quantum: f64) -> Matrix {
    let entry = |i: usize| Complex::new(sums[2 * i] as f64, sums[2 * i + 1] as f64) * quantum;
    [[entry(0), entry(1)], [entry(2), entry(3)]]
}

/// All workers at once; the caller's watch is told here.
fn run(
    workers: &mut [Worker],
    work: &Work<'_>,
    watch: &mut Watch<'_>,
) -> Result<Vec<Vec<sbr::Counts>>, Error> {
    let total = work.batches.len();
    let count = workers.len().min(total);
    let mut stopped = None;
    let results = thread::scope(|scope| {
        let (sender, finished) = channel();
        let mut threads = Vec::new();
        for worker in &mut workers[..count] {
            let done = sender.clone();
            threads.push(scope.spawn(move || worker.run(work, &done)));
        }
        drop(sender);
        for done in 0..total {
            if watch(done, total).is_break() {
                work.stop();
                stopped = Some(done);
                break;
            }
            // Nothing comes any more from workers that have failed.
            if finished.recv().is_err() {
                break;
            }
        }
        let join =
            |thread: ScopedJoinHandle<'_, _>| thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        threads.into_iter().map(join).collect::<Result<Vec<_>, kernels::Error>>()
    })?;
    match stopped {
        Some(done) => Err(Error::Stopped { done, total }),
        None => Ok(results),
    }
}

fn in_counts(did: &sbr::Counts) -> Counts {
    let sbr::Counts { rays, segments, tubes, cut, split, dropped } = *did;
    Counts { rays, segments, tubes, cut, split, dropped }
}

fn receiver(direction: &Direction) -> SbrReceiver {
    SbrReceiver {
        sight: direction.unit().to_array(),
        polarisations: direction.polarisations().map(|p| p.to_array()),
    }
}
