//! Benchmarks, a file per question. This library is empty; the questions are in `benches/`.
//!
//! Run one with `cargo bench -p coldfront-benches --bench schedule`. Each prints a peer beside the thing measured, in the
//! same run: quote their ratio, not a single absolute time. What was measured is in `docs/performance.md`.
