//! What does one exchange over our HTTP client cost, on a connection that is open? Peer: hyper's HTTP/1.1 client.
//!
//! Both ask the same bare server, which answers every request with the same bytes from a thread of its own; so most of the
//! time is the kernel's, and the ratio of the two is what counts.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock, and the peer is a tokio program")]

use coldfront_generator::wire::Http;
use coldfront_generator::{Request, Transport};
use coldfront_rt::live::{self, Clock};
use coldfront_scenarios::Scenario;
use criterion::{Criterion, criterion_group, criterion_main};
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

const ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 25\r\n\r\n{\"key\":17,\"from\":\"cache\"}";

/// Answers every request on every connection with [`ANSWER`]; requests arrive one at a time and whole.
fn bare_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer(stream.expect("a connection")));
        }
    });
    address
}

fn answer(mut stream: TcpStream) {
    stream.set_nodelay(true).expect("an option of every socket");
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).is_ok_and(|read| read > 0) {
        if stream.write_all(ANSWER).is_err() {
            return;
        }
    }
}

fn scenario() -> Scenario {
    let text = r#"
name = "wire"
[[traffic]]
name = "load"
mix = [{ get = "/items/{key}", keys = { count = 1000, zipf = 1 } }]
stage = [{ name = "all", for = "1s", rate = "1/s" }]
[target.catalog]
service = "1ms"
"#;
    Scenario::parse(text, "wire.toml").expect("the text above is a scenario")
}

fn ours(address: SocketAddr, exchanges: u64) -> Duration {
    live::run(&Clock::start(), 1, |rt| async move {
        let http = Http::new(rt, &format!("http://{address}"), &scenario()).expect("a good address");
        let mut connection = http.connect().await.expect("the server listens");
        let start = Instant::now();
        for id in 0..exchanges {
            let request = Request { traffic: 0, route: 0, id, key: id % 1000 };
            http.exchange(&mut connection, &request).await.expect("the server answers");
        }
        start.elapsed()
    })
}

fn peer(address: SocketAddr, exchanges: u64) -> Duration {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(address).await.expect("the server listens");
        stream.set_nodelay(true).expect("an option of every socket");
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = handshake.expect("a handshake without bytes");
        tokio::spawn(connection);
        let start = Instant::now();
        for id in 0..exchanges {
            let request = hyper::Request::get(format!("/items/{}", id % 1000))
                .header("host", "target")
                .header("coldfront-request-id", format!("{id:016x}"))
                .body(Empty::<Bytes>::new())
                .expect("a good request");
            let answer = sender.send_request(request).await.expect("the server answers");
            answer.into_body().collect().await.expect("a whole body");
        }
        start.elapsed()
    })
}

fn exchanges(criterion: &mut Criterion) {
    let address = bare_server();
    let mut group = criterion.benchmark_group("wire_client");
    group.sample_size(20);
    group.bench_function("exchange", |bencher| bencher.iter_custom(|count| ours(address, count)));
    group.bench_function("peer: hyper", |bencher| bencher.iter_custom(|count| peer(address, count)));
    group.finish();
}

criterion_group!(benches, exchanges);
criterion_main!(benches);
