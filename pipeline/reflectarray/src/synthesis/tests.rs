use super::super::testing::{model, sky};
use super::super::{Mask, Region};
use super::*;

/// 16 x 12 elements for a coverage of 0.3 x 0.3 aside from the axis.
fn task(spacing: Option<Spacing>) -> Task {
    let region = |side: usize| {
        let (mut u, mut v) = sky(side, 0.05, -0.1, 0.15 * (side - 1) as f64 / side as f64);
        let interior = u.len();
        let (edge, down) = sky(5, 0.05, -0.1, 0.15);
        u.extend(edge);
        v.extend(down);
        let region = Region {
            name: "square".into(),
            u,
            v,
            interior,
            lower_dbi: Some(0.0),
            weight: 1.0,
            upper_dbi: None,
        };
        Mask { regions: vec![region], solid_angle: 0.09 }
    };
    Task {
        bands: vec![(model(), 1.0)],
        shape: Shape { columns: 16, rows: 12 },
        pitch: 0.011,
        spacing,
        mask: region(8),
        fine: region(16),
        mean: 0.2,
        starts: 5,
    }
}

const SPACING: Spacing = Spacing { min: 0.01, max: 0.014 };

fn on_cpu(task: &Task) -> Plan {
    Plan::on_cpu(task.clone()).unwrap()
}

