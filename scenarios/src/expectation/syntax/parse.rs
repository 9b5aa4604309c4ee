//! The parser: recursive descent over the words, one function per rule of the grammar.

use super::token::{Token, TokenKind, tokens};
use super::{
    BoundWritten, GoalWritten, MeasureWritten, Piece, ScopeWritten, SelectionWritten, SliceWritten, StageWritten,
    Written,
};
use crate::error::{Code, Finding};
use crate::expectation::{Comparison, Extreme, Statistic};
use crate::quantity::{QuantityError, clip, parse_duration, parse_rate, take_decimal};
use crate::shape::{Reading, suggestion};
use crate::source::Span;
use std::time::Duration;

/// The longest expectation, in bytes.
const LONGEST: usize = 1_000;
/// The largest bound: counts up to it are exact.
const LARGEST: f64 = 1e15;
/// The statistics, for messages. Any quantile is one.
const STATISTICS: [&str; 10] = ["p50", "p95", "p99", "min", "mean", "max", "last", "count", "rate", "ratio"];
/// Names of statistics in other tools.
const OTHER_STATISTICS: [(&str, &str); 9] = [
    ("avg", "mean"),
    ("average", "mean"),
    ("med", "p50"),
    ("median", "p50"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("sum", "count"),
    ("total", "count"),
    ("p", "p95"),
];

/// Reads one expectation; notes the first thing that is wrong.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Option<Written> {
    if text.len() > LONGEST {
        return reading.refuse(
            Code::OutOfRange,
            format!("the expectation has {} bytes", text.len()),
            format!("write at most {LONGEST}"),
        );
    }
    let mut parser = Parser { tokens: tokens(text), at: 0, reading };
    match parser.expectation(text) {
        Ok(written) => Some(written),
        Err(Wrong(finding)) => parser.reading.add(*finding),
    }
}

/// What is wrong, on its way out.
struct Wrong(Box<Finding>);

type Parsed<T> = Result<T, Wrong>;

struct Parser<'a, 'r, 'p> {
    /// The last one is the end, which is never passed.
    tokens: Vec<Token<'a>>,
    at: usize,
    reading: &'r mut Reading<'p>,
}

// === rules ===

impl<'a> Parser<'a, '_, '_> {
    fn expectation(&mut self, text: &str) -> Parsed<Written> {
        let measure = self.piece(Self::measure)?;
        let comparison = self.piece(Self::comparison)?;
        let bound = self.piece(Self::bound)?;
        let scope = self.piece(Self::scope)?;
        if self.peek().kind != TokenKind::End {
            return Err(self.unexpected("the end, or a scope such as `during spike` or `after spike`"));
        }
        Ok(Written { text: text.to_owned(), measure, comparison, bound, scope })
    }

    fn measure(&mut self) -> Parsed<MeasureWritten> {
        if self.peek().kind != TokenKind::Name {
            return Err(self.unexpected("a statistic such as `p95(latency)` or `count(ok)`"));
        }
        match self.peek().text {
            "ratio" => self.ratio(),
            "recovery" => self.recovery(),
            _ => self.statistic_or_extreme(),
        }
    }

    fn statistic_or_extreme(&mut self) -> Parsed<MeasureWritten> {
        let statistic = self.statistic()?;
        self.expect("(")?;
        let selection = self.selection()?;
        if !self.peek_is_name("per") {
            self.expect(")")?;
            return Ok(MeasureWritten::Statistic(statistic, selection));
        }
        let extreme = match statistic.value {
            Statistic::Min => Extreme::Min,
            Statistic::Max => Extreme::Max,
            _ => {
                let finding = self.finding(&self.peek().span, Code::Statistic, "only `min` and `max` take `per`");
                return Err(Wrong(Box::new(finding.help("write max(ok per 1s), or leave out `per`"))));
            }
        };
        let per = self.window()?;
        self.expect(")")?;
        Ok(MeasureWritten::Extreme(Piece { span: statistic.span, value: extreme }, selection, per))
    }

    fn ratio(&mut self) -> Parsed<MeasureWritten> {
        self.next();
        self.expect("(")?;
        let upper = self.selection()?;
        self.expect("/")?;
        let lower = self.selection()?;
        self.expect(")")?;
        Ok(MeasureWritten::Ratio(upper, lower))
    }

