//! The kinds of problems.

use std::fmt;

macro_rules! codes {
    ($( $variant:ident, $name:literal, $about:literal; )*) => {
        /// What kind of problem it is; the name is stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $( #[doc = $about] $variant, )* }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )* ];

            /// The name: `scenario::unknown-key`.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => concat!("scenario::", $name), )* }
            }

            /// When it is used, in one sentence.
            pub const fn about(self) -> &'static str {
                match self { $( Self::$variant => $about, )* }
            }
        }
    };
}

codes! {
    Unreadable, "unreadable", "The file cannot be read, is not UTF-8 or is larger than 1 MiB.";
    Syntax, "syntax", "The file is not TOML.";
    UnknownKey, "unknown-key", "A table has a key that it does not take.";
    MissingKey, "missing-key", "A required key is not there.";
    WrongType, "wrong-type", "A value is of another type than the key takes.";
    Unit, "unit", "A duration or a rate has no unit, or one that is not known.";
    OutOfRange, "out-of-range", "A number, duration, rate or length is outside its range.";
    UnknownName, "unknown-name", "A word is none of those accepted at its place: a kind, a stage, a series, a route.";
    InvalidName, "invalid-name", "A name, path, header or address has characters or a form that is not accepted.";
    Duplicate, "duplicate", "A name that must be unique is used twice.";
    Conflict, "conflict", "Two settings contradict each other, or one needs another that is not there.";
    NotSupported, "not-supported", "Something that this version does not have.";
    Expectation, "expectation", "An expectation does not follow the grammar.";
    Statistic, "statistic", "A statistic does not apply to its series, or a comparison to its statistic.";
    Bound, "bound", "A bound has the wrong unit for what is measured.";
    Scope, "scope", "A scope is empty, outside the run, shorter than the window, or does not suit the measure.";
    Label, "label", "A label that the series does not have, or a value that nothing in the scenario has.";
    Unobservable, "unobservable", "A series that the chosen target cannot report.";
    Event, "event", "An event outside the run, or one that the target cannot do.";
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
