use numerics::parallel::*;

#[test]
fn values_and_parts_keep_their_order() {
    assert_eq!(map(1000, &|i| i * i), (0..1000).map(|i| i * i).collect::<Vec<_>>());
    let mut values = vec![0; 10];
    parts(&mut values, 4, &|part, values| values.fill(part));
    assert_eq!(values, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
    parts(&mut Vec::<u8>::new(), 0, &|_, _| unreachable!());
}
