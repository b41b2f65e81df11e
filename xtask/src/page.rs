//! Pages of measurements: templates of `xtask/pages`, filled from JSON.
//!
//! | in a template | becomes |
//! |---|---|
//! | `{name}`, `{a.b.0}` | a field, a field of a field, an entry of a list |
//! | `{a:.2}`, `{a:+.2}`, `{a:.1e}`, `{a:e}` | a number with so many decimals, with its sign, with an exponent |
//! | `{a:.0%}` | a part in percent |
//! | `{a:s}`, `{a:short}`, `{a:}` | seconds as `s` or `ms`; three or four digits; as many as it has |
//! | `{a/b*1e-6:.2}` | products and quotients of fields and numbers, from left to right |
//! | `{a:.1|-}` | what follows the bar where the field is null or absent |
//! | lines from `@each list` to `@end` | the same lines for every entry of the list, whose fields come first |
//!
//! A field that is absent, and for which the template has nothing else, is an error that names it.

use crate::machine;
use crate::outcome::Outcome;
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// Fills a template with `data`, and with the date and the processor of this machine, and writes the page.
pub fn write(path: &str, template: &str, mut data: Value) -> Result<Outcome> {
    data["date"] = machine::date_and_commit()?.into();
    data["processor"] = machine::processor()?.into();
    std::fs::write(path, fill(template, &data)?).with_context(|| path.to_owned())?;
    Ok(Outcome::Done)
}

/// Rows by what their field `key` says, as lists of an object.
pub fn tables(rows: &[Value], key: &str) -> Value {
    let mut tables = Map::new();
    for row in rows {
        let name = row[key].as_str().unwrap_or_default();
        let table = tables.entry(name).or_insert_with(|| json!([]));
        table.as_array_mut().into_iter().for_each(|table| table.push(row.clone()));
    }
    tables.into()
}

/// A template with its fields.
pub fn fill(template: &str, data: &Value) -> Result<String> {
    let lines: Vec<&str> = template.lines().collect();
    let mut text = String::new();
    fill_lines(&lines, &mut vec![data], &mut text)?;
    Ok(text)
}

/// Lines with the fields of the innermost scope that has them; the last scope is the innermost.
fn fill_lines(mut lines: &[&str], scopes: &mut Vec<&Value>, text: &mut String) -> Result<()> {
    while let [line, rest @ ..] = lines {
        let Some(name) = line.strip_prefix("@each ") else {
            fill_line(line, scopes, text).with_context(|| format!("the line {line:.60}"))?;
            lines = rest;
            continue;
        };
        let mut depth = 1;
        let is_end = |line: &&str| {
            depth += i32::from(line.starts_with("@each ")) - i32::from(*line == "@end");
            depth == 0
        };
        let end = rest.iter().position(is_end).with_context(|| format!("no @end of {name}"))?;
        let list = find(name, scopes).and_then(Value::as_array).with_context(|| format!("no list {name}"))?;
        for entry in list {
            scopes.push(entry);
            fill_lines(&rest[..end], scopes, text).with_context(|| entry.to_string())?;
            scopes.pop();
        }
        lines = &rest[end + 1..];
    }
    Ok(())
}

fn fill_line(mut line: &str, scopes: &[&Value], text: &mut String) -> Result<()> {
    while let Some((before, after)) = line.split_once('{') {
        text.push_str(before);
        match after.split_once('}') {
            // A brace before a blank is one of the text.
            Some((field, rest)) if !field.starts_with(' ') => {
                *text += &shown(field, scopes).with_context(|| format!("no figure {field}"))?;
                line = rest;
            }
            _ => {
                text.push('{');
                line = after;
            }
        }
    }
    text.push_str(line);
    text.push('\n');
    Ok(())
}

