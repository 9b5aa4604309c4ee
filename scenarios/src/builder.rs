//! A scenario put together in code: what `coldfront load URL` and library users need.
//!
//! A builder writes a scenario file and reads it back, so that everything is checked by the same code, every problem has a
//! place, and what was asked for on a command line can be kept as a file.

use crate::error::Code;
use crate::file::MOST_BODY;
use crate::quantity::{duration_text, rate_text};
use crate::{Arrivals, InFlight, InFlightPolicy, Keys, Open, Rate, Scenario, ScenarioError};
use std::fmt::Write;
use std::time::Duration;

/// A scenario under construction: one stream of one kind of request to a real service.
#[derive(Clone, Debug)]
pub struct Builder {
    name: String,
    file: String,
    seed: u64,
    url: String,
    path: String,
    method: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
    expected: Vec<u16>,
    keys: Option<Keys>,
    arrivals: Arrivals,
    timeout: Option<Duration>,
    deadline: Option<Duration>,
    connections: (u32, Open),
    in_flight: Option<InFlight>,
    stages: Vec<(String, Duration, Rate)>,
    expectations: Vec<(String, String)>,
}

impl Scenario {
    /// Starts a scenario that sends GET requests to `url`: `http://host[:port]`, then the path and query of the requests, which
    /// may hold one `{key}`. Nothing is checked before [`Builder::build`].
    pub fn builder(url: &str) -> Builder {
        let after_scheme = url.find("://").map_or(0, |at| at + 3);
        let path_start = url[after_scheme..].find(['/', '?', '#']).map_or(url.len(), |at| after_scheme + at);
        let (url, path) = url.split_at(path_start);
        let slash = if path.starts_with('/') { "" } else { "/" };
        Builder {
            name: format!("load on {url}"),
            file: "load".to_owned(),
            seed: 1,
            url: url.to_owned(),
            path: format!("{slash}{path}"),
            method: "get".to_owned(),
            headers: Vec::new(),
            body: None,
            expected: Vec::new(),
            keys: None,
            arrivals: Arrivals::Uniform,
            timeout: None,
            deadline: None,
            connections: (256, Open::Lazy),
            in_flight: None,
            stages: Vec::new(),
            expectations: Vec::new(),
        }
    }
}

/// Each setting replaces the former one; stages, headers and expectations are added to.
impl Builder {
    /// The name in reports. Default: `load on URL`.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// What messages and reports call the file. Default: `load`.
    #[must_use]
    pub fn file(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }

    /// The seed. Default 1.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The method, in either case. Default GET.
    #[must_use]
    pub fn method(mut self, method: &str) -> Self {
        self.method = method.to_ascii_lowercase();
        self
    }

    /// One more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The body, at most 1 MiB. Default none.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// The statuses that count as ok. Default: 200 to 399.
    #[must_use]
    pub fn expect_status(mut self, statuses: &[u16]) -> Self {
        self.expected = statuses.to_vec();
        self
    }

    /// The law of `{key}`.
    #[must_use]
    pub fn keys(mut self, keys: Keys) -> Self {
        self.keys = Some(keys);
        self
    }

    /// The law of the gaps. Default uniform.
    #[must_use]
    pub fn arrivals(mut self, arrivals: Arrivals) -> Self {
        self.arrivals = arrivals;
        self
    }

    /// The client's timeout, above zero. Default none.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Within what a request is good. Default: the timeout.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// How many client connections, and when they are opened. Default 256, lazily.
    #[must_use]
    pub fn connections(mut self, max: u32, open: Open) -> Self {
        self.connections = (max, open);
        self
    }

    /// The bound on requests without an outcome. Default 100,000, then dropped.
    #[must_use]
    pub fn in_flight(mut self, in_flight: InFlight) -> Self {
        self.in_flight = Some(in_flight);
        self
    }

    /// One more stage; at least one is needed.
    #[must_use]
    pub fn stage(mut self, name: &str, duration: Duration, rate: Rate) -> Self {
        self.stages.push((name.to_owned(), duration, rate));
        self
    }

    /// One more [expectation](crate::Expectation), in the language of files.
    #[must_use]
    pub fn expect(mut self, name: &str, text: &str) -> Self {
        self.expectations.push((name.to_owned(), text.to_owned()));
        self
    }

