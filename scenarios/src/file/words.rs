//! The forms of single texts: names, paths, headers, addresses, moments.

use crate::error::{Code, Finding};
use crate::quantity::clip;
use crate::shape::{Reading, Text, text};

/// The longest name.
const LONGEST_NAME: usize = 64;
/// The longest path, header value or address.
const LONGEST_TEXT: usize = 4_096;

/// A text for people: not empty, no control characters but line ends.
pub(crate) fn prose(what: &'static str, example: &'static str) -> Text<String> {
    text(what, example, |text, reading| {
        if text.trim().is_empty() {
            let message = format!("`{}` is empty", reading.key());
            return reading.refuse(Code::InvalidName, message, "write some words");
        }
        let control = text.char_indices().find(|(_, c)| c.is_control() && *c != '\n' && *c != '\t');
        if let Some((at, character)) = control {
            return reading.invalid_character(at, character, "write it without control characters");
        }
        reading.at_most(text, LONGEST_TEXT)
    })
}

/// A name that other places of the file can refer to: a letter, then letters, digits, `-` and `_`.
pub(crate) fn name(text: &str, reading: &mut Reading<'_>) -> Option<String> {
    const HELP: &str = "write a letter first, then letters, digits, `-` and `_`";
    if RESERVED.contains(&text) {
        let message = format!("`{text}` is a word of the expectation language and cannot be a name");
        return reading.refuse(Code::InvalidName, message, "choose another name");
    }
    let Some(first) = text.chars().next() else {
        return reading.refuse(Code::InvalidName, format!("`{}` is empty", reading.key()), HELP);
    };
    if !first.is_ascii_alphabetic() {
        return reading.invalid_character(0, first, HELP);
    }
    let wrong = text.char_indices().find(|(_, c)| !c.is_ascii_alphanumeric() && *c != '-' && *c != '_');
    if let Some((at, character)) = wrong {
        return reading.invalid_character(at, character, HELP);
    }
    reading.at_most(text, LONGEST_NAME)
}

/// Names that a scope could not tell from its own words.
const RESERVED: [&str; 2] = ["run", "first"];

/// A path with query: from `/`, visible ASCII.
pub(crate) fn path(text: &str, reading: &mut Reading<'_>) -> Option<String> {
    if !text.starts_with('/') {
        let message = format!("`{}` does not start with `/`", clip(text));
        let help = if text.contains("://") {
            "write the path only; the address of a real service is `url` in [target]".to_owned()
        } else {
            format!("write \"/{}\"", clip(text))
        };
        return reading.refuse(Code::InvalidName, message, help);
    }
    let wrong = text.char_indices().find(|(_, c)| !c.is_ascii_graphic() || *c == '#');
    if let Some((at, character)) = wrong {
        return reading.invalid_character(at, character, "percent-encode it, for example %20 for a space");
    }
    reading.at_most(text, LONGEST_TEXT)
}

/// A path with query and at most one `{key}`.
pub(crate) fn path_template(text: &str, reading: &mut Reading<'_>) -> Option<String> {
    let path = path(text, reading)?;
    let rest = path.replacen("{key}", "", 1);
    if let Some(at) = rest.find(['{', '}']) {
        let message = format!("`{}` has a brace that is not the one `{{key}}`", clip(text));
        let place = if at < text.len() && text[at..].starts_with(['{', '}']) { at..at + 1 } else { 0..text.len() };
        let span = reading.span(place);
        let help = "write `{key}` at most once; percent-encode other braces (%7B, %7D)";
        return reading.add(Finding::new(Code::InvalidName, &span, message).help(help));
    }
    Some(path)
}

