//! An HTTP/1.1 answer, read in pieces of any size: bytes in, the few facts that a load generator needs out.
//!
//! Framing follows RFC 9112, section 6. The body is counted and thrown away. The same bytes give the same answer however
//! they are cut into pieces.

use super::chunked::{Chunked, ChunkedEnd};
use super::timing::add_cold_costs;
use crate::transport::TransportError;
use coldfront_measure::ColdCosts;
use httparse::{Header, ParserConfig, Status};
use std::mem::MaybeUninit;

/// The most bytes of a status line and its headers.
pub(super) const HEAD_MAX: usize = 64 * 1024;
/// The most headers.
const HEADERS_MAX: usize = 128;
/// The most interim answers (1xx) before the final one.
const INTERIM_MAX: u32 = 16;
/// The most bytes of a body: 1 GiB.
pub(super) const BODY_MAX: u64 = 1 << 30;

/// One answer in the course of being read.
#[derive(Debug)]
pub(super) struct Response {
    state: State,
    /// The part of a head that came without its end.
    head: Vec<u8>,
    interim: u32,
    answers_head: bool,
    body_len: u64,
    status: u16,
    cold: ColdCosts,
    reusable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Head,
    /// So many bytes of the body are to come.
    Length(u64),
    Chunked(Chunked),
    ToEnd,
    Complete,
}

/// How the body is framed, and whether the connection outlives it.
#[derive(Debug)]
struct Framing {
    length: Option<u64>,
    /// Whether there is a transfer coding, and it ends in `chunked`.
    chunked: Option<bool>,
    keep_alive: bool,
    closes: bool,
}

type Result<T> = std::result::Result<T, TransportError>;

// === impl Response ===

impl Response {
    pub(super) fn new() -> Self {
        Self {
            state: State::Complete,
            head: Vec::new(),
            interim: 0,
            answers_head: false,
            body_len: 0,
            status: 0,
            cold: ColdCosts::default(),
            reusable: true,
        }
    }

    /// Begins to read the answer to the next request, which has no body if that is a HEAD.
    pub(super) fn begin(&mut self, answers_head: bool) {
        self.head.clear();
        self.state = State::Head;
        self.interim = 0;
        self.answers_head = answers_head;
        self.body_len = 0;
        self.cold = ColdCosts::default();
    }

    pub(super) fn is_complete(&self) -> bool {
        self.state == State::Complete
    }

    /// The status; meaningful once complete.
    pub(super) fn status(&self) -> u16 {
        self.status
    }

    /// What the target says was cold; meaningful once complete.
    pub(super) fn cold(&self) -> ColdCosts {
        self.cold
    }

    /// Whether the framing leaves the connection open; meaningful once complete.
    pub(super) fn is_reusable(&self) -> bool {
        self.reusable
    }

