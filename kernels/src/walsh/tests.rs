use super::*;

#[test]
fn places_of_a_transform_are_all_different() {
    for samples in [64, 128, 256, 512, 1024, 2048, 4096] {
        let places: BTreeSet<usize> = (0..samples).map(|i| place_of(samples, i)).collect();
        assert_eq!(places, (0..samples).collect(), "{samples} words");
    }
}

/// Weights are the terms' numbers.
fn bins(samples: usize) -> Vec<Vec<Term>> {
    let term = |i: usize| Term {
        pattern: i % 5,
        function: i * 29 % samples,
        weight: Complex::new(1.0 + i as f64, 0.0),
    };
    vec![(0..7).map(term).collect(), Vec::new(), (7..50).map(term).collect()]
}

#[test]
fn every_term_is_in_the_round_of_its_column_with_its_row() {
    for (samples, chosen, together) in [(64, true, 1), (1024, true, 2), (1024, false, 3), (4096, false, 1)] {
        let (bins, whole) = (bins(samples), 8);
        let columns = columns(&bins, chosen);
        let rounds = Rounds::new(samples, together, &columns, &bins, whole).unwrap();
        let count = columns.len().div_ceil(COLUMNS).div_ceil(together);
        let (row_starts, term_starts) = rounds.starts.split_at(count + 1);
        assert_eq!(term_starts.len(), count * bins.len() + 1);
        let stride = samples >> bits_1(samples);
        let mut found = vec![Vec::new(); bins.len()];
        for (i, ends) in term_starts.windows(2).enumerate() {
            assert_eq!((ends[1] - ends[0]) as usize % whole, 0);
            let (round, bin) = (i / bins.len(), i % bins.len());
            let rows = &rounds.rows[row_starts[round] as usize..row_starts[round + 1] as usize];
            let terms = &rounds.terms[4 * ends[0] as usize..4 * ends[1] as usize];
            for term in terms.chunks(4).filter(|term| term[1] != 0) {
                let number =
                    (0..together * samples).find(|&i| place_of(samples, i) == term[0] as usize).unwrap();
                assert!(rows.contains(&((number / stride * COLUMNS + number % COLUMNS) as u32)));
                let (group, low) = (round * together + number / samples, number % COLUMNS);
                let (pattern, function) = columns[group * COLUMNS + low];
                found[bin].push((pattern, number % samples - low + function, f32::from_bits(term[1])));
            }
        }
        for (found, terms) in found.iter_mut().zip(&bins) {
            found.sort_by(|a, b| a.2.total_cmp(&b.2));
            let expected: Vec<_> =
                terms.iter().map(|t| (t.pattern, t.function, t.weight.re as f32)).collect();
            assert_eq!(*found, expected, "{samples} words, {together} groups together");
        }
    }
}

#[test]
fn a_column_is_its_pattern_turned_over_where_the_function_is_negative() {
    let words = column_words(&[(1, 0), (0, 5)], &[0x0ff0, 0xffff_0000]);
    assert_eq!(words.len(), COLUMNS * COLUMNS);
    assert_eq!(words[..8], [0xffff_0000; 8]);
    // -1 to the number of ones of 5 & t, t = 0 to 7.
    let negative = [false, true, false, true, true, false, true, false];
    assert_eq!(words[8..16], negative.map(|n| if n { !0x0ff0 } else { 0x0ff0 }));
}
