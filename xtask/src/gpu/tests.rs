//! The folder's parts, and its script over suites that are scripts themselves.

use super::*;
use std::process::{Command, Output};

/// A folder as `pack` makes it, with programs that only print.
struct Sample(tempfile::TempDir);

impl Sample {
    fn new(suites: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("suites")).unwrap();
        write_script(folder.path()).unwrap();
        let sample = Self(folder);
        sample.program("nearfield", "echo nearfield \"$@\"; [ \"$1 $5\" != \"bench --fail\" ]");
        for (name, script) in suites {
            sample.program(&format!("suites/{name}"), script);
        }
        sample
    }

    fn program(&self, name: &str, script: &str) {
        let file = self.0.path().join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs the script from elsewhere; exit code and what it showed.
    fn run(&self, arguments: &[&str]) -> (i32, String) {
        let folder = self.0.path();
        let path = format!("{}/bin:{}", folder.display(), std::env::var("PATH").unwrap());
        let Output { status, stdout, .. } = Command::new(folder.join("run"))
            .args(arguments)
            .env("PATH", path)
            .env("OUT", folder.join("out"))
            .env("LIMIT", "3")
            .current_dir("/")
            .output()
            .unwrap();
        (status.code().unwrap(), String::from_utf8(stdout).unwrap())
    }
}

/// The rows of a table as words.
fn rows(text: &str) -> Vec<Vec<String>> {
    let table =
        text.lines().skip_while(|line| !line.starts_with("suite ")).take_while(|line| !line.is_empty());
    table.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

/// As a suite's last line, with what a shell needs to print it.
fn result(word: &str, passed: u32, failed: u32) -> String {
    format!(
        "echo 'test result: {word}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.25s'"
    )
}

#[test]
fn suites_that_pass_make_a_table_and_code_0() {
    let first = format!("echo \"data $NEARFIELD_DATA\"; echo 'SKIPPED: x: y' >&2; {}", result("ok", 3, 0));
    let sample = Sample::new(&[("cuda_a", &first), ("kernels", &result("ok", 12, 0))]);
    let (code, text) = sample.run(&[]);
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with("nearfield doctor\n"), "{text}");
    assert!(text.contains(&format!("data {}/data\n", sample.0.path().display())), "{text}");
    let expected = [
        ["suite", "tests", "passed", "failed", "skipped", "seconds"],
        ["cuda_a", "3", "3", "0", "1", "0.25"],
        ["kernels", "12", "12", "0", "0", "0.25"],
    ];
    assert_eq!(rows(&text), expected);
    let mut logs: Vec<_> =
        fs::read_dir(sample.0.path().join("out")).unwrap().map(|f| f.unwrap().file_name()).collect();
    logs.sort();
    assert_eq!(logs, ["doctor.log", "table.txt", "tests.log"]);
}

#[test]
fn the_suite_of_solvers_runs_module_by_module() {
    let suite = "case $1 in --list) printf '%s\\n' 'b::y: test' 'a::x: test' 'b::z: test' '3 tests, 0 benchmarks' ;; *) echo \"of $1\";";
    let suite = format!("{suite} {} ;; esac", result("ok", 1, 0));
    let (code, text) = Sample::new(&[("solvers", &suite)]).run(&[]);
    assert_eq!(code, 0, "{text}");
    let names: Vec<_> = rows(&text)[1..].iter().map(|row| row[..2].join(" ")).collect();
    assert_eq!(names, ["solvers a", "solvers b"]);
    assert!(text.contains("of a::\n") && text.contains("of b::\n"), "{text}");
}

#[test]
fn a_failure_a_crash_and_a_hang_are_told_apart_and_make_code_1() {
    let failing = format!("{}; exit 101", result("FAILED", 2, 1));
    let suites = [
        ("a_fails", failing.as_str()),
        ("b_crashes", "kill -SEGV $$"),
        ("c_hangs", "sleep 60"),
        ("d", &result("ok", 1, 0)),
    ];
    let (code, text) = Sample::new(&suites).run(&[]);
    assert_eq!(code, 1, "{text}");
    let expected =
        ["a_fails 3 2 1 0 0.25", "b_crashes 0 0 exit 139 0 -", "c_hangs 0 0 exit 124 0 -", "d 1 1 0 0 0.25"];
    assert_eq!(rows(&text)[1..].iter().map(|row| row.join(" ")).collect::<Vec<_>>(), expected);
}

#[test]
fn the_sanitizer_runs_small_tests_and_the_bench_gets_its_options() {
    let list = |names: &str| format!("[ \"$2\" = --list ] && echo '{names}' && exit; {}", result("ok", 1, 0));
    let sample = Sample::new(&[("cuda_a", &list("x_small: test")), ("cuda_b", &list(""))]);
    fs::create_dir(sample.0.path().join("bin")).unwrap();
    let script = "echo sanitizer \"$@\"; shift 6; \"$@\"; exit 9";
    sample.program("bin/compute-sanitizer", script);
    let (code, text) = sample.run(&["--no-tests", "--sanitize", "--bench", "--n", "1"]);
    assert_eq!(code, 1, "{text}");
    let names: Vec<_> = rows(&text)[1..].iter().map(|row| row.join(" ")).collect();
    assert_eq!(names, ["memcheck cuda_a 1 1 exit 9 0 0.25", "racecheck cuda_a 1 1 exit 9 0 0.25"]);
    assert!(text.contains("small --nocapture --test-threads=1\n"), "{text}");
    assert!(text.ends_with("\n\nnearfield bench pnah --device cuda --n 1\n"), "{text}");
}

#[test]
fn a_bench_that_fails_and_an_unknown_option_are_failures() {
    let sample = Sample::new(&[]);
    let (code, text) = sample.run(&["--no-tests", "--bench", "--fail"]);
    assert_eq!((code, rows(&text)[1].join(" ")), (1, "bench - - exit 1 - -".into()));
    assert_eq!(sample.run(&["--no-tests", "--bench", "--works"]).0, 0);
    assert_eq!(sample.run(&["--all"]).0, 2);
    assert!(sample.run(&["--help"]).1.starts_with("Usage: run "));
}

#[test]
fn programs_are_found_in_cargos_messages() {
    let messages = r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"serde"},"executable":null}
{"reason":"compiler-artifact","target":{"kind":["test"],"name":"cuda_a"},"executable":"/t/cuda_a-0123"}
{"reason":"build-finished","success":true}"#;
    assert_eq!(executables(messages).unwrap(), [("cuda_a".to_owned(), "/t/cuda_a-0123".to_owned())]);
    assert!(executables("").is_err() && executables("text").is_err());
}

#[test]
fn too_large_a_folder_is_an_error() {
    let sample = Sample::new(&[("a", "")]);
    assert!(check_size(sample.0.path(), 1 << 20).is_ok());
    let error = check_size(sample.0.path(), 1024).unwrap_err().to_string();
    assert!(error.ends_with("MiB may travel"), "{error}");
}

#[test]
fn the_data_that_suites_read_is_copied_where_there_is_any() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to/pnah"));
    copy_data(&from, &to).unwrap();
    assert!(!to.exists());
    fs::create_dir(&from).unwrap();
    fs::write(from.join("d1.truth.npz"), "x").unwrap();
    fs::write(from.join("d1.stages.npz"), "y").unwrap();
    copy_data(&from, &to).unwrap();
    assert_eq!(fs::read_to_string(to.join("d1.truth.npz")).unwrap(), "x");
    assert_eq!(fs::read_dir(&to).unwrap().count(), 1);
}
