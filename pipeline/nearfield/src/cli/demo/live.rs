//! The rest of the demo: the same scene again and again over UDP on loopback, through the live instrument, to the page.

use super::super::args::Demo;
use super::super::live::{Worked, work};
use super::super::{Context, Result, summary};
use super::bench::{Process, REPEAT_S};
use hil_sim::{Array, Scene};
use pipeline::live::config::Tables;
use pipeline::live::{Instrument, Settings};
use serde_json::json;
use std::path::Path;
use std::time::Instant;

/// Cores that all threads and the bench take for each that the stage takes; docs/measured/live.md has those of the threads.
const ALL: f64 = 1.5;
/// Part of the cores, one left to the browser, that is used at most.
const USED: f64 = 0.5;
/// The slowest pace that is chosen.
const SLOWEST: f64 = 1.0 / 1024.0;

/// Serves the scene until Ctrl-C.
pub fn serve(context: &Context, arguments: &Demo, scene: &Scene, array: &Array) -> Result<()> {
    let start = Instant::now();
    context.say(format!("simulating {REPEAT_S} s to repeat ..."));
    let mut bench = Process::start(context, arguments, &context.interrupted)?;
    let mut instrument = instrument(arguments, scene, array)?;
    let speed = match arguments.speed {
        Some(speed) => speed,
        None => {
            let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            let speed = speed_for(load(&instrument)?, cores);
            context.say(format!("{}: {cores} core{}", pace(speed), if cores == 1 { "" } else { "s" }));
            speed
        }
    };
    instrument.pace_hz *= speed;
    let outcome = work(context, instrument, None, arguments.seconds, |instrument| {
        instrument.listening.map_or(Ok(()), |to| bench.send(to, speed))
    });
    // Before the bench's own end: what it has to say may be the reason.
    let kept = bench.end()?;
    let Worked { report, plan, broke, .. } = outcome?;
    report.lines().iter().for_each(|line| context.say(line));
    let mut figures = report.to_json();
    (figures["plan"], figures["bench"]) = (plan, kept);
    let folder = arguments.out.join("live");
    summary::make_folder(&folder)?;
    let settings = json!({ "scene": arguments.scene, "seed": arguments.seed, "speed": speed });
    summary::write(context, &folder, settings, figures, start)?;
    Ok(broke.map_or(Ok(()), Err)?)
}

/// The instrument that listens to the bench.
fn instrument(arguments: &Demo, scene: &Scene, array: &Array) -> Result<Settings> {
    let title = Some(format!("Demo: {}", arguments.scene));
    let mut tables = Tables { title, ..Tables::default() };
    tables.source.udp = Some(([127, 0, 0, 1], 0).into());
    tables.hologram.standoff_m = Some(array.standoff);
    tables.hologram.frequencies_hz = Some(vec![first_tone(scene)]);
    tables.viewer.address = arguments.page;
    Ok(tables.resolve(Path::new(""))?)
}

/// Cores that the stage takes at the array's rate, by the second longest hop of a rehearsal: what others on this machine take now, they
/// take later.
fn load(settings: &Settings) -> Result<f64> {
    let [_, stage_s] = Instrument::rehearse(settings)?.unwrap_or_default();
    Ok(stage_s * settings.bit_rate_hz / settings.hop_rows as f64)
}

/// The largest of 1, 1/2, 1/4 ... at which a machine has room for a stage that takes `load` cores at the array's rate, for the
/// bench, and for a browser.
fn speed_for(load: f64, cores: usize) -> f64 {
    // A lone core is shared with the browser.
    let room = USED * (cores as f64 - 1.0).max(0.5);
    let mut speed = 1.0;
    while speed > SLOWEST && speed * ALL * load > room {
        speed /= 2.0;
    }
    speed
}

fn pace(speed: f64) -> String {
    if speed < 1.0 {
        format!("runs at 1/{:.0} of the array's rate", 1.0 / speed)
    } else {
        "runs at the array's rate".into()
    }
}

/// The scene's first tone that a hologram can be made of; 1 kHz in silence.
fn first_tone(scene: &Scene) -> f64 {
    let tones = scene.lines.iter().map(|line| line.frequency_hz);
    tones.filter(|f| (400.0..8000.0).contains(f)).min_by(f64::total_cmp).unwrap_or(1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_leaves_room_on_any_machine() {
        // Two cores of 0.9, as docs/measured/live.md has them; the same cores, more of them; slow and hopeless ones.
        for (load, cores, expected) in [
            (0.9, 1, 1.0 / 8.0),
            (0.9, 2, 1.0 / 4.0),
            (0.9, 3, 1.0 / 2.0),
            (0.9, 4, 1.0),
            (4.0, 2, 1.0 / 16.0),
            (1e9, 2, SLOWEST),
        ] {
            assert_eq!(speed_for(load, cores), expected, "{load} {cores}");
        }
        assert_eq!(pace(0.25), "runs at 1/4 of the array's rate");
        assert_eq!(pace(1.0), "runs at the array's rate");
    }
}
