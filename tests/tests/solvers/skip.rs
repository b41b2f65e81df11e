//! Rows that a card takes without making anything of them: every later result is bit for bit that of a camera that executed every hop.

use crate::camera::{Case, METHODS, bits, rows};
use crate::devices;
use dsp_core::pdm::TileLayout;
use kernels::Device;
use pipeline::holography::Padding;
use pipeline::holography::camera::cuda::{Camera, Settings};
use pipeline::holography::design::{Aperture, KFilter};

/// A part of a stream.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// So many hops, one after the other.
    Execute(usize),
    /// So many at once, which the other camera executes.
    Skip(usize),
}
use Part::{Execute, Skip};

impl Part {
    fn hops(self) -> usize {
        match self {
            Execute(hops) | Skip(hops) => hops,
        }
    }
}

/// Fields of every hop that is executed, and the holograms of the last one.
type Results = Vec<Vec<[u32; 2]>>;

fn results(
    device: &Device,
    settings: &Settings,
    parts: &[Part],
    stream: &[u8],
    skips: bool,
    ahead: bool,
) -> Results {
    let bytes = settings.hop * settings.front_end.layout.row_bytes();
    let mut camera = Camera::new(device, settings).unwrap();
    camera.wait_ahead(ahead).unwrap();
    let (mut results, mut rest) = (Vec::new(), stream);
    for &part in parts {
        let (rows, after) = rest.split_at(part.hops() * bytes);
        rest = after;
        match part {
            Skip(_) if skips => camera.skip(rows).unwrap(),
            Skip(_) => {
                for hop in rows.chunks(bytes) {
                    camera.execute(hop).unwrap();
                }
            }
            Execute(_) => results.extend(rows.chunks(bytes).map(|hop| bits(camera.execute(hop).unwrap()))),
        }
    }
    results.push(bits(&camera.holograms().unwrap()));
    results
}

/// Compares both cameras, with the card waiting ahead and without.
fn skips_change_nothing(device: &Device, case: &Case, parts: &[Part]) {
    let hops: usize = parts.iter().map(|part| part.hops()).sum();
    let stream = rows(case.hop * hops, case.layout.row_bytes(), 13);
    for (method, taper) in METHODS {
        let front_end = case.front_end(method, taper);
        let settings = Settings { front_end, pnah: case.pnah(), filter: KFilter::THESIS, hop: case.hop };
        let all = results(device, &settings, parts, &stream, false, false);
        for ahead in [false, true] {
            let some = results(device, &settings, parts, &stream, true, ahead);
            assert_eq!(all.len(), some.len());
            for (i, (a, b)) in all.iter().zip(&some).enumerate() {
                assert!(a == b, "{method} {taper}, hops of {}, ahead {ahead}: result {i} differs", case.hop);
            }
        }
    }
}

fn small(samples: usize, hop: usize) -> Case {
    let (layout, aperture) = (TileLayout::new(8, 8, 8).unwrap(), Aperture { rows: 8, cols: 8, pitch: 0.02 });
    let (bins, padding) = (vec![1, 7], Padding::Lpbp { order: 3 });
    Case { layout, aperture, grid: [24, 24], samples, bins, padding, hop, hops: 1 }
}

#[test]
fn skips_of_the_camera_change_nothing() {
    for device in devices("skips_of_the_camera_change_nothing") {
        // One hop; more than a graph's sixteen; as many as an iteration skips, 4096 rows, and more; then more than the ring holds.
        let parts = [
            Execute(2),
            Skip(1),
            Execute(1),
            Skip(2),
            Execute(20),
            Skip(17),
            Execute(1),
            Skip(64),
            Execute(2),
        ];
        let long = [Skip(70), Execute(1), Skip(200), Execute(17), Skip(600), Execute(3)];
        skips_change_nothing(&device, &Case::camera(vec![22, 60], 64, 1), &[&parts[..], &long].concat());
    }
}

#[test]
fn skips_of_rows_that_fill_no_words_change_nothing() {
    for device in devices("skips_of_rows_that_fill_no_words_change_nothing") {
        let parts =
            [Skip(3), Execute(2), Skip(1), Execute(18), Skip(14), Execute(1), Skip(55), Execute(2), Skip(9)];
        for hop in [75, 7, 1] {
            skips_change_nothing(
                &device,
                &small(128, hop),
                &[&parts[..], &[Execute(1), Skip(700), Execute(2)]].concat(),
            );
        }
        // The longest hop: more words than the decimator's history.
        skips_change_nothing(
            &device,
            &small(64, 1024),
            &[Execute(1), Skip(1), Execute(1), Skip(5), Execute(2)],
        );
        skips_change_nothing(&device, &Case::camera(vec![22], 75, 1), &[Execute(1), Skip(100), Execute(2)]);
    }
}

/// For tools that take a thousand times as long.
#[test]
fn tiny_skips_change_nothing() {
    for device in devices("tiny_skips_change_nothing") {
        skips_change_nothing(&device, &small(64, 75), &[Execute(1), Skip(15), Execute(1)]);
    }
}

#[test]
fn small_skips_go_with_every_other_call() {
    for device in devices("small_skips_go_with_every_other_call") {
        let case = small(64, 128);
        let row_bytes = case.layout.row_bytes();
        let stream = rows(20_000, row_bytes, 3);
        for (method, taper) in METHODS {
            let front_end = case.front_end(method, taper);
            let settings = Settings { front_end, pnah: case.pnah(), filter: KFilter::THESIS, hop: case.hop };
            let [all, some] = [false, true].map(|skips| mixed(&device, &settings, &stream, skips));
            assert!(all == some, "{method} {taper}");
        }
    }
}

/// Hops that change, filters that change, and between them rows that are skipped or executed in hops of at most 128.
fn mixed(device: &Device, settings: &Settings, stream: &[u8], skips: bool) -> Results {
    let row_bytes = settings.front_end.layout.row_bytes();
    let mut camera = Camera::new(device, settings).unwrap();
    let (mut results, mut rest) = (Vec::new(), stream);
    let mut next = |count: usize| {
        let (rows, after) = rest.split_at(count * row_bytes);
        rest = after;
        rows
    };
    for (i, (hop, between)) in
        [(128, 1), (32, 33), (75, 5000), (1, 31), (64, 4096), (7, 9999)].into_iter().enumerate()
    {
        camera.wait_ahead(i % 2 == 0).unwrap();
        let rows = next(between);
        if skips {
            camera.skip(rows).unwrap();
        } else {
            for rows in rows.chunks(128 * row_bytes) {
                camera.set_hop(rows.len() / row_bytes).unwrap();
                camera.execute(rows).unwrap();
            }
        }
        // It ends a wait, and the old part is made for another number of rows.
        camera.set_hop(hop).unwrap();
        camera.wait_ahead(i % 3 == 0).unwrap();
        results.push(bits(camera.execute(next(hop)).unwrap()));
        assert_eq!(results.last(), Some(&bits(camera.fields().unwrap())), "the same again");
        camera.set_filter(1, KFilter { cutoff: 40.0 + i as f64, slope: 0.2 }).unwrap();
        results.push(bits(&camera.holograms().unwrap()));
    }
    camera.skip(&[]).unwrap();
    let error = camera.skip(&stream[..=row_bytes]).unwrap_err().to_string();
    assert_eq!(error, "9 bytes of rows, where a row has 8");
    results.push(bits(camera.execute(next(7)).unwrap()));
    results
}
