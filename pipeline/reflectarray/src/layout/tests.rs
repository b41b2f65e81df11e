use super::table::turn;
use super::*;
use crate::dxf::write_dxf;

fn settings() -> Settings {
    let rows = vec![(0.0, [2e-3, 3e-3]), (5.0, [8e-3, 9e-3])];
    Settings { table: PhaseTable::new(rows).unwrap(), offset: 0.0, outside: Outside::Refuse, gap: 0.5e-3 }
}

fn elements(columns: usize, rows: usize, phase: impl Fn(usize) -> f64) -> Elements {
    let mut elements = Elements::grid(columns, rows, 10e-3);
    elements.phase.iter_mut().enumerate().for_each(|(at, p)| *p = phase(at));
    elements
}

fn refusal(elements: &Elements, settings: &Settings) -> String {
    layout(elements, settings).unwrap_err().to_string()
}

/// Codes and values of a drawing.
fn groups(text: &str) -> Vec<(u16, &str)> {
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len().is_multiple_of(2));
    lines.chunks(2).map(|pair| (pair[0].trim().parse().unwrap(), pair[1])).collect()
}

#[test]
fn patches_stand_on_their_elements() {
    let made = layout(&elements(5, 4, |at| 0.2 * at as f64), &settings()).unwrap();
    assert_eq!((made.patches.len(), made.outside, made.worst_error), (20, 0, 0.0));
    let patch = made.patches[10];
    assert!((patch.sides[0] - 4.4e-3).abs() < 1e-15 && (patch.centre[0] + 20e-3).abs() < 1e-15);
}

#[test]
fn phases_beyond_the_table_are_refused_by_element_or_counted() {
    let late = elements(3, 1, |at| if at == 2 { 5.5 } else { 1.0 });
    let error = layout(&late, &settings()).unwrap_err();
    assert!(
        error.to_string().starts_with("element 2 at (0.0100, 0.0000) m needs the phase 315.13 degrees"),
        "{error}"
    );
    let made = layout(&late, &Settings { outside: Outside::Nearest, ..settings() }).unwrap();
    assert_eq!(made.outside, 1);
    assert!((made.worst_error - 0.5).abs() < 1e-12 && made.patches[2].sides == [8e-3, 9e-3]);
    let shifted = layout(&late, &Settings { offset: -0.6, ..settings() }).unwrap();
    assert_eq!(shifted.outside, 0);
}

#[test]
fn patches_that_come_too_near_are_named() {
    let mut close = elements(40, 40, |_| 1.0);
    assert!(layout(&close, &settings()).is_ok());
    close.x[777] += 6.5e-3;
    let error = layout(&close, &settings()).unwrap_err();
    // 3.5 mm between centres, 3.2 mm sides.
    let named = "the patches of elements 777 and 778 are 0.3000 mm apart: at least 0.5000 mm";
    assert!(error.to_string().starts_with(named), "{error}");
}

#[test]
fn near_ones_are_those_of_a_comparison_with_all() {
    let mut random = numerics::random::SplitMix64::new(9);
    for _ in 0..200 {
        let mut number = |scale: f64| scale * random.uniform();
        let patches: Vec<Patch> = (0..12)
            .map(|_| Patch { centre: [number(0.1), number(0.1)], sides: [number(0.02), number(0.02)] })
            .collect();
        let gap = number(0.01);
        let pairs = (0..12).flat_map(|j| (0..j).map(move |i| (i, j)));
        let expected = pairs.into_iter().any(|(i, j)| apart(&patches[i], &patches[j]) < gap - 1e-12);
        assert_eq!(!near_pairs(&patches, gap).is_empty(), expected);
    }
}

/// A lattice turned by 45 degrees, as near as its limits allow: patches make room, keep their gap from all others, and their phases are off by what is said.
#[test]
fn patches_make_room_where_the_nearest_phase_will_do() {
    let mut turned = elements(12, 12, |at| 0.61 * at as f64);
    for at in 0..turned.len() {
        let (x, y) = (turned.x[at], turned.y[at]);
        (turned.x[at], turned.y[at]) = ((x - y) / 2f64.sqrt(), (x + y) / 2f64.sqrt());
    }
    assert!(refusal(&turned, &settings()).contains("the table has"));
    let nearest = Settings { outside: Outside::Nearest, ..settings() };
    let made = layout(&turned, &nearest).unwrap();
    assert!(made.narrowed > 10 && made.narrowed < 144, "{}", made.narrowed);
    let mut worst = 0.0f64;
    for (at, patch) in made.patches.iter().enumerate() {
        let near = made.patches[..at].iter().map(|other| apart(other, patch)).fold(f64::INFINITY, f64::min);
        assert!(near >= nearest.gap - 1e-11, "{at}: {near}");
        // Sides of this table are linear in the phase from 0 to 5 rad.
        let phase = 5.0 * (patch.sides[0] - 2e-3) / 6e-3;
        worst = worst.max(turn(turned.phase[at] - phase).abs());
    }
    assert!((worst - made.worst_error).abs() < 1e-6, "{worst} {}", made.worst_error);
    // Patches that cannot be small enough are refused as ever.
    let mut close = elements(2, 1, |_| 1.0);
    close.x = vec![0.0, 2.4e-3];
    assert!(refusal(&close, &nearest).starts_with("the patches of elements 0 and 1 are"));
}

#[test]
fn elements_that_are_nowhere_are_refused() {
    for bad in [f64::NAN, f64::INFINITY] {
        let mut broken = elements(2, 2, |_| 1.0);
        broken.y[3] = bad;
        assert!(refusal(&broken, &settings()).starts_with("element 3: x"));
        let broken = elements(2, 2, |_| bad);
        assert!(refusal(&broken, &settings()).starts_with("element 0: x"));
    }
}

#[test]
fn a_drawing_has_a_closed_rectangle_for_every_patch() {
    let made = layout(&elements(3, 2, |at| 0.5 * at as f64), &settings()).unwrap();
    let text = write_dxf(&made, 10e-3, false);
    let groups = groups(&text);
    assert!(groups.contains(&(1, "AC1009")) && groups.last() == Some(&(0, "EOF")));
    let count = |code, value| groups.iter().filter(|g| **g == (code, value)).count();
    assert_eq!((count(0, "POLYLINE"), count(0, "VERTEX"), count(0, "SEQEND")), (7, 28, 7));
    assert_eq!((count(0, "SECTION"), count(0, "ENDSEC"), count(66, "1")), (3, 3, 7));
    // Patches, then the edge: half a cell around the outer centres.
    let at =
        |code| -> Vec<f64> { groups.iter().filter(|g| g.0 == code).map(|g| g.1.parse().unwrap()).collect() };
    let (x, y) = (at(10), at(20));
    for (index, patch) in made.patches.iter().enumerate() {
        // A dummy place and four corners for every polyline.
        let corners = 5 * index + 1..5 * index + 5;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / 4e3;
        assert!((mean(&x[corners.clone()]) - patch.centre[0]).abs() < 1e-9);
        assert!((mean(&y[corners.clone()]) - patch.centre[1]).abs() < 1e-9);
        assert!((x[corners.start + 1] - x[corners.start] - 1e3 * patch.sides[0]).abs() < 2e-6);
    }
    assert_eq!((x[31], x[32], y[32], y[33]), (-15.0, 15.0, -10.0, 10.0));
    let mirrored = write_dxf(&made, 10e-3, true);
    assert!(mirrored.contains("seen from the front") && mirrored.contains("15.000000"));
}
