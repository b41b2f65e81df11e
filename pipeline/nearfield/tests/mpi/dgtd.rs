//! `mpirun nearfield dgtd`: several processes against one.

use crate::common::{Nearfield, json};
use pipeline::dgtd::Settings;
use pipeline::dgtd::design::Design;
use pipeline::dgtd::mesh::{Mesh, kuhn};
use pipeline::dgtd::partition::Partition;
use pipeline::numerics::vec3::Vec3;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const DGTD: Nearfield = Nearfield("dgtd");
const PROGRAM: &str = env!("CARGO_BIN_EXE_nearfield");
/// The last checkpoint is that of the end: rows are a multiple of ten.
const COMMON: [&str; 6] = ["--precision", "f64", "--threads", "1", "--checkpoint", "10"];

/// mpirun in a folder, to be told how many of what to start.
fn mpirun(folder: &Path) -> Command {
    let mut command = Command::new("mpirun");
    // Containers are often root's, and have fewer cores than processes.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.arg("--oversubscribe").current_dir(folder);
    command
}

/// Runs with so many processes; none, said by name, where there is no mpirun.
fn run(test: &str, folder: &Path, processes: usize, arguments: &[&str]) -> Option<Output> {
    let mut command = mpirun(folder);
    command.args(["-n", &processes.to_string(), PROGRAM, "dgtd"]).args(arguments);
    match command.output() {
        Ok(output) => Some(output),
        Err(error) => {
            eprintln!("SKIPPED {test}: no mpirun: {error}");
            None
        }
    }
}

fn succeed(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A built-in case with changes, as `NAME.toml`.
fn write_case(folder: &Path, name: &str, changes: &[(&str, &str)], end: &str) {
    let mut text = DGTD.succeed(folder, &[name, "--print"]);
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    fs::write(folder.join(format!("{name}.toml")), text + end).unwrap();
}

/// A sphere in a plane wave on a Huygens surface, with matched layers, probes and a snapshot at the end: so many rows.
fn write_sphere(folder: &Path, rows: usize) {
    let order = format!("order = 1\nsamples = {rows}\nsnapshot_rows = {rows}");
    let changes = [("order = 3", order.as_str()), ("100e-9", "60e-9")];
    let probes = "\n[[probe]]\npoint_m = [0.5, 0.4, 1.9]\n[[probe]]\npoint_m = [1.4, 1.4, -2.2]\n";
    write_case(folder, "sphere", &changes, probes);
}

/// The same bytes in these files of two folders.
fn assert_same(folder: &Path, [one, other]: [&str; 2], files: &[&str]) {
    for file in files {
        let [a, b] = [one, other].map(|out| fs::read(folder.join(out).join(file)).unwrap());
        assert!(a == b, "{file} of {one} and {other}");
    }
}

/// Wanted are 1e-12 of the far field; its sums, and the fields themselves, are the same bits, as the checkpoints show, and so is all that is made of them.
#[test]
fn one_two_and_four_processes_give_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    write_sphere(folder.path(), 20);
    let test = "one_two_and_four_processes_give_the_same_bits";
    DGTD.succeed(folder.path(), &[&COMMON[..], &["sphere.toml", "--out", "alone"]].concat());
    for processes in [1, 2, 4] {
        let out = format!("of{processes}");
        let arguments = [&COMMON[..], &["sphere.toml", "--out", &out]].concat();
        let Some(output) = run(test, folder.path(), processes, &arguments) else { return };
        let said = succeed(output);
        assert_eq!(said.matches("tetrahedra").count(), 1, "one process talks: {said}");
        let files = ["rcs.csv", "probes.csv", "energy.csv", "fields-000020.vtu", "currents-000020.vtu"];
        assert_same(folder.path(), ["alone", &out], &files);
        assert_same(folder.path(), ["alone", &out], &["checkpoint.bin"]);
        let summary = json(&folder.path().join(&out).join("summary.json"));
        assert_eq!(summary["settings"]["processes"], processes);
        assert_parts(&summary["figures"], processes, &said);
    }
}

