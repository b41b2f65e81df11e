//! Values of a TOML text for serde.
//!
//! The deserializers of the crate `toml` are compiled again, whole, for every type of a case. These only call
//! the type's visitor; reading numbers and saying where something is wrong are compiled once.

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// What is wrong, and at which bytes of the text.
#[derive(Debug)]
pub struct Wrong {
    message: String,
    span: Option<Range<usize>>,
}

/// The value of a text.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Wrong> {
    let root = root(text)?;
    T::deserialize(Value { value: &root.0, span: root.1 })
}

/// All of a text, and its bytes.
fn root(text: &str) -> Result<(DeValue<'_>, Range<usize>), Wrong> {
    match DeTable::parse(text) {
        Ok(root) => {
            let span = root.span();
            Ok((DeValue::Table(root.into_inner()), span))
        }
        Err(error) => Err(Wrong { message: error.message().to_owned(), span: error.span() }),
    }
}

impl Wrong {
    /// At these bytes, unless it is known better.
    fn at(mut self, span: &Range<usize>) -> Self {
        self.span.get_or_insert_with(|| span.clone());
        self
    }

    /// Bytes of the text that it is about; none at the start where nothing is known.
    pub fn span(&self) -> Range<usize> {
        self.span.clone().unwrap_or(0..0)
    }

    /// With its line, the line's text and marks below the bytes, as the crate `toml` has it.
    pub fn within(&self, text: &str) -> String {
        let Range { start, end } = self.span();
        // The end of a text belongs to its last line.
        let begin = text.floor_char_boundary(start.min(text.len().saturating_sub(1)));
        let before = &text[..begin];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1 + start - begin;
        let content = text.lines().nth(line - 1).unwrap_or_default();
        let left = content.chars().count().saturating_sub(column - 1);
        let marks =
            "^".repeat(text.get(start..end).map_or(1, |marked| marked.chars().count()).clamp(1, left.max(1)));
        let gutter = " ".repeat(line.to_string().len());
        let space = " ".repeat(column - 1);
        format!(
            "TOML parse error at line {line}, column {column}\n{gutter} |\n{line} | {content}\n\
             {gutter} | {space}{marks}\n{}",
            self.message
        )
    }
}

impl Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Wrong {}

impl serde::de::Error for Wrong {
    fn custom<T: Display>(message: T) -> Self {
        Self { message: message.to_string(), span: None }
    }
}

/// A value and its bytes in the text.
struct Value<'a> {
    value: &'a DeValue<'a>,
    span: Range<usize>,
}

/// What visitors are shown.
enum Shown<'a> {
    Text(&'a str),
    Date(String),
    Integer(i64),
    Natural(u64),
    Number(f64),
    Truth(bool),
    List(List<'a>),
    Table(Table<'a>),
}

impl<'a> Value<'a> {
    fn of(value: &'a Spanned<DeValue<'a>>) -> Self {
        Self { span: value.span(), value: value.get_ref() }
    }

    fn shown(&self) -> Result<Shown<'a>, Wrong> {
        let beyond = |what: &str| Err(serde::de::Error::custom(format_args!("{what} number overflowed")));
        Ok(match self.value {
            DeValue::String(text) => Shown::Text(text),
            DeValue::Datetime(date) => Shown::Date(date.to_string()),
            DeValue::Integer(digits) => {
                let (digits, radix) = (digits.as_str(), digits.radix());
                match (i64::from_str_radix(digits, radix), u64::from_str_radix(digits, radix)) {
                    (Ok(value), _) => Shown::Integer(value),
                    (_, Ok(value)) => Shown::Natural(value),
                    _ => return beyond("integer"),
                }
            }
            DeValue::Float(digits) => match digits.as_str().parse::<f64>() {
                Ok(value) if value.is_finite() || !digits.as_str().contains(char::is_numeric) => {
                    Shown::Number(value)
                }
                _ => return beyond("floating-point"),
            },
            DeValue::Boolean(truth) => Shown::Truth(*truth),
            DeValue::Array(values) => Shown::List(List(values.iter())),
            DeValue::Table(fields) => Shown::Table(Table { fields: fields.iter(), value: None }),
        })
    }
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Wrong;

    #[inline(never)]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let visited = match self.shown() {
            Ok(Shown::Text(text)) => visitor.visit_borrowed_str(text),
            Ok(Shown::Date(text)) => visitor.visit_string(text),
            Ok(Shown::Integer(value)) => visitor.visit_i64(value),
            Ok(Shown::Natural(value)) => visitor.visit_u64(value),
            Ok(Shown::Number(value)) => visitor.visit_f64(value),
            Ok(Shown::Truth(truth)) => visitor.visit_bool(truth),
            Ok(Shown::List(list)) => visitor.visit_seq(list),
            Ok(Shown::Table(table)) => visitor.visit_map(table),
            Err(wrong) => Err(wrong),
        };
        visited.map_err(|wrong| wrong.at(&self.span))
    }

    #[inline(never)]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let span = self.span.clone();
        visitor.visit_some(self).map_err(|wrong| wrong.at(&span))
    }

    #[inline(never)]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let span = self.span.clone();
        visitor.visit_newtype_struct(self).map_err(|wrong| wrong.at(&span))
    }

    /// Names of variants without fields; those with fields have tags, which are not read here.
    #[inline(never)]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let visited = match self.value {
            DeValue::String(text) => visitor.visit_enum(name(text)),
            _ => Err(serde::de::Error::custom("wanted string")),
        };
        visited.map_err(|wrong| wrong.at(&self.span))
    }

    /// Lists, and what [`Placed`] wants.
    #[inline(never)]
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        if name != PLACED {
            return self.deserialize_any(visitor);
        }
        let span = self.span.clone();
        visitor.visit_seq(Place { span, value: Some(self), told: 0 })
    }

    forward_to_deserialize_any! {
        bool u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 char str string seq bytes byte_buf map struct unit
        ignored_any unit_struct tuple identifier
    }
}

