//! Where a target is: `http://host[:port][/prefix]`.

/// A parsed address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Url {
    /// A name or an address; an IPv6 address without its brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// The value of the `host` header.
    pub(super) authority: String,
    /// What goes before every path; empty, or with a leading and without a trailing slash.
    pub(super) prefix: String,
}

/// Why an address was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// `https`.
    #[error("https is not supported: this client speaks plain HTTP/1.1 only; aim at a plain listener or a local proxy")]
    Https,
    /// Not `http`.
    #[error("expected http://host[:port][/prefix]")]
    Scheme,
    /// No host, or one with characters that a host cannot have.
    #[error("expected a host name, an IPv4 address or an IPv6 address in brackets after http://")]
    Host,
    /// A user name in front of the host.
    #[error("a user name is not supported; use an authorization header")]
    User,
    /// Not a port.
    #[error("expected a port from 1 to 65535 after the colon")]
    Port,
    /// A query, a fragment, a blank or a control character.
    #[error("the prefix may hold a path only: no query, fragment, blank or control character")]
    Prefix,
}

// === impl Url ===

impl Url {
    pub(super) fn parse(text: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = text.split_once("://").ok_or(UrlError::Scheme)?;
        if scheme.eq_ignore_ascii_case("https") {
            return Err(UrlError::Https);
        }
        if !scheme.eq_ignore_ascii_case("http") {
            return Err(UrlError::Scheme);
        }
        let path_at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(path_at);
        if authority.contains('@') {
            return Err(UrlError::User);
        }
        if !path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'?' && byte != b'#') {
            return Err(UrlError::Prefix);
        }
        let (host, port) = split_port(authority)?;
        let port = match port {
            None => 80,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().ok().filter(|port| *port > 0).ok_or(UrlError::Port)?
            }
            Some(_) => return Err(UrlError::Port),
        };
        let (host, authority, prefix) = (host.to_owned(), authority.to_owned(), path.trim_end_matches('/').to_owned());
        Ok(Self { host, port, authority, prefix })
    }
}

/// The host, brackets taken off, and what is behind the colon after it.
fn split_port(authority: &str) -> Result<(&str, Option<&str>), UrlError> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (address, after) = rest.split_once(']').ok_or(UrlError::Host)?;
        address.parse::<std::net::Ipv6Addr>().map_err(|_| UrlError::Host)?;
        return match after.strip_prefix(':') {
            _ if after.is_empty() => Ok((address, None)),
            Some(port) => Ok((address, Some(port))),
            None => Err(UrlError::Host),
        };
    }
    let (host, port) = authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
    let is_part_of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if host.is_empty() || !host.bytes().all(is_part_of_a_name) {
        return Err(UrlError::Host);
    }
    Ok((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hosts_ports_and_prefixes() {
        for (text, host, port, authority, prefix) in [
            ("http://localhost", "localhost", 80, "localhost", ""),
            ("http://localhost/", "localhost", 80, "localhost", ""),
            ("HTTP://10.0.0.7:8080", "10.0.0.7", 8080, "10.0.0.7:8080", ""),
            ("http://shop.example:81/api/v1/", "shop.example", 81, "shop.example:81", "/api/v1"),
            ("http://[::1]:8080/x", "::1", 8080, "[::1]:8080", "/x"),
            ("http://[2001:db8::7]", "2001:db8::7", 80, "[2001:db8::7]", ""),
        ] {
            let expected = Url { host: host.into(), port, authority: authority.into(), prefix: prefix.into() };
            assert_eq!(Url::parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn refusals_say_why() {
        for (text, error) in [
            ("https://localhost", UrlError::Https),
            ("localhost:8080", UrlError::Scheme),
            ("ftp://localhost", UrlError::Scheme),
            ("", UrlError::Scheme),
            ("http://", UrlError::Host),
            ("http://:80", UrlError::Host),
            ("http:///path", UrlError::Host),
            ("http://a b/", UrlError::Host),
            ("http://::1:80", UrlError::Host),
            ("http://[::1", UrlError::Host),
            ("http://[::1]80", UrlError::Host),
            ("http://[nonsense]", UrlError::Host),
            ("http://me:secret@host/", UrlError::User),
            ("http://host:", UrlError::Port),
            ("http://host:0", UrlError::Port),
            ("http://host:65536", UrlError::Port),
            ("http://host:+80", UrlError::Port),
            ("http://host/a?b", UrlError::Prefix),
            ("http://host?b", UrlError::Prefix),
            ("http://host/a#b", UrlError::Prefix),
            ("http://host/a\r\nx: y", UrlError::Prefix),
        ] {
            assert_eq!(Url::parse(text), Err(error), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "(http://)?.{0,40}") {
            if let Ok(url) = Url::parse(&text) {
                prop_assert!(url.port > 0 && !url.host.is_empty());
                prop_assert!(url.authority.bytes().chain(url.prefix.bytes()).all(|byte| byte.is_ascii_graphic()));
            }
        }
    }
}