    /// Checks it all.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, with places in the text of [`Builder::to_toml`].
    pub fn build(&self) -> Result<Scenario, ScenarioError> {
        // The body stands in for itself: a file could carry neither all of its bytes nor, near the bound, its length.
        let file = Self { body: self.body.as_ref().map(|_| Vec::new()), ..self.clone() };
        let mut scenario = Scenario::parse(&file.to_toml(), &self.file)?;
        let Some(body) = &self.body else { return Ok(scenario) };
        if body.len() > MOST_BODY {
            let (message, help) = (format!("the body has {} bytes", body.len()), format!("send at most {MOST_BODY}"));
            return Err(ScenarioError::without_place(&self.file, vec![(Code::OutOfRange, message, Some(help))]));
        }
        scenario.traffic[0].mix[0].body = Some(body.clone());
        Ok(scenario)
    }

    /// The scenario as a file. A body that is not UTF-8 is kept as nearly as text can.
    pub fn to_toml(&self) -> String {
        self.write().expect("writing to a String cannot fail")
    }
}

// === the file ===

impl Builder {
    fn write(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        writeln!(out, "name = {}\nseed = {}", quoted(&self.name), self.seed)?;
        writeln!(out, "\n[target]\nurl = {}", quoted(&self.url))?;
        self.write_traffic(&mut out)?;
        for (name, duration, rate) in &self.stages {
            writeln!(out, "\n[[traffic.stage]]\nname = {}", quoted(name))?;
            writeln!(out, "for = \"{}\"\nrate = {}", duration_text(*duration), rate_value(rate))?;
        }
        if !self.expectations.is_empty() {
            writeln!(out, "\n[expect]")?;
        }
        for (name, text) in &self.expectations {
            writeln!(out, "{} = {}", quoted(name), quoted(text))?;
        }
        Ok(out)
    }

    fn write_traffic(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "\n[[traffic]]\nname = \"load\"")?;
        writeln!(out, "arrivals = \"{}\"", if self.arrivals == Arrivals::Uniform { "uniform" } else { "poisson" })?;
        for (key, duration) in [("timeout", self.timeout), ("deadline", self.deadline)] {
            if let Some(duration) = duration {
                writeln!(out, "{key} = \"{}\"", duration_text(duration))?;
            }
        }
        let open = if self.connections.1 == Open::Before { "before" } else { "lazy" };
        writeln!(out, "connections = {{ max = {}, open = \"{open}\" }}", self.connections.0)?;
        match self.in_flight {
            None => {}
            Some(InFlight { max, policy: InFlightPolicy::Drop }) => writeln!(out, "in_flight = {{ max = {max} }}")?,
            Some(InFlight { max, policy: InFlightPolicy::Queue { capacity } }) => {
                writeln!(out, "in_flight = {{ max = {max}, policy = \"queue\", capacity = {capacity} }}")?;
            }
        }
        writeln!(out, "\n[[traffic.mix]]\n{} = {}", key_text(&self.method), quoted(&self.path))?;
        if let Some(keys) = self.keys {
            writeln!(out, "keys = {{ count = {}, zipf = {:?} }}", keys.count, keys.zipf)?;
        }
        if let Some(body) = &self.body {
            writeln!(out, "body = {}", quoted(&String::from_utf8_lossy(body)))?;
        }
        if !self.expected.is_empty() {
            writeln!(out, "expect = {:?}", self.expected)?;
        }
        if !self.headers.is_empty() {
            writeln!(out, "\n[traffic.mix.headers]")?;
        }
        for (name, value) in &self.headers {
            writeln!(out, "{} = {}", quoted(name), quoted(value))?;
        }
        Ok(())
    }
}

fn rate_value(rate: &Rate) -> String {
    let quoted = |rate: f64| format!("\"{}\"", rate_text(rate));
    match rate {
        Rate::Constant(rate) => quoted(*rate),
        Rate::Ramp { from, to } => format!("{{ from = {}, to = {} }}", quoted(*from), quoted(*to)),
        Rate::Step(rates) => {
            format!("{{ steps = [{}] }}", rates.iter().copied().map(quoted).collect::<Vec<_>>().join(", "))
        }
        Rate::Sine { mean, amplitude, period } => format!(
            "{{ mean = {}, amplitude = {}, period = \"{}\" }}",
            quoted(*mean),
            quoted(*amplitude),
            duration_text(*period)
        ),
    }
}

/// A bare key if it can be one.
fn key_text(key: &str) -> String {
    let bare = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if bare { key.to_owned() } else { quoted(key) }
}

/// A TOML basic string.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() => out.push_str(&unicode_escape(control)),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

fn unicode_escape(control: char) -> String {
    format!("\\u{:04X}", u32::from(control))
}
