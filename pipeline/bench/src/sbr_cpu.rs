//! The rows of `nearfield bench sbr`: the targets of the paper at 10 GHz, 5 bounces, 10 tubes a wavelength, all four channels.
//!
//! First the trees (the paper's Tables I and II: leaves, memory, steps with a stack and with ropes), then rays alone on one core, with `--peer` beside Embree on the same rays in turn, then whole directions
//! on all cores (Table III). Directions follow the golden ratio round the target, so that as many as the time allows stand for all 361.

use crate::context::{Context, Result};
use crate::meter::timed;
use crate::peer::Peer;
use crate::sbr_cast;
use crate::sbr_stack;
use crate::sbr_targets::{FREQUENCY, around, facets, sight, target};
use mesh::shapes;
use sbr::cast::{KdTree, Position, Ray, Steps};
use sbr::cpu::Plan;
use sbr::{Counts, Facets, Launch, Settings, Target};
use serde_json::json;
use std::time::Instant;

/// Directions of the paper's cuts.
const DIRECTIONS: f64 = 361.0;
/// Rays whose steps are counted, about.
const COUNTED: u64 = 20_000;

/// Runs all rows; `peer` is the program that casts rays with Embree.
pub fn run(context: &Context<'_>) -> Result<()> {
    let mut peer = Peer::of(context, "Embree")?;
    shapes::TARGETS.into_iter().try_for_each(|name| trees(context, name))?;
    shapes::TARGETS.into_iter().try_for_each(|name| sbr_cast::rows(context, name, peer.as_mut()))?;
    shapes::TARGETS.into_iter().try_for_each(|name| directions(context, name))
}

/// Tables I and II.
fn trees(context: &Context<'_>, name: &str) -> Result<()> {
    let facets = facets(name)?;
    let (build_s, tree) = timed(|| KdTree::new(&facets));
    let [leaves, basic, ropes, of_facets] = tree.statistics(&facets).map(|(_, number)| number);
    let launch = Launch::new(&facets, sight(), &Settings::new(vec![FREQUENCY]))?;
    let (rays, stacked, roped) = steps(&facets, &tree, &launch);
    let mean = |steps: [Steps; 2]| [0, 1].map(|kind| steps[kind].planes as f64 / rays[kind].max(1) as f64);
    let (by_stack, by_ropes) = (mean(stacked), mean(roped));
    let kilobytes = |bytes: usize| bytes as f64 / 1024.0;
    let (basic, ropes) = (kilobytes(basic), kilobytes(ropes));
    context.say(format!(
        "{name:<12} {:>6} triangles {:>6} leaves, tree {basic:.1} kB, ropes {ropes:.1} kB; steps a ray, first and reflected: stack {:.2} {:.2}, ropes {:.2} {:.2}",
        facets.len(), leaves, by_stack[0], by_stack[1], by_ropes[0], by_ropes[1]
    ));
    context.emit(&json!({
        "target": name, "table": "trees", "triangles": facets.len(), "facet_kb": kilobytes(of_facets),
        "leaves": leaves, "basic_kb": basic, "rope_kb": ropes, "build_ms": 1e3 * build_s,
        "stack_steps": by_stack, "rope_steps": by_ropes, "rays": rays,
    }));
    context.check_interrupt()
}

/// First and reflected rays of a part of the grid, and the steps of each kind by stack and by ropes. Of first rays those count that hit, as others may never enter the tree.
fn steps(facets: &Facets, tree: &KdTree, launch: &Launch) -> ([u64; 2], [Steps; 2], [Steps; 2]) {
    let stride = (launch.columns * launch.rows).div_ceil(COUNTED).isqrt().max(1) as usize;
    let (mut rays, mut stacked, mut roped) = ([0; 2], [Steps::default(); 2], [Steps::default(); 2]);
    let mut stack = Vec::new();
    for row in (0..launch.rows).step_by(stride) {
        for column in (0..launch.columns).step_by(stride) {
            let mut ray = Ray::new(launch.point(column as f64 + 0.5, row as f64 + 0.5), -launch.sight);
            let mut position = Position::default();
            for kind in [0, 1, 1, 1, 1] {
                let (mut one, mut other) = (Steps::default(), Steps::default());
                sbr_stack::nearest(tree, facets, &ray, &mut stack, &mut one);
                let hit = tree.nearest(facets, &ray, &mut position, &mut other);
                if kind == 0 && !hit.is_some() {
                    break;
                }
                rays[kind] += 1;
                (stacked[kind], roped[kind]) = (stacked[kind].plus(one), roped[kind].plus(other));
                if !hit.is_some() {
                    break;
                }
                let direction = ray.direction.mirrored(facets.normals[hit.facet as usize]);
                ray = Ray::leaving(facets, hit.facet, ray.at(hit.distance), direction);
            }
        }
    }
    (rays, stacked, roped)
}

/// Table III: as many directions as the time allows, at least one.
fn directions(context: &Context<'_>, name: &str) -> Result<()> {
    let mesh = target(name)?;
    let plan = Plan::new(Target::conductor(&mesh, &Settings::new(vec![FREQUENCY]))?);
    let (start, mut done, mut counts) = (Instant::now(), 0, Counts::default());
    while done == 0 || (start.elapsed().as_secs_f64() < context.seconds && f64::from(done) < DIRECTIONS) {
        counts = counts.plus(plan.monostatic(around(done))?.counts);
        done += 1;
        context.check_interrupt()?;
    }
    let elapsed = start.elapsed().as_secs_f64();
    let each = elapsed / f64::from(done);
    let rate = |count: u64| count as f64 / elapsed;
    let threads = rayon::current_num_threads();
    context.say(format!(
        "{name:<12} {each:.3} s a direction ({done} of them, {threads} threads), so 361 in {:.0} s; {:.2}e6 segments/s, {:.2}e6 tubes/s",
        DIRECTIONS * each, 1e-6 * rate(counts.segments), 1e-6 * rate(counts.tubes)
    ));
    context.emit(&json!({
        "target": name, "table": "directions", "directions": done, "threads": threads, "seconds_each": each,
        "seconds_361": DIRECTIONS * each, "segments_per_s": rate(counts.segments), "tubes_per_s": rate(counts.tubes),
        "segments": counts.segments, "tubes": counts.tubes, "rays": counts.rays,
    }));
    Ok(())
}
