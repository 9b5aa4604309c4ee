use super::*;
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;

#[test]
fn the_width_is_the_smallest_that_fits() {
    let width = |seconds: u64| Duration::from_nanos(width_for(seconds * SECOND)).as_millis();
    assert_eq!(width(0), 100);
    assert_eq!(width(600), 100);
    assert_eq!(width(601), 1000);
    assert_eq!(width(6000), 1000);
    assert_eq!(width(48 * 3600), 60_000);
    assert_eq!(width(6000 * 60 + 1), 600_000);
    assert_eq!(width(6000 * 600 + 1), 6_000_000);
}

fn counts(rows: &Rows, series: Series) -> Vec<u64> {
    (0..rows.len()).map(|row| rows.counter(series, row)).collect()
}

fn rows(fill: impl Fn(&mut OpenRows)) -> Rows {
    let mut open = OpenRows::new(10);
    fill(&mut open);
    open.finish(40, |_| None)
}

#[test]
fn a_row_is_open_at_its_start_and_closed_at_its_end() {
    let rows = rows(|open| {
        for at in [0, 1, 10, 11, 40, 41] {
            let row = open.of_event(at);
            open.add(Series::DbQueries, row, 1);
        }
    });
    assert_eq!(counts(&rows, Series::DbQueries), [3, 1, 0, 1, 1], "the late event gets a row of its own");
    assert!(rows.has_counter(Series::DbQueries) && !rows.has_counter(Series::DbConnects));
}

#[test]
fn events_after_the_last_possible_row_are_in_it() {
    let mut open = OpenRows::new(10);
    assert_eq!(open.of_event(u64::MAX), MAX_ROWS - 1);
    assert_eq!(open.of_event(10), 0);
}

#[test]
fn levels_fill_the_rows_between_reports() {
    let held = Held { level: 7, since: 5 };
    let mut open = OpenRows::new(10);
    open.gauge(Series::DbInFlight, None, 15, 2);
    open.gauge(Series::DbInFlight, Some(Held { level: 2, since: 15 }), 35, 7);
    let rows = open.finish(50, |series| (series == Series::DbInFlight).then_some(held));
    let row = |min, max, last| Some(GaugeRow { min, max, last });
    let found: Vec<_> = (0..6).map(|at| rows.gauge(Series::DbInFlight, at)).collect();
    assert_eq!(found, [None, row(2, 2, 2), row(2, 2, 2), row(2, 7, 7), row(7, 7, 7), None]);
}

#[test]
fn levels_of_time_zero_replace_each_other() {
    let mut open = OpenRows::new(10);
    open.gauge(Series::DbInFlight, None, 0, 9);
    open.gauge(Series::DbInFlight, Some(Held { level: 9, since: 0 }), 0, 4);
    let rows = open.finish(10, |_| None);
    assert_eq!(rows.gauge(Series::DbInFlight, 0), Some(GaugeRow { min: 4, max: 4, last: 4 }));
}

#[test]
fn coarser_rows_keep_counts_and_extremes() {
    let rows = rows(|open| {
        for (row, latency) in [(0, 5), (1, 50), (2, 7)] {
            open.add(Series::Ok, row, row as u64 + 1);
            open.latency(row, latency);
        }
        open.gauge(Series::DbInFlight, None, 12, 3);
        open.gauge(Series::DbInFlight, Some(Held { level: 3, since: 12 }), 14, 1);
    });
    let coarse = rows.coarsened(2);
    assert_eq!((coarse.width(), coarse.len()), (Duration::from_nanos(20), 2));
    assert_eq!(counts(&coarse, Series::Ok), [3, 3]);
    assert_eq!((coarse.latency(0).count, coarse.latency(0).max_ns, coarse.latency(0).p50_ns), (2, 50, 50));
    assert_eq!(coarse.gauge(Series::DbInFlight, 0), Some(GaugeRow { min: 1, max: 3, last: 1 }));
    assert_eq!(rows.coarsened(1), rows);
}

#[test]
fn rows_of_different_widths_merge_at_the_coarser() {
    let fine = rows(|open| (0..4).for_each(|row| open.add(Series::Ok, row, 1)));
    let mut merged = fine.coarsened(2);
    merged.merge(&fine);
    assert_eq!(counts(&merged, Series::Ok), [4, 4]);
    let mut other = fine.clone();
    other.merge(&fine.coarsened(2));
    assert_eq!(other, merged);
}
