//! Rays alone, on one core: first ones in squares of the launch grid, from directions all round the target, and what they become at each bounce, in the order in which a computation casts them.

use crate::context::{Context, Result};
use crate::meter::timed;
use crate::peer::{Peer, bytes};
use crate::sbr_targets::{FREQUENCY, around, facets};
use sbr::cast::{Bvh, Hit, Ray, Rays, Scratch};
use sbr::{Facets, Launch, Settings};
use serde_json::{Value, json};
use std::time::Instant;

/// Directions.
const DIRECTIONS: u32 = 24;
/// First rays of a direction, about.
const MOST: u64 = 1 << 15;
/// Rays along a side of a square.
const SIDE: u64 = 8;
/// Rays cast at once: more would not stay in the cache, and memory would be measured.
const PIECE: usize = 1 << 14;
/// Rounds at least.
const ROUNDS: usize = 2;
/// Casts at once: each side and way finds the caches as it left them, not as the other did.
const TIMES: usize = 3;
/// Ways in which Embree casts: rays at once, or streams; with a `c` they are called coherent.
const WAYS: [&str; 8] = ["1", "1c", "8", "8c", "16", "16c", "stream", "streamc"];
/// Least distance of Embree's reflected rays in radii: in single precision a ray would hit the facet that it leaves.
const LEAST: f64 = 1e-5;
const LEVELS: [&str; 6] = [
    "first",
    "reflected once",
    "reflected twice",
    "reflected 3 times",
    "reflected 4 times",
    "reflected 5 times",
];

/// The rows of one target.
pub fn rows(context: &Context<'_>, name: &str, mut peer: Option<&mut Peer>) -> Result<()> {
    let facets = facets(name)?;
    let (build_s, bvh) = timed(|| Bvh::new(&facets));
    let peer_build_ms = peer.as_deref_mut().map(|peer| load(peer, &facets)).transpose()?.map(|s| 1e3 * s);
    for (level, rays) in LEVELS.into_iter().zip(levels(&bvh, &facets)?) {
        let mut cast = Cast::default();
        for piece in rays.chunks(PIECE) {
            let share = context.seconds * piece.len() as f64 / rays.len() as f64;
            cast.add(&measure(context, (&bvh, &facets), piece, share, peer.as_deref_mut())?);
        }
        let rate = |seconds: f64| rays.len() as f64 / seconds;
        let best = cast.theirs.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let beside = best.map_or(String::new(), |(way, seconds, hits)| {
            let (rate, part) = (1e-6 * rate(*seconds), seconds / cast.ours);
            format!("; Embree {rate:.2}e6/s ({way}; {hits} hits), {part:.2} of it")
        });
        let (count, hits, ours) = (rays.len(), cast.hits, 1e-6 * rate(cast.ours));
        context.say(format!("{name:<12} {level:<17} {count:>7} rays, {hits:>6} hit: {ours:.2}e6/s{beside}"));
        let ways: serde_json::Map<String, Value> =
            cast.theirs.iter().map(|(way, seconds, _)| ((*way).into(), json!(rate(*seconds)))).collect();
        context.emit(&json!({
            "target": name, "table": "rays", "level": level, "directions": DIRECTIONS, "rays": rays.len(), "hits": cast.hits, "rays_per_s": rate(cast.ours),
            "build_ms": 1e3 * build_s, "tree_kb": bvh.bytes() as f64 / 1024.0, "embree": ways, "embree_build_ms": peer_build_ms,
            "embree_hits": best.map(|(.., hits)| *hits), "embree_version": peer.as_ref().map(|peer| peer.version.clone()),
        }));
    }
    Ok(())
}

/// Rays of all directions, level by level, as long as there are any.
fn levels(bvh: &Bvh, facets: &Facets) -> Result<Vec<Vec<Ray>>> {
    let mut levels = vec![Vec::new(); LEVELS.len()];
    let (mut hits, mut scratch) = (Vec::new(), Scratch::default());
    for number in 0..DIRECTIONS {
        let launch = Launch::new(facets, around(number), &Settings::new(vec![FREQUENCY]))?;
        let mut rays = first_rays(&launch);
        for level in &mut levels {
            level.extend(&rays);
            bvh.cast(facets, &rays.iter().collect(), &mut hits, &mut scratch);
            rays = reflected(facets, &rays, &hits);
        }
    }
    levels.retain(|rays| !rays.is_empty());
    Ok(levels)
}

