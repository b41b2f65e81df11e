use super::*;
use crate::source::Source;
use holography::camera::FilterRule;
use proptest::prelude::*;
use signal::front_end::Method;

const SOCKET: &str = "[source]\nudp = \"127.0.0.1:5000\"\n";

fn resolve(text: &str) -> Result<Settings, Error> {
    settings(text, Path::new("/nowhere"))
}

#[test]
fn a_source_is_enough() {
    let settings = resolve(SOCKET).unwrap();
    assert!(matches!(settings.source, Source::Udp { address, .. } if address.port() == 5000));
    let chain = settings.chain.unwrap();
    assert_eq!((chain.front_end.method, chain.front_end.bins), (Method::Dot, vec![22]));
    assert_eq!((settings.layout.channels(), settings.bit_rate_hz), (1024, 1.5e6));
    assert_eq!((settings.filter, chain.pnah.standoff, settings.health), (FilterRule::Auto, 0.04, true));
    assert!(settings.bit_rate_hz / settings.hop_rows as f64 >= 1000.0, "a kilohertz of holograms");
}

#[test]
fn what_means_nothing_is_refused_by_its_name() {
    let many = format!("[hologram]\nbins = {:?}", [1; 65]);
    for (more, word) in [
        ("[hologram]\nfrequencies_hz = [9000]", "frequencies_hz"),
        ("[hologram]\nfrequencies_hz = []", "frequencies_hz"),
        ("[hologram]\nfrequencies_hz = [-5]", "frequencies_hz"),
        ("[hologram]\nbins = [1]\nfrequencies_hz = [1]", "one of the two"),
        ("[hologram]\nmethod = \"fft\"", "method"),
        ("[hologram]\ncoefficients = 5", "coefficients"),
        ("[hologram]\nhop_rows = 100", "hop_rows"),
        ("[hologram]\npad = \"lots\"", "pad"),
        ("[hologram]\nfilter = \"soft\"", "filter"),
        ("[hologram]\nthreads = 0", "threads"),
        ("[hologram]\nthreads = 100000", "threads"),
        ("[hologram]\nsamples = 0", "samples"),
        ("[hologram]\nsamples = 576460752303423488", "samples"),
        ("[hologram]\nrefine = 0", "[hologram]"),
        ("[hologram]\nrefine = 9223372036854775807", "[hologram]"),
        ("[hologram]\nhop_rows = 2097152", "ring_spans"),
        ("[array]\nrows = 256\ncols = 248\n[hologram]\nsamples = 8192", "samples"),
        ("[buffers]\nspan_rows = 0", "span_rows"),
        ("[buffers]\nring_spans = 1", "ring_spans"),
        ("[buffers]\nring_spans = 99999999", "[buffers]"),
        // 62 spans of 128 MiB fit 8 GiB, and three in hand do not.
        ("[hologram]\nhop_rows = 32\n[buffers]\nspan_rows = 1048576\nring_spans = 62", "[buffers]"),
        ("[hologram]\ngrid = 60000", "bytes of tables"),
        ("[array]\nrows = 256\ncols = 248\n[hologram]\nbins = [1, 2]\nrefine = 64", "bytes of tables"),
        (many.as_str(), "65 frequencies"),
        ("[latency]\nbound_ms = -1", "bound_ms"),
        ("[latency]\ndeadline_ms = 5e-324", "deadline_ms"),
        ("[array]\nrows = 30", "rows"),
        ("[array]\nexclude = [1024]", "[array]"),
        ("[array]\nbit_rate_hz = nan", "bit_rate_hz"),
        ("[controller]\nto = \"127.0.0.1:1\"\npixels = [[0, 32]]", "[controller]"),
        ("[controller]\nto = \"127.0.0.1:1\"", "one of the two"),
        ("[files]\nfolder = \"f\"\nevery = 0", "every"),
        ("[viewer]\ntoken = \"short\"", "token"),
        ("[realtime]\npriority = 100", "priority"),
        ("[record]\nname = \"\"", "name"),
        ("[nothing]", "nothing"),
    ] {
        let error = resolve(&format!("{SOCKET}{more}\n")).unwrap_err().to_string();
        assert!(error.contains(word), "{more}: {error}");
    }
    let two = "[source]\nudp = \"127.0.0.1:1\"\nsimulator = \"demo\"";
    for text in ["", two] {
        assert!(resolve(text).unwrap_err().to_string().contains("exactly one"));
    }
    assert!(
        resolve("[source]\nsimulator = \"demo\"\nspeed = \"fast\"")
            .unwrap_err()
            .to_string()
            .contains("speed")
    );
    let paced = "[source]\nudp = \"127.0.0.1:1\"\nspeed = 2.0";
    assert!(resolve(paced).unwrap_err().to_string().contains("its own pace"));
    assert!(resolve("[source]\nrecording = \"gone\"").unwrap_err().to_string().contains("gone"));
}

/// What a page may ask for later is not what was checked at the start.
#[test]
fn more_frequencies_take_more_memory() {
    let settings = resolve(&format!("{SOCKET}[hologram]\ngrid = 3000\n")).unwrap();
    let mut chain = settings.chain.unwrap();
    assert!(bounds::chain(&chain, 1).is_ok());
    chain.front_end.bins = vec![22; 64];
    assert!(bounds::chain(&chain, 1).unwrap_err().to_string().contains("bytes of tables"));
}

/// Every example in the repository is an instrument, as it stands.
#[test]
fn examples_are_instruments() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let (tables, folder) = load(&path).unwrap();
            if tables.source.recording.is_none() {
                tables.resolve(&folder).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            }
            count += 1;
        }
    }
    assert!(count >= 5, "{count} examples");
}

/// Numbers of any size that TOML can write, with the good ones among them.
fn whole() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(1),
        1u64..64,
        (1u64..64).prop_map(|n| 32 * n),
        (0u32..63).prop_map(|n| 1 << n),
        0..i64::MAX as u64
    ]
}

proptest! {
    /// Whatever the numbers are, the answer is settings or an error, and what settings ask for is bounded.
    #[test]
    fn any_numbers_are_answered(samples in whole(), refine in whole(), hop in whole(), span in whole(), ring in whole(), threads in whole()) {
        let text = format!("{SOCKET}[hologram]\nsamples = {samples}\nrefine = {refine}\nhop_rows = {hop}\nthreads = {threads}\n\
            [buffers]\nspan_rows = {span}\nring_spans = {ring}\n");
        if let Ok(settings) = resolve(&text) {
            let row_bytes = settings.layout.row_bytes() as u64;
            let ring_rows = (settings.ring_spans * settings.span_rows) as u64;
            prop_assert!(4 * settings.hop_rows <= ring_rows && ring_rows * row_bytes <= 8 << 30);
            prop_assert!(settings.chain.unwrap().front_end.samples <= 1 << 17 && settings.threads <= 1024);
        }
    }
}
