use super::*;
use proptest::prelude::*;

const TILING: Tiling = Tiling { from: 10, to: 45, per: 10 };

fn level_tiles(statistic: Statistic, reports: &[(u64, u64)], end: u64) -> TileValues {
    let mut tiles = LevelTiles::new(TILING, statistic);
    let mut held = None;
    for &(at, level) in reports {
        tiles.leave(held, at);
        tiles.enter(level, at);
        held = Some(Held { level, since: at });
    }
    tiles.finish(held, end)
}

#[test]
fn a_window_is_open_at_its_start_and_the_last_part_is_left_out() {
    let mut tiles = CountTiles::new(TILING);
    for at in [10, 11, 20, 21, 40, 41, 45, 46] {
        tiles.record(at, 1);
    }
    assert_eq!(tiles.finish(1000), (vec![Some(2.0), Some(1.0), Some(1.0)], false));
}

#[test]
fn a_run_that_ends_early_has_fewer_windows() {
    let mut tiles = CountTiles::new(TILING);
    tiles.record(15, 1);
    assert_eq!(tiles.clone().finish(29), (vec![Some(1.0)], false));
    assert_eq!(tiles.finish(9), (vec![], false));
}

#[test]
fn levels_carry_from_window_to_window() {
    let reports = [(0, 7), (15, 3), (40, 9)];
    assert_eq!(level_tiles(Statistic::Last, &reports, 100).0, [Some(3.0), Some(3.0), Some(9.0)]);
    assert_eq!(level_tiles(Statistic::Max, &reports, 100).0, [Some(7.0), Some(3.0), Some(9.0)]);
    assert_eq!(level_tiles(Statistic::Mean, &reports, 100).0, [Some(5.0), Some(3.0), Some(3.0)]);
}

#[test]
fn windows_before_the_first_report_have_no_level() {
    assert_eq!(level_tiles(Statistic::Last, &[(35, 3)], 100).0, [None, None, Some(3.0)]);
    assert_eq!(level_tiles(Statistic::Last, &[], 100).0, [None, None, None]);
}

#[test]
fn a_histogram_window_without_values_has_none() {
    let mut tiles = SampleTiles::new(TILING, Statistic::Quantile(0.5), 100);
    tiles.record(11, 5);
    tiles.record(31, 9);
    assert_eq!(tiles.clone().finish(100), (vec![Some(5.0), None, Some(9.0)], false));
    tiles.settle(21);
    tiles.record(12, 500);
    assert!(tiles.finish(100).1, "what comes after the watermark is told");
}

#[test]
fn too_many_windows_are_given_up() {
    let tiling = Tiling { from: 0, to: u64::MAX, per: 1 };
    let mut tiles = CountTiles::new(tiling);
    tiles.record(MAX_WINDOWS, 1);
    tiles.record(MAX_WINDOWS + 1, 1);
    assert!(!tiles.clone().finish(MAX_WINDOWS).1);
    assert!(tiles.finish(MAX_WINDOWS + 1).1);
    assert!(SampleTiles::new(tiling, Statistic::Max, 1).finish(MAX_WINDOWS + 1).1);
    let (values, is_given_up) = LevelTiles::new(tiling, Statistic::Max).finish(None, MAX_WINDOWS + 1);
    assert_eq!((values.len() as u64, is_given_up), (MAX_WINDOWS, true));
}

proptest! {
    #[test]
    fn settling_changes_nothing(mut events in proptest::collection::vec((0_u64..60, 0_u64..1000), 0..100)) {
        events.sort_unstable();
        let fill = |settles: bool| {
            let mut tiles = SampleTiles::new(TILING, Statistic::Quantile(0.9), 1 << 16);
            for (at, value) in &events {
                if settles {
                    tiles.settle(*at);
                }
                tiles.record(*at, *value);
            }
            tiles.finish(100)
        };
        prop_assert_eq!(fill(true), fill(false));
    }

    #[test]
    fn levels_equal_one_cell_per_window(
        mut reports in proptest::collection::vec((0_u64..60, 0_u64..10), 0..20),
        end in 0_u64..70,
    ) {
        reports.sort_by_key(|report| report.0);
        reports.retain(|report| report.0 <= end);
        for statistic in [Statistic::Min, Statistic::Max, Statistic::Mean, Statistic::Last] {
            let windows = TILING.whole(end);
            let (values, _) = level_tiles(statistic, &reports, end);
            prop_assert_eq!(values.len(), windows);
            for (window, value) in values.iter().enumerate() {
                let mut cell = LevelCell::new(TILING.end_of(window) - TILING.per, TILING.end_of(window));
                let mut held: Option<Held> = None;
                for &(at, level) in &reports {
                    if let Some(held) = held {
                        cell.leave(held, at);
                    }
                    cell.enter(level, at);
                    held = Some(Held { level, since: at });
                }
                let summary = cell.finish(held, end);
                prop_assert_eq!(*value, LevelTiles::new(TILING, statistic).value(&summary));
            }
        }
    }
}
