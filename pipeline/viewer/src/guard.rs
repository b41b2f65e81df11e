//! Who may come in.
//!
//! Without a token the viewer is for this machine, and the danger is a foreign page in the user's own browser. Such a
//! page can name this server in two ways: by a name of its own that resolves to 127.0.0.1 (DNS rebinding), which `Host`
//! betrays, or by a WebSocket across sites, which `Origin` betrays. With a token `Host` may be any name, because a
//! browser keeps the cookie for the name under which it was set.
//!
//! Programs send no `Origin`; browsers always do with a WebSocket.

use super::settings::Token;
use axum::http::header::{AUTHORIZATION, COOKIE, HOST, HeaderName, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode};

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is served.
    Pass,
    /// The token came in the address: it goes into a cookie, and the browser is sent to the page without it.
    Welcome,
    /// It is refused.
    Refuse(StatusCode, &'static str),
}

/// The rules of one server.
#[derive(Debug, Clone)]
pub struct Guard {
    token: Option<Token>,
    /// Browsers do not tell ports apart, so the name does.
    cookie: String,
}

impl Guard {
    /// Rules for a server on `port`.
    pub fn new(token: Option<Token>, port: u16) -> Self {
        Self { token, cookie: format!("nearfield-{port}") }
    }

    /// Judges a request by its headers and the part of its address after the question mark.
    pub fn judge(&self, headers: &HeaderMap, query: Option<&str>) -> Verdict {
        let Some(host) = only(headers, HOST).and_then(|host| host.parse::<Authority>().ok()) else {
            return Verdict::Refuse(StatusCode::BAD_REQUEST, "a request names one host");
        };
        if self.token.is_none() && !is_of_this_machine(host.host()) {
            return Verdict::Refuse(StatusCode::FORBIDDEN, "this server answers to localhost only");
        }
        if headers.contains_key(ORIGIN) && !same_origin(only(headers, ORIGIN), &host) {
            return Verdict::Refuse(StatusCode::FORBIDDEN, "another site's page asks");
        }
        let Some(token) = &self.token else { return Verdict::Pass };
        if bearer(headers).or(self.cookie_in(headers)).is_some_and(|presented| token.matches(presented)) {
            return Verdict::Pass;
        }
        let in_query = query.and_then(|q| q.split('&').find_map(|pair| pair.strip_prefix("token=")));
        match in_query {
            Some(presented) if token.matches(presented) => Verdict::Welcome,
            _ => Verdict::Refuse(StatusCode::UNAUTHORIZED, "the token is missing or wrong"),
        }
    }

    /// The value of `Set-Cookie` for a welcome.
    pub fn set_cookie(&self) -> String {
        let token = self.token.as_ref().map_or("", Token::reveal);
        format!("{}={token}; Path=/; HttpOnly; SameSite=Strict", self.cookie)
    }

    fn cookie_in<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let mut cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        cookies.find_map(|line| {
            let mut pairs = line.split(';').filter_map(|pair| pair.trim().split_once('='));
            pairs.find_map(|(name, value)| (name == self.cookie).then_some(value))
        })
    }
}

/// The value of a header that must be there exactly once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    only(headers, AUTHORIZATION)?.strip_prefix("Bearer ")
}

/// Any port, because a tunnel may end at another; no foreign name can be these.
fn is_of_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address.parse().is_ok_and(|ip: std::net::IpAddr| ip.to_canonical().is_loopback())
}

fn same_origin(origin: Option<&str>, host: &Authority) -> bool {
    let schemes = ["http://", "https://"];
    let authority = origin.and_then(|origin| schemes.iter().find_map(|scheme| origin.strip_prefix(scheme)));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "correct-horse-battery";

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    fn refused(verdict: Verdict) -> Option<u16> {
        if let Verdict::Refuse(status, _) = verdict { Some(status.as_u16()) } else { None }
    }

    #[test]
    fn without_a_token_this_machine_and_its_own_page_pass() {
        let guard = Guard::new(None, 8000);
        let judge = |pairs: &[(&'static str, &str)]| refused(guard.judge(&headers(pairs), None));
        for host in ["127.0.0.1:8000", "localhost:8000", "LOCALHOST", "[::1]:8000", "127.0.0.1:9"] {
            assert_eq!(judge(&[("host", host)]), None, "{host}");
            assert_eq!(judge(&[("host", host), ("origin", &format!("http://{host}"))]), None, "{host}");
        }
        for host in ["evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "192.0.2.1"] {
            assert_eq!(judge(&[("host", host)]), Some(403), "{host}");
        }
        for origin in
            ["http://evil.example", "null", "http://127.0.0.1:9000", "http://127.0.0.1:80000", "file://"]
        {
            assert_eq!(judge(&[("host", "127.0.0.1:8000"), ("origin", origin)]), Some(403), "{origin}");
        }
        assert_eq!(judge(&[]), Some(400));
        assert_eq!(judge(&[("host", "a b")]), Some(400));
        let mut twice = headers(&[("host", "localhost")]);
        twice.append(HOST, "localhost".parse().unwrap());
        assert_eq!(refused(guard.judge(&twice, None)), Some(400));
        let mut twice = headers(&[("host", "localhost"), ("origin", "http://localhost")]);
        twice.append(ORIGIN, "http://evil.example".parse().unwrap());
        assert_eq!(refused(guard.judge(&twice, None)), Some(403));
    }

    #[test]
    fn a_token_opens_by_header_cookie_or_first_visit() {
        let guard = Guard::new(Some(TOKEN.parse().unwrap()), 8000);
        let judge = |pairs: &[(&'static str, &str)], query: Option<&str>| {
            let mut all = vec![("host", "bench.example:8000")];
            all.extend(pairs);
            guard.judge(&headers(&all), query)
        };
        let (bearer, cookie) = (format!("Bearer {TOKEN}"), format!("a=b; nearfield-8000={TOKEN}"));
        assert_eq!(judge(&[("authorization", &bearer)], None), Verdict::Pass);
        assert_eq!(judge(&[("cookie", &cookie)], None), Verdict::Pass);
        assert_eq!(judge(&[], Some(&format!("token={TOKEN}"))), Verdict::Welcome);
        assert_eq!(guard.set_cookie(), format!("nearfield-8000={TOKEN}; Path=/; HttpOnly; SameSite=Strict"));
        let foreign = [("cookie", cookie.as_str()), ("origin", "http://evil.example")];
        assert_eq!(refused(judge(&foreign, None)), Some(403), "the cookie does not help another site");
        for wrong in [&[][..], &[("authorization", "Bearer no")], &[("cookie", "nearfield-8001=x")]] {
            assert_eq!(refused(judge(wrong, None)), Some(401), "{wrong:?}");
        }
        for query in ["token=", "token=no", TOKEN] {
            assert_eq!(refused(judge(&[], Some(query))), Some(401), "{query}");
        }
    }
}
