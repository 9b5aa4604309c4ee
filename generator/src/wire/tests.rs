//! The client against servers that behave, and servers that do not, over real sockets. No test waits for time to pass.

use super::*;
use crate::samples::server::{answering, read_request, serve, serve_on, wait_for_close};
use coldfront_measure::ColdCosts;
use coldfront_rt::live;
use std::error::Error;
use std::io::Write;
use std::net::{Ipv6Addr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

const MIX: &str = "{ get = \"/items/{key}\", keys = { count = 1000 } }, { head = \"/catalog\" }, \
                   { post = \"/order\", json = { n = 1 } }";
const GET: u16 = 0;
const HEAD: u16 = 1;
const POST: u16 = 2;
const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

fn scenario(mix: &str) -> Scenario {
    let text = format!(
        "name = \"wire\"\n[target]\nurl = \"http://127.0.0.1:1\"\n[[traffic]]\nname = \"t\"\nmix = [{mix}]\n\
         [[traffic.stage]]\nname = \"s\"\nfor = \"1s\"\nrate = \"1/s\"\n"
    );
    Scenario::parse(&text, "wire.toml").unwrap_or_else(|error| panic!("{}", error.plain()))
}

fn request(route: u16) -> Request {
    Request { traffic: 0, route, id: 0xABC, key: 7 }
}

/// Runs `story` with a client of the server at `address`.
fn with_client<T>(address: SocketAddr, story: impl AsyncFnOnce(Http) -> T) -> T {
    let url = format!("http://{address}");
    live::run(&live::Clock::start(), 1, |rt| async move { story(Http::new(rt, &url, &scenario(MIX)).unwrap()).await })
}

/// One exchange on a new connection.
fn exchange(address: SocketAddr, route: u16) -> Result<Exchange, TransportError> {
    with_client(address, async |http| {
        let mut connection = http.connect().await?;
        http.exchange(&mut connection, &request(route)).await
    })
}

/// One exchange with a server that answers these bytes and closes, having read the request.
fn answer(route: u16, text: &'static str) -> Result<Exchange, TransportError> {
    exchange(
        serve(move |_, mut stream| {
            read_request(&mut stream);
            stream.write_all(text.as_bytes()).unwrap();
        }),
        route,
    )
}

#[test]
fn real_a_request_arrives_as_it_was_meant_and_its_connection_is_reused() {
    let (sender, received) = mpsc::channel();
    let address = serve(move |number, mut stream| {
        while let Some(request) = read_request(&mut stream) {
            sender.send((number, request)).unwrap();
            stream
                .write_all(
                    b"HTTP/1.1 200 OK\r\nserver-timing: db;dur=9, db-cold;dur=1.5\r\ncontent-length: 2\r\n\r\nok",
                )
                .unwrap();
        }
    });
    let exchanges = with_client(address, async |http| {
        let mut connection = http.connect().await.unwrap();
        let mut exchanges = Vec::new();
        for route in [GET, POST, GET] {
            exchanges.push(http.exchange(&mut connection, &request(route)).await.unwrap());
        }
        exchanges
    });
    let cold = ColdCosts { db: Duration::from_micros(1500), ..ColdCosts::default() };
    assert!(exchanges.iter().all(|exchange| (exchange.status, exchange.reusable, exchange.cold) == (200, true, cold)));
    assert!(exchanges.windows(2).all(|pair| pair[0].completed_at <= pair[1].first_byte_at));
    let (number, first) = received.recv().unwrap();
    let expected =
        format!("GET /items/7 HTTP/1.1\r\nhost: {address}\r\ncoldfront-request-id: 0000000000000abc\r\n\r\n");
    assert_eq!((number, first), (0, expected));
    let (number, second) = received.recv().unwrap();
    assert!(second.ends_with("{\"n\":1}") && second.starts_with("POST /order HTTP/1.1\r\n"), "{second}");
    assert_eq!((number, received.recv().unwrap().0), (0, 0));
}

#[test]
fn real_every_framing_is_understood() {
    for (text, reusable) in [
        (OK, true),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok", false),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\n\r\nto the end", false),
        ("HTTP/1.0 200 OK\r\n\r\nto the end", false),
        ("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK", false),
    ] {
        let exchange = answer(GET, text).unwrap();
        assert_eq!((exchange.status, exchange.reusable), (200, reusable), "{text}");
    }
    let head = answer(HEAD, "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n").unwrap();
    assert_eq!((head.status, head.reusable), (200, true));
}

#[test]
fn real_broken_answers_are_told_apart() {
    assert_eq!(answer(GET, ""), Err(TransportError::ClosedEarly));
    assert_eq!(answer(GET, "HTTP/1.1 200 OK\r\nconte"), Err(TransportError::ClosedEarly));
    assert_eq!(answer(GET, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\no"), Err(TransportError::ClosedEarly));
    assert!(matches!(answer(GET, "220 mail.example ESMTP\r\n"), Err(TransportError::Malformed(_))));
    assert!(matches!(answer(GET, "HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n"), Err(TransportError::Malformed(_))));
    assert!(matches!(
        answer(GET, "HTTP/1.1 200 OK\r\ncontent-length: 9999999999\r\n\r\n"),
        Err(TransportError::TooLarge(_))
    ));
}

#[test]
fn real_nobody_there_is_refused_and_a_reset_is_a_reset() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(exchange(address, GET), Err(TransportError::Refused));
    // Closing with the request unread makes the kernel reset the connection.
    let address = serve(|_, stream| {
        let mut first = [0];
        stream.peek(&mut first).unwrap();
        drop(stream);
    });
    assert_eq!(exchange(address, GET), Err(TransportError::Reset));
}

#[test]
fn real_an_answer_that_trickles_in_is_put_together() {
    let text = "HTTP/1.1 200 OK\r\nserver-timing: cache-cold;dur=2\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    let address = serve(move |_, mut stream| {
        read_request(&mut stream);
        for byte in text.bytes() {
            stream.write_all(&[byte]).unwrap();
            std::thread::yield_now();
        }
        wait_for_close(&mut stream);
    });
    let exchange = exchange(address, GET).unwrap();
    assert_eq!((exchange.status, exchange.reusable), (200, true));
    assert_eq!(exchange.cold.cache, Duration::from_millis(2));
}

