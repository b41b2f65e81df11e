//! `MicArray` XML to places.

use roxmltree::{Document, Node, ParsingOptions};

use crate::array::Error;
use crate::array::grid::MAX_MICROPHONES;

/// x, y, z of every `pos` in the order of the file. Entities cannot be defined (no DTD), and the number of
/// nodes is bounded: text, comment and element a microphone.
pub(super) fn parse(text: &str) -> Result<Vec<[f64; 3]>, Error> {
    let nodes_limit = 4 * MAX_MICROPHONES as u32;
    let options = ParsingOptions { allow_dtd: false, nodes_limit, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let position = error.pos();
        let message = format!("not valid XML: {error}");
        Error::Syntax { line: position.row as usize, column: position.col as usize, message }
    })?;
    let elements = document.descendants().filter(|node| node.is_element() && node.tag_name().name() == "pos");
    elements.enumerate().map(|(channel, element)| place(&document, element, channel)).collect()
}

fn place(document: &Document, element: Node, channel: usize) -> Result<[f64; 3], Error> {
    let mut place = [0.0; 3];
    for (value, name) in place.iter_mut().zip(["x", "y", "z"]) {
        let at = || {
            let line = document.text_pos_at(element.range().start).row;
            format!("line {line}: attribute {name} of microphone {channel}")
        };
        let expected = "a number in metres";
        let Some(text) = element.attribute(name) else {
            return Err(Error::Missing { place: at(), expected: expected.into() });
        };
        *value = text.trim().parse().map_err(|_| Error::value(at(), format!("{text:?}"), expected))?;
    }
    Ok(place)
}
