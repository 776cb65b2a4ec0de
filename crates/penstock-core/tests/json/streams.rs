//! Many values in one source: NDJSON, sequences, concatenated values; and how the reader continues
//! after a malformed value.

use penstock_core::error::Kind::{Malformed, Truncated};
use penstock_core::json::Framing::{self, Concatenated, Lines, Sequence};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::documents::{cuts, damaged, document};
use crate::naive::What::{self, BeginList, EndList, Fault};
use crate::recording::Cuts;
use crate::{config, expected, told};

const FRAMINGS: [Framing; 3] = [Lines, Sequence, Concatenated];

/// Values with separators of all framings between them, so that each framing gets valid and invalid
/// ones. For lines, most values are on one line.
fn stream() -> impl Strategy<Value = String> {
    let on_one_line = document().prop_map(|text| text.replace('\n', " "));
    let value = prop_oneof![4 => on_one_line, 1 => document(), 1 => damaged(document())];
    let separators =
        ["\n", "\n", "\r\n", "\n\n", "\u{1e}", "\n\u{1e}", "\n\u{1e}", " \u{1e}\u{1e}", " ", ""];
    let separated =
        (select(separators.to_vec()), value).prop_map(|(before, value)| before.to_owned() + &value);
    (vec(separated, 0..6), select(separators.to_vec()))
        .prop_map(|(values, end)| values.concat() + end)
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn streams_are_read_as_the_twin_reads_them(
        text in stream(), framing in select(FRAMINGS.to_vec()), cuts in cuts(), skips in 0_u64..4,
    ) {
        let expected = expected(&text, framing, skips);
        prop_assert_eq!(&told(&text, framing, &Cuts::WHOLE, skips), &expected);
        prop_assert_eq!(&told(&text, framing, &cuts, skips), &expected);
        prop_assert_eq!(&told(&text, framing, &Cuts::bytes(), skips), &expected);
    }

    /// Each line is read as if it were alone; an error in one line does not affect the others.
    #[test]
    fn each_line_stands_for_itself(values in vec(damaged(document()), 0..6), cuts in cuts()) {
        let lines: Vec<String> = values.iter().map(|value| value.replace('\n', " ") + "\n").collect();
        let mut alone = Vec::new();
        let mut from = 0;
        for line in &lines {
            let events = told(line, Lines, &Cuts::WHOLE, 0);
            alone.extend(events.into_iter().map(|(at, what)| (from + at, what)));
            from += line.len();
        }
        prop_assert_eq!(told(&lines.concat(), Lines, &cuts, 0), alone);
    }
}

fn number(at: usize, digits: &str) -> (usize, What) {
    (at, What::Number(digits.to_owned()))
}

/// The stream gives these events, however it is cut.
fn assert_told(text: &str, framing: Framing, expected: &[(usize, What)]) {
    for cuts in [Cuts::WHOLE, Cuts::bytes(), Cuts(vec![2, 3])] {
        assert_eq!(told(text, framing, &cuts, 0), expected, "{text:?} {cuts:?}");
    }
}

#[test]
fn lines() {
    assert_told("", Lines, &[]);
    assert_told("\n \r\n\t", Lines, &[]);
    assert_told("1\n\n \r\n2 \r\n3", Lines, &[number(0, "1"), number(6, "2"), number(10, "3")]);
    let bad = [number(0, "1"), (4, Fault(Malformed)), number(6, "4")];
    assert_told("1\n2 3\n4", Lines, &bad);
    let open = [(0, BeginList), (1, Fault(Malformed)), (3, Fault(Malformed)), number(5, "2")];
    assert_told("[\n1]\n2", Lines, &open);
    // The end of a list is reported when the end of the line shows that the line is valid.
    assert_told(
        "[] x\n[]",
        Lines,
        &[(0, BeginList), (3, Fault(Malformed)), (5, BeginList), (6, EndList)],
    );
    assert_told("1\n[", Lines, &[number(0, "1"), (2, BeginList), (3, Fault(Truncated))]);
    assert_told("\"a\n\"b\"\n", Lines, &[(2, Fault(Malformed)), (3, What::Text("b".into()))]);
    assert_told("tru\nnull\n", Lines, &[(0, Fault(Malformed)), (4, What::Null)]);
}

/// A backslash does not hide the end of a line.
#[test]
fn a_backslash_before_the_end_of_a_line() {
    assert_told("\"a\\\n1\n", Lines, &[(2, Fault(Malformed)), number(4, "1")]);
    assert_told("[\"\\\n1", Lines, &[(0, BeginList), (2, Fault(Malformed)), number(4, "1")]);
}

#[test]
fn sequences() {
    assert_told("", Sequence, &[]);
    assert_told(
        "\u{1e}1\n\u{1e}\u{1e}[]\u{1e}",
        Sequence,
        &[number(1, "1"), (5, BeginList), (6, EndList)],
    );
    // This value has no separator before it.
    assert_told(
        "1\n\u{1e}2\n3\n",
        Sequence,
        &[(0, Fault(Malformed)), number(3, "2"), (5, Fault(Malformed))],
    );
    // A number without white space after it may be truncated; a list shows its own end.
    assert_told("\u{1e}12", Sequence, &[(3, Fault(Truncated))]);
    assert_told("\u{1e}1\u{1e}2\n", Sequence, &[(2, Fault(Malformed)), number(3, "2")]);
    assert_told(
        "\u{1e}[\n1\u{1e}2\n",
        Sequence,
        &[(1, BeginList), number(3, "1"), (4, Fault(Malformed)), number(5, "2")],
    );
    assert_told("\u{1e}\"a\u{1e}null ", Sequence, &[(3, Fault(Malformed)), (4, What::Null)]);
}

#[test]
fn concatenated() {
    assert_told(" ", Concatenated, &[]);
    let texts = |at, text: &str| (at, What::Text(text.to_owned()));
    assert_told("1 2\n3", Concatenated, &[number(0, "1"), number(2, "2"), number(4, "3")]);
    assert_told(
        "\"a\"\"b\"1[]",
        Concatenated,
        &[texts(0, "a"), texts(3, "b"), number(6, "1"), (7, BeginList), (8, EndList)],
    );
    // Numbers and words do not show their end.
    assert_told("1-2", Concatenated, &[(1, Fault(Malformed))]);
    assert_told("truefalse", Concatenated, &[(4, Fault(Malformed))]);
    assert_told("[]]", Concatenated, &[(0, BeginList), (1, EndList), (2, Fault(Malformed))]);
}

/// After a fault in a single document, or in values without separators, nothing can be trusted.
#[test]
fn no_way_back_without_separators() {
    assert_told(
        "[1,]\n2",
        Framing::Document,
        &[(0, BeginList), number(1, "1"), (3, Fault(Malformed))],
    );
    assert_told("[1,]\n2", Concatenated, &[(0, BeginList), number(1, "1"), (3, Fault(Malformed))]);
}