/// The tuple that a [`Placed`] asks for.
const PLACED: &str = "value and bytes";

/// A value with the bytes of the text that it is at.
#[derive(Debug, Clone)]
pub struct Placed<T> {
    value: T,
    span: Range<usize>,
}

impl<T> Placed<T> {
    /// The bytes.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The value.
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// The value alone.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Placed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple_struct(PLACED, 3, Pair(PhantomData))
    }
}

struct Pair<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Pair<T> {
    type Value = Placed<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of a case")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Placed<T>, A::Error> {
        let missing = || serde::de::Error::custom("only values of cases have places");
        let start = parts.next_element()?.ok_or_else(missing)?;
        let end = parts.next_element()?.ok_or_else(missing)?;
        Ok(Placed { value: parts.next_element()?.ok_or_else(missing)?, span: start..end })
    }
}

/// The rest of what a [`Placed`] is told: first byte, last byte and value.
struct Place<'a> {
    span: Range<usize>,
    value: Option<Value<'a>>,
    told: usize,
}

impl<'de> SeqAccess<'de> for Place<'de> {
    type Error = Wrong;

    #[inline(never)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Wrong> {
        self.told += 1;
        match self.told {
            1 => seed.deserialize(self.span.start.into_deserializer()).map(Some),
            2 => seed.deserialize(self.span.end.into_deserializer()).map(Some),
            _ => self.value.take().map(|value| seed.deserialize(value)).transpose(),
        }
    }
}

fn name<'a>(text: &'a DeString<'_>) -> StrDeserializer<'a, Wrong> {
    text.as_ref().into_deserializer()
}

/// The rest of a list.
struct List<'a>(std::slice::Iter<'a, Spanned<DeValue<'a>>>);

impl<'de> SeqAccess<'de> for List<'de> {
    type Error = Wrong;

    #[inline(never)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Wrong> {
        self.0.next().map(|value| seed.deserialize(Value::of(value))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The rest of a table, and the value of the field that was named last.
struct Table<'a> {
    fields: toml::map::Iter<'a, Spanned<DeString<'a>>, Spanned<DeValue<'a>>>,
    value: Option<Value<'a>>,
}

impl<'de> MapAccess<'de> for Table<'de> {
    type Error = Wrong;

    #[inline(never)]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Wrong> {
        let Some((key, value)) = self.fields.next() else { return Ok(None) };
        self.value = Some(Value::of(value));
        seed.deserialize(name(key.get_ref())).map(Some).map_err(|wrong| wrong.at(&key.span()))
    }

    #[inline(never)]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        let Some(value) = self.value.take() else { unreachable!("serde asks for a value after its key") };
        let span = value.span.clone();
        seed.deserialize(value).map_err(|wrong| wrong.at(&span))
    }
}

