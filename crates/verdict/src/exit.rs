//! Exit codes: what a caller can branch on.

use crate::{Judgement, Verdict};

/// How a run or a command ended, as a process exit code.
///
/// The order is the priority over several runs, the largest wins: 2 > 130 > 4 > 1 > 3 > 0. A wrong file stops everything, an
/// interruption leaves the rest unknown, an error of ours casts doubt on every number; after those, a proven failure says
/// more than a run that cannot tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Exit {
    /// 0: every expectation holds.
    #[default]
    Holds,
    /// 3: a run or an expectation is invalid, it cannot be told.
    Invalid,
    /// 1: an expectation does not hold.
    Fails,
    /// 4: an internal error.
    Internal,
    /// 130: interrupted; a partial report is written and says so.
    Interrupted,
    /// 2: the command line or a scenario is wrong; nothing ran.
    Usage,
}

impl Exit {
    /// The process's exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Holds => 0,
            Self::Fails => 1,
            Self::Usage => 2,
            Self::Invalid => 3,
            Self::Internal => 4,
            Self::Interrupted => 130,
        }
    }

    /// How a run with this verdict ended.
    pub fn of(verdict: &Verdict) -> Self {
        let of_outcome = match verdict.outcome {
            Judgement::Pass => Self::Holds,
            Judgement::Fail => Self::Fails,
            Judgement::Invalid => Self::Invalid,
        };
        let internal = if verdict.internal_error.is_some() { Self::Internal } else { Self::Holds };
        let interrupted = if verdict.is_interrupted { Self::Interrupted } else { Self::Holds };
        of_outcome.max(internal).max(interrupted)
    }
}

/// The exit of several runs: the one of highest priority; [`Exit::Holds`] of none.
impl FromIterator<Exit> for Exit {
    fn from_iter<I: IntoIterator<Item = Self>>(exits: I) -> Self {
        exits.into_iter().max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Exit::{self, Fails, Holds, Internal, Interrupted, Invalid, Usage};

    #[test]
    fn codes_and_priority_are_the_documented_ones() {
        let by_priority = [Usage, Interrupted, Internal, Fails, Invalid, Holds];
        assert_eq!(by_priority.map(Exit::code), [2, 130, 4, 1, 3, 0]);
        for (position, exit) in by_priority.iter().enumerate() {
            let and_lesser = by_priority[position..].iter().rev().copied();
            assert_eq!(and_lesser.collect::<Exit>(), *exit);
        }
        assert_eq!(std::iter::empty().collect::<Exit>(), Holds);
    }
}
