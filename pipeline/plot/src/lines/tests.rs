use super::*;
use crate::canvas::GRID;

const X: [f64; 4] = [10.0, 40.0, 200.0, 1000.0];

fn figure<'a>(logarithmic: bool, curves: &[(&'a [f64], &'a [f64])]) -> Figure<'a> {
    let curves = curves.iter().map(|&(x, y)| Curve { name: "d1", x, y }).collect();
    let quantity = |label| Quantity { logarithmic, ..Quantity::linear(label) };
    Figure { title: "error", x: quantity("coefficients"), y: quantity("RMSRE (%)"), curves }
}

#[test]
fn marks_stand_on_the_points() {
    let y = [30.0, 9.0, 1.2, 0.15];
    let canvas = figure(true, &[(&X, &y)]).draw().unwrap();
    let panel = Panel { x: LEFT, y: TOP, width: WIDTH, height: HEIGHT };
    // 10 to 1000 and 0.15 to 30 end at these.
    let across = panel.horizontal(5.0, 2000.0, true);
    let up = Axis { logarithmic: true, ..panel.vertical(50.0, 0.1) };
    for (&a, &b) in X.iter().zip(&y) {
        let (x, y) = (across.pixel(a) as i32, up.pixel(b) as i32);
        assert_eq!(canvas.pixel(x, y), COLOURS[0], "{a} {b}");
        assert_ne!(canvas.pixel(x, y - 20), COLOURS[0], "{a} {b}");
    }
}

#[test]
fn ends_are_round_and_hold_the_values() {
    assert_eq!(round_ends(3.0, 57.0), (0.0, 60.0));
    assert_eq!(round_ends(-4.0, 7.0), (-4.0, 8.0));
    assert_eq!(round_ends(-43.0, -18.0), (-45.0, -15.0));
    assert_eq!((round_ends(0.0, 0.0), round_ends(-3.0, -3.0)), ((0.0, 1.0), (-6.0, 0.0)));
    assert_eq!((tight_ends(0.0, 180.0), tight_ends(85.0, 95.0)), ((0.0, 180.0), (85.0, 95.0)));
    assert_eq!((tight_ends(1.0, 361.0), tight_ends(-90.0, -1.0)), ((0.0, 361.0), (-90.0, 0.0)));
    for (low, high, expected) in [(1.2, 1.3, (1.0, 2.0)), (10.0, 10.0, (5.0, 20.0)), (3e-9, 0.7, (2e-9, 1.0))]
    {
        let (below, above) = log_ends(low, high);
        assert!(
            (below / expected.0 - 1.0).abs() < 1e-9 && (above / expected.1 - 1.0).abs() < 1e-9,
            "{low} {high}"
        );
    }
}

#[test]
fn a_curve_that_lies_on_another_leaves_it_to_be_seen() {
    let x: Vec<f64> = (0..=180).map(f64::from).collect();
    let y: Vec<f64> = x.iter().map(|x| -30.0 + x.to_radians().sin()).collect();
    let canvas = figure(false, &[(&x, &y), (&x, &y)]).draw().unwrap();
    let found = |colour| {
        let all = (LEFT..LEFT + WIDTH).flat_map(|x| (TOP..TOP + HEIGHT).map(move |y| (x, y)));
        all.filter(|(x, y)| canvas.pixel(*x, *y) == colour).count()
    };
    // Of 1050 columns some three pixels each, 16 of 42 of them the first's.
    assert!(found(COLOURS[0]) > 500 && found(COLOURS[1]) > 1000);
}

#[test]
fn a_curve_below_the_least_value_leaves_the_frame_and_comes_back() {
    let x: Vec<f64> = (0..=100).map(f64::from).collect();
    // Peaks of one point each, above nothing, and far above what is asked for.
    for low in [-200.0, f64::NEG_INFINITY] {
        let y: Vec<f64> = x.iter().map(|x| if x % 20.0 == 10.0 { -5.0 } else { low }).collect();
        let whole = figure(false, &[(&x, &y)]);
        let figure = Figure { y: Quantity::linear("level").down_to(-40.0), ..whole };
        let canvas = figure.draw().unwrap();
        let bottom = (LEFT..LEFT + WIDTH).filter(|x| canvas.pixel(*x, TOP + HEIGHT - 30) == COLOURS[0]);
        // Two flanks of each of five peaks, and no marks that would be wider.
        assert!((10..=5 * 2 * 6).contains(&bottom.count()), "{low}");
    }
}

