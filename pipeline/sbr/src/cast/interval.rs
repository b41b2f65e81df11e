//! Minimum, maximum and bit masks of short rows of numbers, in forms that compile to a few vector
//! instructions.

/// Numbers that are handled by one instruction.
pub const ROW: usize = 16;

pub type Row<T> = [T; ROW];

/// The smaller of two numbers, in one instruction; the second one if either is NaN.
#[inline(always)]
pub fn min<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The larger of two numbers, in one instruction; the second one if either is NaN.
#[inline(always)]
pub fn max<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[inline(always)]
pub fn min_of<T: PartialOrd + Copy>(row: &Row<T>) -> T {
    reduced(row, min)
}

#[inline(always)]
pub fn max_of<T: PartialOrd + Copy>(row: &Row<T>) -> T {
    reduced(row, max)
}

/// Reduces a row by halves.
#[inline(always)]
fn reduced<T: Copy>(row: &Row<T>, pick: impl Fn(T, T) -> T) -> T {
    let mut eight = [row[0]; ROW / 2];
    for i in 0..ROW / 2 {
        eight[i] = pick(row[i], row[i + ROW / 2]);
    }
    let [a, b, c, d, e, f, g, h] = eight;
    pick(pick(pick(a, e), pick(c, g)), pick(pick(b, f), pick(d, h)))
}

/// One bit for each of up to sixteen conditions; the first condition sets the lowest bit.
#[inline(always)]
pub fn bit_mask<const N: usize>(conditions: &[bool; N]) -> u32 {
    let mut bytes = [0u8; ROW];
    for i in 0..N {
        bytes[i] = if conditions[i] { 0xff } else { 0 };
    }
    // SSE2 is part of x86-64: the compiler knows that the constructor succeeds and drops the other branch.
    #[cfg(target_arch = "x86_64")]
    if let Some(sse2) = pulp::core_arch::x86::Sse2::try_new() {
        return sse2._mm_movemask_epi8(pulp::cast(bytes)) as u32;
    }
    bytes.iter().rev().fold(0, |bits, byte| 2 * bits + u32::from(byte & 1))
}
