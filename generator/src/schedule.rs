//! When each arrival of a stream is due: a pure, seeded function of the stream.
//!
//! A renewal process of unit rate (gaps of exactly 1, or exponential ones of mean 1) gives the positions s₁ < s₂ < …; the
//! k-th arrival comes at the moment t where the cumulative rate Λ, the integral of the rate from 0 to t, reaches sₖ. So a
//! uniform schedule has its k-th arrival where Λ is k, a Poisson schedule is a true non-homogeneous Poisson process, and
//! neither knows anything of seconds, ticks or buckets. The rate may start at, touch and end at 0. (Inversion of the
//! cumulative rate: E. Çinlar, *Introduction to Stochastic Processes*, 1975.)
//!
//! Positions are exact integers, so nothing drifts however long the run; each time is computed from its position by the
//! exact inverse of Λ: in closed form where the rate is constant or linear, by a bracketed search where it is a sine.
//! Fractions of an arrival carry over from one stage to the next. Intervals are (start, end]: an arrival at a stage's end
//! belongs to that stage.

mod piece;
mod position;
#[cfg(test)]
mod tests;

use coldfront_clock::{Instant, nanos_of};
use coldfront_rt::{Draws, Stream};
use coldfront_scenarios::{Arrivals, Rate, Stage, Traffic};
use piece::{Piece, Shape, Sine};
use position::Position;

/// The stream of draws that the exponential gaps come from.
const GAPS: Stream = Stream::named("generator.gaps");

/// One arrival that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// When, after time zero; never before the arrival ahead of it.
    pub at: Instant,
    /// The stage it belongs to, an index into the stream's stages.
    pub stage: u16,
    /// Its number in the whole schedule, from 0; the shards of a schedule keep the numbers.
    pub sequence: u64,
}

/// The arrivals of one stream, in order; ends when its stages end.
///
/// An item costs a few nanoseconds where gaps are uniform and the rate is constant, and allocates nothing.
#[derive(Clone, Debug)]
pub struct Schedule {
    pieces: Vec<Piece>,
    stages: usize,
    gaps: Gaps,
    shard: Shard,
    /// Index of the piece that the last arrival was in.
    piece: usize,
    /// Where the last arrival was on the axis of the cumulative rate.
    position: Position,
    /// The number of the next arrival.
    sequence: u64,
    last: u64,
}

/// The unit-rate process.
#[derive(Clone, Debug)]
enum Gaps {
    Uniform,
    Exponential(Draws),
}

/// Every `of`-th arrival, beginning with number `index`.
#[derive(Clone, Copy, Debug)]
struct Shard {
    index: u64,
    of: u64,
}

// === impl Schedule ===

impl Schedule {
    /// The schedule of `traffic`, the stream of this `index` in the scenario, under `seed`.
    ///
    /// Streams of one scenario draw independently of each other.
    pub fn new(traffic: &Traffic, index: u16, seed: u64) -> Self {
        let gaps = match traffic.arrivals {
            Arrivals::Uniform => Gaps::Uniform,
            Arrivals::Poisson => Gaps::Exponential(GAPS.draws(seed, u64::from(index))),
        };
        Self {
            pieces: pieces_of(&traffic.stages),
            stages: traffic.stages.len(),
            gaps,
            shard: Shard { index: 0, of: 1 },
            piece: 0,
            position: Position::ZERO,
            sequence: 0,
            last: 0,
        }
    }

    /// The `index`-th of `of` equal shares: every `of`-th arrival from number `index` on, with its time, stage and number
    /// in the whole. Together the shares are the whole. Call it on a schedule that has not begun.
    ///
    /// # Panics
    /// If `index` is not below `of`, or the schedule is a share already.
    #[must_use]
    pub fn shard(self, index: u32, of: u32) -> Self {
        assert!(index < of, "share {index} of {of} does not exist");
        assert!(self.shard.of == 1, "a share cannot be shared again");
        Self { shard: Shard { index: u64::from(index), of: u64::from(of) }, ..self }
    }

    /// How many arrivals are still to come, per stage; over a schedule that has not begun, the plan.
    ///
    /// Constant time for uniform gaps; otherwise every remaining gap is drawn, about 10 ns each.
    pub fn planned(&self) -> Vec<u64> {
        let mut counts = vec![0; self.stages];
        if let Gaps::Uniform = self.gaps {
            for piece in &self.pieces {
                let (from, to) = (piece.from.whole().max(self.sequence), piece.to.whole().max(self.sequence));
                counts[usize::from(piece.stage)] += self.shard.below(to) - self.shard.below(from);
            }
        } else {
            let mut rest = self.clone();
            while let Some(piece) = rest.advance() {
                counts[usize::from(rest.pieces[piece].stage)] += 1;
            }
        }
        counts
    }

    /// Steps to the next arrival of the share; gives the index of its piece, or `None` after the last.
    fn advance(&mut self) -> Option<usize> {
        loop {
            self.position = match &mut self.gaps {
                Gaps::Uniform => self.position.next(),
                Gaps::Exponential(draws) => self.position.after(-libm::log(draws.open_unit())),
            };
            while self.position > self.pieces.get(self.piece)?.to {
                self.piece += 1;
            }
            let sequence = self.sequence;
            self.sequence += 1;
            if self.shard.of == 1 || sequence % self.shard.of == self.shard.index {
                return Some(self.piece);
            }
        }
    }
}

impl Iterator for Schedule {
    type Item = Due;

    fn next(&mut self) -> Option<Due> {
        let index = self.advance()?;
        let piece = &self.pieces[index];
        // Two arrivals closer than a rounding error could come out of the floating-point inverse in the wrong order.
        self.last = piece.time_of(self.position).max(self.last);
        Some(Due { at: Instant::from_nanos(self.last), stage: piece.stage, sequence: self.sequence - 1 })
    }
}

impl std::iter::FusedIterator for Schedule {}

// === impl Shard ===

impl Shard {
    /// How many arrivals of the share have a number below `sequence`.
    fn below(self, sequence: u64) -> u64 {
        (sequence + self.of - 1 - self.index) / self.of
    }
}

/// The stages cut into pieces of one form each, with the positions that each covers.
fn pieces_of(stages: &[Stage]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut from = Position::ZERO;
    for (index, stage) in stages.iter().enumerate() {
        let mut start = nanos_of(stage.start);
        for (duration, shape) in shapes_of(stage) {
            let to = from.plus(Position::of(shape.area(duration))).snapped().max(from);
            pieces.push(Piece { stage: index as u16, start, duration, from, to, shape });
            start += duration;
            from = to;
        }
    }
    pieces
}

fn shapes_of(stage: &Stage) -> Vec<(u64, Shape)> {
    let duration = nanos_of(stage.duration);
    match &stage.rate {
        Rate::Constant(rate) => vec![(duration, Shape::Constant { rate: *rate })],
        Rate::Ramp { from, to } => vec![(duration, Shape::Linear { from: *from, to: *to })],
        Rate::Step(rates) => {
            let end_of = |part: usize| (u128::from(duration) * part as u128 / rates.len() as u128) as u64;
            let part = |(part, rate): (usize, &f64)| (end_of(part + 1) - end_of(part), Shape::Constant { rate: *rate });
            rates.iter().enumerate().map(part).filter(|(duration, _)| *duration > 0).collect()
        }
        Rate::Sine { mean, amplitude, period } => {
            vec![(duration, Shape::Sine(Box::new(Sine::new(*mean, *amplitude, nanos_of(*period).max(1)))))]
        }
    }
}
