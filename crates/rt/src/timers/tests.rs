//! The heap against a model: a sorted set of (deadline, class, order of insertion).

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

const CLASSES: [Class; 4] = [Class::Event, Class::Completion, Class::Timeout, Class::Arrival];

/// One step of a random program on the set.
#[derive(Clone, Debug)]
enum Step {
    Insert { deadline: u64, class: usize },
    Pop,
    PopDue { now: u64 },
    Release { which: usize },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (prop_oneof![0..8_u64, any::<u64>()], 0..4_usize)
            .prop_map(|(deadline, class)| Step::Insert { deadline, class }),
        1 => Just(Step::Pop),
        1 => (0..8_u64).prop_map(|now| Step::PopDue { now }),
        2 => any::<usize>().prop_map(|which| Step::Release { which }),
    ]
}

/// The reference: what is in the set, and which slot carries which number.
#[derive(Default)]
struct Model {
    pending: BTreeSet<(u64, Class, u64)>,
    slots: BTreeMap<u32, (u64, Class, u64)>,
}

fn check_pop(due: Option<&Due>, model: &mut Model, now: u64) {
    let expected = model.pending.first().copied().filter(|first| first.0 <= now);
    assert_eq!(due.map(|due| (due.deadline, due.class, due.owner)), expected);
    if let Some(first) = expected {
        model.pending.remove(&first);
    }
}

proptest! {
    #[test]
    fn pops_in_the_order_of_a_sorted_set(
        steps in prop::collection::vec(step(), 1..400),
        // Near the end of the numbers, so that entries are numbered anew on the way.
        numbers_left in 0..400_u64,
    ) {
        let mut timers = Timers::new();
        timers.next = NUMBERS_MAX - numbers_left;
        let mut model = Model::default();
        for (number, step) in (0_u64..).zip(steps) {
            match step {
                Step::Insert { deadline, class } => {
                    let slot = timers.insert(deadline, CLASSES[class], number, None);
                    let key = (deadline, CLASSES[class], number);
                    model.pending.insert(key);
                    prop_assert!(model.slots.insert(slot, key).is_none(), "a slot in use was given out again");
                }
                Step::Pop => check_pop(timers.pop().as_ref(), &mut model, u64::MAX),
                Step::PopDue { now } => check_pop(timers.pop_due(now).as_ref(), &mut model, now),
                Step::Release { which } if !model.slots.is_empty() => {
                    let (&slot, &key) = model.slots.iter().nth(which % model.slots.len()).unwrap();
                    prop_assert_eq!(timers.has_fired(slot), !model.pending.contains(&key));
                    prop_assert!(timers.release(slot).is_none());
                    model.slots.remove(&slot);
                    model.pending.remove(&key);
                }
                Step::Release { .. } => {}
            }
            prop_assert_eq!(timers.earliest(), model.pending.first().map(|first| first.0));
        }
        while !model.pending.is_empty() {
            check_pop(timers.pop().as_ref(), &mut model, u64::MAX);
        }
        prop_assert!(timers.pop().is_none());
    }
}
