//! The scenario file as it is written: one declaration per table. See [`crate::shape`] for what is made of them.

mod event;
mod forms;
mod load;
mod target;
pub(crate) mod words;

pub(crate) use event::*;
pub(crate) use forms::*;
pub(crate) use load::*;
pub(crate) use target::*;

use crate::Mode;
use crate::expectation::syntax;
use crate::shape::{At, choice, integer, list, map, nested, table, text};
use words::{name, prose};

/// At most so many traffic streams.
pub(crate) const MOST_TRAFFIC: usize = 64;
/// At most so many stages in a stream.
pub(crate) const MOST_STAGES: usize = 1_000;
/// At most so many entries in a mix.
pub(crate) const MOST_ROUTES: usize = 256;
/// At most so many events.
pub(crate) const MOST_EVENTS: usize = 1_000;
/// At most so many expectations.
pub(crate) const MOST_EXPECTATIONS: usize = 256;

table! {
    /// One scenario. A file holds exactly one.
    ScenarioFile {
        /// What the scenario is called in reports.
        name: At<String> = required("name", prose("a name", "\"cold pool spike\""));
        /// One or more sentences about it. Left out: the comment at the top of the file, if there is one.
        about: Option<At<String>> = optional("about", prose("a text", "\"What it shows.\""));
        /// The seed of every random draw: the same file and seed give the same arrivals, keys and service times.
        seed: At<u64> = default("seed", integer::<u64>(0, u64::MAX), "1");
        /// The clock and wire to use; flags win over it. Left out: live, unless a flag says otherwise.
        mode: Option<At<Mode>> = optional("mode", choice(MODES, &[]));
        /// The streams of requests, side by side.
        traffic: At<Vec<At<TrafficFile>>> = required("traffic", list(nested::<TrafficFile>(), 1, MOST_TRAFFIC));
        /// What is aimed at: the embedded mock service, tier by tier, or a real one by its `url`. Left out: the mock service
        /// with every tier switched off, which answers at once.
        target: Option<At<TargetFile>> = optional("target", nested::<TargetFile>());
        /// Things that happen to the embedded target during the run.
        event: At<Vec<At<EventFile>>> = default("event", list(nested::<EventFile>(), 0, MOST_EVENTS), "[]");
        /// What must hold, by name; each line in the language of [expectations](#expectations).
        expect: At<Vec<(At<String>, At<syntax::Written>)>> = default(
            "expect",
            map("a name", text("an expectation", "\"p95(latency) <= 250ms during spike\"", syntax::read), MOST_EXPECTATIONS),
            "{}",
        );
    }
    later {
        "sessions": "this version sends single requests";
        "include": "a scenario is one file";
        "matrix": "a file holds one scenario";
    }
    instead {
        "stage": "stages belong to a stream: [[traffic.stage]]";
        "events": "write each event under [[event]]";
        "url": "the address belongs to the target: [target]";
        "thresholds": "what must hold stands under [expect]";
    }
}

const MODES: &[(&str, Mode, &str)] = &[
    ("live", Mode::Live, "real HTTP over TCP, in real time"),
    ("sim", Mode::Sim, "the embedded target in process, in virtual time: the same bytes for the same seed"),
];

/// A name that other places of the file can refer to.
pub(crate) fn name_like(example: &'static str) -> crate::shape::Text<String> {
    text("a name", example, name)
}
