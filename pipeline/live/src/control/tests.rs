use super::super::config;
use super::super::wiring::{Shared, Wired, wire};
use super::*;
use holography::chain::Chain;
use holography::design::KFilter;
use num_complex::Complex;
use std::path::Path;
use viewer::Command;

const SMALL: &str = "[source]\nudp = \"127.0.0.1:0\"\n[array]\nrows = 8\ncols = 8\n[hologram]\nsamples = 128\n\
    frequencies_hz = [1100.0]\nfilter = \"50:0.3\"\n";

/// The control thread of an instrument whose other threads do not run.
fn control(text: &str, folder: &Path) -> (Wired, Shared) {
    let settings = config::settings(text, folder).unwrap();
    wire(&settings, Clock::start(), &Arc::default(), None, None).unwrap()
}

#[test]
fn frequencies_whose_values_fit_no_datagram_are_refused_with_a_message() {
    let pixels: Vec<String> = (0..64).map(|i| format!("[{}, {}]", i / 8, i % 8)).collect();
    let text = format!(
        "{SMALL}refine = 2\n[viewer]\nserve = false\n[controller]\nto = \"127.0.0.1:9\"\npixels = [{}]\n",
        vec![pixels.join(", "); 40].join(", ")
    );
    let (mut wired, shared) = control(&text, Path::new(""));
    // 40 x 64 values are 2560; 8178 fit.
    wired.control.obey(Command::Bins(vec![3, 4, 5, 6]));
    let messages = wired.control.messages.list();
    assert_eq!((messages.len(), wired.control.label.number), (1, 0));
    assert!(messages[0].text.ends_with("at most 3"), "{messages:?}");
    wired.control.obey(Command::Bins(vec![3, 4, 5]));
    assert_eq!((wired.control.messages.list().len(), wired.control.label.number), (1, 1));
    assert_eq!(shared.news.try_iter().count(), 1);
}

fn shot(label: u64, sequence: u64) -> Snapshot {
    let source = vec![Complex::default(); 64];
    Snapshot { label, sequence, for_file: true, measured: source.clone(), source, ..Snapshot::default() }
}

#[test]
fn files_that_are_not_written_are_counted_and_those_that_are_stay_counted() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{SMALL}[viewer]\nserve = false\n[files]\nfolder = \"f\"\nevery = 1\n");
    let (mut wired, shared) = control(&text, folder.path());
    std::fs::create_dir(folder.path().join("f")).unwrap();
    let dropped = || shared.counts.files_dropped.load(Ordering::Relaxed);
    wired.control.look(&shot(0, 0));
    assert_eq!(dropped(), 0);
    // Of a chain that is gone.
    wired.control.look(&shot(7, 1));
    assert_eq!(dropped(), 1);
    std::fs::remove_dir_all(folder.path().join("f")).unwrap();
    wired.control.look(&shot(0, 2));
    wired.control.look(&shot(0, 3));
    assert_eq!((dropped(), wired.control.messages.list().len()), (3, 1));
    let report = wired.control.report();
    assert_eq!((report.files, report.dropped("files")), (1, 3));
}

#[test]
fn the_spectrum_of_a_point_needs_no_watch_over_the_microphones() {
    let (mut wired, _shared) = control(&format!("{SMALL}[health]\nwatch = false\n"), Path::new(""));
    let control = &mut wired.control;
    // Every bit the same: all would be found stuck.
    let rows = vec![0xff; super::super::health::ROWS * 8];
    control.judge(&rows);
    assert!(control.spectrum().is_none());
    control.obey(Command::Point(Point { row: 2, col: 3 }));
    control.judge(&rows);
    assert_eq!(control.spectrum().map(|spectrum| spectrum.point), Some(Point { row: 2, col: 3 }));
    assert!(control.masked.is_empty() && control.messages.list().is_empty());
}

#[test]
fn a_filter_that_cannot_be_is_a_message_and_not_the_end() {
    let settings = config::settings(&format!("{SMALL}[viewer]\nserve = false\n"), Path::new("")).unwrap();
    let chain = Chain::new(settings.chain.as_ref().unwrap(), settings.hop_rows).unwrap();
    let chain = Some(Box::new(chain));
    let (mut wired, _shared) = wire(&settings, Clock::start(), &Arc::default(), chain, None).unwrap();
    assert!(wired.control.links.orders.push(Order::Filter(99, KFilter { cutoff: 50.0, slope: 0.3 })).is_ok());
    wired.intake.rows(&vec![0x55; 256 * 8], true);
    wired.intake.finish();
    wired.compute.run(wired.reader).unwrap();
    wired.control.turn();
    assert_eq!(wired.control.messages.list().len(), 1);
}

/// The field of a monopole before an 8 x 8 array, and the same again.
#[test]
fn a_filter_that_is_chosen_again_is_not_computed_again() {
    let text = SMALL.replace("filter = \"50:0.3\"\n", "") + "[viewer]\nserve = false\n";
    let (mut wired, _shared) = control(&text, Path::new(""));
    let field = |i: usize| {
        let (x, y) = ((i % 8) as f64 - 3.0, (i / 8) as f64 - 4.2);
        let r = (0.02f64.powi(2) * (x * x + y * y) + 0.04f64.powi(2)).sqrt();
        let p = Complex::from_polar(0.01 / r, -2.0 * std::f64::consts::PI * 1100.0 / 343.0 * r);
        Complex::new(p.re as f32, p.im as f32)
    };
    let shot = Snapshot { measured: (0..64).map(field).collect(), ..Snapshot::default() };
    let free = wired.control.links.orders.slots();
    wired.control.choose(&shot);
    assert_eq!(wired.control.links.orders.slots(), free - 1);
    wired.control.choose(&shot);
    assert_eq!(wired.control.links.orders.slots(), free - 1);
}