/// How many columns between the marks at two values of x hold more than the grid, and how many there are.
fn drawn_between(canvas: &Canvas, across: &Axis, from: f64, to: f64) -> (usize, usize) {
    let clear = MARK as i32 + 3;
    let columns = across.pixel(from) as i32 + clear..across.pixel(to) as i32 - clear;
    let is_ground = |colour| [RGBColor(255, 255, 255), GRID].contains(&colour);
    let is_drawn = |x: &i32| (TOP..TOP + HEIGHT).any(|y| !is_ground(canvas.pixel(*x, y)));
    (columns.clone().filter(is_drawn).count(), columns.len())
}

#[test]
fn gaps_are_left_open() {
    let panel = Panel { x: LEFT, y: TOP, width: WIDTH, height: HEIGHT };
    let y = [3.0, f64::NAN, 0.0, 5.0];
    // A point without neighbours is a mark.
    let is_mark = |canvas: &Canvas, (x, y): (f64, f64), curve: usize| {
        assert_eq!(canvas.pixel(x as i32, y as i32), COLOURS[curve]);
    };
    let canvas = figure(false, &[(&X, &y), (&X[..1], &y[..1])]).draw().unwrap();
    let (across, up) = (panel.horizontal(0.0, 1000.0, false), panel.vertical(5.0, 0.0));
    assert_eq!(drawn_between(&canvas, &across, 10.0, 200.0).0, 0);
    let (drawn, all) = drawn_between(&canvas, &across, 200.0, 1000.0);
    assert!(drawn == all && all > 700, "{drawn} of {all}");
    is_mark(&canvas, (across.pixel(10.0), up.pixel(3.0)), 1);
    // Zero has no place on a logarithmic axis.
    let canvas = figure(true, &[(&X, &y), (&X[..1], &y[..1])]).draw().unwrap();
    let across = panel.horizontal(5.0, 2000.0, true);
    let up = Axis { logarithmic: true, ..panel.vertical(10.0, 2.0) };
    assert_eq!(drawn_between(&canvas, &across, 10.0, 1000.0).0, 0);
    is_mark(&canvas, (across.pixel(10.0), up.pixel(3.0)), 1);
    is_mark(&canvas, (across.pixel(1000.0), up.pixel(5.0)), 0);
    let infinite = [3.0, f64::INFINITY, 2.0, 5.0];
    let canvas = figure(true, &[(&X, &infinite)]).draw().unwrap();
    assert_eq!(drawn_between(&canvas, &across, 10.0, 200.0).0, 0);
    let (drawn, all) = drawn_between(&canvas, &across, 200.0, 1000.0);
    assert!(drawn == all && all > 200, "{drawn} of {all}");
}

#[test]
fn nonsense_is_refused() {
    let refused = |logarithmic, x: &[f64], y: &[f64]| figure(logarithmic, &[(x, y)]).draw().err().unwrap();
    assert!(matches!(refused(false, &[], &[]), Error::Empty { .. }));
    assert!(matches!(refused(false, &X, &X[1..]), Error::Length { found: 3, expected: 4, .. }));
    assert!(matches!(refused(true, &[0.0, 1.0], &[1.0; 2]), Error::Axis { name: "x", at: 0, .. }));
    assert!(matches!(refused(false, &[0.0, f64::NAN], &[1.0; 2]), Error::Axis { name: "x", at: 1, .. }));
    assert!(matches!(refused(false, &[0.0, 0.0], &[1.0; 2]), Error::Axis { name: "x", at: 1, .. }));
    assert!(matches!(refused(true, &X, &[-1.0; 4]), Error::NothingFinite(_, 4)));
    let many = vec![(&X[..], &X[..]); 13];
    assert!(matches!(figure(false, &many).draw(), Err(Error::Axis { name: "number of curves", .. })));
}
