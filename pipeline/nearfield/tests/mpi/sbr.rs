//! `mpirun nearfield sbr`: several processes against one.

use crate::common::{Nearfield, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SBR: Nearfield = Nearfield("sbr");
const CORNER: &str = "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nf 1 2 3\nf 1 3 4\nf 1 4 2\n";

/// Runs with so many processes; none, said by name, where there is no mpirun.
fn mpirun(test: &str, folder: &Path, processes: usize, arguments: &[&str]) -> Option<Output> {
    let mut command = Command::new("mpirun");
    // Containers are often root's, and have fewer cores than processes.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.args(["--oversubscribe", "-n", &processes.to_string(), env!("CARGO_BIN_EXE_nearfield"), "sbr"]);
    match command.args(arguments).current_dir(folder).output() {
        Ok(output) => Some(output),
        Err(error) => {
            eprintln!("SKIPPED {test}: no mpirun: {error}");
            None
        }
    }
}

#[test]
fn several_processes_give_the_same_bits_as_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("corner.obj"), CORNER).unwrap();
    let common = ["corner.obj", "--scale", "0.001", "--frequency", "20e9:22e9:1e9", "--theta", "50:60:10"];
    let common = [&common[..], &["--phi", "40:50:3", "--edges", "ildc", "--threads", "1"]].concat();
    SBR.succeed(folder.path(), &[&common[..], &["--out", "one"]].concat());
    // Eight directions: rounds that are full, and one that is not.
    for processes in [2, 3] {
        let out = format!("of{processes}");
        let arguments = [&common[..], &["--out", &out]].concat();
        let test = "several_processes_give_the_same_bits_as_one";
        let Some(output) = mpirun(test, folder.path(), processes, &arguments) else { return };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said.matches("directions").count(), 1, "one process talks: {said}");
        for file in ["rcs.csv", "fields.npz", "v.ffe", "h.ffe", "rcs_hh.png"] {
            let [one, many] = ["one", &out].map(|out| fs::read(folder.path().join(out).join(file)).unwrap());
            assert!(one == many, "{file} with {processes} processes");
        }
        let figures = |out: &str| json(&folder.path().join(out).join("summary.json"))["figures"].clone();
        assert_eq!(figures("one"), figures(&out));
    }
}

#[test]
fn a_process_that_fails_ends_all_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("corner.obj"), CORNER).unwrap();
    fs::write(folder.path().join("cut.obj"), "v 0 0\n").unwrap();
    // A colon separates programs of one run: the second process has another mesh.
    let first =
        ["corner.obj", "--frequency", "20e9", "--out", "a", ":", "-n", "1", env!("CARGO_BIN_EXE_nearfield")];
    let arguments = [&first[..], &["sbr", "cut.obj", "--frequency", "20e9", "--out", "a"]].concat();
    let test = "a_process_that_fails_ends_all_with_a_reason";
    let Some(output) = mpirun(test, folder.path(), 1, &arguments) else { return };
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        message.contains("line 1") && message.contains("another process of this run failed"),
        "{message}"
    );
    assert!(!folder.path().join("a/rcs.csv").exists());
}

#[test]
fn a_process_that_is_killed_ends_all_and_leaves_no_result() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("corner.obj"), CORNER).unwrap();
    // Hours of work; the second process has a second.
    let work = ["corner.obj", "--frequency", "30e9", "--phi", "0:90:0.001", "--threads", "1", "--out", "a"];
    let killed = [":", "-n", "1", "timeout", "-s", "KILL", "1", env!("CARGO_BIN_EXE_nearfield"), "sbr"];
    let arguments = [&work[..], &killed, &work].concat();
    let test = "a_process_that_is_killed_ends_all_and_leaves_no_result";
    let Some(output) = mpirun(test, folder.path(), 1, &arguments) else { return };
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(message.contains("rank 1") && message.contains("signal 9"), "{message}");
    assert!(!folder.path().join("a/rcs.csv").exists());
}