/// What casting takes, and finds.
#[derive(Default)]
struct Cast {
    hits: usize,
    /// Seconds.
    ours: f64,
    /// Ways, seconds, hits.
    theirs: Vec<(&'static str, f64, usize)>,
}

impl Cast {
    fn add(&mut self, other: &Self) {
        self.hits += other.hits;
        self.ours += other.ours;
        if self.theirs.is_empty() {
            self.theirs = WAYS.map(|way| (way, 0.0, 0))[..other.theirs.len()].to_vec();
        }
        for (own, (_, seconds, hits)) in self.theirs.iter_mut().zip(&other.theirs) {
            (own.1, own.2) = (own.1 + seconds, own.2 + hits);
        }
    }
}

/// Ours, then theirs in all ways, round by round; the best counts.
fn measure(
    context: &Context<'_>,
    (bvh, facets): (&Bvh, &Facets),
    rays: &[Ray],
    seconds: f64,
    mut peer: Option<&mut Peer>,
) -> Result<Cast> {
    // Laid out before, as Embree's are.
    let (laid, mut hits, mut scratch) = (rays.iter().collect::<Rays>(), Vec::new(), Scratch::default());
    let mut cast = Cast { ours: f64::INFINITY, ..Cast::default() };
    if let Some(peer) = &mut peer {
        hand_over(peer, facets, rays)?;
        cast.theirs = WAYS.map(|way| (way, f64::INFINITY, 0)).to_vec();
    }
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < ROUNDS || start.elapsed().as_secs_f64() < seconds {
        context.check_interrupt()?;
        for _ in 0..TIMES {
            cast.ours = cast.ours.min(timed(|| bvh.cast(facets, &laid, &mut hits, &mut scratch)).0);
        }
        if let Some(peer) = &mut peer {
            for (way, best, hits) in &mut cast.theirs {
                let [seconds, found] = peer.numbers(&format!("cast {way} {TIMES}"), &[])?;
                (*best, *hits) = (best.min(seconds), found as usize);
            }
        }
        rounds += 1;
    }
    cast.hits = hits.iter().filter(|hit| hit.is_some()).count();
    Ok(cast)
}

/// Hands the facets over; seconds that Embree's tree took.
fn load(peer: &mut Peer, facets: &Facets) -> Result<f64> {
    let corners = 3 * facets.len();
    let mut bytes = bytes(facets.corners.iter().flatten().flatten().copied(), true);
    (0..corners as u32).for_each(|corner| bytes.extend(corner.to_le_bytes()));
    Ok(peer.numbers::<1>(&format!("mesh {corners} {}", facets.len()), &bytes)?[0])
}

/// Hands rays over.
fn hand_over(peer: &mut Peer, facets: &Facets, rays: &[Ray]) -> Result<()> {
    let numbers = rays.iter().flat_map(|ray| {
        let least = if ray.min_distance > 0.0 { LEAST * facets.radius } else { 0.0 };
        ray.origin.to_array().into_iter().chain(ray.direction.to_array()).chain([least])
    });
    peer.ask(&format!("rays {}", rays.len()), &bytes(numbers, true)).map(drop)
}

/// Rays at the corners of tubes, in squares, every so many squares if the grid has more rays than are wanted.
fn first_rays(launch: &Launch) -> Vec<Ray> {
    let squares = [launch.columns / SIDE, launch.rows / SIDE];
    let stride = (squares[0] * squares[1] * SIDE * SIDE).div_ceil(MOST).isqrt().max(1) as usize;
    let mut rays = Vec::new();
    for row in (0..squares[1]).step_by(stride) {
        for column in (0..squares[0]).step_by(stride) {
            for (y, x) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (y, x))) {
                let at = launch.point((column * SIDE + x) as f64, (row * SIDE + y) as f64);
                rays.push(Ray::new(at, -launch.sight));
            }
        }
    }
    rays
}

/// What rays become at their hits: square by square, sorted as a computation does.
fn reflected(facets: &Facets, rays: &[Ray], hits: &[Hit]) -> Vec<Ray> {
    let side = (SIDE * SIDE) as usize;
    let next = |(ray, hit): (&Ray, &Hit)| {
        let direction = ray.direction.mirrored(facets.normals[hit.facet as usize]);
        Ray::leaving(facets, hit.facet, ray.at(hit.distance), direction)
    };
    let mut all = Vec::new();
    for (rays, hits) in rays.chunks(side).zip(hits.chunks(side)) {
        let mut reflected: Vec<Ray> =
            rays.iter().zip(hits).filter(|(_, hit)| hit.is_some()).map(next).collect();
        reflected.sort_by_key(|ray| (ray.heading(), ray.leaves));
        all.extend(reflected);
    }
    all
}
