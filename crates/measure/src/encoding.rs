//! How a recording's parts are written: histograms in HDR's own format, tables by series name, wide integers as text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2DeflateSerializer};

/// HDR's V2 encoding with DEFLATE, in base64.
pub(crate) fn encode_histogram(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).expect("writing to memory does not fail");
    STANDARD.encode(bytes)
}

fn decode_histogram(text: &str) -> Result<Histogram<u64>, String> {
    let bytes = STANDARD.decode(text).map_err(|error| error.to_string())?;
    let mut histogram: Histogram<u64> =
        Deserializer::new().deserialize(&mut bytes.as_slice()).map_err(|error| error.to_string())?;
    histogram.auto(true);
    Ok(histogram)
}

/// An optional histogram, as text.
pub(crate) mod histogram {
    use super::{decode_histogram, encode_histogram};
    use hdrhistogram::Histogram;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[expect(clippy::ref_option, reason = "serde hands over the field")]
    pub(crate) fn serialize<S: Serializer>(
        histogram: &Option<Box<Histogram<u64>>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        histogram.as_deref().map(encode_histogram).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Box<Histogram<u64>>>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| decode_histogram(&text).map(Box::new).map_err(D::Error::custom)).transpose()
    }
}

/// A 128-bit integer as decimal text: many readers of JSON keep 53 bits only.
pub(crate) mod text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(number: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A table indexed by series, as a map from series name to what is not empty. It survives a change of the registry's order.
pub(crate) mod by_series {
    use coldfront_scenarios::Series;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::{Serialize, Serializer};
    use std::collections::BTreeMap;

    pub(crate) fn serialize<S, T>(table: &[T], serializer: S) -> Result<S::Ok, S::Error>
    where
        S: Serializer,
        T: Serialize + Default + PartialEq,
    {
        let empty = T::default();
        serializer.collect_map(Series::ALL.iter().zip(table).filter(|(_, value)| **value != empty).map(named))
    }

    fn named<'a, T>((series, value): (&Series, &'a T)) -> (&'static str, &'a T) {
        (series.name(), value)
    }

    pub(crate) fn deserialize<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
    where
        D: Deserializer<'de>,
        T: Deserialize<'de> + Default,
    {
        let mut table: Vec<T> = Series::ALL.iter().map(|_| T::default()).collect();
        for (name, value) in BTreeMap::<String, T>::deserialize(deserializer)? {
            let series = Series::by_name(&name).ok_or_else(|| D::Error::custom(format!("unknown series {name:?}")))?;
            table[series.index()] = value;
        }
        Ok(table)
    }
}

/// An optional outcome, by name.
pub(crate) mod outcome {
    use coldfront_scenarios::Outcome;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[expect(clippy::trivially_copy_pass_by_ref, clippy::ref_option, reason = "serde hands over the field")]
    pub(crate) fn serialize<S: Serializer>(outcome: &Option<Outcome>, serializer: S) -> Result<S::Ok, S::Error> {
        outcome.map(Outcome::name).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Outcome>, D::Error> {
        let Some(name) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
        let found = Outcome::ALL.into_iter().find(|outcome| outcome.name() == name);
        found.map(Some).ok_or_else(|| D::Error::custom(format!("unknown outcome {name:?}")))
    }
}

/// An outcome that is always there, by its name.
pub(crate) mod outcome_name {
    use coldfront_scenarios::Outcome;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over the field")]
    pub(crate) fn serialize<S: Serializer>(outcome: &Outcome, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(outcome.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Outcome, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = Outcome::ALL.into_iter().find(|outcome| outcome.name() == name);
        found.ok_or_else(|| D::Error::custom(format!("no outcome is called {name}")))
    }
}
