//! One stretch of a rate with a closed form or a bracket: its area, and the inverse of its cumulative rate.

use super::position::Position;
use std::f64::consts::PI;

const NANOS_PER_SECOND: f64 = 1e9;

/// How many intervals the table of a sine's period has; a power of two.
const SINE_INTERVALS: usize = 64;

/// The most steps a search inside one of them may take. Newton needs two or three; halving the longest possible bracket
/// down to a nanosecond needs fewer than 64.
const SEARCH_STEPS: usize = 64;

/// A stretch of one stage over which the rate has one form. It covers the time (start, start + duration] and, on the axis
/// of the cumulative rate, the positions (from, to].
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) stage: u16,
    /// Nanoseconds after time zero.
    pub(super) start: u64,
    /// Nanoseconds, above zero.
    pub(super) duration: u64,
    pub(super) from: Position,
    pub(super) to: Position,
    pub(super) shape: Shape,
}

/// The form of the rate, in arrivals per second, time in nanoseconds from the piece's start.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Constant { rate: f64 },
    Linear { from: f64, to: f64 },
    Sine(Box<Sine>),
}

/// A sine with whole periods folded away, so that no precision is lost far from the start.
#[derive(Clone, Debug)]
pub(super) struct Sine {
    /// Arrivals per nanosecond.
    mean: f64,
    /// Arrivals per nanosecond, at most the mean.
    amplitude: f64,
    period: u64,
    /// The cumulative rate at the ends of equal intervals of one period, from 0 to that of the whole period.
    table: [f64; SINE_INTERVALS + 1],
}

// === impl Piece ===

impl Piece {
    /// When `position`, which must be in (from, to], is reached, in nanoseconds after time zero.
    ///
    /// Rounded to the nearest nanosecond that the piece covers: an arrival at a stage's end belongs to it, and none is at
    /// its start.
    pub(super) fn time_of(&self, position: Position) -> u64 {
        let offset = position.since(self.from);
        let nanos = match &self.shape {
            Shape::Constant { rate } => offset * NANOS_PER_SECOND / rate,
            Shape::Linear { from, to } => {
                let square = if from < to {
                    from * from + 2.0 * offset * self.slope(*from, *to)
                } else {
                    // Counted from the end: near a rate of 0 the difference of two large squares would keep no digit.
                    to * to + 2.0 * self.to.since(position) * self.slope(*to, *from)
                };
                2.0 * offset * NANOS_PER_SECOND / (from + square.sqrt())
            }
            Shape::Sine(sine) => sine.time_of(offset),
        };
        self.start + ((nanos + 0.5) as u64).clamp(1, self.duration)
    }

    /// Change of the rate per second.
    fn slope(&self, low: f64, high: f64) -> f64 {
        (high - low) * NANOS_PER_SECOND / self.duration as f64
    }
}

// === impl Shape ===

impl Shape {
    /// The cumulative rate over the first `duration` nanoseconds, in arrivals.
    pub(super) fn area(&self, duration: u64) -> f64 {
        match self {
            Self::Constant { rate } => rate * duration as f64 / NANOS_PER_SECOND,
            Self::Linear { from, to } => 0.5 * (from + to) * duration as f64 / NANOS_PER_SECOND,
            Self::Sine(sine) => sine.area(duration),
        }
    }
}

// === impl Sine ===

impl Sine {
    /// `mean` and `amplitude` in arrivals per second, `period` in nanoseconds, above zero.
    pub(super) fn new(mean: f64, amplitude: f64, period: u64) -> Self {
        let mut sine = Self {
            mean: mean / NANOS_PER_SECOND,
            amplitude: amplitude / NANOS_PER_SECOND,
            period,
            table: [0.0; SINE_INTERVALS + 1],
        };
        for index in 1..=SINE_INTERVALS {
            sine.table[index] = sine.area_within(sine.interval() * index as f64).max(sine.table[index - 1]);
        }
        sine
    }

    fn interval(&self) -> f64 {
        self.period as f64 / SINE_INTERVALS as f64
    }

    fn area(&self, duration: u64) -> f64 {
        let periods = (duration / self.period) as f64;
        periods * self.table[SINE_INTERVALS] + self.area_within((duration % self.period) as f64)
    }

    /// ∫ mean + amplitude × sin(2πu/P) du from 0 to `nanos` = mean × nanos + amplitude × P/π × sin²(π nanos/P).
    ///
    /// The square of a sine keeps the digits of a small argument, which 1 − cos would lose.
    fn area_within(&self, nanos: f64) -> f64 {
        let sine = libm::sin(PI * nanos / self.period as f64);
        self.mean * nanos + self.amplitude * self.period as f64 / PI * sine * sine
    }

    fn rate_at(&self, nanos: f64) -> f64 {
        self.mean + self.amplitude * libm::sin(2.0 * PI * nanos / self.period as f64)
    }

    fn time_of(&self, offset: f64) -> f64 {
        let whole = self.table[SINE_INTERVALS];
        let periods = libm::floor(offset / whole);
        let rest = (offset - periods * whole).max(0.0);
        periods * self.period as f64 + self.time_within(rest)
    }

    /// When the cumulative rate of one period reaches `target`: Newton's method, kept inside a shrinking bracket because
    /// the derivative may be 0.
    fn time_within(&self, target: f64) -> f64 {
        let above = self.table.partition_point(|area| *area < target).clamp(1, SINE_INTERVALS);
        let (low_area, high_area) = (self.table[above - 1], self.table[above]);
        let mut low = self.interval() * (above - 1) as f64;
        let mut high = self.interval() * above as f64;
        let mut time = low + (high - low) * ((target - low_area) / (high_area - low_area)).clamp(0.0, 1.0);
        for _ in 0..SEARCH_STEPS {
            let excess = self.area_within(time) - target;
            if excess < 0.0 {
                low = time;
            } else {
                high = time;
            }
            let newton = time - excess / self.rate_at(time);
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            let step = (next - time).abs();
            time = next;
            if step < 0.05 || high - low < 0.25 {
                break;
            }
        }
        time
    }
}
