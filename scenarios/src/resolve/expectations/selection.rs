//! Series and their labels.

use super::Resolver;
use super::scope::Resolved;
use crate::error::{Code, Finding};
use crate::expectation::syntax::{Piece, SelectionWritten};
use crate::expectation::{Outcome, Selection};
use crate::quantity::clip;
use crate::resolve::observable::{labels, unobservable};
use crate::shape::{any_of, nearest, suggestion};
use crate::source::Span;
use crate::{Kind, Route, Series, Side};

impl Resolver<'_> {
    pub(super) fn selection(&mut self, written: &SelectionWritten) -> Option<Selection> {
        let series = self.series(&written.series)?;
        let mut selection = Selection { series, traffic: None, route: None, outcome: None, cold: None };
        let mut sound = true;
        for (index, (key, value)) in written.labels.iter().enumerate() {
            if let Some((first, _)) = written.labels[..index].iter().find(|(known, _)| known.value == key.value) {
                let finding =
                    Finding::new(Code::Duplicate, &key.span, format!("the label `{}` stands twice", clip(key)));
                sound = self.problems.add::<()>(finding.also(&first.span, "first here")).is_some();
                continue;
            }
            sound &= self.label(&mut selection, key, value).is_some();
        }
        sound.then_some(())?;
        self.routes_exist(&selection, written)?;
        Some(selection)
    }

    fn series(&mut self, written: &Piece<String>) -> Option<Series> {
        let Some(series) = Series::by_name(written) else {
            let names = Series::ALL.iter().map(|series| series.name());
            let guess = nearest(written, names).map(|guess| format!("did you mean `{guess}`? ")).unwrap_or_default();
            let finding =
                Finding::new(Code::UnknownName, &written.span, format!("there is no series `{}`", clip(written)));
            let help = format!("{guess}The scenario reference lists all {}", Series::COUNT);
            return self.problems.add(finding.help(help));
        };
        match unobservable(series, &self.scenario.target) {
            None => Some(series),
            Some(why) => {
                let code = if why.later { Code::NotSupported } else { Code::Unobservable };
                self.problems.add(Finding::new(code, &written.span, why.reason).help(why.help))
            }
        }
    }

    fn label(&mut self, selection: &mut Selection, key: &Piece<String>, value: &Piece<String>) -> Option<()> {
        let name = selection.series.name();
        let known = labels(selection.series);
        if key.value == "replica" {
            let finding = Finding::new(
                Code::NotSupported,
                &key.span,
                "`replica` is not supported: the catalog of this version is one process",
            );
            return self.problems.add(finding.help("leave the label out"));
        }
        if !known.contains(&key.value.as_str()) {
            let (message, help) = if known.is_empty() {
                (format!("`{name}` has no labels"), format!("write `{name}` alone"))
            } else {
                (format!("`{name}` has no label `{}`", clip(key)), suggestion(key, known.iter().copied()))
            };
            return self.problems.add(Finding::new(Code::Label, &key.span, message).help(help));
        }
        match key.value.as_str() {
            "traffic" => selection.traffic = Some(self.traffic(value)?),
            "route" => selection.route = Some(value.value.clone()),
            "outcome" => selection.outcome = Some(self.outcome(selection.series, value)?),
            _ => selection.cold = Some(self.truth(value)?),
        }
        Some(())
    }

    fn traffic(&mut self, value: &Piece<String>) -> Option<usize> {
        let names = self.scenario.traffic.iter().map(|traffic| traffic.name.as_str());
        if let Some(index) = names.clone().position(|name| name == value.value) {
            return Some(index);
        }
        let finding = Finding::new(Code::Label, &value.span, format!("there is no traffic `{}`", clip(value)));
        self.problems.add(finding.help(suggestion(value, names)))
    }

    fn outcome(&mut self, series: Series, value: &Piece<String>) -> Option<Outcome> {
        let Some(outcome) = Outcome::ALL.into_iter().find(|outcome| outcome.name() == value.value) else {
            let finding = Finding::new(Code::Label, &value.span, format!("there is no outcome `{}`", clip(value)));
            return self.problems.add(finding.help(suggestion(value, Outcome::ALL.map(Outcome::name))));
        };
        let counts = if series == Series::Latency { outcome.has_latency() } else { outcome != Outcome::Dropped };
        if counts {
            return Some(outcome);
        }
        let message = format!("`{}` does not count {} requests", series.name(), outcome.name());
        let help = if series == Series::Latency {
            "latency is over ok, timed_out and failed requests; `service` is over every answer"
        } else {
            "a dropped request was never sent"
        };
        self.problems.add(Finding::new(Code::Label, &value.span, message).help(help))
    }

    fn truth(&mut self, value: &Piece<String>) -> Option<bool> {
        match value.value.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => {
                let finding = Finding::new(Code::Label, &value.span, "`cold` is true or false");
                self.problems.add(finding.help("write cold=true or cold=false"))
            }
        }
    }

    /// Whether the route of a selection stands in a mix that it counts.
    fn routes_exist(&mut self, selection: &Selection, written: &SelectionWritten) -> Option<()> {
        let Some(route) = &selection.route else { return Some(()) };
        let streams = self.scenario.traffic.iter().enumerate();
        let counted = streams.filter(|(index, _)| selection.traffic.is_none_or(|traffic| traffic == *index));
        let routes: Vec<&Route> = counted.flat_map(|(_, stream)| &stream.mix).collect();
        if routes.iter().any(|known| known.path == *route || known.name() == *route) {
            return Some(());
        }
        let mut names: Vec<String> = routes.iter().map(|route| route.name()).collect();
        names.sort();
        names.dedup();
        let bare = routes.iter().map(|route| route.path.as_str());
        let guess = nearest(route, names.iter().map(String::as_str).chain(bare));
        let guess = guess.map(|guess| format!("did you mean `{guess}`? ")).unwrap_or_default();
        let span = written.labels.iter().find(|(key, _)| key.value == "route").map(|(_, value)| value.span.clone());
        let finding =
            Finding::new(Code::Label, &span.unwrap_or_default(), format!("nothing sends the route `{}`", clip(route)));
        self.problems
            .add(finding.help(format!("{guess}The mix has {}", any_of(names.iter().take(20).map(String::as_str)))))
    }

    /// What only series and scope together can tell.
    pub(super) fn selection_in_scope(
        &mut self,
        selection: &Selection,
        written: &SelectionWritten,
        scope: &Resolved,
        place: &Span,
    ) -> Option<()> {
        let (series, name) = (selection.series, selection.series.name());
        let per_request = series.side() == Side::Client && series.kind() != Kind::Gauge && !labels(series).is_empty();
        if scope.scope.first.is_some() && !per_request {
            let finding = Finding::new(
                Code::Scope,
                place,
                format!("`first … of` counts the client's requests, and `{name}` is not counted by request"),
            );
            return self.problems.add(finding.help("write a slice such as `during spike[0s..500ms]`"));
        }
        let Some(stream) = scope.scope.traffic else { return Some(()) };
        if selection.traffic.is_some_and(|traffic| traffic != stream) {
            let scoped = &self.scenario.traffic[stream].name;
            let message =
                format!("the scope is a stage of `{scoped}`, and the label names another stream: nothing is in both");
            let finding = Finding::new(Code::Label, &written.series.span, message);
            return self
                .problems
                .add(finding.also(place, "the scope").help("leave the label out; a stage restricts to its stream"));
        }
        if per_request && scope.scope.from >= self.scenario.traffic[stream].end() {
            let scoped = &self.scenario.traffic[stream].name;
            let message = format!(
                "`{scoped}` sends nothing in this scope: its last stage has ended, and requests count where they start"
            );
            let finding = Finding::new(Code::Scope, place, message);
            return self.problems.add(finding.help("add a stage after it, such as name = \"after\""));
        }
        Some(())
    }
}
