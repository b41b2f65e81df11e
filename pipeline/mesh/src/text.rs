//! Lines and numbers of text formats, with their places for errors.

use super::{Error, Place};
use numerics::vec3::Vec3;
use std::str::FromStr;

/// Words of the lines that have any.
pub struct Lines<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    at: usize,
}

/// Words of a line, and where it stands.
#[derive(Clone)]
pub struct Line<'a> {
    place: Place,
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
        self.lines.find_map(|(index, text)| {
            self.at = index + 1;
            let line = Line::new(Place::Line(self.at), text);
            line.has_words().then_some(line)
        })
    }
}

impl Default for Line<'_> {
    fn default() -> Self {
        Self::new(Place::Line(1), "")
    }
}

impl<'a> Line<'a> {
    pub fn new(place: Place, text: &'a str) -> Self {
        Self { place, words: text.split_ascii_whitespace() }
    }

    pub fn place(&self) -> Place {
        self.place
    }

    pub fn wrong(&self, reason: impl Into<String>) -> Error {
        Error::Syntax { place: self.place, reason: reason.into() }
    }

    pub fn has_words(&self) -> bool {
        self.peek().is_some()
    }

    /// The next word, which stays the next one.
    pub fn peek(&self) -> Option<&'a str> {
        self.words.clone().next()
    }

    pub fn word(&mut self, what: &str) -> Result<&'a str, Error> {
        self.words.next().ok_or_else(|| self.wrong(format!("{what} is missing")))
    }

    /// What is left, in one piece.
    pub fn rest(self) -> String {
        self.words.collect::<Vec<_>>().join(" ")
    }

    pub fn number<T: FromStr>(&mut self, what: &str) -> Result<T, Error> {
        let word = self.word(what)?;
        word.parse().map_err(|_| self.wrong(format!("{what} is '{word}', which is no number")))
    }

    pub fn point(&mut self, what: &str) -> Result<Vec3, Error> {
        Ok(Vec3::new(self.number(what)?, self.number(what)?, self.number(what)?))
    }
}