#[test]
fn real_a_large_body_is_drained() {
    let address = serve(|_, mut stream| {
        while read_request(&mut stream).is_some() {
            let body = vec![b'x'; 5_000_000];
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5000000\r\n\r\n").unwrap();
            stream.write_all(&body).unwrap();
        }
    });
    with_client(address, async |http| {
        let mut connection = http.connect().await.unwrap();
        for _ in 0..3 {
            let exchange = http.exchange(&mut connection, &request(GET)).await.unwrap();
            assert!(exchange.reusable && exchange.first_byte_at <= exchange.completed_at);
        }
    });
}

#[test]
fn real_an_answer_before_the_request_is_read_counts() {
    let mut order = scenario("{ post = \"/import\", body = \"x\" }");
    order.traffic[0].mix[0].body = Some(vec![b'x'; 16 << 20]);
    let address = serve(|_, mut stream| {
        stream.write_all(b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
        wait_for_close(&mut stream);
    });
    let url = format!("http://{address}");
    let exchange = live::run(&live::Clock::start(), 1, |rt| async move {
        let http = Http::new(rt, &url, &order).unwrap();
        let mut connection = http.connect().await.unwrap();
        http.exchange(&mut connection, &request(0)).await
    });
    assert_eq!(exchange.map(|exchange| (exchange.status, exchange.reusable)), Ok((413, false)));
}

#[test]
fn real_a_close_while_idle_is_noticed() {
    let address = serve(|_, mut stream| {
        read_request(&mut stream);
        stream.write_all(OK.as_bytes()).unwrap();
    });
    with_client(address, async |http| {
        let mut connection = http.connect().await.unwrap();
        assert!(http.exchange(&mut connection, &request(GET)).await.unwrap().reusable);
        http.closed(&mut connection).await;
        assert_eq!(http.exchange(&mut connection, &request(GET)).await, Err(TransportError::Stale));
    });
}

#[test]
fn real_a_close_before_the_first_request_is_told_from_a_refusal_to_answer() {
    // A connection opened in advance was idle: that it is gone says nothing about this request.
    with_client(serve(|_, _| {}), async |http| {
        let mut connection = http.connect().await.unwrap();
        http.closed(&mut connection).await;
        assert_eq!(http.exchange(&mut connection, &request(GET)).await, Err(TransportError::Stale));
    });
    // One opened for this request was not.
    let error = answer(GET, "").unwrap_err();
    assert_eq!(error, TransportError::ClosedEarly);
}

#[test]
fn real_only_a_repeatable_request_on_a_reused_connection_is_stale() {
    let once = |_, mut stream: TcpStream| {
        read_request(&mut stream);
        stream.write_all(OK.as_bytes()).unwrap();
        read_request(&mut stream);
    };
    for (route, is_stale) in [(GET, true), (HEAD, true), (POST, false)] {
        let error = with_client(serve(once), async |http| {
            let mut connection = http.connect().await.unwrap();
            http.exchange(&mut connection, &request(GET)).await.unwrap();
            http.exchange(&mut connection, &request(route)).await.unwrap_err()
        });
        assert_eq!(error == TransportError::Stale, is_stale, "route {route}: {error}");
    }
}

#[test]
fn real_unasked_bytes_on_an_idle_connection_end_it() {
    let (go, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let address = serve(move |_, mut stream| {
        read_request(&mut stream);
        stream.write_all(OK.as_bytes()).unwrap();
        wait.lock().unwrap().recv().unwrap();
        stream.write_all(b"HTTP/1.1 408 Request Timeout\r\n\r\n").unwrap();
        wait_for_close(&mut stream);
    });
    with_client(address, async |http| {
        let mut connection = http.connect().await.unwrap();
        http.exchange(&mut connection, &request(GET)).await.unwrap();
        go.send(()).unwrap();
        http.closed(&mut connection).await;
    });
}

#[test]
fn real_version_6_of_the_internet_protocol_works_where_there_is_one() {
    let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) else { return };
    let address = serve_on(listener, answering(OK));
    assert_eq!(exchange(address, GET).map(|exchange| exchange.status), Ok(200));
}

#[test]
fn real_a_client_that_cannot_be_says_why() {
    live::run(&live::Clock::start(), 1, |rt| async move {
        let error = |url: &str, scenario: &Scenario| {
            let error = Http::new(rt.clone(), url, scenario).unwrap_err();
            format!("{error}: {}", error.source().unwrap())
        };
        let plain = scenario(MIX);
        let text = error("https://localhost", &plain);
        assert!(text.starts_with("target url \"https://localhost\": https is not supported"), "{text}");
        let text = error("http://no-such-host.invalid/", &plain);
        assert!(text.starts_with("no address for host \"no-such-host.invalid\": "), "{text}");
        let mut odd = plain.clone();
        odd.traffic[0].mix[0].path = "/a b".into();
        assert_eq!(
            error("http://localhost", &odd),
            "a route cannot be sent: GET /a b: the path has a character that cannot be sent"
        );
    });
}
