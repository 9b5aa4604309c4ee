//! The parser against the RFC, and against itself under every way to cut the bytes.

use super::*;
use proptest::prelude::*;
use std::time::Duration;

/// What an answer came to, in comparable form.
#[derive(Clone, Debug, PartialEq)]
struct Read {
    result: std::result::Result<(u16, ColdCosts, bool), TransportError>,
    /// Bytes that belong to the answer; all of them if it failed.
    used: usize,
}

/// Reads an answer that comes in these pieces, then ends.
fn read<'a>(answers_head: bool, pieces: impl IntoIterator<Item = &'a [u8]>) -> Read {
    let mut response = Response::new();
    response.begin(answers_head);
    let mut used = 0;
    for piece in pieces {
        match response.feed(piece) {
            Ok(taken) => used += taken,
            Err(error) => return Read { result: Err(error), used: 0 },
        }
        if response.is_complete() {
            break;
        }
    }
    let result = response.end().map(|()| (response.status(), response.cold(), response.is_reusable()));
    Read { used: if result.is_ok() { used } else { 0 }, result }
}

fn whole(text: &str) -> Read {
    read(false, [text.as_bytes()])
}

fn status_and_reuse(text: &str) -> std::result::Result<(u16, bool), TransportError> {
    whole(text).result.map(|(status, _, reusable)| (status, reusable))
}

#[test]
fn framings_of_the_rfc() {
    for (text, expected) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", Ok((200, true))),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Ok((200, true))),
        ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 5\r\n\r\nhello", Ok((200, true))),
        ("HTTP/1.1 200 OK\r\ncontent-length: 5, 5\r\n\r\nhello", Ok((200, true))),
        ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello", Ok((200, false))),
        ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: keep-alive, Close\r\n\r\nhello", Ok((200, false))),
        ("HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\nhello", Ok((200, false))),
        ("HTTP/1.0 200 OK\r\ncontent-length: 5\r\nconnection: keep-alive\r\n\r\nhello", Ok((200, true))),
        ("HTTP/1.1 204 No Content\r\n\r\n", Ok((204, true))),
        ("HTTP/1.1 304 Not Modified\r\ncontent-length: 500\r\n\r\n", Ok((304, true))),
        ("HTTP/1.1 200\r\n\r\nto the end", Ok((200, false))),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", Ok((200, true))),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n", Ok((200, true))),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nto the end", Ok((200, false))),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n", Ok((200, false))),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nA;x=\"y\"\r\n0123456789\r\n000\r\nt: 1\r\n\r\n",
            Ok((200, true)),
        ),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n",
            Ok((201, true)),
        ),
        ("HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n", Ok((503, true))),
    ] {
        assert_eq!(status_and_reuse(text), expected, "{text:?}");
    }
}

#[test]
fn unfinished_answers_were_closed_early() {
    for text in [
        "",
        "HTTP",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
    ] {
        assert_eq!(whole(text).result, Err(TransportError::ClosedEarly), "{text:?}");
    }
}

#[test]
fn broken_answers_are_malformed() {
    for text in [
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 099 Low\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 5,\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 0x5\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\nhello\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello!\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n00000000000000005\r\nhello\r\n",
    ] {
        assert!(matches!(whole(text).result, Err(TransportError::Malformed(_))), "{text:?}: {:?}", whole(text));
    }
}

#[test]
fn answers_without_bound_are_too_large() {
    let too_large = |text: &str| matches!(whole(text).result, Err(TransportError::TooLarge(_)));
    assert!(too_large(&format!("HTTP/1.1 200 OK\r\nx: {}", "y".repeat(HEAD_MAX))));
    assert!(too_large("HTTP/1.1 200 OK\r\ncontent-length: 1073741825\r\n\r\n"));
    assert!(too_large("HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999999\r\n\r\n"));
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    assert!(too_large(&format!("{chunked}0;{}", "x".repeat(70_000))));
    assert!(too_large(&format!("{chunked}0\r\n{}", "t: 1\r\n".repeat(14_000))));
    let interim = "HTTP/1.1 102 Processing\r\n\r\n".repeat(17);
    assert!(matches!(whole(&interim).result, Err(TransportError::Malformed(_))));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(129));
    assert_eq!(whole(&many).result, Err(TransportError::Malformed("more than 128 headers")));
}

#[test]
fn a_body_without_bound_is_too_large_once_it_is() {
    let mut response = Response::new();
    response.begin(false);
    response.feed(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
    let block = vec![0; 1 << 24];
    assert!((0..64).all(|_| response.feed(&block) == Ok(block.len())));
    assert_eq!(response.feed(b"!"), Err(TransportError::TooLarge("body over 1 GiB")));
}

#[test]
fn an_answer_to_head_has_no_body() {
    let text = "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n";
    assert_eq!(read(true, [text.as_bytes()]).result, Ok((200, ColdCosts::default(), true)));
    let text = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    assert_eq!(read(true, [text.as_bytes()]).used, text.len());
}

#[test]
fn bytes_behind_the_answer_are_not_its_own() {
    let text = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1";
    assert_eq!(whole(text).used, text.len() - 8);
    let text = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nmore";
    assert_eq!(whole(text).used, text.len() - 4);
}

#[test]
fn cold_costs_of_several_headers_add_up() {
    let text = "HTTP/1.1 200 OK\r\nserver-timing: db;dur=5, db-cold;dur=1.5\r\nServer-Timing: db-cold;dur=2, gateway-cold;dur=1\r\n\
                content-length: 0\r\n\r\n";
    let cold = whole(text).result.unwrap().1;
    assert_eq!((cold.db, cold.gateway), (Duration::from_micros(3500), Duration::from_millis(1)));
    let mut response = Response::new();
    response.begin(false);
    response.feed(text.as_bytes()).unwrap();
    response.begin(false);
    response.feed(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
    assert!(response.cold().is_zero(), "the next answer starts from nothing");
}

/// Answers of every framing, some broken, as fragments to combine.
fn answers() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("HTTP/1.1 200 OK\r\n"),
        Just("HTTP/1.0 404 Not Found\r\n"),
        Just("HTTP/1.1 100 Continue\r\n\r\n"),
        Just("content-length: 7\r\n"),
        Just("transfer-encoding: chunked\r\n"),
        Just("connection: close\r\n"),
        Just("server-timing: cache-cold;dur=1.25\r\n"),
        Just("\r\n"),
        Just("5\r\nhello\r\n"),
        Just("0\r\n\r\n"),
        Just("body at length"),
        Just("x: y\n"),
        Just("\n"),
        Just("\0"),
        Just("1f;a=b\r\n"),
    ];
    let built = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat().into_bytes());
    let likely = prop::collection::vec(any::<u8>(), 0..64).prop_map(|body| {
        let head = format!("HTTP/1.1 200 OK\r\nserver-timing: db-cold;dur=2\r\ncontent-length: {}\r\n\r\n", body.len());
        [head.as_bytes(), &body].concat()
    });
    prop_oneof![built, likely, prop::collection::vec(any::<u8>(), 0..200)]
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_answer(bytes in answers(), mut cuts in prop::collection::vec(0_usize..300, 0..20)) {
        cuts.retain(|cut| *cut <= bytes.len());
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let whole = read(false, [&bytes[..]]);
        let cut = read(false, cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]]));
        prop_assert_eq!(&whole, &cut, "cut at {:?}", cuts);
        prop_assert_eq!(&whole, &read(false, bytes.chunks(1)), "byte by byte");
    }
}
