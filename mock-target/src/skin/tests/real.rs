//! The skin over real TCP. The client is a plain blocking one on the test's own thread.

use super::*;
use coldfront_rt::{Stop, live};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A target that serves on a thread of its own, until this is dropped.
struct Served {
    address: SocketAddr,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn start(spec: MockSpec) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let stop = Stop::new();
        let until = stop.clone();
        let thread = thread::spawn(move || {
            live::run(&live::Clock::start(), 1, |rt| async move {
                let target = Target::cold(Arc::new(spec), rt.clone(), crate::tests::recorder());
                serve(&rt, listener, async { Some(target) }, AdminAccess::Loopback, until).await.unwrap();
            });
        });
        Self { address, stop, thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// The state, over a connection of its own.
    fn state(&self) -> Value {
        let mut stream = self.connect();
        ask(&mut stream, "GET", "/admin/state", "");
        serde_json::from_str(&answer(&mut stream).1).unwrap()
    }

    /// Waits until the state is as wanted, looking again and again.
    fn wait_for(&self, wanted: impl Fn(&Value) -> bool) {
        for _ in 0..20_000 {
            if wanted(&self.state()) {
                return;
            }
            thread::yield_now();
        }
        panic!("the target is still in this state: {}", self.state());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.request();
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(thread::panicking() || matches!(ended, Some(Ok(()))), "the target's thread panicked");
    }
}

fn ask(stream: &mut TcpStream, method: &str, path: &str, body: &str) {
    let request = format!("{method} {path} HTTP/1.1\r\nhost: test\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).unwrap();
}

/// Reads one answer: its head, in lower case, and its body.
fn answer(stream: &mut TcpStream) -> (String, String) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

#[test]
fn real_requests_follow_each_other_on_one_connection() {
    let served = Served::start(full());
    let mut stream = served.connect();
    for (method, path, status) in [
        ("GET", "/items/1", "200 ok"),
        ("GET", "/items/1", "200 ok"),
        ("POST", "/import", "200 ok"),
        ("POST", "/api/v1/seckill/order", "200 ok"),
        ("GET", "/nowhere", "404 not found"),
        ("DELETE", "/catalog", "405 method not allowed"),
    ] {
        ask(&mut stream, method, path, "");
        let (head, body) = answer(&mut stream);
        assert!(head.starts_with(&format!("http/1.1 {status}\r\n")), "{method} {path}: {head}");
        assert!(body.starts_with('{'), "{method} {path}: {body}");
    }
    assert_eq!(served.state()["db_pool"]["size"], 1);
}

#[test]
fn real_clients_that_close_give_their_request_up() {
    let spec = MockSpec { db: Some(db(3_600_000, Some(pool(2, 0, WarmUp::Lazy)))), ..MockSpec::default() };
    let served = Served::start(spec);
    let mut streams: Vec<_> = (0..3).map(|_| served.connect()).collect();
    for (key, stream) in streams.iter_mut().enumerate() {
        ask(stream, "GET", &format!("/items/{key}"), "");
    }
    served.wait_for(|state| state["db_in_flight"] == 2 && state["db_pool"]["waiters"] == 1);
    drop(streams);
    served.wait_for(|state| state["db_in_flight"] == 0 && state["gateway_in_flight"] == 0);
    served.wait_for(|state| state["db_pool"] == json!({ "size": 2, "idle": 2, "connecting": 0, "waiters": 0 }));
}

#[test]
fn real_requests_under_way_are_answered_when_the_target_is_stopped() {
    let spec = MockSpec { catalog: Some(catalog(fixed(200))), ..MockSpec::default() };
    let served = Served::start(spec);
    let mut stream = served.connect();
    ask(&mut stream, "GET", "/catalog", "");
    served.wait_for(|state| state["catalog_in_flight"] == 1);
    served.stop.request();
    let (head, _) = answer(&mut stream);
    assert!(head.starts_with("http/1.1 200 ok\r\n"));
    assert!(head.contains("\r\nconnection: close\r\n"), "{head}");
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
}

#[test]
fn real_nonsense_harms_nobody_else() {
    let served = Served::start(full());
    let mut good = served.connect();
    let mut bad = served.connect();
    bad.write_all(b"\x16\x03\x01 this is no HTTP\r\n\r\n").unwrap();
    let mut said = Vec::new();
    let _ = bad.read_to_end(&mut said);
    assert!(said.is_empty() || said.starts_with(b"HTTP/1.1 400"));
    ask(&mut good, "GET", "/healthz", "");
    assert!(answer(&mut good).0.starts_with("http/1.1 200 ok\r\n"));
}
