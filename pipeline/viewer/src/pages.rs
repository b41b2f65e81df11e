//! What a browser gets: the page, its style and its scripts, compiled into the program.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Path, type and text of every file.
const FILES: [(&str, &str, &str); 12] = [
    ("/", "text/html; charset=utf-8", include_str!("page/index.html")),
    ("/style.css", "text/css; charset=utf-8", include_str!("page/style.css")),
    ("/icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
    ("/main.js", SCRIPT, include_str!("page/main.js")),
    ("/connection.js", SCRIPT, include_str!("page/connection.js")),
    ("/protocol.js", SCRIPT, include_str!("page/protocol.js")),
    ("/colour.js", SCRIPT, include_str!("page/colour.js")),
    ("/map.js", SCRIPT, include_str!("page/map.js")),
    ("/charts.js", SCRIPT, include_str!("page/charts.js")),
    ("/controls.js", SCRIPT, include_str!("page/controls.js")),
    ("/status.js", SCRIPT, include_str!("page/status.js")),
    ("/speech.js", SCRIPT, include_str!("page/speech.js")),
];

/// Headers of every answer: nothing from elsewhere, nothing inline, in no frame, kept nowhere.
pub const HEADERS: [(HeaderName, &str); 5] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Type and text of the file under `path`.
pub fn find(path: &str) -> Option<(&'static str, &'static str)> {
    FILES.iter().find(|(known, ..)| *known == path).map(|(_, kind, text)| (*kind, *text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_inline_and_nothing_comes_from_elsewhere() {
        for (path, _, text) in FILES {
            for foreign in ["//cdn", "https://", "javascript:", "eval(", "innerHTML", "@import"] {
                assert!(!text.contains(foreign), "{path} has {foreign}");
            }
        }
        let (_, page) = find("/").unwrap();
        for inline in ["style=", "onclick=", "onload=", "<style"] {
            assert!(!page.contains(inline), "{inline}");
        }
        assert_eq!(page.matches("<script").count(), page.matches("<script type=\"module\" src=").count());
    }

    #[test]
    fn every_file_that_the_page_and_its_scripts_name_is_there() {
        for (path, _, text) in FILES {
            for marker in ["src=\"", "href=\"/", "from \"./"] {
                for part in text.split(marker).skip(1) {
                    let name = part.split('"').next().unwrap_or_default().trim_start_matches('/');
                    assert!(find(&format!("/{name}")).is_some(), "{path} names {name}");
                }
            }
        }
        assert_eq!(find("/../Cargo.toml"), None);
    }
}