#[cfg(test)]
mod tests {
    use super::Placed;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Case {
        name: String,
        size: Option<u32>,
        #[serde(default)]
        factors: Vec<f64>,
        shape: Shape,
        #[serde(default)]
        pairs: Vec<(i64, bool)>,
        #[serde(default)]
        part: Vec<Part>,
        #[serde(default)]
        rest: BTreeMap<String, Either>,
        date: Option<String>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Shape {
        Round,
        Flat,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    enum Part {
        Wall { height_m: f32 },
        Hole(Hole),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Hole {
        seed: u64,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(f64),
        Words(Vec<String>),
    }

    const GOOD: &str = r#"# A case.
name = "Größe"
size = 0xff
factors = [1, 2.5, -1e3, inf]
shape = "flat"
pairs = [[-7, true], [8, false]]
part = [{ kind = "wall", height_m = 1.5 }, { kind = "hole", seed = 18446744073709551615 }]

[rest]
one = 3
"two words" = ["a", """b
c"""]
"#;

    /// What is made of it here.
    fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
        super::parse(text).map_err(|wrong| wrong.within(text))
    }

    /// What the crate `toml` makes of it.
    fn expected(text: &str) -> Result<Case, String> {
        // Of enumerations there are only names.
        let words = |text: String| text.trim_end().replace("wanted string or table", "wanted string");
        toml::from_str(text).map_err(|error| words(error.to_string()))
    }

    /// Marks may differ, which are bytes there and characters here, and integers beyond 64 bits, which are
    /// too large here and of a wrong type there.
    fn compare(text: &str) {
        let (ours, theirs) = (parse::<Case>(text), expected(text));
        let (Err(ours), Err(theirs)) = (&ours, &theirs) else { return assert_eq!(ours, theirs, "{text}") };
        let [ours, theirs] = [ours, theirs].map(|error| error.lines().collect::<Vec<_>>());
        assert_eq!(ours[..3], theirs[..3], "{text}");
        assert!(
            ours[4] == "integer number overflowed" || ours[4..] == theirs[4..],
            "{ours:?}, {theirs:?}, {text}"
        );
        assert!(!text.is_ascii() || ours[3] == theirs[3], "{text}");
    }

    #[test]
    fn values_and_errors_are_those_of_toml() {
        assert!(parse::<Case>(GOOD).is_ok(), "{:?}", parse::<Case>(GOOD));
        let worse = [
            ("size = 0xff", "size = -1"),
            ("size = 0xff", "size = 4294967296"),
            ("size = 0xff", "size = 99999999999999999999999999"),
            ("size = 0xff", "größe = 1"),
            ("size = 0xff", "size = 1 1"),
            ("name = \"Größe\"", "name = 1"),
            ("name = \"Größe\"", "# nothing"),
            ("\"flat\"", "\"square\""),
            ("\"flat\"", "[]"),
            ("2.5", "1e999"),
            ("2.5", "\"x\""),
            ("[8, false]", "[8]"),
            ("1.5", "\"a\""),
            ("\"hole\"", "\"door\""),
            ("one = 3", "one = true"),
            ("one = 3", "one = 1979-05-27"),
            ("[rest]", "[rest"),
            ("c\"\"\"", "c"),
        ];
        for (from, to) in [("", "")].into_iter().chain(worse) {
            let text = GOOD.replacen(from, to, 1);
            compare(&text);
            assert!(to.is_empty() || parse::<Case>(&text).is_err(), "{to}");
        }
        compare("");
    }

    #[test]
    fn values_know_their_places() {
        #[derive(Debug, Deserialize)]
        struct Few {
            name: Placed<String>,
            part: Vec<Placed<Part>>,
            size: Option<Placed<u32>>,
        }
        let found: Few = parse(GOOD).unwrap();
        assert_eq!((&GOOD[found.name.span()], found.name.into_inner()), ("\"Größe\"", "Größe".into()));
        assert_eq!(found.size.map(|size| (&GOOD[size.span()], *size.get_ref())), Some(("0xff", 255)));
        let parts: Vec<_> = found.part.iter().map(|part| &GOOD[part.span()]).collect();
        assert_eq!(parts[0], r#"{ kind = "wall", height_m = 1.5 }"#);
        assert_eq!(parts.len(), 2);
        let wrong = super::parse::<Few>("name = 1\npart = []").unwrap_err();
        assert_eq!(
            (wrong.span(), wrong.to_string().as_str()),
            (7..8, "invalid type: integer `1`, expected a string")
        );
    }

    #[test]
    fn texts_with_wounds_are_read_as_by_toml() {
        let mut random = 1u64;
        for _ in 0..20_000 {
            let mut bytes = GOOD.as_bytes().to_vec();
            for _ in 0..1 + random % 3 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let (at, what) = ((random >> 33) as usize % bytes.len(), (random >> 20) as usize);
                match what % 3 {
                    0 => bytes[at] = b"0\"[]{}=.\n#- a"[what / 3 % 13],
                    1 => drop(bytes.remove(at)),
                    _ => bytes.truncate(bytes.len().max(at + 1)),
                }
            }
            let Ok(text) = String::from_utf8(bytes) else { continue };
            compare(&text);
        }
    }
}
