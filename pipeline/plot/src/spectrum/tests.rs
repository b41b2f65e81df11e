use super::*;

fn ramp(count: usize) -> (Vec<f64>, Vec<f64>) {
    ((0..count).map(|i| i as f64 * 100.0).collect(), (0..count).map(|i| -80.0 + 0.25 * i as f64).collect())
}

/// The panel of a figure with this many rows of labels, and its axes.
fn axes(f: &[f64], l: &[f64], kind: FrequencyAxis, rows: i32) -> (Panel, Axis, Axis) {
    let panel = Panel { x: LEFT, y: TOP + ROW * rows, width: WIDTH, height: HEIGHT };
    let range = frequency_range(f, l.len(), kind).unwrap();
    (panel, frequency_axis(&panel, range, kind), level_axis(&panel, level_range(f, l, range.0).unwrap()))
}

fn is_line(canvas: &Canvas, x: i32, y: f64) -> bool {
    canvas.pixel(x, y.round() as i32) == LINE
}

#[test]
fn line_passes_through_its_points() {
    let (f, l) = ramp(201);
    let canvas = draw("ramp", &f, &l, "level (dB)", FrequencyAxis::Linear, &[]).unwrap();
    let (_, frequency, level) = axes(&f, &l, FrequencyAxis::Linear, 0);
    // -80 to -30 dB: the axis ends at the next ten above -27.
    assert_eq!((level.from, level.to), (-20.0, -80.0));
    for i in (10..200).step_by(10) {
        let (x, y) = (frequency.pixel(f[i]) as i32, level.pixel(l[i]));
        // 1.6 pixels either way: the pixel in the middle is covered whole.
        assert!(is_line(&canvas, x, y - 0.5), "{i}");
        assert!(!is_line(&canvas, x, y - 6.0) && !is_line(&canvas, x, y + 6.0), "{i}");
    }
}

#[test]
fn narrow_peaks_survive_and_nan_leaves_a_gap() {
    // 200 values a column, one of them high.
    let f: Vec<f64> = (0..260_000).map(f64::from).collect();
    let mut l = vec![-90.0; f.len()];
    l[130_123] = -10.0;
    for gap in &mut l[200_000..210_000] {
        *gap = f64::NAN;
    }
    let canvas = draw("peak", &f, &l, "level (dB)", FrequencyAxis::Linear, &[]).unwrap();
    let (_, frequency, level) = axes(&f, &l, FrequencyAxis::Linear, 0);
    let x = frequency.pixel(130_123.0) as i32;
    assert!((-80..=-20).step_by(10).all(|db| is_line(&canvas, x, level.pixel(f64::from(db)))));
    assert!(!is_line(&canvas, x + 3, level.pixel(-50.0)));
    let floor = level.pixel(-90.0) - 1.0;
    assert!(is_line(&canvas, frequency.pixel(195_000.0) as i32, floor));
    assert!(!is_line(&canvas, frequency.pixel(205_000.0) as i32, floor));
}

#[test]
fn logarithmic_axis_leaves_out_zero_and_keeps_four_decades() {
    let (f, l) = ramp(201);
    let (_, axis, level) = axes(&f, &l, FrequencyAxis::Logarithmic, 0);
    assert_eq!((axis.from, axis.to), (100.0, 20_000.0));
    let canvas = draw("ramp", &f, &l, "level (dB)", FrequencyAxis::Logarithmic, &[]).unwrap();
    assert!(is_line(&canvas, axis.pixel(10_000.0) as i32, level.pixel(l[100])));
    let wide = [1e-3, 1.0, 1e3];
    assert_eq!(frequency_range(&wide, 3, FrequencyAxis::Logarithmic).unwrap(), (0.1, 1e3));
}

#[test]
fn level_axis_ignores_single_notches() {
    let (f, mut l) = ramp(201);
    l[50] = -300.0;
    l[51] = f64::NEG_INFINITY;
    assert_eq!(level_range(&f, &l, 0.0).unwrap(), (-80.0, -20.0));
    assert_eq!(level_range(&f, &[-60.0; 201], 0.0).unwrap(), (-70.0, -50.0));
    draw("notches", &f, &l, "level (dB)", FrequencyAxis::Linear, &[]).unwrap();
}

#[test]
fn marks_draw_a_dashed_line_and_leave_out_what_is_outside() {
    let (f, l) = ramp(201);
    let mark = |frequency_hz| Mark { frequency_hz, label: "here" };
    let canvas = draw(
        "",
        &f,
        &l,
        "level (dB)",
        FrequencyAxis::Linear,
        &[mark(5000.0), mark(50_000.0), mark(f64::NAN)],
    )
    .unwrap();
    let (panel, frequency, level) = axes(&f, &l, FrequencyAxis::Linear, 1);
    let x = frequency.pixel(5000.0).round() as i32;
    assert_eq!(canvas.pixel(x, panel.y + 1), MARK);
    assert_ne!(canvas.pixel(x, panel.y + 14), MARK);
    // It ends above the line.
    let line = level.pixel(l[50]) as i32;
    assert!((line - 11..panel.y + HEIGHT).all(|y| canvas.pixel(x, y) != MARK));
    let text = |x: i32| (panel.y - 40..panel.y - 8).any(|y| canvas.pixel(x, y) != RGBColor(255, 255, 255));
    assert!((x - 40..x + 40).any(text));
    assert!(!(x + 60..LEFT + WIDTH).any(text));
}

#[test]
fn labels_take_rows_and_stay_over_the_frame() {
    let at = |frequency_hz| Mark { frequency_hz, label: "1234 Hz" };
    let marks = [at(0.0), at(10.0), at(20.0), at(30.0), at(5000.0), at(10_000.0)];
    let labels = place_labels((0.0, 10_000.0), FrequencyAxis::Linear, &marks).unwrap();
    let rows: Vec<Option<i32>> = labels.iter().map(|label| label.row).collect();
    assert_eq!(rows, [Some(0), Some(1), Some(2), None, Some(0), Some(0)]);
    assert_eq!((label_centre(LEFT, 70), label_centre(LEFT + WIDTH, 70)), (LEFT + 70, LEFT + WIDTH - 70));
}

#[test]
fn nonsense_is_refused() {
    let refused = |f: &[f64], l: &[f64], kind| draw("", f, l, "level (dB)", kind, &[]).err().unwrap();
    let linear = FrequencyAxis::Linear;
    assert!(matches!(refused(&[], &[], linear), Error::Empty { .. }));
    assert!(matches!(refused(&[1.0, 2.0], &[0.0], linear), Error::Length { found: 1, expected: 2, .. }));
    assert!(matches!(refused(&[1.0, 2.0], &[f64::NAN; 2], linear), Error::NothingFinite(_, 2)));
    for f in [[1.0, 1.0], [2.0, 1.0], [1.0, f64::NAN], [-1.0, 1.0], [0.0, f64::INFINITY]] {
        assert!(matches!(refused(&f, &[0.0; 2], linear), Error::Axis { name: "frequency", .. }), "{f:?}");
    }
    assert!(matches!(refused(&[7.0], &[0.0], linear), Error::Axis { .. }));
    assert!(matches!(refused(&[0.0, 7.0], &[0.0; 2], FrequencyAxis::Logarithmic), Error::Axis { .. }));
}
