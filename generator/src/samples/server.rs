//! A server that does as a test tells it, on plain threads.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

/// Serves each connection, numbered from 0, on a thread of its own, for as long as the test's process lives.
pub(crate) fn serve(behaviour: impl Fn(usize, TcpStream) + Send + Sync + 'static) -> SocketAddr {
    serve_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap(), behaviour)
}

pub(crate) fn serve_on(
    listener: TcpListener,
    behaviour: impl Fn(usize, TcpStream) + Send + Sync + 'static,
) -> SocketAddr {
    let address = listener.local_addr().unwrap();
    let behaviour = Arc::new(behaviour);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let behaviour = Arc::clone(&behaviour);
            let stream = stream.unwrap();
            stream.set_nodelay(true).unwrap();
            std::thread::spawn(move || behaviour(number, stream));
        }
    });
    address
}

/// Answers every request on a connection with `answer`.
pub(crate) fn answering(answer: &'static str) -> impl Fn(usize, TcpStream) + Send + Sync + 'static {
    move |_, mut stream| {
        while read_request(&mut stream).is_some() && stream.write_all(answer.as_bytes()).is_ok() {}
    }
}

/// The next request with its body; `None` if the client has closed.
pub(crate) fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        text.push(byte[0]);
    }
    let head = String::from_utf8(text).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).ok()?;
    Some(head + &String::from_utf8(body).unwrap())
}

/// Reads until the client closes.
pub(crate) fn wait_for_close(stream: &mut TcpStream) {
    let mut rest = [0; 4096];
    while matches!(stream.read(&mut rest), Ok(len) if len > 0) {}
}
