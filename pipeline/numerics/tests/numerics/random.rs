use numerics::random::*;

#[test]
fn splitmix_gives_the_published_sequence() {
    // First values for seed 1234567 of the authors' C code.
    let mut g = SplitMix64::new(1_234_567);
    assert_eq!(g.integer(), 6_457_827_717_110_365_317);
    assert_eq!(g.integer(), 3_203_168_211_198_807_973);
}

#[test]
fn normal_has_mean_0_and_variance_1() {
    let mut g = SplitMix64::new(5);
    let values: Vec<f64> = (0..100_000).map(|_| g.normal()).collect();
    let n = values.len() as f64;
    let (mean, square) = (values.iter().sum::<f64>() / n, values.iter().map(|v| v * v).sum::<f64>() / n);
    // Six standard deviations of the estimates: 1/sqrt(n), sqrt((kurtosis - 1)/n) with kurtosis 2.9.
    assert!(mean.abs() < 6.0 / 1e5f64.sqrt(), "{mean}");
    assert!((square - 1.0).abs() < 6.0 * (1.9f64 / 1e5).sqrt(), "{square}");
}