    fn recovery(&mut self) -> Parsed<MeasureWritten> {
        self.next();
        self.expect("(")?;
        let statistic = self.statistic()?;
        self.expect("(")?;
        let selection = self.selection()?;
        if !self.peek_is_name("per") {
            return Err(self.unexpected("`per` with a window, as in recovery(p95(latency per 500ms), 10% of quiet)"));
        }
        let per = self.window()?;
        self.expect(")")?;
        self.expect(",")?;
        let bound = self.piece(Self::bound)?;
        let goal = match (bound.value, self.peek_is_name("of")) {
            (BoundWritten::Percent(fraction), true) => {
                self.next();
                GoalWritten::Within(Piece { span: bound.span, value: fraction }, self.stage()?)
            }
            (BoundWritten::Percent(_), false) => return Err(self.unexpected("`of` and a stage, as in `10% of quiet`")),
            (_, true) => return Err(self.unexpected("`)`; only a percentage is `of` a stage, as in `10% of quiet`")),
            (_, false) => GoalWritten::AtMost(bound),
        };
        self.expect(")")?;
        Ok(MeasureWritten::Recovery { statistic, selection, per, goal })
    }

    fn statistic(&mut self) -> Parsed<Piece<Statistic>> {
        let token = self.peek().clone();
        if token.kind != TokenKind::Name {
            return Err(self.unexpected("a statistic such as p95, mean or count"));
        }
        let statistic = match token.text {
            "min" => Statistic::Min,
            "mean" => Statistic::Mean,
            "max" => Statistic::Max,
            "last" => Statistic::Last,
            "count" => Statistic::Count,
            "rate" => Statistic::Rate,
            word => match word.strip_prefix('p').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
                Some(digits) => self.quantile(&token, digits)?,
                None => return Err(self.unknown_statistic(&token)),
            },
        };
        self.next();
        Ok(Piece { span: self.span(&token.span), value: statistic })
    }

    fn quantile(&mut self, token: &Token<'a>, digits: &str) -> Parsed<Statistic> {
        /// More digits than any number of requests can tell apart.
        const MOST_DIGITS: usize = 12;
        let number = take_decimal(digits).filter(|(_, rest)| rest.is_empty() && !digits.contains('_'));
        let quantile = number.filter(|_| digits.len() <= MOST_DIGITS).map(|_| hundredth(digits));
        match quantile {
            Some(q) if q > 0.0 && q < 1.0 => Ok(Statistic::Quantile(q)),
            _ => {
                let message = format!("`{}` is not a quantile between p0 and p100, both excluded", clip(token.text));
                let finding = self.finding(&token.span, Code::Statistic, message);
                Err(Wrong(Box::new(finding.help("write p50, p95, p99.9 and the like; for the ends write min or max"))))
            }
        }
    }

    fn unknown_statistic(&mut self, token: &Token<'a>) -> Wrong {
        let follows = self.tokens.get(self.at + 1).is_some_and(|next| next.text == "(");
        if !follows {
            return self.unexpected("a statistic and a series in parentheses, such as `p95(latency)`");
        }
        let known = OTHER_STATISTICS.iter().find(|(other, _)| *other == token.text);
        let help = match known {
            Some((_, ours)) => format!("write `{ours}`, as in {ours}(…)"),
            None => suggestion(token.text, STATISTICS),
        };
        let message = format!("there is no statistic `{}`", clip(token.text));
        Wrong(Box::new(self.finding(&token.span, Code::UnknownName, message).help(help)))
    }

    fn selection(&mut self) -> Parsed<SelectionWritten> {
        let series = self.name("a series such as latency or db.connects")?;
        let mut labels = Vec::new();
        if self.accept("{") {
            loop {
                let key = self.name("a label: traffic, route, outcome or cold")?;
                self.expect("=")?;
                let value = self.label_value()?;
                labels.push((key, value));
                if !self.accept(",") {
                    break;
                }
            }
            self.expect("}")?;
        }
        Ok(SelectionWritten { series, labels })
    }

    fn label_value(&mut self) -> Parsed<Piece<String>> {
        let token = self.peek().clone();
        if !matches!(token.kind, TokenKind::Name | TokenKind::Quoted | TokenKind::Quantity) {
            return Err(self.unexpected("a name, or a text in quotes such as '/items/{key}'"));
        }
        self.next();
        Ok(Piece { span: self.span(&token.span), value: token.text.to_owned() })
    }

    /// `per duration`.
    fn window(&mut self) -> Parsed<Piece<Duration>> {
        self.next();
        let per = self.duration("a window such as 1s or 100ms")?;
        if per.value.is_zero() {
            let finding = Finding::new(Code::OutOfRange, &per.span, "the window must be above zero");
            return Err(Wrong(Box::new(finding.help("write a window such as 100ms"))));
        }
        Ok(per)
    }

    fn comparison(&mut self) -> Parsed<Comparison> {
        let comparison = match self.peek().text {
            "<=" => Comparison::AtMost,
            "<" => Comparison::Below,
            ">=" => Comparison::AtLeast,
            ">" => Comparison::Above,
            "==" => Comparison::Equal,
            _ => return Err(self.unexpected("a comparison: <=, <, >=, > or ==")),
        };
        self.next();
        Ok(comparison)
    }

    fn bound(&mut self) -> Parsed<BoundWritten> {
        let token = self.peek().clone();
        if token.text == "-" {
            let finding = self.finding(&token.span, Code::OutOfRange, "a bound cannot be negative");
            return Err(Wrong(Box::new(finding.help("nothing that is measured is below 0"))));
        }
        if token.kind != TokenKind::Quantity {
            return Err(self.unexpected("a bound such as 250ms, 400, 10/s or 95%"));
        }
        let Some((number, "")) = take_decimal(token.text) else {
            return self.duration("a bound").map(|duration| BoundWritten::Duration(duration.value));
        };
        self.next();
        if self.accept("%") {
            return Ok(BoundWritten::Percent(hundredth(number.text)));
        }
        if self.peek().text == "/" {
            self.next();
            let unit = self.next();
            let span = token.span.start..unit.span.end;
            let rate = parse_rate(&format!("{}/{}", number.text, unit.text));
            return rate.map(BoundWritten::PerSecond).map_err(|error| self.quantity(&span, &error));
        }
        if number.value() > LARGEST {
            let finding = self.finding(&token.span, Code::OutOfRange, "this number is too large");
            return Err(Wrong(Box::new(finding.help("nothing that is measured grows beyond 10^15"))));
        }
        Ok(BoundWritten::Number(number.value()))
    }

    fn scope(&mut self) -> Parsed<ScopeWritten> {
        match self.peek().text {
            "" => Ok(ScopeWritten::Run(None)),
            "during" => {
                self.next();
                self.during()
            }
            "after" => {
                self.next();
                let stage = self.stage()?;
                Ok(ScopeWritten::After(stage, self.slice()?))
            }
            _ => Err(self.unexpected("the end, or a scope: `during …` or `after …`")),
        }
    }

    fn during(&mut self) -> Parsed<ScopeWritten> {
        match self.peek().text {
            "run" => {
                self.next();
                Ok(ScopeWritten::Run(self.slice()?))
            }
            "first" => {
                self.next();
                let count = self.integer()?;
                if !self.peek_is_name("of") {
                    return Err(self.unexpected("`of` and a stage, as in `first 100 of spike`"));
                }
                self.next();
                Ok(ScopeWritten::First(count, self.stage()?))
            }
            _ => {
                let stage = self.stage()?;
                Ok(ScopeWritten::During(stage, self.slice()?))
            }
        }
    }

    fn slice(&mut self) -> Parsed<Option<SliceWritten>> {
        if !self.accept("[") {
            return Ok(None);
        }
        let from = self.duration("a time from the scope's start such as 0s")?;
        self.expect("..")?;
        let to = if self.peek().text == "]" { None } else { Some(self.duration("a time such as 500ms, or `]`")?) };
        self.expect("]")?;
        Ok(Some(SliceWritten { from, to }))
    }

    fn stage(&mut self) -> Parsed<Piece<StageWritten>> {
        let name = self.name("a stage such as spike")?;
        let value = match name.value.split_once('.') {
            Some((traffic, stage)) => StageWritten { traffic: Some(traffic.to_owned()), name: stage.to_owned() },
            None => StageWritten { traffic: None, name: name.value },
        };
        Ok(Piece { span: name.span, value })
    }
}