/// What stands for `expression[:format][|otherwise]`.
fn shown(field: &str, scopes: &[&Value]) -> Option<String> {
    let (field, otherwise) = field.split_once('|').map_or((field, None), |(a, b)| (a, Some(b)));
    let value = match field.split_once(':') {
        None => find(field, scopes).and_then(|value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }),
        Some((expression, format)) => number(expression, scopes).and_then(|x| formatted(x, format)),
    };
    value.or_else(|| otherwise.map(Into::into))
}

/// A field of the innermost scope that has it.
fn find<'a>(path: &str, scopes: &[&'a Value]) -> Option<&'a Value> {
    let step = |value: &'a Value, name: &str| match value {
        Value::Array(list) => list.get(name.parse::<usize>().ok()?),
        other => other.get(name),
    };
    let within = |scope: &&'a Value| path.split('.').try_fold(*scope, step);
    scopes.iter().rev().find_map(within)
}

/// Products and quotients.
fn number(expression: &str, scopes: &[&Value]) -> Option<f64> {
    let (mut result, mut divides) = (1.0, false);
    for part in expression.split_inclusive(['*', '/']) {
        let name = part.trim_end_matches(['*', '/']);
        let x = name.parse().ok().or_else(|| find(name, scopes)?.as_f64())?;
        result = if divides { result / x } else { result * x };
        divides = part.ends_with('/');
    }
    Some(result)
}

fn formatted(x: f64, format: &str) -> Option<String> {
    let signed = format.starts_with('+');
    let plain = format.trim_start_matches(['+', '.']);
    let digits = |text: &str| text.parse::<usize>().ok();
    Some(match plain {
        "" => x.to_string(),
        "e" => format!("{x:e}"),
        "s" if x < 1.0 => format!("{:.1} ms", 1e3 * x),
        "s" => format!("{x:.2} s"),
        "short" => format!("{x:.*}", if x >= 100.0 { 0 } else { 2 + 2 * usize::from(x < 1.0) }),
        _ if signed => format!("{x:+.*}", digits(plain)?),
        _ => match (plain.strip_suffix('e'), plain.strip_suffix('%')) {
            (Some(plain), _) => format!("{x:.*e}", digits(plain)?),
            (_, Some(plain)) => format!("{:.*} %", digits(plain)?, 100.0 * x),
            _ => format!("{x:.*}", digits(plain)?),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_become_figures() {
        let data = json!({ "a": 2.0, "b": [3, { "c": 0.25 }], "name": "x", "t": 0.05, "n": null });
        let of = |field: &str| fill(field, &data).map(|text| text.trim_end().to_owned());
        for (field, text) in [
            ("{name} { b }", "x { b }"),
            ("{b.0}", "3"),
            ("{a/b.1.c*1e-1:.2}", "0.80"),
            ("{a:+.1} {a:.1e} {a:e} {a:}", "+2.0 2.0e0 2e0 2"),
            ("{b.1.c:.0%}", "25 %"),
            ("{t:s} {a:s} {t:short} {a:short}", "50.0 ms 2.00 s 0.0500 2.00"),
            ("{n:.1|-}{n|}", "-"),
        ] {
            assert_eq!(of(field).unwrap(), text, "{field}");
        }
        assert!(of("{n}").is_err() && of("{a:x}").is_err() && of("{none:.1}").is_err());
    }

    #[test]
    fn lists_become_lines_in_which_their_own_fields_come_first() {
        let data =
            json!({ "x": 1, "list": [{ "x": 2, "inner": [{ "y": 3 }, { "y": 4 }] }, { "inner": [] }] });
        let template = "{x}\n@each list\nx {x}\n@each inner\n{y} of {x}\n@end\n@end\nend";
        assert_eq!(fill(template, &data).unwrap(), "1\nx 2\n3 of 2\n4 of 2\nx 1\nend\n");
        assert!(fill("@each list\n", &data).is_err() && fill("@each none\n@end", &data).is_err());
        let rows = [json!({ "t": "a", "x": 1 }), json!({ "t": "b" }), json!({ "t": "a", "x": 2 })];
        assert_eq!(fill("@each a\n{x}\n@end", &tables(&rows, "t")).unwrap(), "1\n2\n");
    }
}
