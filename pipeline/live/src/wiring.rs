//! The rings between the threads of an instrument, and what stands at their ends.

use super::clock::Clock;
use super::compute::{Block, Compute, Counts, Ends, Label, Order, Snapshot, Spent};
use super::control::{Control, Links, cpu_name};
use super::engine::{Engine, OnCard};
use super::error::Error;
use super::exchange::exchange;
use super::intake::{Intake, Tally};
use super::latency::Done;
use super::messages::Messages;
use super::plan::SPARE;
use super::recorder::{Recorder, Switch, Tape};
use super::settings::Settings;
use super::span::{self, Policy, Reader};
use super::{health, parts};
use holography::chain::Chain;
use holography::product::Message;
use rtrb::RingBuffer;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::Receiver;
use viewer::{Metrics, Publisher, Server};

/// Stamps of holograms that may wait for the control thread, which looks every 10 ms: a fifth of a second at 20 kHz.
const DONE: usize = 1 << 12;
/// Orders that may wait for the stage.
const ORDERS: usize = 256;
/// Snapshots on their way.
const SNAPSHOTS: usize = 4;

/// What the threads run.
pub struct Wired {
    pub intake: Intake,
    pub reader: Reader,
    pub compute: Compute,
    pub control: Control,
    pub recorder: Option<Recorder>,
}

/// What whoever started them looks at.
pub struct Shared {
    pub tally: Arc<Tally>,
    pub counts: Arc<Counts>,
    /// Of the recorder.
    pub switch: Arc<Switch>,
    /// What the control thread says.
    pub news: Receiver<Message>,
    /// Tells the control thread that the others are done.
    pub ended: Arc<AtomicBool>,
    pub server: Option<Server>,
}

/// Makes everything but the threads.
pub fn wire(
    settings: &Settings,
    clock: Clock,
    stop: &Arc<AtomicBool>,
    chain: Option<Box<Chain>>,
    card: Option<OnCard>,
) -> Result<(Wired, Shared), Error> {
    let policy = if settings.source.is_live() { Policy::DropNewest } else { Policy::Block };
    let span_bytes = settings.span_rows * settings.layout.row_bytes();
    let spare = parts::figures(settings).recorder_spans + SPARE;
    let (writer, reader) = span::ring(settings.ring_spans, spare, span_bytes, policy);
    let reader = reader.spinning(settings.realtime.spins());
    let (tally, switch) = (Arc::new(Tally::default()), Arc::new(Switch::default()));
    let (tape, recorder) = parts::recorder_of(settings, policy, &switch);
    let label = parts::label(settings);
    let device = card.as_ref().map_or_else(|| cpu_name(settings.threads), |card| card.name.clone());
    let shape = parts::shape(settings, card.is_some());
    let hop_bytes = settings.hop_rows as usize * settings.layout.row_bytes();
    let on_card = card.is_some();
    let engine = chain.map(|chain| Engine::new(chain, card.map(|card| card.card), hop_bytes));
    let masked = settings.chain.as_ref().is_some_and(|chain| chain.array.live().contains(&false));
    let (ends, links, server) = tie(settings, &label, tape, &tally, switch, writer.dropped.clone())?;
    let unchosen = settings.unchosen(label.frequencies.len());
    let compute = Compute::new(shape, engine, Box::new(label.clone()), masked, unchosen, ends, clock);
    let links = Links { counts: compute.counts.clone(), failure: compute.failure.clone(), ..links };
    let (counts, ended) = (compute.counts.clone(), links.ended.clone());
    let intake = Intake::new(parts::intake_shape(settings), writer, clock, tally.clone(), stop.clone());
    let (messages, news) = Messages::new();
    let switch = links.switch.clone();
    let control = Control::new(settings.clone(), label, device, on_card, links, clock, messages)?;
    let shared = Shared { tally, counts, switch, news, ended, server };
    Ok((Wired { intake, reader, compute, control, recorder }, shared))
}

/// The rings between stage and control thread; the stage's own counters are put in when it is there.
fn tie(
    settings: &Settings,
    label: &Label,
    tape: Option<Tape>,
    tally: &Arc<Tally>,
    switch: Arc<Switch>,
    dropped_rows: Arc<AtomicU64>,
) -> Result<(Ends, Links, Option<Server>), Error> {
    let controller = parts::controller(settings, label.shape)?;
    let controller_dropped = controller.as_ref().map(|controller| controller.dropped.clone());
    let (done_in, done) = RingBuffer::<Done>::new(DONE);
    let (orders, orders_out) = RingBuffer::<Order>::new(ORDERS);
    let (spent_in, spent) = RingBuffer::<Spent>::new(ORDERS);
    let (snapshots_in, snapshots) = exchange(vec![Box::<Snapshot>::default(); SNAPSHOTS]);
    // For their health, or for the spectrum of a point on the page.
    let heard = settings.health || settings.viewer.is_some();
    let wanted = health::ROWS * settings.layout.row_bytes();
    let block = Block { rows: Vec::with_capacity(wanted), wanted };
    let (blocks_in, blocks) = exchange(if heard { vec![block] } else { Vec::new() });
    let (publisher, metrics) = (Publisher::new(), Metrics::new());
    let (server, controls) = parts::page(settings, label, &publisher, &metrics)?.unzip();
    let ends = Ends {
        publisher: publisher.clone(),
        controller,
        done: done_in,
        snapshots: snapshots_in,
        blocks: blocks_in,
        tape,
        orders: orders_out,
        spent: spent_in,
    };
    let links = Links {
        done,
        snapshots,
        blocks,
        orders,
        spent,
        tally: tally.clone(),
        dropped_rows,
        counts: Arc::default(),
        failure: Arc::default(),
        switch,
        controller_dropped,
        publisher,
        controls,
        metrics,
        ended: Arc::default(),
    };
    Ok((ends, links, server))
}
