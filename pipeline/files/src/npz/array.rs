//! The NPY header and the numbers after it.
//!
//! `\x93NUMPY`, version 1 to 3, a length (`u16` in version 1, `u32` later), a Python dictionary with the keys
//! `descr`, `fortran_order` and `shape`, then the numbers.

use num_complex::Complex;

/// Most axes; NumPy's own limit.
const MOST_AXES: usize = 64;

/// An array that has been checked: `bytes` are as many as its shape and its type take.
pub(super) struct Array {
    bytes: Vec<u8>,
    /// Where the numbers begin.
    first: usize,
    number: Number,
    fortran_order: bool,
    shape: Vec<usize>,
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
    /// Two floats.
    Complex,
}

/// The `descr` of an array: byte order, kind, and bytes of a component (half a complex number).
#[derive(Clone, Copy)]
struct Number {
    kind: Kind,
    size: usize,
    big_endian: bool,
}

impl Number {
    fn parse(descr: &str) -> Option<Self> {
        let (order, kind, size) = (descr.get(..1)?, descr.get(1..2)?, descr.get(2..)?);
        let big_endian = match order {
            "<" | "|" => false,
            ">" => true,
            _ => return None,
        };
        let (kind, size) = match (kind, size) {
            ("i", "1" | "2" | "4" | "8") => (Kind::Signed, size.parse().ok()?),
            ("u", "1" | "2" | "4" | "8") => (Kind::Unsigned, size.parse().ok()?),
            ("f", "4" | "8") => (Kind::Float, size.parse().ok()?),
            ("c", "8") => (Kind::Complex, 4),
            ("c", "16") => (Kind::Complex, 8),
            _ => return None,
        };
        Some(Self { kind, size, big_endian })
    }

    fn components(self) -> usize {
        if self.kind == Kind::Complex { 2 } else { 1 }
    }

    /// A component from its bytes.
    fn value(self, bytes: &[u8]) -> f64 {
        let mut word = [0; 8];
        word.iter_mut().zip(bytes).for_each(|(w, b)| *w = *b);
        if self.big_endian {
            word[..self.size].reverse();
        }
        let bits = u64::from_le_bytes(word);
        let unused = 64 - 8 * self.size;
        match self.kind {
            Kind::Unsigned => bits as f64,
            Kind::Signed => ((bits << unused).cast_signed() >> unused) as f64,
            Kind::Float | Kind::Complex if self.size == 4 => f32::from_bits(bits as u32).into(),
            Kind::Float | Kind::Complex => f64::from_bits(bits),
        }
    }
}

impl Array {
    /// Checks an NPY file. An error says what is wrong with it.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, String> {
        let (text, first) = header(&bytes).ok_or("no NPY header")?;
        let lost = |key| format!("its header has no usable {key}: {:.200}", text.trim_end());
        let descr = entry(text, "descr").and_then(quoted).ok_or_else(|| lost("descr"))?;
        let number = Number::parse(descr)
            .ok_or_else(|| format!("its numbers are {descr:.20}; integers, f4, f8, c8 and c16 are read"))?;
        let order = entry(text, "fortran_order").ok_or_else(|| lost("fortran_order"))?;
        let fortran_order = order.starts_with("True");
        if !fortran_order && !order.starts_with("False") {
            return Err(lost("fortran_order"));
        }
        let shape = entry(text, "shape").and_then(tuple).ok_or_else(|| lost("shape"))?;
        let each = number.size * number.components();
        let expected = shape.iter().try_fold(each, |bytes, &side| bytes.checked_mul(side));
        let found = bytes.len() - first;
        if expected != Some(found) {
            return Err(format!("{found} bytes are not the shape {shape:?} of {each}-byte numbers"));
        }
        Ok(Self { bytes, first, number, fortran_order, shape })
    }

    /// The numbers of a real array.
    pub fn real(self) -> Result<(Vec<f64>, Vec<usize>), String> {
        if self.number.kind == Kind::Complex {
            return Err("it is complex where real numbers are needed".into());
        }
        Ok((self.in_c_order(self.components().collect()), self.shape))
    }

    /// The numbers of a complex array.
    pub fn complex(self) -> Result<(Vec<Complex<f64>>, Vec<usize>), String> {
        if self.number.kind != Kind::Complex {
            return Err("it is real where complex numbers are needed".into());
        }
        Ok(self.numbers())
    }

    /// The numbers of any array.
    pub fn numbers(self) -> (Vec<Complex<f64>>, Vec<usize>) {
        let values = if self.number.kind == Kind::Complex {
            let (number, size) = (self.number, self.number.size);
            let parts = self.bytes[self.first..].chunks_exact(2 * size).map(|parts| parts.split_at(size));
            parts.map(|(re, im)| Complex { re: number.value(re), im: number.value(im) }).collect()
        } else {
            self.components().map(Complex::from).collect()
        };
        (self.in_c_order(values), self.shape)
    }

    /// Whether a component is a float of 32 bits.
    pub fn is_single(&self) -> bool {
        matches!(self.number.kind, Kind::Float | Kind::Complex) && self.number.size == 4
    }

    fn components(&self) -> impl Iterator<Item = f64> {
        self.bytes[self.first..].chunks_exact(self.number.size).map(|bytes| self.number.value(bytes))
    }

    fn in_c_order<T: Copy>(&self, values: Vec<T>) -> Vec<T> {
        if !self.fortran_order || values.is_empty() {
            return values;
        }
        // Places of the values in the order of the first axes, then of one axis more.
        let mut places = vec![0];
        let mut stride = 1;
        for &side in &self.shape {
            places = places.iter().flat_map(|place| (0..side).map(move |i| place + i * stride)).collect();
            stride *= side;
        }
        places.into_iter().map(|place| values[place]).collect()
    }
}

/// The dictionary and the place of the first number.
fn header(bytes: &[u8]) -> Option<(&str, usize)> {
    let rest = bytes.strip_prefix(b"\x93NUMPY")?;
    let (&[major, _], rest) = rest.split_first_chunk()?;
    let (length, rest) = match major {
        1 => rest.split_first_chunk().map(|(&length, rest)| (u16::from_le_bytes(length).into(), rest))?,
        2 | 3 => rest.split_first_chunk().map(|(&length, rest)| (u32::from_le_bytes(length), rest))?,
        _ => return None,
    };
    let (text, numbers) = rest.split_at_checked(length as usize)?;
    Some((str::from_utf8(text).ok()?, bytes.len() - numbers.len()))
}

/// What follows a key of the dictionary and its colon.
fn entry<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let after = text.split_once(&format!("'{key}'")).or_else(|| text.split_once(&format!("\"{key}\"")))?.1;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    Some(text[1..].split_once(quote)?.0)
}

/// A tuple of whole numbers; Python 2 wrote an L after each.
fn tuple(text: &str) -> Option<Vec<usize>> {
    let (inside, _) = text.strip_prefix('(')?.split_once(')')?;
    let inside = inside.trim().trim_end_matches(',');
    if inside.is_empty() {
        return Some(Vec::new());
    }
    let sides = inside.split(',').map(|side| side.trim().trim_end_matches('L').parse().ok());
    sides.collect::<Option<Vec<usize>>>().filter(|shape| shape.len() <= MOST_AXES)
}
