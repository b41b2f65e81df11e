//! `nearfield filter`: design a decimator and write what firmware and people need of it.

use super::args::Filter;
use super::decimate::warn_of_aliases;
use super::{Context, Result, summary};
use pipeline::files::atomic;
use pipeline::plot;
use pipeline::signal::filter_design::{Design, Specification, rust_source};
use serde_json::json;
use std::io::Write;
use std::time::Instant;

/// Points of the drawn response.
const POINTS: u32 = 4000;

pub fn run(context: &Context, arguments: &Filter) -> Result<()> {
    let start = Instant::now();
    let specification = arguments.chain.specification(arguments.bit_rate_hz);
    let design = Design::new(specification)?;
    context.check_interrupt()?;
    warn_of_aliases(context, &design);
    let folder = &arguments.out;
    summary::make_folder(folder)?;
    let source = rust_source(&design, &command(arguments));
    atomic::write(folder.join("filter.rs"), |file| file.write_all(source.as_bytes()))?;
    let taps: Vec<String> = design.taps.iter().map(i32::to_string).collect();
    atomic::write(folder.join("taps.csv"), |file| writeln!(file, "tap\n{}", taps.join("\n")))?;
    let to = 2.0 * specification.middle_rate_hz();
    let frequency_hz: Vec<f64> = (1..=POINTS).map(|i| to * f64::from(i) / f64::from(POINTS)).collect();
    let response_db: Vec<f64> =
        frequency_hz.iter().map(|&f| 20.0 * design.response(f).abs().log10().max(-10.0)).collect();
    let Specification { cic_order, cic_rate, fir_rate, bit_rate_hz, pass_hz, .. } = specification;
    let title = format!("CIC order {cic_order} by {cic_rate}, FIR by {fir_rate} ({} taps)", taps.len());
    plot::spectrum(
        folder.join("response.png"),
        &title,
        &frequency_hz,
        &response_db,
        "gain (dB)",
        plot::FrequencyAxis::Linear,
        &[],
    )?;
    context.say(format!("{title}: {bit_rate_hz} Hz to {} Hz", specification.output_rate_hz()));
    context.say(format!("  flat to {:.4} dB up to {pass_hz} Hz", design.ripple_db()));
    context.say(format!("  rejects what folds into that band by {:.1} dB", design.alias_rejection_db()));
    let (delay, place) = (design.delay_bits(), folder.display());
    context.say(format!("  delay {delay} bits; wrote filter.rs, taps.csv, response.png in {place}"));
    let figures = json!({
        "taps": taps.len(),
        "ripple_db": design.ripple_db(),
        "alias_rejection_db": design.alias_rejection_db(),
        "delay_bits": delay,
        "output_rate_hz": specification.output_rate_hz(),
    });
    summary::write(context, folder, json!({"filter": specification}), figures, start)
}

/// The command that makes this filter again, with the options that are not the default.
fn command(arguments: &Filter) -> String {
    let chain = &arguments.chain;
    let s = Specification::DEFAULT;
    let numbers = [
        ("bit-rate-hz", arguments.bit_rate_hz, s.bit_rate_hz),
        ("cic-order", chain.cic_order.into(), s.cic_order.into()),
        ("cic-rate", chain.cic_rate.into(), s.cic_rate.into()),
        ("fir-rate", chain.fir_rate.into(), s.fir_rate.into()),
        ("pass-hz", chain.pass_hz.unwrap_or(s.pass_hz), s.pass_hz),
        ("ripple-db", chain.ripple_db, s.ripple_db),
        ("stop-db", chain.stop_db, s.stop_db),
        ("tap-bits", chain.tap_bits.into(), s.tap_bits.into()),
    ];
    let mut command = String::from("nearfield filter");
    for (name, value, _) in numbers.iter().filter(|(_, value, default)| value != default) {
        command += &format!(" --{name} {value}");
    }
    command
}
