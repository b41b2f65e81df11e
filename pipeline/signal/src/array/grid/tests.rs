use numerics::random::SplitMix64;

use super::*;

fn places(rows: usize, cols: usize, pitch_m: f64, centre_m: [f64; 2]) -> Vec<[f64; 2]> {
    let grid = Grid { rows, cols, pitch_m, centre_m };
    (0..grid.len()).map(|index| grid.point(index)).collect()
}

fn jitter(places: &mut [[f64; 2]], limit: f64, random: &mut SplitMix64) {
    places.iter_mut().flatten().for_each(|v| *v += limit * (2.0 * random.uniform() - 1.0));
}

#[test]
fn points_run_along_rows_from_the_top_left() {
    let grid = Grid { rows: 2, cols: 3, pitch_m: 0.5, centre_m: [10.0, 20.0] };
    assert_eq!(grid.point(0), [9.5, 19.75]);
    assert_eq!(grid.point(2), [10.5, 19.75]);
    assert_eq!(grid.point(3), [9.5, 20.25]);
}

/// Positions within 0.7 % along each axis are within 1 % in the plane. The least-squares pitch of n columns
/// errs by about the deviation over n, so the whole aperture by less than 1 % of a pitch.
#[test]
fn a_grid_within_tolerance_is_found_in_any_order() {
    let mut random = SplitMix64::new(1);
    for (rows, cols) in [(32, 32), (1, 7), (9, 1), (2, 2), (3, 64), (200, 5)] {
        let mut all = places(rows, cols, 0.02, [0.3, -0.1]);
        jitter(&mut all, 0.006 * 0.02, &mut random);
        all.sort_by(|a, b| (a[0] * 7919.0).sin().total_cmp(&(b[0] * 7919.0).sin())); // any other order
        let found = Grid::fit(&all, 0.0199).unwrap();
        assert_eq!((found.rows, found.cols), (rows, cols));
        let side = (rows.max(cols) - 1) as f64;
        assert!((found.pitch_m / 0.02 - 1.0).abs() * side < TOLERANCE);
        assert!((found.centre_m[0] - 0.3).hypot(found.centre_m[1] + 0.1) < TOLERANCE * 0.02);
    }
}

#[test]
fn a_grid_with_gaps_is_still_that_grid() {
    let mut all = places(8, 8, 0.02, [0.0, 0.0]);
    all.retain(|p| p[0] > 0.0 || p[1] > 0.0); // one quarter gone
    all.retain(|p| (p[1] - 0.03).abs() > 1e-6); // and a row
    let found = Grid::fit(&all, 0.02).unwrap();
    assert_eq!((found.rows, found.cols), (8, 8));
    assert!((found.pitch_m - 0.02).abs() < 1e-15 && found.centre_m.iter().all(|c| c.abs() < 1e-15));
}

#[test]
fn twice_the_tolerance_is_not_regular() {
    let mut all = places(8, 8, 0.02, [0.0, 0.0]);
    all[27][0] += 2.0 * TOLERANCE * 0.02;
    assert_eq!(Grid::regular(&all, 0.02), None);
    let mut oblong = places(6, 6, 0.02, [0.0, 0.0]);
    oblong.iter_mut().for_each(|p| p[1] *= 1.5);
    assert_eq!(Grid::regular(&oblong, 0.02), None);
    let mut twins = places(8, 8, 0.02, [0.0, 0.0]);
    twins.push([twins[5][0] + 1e-5, twins[5][1]]);
    assert_eq!(Grid::regular(&twins, 0.02), None);
}

#[test]
fn a_jittered_grid_is_covered_by_as_many_points() {
    let mut all = places(32, 32, 0.02, [0.0, 0.0]);
    jitter(&mut all, 0.005, &mut SplitMix64::new(2));
    let found = Grid::fit(&all, 0.018).unwrap();
    assert_eq!((found.rows, found.cols), (32, 32));
    // The box is at most one jitter larger on each side.
    assert!(found.pitch_m >= 0.02 && found.pitch_m < 0.02 + 0.01 / 31.0);
}

#[test]
fn a_disc_is_covered_without_its_corners() {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let spiral: Vec<_> = (0..400)
        .map(|n| (f64::from(n) * golden, 0.3 * (f64::from(n) / 400.0).sqrt()))
        .map(|(t, r)| [r * t.cos(), r * t.sin()])
        .collect();
    let found = Grid::fit(&spiral, 0.02).unwrap();
    let corner = found.point(0);
    let pitch = found.pitch_m;
    assert!(corner[0].hypot(corner[1]) < 0.3 + pitch / 2.0, "a corner is half a pitch outside at most");
    let larger = Grid { rows: found.rows + 1, cols: found.cols + 1, ..found }.point(0);
    assert!(larger[0].hypot(larger[1]) > 0.29, "and a larger grid would be outside");
    // The inscribed square has 2/pi of the disc's area.

    assert!(found.len() > 400 / 2 && found.len() <= 400);
}

#[test]
fn a_slanted_line_is_refused() {
    let line: Vec<_> = (0..64).map(|n| [f64::from(n) * 0.02, f64::from(n) * 0.013]).collect();
    let text = Grid::fit(&line, 0.024).unwrap_err().to_string();
    assert!(text.contains("fills a rectangle"), "{text}");
}

#[test]
fn the_hull_of_a_square_is_its_corners() {
    let hull = convex_hull(&places(5, 5, 1.0, [0.0, 0.0]));
    assert_eq!(hull.len(), 4);
    assert_eq!(outside(&hull, [0.0, 0.0]), -2.0);
    assert_eq!(outside(&hull, [1.0, 2.5]), 0.5);
}