impl Reading<'_> {
    /// The key whose value is read.
    pub(crate) fn key(&self) -> &str {
        self.key
    }

    /// Refuses one character.
    pub(crate) fn invalid_character<T>(&mut self, at: usize, character: char, help: &str) -> Option<T> {
        let span = self.span(at..at + character.len_utf8());
        let shown = character.escape_debug();
        let message = format!("`{}` cannot have the character `{shown}`", self.key);
        self.add(Finding::new(Code::InvalidName, &span, message).help(help))
    }

    /// Refuses a text that is too long.
    pub(crate) fn at_most(&mut self, text: &str, longest: usize) -> Option<String> {
        if text.len() <= longest {
            return Some(text.to_owned());
        }
        let message = format!("`{}` has {} bytes", self.key, text.len());
        self.refuse(Code::OutOfRange, message, format!("write at most {longest}"))
    }
}

/// A program or an argument: no NUL.
pub(crate) fn argument(text: &str, reading: &mut Reading<'_>) -> Option<String> {
    if let Some(at) = text.find('\0') {
        return reading.invalid_character(at, '\0', "write it without NUL");
    }
    reading.at_most(text, LONGEST_TEXT)
}

/// The address of a real service: `http://host[:port]`, with an optional path prefix.
pub(crate) fn url(text: &str, reading: &mut Reading<'_>) -> Option<String> {
    match check_url(text) {
        Ok(url) => Some(url),
        Err((code, message, help)) => reading.refuse(code, message, help),
    }
}

/// The address in its plain form, without a slash at the end; or what is wrong with it.
pub(crate) fn check_url(text: &str) -> Result<String, (Code, String, String)> {
    const HELP: &str = "write \"http://host:port\", for example \"http://127.0.0.1:8080\"";
    let invalid = |message: String| Err((Code::InvalidName, message, HELP.to_owned()));
    let shown = clip(text);
    if text.len() > LONGEST_TEXT {
        return invalid("the address is too long".to_owned());
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        return invalid(format!("`{shown}` is not an address with http://"));
    };
    match scheme.to_ascii_lowercase().as_str() {
        "http" => {}
        "https" => {
            let message = format!("`{shown}` is not supported: the client of this version has no TLS");
            return Err((Code::NotSupported, message, HELP.to_owned()));
        }
        _ => return invalid(format!("`{}://` is not a scheme that the client speaks", clip(scheme))),
    }
    if !rest.chars().all(|c| c.is_ascii_graphic()) {
        return invalid(format!("`{shown}` has characters that an address cannot have"));
    }
    if let Some(at) = rest.find(['?', '#', '@', '{', '}']) {
        return invalid(format!("an address cannot have `{}` here", &rest[at..=at]));
    }
    let (authority, prefix) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (host, port) = match authority.rsplit_once(':').filter(|(_, port)| !port.contains(']')) {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host_is_valid = match bracketed {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)),
    };
    if !host_is_valid {
        return invalid(format!("`{}` is not a host", clip(host)));
    }
    let is_port = |port: &str| port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|n| n > 0);
    if let Some(port) = port.filter(|port| !is_port(port)) {
        return invalid(format!("`{}` is not a port from 1 to 65535", clip(port)));
    }
    Ok(format!("http://{authority}{}", prefix.trim_end_matches('/')))
}

/// A moment of the run; stages are looked up later.
pub(crate) fn moment(text: &str, reading: &mut Reading<'_>) -> Option<String> {
    const HELP: &str = "write a time such as \"3s\", a stage such as \"spike\", or \"spike+500ms\"";
    if text.trim().is_empty() {
        return reading.refuse(Code::InvalidName, "`at` is empty", HELP);
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "+-._ µμ".contains(c);
    if let Some((at, character)) = text.char_indices().find(|(_, c)| !allowed(*c)) {
        return reading.invalid_character(at, character, HELP);
    }
    reading.at_most(text.trim(), LONGEST_TEXT)
}

/// A name of an expectation, which a report shows and a test report keys on.
pub(crate) fn check_name(name: &str) -> Result<(), (String, &'static str)> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(allowed) {
        return Ok(());
    }
    let help = "write letters, digits, `-`, `_` and `.`, at most 64 of them";
    Err((format!("`{}` cannot name an expectation", clip(&name.escape_debug().to_string())), help))
}