    /// Takes in the next bytes; returns how many belong to this answer, all of them unless it is complete.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<usize> {
        let mut used = 0;
        loop {
            let rest = &bytes[used..];
            match &mut self.state {
                State::Complete => return Ok(used),
                State::Head => match self.feed_head(rest)? {
                    Some(taken) => used += taken,
                    None => return Ok(bytes.len()),
                },
                _ if rest.is_empty() => return Ok(used),
                State::Length(left) => {
                    let taken = (*left).min(rest.len() as u64);
                    *left -= taken;
                    if *left == 0 {
                        self.state = State::Complete;
                    }
                    used += taken as usize;
                }
                State::Chunked(chunked) => {
                    let (taken, data) = chunked.feed(rest)?;
                    used += taken;
                    if chunked.end() == ChunkedEnd::Complete {
                        self.state = State::Complete;
                    }
                    self.count_body(data)?;
                }
                State::ToEnd => {
                    used += rest.len();
                    self.count_body(rest.len() as u64)?;
                }
            }
        }
    }

    /// The other side has closed its half of the connection: no more bytes will come.
    pub(super) fn end(&mut self) -> Result<()> {
        match self.state {
            State::Complete => Ok(()),
            State::ToEnd => {
                self.state = State::Complete;
                Ok(())
            }
            // What can still be wrong with an unfinished line shows only now.
            State::Head if !self.head.is_empty() => {
                let head = std::mem::take(&mut self.head);
                self.parse_head(&head).and(Err(TransportError::ClosedEarly))
            }
            _ => Err(TransportError::ClosedEarly),
        }
    }

    fn count_body(&mut self, bytes: u64) -> Result<()> {
        self.body_len += bytes;
        if self.body_len > BODY_MAX { Err(TransportError::TooLarge("body over 1 GiB")) } else { Ok(()) }
    }

    /// Looks for the end of a head; returns how many of `bytes` it took, or `None` if it took them all and wants more.
    fn feed_head(&mut self, bytes: &[u8]) -> Result<Option<usize>> {
        if self.head.is_empty() {
            // Nearly always a head comes whole and is read in place.
            let window = &bytes[..bytes.len().min(HEAD_MAX)];
            let taken = self.parse_head(window)?;
            if taken.is_none() {
                self.keep(window)?;
            }
            return Ok(taken);
        }
        let before = self.head.len();
        let window = &bytes[..bytes.len().min(HEAD_MAX - before)];
        self.head.extend_from_slice(window);
        // Without a new end of line nothing can have been decided, so a head that trickles in is not read over and over.
        if window.contains(&b'\n') || self.head.len() == HEAD_MAX {
            let head = std::mem::take(&mut self.head);
            let taken = self.parse_head(&head)?;
            self.head = head;
            if let Some(taken) = taken {
                self.head.clear();
                return Ok(Some(taken - before));
            }
        }
        if self.head.len() == HEAD_MAX { Err(HEAD_TOO_LARGE) } else { Ok(None) }
    }

    fn keep(&mut self, part: &[u8]) -> Result<()> {
        self.head.extend_from_slice(part);
        if part.len() == HEAD_MAX { Err(HEAD_TOO_LARGE) } else { Ok(()) }
    }

    /// Parses a head from its first byte; if it is whole, moves on to what follows it and returns its length.
    fn parse_head(&mut self, bytes: &[u8]) -> Result<Option<usize>> {
        let mut headers = [const { MaybeUninit::<Header<'_>>::uninit() }; HEADERS_MAX];
        let mut head = httparse::Response::new(&mut []);
        let parsed = ParserConfig::default()
            .parse_response_with_uninit_headers(&mut head, bytes, &mut headers)
            .map_err(reason)?;
        let Status::Complete(taken) = parsed else { return Ok(None) };
        let status = head.code.unwrap_or(0);
        if status < 200 {
            return self.skip_interim(status).map(|()| Some(taken));
        }
        let framing = Framing::of(head.version == Some(1), head.headers)?;
        for header in head.headers.iter().filter(|header| header.name.eq_ignore_ascii_case("server-timing")) {
            add_cold_costs(header.value, &mut self.cold);
        }
        self.status = status;
        self.state = self.body_of(&framing)?;
        self.reusable = framing.keep_alive && !framing.closes && self.state != State::ToEnd;
        Ok(Some(taken))
    }

    fn skip_interim(&mut self, status: u16) -> Result<()> {
        self.interim += 1;
        match status {
            101 => Err(TransportError::Malformed("switching protocols was not asked for")),
            100..200 if self.interim <= INTERIM_MAX => Ok(()),
            100..200 => Err(TransportError::Malformed("too many interim answers")),
            _ => Err(TransportError::Malformed("status below 100")),
        }
    }

    fn body_of(&self, framing: &Framing) -> Result<State> {
        if self.answers_head || matches!(self.status, 204 | 304) {
            return Ok(State::Complete);
        }
        match framing.chunked {
            Some(true) => return Ok(State::Chunked(Chunked::new())),
            Some(false) => return Ok(State::ToEnd),
            None => {}
        }
        match framing.length {
            None => Ok(State::ToEnd),
            Some(0) => Ok(State::Complete),
            Some(length) if length <= BODY_MAX => Ok(State::Length(length)),
            Some(_) => Err(TransportError::TooLarge("body over 1 GiB")),
        }
    }
}

const HEAD_TOO_LARGE: TransportError = TransportError::TooLarge("head over 64 KiB");

fn reason(error: httparse::Error) -> TransportError {
    TransportError::Malformed(match error {
        httparse::Error::HeaderName => "header name",
        httparse::Error::HeaderValue => "header value",
        httparse::Error::NewLine => "line end",
        httparse::Error::Status => "status line",
        httparse::Error::TooManyHeaders => "more than 128 headers",
        httparse::Error::Version => "version",
        httparse::Error::Token => "token",
    })
}

// === impl Framing ===

impl Framing {
    fn of(is_version_1_1: bool, headers: &[Header<'_>]) -> Result<Self> {
        let mut framing = Self { length: None, chunked: None, keep_alive: is_version_1_1, closes: false };
        for header in headers {
            match header.name.len() {
                14 if header.name.eq_ignore_ascii_case("content-length") => framing.add_length(header.value)?,
                17 if header.name.eq_ignore_ascii_case("transfer-encoding") => {
                    // The last coding decides; it may stand in any of several headers.
                    let last = items(header.value).last();
                    framing.chunked = Some(last.is_some_and(|item| item.eq_ignore_ascii_case(b"chunked")));
                }
                10 if header.name.eq_ignore_ascii_case("connection") => framing.add_connection(header.value),
                _ => {}
            }
        }
        if framing.chunked.is_some() && framing.length.is_some() {
            // Both at once is how answers are smuggled: the coding decides, and the connection is not trusted further.
            framing.closes = true;
        }
        Ok(framing)
    }

    /// One length, or the same one several times.
    fn add_length(&mut self, value: &[u8]) -> Result<()> {
        const MALFORMED: TransportError = TransportError::Malformed("content-length");
        for item in items(value) {
            if item.is_empty() || !item.iter().all(u8::is_ascii_digit) {
                return Err(MALFORMED);
            }
            let digit = |sum: u64, digit: &u8| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            let length = item.iter().fold(0, digit);
            if self.length.is_some_and(|before| before != length) {
                return Err(MALFORMED);
            }
            self.length = Some(length);
        }
        Ok(())
    }

    fn add_connection(&mut self, value: &[u8]) {
        self.closes |= items(value).any(|item| item.eq_ignore_ascii_case(b"close"));
        self.keep_alive |= items(value).any(|item| item.eq_ignore_ascii_case(b"keep-alive"));
    }
}

/// The items of a comma-separated header value; one empty item if it is empty.
fn items(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests;
