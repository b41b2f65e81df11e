//! The page in a real browser. Skipped in the open where there is none, unless `NEARFIELD_REQUIRE_CHROMIUM=1` makes that
//! a failure.

use super::cdp::{self, Browser};
use super::instrument::Instrument;
use super::support::until;
use pipeline::signal::front_end::Method;
use pipeline::viewer::Point;
use std::io::Write;

/// A browser with a bench display, or nothing where there is none.
pub fn start(test: &str) -> Option<Browser> {
    let Some(program) = cdp::find() else {
        let required = std::env::var_os("NEARFIELD_REQUIRE_CHROMIUM").is_some_and(|value| value == "1");
        assert!(!required, "{test}: there is no Chromium");
        // The test harness keeps `eprintln!` to itself when a test passes; this must be seen.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: {test}: there is no Chromium (Debian: apt-get install chromium)"
        );
        return None;
    };
    let mut browser = Browser::start(&program);
    browser.screen(1280, 800, 1, "dark", "no-preference");
    Some(browser)
}

/// A page that shows the instrument, or nothing without a browser.
fn page(test: &str) -> Option<(Browser, Instrument)> {
    let mut browser = start(test)?;
    let instrument = Instrument::start();
    browser.open(&format!("http://{}/", instrument.address));
    browser.until("document.querySelectorAll('#loudest tr').length > 0");
    Some((browser, instrument))
}

/// Waits until the table's first row is within a point's width of a place.
fn loudest_is_at(browser: &mut Browser, [x, y]: [f32; 2]) {
    let cell = |n: u32| {
        format!("Number(document.querySelector('#loudest tr:first-child td:nth-child({n})').textContent)")
    };
    browser.until(&format!("Math.abs({} - {x}) <= 0.02 && Math.abs({} - {y}) <= 0.02", cell(1), cell(2)));
}

/// Where the brightest pixel of the canvas is, in parts of its width and height.
const BRIGHTEST: &str = "(() => {
    const field = document.getElementById('field');
    const { data, width, height } = field.getContext('2d').getImageData(0, 0, field.width, field.height);
    let best = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] > data[best] + data[best + 1]) best = i;
    return [best / 4 % width / width, Math.floor(best / 4 / width) / height];
})()";

pub fn brightest(browser: &mut Browser) -> (f64, f64) {
    let place = browser.value(BRIGHTEST);
    (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
}

pub fn set(browser: &mut Browser, id: &str, value: &str) {
    browser.value(&format!(
        "(() => {{ const input = document.getElementById('{id}'); input.value = '{value}';
         input.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
    ));
}

pub fn is_content(browser: &Browser) {
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn the_map_moves_with_the_source() {
    let Some((mut browser, instrument)) = page("the_map_moves_with_the_source") else { return };
    loudest_is_at(&mut browser, [-0.2, -0.1]);
    let (left, upper) = brightest(&mut browser);
    instrument.change(|state| state.source = [0.2, 0.1]);
    loudest_is_at(&mut browser, [0.2, 0.1]);
    let (right, lower) = brightest(&mut browser);
    assert!(right > left + 0.2 && lower > upper + 0.1, "{left} {upper} to {right} {lower}");
    instrument.change(|state| state.frozen = true);
    browser.until("document.getElementById('map').dataset.stale === 'true'");
    is_content(&browser);
}

#[test]
fn controls_act() {
    let Some((mut browser, instrument)) = page("controls_act") else { return };
    set(&mut browser, "frequency", "880, 1200.5");
    until("the frequencies are set", || instrument.now().frequencies == [880.0, 1200.5]);
    browser.until("document.getElementById('map-caption').textContent.startsWith('880.0 Hz')");
    browser.until("document.getElementById('map-caption').textContent.endsWith('after 800 µs')");
    set(&mut browser, "method", "bits");
    until("the method is set", || instrument.now().method == Method::Bits);
    set(&mut browser, "filter", "50:0.3");
    until("the filter is set", || instrument.now().filter == "50:0.3");
    set(&mut browser, "frequency", "9000");
    browser.until("document.getElementById('answer').textContent.includes('8000 Hz')");
    assert_eq!(instrument.now().frequencies, [880.0, 1200.5]);
    browser.value("document.getElementById('record').click()");
    until("it records", || instrument.now().recording);
    browser.until("document.getElementById('record').getAttribute('aria-pressed') === 'true'");
    browser.value("document.querySelector('#messages button').click()");
    until("the message is acknowledged", || instrument.now().messages.is_empty());
    set(&mut browser, "view", "phase");
    set(&mut browser, "top", "90");
    assert_eq!(browser.value("document.getElementById('automatic').checked"), false);
    is_content(&browser);
}

#[test]
fn a_point_is_chosen_by_mouse_and_by_keys() {
    let Some((mut browser, instrument)) = page("a_point_is_chosen_by_mouse_and_by_keys") else { return };
    let middle = browser.value(
        "(() => { const b = document.getElementById('map').getBoundingClientRect();
         return [b.x + b.width / 2, b.y + b.height / 2]; })()",
    );
    browser.click(middle[0].as_f64().unwrap(), middle[1].as_f64().unwrap());
    until("a point is chosen", || instrument.now().point.is_some());
    browser.until("document.getElementById('spectrum-caption').textContent.startsWith('dB at column')");
    browser.value("document.getElementById('map').focus()");
    browser.press("Home", 36);
    // The source at (-0.2, -0.1) m is between columns 13 and 14 and rows 18 and 19; both are equally near.
    let near = |point: Option<Point>| {
        point.is_some_and(|p| (13..=14).contains(&p.col) && (18..=19).contains(&p.row))
    };
    until("the loudest point is chosen", || near(instrument.now().point));
    let Point { row, col } = instrument.now().point.unwrap();
    browser.press("ArrowRight", 39);
    browser.press("ArrowDown", 40);
    until("the point has moved", || instrument.now().point == Some(Point { row: row + 1, col: col + 1 }));
    browser.until("document.getElementById('summary').textContent.startsWith('Chosen: x')");
    // A held key is no flood.
    for _ in 0..200 {
        browser.press("ArrowLeft", 37);
    }
    until("the point is at the edge", || instrument.now().point == Some(Point { row: row + 1, col: 0 }));
    assert_eq!(browser.value("document.getElementById('connection').dataset.state"), "live");
    browser.value("document.getElementById('strongest').click()");
    until("the strongest line is taken", || (instrument.now().frequencies[0] - 457.76).abs() < 0.01);
    is_content(&browser);
}

