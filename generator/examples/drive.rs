//! Drives the generator by itself, to measure what it costs: `drive closed URL CONNECTIONS SECONDS`,
//! `drive open URL CONNECTIONS SECONDS RATE` or `drive sim REQUESTS_PER_SECOND SECONDS`.
//!
//! `closed` keeps every connection busy; `open` follows a uniform schedule over the wire; `sim` follows one in virtual time
//! against a transport that answers after a millisecond. Processor time is what `time` or `perf stat` says of it.
#![expect(clippy::print_stdout, reason = "a tool that reports to a terminal")]

use coldfront_clock::Instant;
use coldfront_generator::wire::Http;
use coldfront_generator::{Attack, Exchange, Request, Transport, TransportError};
use coldfront_measure::{ColdCosts, Plan, Recorder};
use coldfront_rt::{Rt, Stop, live, sim};
use coldfront_scenarios::{Scenario, Series};
use std::sync::Arc;
use std::time::Duration;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["closed", url, connections, seconds] => closed(url, number(connections), number(seconds)),
        ["open", url, connections, seconds, rate] => open(url, number(connections), number(seconds), number(rate)),
        ["sim", rate, seconds] => virtual_time(number(rate), number(seconds)),
        _ => println!("drive closed URL CONNECTIONS SECONDS | open URL CONNECTIONS SECONDS RATE | sim RATE SECONDS"),
    }
}

fn number(text: &str) -> u64 {
    text.parse().expect("a whole number")
}

fn scenario(target: &str, connections: u64, seconds: u64, rate: u64) -> Scenario {
    let text = format!(
        "name = \"drive\"\n[target]\n{target}\n[[traffic]]\nname = \"t\"\ntimeout = \"1s\"\n\
         connections = {{ max = {connections}, open = \"before\" }}\nmix = [{{ get = \"/catalog\" }}]\n\
         [[traffic.stage]]\nname = \"s\"\nfor = \"{seconds}s\"\nrate = \"{rate}/s\"\n"
    );
    Scenario::parse(&text, "drive.toml").unwrap_or_else(|error| panic!("{}", error.plain()))
}

fn closed(url: &str, connections: u64, seconds: u64) {
    let spec = scenario(&format!("url = \"{url}\""), connections, seconds, 1);
    let url = url.to_owned();
    let done = live::run(&live::Clock::start(), 1, |rt| async move {
        let http = Http::new(rt.clone(), &url, &spec).expect("the url is good");
        let end = rt.now() + Duration::from_secs(seconds);
        let workers: Vec<_> =
            (0..connections).map(|_| rt.spawn("worker", exchanges(rt.clone(), http.clone(), end))).collect();
        let mut done = 0;
        for worker in workers {
            done += worker.await;
        }
        done
    });
    println!("{done} requests, {:.0}/s", done as f64 / seconds as f64);
}

async fn exchanges(rt: Rt, http: Http, end: Instant) -> u64 {
    let mut connection = http.connect().await.expect("the server listens");
    let mut done = 0;
    loop {
        let request = Request { traffic: 0, route: 0, id: done, key: 0 };
        let exchange = rt.timeout_at(end + Duration::from_secs(1), http.exchange(&mut connection, &request)).await;
        let exchange = exchange.expect("the server answers").expect("the server answers");
        done += 1;
        if exchange.completed_at >= end {
            return done;
        }
    }
}

fn open(url: &str, connections: u64, seconds: u64, rate: u64) {
    let spec = Arc::new(scenario(&format!("url = \"{url}\""), connections, seconds, rate));
    let recorder = Recorder::new(Arc::new(Plan::compile(&spec)));
    let (records, url, clock) = (recorder.clone(), url.to_owned(), live::Clock::start());
    let horizon = Instant::after_start(spec.stages_end() + spec.drain());
    let summary = live::run(&clock.clone(), 1, |rt| async move {
        let http = Http::new(rt.clone(), &url, &spec).expect("the url is good");
        let mut attack = Attack::new(rt, spec, http, records);
        attack.prepare().await.expect("the server listens");
        clock.restart();
        attack.run(Instant::ZERO, Stop::new(), horizon).await
    });
    let recording = recorder.finish(summary.ended_at);
    let totals = recording.totals();
    println!("offered {} sent {} ok {} {:?}", totals.offered, totals.sent, totals.ok, summary.errors);
    println!(
        "lateness p50 {:?} p99 {:?} max {:?}",
        recording.lateness().quantile(0.5),
        recording.lateness().quantile(0.99),
        recording.lateness().max()
    );
    println!(
        "latency p50 {:?} p99 {:?} max {:?}",
        recording.latency().quantile(0.5),
        recording.latency().quantile(0.99),
        recording.latency().max()
    );
}

/// Answers every request after a millisecond.
#[derive(Clone)]
struct Prompt(Rt);

impl Transport for Prompt {
    type Connection = ();

    async fn connect(&self) -> Result<(), TransportError> {
        Ok(())
    }

    async fn exchange(&self, _connection: &mut (), _request: &Request) -> Result<Exchange, TransportError> {
        self.0.sleep(Duration::from_millis(1)).await;
        let now = self.0.now();
        Ok(Exchange { status: 200, first_byte_at: now, completed_at: now, cold: ColdCosts::default(), reusable: true })
    }
}

#[expect(clippy::disallowed_methods, reason = "measures the real time that virtual time takes")]
fn virtual_time(rate: u64, seconds: u64) {
    let spec = Arc::new(scenario("", 4096, seconds, rate));
    let recorder = Recorder::new(Arc::new(Plan::compile(&spec)));
    let records = recorder.clone();
    let horizon = Instant::after_start(spec.stages_end() + spec.drain());
    let begin = std::time::Instant::now();
    let summary = sim::run(1, Stop::new(), move |rt| async move {
        Attack::new(rt.clone(), spec, Prompt(rt), records).run(Instant::ZERO, Stop::new(), horizon).await
    });
    let took = begin.elapsed().as_secs_f64();
    let ok = recorder.snapshot().count(Series::Ok);
    let offered = summary.expect("the run ends").offered;
    println!("{ok} of {offered} ok in {took:.3} s: {:.0} requests per second", offered as f64 / took);
}
