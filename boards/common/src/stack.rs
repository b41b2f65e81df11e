//! How far down the stack was: the start paints it, and what was never used keeps the paint.

/// What unused words of the stack hold.
pub const PAINT: u32 = 0x5afe_57ac;

/// Bytes of the stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// Most that were in use.
    pub used: u32,
    /// All of them.
    pub size: u32,
}

/// Looks for paint from the bottom up.
///
/// # Safety
/// The words from `bottom` up to `top` are memory.
pub unsafe fn measure(bottom: *const u32, top: *const u32) -> Stack {
    let size = (top as usize).wrapping_sub(bottom as usize);
    let mut unused = 0;
    // SAFETY: below `size`, so within the words that the caller promised; volatile reads assume nothing of a live stack.
    while unused < size && unsafe { bottom.byte_add(unused).read_volatile() } == PAINT {
        unused += 4;
    }
    Stack { used: size.wrapping_sub(unused) as u32, size: size as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_without_paint_is_the_mark() {
        let mut stack = [PAINT; 16];
        let measure = |stack: &[u32; 16]| {
            let ends = stack.as_ptr_range();
            // SAFETY: the ends of an array.
            unsafe { measure(ends.start, ends.end) }
        };
        assert_eq!(measure(&stack), Stack { used: 0, size: 64 });
        (stack[12], stack[14]) = (1, 2);
        assert_eq!(measure(&stack), Stack { used: 16, size: 64 });
        assert_eq!(measure(&[0; 16]), Stack { used: 64, size: 64 });
    }
}
