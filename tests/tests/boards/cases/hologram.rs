//! The whole bench: scene, bits, front end (of RTL on VexRiscv, else of the bench), firmware, frames, datagrams, ingest, camera. The
//! hologram must be the one of the bits themselves.

use dsp_core::console::Mode;
use hil_sim::Simulator;
use hil_sim::board::{BoardFrames, Name};
use hil_sim::frames::Frames;
use hil_sim::rows::Rows;
use hil_sim::stream::Sender;
use num_complex::Complex;
use pipeline::holography::camera::{Camera, FilterRule, Image};
use pipeline::holography::design::{Aperture, Grid};
use pipeline::holography::{self, Padding};
use pipeline::signal::array::Array;
use pipeline::signal::front_end::{Method, Settings};
use pipeline::signal::ingest::Ingest;
use std::net::UdpSocket;
use std::time::Duration;

/// Bin of the scene's tone: 1 kHz of 1.5 MHz / 32768.
const BIN: usize = 22;

fn camera(bench: &hil_sim::Bench) -> Camera<f64> {
    let layout = bench.array.layout;
    let settings = Settings { layout, ..Settings::camera(Method::Nominal, vec![BIN]) };
    let aperture = Aperture { rows: 8, cols: 8, pitch: bench.array.pitch };
    let pnah = holography::Settings {
        padding: Padding::Zero,
        ..holography::Settings::new(Grid::triple(aperture).unwrap(), bench.array.standoff)
    };
    let array = Array::regular(8, 8, aperture.pitch).unwrap();
    Camera::new(None, &settings, &array, &pnah, FilterRule::Auto).unwrap()
}

fn hologram(bench: &hil_sim::Bench, rows: &[u8]) -> Vec<Complex<f64>> {
    let mut camera = camera(bench);
    let length = (camera.history_rows() + camera.window_rows()) * 8;
    let measured = camera.measure(&rows[..length]).unwrap().to_vec();
    camera.choose_filters(&measured).unwrap();
    let mut image = Image::default();
    camera.reconstruct(&measured, &mut image).unwrap();
    image.pressure
}

/// A piece of a simulation.
struct Piece(Simulator, usize);

impl Rows for Piece {
    fn layout(&self) -> dsp_core::pdm::TileLayout {
        self.0.array().layout
    }

    fn read(&mut self, rows: &mut [u8]) -> Result<usize, hil_sim::Error> {
        let count = self.1.min(rows.len() / 8);
        self.0.fill(&mut rows[..8 * count]);
        self.1 -= count;
        Ok(count)
    }
}

#[test]
fn the_hologram_behind_a_board_is_the_hologram() {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../hil-sim/scenes/small.toml");
    let bench = hil_sim::file::load(scene).unwrap();
    let camera = camera(&bench);
    let count = (camera.history_rows() + camera.window_rows()).next_multiple_of(32);
    let mut rows = vec![0; 8 * count];
    Simulator::of(&bench).unwrap().fill(&mut rows);
    let expected = hologram(&bench, &rows);
    assert!(expected.iter().any(|p| p.norm() > 0.0) && expected.iter().all(|p| p.norm().is_finite()));
    for name in [Name::QemuVirtRv32, Name::QemuMps2M4, Name::Vexriscv] {
        let case = "the_hologram_behind_a_board_is_the_hologram";
        if super::start(case, name, &Default::default()).is_none() {
            continue;
        }
        let piece = Piece(Simulator::of(&bench).unwrap(), count);
        let mut board = BoardFrames::start(name, &tests::board_places(), Mode::Bits, piece).unwrap();
        let (mut ingest, mut datagram, mut received) = (Ingest::new(64), Vec::new(), Vec::new());
        let (socket, mut buffer) = (UdpSocket::bind("127.0.0.1:0").unwrap(), [0; 2048]);
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut sender = Sender::new(socket.local_addr().unwrap()).unwrap();
        while board.next(&mut datagram).unwrap().is_some() {
            sender.push(&datagram).unwrap();
            sender.flush().unwrap();
            let length = socket.recv(&mut buffer).unwrap();
            received.extend_from_slice(ingest.accept(&buffer[..length]).unwrap().rows);
        }
        let counters = ingest.counters();
        assert_eq!((counters.lost_frames, counters.bad_frames, counters.samples), (0, 0, count as u64));
        // Not a tolerance: the bits are the same, so every number is.
        assert!(hologram(&bench, &received) == expected, "{}: another hologram", name.as_str());
    }
}
