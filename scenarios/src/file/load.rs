//! `[[traffic]]` and what stands in it.

use super::words::path_template;
use super::{ANY, MOST_ROUTES, MOST_STAGES, RATE, name_like};
use crate::shape::{At, Text, choice, duration, integer, list, map, nested, number, table, text};
use crate::tree::Node;
use crate::{Arrivals, Open, Rate};
use std::time::Duration;

table! {
    /// A stream of requests. It is an open loop: requests start when the schedule says, however slow the answers are.
    TrafficFile {
        /// Its name, unique in the file.
        name: At<String> = required("name", name_like("\"shoppers\""));
        /// The law of the gaps between arrivals.
        arrivals: At<Arrivals> = default("arrivals", choice(ARRIVALS, &[]), "\"uniform\"");
        /// How long the client waits for an answer, counted from the moment the request was meant to start. Left out: to
        /// the end of the run.
        timeout: Option<At<Duration>> = optional("timeout", duration().above_zero());
        /// A request is good if it is ok within this time. Left out: the timeout.
        deadline: Option<At<Duration>> = optional("deadline", duration().above_zero());
        /// The client's own connections.
        connections: At<ConnectionsFile> = default("connections", nested::<ConnectionsFile>(), "{}");
        /// The bound on requests without an outcome.
        in_flight: At<InFlightFile> = default("in_flight", nested::<InFlightFile>(), "{}");
        /// What is sent; each arrival picks one entry by weight.
        mix: At<Vec<At<RouteFile>>> = required("mix", list(nested::<RouteFile>(), 1, MOST_ROUTES));
        /// The rate over time: the stages follow each other without gaps, from time zero.
        stages: At<Vec<At<StageFile>>> = required("stage", list(nested::<StageFile>(), 1, MOST_STAGES));
    }
    later {
        "users": "closed loops are not in this version; give the stages a rate";
        "retry": "the client of this version sends each request once";
        "hedge": "the client of this version sends each request once";
        "session": "this version sends single requests";
        "think_time": "closed loops are not in this version; give the stages a rate";
    }
    instead {
        "stages": "write each stage under [[traffic.stage]]";
        "rate": "the rate belongs to a stage: [[traffic.stage]]";
        "duration": "the duration belongs to a stage, as `for`: [[traffic.stage]]";
    }
}

const ARRIVALS: &[(&str, Arrivals, &str)] = &[
    ("uniform", Arrivals::Uniform, "evenly spaced: the k-th request comes where the cumulative rate reaches k"),
    ("poisson", Arrivals::Poisson, "independent arrivals: exponential gaps, and a count that varies with the seed"),
];

table! {
    /// The client's connections of one stream.
    ConnectionsFile {
        /// At most so many at once.
        max: At<u32> = default("max", integer::<u32>(1, 65_535), "256");
        /// When they are opened.
        open: At<Open> = default("open", choice(OPEN, &[]), "\"lazy\"");
    }
}

const OPEN: &[(&str, Open, &str)] = &[
    ("lazy", Open::Lazy, "when a request finds none idle: the client is cold too"),
    ("before", Open::Before, "all of them before time zero: the client is warm"),
];

table! {
    /// The bound on requests without an outcome, and what happens to an arrival beyond it.
    InFlightFile {
        /// At most so many at once.
        max: At<u32> = default("max", integer::<u32>(1, 10_000_000), "100000");
        /// What happens to an arrival beyond.
        policy: At<InFlightWord> = default("policy", choice(POLICIES, &[]), "\"drop\"");
        /// How many may wait their turn; needed with `policy = "queue"`, and only there.
        capacity: Option<At<u32>> = optional("capacity", integer::<u32>(1, 10_000_000));
    }
}

/// The word for the policy; its capacity stands beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InFlightWord {
    Drop,
    Queue,
}

const POLICIES: &[(&str, InFlightWord, &str)] = &[
    ("drop", InFlightWord::Drop, "it is counted as dropped and never sent"),
    ("queue", InFlightWord::Queue, "it waits first-in-first-out for its turn; beyond `capacity` it is dropped"),
];

