//! One connection to the target and the exchange under way on it.

use super::response::Response;
use super::template::Template;
use crate::transport::{Exchange, TransportError};
use coldfront_clock::Instant;
use coldfront_rt::Rt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// How much is read at once.
const INPUT_LEN: usize = 16 * 1024;

/// A connection that carries one request at a time.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    output: Vec<u8>,
    /// How much of the output is written.
    written: usize,
    input: Box<[u8]>,
    response: Response,
    first_byte_at: Option<Instant>,
    /// Why the rest of the request could not be written; an answer may have come all the same.
    write_error: Option<TransportError>,
    /// It was idle or carried a request before, so the other side may have closed it by the time the next one arrives.
    may_be_stale: bool,
    is_idempotent: bool,
}

// === impl Connection ===

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            output: Vec::new(),
            written: 0,
            input: vec![0; INPUT_LEN].into_boxed_slice(),
            response: Response::new(),
            first_byte_at: None,
            write_error: None,
            may_be_stale: false,
            is_idempotent: false,
        }
    }

    /// Puts a request in place; [`Connection::poll_exchange`] carries it.
    pub(super) fn begin(&mut self, template: &Template, id: u64, key: u64) {
        template.render(id, key, &mut self.output);
        self.written = 0;
        self.response.begin(template.is_head);
        self.first_byte_at = None;
        self.is_idempotent = template.is_idempotent;
    }

    /// Writes what is left of the request and reads what there is of the answer, both at once: a server may answer, and
    /// close, before it has read all.
    pub(super) fn poll_exchange(&mut self, rt: &Rt, cx: &mut Context<'_>) -> Poll<Result<Exchange, TransportError>> {
        self.poll_write(cx);
        loop {
            let mut input = ReadBuf::new(&mut self.input);
            let outcome = match ready!(Pin::new(&mut self.stream).poll_read(cx, &mut input)) {
                Ok(()) if input.filled().is_empty() => self.ended(rt),
                Ok(()) => {
                    let len = input.filled().len();
                    self.received(len, rt)
                }
                Err(error) => Err(self.broken(error.into())),
            };
            if let Some(exchange) = outcome.transpose() {
                self.may_be_stale = true;
                return Poll::Ready(exchange);
            }
        }
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) {
        while self.written < self.output.len() && self.write_error.is_none() {
            match Pin::new(&mut self.stream).poll_write(cx, &self.output[self.written..]) {
                Poll::Ready(Ok(0)) => self.write_error = Some(TransportError::Reset),
                Poll::Ready(Ok(len)) => self.written += len,
                Poll::Ready(Err(error)) => self.write_error = Some(error.into()),
                Poll::Pending => return,
            }
        }
    }

    fn received(&mut self, len: usize, rt: &Rt) -> Result<Option<Exchange>, TransportError> {
        let now = rt.now();
        let first_byte_at = *self.first_byte_at.get_or_insert(now);
        let used = self.response.feed(&self.input[..len])?;
        if !self.response.is_complete() {
            return Ok(None);
        }
        // Bytes behind the answer, or an answer to half a request: whatever follows could not be trusted.
        let is_clean = used == len && self.written == self.output.len();
        Ok(Some(self.exchange(first_byte_at, now, is_clean)))
    }

    /// The other side has closed.
    fn ended(&mut self, rt: &Rt) -> Result<Option<Exchange>, TransportError> {
        self.response.end().map_err(|error| match error {
            TransportError::ClosedEarly => self.broken(error),
            error => error,
        })?;
        let now = rt.now();
        Ok(Some(self.exchange(self.first_byte_at.unwrap_or(now), now, false)))
    }

    fn exchange(&self, first_byte_at: Instant, completed_at: Instant, is_clean: bool) -> Exchange {
        let response = &self.response;
        Exchange {
            status: response.status(),
            first_byte_at,
            completed_at,
            cold: response.cold(),
            reusable: is_clean && response.is_reusable(),
        }
    }

    /// What it means that the connection is gone: on one that was open for a while, before any byte of an answer, that it
    /// was closed while the request was on its way.
    fn broken(&self, error: TransportError) -> TransportError {
        if self.may_be_stale && self.is_idempotent && self.first_byte_at.is_none() {
            return TransportError::Stale;
        }
        self.write_error.unwrap_or(error)
    }

    /// Completes when the other side closes, or sends what nobody asked for.
    pub(super) fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.may_be_stale = true;
        loop {
            if ready!(self.stream.poll_read_ready(cx)).is_err() {
                return Poll::Ready(());
            }
            match self.stream.try_read(&mut [0]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                _ => return Poll::Ready(()),
            }
        }
    }
}
