//! Options whose values are words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Words that stand for values, each with its help.
pub fn choice<T: Clone + Send + Sync + 'static>(
    words: &'static [(&'static str, &'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let known: Vec<_> = words.iter().map(|(word, help, _)| PossibleValue::new(*word).help(*help)).collect();
    PossibleValuesParser::new(known).try_map(move |text| {
        let found = words.iter().find(|(word, ..)| *word == text);
        found.map(|(.., value)| value.clone()).ok_or_else(|| format!("'{text}' is not known"))
    })
}