table! {
    /// One kind of request. Exactly one of `get`, `post`, `put`, `delete`, `patch` and `head` gives method and path. A path
    /// may have one `{key}`, which `keys` fills in.
    RouteFile {
        /// The path and query of a GET.
        get: Option<At<String>> = optional("get", path_shape());
        /// The path and query of a POST.
        post: Option<At<String>> = optional("post", path_shape());
        /// The path and query of a PUT.
        put: Option<At<String>> = optional("put", path_shape());
        /// The path and query of a DELETE.
        delete: Option<At<String>> = optional("delete", path_shape());
        /// The path and query of a PATCH.
        patch: Option<At<String>> = optional("patch", path_shape());
        /// The path and query of a HEAD.
        head: Option<At<String>> = optional("head", path_shape());
        /// Its share of the mix, relative to the other entries.
        weight: At<f64> = default("weight", number(0.0, 1e9).above_least(), "1");
        /// The law of `{key}`; needed with `{key}`, and only there.
        keys: Option<At<KeysFile>> = optional("keys", nested::<KeysFile>());
        /// Extra headers by name. `Host`, `Content-Length`, `Connection` and their like are the client's own.
        headers: At<Vec<(At<String>, At<String>)>> = default(
            "headers",
            map("a header name", text("a header value", "\"en\"", |text, _| Some(text.to_owned())), 64),
            "{}",
        );
        /// The body as a text.
        body: Option<At<String>> = optional("body", text("a text", "\"a=1\"", |text, reading| reading.at_most(text, MOST_BODY)));
        /// The body as a value that is sent as JSON, with its `content-type`.
        json: Option<At<Node>> = optional("json", ANY);
        /// The statuses that count as ok. Left out: 200 to 399.
        expect: Option<At<Vec<At<u16>>>> = optional("expect", list(integer::<u16>(200, 599), 1, 100));
    }
    instead {
        "name": "a route is named by its method and path";
        "method": "write the method as the key of the path, such as get = \"/path\"";
        "path": "write the path under its method, such as get = \"/path\"";
        "url": "write the path under its method, such as get = \"/path\"";
    }
}

/// The largest body, in bytes.
pub(crate) const MOST_BODY: usize = 1 << 20;

fn path_shape() -> Text<String> {
    text("a path", "\"/items/{key}\"", path_template)
}

table! {
    /// The law of the keys 0 to count − 1.
    KeysFile {
        /// How many keys there are.
        count: At<u64> = required("count", integer::<u64>(1, 1_000_000_000));
        /// The Zipf exponent s: key k is drawn with a chance proportional to (k + 1)^−s; 0 is uniform.
        zipf: At<f64> = default("zipf", number(0.0, 20.0), "0");
    }
}

table! {
    /// A stretch of time with a rate. It covers its start exclusively and its end inclusively.
    StageFile {
        /// Its name, unique in its stream.
        name: At<String> = required("name", name_like("\"spike\""));
        /// How long it lasts.
        duration: At<Duration> = required("for", duration().above_zero());
        /// The rate within it.
        rate: At<Rate> = required("rate", RATE);
    }
    later {
        "users": "closed loops are not in this version; give the stage a rate";
        "spawn_rate": "closed loops are not in this version; give the stage a rate";
    }
    instead {
        "duration": "write how long under `for`";
        "target": "write the rate under `rate`; of a ramp { from, to }";
    }
}

table! {
    /// A rate that changes linearly over the stage.
    RampFile {
        /// At the stage's start.
        from: At<f64> = required("from", crate::shape::rate());
        /// At the stage's end.
        to: At<f64> = required("to", crate::shape::rate());
    }
}

table! {
    /// A wave: mean + amplitude × sin(2π t / period), t from the stage's start.
    SineFile {
        /// The average.
        mean: At<f64> = required("mean", crate::shape::rate());
        /// The largest deviation from it, at most the mean.
        amplitude: At<f64> = required("amplitude", crate::shape::rate());
        /// One full wave.
        period: At<Duration> = required("period", duration().above_zero());
    }
}

table! {
    /// Equal parts of the stage, one rate after the other.
    StepsFile {
        /// The rates.
        steps: At<Vec<At<f64>>> = required("steps", list(crate::shape::rate(), 1, 10_000));
    }
}
