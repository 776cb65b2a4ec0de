//! The beginning of a segment, for each way in which threads may have taken values from the one
//! before.

use crate::segment::{Proposal, Segment, Start};

/// One nanosecond for a count.
const ONE: u64 = 1 << 32;

const OLD: Segment =
    Segment { base: 1_000, scale: ONE, mono: 50_000, reach: 800, end: 1_000, offset: 0, delta: 7 };

/// Measured at the count 1,500, where the old line gives 50,500; for a thousand counts.
const NEW: Proposal = Proposal {
    plain: false,
    anchor: 1_500,
    at: 50_480,
    scale: ONE,
    reach_at: 2_300,
    end_at: 2_500,
    offset: 0,
    delta: 9,
};

fn begin(old: &Segment, new: &Proposal, count: u64, kernel: Option<i64>) -> Segment {
    Start { count, kernel }.join(old, new)
}

#[test]
fn on_the_line_it_goes_on() {
    let joined = begin(&OLD, &NEW, 1_510, None);
    assert_eq!((joined.base, joined.mono, joined.reach, joined.end), (1_510, 50_510, 790, 990));
    assert_eq!((joined.scale, joined.offset, joined.delta), (ONE, 0, 9));
}

#[test]
fn behind_the_end_it_is_no_less_than_the_kernels_clock_was() {
    // The line that was measured is at 50,480 + 600; the kernel's clock was read before that.
    assert_eq!(begin(&OLD, &NEW, 2_100, Some(51_060)).mono, 51_080);
    assert_eq!(begin(&OLD, &NEW, 2_100, Some(51_095)).mono, 51_095);
    // If a thread had to wait for long, an old measurement does not take it ahead.
    assert_eq!(begin(&OLD, &NEW, 90_000, Some(51_060)).mono, 51_480);
    assert_eq!(begin(&OLD, &NEW, 90_000, Some(51_060)).end, 0);
}

#[test]
fn nor_than_where_the_line_ended() {
    // The counter has gone back, and the measured value is behind.
    let new = Proposal { anchor: 500, at: 50_990, reach_at: 1_300, end_at: 1_500, ..NEW };
    assert_eq!(begin(&OLD, &new, 505, Some(50_995)).mono, 51_000);
}

#[test]
fn values_of_the_kernels_clock_on_the_line() {
    assert_eq!(begin(&OLD, &NEW, 1_990, Some(51_400)).mono, 51_400);
    assert_eq!(begin(&OLD, &NEW, 1_990, Some(50_900)).mono, 50_990);
}

#[test]
fn leaving_the_line_allows_for_counts_that_were_read_late() {
    let new = Proposal { plain: true, scale: 0, reach_at: 0, end_at: 0, ..NEW };
    let old = Segment { reach: 8_000, end: 10_000, ..OLD };
    assert_eq!(begin(&old, &new, 1_510, None).mono, 51_510);
    assert_eq!(begin(&OLD, &new, 1_510, None).mono, 51_000);
    assert_eq!(begin(&old, &new, 1_510, None).beyond(40_000), 51_510);
    assert_eq!(begin(&old, &new, 1_510, None).beyond(60_000), 60_000);
}

#[test]
fn what_was_read_while_it_changed_does_no_harm() {
    for odd in [0, 1, i64::MAX.cast_unsigned(), u64::MAX] {
        let old = Segment { base: odd, scale: odd, mono: odd.cast_signed(), end: odd, ..OLD };
        let new = Proposal { anchor: odd, at: odd.cast_signed(), scale: odd, end_at: odd, ..NEW };
        for count in [0, 1_510, u64::MAX] {
            begin(&old, &new, count, None).beyond(0);
            begin(&old, &new, count, Some(i64::MAX)).beyond(i64::MAX);
        }
    }
}