fn quiet(_: &Progress<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A uniform beam over the coverage is the bound; a shaped one of this aperture has half of it or more, and positions add to it.
#[test]
fn stages_lead_to_a_beam_and_positions_improve_it() {
    let fixed = on_cpu(&task(None)).synthesise(&periodic(), &mut quiet).unwrap();
    let bound = task(None).mask.bound_dbi();
    assert!(
        fixed.score.d_mean_db > bound - 3.0 && fixed.score.d_mean_db < bound,
        "{:?} of {bound}",
        fixed.score
    );
    assert!(fixed.score.d_min_db > bound - 6.0, "{:?}", fixed.score);
    let moved = on_cpu(&task(Some(SPACING))).synthesise(&aperiodic(), &mut quiet).unwrap();
    let merit = |design: &Design| 0.2 * design.score.d_mean_db + 0.8 * design.score.d_min_db;
    assert!(merit(&moved) > merit(&fixed) + 0.2, "{:?} {:?}", moved.score, fixed.score);
    spacing::check(&moved.elements, task(None).shape, SPACING).unwrap();
    assert!(moved.elements.phase.iter().all(|phase| phase.abs() <= 0.5 * TAU));
    // The same again, to the last bit.
    assert_eq!(on_cpu(&task(None)).synthesise(&periodic(), &mut quiet).unwrap(), fixed);
}

/// A stop keeps the best so far, in any stage, and the spacing with it; and a stopped design goes on from its elements.
#[test]
fn a_stop_keeps_the_best_so_far() {
    let task = task(Some(SPACING));
    let mut found = Vec::new();
    for most in [1, 40, 300] {
        let mut rounds = 0;
        let mut before = 0.0;
        let mut stop = |progress: &Progress<'_>| {
            rounds += 1;
            assert!(progress.done >= before - 1e-12 && progress.done <= 1.0 + 1e-12, "{progress:?}");
            assert!(progress.score.d_min_db <= progress.score.d_mean_db);
            before = progress.done;
            if rounds >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let design = on_cpu(&task).synthesise(&aperiodic(), &mut stop).unwrap();
        assert!(design.stopped);
        spacing::check(&design.elements, task.shape, SPACING).unwrap();
        let last = design.score.d_min_db;
        found.push(last);
        let more = on_cpu(&task).refine(&design.elements, &trade(usize::MAX), &mut quiet).unwrap();
        assert!(!more.stopped && more.score.d_min_db > last - 0.05, "{:?} {last}", more.score);
        spacing::check(&more.elements, task.shape, SPACING).unwrap();
    }
    assert!(found[2] > found[0] + 1.0, "{found:?}");
}

/// A front trades one for the other, and keeps the spacing.
#[test]
fn a_front_trades_the_mean_for_the_minimum() {
    let task = task(Some(SPACING));
    let designs = on_cpu(&task).front(&aperiodic(), &trade(9), &[0.9, 0.0], &mut quiet).unwrap();
    let [_, high, even] = &designs[..] else { panic!("{} designs", designs.len()) };
    assert!(high.score.d_mean_db > even.score.d_mean_db + 0.1, "{:?} {:?}", high.score, even.score);
    assert!(high.score.d_min_db < even.score.d_min_db - 0.1, "{:?} {:?}", high.score, even.score);
    designs.iter().for_each(|design| spacing::check(&design.elements, task.shape, SPACING).unwrap());
}

/// A design for two bands covers the second one better than a design for the first alone.
#[test]
fn more_bands_share_the_design() {
    let mut both = task(None);
    let mut other = model();
    other.frequency *= 1.1;
    let single = on_cpu(&both).synthesise(&periodic(), &mut quiet).unwrap();
    both.bands.push((other.clone(), 1.0));
    let shared = on_cpu(&both).synthesise(&periodic(), &mut quiet).unwrap();
    let at_other = |design: &Design| {
        let dbi = directivities(&other, &design.elements, &both.fine).unwrap();
        scores(&both.fine, &dbi).1.d_min_db
    };
    assert!(at_other(&shared) > at_other(&single) + 1.0, "{} {}", at_other(&shared), at_other(&single));
}

/// Levels for the methods that aim at them.
fn levelled(dbi: f64) -> Task {
    let mut task = task(None);
    task.mask.regions[0].lower_dbi = Some(dbi);
    task.fine.regions[0].lower_dbi = Some(dbi);
    task
}

/// The soft minimum finds a level that can be reached; the functional then reaches one a decibel lower, and comes to rest before one that is too high.
#[test]
fn the_functional_meets_levels_that_can_be_met() {
    let best = on_cpu(&task(None)).synthesise(&periodic(), &mut quiet).unwrap().score.d_min_db;
    let stages = usual(Method::Functional, false);
    let met = on_cpu(&levelled(best - 1.0)).synthesise(&stages, &mut quiet).unwrap();
    assert!(met.objective < 1e-6, "{met:?}");
    assert!(met.score.d_min_db > best - 1.2, "{:?} {best}", met.score);
    let missed = on_cpu(&levelled(best + 3.0)).synthesise(&stages, &mut quiet).unwrap();
    assert!(missed.objective > 1e-4 && missed.score.d_min_db < best + 2.0, "{:?} {best}", missed.score);
    assert_eq!(on_cpu(&levelled(best + 3.0)).synthesise(&stages, &mut quiet).unwrap(), missed);
}

/// Gains over the incident power leave less in the invisible than directivities do, and are higher.
#[test]
fn gains_keep_the_power_in_sight() {
    use super::super::budget::Budget;
    let mut task = task(None);
    // Half a wavelength, and a coverage wide enough for light that is not needed.
    task.pitch = 0.01;
    let [radiated, incident] = [Power::Radiated, Power::Incident].map(|power| {
        let stages: Vec<Stage> = periodic().into_iter().map(|stage| Stage { power, ..stage }).collect();
        let design = on_cpu(&task).synthesise(&stages, &mut quiet).unwrap();
        let budget = Budget::new(&task.bands[0].0, &design.elements, task.shape, task.pitch).unwrap();
        (design.score.d_min_db + budget.gain_db(), budget.visible)
    });
    assert!(incident.0 > radiated.0 && incident.1 > radiated.1, "{incident:?} {radiated:?}");
}

/// Projections come nearer to the levels than their starts, not as near as the functional, and can be stopped.
#[test]
fn projections_improve_their_starts_and_fall_short_of_the_functional() {
    let task = levelled(16.0);
    let project = |iterations: usize| {
        let mut stages = usual(Method::Projections, false);
        stages[0].iterations = iterations;
        on_cpu(&task).synthesise(&stages, &mut quiet).unwrap()
    };
    let (first, last) = (project(1), project(300));
    let functional = on_cpu(&task).synthesise(&usual(Method::Functional, false), &mut quiet).unwrap();
    assert!(last.objective < 0.7 * first.objective, "{} {}", first.objective, last.objective);
    assert!(functional.objective < last.objective, "{} {}", functional.objective, last.objective);
    assert_eq!(project(300), last);
    let mut rounds = 0;
    let mut stop = |_: &Progress<'_>| {
        rounds += 1;
        if rounds == 7 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = on_cpu(&task).synthesise(&usual(Method::Projections, false), &mut stop).unwrap();
    assert!(stopped.stopped && stopped.iterations == 7, "{}", stopped.iterations);
    assert!(stopped.objective <= first.objective);
}

/// A global stage, Zernike phases and with limits also coarse positions.
fn global(nodes: usize) -> Stage {
    let search = Global { samples: 40, levels: 6, searches: 24, range: 5.0, shift: 0.3, seed: 1 };
    Stage {
        name: "global".into(),
        zernike: Some(3),
        nodes,
        iterations: 30,
        keep: 3,
        global: Some(search),
        ..periodic()[0].clone()
    }
}

/// From one start of the wrong kind, the search finds what a local one does not, every time the same; it is told of and can be stopped anywhere.
#[test]
fn a_global_search_leaves_the_start_s_basin() {
    for spacing in [None, Some(SPACING)] {
        let mut task = task(spacing);
        task.starts = 1;
        let stage = global(if spacing.is_some() { 3 } else { 0 });
        let local = Stage { global: None, ..stage.clone() };
        let mut before = 0.0;
        let mut look = |progress: &Progress<'_>| {
            assert!(progress.done >= before - 1e-12 && progress.done <= 1.0 + 1e-12, "{progress:?}");
            before = progress.done;
            ControlFlow::Continue(())
        };
        let found = on_cpu(&task).synthesise(std::slice::from_ref(&stage), &mut look).unwrap();
        let alone = on_cpu(&task).synthesise(&[local], &mut quiet).unwrap();
        assert!(found.objective < alone.objective - 0.02, "{} {}", found.objective, alone.objective);
        assert_eq!(on_cpu(&task).synthesise(std::slice::from_ref(&stage), &mut quiet).unwrap(), found);
        let after = [stage.clone(), periodic().swap_remove(2)];
        let refined = on_cpu(&task).synthesise(&after, &mut quiet).unwrap();
        assert!(refined.score.d_min_db > found.score.d_min_db, "{:?} {:?}", refined.score, found.score);
        for most in [35, 50, 90] {
            let mut rounds = 0;
            let mut stop = |_: &Progress<'_>| {
                rounds += 1;
                if rounds >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let kept = on_cpu(&task).synthesise(std::slice::from_ref(&stage), &mut stop).unwrap();
            assert!(kept.stopped && kept.objective.is_finite());
            if let Some(limits) = spacing {
                spacing::check(&kept.elements, task.shape, limits).unwrap();
            }
        }
    }
}