/// The statistics of the partition, in the summary and on the terminal.
fn assert_parts(figures: &Value, processes: usize, said: &str) {
    let parts = &figures["parts"];
    if processes == 1 {
        assert!(parts.is_null() && !said.contains("parts"), "{parts}");
        return;
    }
    let shares = parts["shares"].as_array().unwrap();
    let sum = |name: &str| shares.iter().map(|share| share[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!((shares.len(), sum("elements")), (processes, figures["elements"].as_u64().unwrap()));
    assert_eq!(sum("faces"), 2 * parts["faces_between"].as_u64().unwrap());
    assert!(shares.iter().all(|share| share["neighbours"].as_u64().unwrap() > 0), "{parts}");
    // METIS allows itself 3 %, and its weights are whole numbers.
    assert!((1.0..1.05).contains(&parts["largest_weight_over_mean"].as_f64().unwrap()), "{parts}");
    assert!(said.contains(&format!("{processes} parts")) && said.contains("part 1:"), "{said}");
}

/// A bar of 12 x 6 x 6 cells in two and in four: across it are two triangles for each of 36 squares. METIS looks at faces alone, and comes to within a sixth of that; in seven parts it needs fewer than pieces of the curve have.
#[test]
fn metis_leaves_few_faces_between_parts() {
    let bar = kuhn::cuboid(Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0), [12, 6, 6]);
    let design = Design::new(Mesh::new(bar).unwrap(), &Settings::new(1)).unwrap();
    let found = |parts: usize| Partition::new(&design, parts).unwrap().statistics(&design);
    for (parts, least) in [(2, 72), (4, 3 * 72)] {
        let found = found(parts);
        assert!(6 * found.cut() <= 7 * least && found.imbalance() < 1.05, "{found}");
    }
    let curve = Partition::along_the_curve(&design, 7).statistics(&design);
    assert!(found(7).cut() < curve.cut(), "{}\n{curve}", found(7));
}

#[test]
fn dispersive_media_have_the_same_bits_in_three_processes_and_go_on_in_two() {
    let folder = tempfile::tempdir().unwrap();
    let media = "\n[[material]]\ngroups = [\"volume\"]\ndebye = [{ delta_eps = 3.0, tau_s = 1e-9 }]\nlorentz = [{ delta_eps = 1.5, resonance_rad_per_s = 9e8, damping_per_s = 1e8 }]\n";
    let changes = [("order = 4", "order = 2\nsamples = 20"), ("20e-9", "4.6e-9")];
    write_case(folder.path(), "cavity", &changes, media);
    DGTD.succeed(folder.path(), &[&COMMON[..], &["cavity.toml", "--out", "alone"]].concat());
    let arguments = [&COMMON[..], &["cavity.toml", "--out", "of3"]].concat();
    let test = "dispersive_media_have_the_same_bits_in_three_processes_and_go_on_in_two";
    let Some(output) = run(test, folder.path(), 3, &arguments) else { return };
    succeed(output);
    let files = ["probes.csv", "energy.csv", "checkpoint.bin"];
    assert_same(folder.path(), ["alone", "of3"], &files);
    // The checkpoint of row 15 of 20.
    let half = ["--precision", "f64", "--threads", "1", "--checkpoint", "15", "cavity.toml", "--out", "half"];
    DGTD.succeed(folder.path(), &half);
    let rest = [&COMMON[..], &["cavity.toml", "--out", "of2", "--restart", "half/checkpoint.bin"]].concat();
    let Some(output) = run(test, folder.path(), 2, &rest) else { return };
    succeed(output);
    assert_same(folder.path(), ["alone", "of2"], &files);
}

#[test]
fn a_port_has_the_same_bits_in_three_processes() {
    let folder = tempfile::tempdir().unwrap();
    write_case(
        folder.path(),
        "monopole",
        &[("order = 2", "order = 1\nsamples = 20"), ("60e-9", "15e-9")],
        "",
    );
    DGTD.succeed(folder.path(), &[&COMMON[..], &["monopole.toml", "--out", "alone"]].concat());
    let arguments = [&COMMON[..], &["monopole.toml", "--out", "of3"]].concat();
    let test = "a_port_has_the_same_bits_in_three_processes";
    let Some(output) = run(test, folder.path(), 3, &arguments) else { return };
    succeed(output);
    assert_same(folder.path(), ["alone", "of3"], &["touchstone.s1p", "directivity.csv", "energy.csv"]);
    assert_same(folder.path(), ["alone", "of3"], &["checkpoint.bin"]);
}

/// The second of three processes is killed after the first checkpoint: all end, with a reason and a checkpoint, from which one or four go on to the end that a run has that was left alone.
#[test]
fn a_process_that_is_killed_ends_all_and_the_last_checkpoint_goes_on() {
    let test = "a_process_that_is_killed_ends_all_and_the_last_checkpoint_goes_on";
    let folder = tempfile::tempdir().unwrap();
    // Enough rows that the first checkpoint is long before the end.
    write_sphere(folder.path(), 200);
    let arguments = [&COMMON[..4], &["sphere.toml"]].concat();
    let start = |program: &mut Command| {
        program.args(&arguments).args(["--checkpoint", "1", "--out", "cut"]);
    };
    let mut command = mpirun(folder.path());
    start(command.args(["-n", "1", PROGRAM, "dgtd"]));
    // The shell becomes the program, and keeps its number.
    start(command.args([
        ":",
        "-n",
        "1",
        "sh",
        "-c",
        "echo $$ > number; exec \"$0\" \"$@\"",
        PROGRAM,
        "dgtd",
    ]));
    start(command.args([":", "-n", "1", PROGRAM, "dgtd"]));
    let mut child = match command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => return eprintln!("SKIPPED {test}: no mpirun: {error}"),
    };
    let begin = Instant::now();
    while !folder.path().join("cut/checkpoint.bin").exists() {
        assert!(begin.elapsed() < Duration::from_secs(120) && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    let number = fs::read_to_string(folder.path().join("number")).unwrap();
    assert!(Command::new("kill").args(["-KILL", number.trim()]).status().unwrap().success());
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(120), "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && !folder.path().join("cut/rcs.csv").exists());
    for part in ["rank 1", "signal 9", "another process of this run", "--restart cut/checkpoint.bin"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    DGTD.succeed(folder.path(), &[&COMMON[..], &["sphere.toml", "--out", "alone"]].concat());
    for processes in [1, 4] {
        let out = format!("of{processes}");
        let rest = [&COMMON[..], &["sphere.toml", "--restart", "cut/checkpoint.bin", "--out", &out]].concat();
        let Some(output) = run(test, folder.path(), processes, &rest) else { return };
        succeed(output);
        let files = ["rcs.csv", "probes.csv", "energy.csv", "checkpoint.bin"];
        assert_same(folder.path(), ["alone", &out], &files);
    }
}

#[test]
fn an_unstable_run_ends_all_processes_with_one_reason() {
    let folder = tempfile::tempdir().unwrap();
    write_case(folder.path(), "cavity", &[("order = 4", "order = 4\ncourant = 4.0")], "");
    let test = "an_unstable_run_ends_all_processes_with_one_reason";
    let arguments = ["cavity.toml", "--threads", "1", "--out", "out"];
    let Some(output) = run(test, folder.path(), 2, &arguments) else { return };
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert_eq!(message.matches("courant is 4").count(), 1, "{message}");
}
