//! What a page and the pipeline say to each other.

use super::support::{Bench, map, settings, until};
use pipeline::signal::front_end::Method;
use pipeline::viewer::{Command, Health, Point, Spectrum, Status, WAITING};

#[test]
fn a_page_gets_the_newest_of_every_kind_whenever_it_comes() {
    let bench = Bench::new(settings());
    bench.publisher.health(vec![Health::Ok, Health::Stuck]);
    bench.publisher.status(Status { device: "CPU".into(), ..Status::default() });
    let point = Point { row: 1, col: 2 };
    let spectrum = Spectrum { point, first_hz: 0.0, step_hz: 45.0, pressure_pa: vec![1.0] };
    bench.publisher.spectrum(spectrum);
    bench.publisher.map(map(4, 7));
    for _ in 0..2 {
        let mut page = bench.connect();
        let hello = page.text("hello");
        assert_eq!((&hello["title"], &hello["limits"]["rows"]), (&"Bench camera".into(), &48.into()));
        assert_eq!(hello["microphones_m"].as_array().unwrap().len(), 1024);
        assert_eq!(page.text("status")["device"], "CPU");
        assert_eq!(page.text("health")["letters"], "os");
        assert_eq!(page.text("spectrum")["pressure_pa"][0], 1.0);
        assert_eq!(page.map(), 7);
    }
}

#[test]
fn maps_go_on_and_are_due_only_while_somebody_looks() {
    let bench = Bench::new(settings());
    assert!(!bench.publisher.map_due());
    let mut page = bench.connect();
    for sequence in 1..20 {
        until("a map is due", || bench.publisher.map_due());
        bench.publisher.map(map(4, sequence));
        assert_eq!(page.map(), sequence);
    }
    drop(page);
    until("the page is gone", || bench.publisher.viewers() == 0);
    assert!(!bench.publisher.map_due());
}

#[test]
fn commands_come_out_in_order_and_wrong_ones_are_answered() {
    let bench = Bench::new(settings());
    let mut page = bench.connect();
    assert_eq!(page.ask(1, r#"{"do":"frequencies","hz":[440,880]}"#), None);
    assert_eq!(page.ask(2, r#"{"do":"method","name":"bits"}"#), None);
    let error = page.ask(3, r#"{"do":"frequencies","hz":[9000]}"#).unwrap();
    assert!(error.contains("9000 Hz") && error.contains("8000 Hz"), "{error}");
    assert!(page.ask(4, r#"{"do":"format"}"#).is_some());
    assert_eq!(page.ask(5, r#"{"do":"record","on":true}"#), None);
    let commands: Vec<Command> = std::iter::from_fn(|| bench.controls.next()).collect();
    let expected =
        [Command::Frequencies(vec![440.0, 880.0]), Command::Method(Method::Bits), Command::Record(true)];
    assert_eq!(commands, expected);
}

#[test]
fn a_pipeline_that_does_not_listen_makes_the_queue_refuse() {
    let bench = Bench::new(settings());
    let mut page = bench.connect();
    for id in 0..WAITING as u64 {
        assert_eq!(page.ask(id, r#"{"do":"record","on":true}"#), None);
    }
    assert!(page.ask(100, r#"{"do":"record","on":true}"#).unwrap().contains("busy"));
    drop(bench.controls);
    assert!(page.ask(101, r#"{"do":"record","on":true}"#).unwrap().contains("stopping"));
}
