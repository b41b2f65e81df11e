//! Numbers of a file, as text or as bytes, with their places for errors.

use super::text::{Line, Lines};
use super::{Error, Place};
use std::str::FromStr;

/// Longest line of text between bytes.
const LONGEST: usize = 1 << 12;

/// A file, and where it is read.
pub enum Source<'a> {
    /// Words: the lines that are left, the present one, and the bytes of the file.
    Text { lines: Lines<'a>, line: Line<'a>, size: usize },
    /// All bytes, the number of the next one, and whether the highest byte of a number comes first.
    Binary { bytes: &'a [u8], at: usize, big: bool },
}

impl<'a> Source<'a> {
    pub fn text(bytes: &'a [u8]) -> Result<Self, Error> {
        Ok(Self::Text { lines: Lines::new(bytes)?, line: Line::default(), size: bytes.len() })
    }

    pub fn is_text(&self) -> bool {
        matches!(self, Self::Text { .. })
    }

    pub fn place(&self) -> Place {
        match self {
            Self::Text { line, .. } => line.place(),
            Self::Binary { at, .. } => Place::Byte(*at),
        }
    }

    pub fn wrong(&self, reason: impl Into<String>) -> Error {
        Error::Syntax { place: self.place(), reason: reason.into() }
    }

    /// So many things to come, of a byte each or, in a binary file, of `each`: never more than there is
    /// room for.
    pub fn checked(&self, count: u64, each: usize, what: &str) -> Result<usize, Error> {
        let (each, left) = match self {
            Self::Text { size, .. } => (1, *size),
            Self::Binary { bytes, at, .. } => (each, bytes.len() - at),
        };
        let fits = |count: &usize| count.checked_mul(each).is_some_and(|all| all <= left);
        usize::try_from(count).ok().filter(fits).ok_or_else(|| {
            self.wrong(format!("{count} {what} of {each} bytes or more, and {left} bytes are left"))
        })
    }

    /// The next line of text that has words, which binary files have, too; none at the end.
    pub fn next_line(&mut self) -> Result<Option<Line<'a>>, Error> {
        let (bytes, at) = match self {
            Self::Text { lines, .. } => return Ok(lines.next()),
            Self::Binary { bytes, at, .. } => (*bytes, at),
        };
        *at += bytes[*at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if *at == bytes.len() {
            return Ok(None);
        }
        let (rest, place) = (&bytes[*at..], Place::Byte(*at));
        // The last line may end with the file.
        let end = rest.iter().take(LONGEST).position(|byte| *byte == b'\n');
        let end = end.or((rest.len() <= LONGEST).then_some(rest.len()));
        let Some(Ok(text)) = end.map(|end| std::str::from_utf8(&rest[..end])) else {
            return Err(Error::byte(*at, "a line of text should be here"));
        };
        *at = (*at + text.len() + 1).min(bytes.len());
        Ok(Some(Line::new(place, text)))
    }

    /// The same where there must be one.
    pub fn line(&mut self, what: &str) -> Result<Line<'a>, Error> {
        if let Self::Text { lines, .. } = self {
            return lines.need(what);
        }
        self.next_line()?.ok_or_else(|| self.wrong(format!("the file ends where {what} should be")))
    }

    /// Goes on to the next line, if numbers are words: what is left of this one is passed over.
    pub fn record(&mut self, what: &str) -> Result<(), Error> {
        if let Self::Text { lines, line, .. } = self {
            *line = lines.need(what)?;
        }
        Ok(())
    }

    /// The next number: a word of this line, or so many bytes, at most eight, the lowest first.
    pub fn number<T: FromStr>(
        &mut self,
        what: &str,
        count: usize,
        decode: impl Fn(u64) -> T,
    ) -> Result<T, Error> {
        let (bytes, at, big) = match self {
            Self::Text { line, .. } => return line.number(what),
            Self::Binary { bytes, at, big } => (*bytes, at, *big),
        };
        let found = bytes[*at..].get(..count);
        let found = found.ok_or_else(|| Error::byte(*at, format!("the file ends where {what} should be")))?;
        let mut raw = [0; 8];
        raw[..count].copy_from_slice(found);
        if big {
            raw[..count].reverse();
        }
        *at += count;
        Ok(decode(u64::from_le_bytes(raw)))
    }
}
