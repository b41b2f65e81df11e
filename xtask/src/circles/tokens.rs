//! Rust source as words and signs, without comments, literals and what only tests see.

/// Words, `::` and single signs; no comment, no literal of text.
pub fn tokens(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(sign) = rest.chars().next() {
        let length = match sign {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => text_length(rest),
            '\'' => character_length(rest),
            'r' if raw_length(rest).is_some() => raw_length(rest).unwrap_or(1),
            _ if is_word(sign) => rest.find(|next| !is_word(next)).unwrap_or(rest.len()),
            _ if rest.starts_with("::") => 2,
            _ => sign.len_utf8(),
        };
        let token = &rest[..length];
        let literal = token.starts_with(['"', '\'']) || token.ends_with(['"', '#']) && length > 1;
        if !literal && !sign.is_whitespace() && !token.starts_with("//") && !token.starts_with("/*") {
            found.push(token);
        }
        rest = &rest[length..];
    }
    found
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// Length of a literal in quotes.
fn text_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text[1..].find(|sign| {
        let ends = sign == '"' && !escaped;
        escaped = sign == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// Length of `r"..."` or `r#"..."#`, if it is one.
fn raw_length(text: &str) -> Option<usize> {
    let hashes = text[1..].chars().take_while(|sign| *sign == '#').count();
    let body = text[1 + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(2 + hashes + body.find(&end)? + end.len())
}

/// Length of a character in quotes, or of the quote of a lifetime.
fn character_length(text: &str) -> usize {
    let mut signs = text.char_indices().skip(1);
    match (signs.next(), signs.next()) {
        (Some((_, '\\')), Some((at, sign))) => {
            let next = at + sign.len_utf8();
            text[next..].find('\'').map_or(text.len(), |end| next + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// Without the items behind `#[cfg(test)]`; the names of modules in other files among them.
pub fn without_tests<'a>(tokens: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut modules, mut rest) = (Vec::new(), Vec::new(), tokens);
    while let Some(token) = rest.first() {
        if rest.starts_with(&MARK) {
            let item = &rest[MARK.len()..];
            let end = item_length(item);
            if let Some([.., "mod", name, ";"]) = item.get(..end) {
                modules.push(*name);
            }
            rest = &item[end..];
        } else {
            kept.push(*token);
            rest = &rest[1..];
        }
    }
    (kept, modules)
}

/// Tokens up to the semicolon or the closing brace that ends an item.
fn item_length(tokens: &[&str]) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        // A brace in a `use` has a semicolon behind it.
        let ends = *token == ";" || *token == "}" && tokens.get(at + 1) != Some(&";");
        if depth == 0 && ends {
            return at + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_comments_are_no_tokens() {
        let text = r##"use a::b; // use c;
            /* use d; */ let x: &'a str = "use \" e;"; f('"', '\'', r#"use " g;"#, 'h');"##;
        let expected = "use a :: b ; let x : & a str = ; f ( , , , ) ;";
        assert_eq!(tokens(text).join(" "), expected);
    }

    #[test]
    fn items_of_tests_are_left_out() {
        let text =
            "a; #[cfg(test)] mod tests { fn b() { c } } #[cfg(test)] mod oracle; #[cfg(test)] use d::{e}; f;";
        let (kept, modules) = without_tests(&tokens(text));
        assert_eq!((kept.join(" ").as_str(), modules), ("a ; f ;", vec!["oracle"]));
    }
}