// === words ===

impl<'a> Parser<'a, '_, '_> {
    fn peek(&self) -> &Token<'a> {
        &self.tokens[self.at]
    }

    /// Takes a word; the end stays where it is.
    fn next(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn peek_is_name(&self, word: &str) -> bool {
        self.peek().kind == TokenKind::Name && self.peek().text == word
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = self.peek().kind == TokenKind::Symbol && self.peek().text == symbol;
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.accept(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn name(&mut self, what: &str) -> Parsed<Piece<String>> {
        if self.peek().kind != TokenKind::Name {
            return Err(self.unexpected(what));
        }
        let token = self.next();
        Ok(Piece { span: self.span(&token.span), value: token.text.to_owned() })
    }

    fn duration(&mut self, what: &str) -> Parsed<Piece<Duration>> {
        if self.peek().kind != TokenKind::Quantity {
            return Err(self.unexpected(what));
        }
        let token = self.next();
        match parse_duration(token.text) {
            Ok(value) => Ok(Piece { span: self.span(&token.span), value }),
            Err(error) => Err(self.quantity(&token.span, &error)),
        }
    }

    fn integer(&mut self) -> Parsed<Piece<u64>> {
        /// More requests than a run can have.
        const MOST: u64 = 1_000_000_000;
        let token = self.peek().clone();
        let plain: String = token.text.chars().filter(|c| *c != '_').collect();
        match plain.parse::<u64>() {
            Ok(value @ 1..=MOST) => {
                self.next();
                Ok(Piece { span: self.span(&token.span), value })
            }
            Err(_) if parse_duration(token.text).is_ok() => {
                let finding = self.finding(&token.span, Code::Scope, "`first … of` counts requests");
                let help = format!("for a time write a slice: `during spike[0s..{}]`", token.text);
                Err(Wrong(Box::new(finding.help(help))))
            }
            _ => Err(self.unexpected("a number of requests from 1 to 1000000000")),
        }
    }

    /// Runs a rule and notes where what it read stands.
    fn piece<T>(&mut self, rule: fn(&mut Self) -> Parsed<T>) -> Parsed<Piece<T>> {
        let first = self.at;
        let value = rule(self)?;
        let start = self.tokens[first].span.start;
        let end = if self.at > first { self.tokens[self.at - 1].span.end } else { start };
        Ok(Piece { span: self.span(&(start..end)), value })
    }
}

// === messages ===

impl Parser<'_, '_, '_> {
    /// The place in the file of a part of the text.
    fn span(&self, part: &Span) -> Span {
        self.reading.span(part.clone())
    }

    fn finding(&self, part: &Span, code: Code, message: impl Into<String>) -> Finding {
        Finding::new(code, &self.span(part), message)
    }

    fn quantity(&self, part: &Span, error: &QuantityError) -> Wrong {
        let code = if error.out_of_range { Code::OutOfRange } else { Code::Unit };
        Wrong(Box::new(self.finding(part, code, &error.message).help(error.help.replace('"', "`"))))
    }

    fn unexpected(&self, wanted: &str) -> Wrong {
        let token = self.peek();
        let found = match (token.kind, token.text) {
            (TokenKind::End, _) => "the expectation ends too early".to_owned(),
            (TokenKind::Strange, text) if text.starts_with(['"', '\'']) => "the quote is not closed".to_owned(),
            (_, text) => format!("`{}` does not belong here", clip(text)),
        };
        let help = match token.text {
            "=" => "to compare write ==".to_owned(),
            "=<" | "≤" => "write <=".to_owned(),
            "=>" | "≥" => "write >=".to_owned(),
            "!=" => "there is no !=; write < or >".to_owned(),
            "and" | "or" | "&&" => "write two expectations".to_owned(),
            _ => format!("expected {wanted}"),
        };
        let finding = self.finding(&token.span, Code::Expectation, found);
        Wrong(Box::new(finding.label("here").help(help)))
    }
}

/// A decimal number divided by a hundred, to the nearest floating-point number: 99.9 is 0.999 exactly as one writes it.
fn hundredth(decimal: &str) -> f64 {
    let plain: String = decimal.chars().filter(|c| *c != '_').collect();
    format!("{plain}e-2").parse().unwrap_or(f64::INFINITY)
}
