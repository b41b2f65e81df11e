//! Three ways to panic that a careless change would bring: an index, an unwrap, an assertion.

/// An index that may be out of bounds.
#[unsafe(no_mangle)]
pub fn control_index(words: &[u32], at: usize) -> u32 {
    words[at]
}

/// A value that may be missing.
#[unsafe(no_mangle)]
pub fn control_unwrap(words: &[u32]) -> u32 {
    *words.last().unwrap()
}

/// An assertion with a message, which brings the formatting machinery with it.
#[unsafe(no_mangle)]
pub fn control_assert(words: &[u32]) -> usize {
    assert!(words.len() < 64, "{} words", words.len());
    words.len()
}
