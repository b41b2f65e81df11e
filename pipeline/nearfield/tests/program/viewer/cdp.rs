//! A browser under remote control, by the protocol of Chromium's developer tools.

use super::support::SOON;
use base64::Engine;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::{Message, WebSocket};

/// The browser of this machine, if there is one.
pub fn find() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let places = std::env::split_paths(&folders).flat_map(|folder| names.map(|name| folder.join(name)));
    places.into_iter().find(|path| path.is_file())
}

/// A browser with one page.
pub struct Browser {
    process: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    next: u64,
    /// Errors of scripts and violations of the security policy.
    pub complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts it without a window.
    pub fn start(program: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut process = Command::new(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--remote-debugging-port=0",
                "--force-color-profile=srgb",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let url = lines
            .find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned))
            .expect("the browser says where it listens");
        // Its words must go somewhere, or it waits.
        std::thread::spawn(move || lines.for_each(drop));
        let host = url.trim_start_matches("ws://").split('/').next().unwrap();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        let (socket, _) = tungstenite::client(url.as_str(), stream).unwrap();
        let mut browser = Self {
            process,
            socket,
            session: String::new(),
            next: 0,
            complaints: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        browser.session = browser.call("Target.attachToTarget", attach)["sessionId"].as_str().unwrap().into();
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.call(domain, json!({}));
        }
        browser
    }

    /// Calls a method and gives its result.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut request = json!({"id": self.next, "method": method, "params": params});
        if !self.session.is_empty() {
            request["sessionId"] = self.session.clone().into();
        }
        self.socket.send(Message::text(request.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let mut message: Value = serde_json::from_str(&text).unwrap();
            if message["id"] == self.next {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].take();
            }
            self.note(&message);
        }
    }

    /// Keeps what a developer would see in red.
    fn note(&mut self, event: &Value) {
        let entry = &event["params"]["entry"];
        let failed = event["method"] == "Runtime.exceptionThrown";
        if failed || (event["method"] == "Log.entryAdded" && entry["level"] == "error") {
            self.complaints.push(event["params"].to_string());
        }
    }

    /// The value of an expression of the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut result = self.call("Runtime.evaluate", params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].take()
    }

    /// Waits until an expression of the page is true.
    pub fn until(&mut self, expression: &str) {
        let start = Instant::now();
        while self.value(expression) != true {
            let page = self.value("document.body.innerText");
            assert!(start.elapsed() < SOON, "waited in vain until {expression}; the page says\n{page}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({"url": url}));
        self.until("document.readyState === 'complete' && location.protocol === 'http:'");
    }

    /// Presses a key, by its name in the DOM.
    pub fn press(&mut self, key: &str, code: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            let params = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            self.call("Input.dispatchKeyEvent", params);
        }
        if key == "Enter" {
            self.call("Input.dispatchKeyEvent", json!({"type": "char", "key": key, "text": "\r"}));
        }
    }

    pub fn click(&mut self, x: f64, y: f64) {
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    /// Gives the page the size of a screen, and the user's wishes.
    pub fn screen(&mut self, width: u32, height: u32, scale: u32, scheme: &str, motion: &str) {
        let mobile = width < 600;
        let size = json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let features = json!({"features": [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": motion},
        ]});
        self.call("Emulation.setEmulatedMedia", features);
    }

    /// Saves what is seen; with `whole`, the page to its end.
    pub fn picture(&mut self, name: &str, whole: bool) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("viewer");
        std::fs::create_dir_all(&folder).unwrap();
        let params = json!({"format": "png", "captureBeyondViewport": whole});
        let data = self.call("Page.captureScreenshot", params);
        let bytes = base64::prelude::BASE64_STANDARD.decode(data["data"].as_str().unwrap()).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        eprintln!("saved {}", path.display());
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
