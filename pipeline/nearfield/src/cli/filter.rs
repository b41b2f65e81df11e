//! `nearfield filter`: design a decimator and write what firmware and people need of it.

use super::args::Filter;
use super::decimate::warn_of_aliases;
use super::{Context, summary};
use pipeline::files::atomic::AtomicFile;
use pipeline::plot;
use pipeline::signal::filter_design::{Design, Specification, rust_source};
use serde_json::json;
use std::io::Write;
use std::time::Instant;

/// Points of the drawn response.
const POINTS: u32 = 4000;

/// Runs the command.
pub fn run(context: &Context, arguments: &Filter) -> crate::cli::Result<()> {
    let start = Instant::now();
    let specification = arguments.chain.specification(arguments.bit_rate_hz);
    let design = Design::new(specification)?;
    context.check_interrupt()?;
    warn_of_aliases(context, &design);
    let folder = &arguments.out;
    summary::make_folder(folder)?;
    write_text(folder, "filter.rs", &rust_source(&design, &command(arguments)))?;
    let taps: Vec<String> = design.taps.iter().map(i32::to_string).collect();
    write_text(folder, "taps.csv", &format!("tap\n{}\n", taps.join("\n")))?;
    let to = 2.0 * specification.middle_rate_hz();
    let frequency_hz: Vec<f64> = (1..=POINTS).map(|i| to * f64::from(i) / f64::from(POINTS)).collect();
    let response_db: Vec<f64> =
        frequency_hz.iter().map(|&f| 20.0 * design.response(f).abs().log10().max(-10.0)).collect();
    let title = format!(
        "CIC order {} by {}, FIR by {} ({} taps)",
        specification.cic_order,
        specification.cic_rate,
        specification.fir_rate,
        taps.len()
    );
    plot::spectrum(
        folder.join("response.png"),
        &title,
        &frequency_hz,
        &response_db,
        "gain (dB)",
        plot::FrequencyAxis::Linear,
        &[],
    )?;
    context.say(format!(
        "{title}: {} Hz to {} Hz",
        specification.bit_rate_hz,
        specification.output_rate_hz()
    ));
    context.say(format!("  flat to {:.4} dB up to {} Hz", design.ripple_db(), specification.pass_hz));
    context.say(format!("  rejects what folds into that band by {:.1} dB", design.alias_rejection_db()));
    context.say(format!(
        "  delay {} bits; wrote filter.rs, taps.csv, response.png in {}",
        design.delay_bits(),
        folder.display()
    ));
    let figures = json!({
        "taps": taps.len(),
        "ripple_db": design.ripple_db(),
        "alias_rejection_db": design.alias_rejection_db(),
        "delay_bits": design.delay_bits(),
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

fn write_text(folder: &std::path::Path, name: &str, text: &str) -> crate::cli::Result<()> {
    let mut file = AtomicFile::create(folder.join(name))?;
    file.write_all(text.as_bytes())?;
    Ok(file.commit()?)
}
