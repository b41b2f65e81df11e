//! Loops over numbers on all cores, compiled once for each type of result: for work that is worth a call.

use rayon::prelude::*;

/// Values of the numbers below `count`, in their order.
pub fn map<T: Send>(count: usize, value: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    (0..count).into_par_iter().map(value).collect()
}

/// Works on parts of `size` values, by their numbers; the last part may be shorter.
pub fn parts<T: Send>(values: &mut [T], size: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    values.par_chunks_mut(size.max(1)).enumerate().for_each(|(part, values)| work(part, values));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_parts_keep_their_order() {
        assert_eq!(map(1000, &|i| i * i), (0..1000).map(|i| i * i).collect::<Vec<_>>());
        let mut values = vec![0; 10];
        parts(&mut values, 4, &|part, values| values.fill(part));
        assert_eq!(values, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
        parts(&mut Vec::<u8>::new(), 0, &|_, _| unreachable!());
    }
}
