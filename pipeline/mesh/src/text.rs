//! Lines and numbers of text formats, with their places for errors.

use super::Error;
use numerics::vec3::Vec3;
use std::str::FromStr;

/// Words of the lines that have any, with the number of the line.
pub struct Lines<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    at: usize,
}

/// A line.
#[derive(Clone)]
pub struct Line<'a> {
    /// From 1.
    pub number: usize,
    words: std::str::SplitAsciiWhitespace<'a>,
}

impl<'a> Lines<'a> {
    /// The lines of `bytes`, which must be UTF-8.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let text = std::str::from_utf8(bytes).map_err(|error| Error::byte(error.valid_up_to(), "no text"))?;
        Ok(Self { lines: text.lines().enumerate(), at: 0 })
    }

    /// The next line that has words, or an error that says what is missing.
    pub fn need(&mut self, what: &str) -> Result<Line<'a>, Error> {
        self.next().ok_or_else(|| Error::line(self.at + 1, format!("the file ends where {what} should be")))
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        self.lines.find_map(|(index, line)| {
            self.at = index + 1;
            let words = line.split_ascii_whitespace();
            words.clone().next().map(|_| Line { number: index + 1, words })
        })
    }
}

impl<'a> Line<'a> {
    /// The next word.
    pub fn word(&mut self, what: &str) -> Result<&'a str, Error> {
        self.words.next().ok_or_else(|| Error::line(self.number, format!("{what} is missing")))
    }

    /// The next word, if there is one.
    pub fn next_word(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    /// What is left, in one piece.
    pub fn rest(self) -> String {
        self.words.collect::<Vec<_>>().join(" ")
    }

    /// The next word as a number.
    pub fn number<T: FromStr>(&mut self, what: &str) -> Result<T, Error> {
        let word = self.word(what)?;
        word.parse().map_err(|_| Error::line(self.number, format!("{what} is '{word}', which is no number")))
    }

    /// The next three words as a point.
    pub fn point(&mut self, what: &str) -> Result<Vec3, Error> {
        Ok(Vec3::new(self.number(what)?, self.number(what)?, self.number(what)?))
    }

    /// A number of things to come, each of which takes a line: never more than the file has room for.
    pub fn count(&mut self, what: &str, bytes: usize) -> Result<usize, Error> {
        let count: usize = self.number(what)?;
        if count > bytes {
            let reason = format!("{count} {what}, and the whole file has {bytes} bytes");
            return Err(Error::line(self.number, reason));
        }
        Ok(count)
    }
}
