//! Host memory that a card reaches: pinned memory through a copy in a graph, again and again.

use crate::devices;
use kernels::graph::Builder;
use kernels::{Buffer, Error, Pinned};

#[test]
fn small_copies_in_a_graph_take_what_pinned_memory_holds_at_the_launch() {
    for device in devices("small_copies_in_a_graph_take_what_pinned_memory_holds_at_the_launch") {
        let mut stream = device.stream().unwrap();
        let mut pinned = Pinned::<u32>::zeros(&stream, "numbers", 1000).unwrap();
        let mut buffer = Buffer::<u32>::poisoned(&mut stream, "numbers", 1000).unwrap();
        let mut builder = Builder::new(&device).unwrap();
        builder.upload(&pinned, &mut buffer).unwrap();
        let mut short = Buffer::<u32>::poisoned(&mut stream, "too short", 999).unwrap();
        let error = builder.upload(&pinned, &mut short).unwrap_err();
        assert_eq!(error, Error::Length { what: "copy in a graph", given: 1000, needed: 999 });
        let mut graph = builder.build(&mut stream).unwrap();
        for round in 0..3 {
            let expected: Vec<u32> = (0..1000).map(|i| i * 7 + round).collect();
            let idle = stream.wait().unwrap();
            pinned.write(idle).copy_from_slice(&expected);
            graph.launch(&mut stream).unwrap();
            let mut got = vec![u32::MAX; 1000];
            stream.download(&buffer, &mut got).unwrap();
            assert_eq!(got, expected, "round {round}");
        }
    }
}
