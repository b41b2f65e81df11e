//! A command of the program as its tests call it.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// `nearfield` with a command.
pub struct Nearfield(pub &'static str);

impl Nearfield {
    /// The command, to be run in a folder.
    pub fn command(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nearfield"));
        command.current_dir(folder).arg(self.0).args(arguments);
        command
    }

    /// Runs it.
    pub fn run(&self, folder: &Path, arguments: &[&str]) -> Output {
        self.command(folder, arguments).output().unwrap()
    }

    /// Runs and expects success; gives what was said.
    pub fn succeed(&self, folder: &Path, arguments: &[&str]) -> String {
        let output = self.run(folder, arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs and expects exit code 2 and no folder; gives what was said.
    pub fn refuse(&self, folder: &Path, arguments: &[&str]) -> String {
        let output = self.run(folder, &[&["--out", "refused"], arguments].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(!message.contains("panicked") && !folder.join("refused").exists(), "{message}");
        message
    }

    /// Starts it with `--json`, presses Ctrl-C at the first line of progress, which has this word, and gives what the program left.
    pub fn interrupt(&self, folder: &Path, arguments: &[&str], word: &str) -> Output {
        use std::io::{BufRead, BufReader};
        let mut command = self.command(folder, &[arguments, &["--json"]].concat());
        let mut child: Child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        assert!(line.contains(word), "{line}");
        let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(status.success());
        let begin = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(120), "it goes on");
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(lines);
        child.wait_with_output().unwrap()
    }
}

/// A JSON file.
pub fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}