#[test]
fn everything_has_a_name_and_can_be_reached() {
    let Some((mut browser, _instrument)) = page("everything_has_a_name_and_can_be_reached") else { return };
    let tree = browser.call("Accessibility.getFullAXTree", serde_json::json!({}));
    let roles = ["button", "textbox", "combobox", "checkbox", "spinbutton", "application", "table", "image"];
    let mut found = 0;
    for node in tree["nodes"].as_array().unwrap() {
        let role = node["role"]["value"].as_str().unwrap_or_default();
        if roles.contains(&role) && node["ignored"] != true {
            found += 1;
            let name = node["name"]["value"].as_str().unwrap_or_default();
            assert!(!name.trim().is_empty(), "a {role} has no name: {node}");
        }
    }
    assert!(found > 15, "only {found} things in the tree");
    browser.until("document.getElementById('summary').textContent.includes('hertz: loudest')");
    let mut reached = std::collections::BTreeSet::new();
    for _ in 0..40 {
        browser.press("Tab", 9);
        reached.insert(browser.value("document.activeElement.id").as_str().unwrap_or_default().to_owned());
    }
    let controls = [
        "record",
        "map",
        "frequency",
        "method",
        "filter",
        "view",
        "top",
        "span",
        "col",
        "row",
        "automatic",
        "microphones",
    ];
    for id in controls {
        assert!(reached.contains(id), "Tab does not reach {id}: {reached:?}");
    }
    is_content(&browser);
}

#[test]
fn it_fits_a_bench_display_and_a_phone() {
    let Some((mut browser, instrument)) = page("it_fits_a_bench_display_and_a_phone") else { return };
    let point = Some(Point { row: 19, col: 14 });
    instrument.change(|state| state.point = point);
    browser.until("document.getElementById('spectrum-caption').textContent.startsWith('dB at')");
    assert_eq!(
        browser.value("document.getElementById('col').value"),
        "14",
        "a point chosen elsewhere is marked here"
    );
    for (name, width, height, scheme) in
        [("dark.png", 1280, 800, "dark"), ("light.png", 1280, 800, "light"), ("phone.png", 390, 844, "dark")]
    {
        browser.screen(width, height, 2, scheme, "no-preference");
        browser.until(&format!("innerWidth === {width}"));
        std::thread::sleep(std::time::Duration::from_millis(500));
        let overflow = browser.value("document.documentElement.scrollWidth - innerWidth");
        assert!(overflow.as_i64().unwrap() <= 0, "{name}: {overflow} pixels too wide");
        if width == 1280 {
            let below = browser.value("document.documentElement.scrollHeight - innerHeight");
            assert!(below.as_i64().unwrap() <= 0, "{name}: {below} pixels too high");
        }
        browser.picture(name, width < 600);
    }
    is_content(&browser);
}

#[test]
fn frames_come_at_their_rate_and_fewer_for_those_who_ask() {
    let Some((mut browser, _instrument)) = page("frames_come_at_their_rate_and_fewer_for_those_who_ask")
    else {
        return;
    };
    // Counts drawn maps over two seconds of the page's own clock.
    let drawn = "(async () => {
        const field = CanvasRenderingContext2D.prototype, plain = field.putImageData;
        let count = 0;
        field.putImageData = function (...all) { count++; return plain.apply(this, all); };
        await new Promise((done) => setTimeout(done, 2000));
        field.putImageData = plain;
        return count;
    })()";
    browser.screen(1280, 800, 1, "dark", "reduce");
    let calm = browser.value(drawn).as_u64().unwrap();
    // One a second, and what a change of the screen draws anew.
    assert!(calm <= 5, "{calm} maps in two seconds for one who asked for less motion");
    browser.screen(1280, 800, 1, "dark", "no-preference");
    let lively = browser.value(drawn).as_u64().unwrap();
    eprintln!("{} maps a second on the page", lively as f64 / 2.0);
    assert!(lively > calm);
    is_content(&browser);
}
