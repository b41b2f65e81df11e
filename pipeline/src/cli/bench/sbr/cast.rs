//! Rays alone, on one core: first ones in squares of the launch grid, and what they become after one and two bounces, in the order in which a computation casts them.

use super::super::super::Context;
use super::peer::{Peer, WAYS};
use super::{FREQUENCY, facets, sight};
use pipeline::solvers::sbr::Settings;
use pipeline::solvers::sbr::bvh::{Bvh, Scratch};
use pipeline::solvers::sbr::design::Launch;
use pipeline::solvers::sbr::facets::Facets;
use pipeline::solvers::sbr::ray::{Hit, Ray};
use pipeline::solvers::sbr::rays::Rays;
use serde_json::{Value, json};
use std::time::Instant;

/// First rays, about: more would not stay in the cache, and memory would be measured.
const MOST: u64 = 1 << 15;
/// Rays along a side of a square.
const SIDE: u64 = 8;
/// Rounds at least.
const ROUNDS: usize = 5;
/// Casts at once: each side and way finds the caches as it left them, not as the other did.
const TIMES: usize = 5;
const LEVELS: [&str; 3] = ["first", "reflected once", "reflected twice"];

/// The rows of one target.
pub fn rows(context: &Context, name: &str, seconds: f64, mut peer: Option<&mut Peer>) -> anyhow::Result<()> {
    let facets = facets(name)?;
    let start = Instant::now();
    let bvh = Bvh::new(&facets);
    let build_ms = 1e3 * start.elapsed().as_secs_f64();
    let peer_build_ms = peer.as_deref_mut().map(|peer| peer.load(&facets)).transpose()?.map(|s| 1e3 * s);
    let launch = Launch::new(&facets, sight(), &Settings::new(vec![FREQUENCY]))?;
    let (mut rays, mut hits) = (first_rays(&launch), Vec::new());
    for level in LEVELS {
        if rays.is_empty() {
            break;
        }
        let (new, ours, theirs) =
            measure(context, (&bvh, &facets), &rays, &mut hits, seconds, peer.as_deref_mut())?;
        let rate = |seconds: f64| rays.len() as f64 / seconds;
        let found = hits.iter().filter(|hit| hit.is_some()).count();
        let best = theirs.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let beside = best.map_or(String::new(), |(way, seconds, hits)| {
            format!(
                "; Embree {:.2}e6/s ({way}; {hits} hits), {:.2} of it",
                1e-6 * rate(*seconds),
                seconds / ours
            )
        });
        context.say(format!(
            "{name:<12} {level:<16} {:>6} rays, {found:>6} hit: {:.2}e6/s{beside}",
            rays.len(),
            1e-6 * rate(ours)
        ));
        let ways: serde_json::Map<String, Value> =
            theirs.iter().map(|(way, seconds, _)| ((*way).into(), json!(rate(*seconds)))).collect();
        context.emit(&json!({
            "target": name, "table": "rays", "level": level, "rays": rays.len(), "hits": found, "rays_per_s": rate(ours), "new_rays_per_s": rate(new),
            "build_ms": build_ms, "tree_kb": bvh.bytes() as f64 / 1024.0, "embree": ways, "embree_build_ms": peer_build_ms,
            "embree_hits": best.map(|(.., hits)| *hits), "embree_version": peer.as_ref().map(|peer| peer.version.clone()),
        }));
        rays = reflected(&facets, &rays, &hits);
    }
    Ok(())
}

type Theirs = Vec<(&'static str, f64, usize)>;

/// Ours, then theirs in all ways, round by round; seconds of our first cast, and the best.
fn measure(
    context: &Context,
    (bvh, facets): (&Bvh, &Facets),
    rays: &[Ray],
    hits: &mut Vec<Hit>,
    seconds: f64,
    mut peer: Option<&mut Peer>,
) -> anyhow::Result<(f64, f64, Theirs)> {
    // Laid out before, as Embree's are.
    let (laid, mut scratch) = (rays.iter().collect::<Rays>(), Scratch::default());
    let (mut new, mut ours, mut theirs) = (f64::NAN, f64::INFINITY, Theirs::new());
    if let Some(peer) = &mut peer {
        peer.rays(facets, rays)?;
        theirs = WAYS.map(|way| (way, f64::INFINITY, 0)).to_vec();
    }
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < ROUNDS || start.elapsed().as_secs_f64() < seconds {
        context.check_interrupt()?;
        for _ in 0..TIMES {
            let begin = Instant::now();
            bvh.cast(facets, &laid, hits, &mut scratch);
            let elapsed = begin.elapsed().as_secs_f64();
            new = if new.is_nan() { elapsed } else { new };
            ours = ours.min(elapsed);
        }
        if let Some(peer) = &mut peer {
            for (way, best, hits) in &mut theirs {
                let (seconds, found) = peer.cast(way, TIMES)?;
                (*best, *hits) = (best.min(seconds), found);
            }
        }
        rounds += 1;
    }
    Ok((new, ours, theirs))
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