#[test]
fn tasks_without_meaning_are_refused() {
    let refused = |change: fn(&mut Task)| {
        let mut task = task(Some(SPACING));
        change(&mut task);
        Plan::on_cpu(task).err()
    };
    let named = |change: fn(&mut Task), named: &str| {
        let error = refused(change);
        assert!(matches!(&error, Some(Error::Invalid { given, .. }) if given.contains(named)), "{error:?}");
    };
    named(|t| t.bands.clear(), "0 elements and ");
    named(|t| t.bands[0].1 = 0.0, "weight 0 of the band");
    named(|t| t.mean = 1.5, "weight 1.5 of the mean");
    named(|t| t.pitch = f64::NAN, "pitch of NaN m");
    let dark = refused(|t| t.bands[0].0.feed.aim = [0.0, 0.0, 10.0]).map(|error| error.to_string());
    assert!(dark.as_ref().is_some_and(|dark| dark.contains("no light reaches any of the 192")), "{dark:?}");
    named(|t| t.pitch = 0.02, "neighbours 0.02");
    assert!(matches!(refused(|t| t.mask.regions[0].lower_dbi = Some(25.0)), Some(Error::Infeasible { .. })));
    let mut wrong = global(0);
    wrong.global = wrong.global.map(|search| Global { range: f64::NAN, ..search });
    let wrong = on_cpu(&task(None)).synthesise(&[wrong], &mut quiet).unwrap_err().to_string();
    assert!(wrong.contains("of the search runs from NaN"), "{wrong}");
    let short = Elements::grid(2, 2, 0.01);
    let wrong = on_cpu(&task(None)).refine(&short, &periodic(), &mut quiet);
    assert!(matches!(wrong, Err(Error::Length { .. })));
}
