//! A device that fails, at its first hologram, at one in the middle and at a late one.

use super::ROWS;
use hil_sim::link::Rates;
use num_complex::Complex;
use pipeline::holography::chain::Chain;
use pipeline::live::engine::{Card, CardError, Filters, OnCard};
use pipeline::live::source::Source;
use pipeline::live::{Instrument, Settings};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tests::live::{Heard, Listener, Offline, at_points, bench, capture, rows, settings, turn};

/// Holograms before the device fails.
const GOOD: [usize; 3] = [0, 20, 55];

/// Bit of a controller's datagram: computed by the CPU for a failed device.
const FALLBACK: u16 = 4;

/// The CPU in the place of a card; its hop `fails` fails.
struct Failing {
    chain: Chain,
    hops: usize,
    fails: usize,
}

impl Card for Failing {
    fn execute(&mut self, rows: &[u8], _: bool) -> Result<Filters, CardError> {
        self.skip(rows)?;
        self.chain.holograms().map_err(|e| CardError::Other(e.to_string()))?;
        Ok(Filters::Chosen)
    }

    fn fields(&mut self) -> Option<&[Complex<f32>]> {
        Some(self.chain.source())
    }

    fn skip(&mut self, rows: &[u8]) -> Result<(), CardError> {
        self.hops += 1;
        if self.hops == self.fails {
            return Err(CardError::Other("fell off the bus".into()));
        }
        self.chain.push(rows);
        Ok(())
    }
}

fn card(settings: &Settings, fails: usize) -> OnCard {
    let chain = Chain::new(settings.chain.as_ref().unwrap(), settings.hop_rows).unwrap();
    let card = Box::new(Failing { chain, hops: 0, fails });
    OnCard { name: "a card".into(), card, times_s: [0.0; 2] }
}

#[test]
fn a_device_that_fails_is_replaced_and_said_in_every_row() {
    let _turn = turn();
    let bits = rows(&bench(), ROWS);
    println!("good holograms of the device | failures reported | holograms of the CPU, all flagged");
    for good in GOOD {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sent.pcap");
        capture(&path, &[(0, &bits)], Rates::default());
        let (listener, controller) = Listener::new();
        let source = Source::Capture { path, speed: None };
        let settings = Settings { controller: Some(controller), ..settings(source) };
        let hop = settings.hop_rows as usize;
        // A card takes whole hops: so many of them make its first hologram.
        let first = settings.chain.as_ref().unwrap().rows_needed().div_ceil(settings.hop_rows) as usize;
        let card = card(&settings, first + good);
        let stop = Arc::new(AtomicBool::new(false));
        let report = Instrument::start(settings.clone(), Some(card), &stop).unwrap().join().unwrap();
        // The window fills anew with the rows behind the hop on which the device failed.
        let failed = (first + good) * hop;
        let by_cpu = (ROWS - failed) / hop - first + 1;
        println!("{good:>28} | {:>17} | {by_cpu:>20}", report.device_failures);
        assert_eq!((report.device_failures, report.device.as_str()), (1, "CPU, 1 thread"));
        assert_eq!((report.holograms as usize, report.dropped("holograms")), (good + by_cpu, 0));
        let told = report.messages.iter().filter(|message| message.contains("fell off the bus")).count();
        assert_eq!(told, 1, "{:?}", report.messages);
        let mut offline = Offline::new(&settings);
        for sequence in 0..good + by_cpu {
            // Two windows before the CPU's first: the device's, and its own.
            let end = sequence + if sequence < good { first } else { 2 * first };
            let values = at_points(offline.field(&bits, end * hop));
            let flags = if sequence < good { 0 } else { FALLBACK };
            assert_eq!(listener.next(), Heard { sequence: sequence as u64, flags, values });
        }
    }
}
