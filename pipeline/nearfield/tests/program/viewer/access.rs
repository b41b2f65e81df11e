//! Who may come in, and what they get.

use super::support::{Bench, Client, get, request, settings};
use pipeline::signal::ingest::Counters;
use pipeline::viewer::{Error, Metrics, Publisher, Server, Settings, Status};

const TOKEN: &str = "correct-horse-battery";

#[test]
fn the_page_and_its_files_come_with_strict_headers() {
    let bench = Bench::new(settings());
    for (path, kind) in [("/", "text/html"), ("/style.css", "text/css"), ("/main.js", "text/javascript")] {
        let (status, answer) = get(bench.address(), path, "");
        assert_eq!(status, 200, "{path}");
        for header in [
            &format!("content-type: {kind}; charset=utf-8\r\n"),
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';",
            "x-content-type-options: nosniff\r\n",
            "referrer-policy: no-referrer\r\n",
            "cache-control: no-store\r\n",
        ] {
            assert!(answer.contains(header), "{path} lacks {header}");
        }
    }
}

#[test]
fn nothing_else_is_served() {
    let bench = Bench::new(settings());
    for path in ["/nothing", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/page/index.html"] {
        assert_eq!(get(bench.address(), path, "").0, 404, "{path}");
    }
    let post = format!("POST / HTTP/1.1\r\nContent-Length: 0\r\nHost: {}", bench.address());
    assert_eq!(request(bench.address(), &post).0, 405);
    assert_eq!(get(bench.address(), "/ws", "").0, 400, "no upgrade");
}

#[test]
fn metrics_and_health_are_plain_text() {
    let bench = Bench::new(settings());
    let ingest = Counters { lost_frames: 12, ..Counters::default() };
    bench.metrics.status(&Status { ingest, ..Status::default() });
    let _page = bench.connect();
    let (status, text) = get(bench.address(), "/metrics", "");
    assert_eq!(status, 200);
    for line in ["nearfield_lost_frames_total 12\n", "nearfield_viewers 1\n", "# EOF"] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let (status, text) = get(bench.address(), "/healthz", "");
    assert!(status == 200 && text.ends_with("ok\n"));
}

#[test]
fn foreign_names_and_foreign_pages_are_refused() {
    let bench = Bench::new(settings());
    let address = bench.address();
    let port = address.port();
    for path in ["/", "/metrics", "/healthz", "/ws"] {
        let rebound = format!("GET {path} HTTP/1.1\r\nHost: evil.example:{port}");
        assert_eq!(request(address, &rebound).0, 403, "{path}");
    }
    let open = |origin: &str| Client::open(address, &[("Origin", origin)]).map(|_| ());
    assert_eq!(open("http://evil.example"), Err(403));
    assert_eq!(open("null"), Err(403));
    assert_eq!(open(&format!("http://localhost:{port}")), Err(403), "not the name of this request");
    assert_eq!(open(&format!("http://{address}")), Ok(()));
}

#[test]
fn a_token_is_asked_for_everywhere_and_makes_a_cookie() {
    let bench = Bench::new(Settings { token: Some(TOKEN.parse().unwrap()), ..settings() });
    let address = bench.address();
    for path in ["/", "/main.js", "/metrics", "/healthz", "/?token=wrong-wrong-wrong", "/?token="] {
        assert_eq!(get(address, path, "").0, 401, "{path}");
    }
    assert_eq!(Client::open(address, &[]).map(|_| ()), Err(401));
    let wrong = [("Authorization", "Bearer wrong-horse-battery")];
    assert_eq!(Client::open(address, &wrong).map(|_| ()), Err(401));
    assert_eq!(get(address, "/metrics", &format!("\r\nAuthorization: Bearer {TOKEN}")).0, 200);
    let visit = |path: &str| get(address, &format!("{path}?token={TOKEN}"), "");
    for path in ["/", "//evil.example/"] {
        let (status, answer) = visit(path);
        assert!(status == 303 && answer.contains("location: /\r\n"), "{path}: {answer}");
    }
    let answer = visit("/").1;
    let cookie = format!("nearfield-{}={TOKEN}", address.port());
    assert!(answer.contains(&format!("set-cookie: {cookie}; Path=/; HttpOnly; SameSite=Strict\r\n")));
    assert_eq!(get(address, "/", &format!("\r\nCookie: {cookie}")).0, 200);
    assert!(Client::open(address, &[("Cookie", &cookie)]).is_ok());
}

#[test]
fn other_addresses_need_a_token_and_taken_ones_are_named() {
    let start = |settings| Server::start(settings, &Publisher::new(), Metrics::new()).map(|_| ());
    let address = "0.0.0.0:0".parse().unwrap();
    assert_eq!(start(Settings { address, ..settings() }), Err(Error::NeedsToken(address)));
    let bench = Bench::new(settings());
    let taken = start(Settings { address: bench.address(), ..settings() }).unwrap_err();
    assert!(taken.to_string().contains(&bench.address().to_string()), "{taken}");
}
