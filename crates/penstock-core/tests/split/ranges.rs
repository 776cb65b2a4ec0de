//! A text that is scanned in ranges has the points that one pass over it finds, however the ranges
//! begin.

use super::parts::{Form, Guessed, Way, in_ranges, planned};

/// Scans a text in so many ranges of the same size, compares the points with those of one pass, and
/// returns how many ranges were taken over as they were.
fn good(form: Form, text: &str, ranges: usize, guessed: Guessed) -> usize {
    let cuts: Vec<u64> = (1..text.len() as u64).step_by(97).collect();
    let bounds: Vec<u64> = (0..=ranges).map(|end| (text.len() * end / ranges) as u64).collect();
    let expected = planned(form, text, 4096, &cuts, Way::Reading).points;
    let (found, good) =
        in_ranges(form, text, 4096, &cuts, &bounds, guessed).expect("it has ranges");
    assert_eq!(found, expected);
    assert!(found.len() > text.len() / 1_000, "{} points", found.len());
    good
}

fn repeated(many: usize, one: impl Fn(usize) -> String, between: &str) -> String {
    (0..many).map(one).collect::<Vec<_>>().join(between)
}

#[test]
fn guesses_are_right_where_records_look_like_records() {
    let object = |n| format!("{{\"id\": {n}, \"é\": [\"}},{{\\\"\", {{\"b\": {n}}}]}}");
    let list = repeated(900, object, ", ");
    let row = |n| format!("{n},\"é\"\"x\ny\",{}", n * 7);
    let element = |n| format!("<item a='{n}'>é<b>x\n</b><!-- <i> --></item>");
    let inner = |n| format!("<m x='{n}'>{}</m>", repeated(20, element, "\n"));
    for (form, text) in [
        (Form::Lines, repeated(900, object, "\n\n")),
        (Form::Array, format!("[{list}]")),
        (Form::Array, format!("[{}]", repeated(900, |n| format!("{{\n \"id\": {n} }}"), ",\n"))),
        (Form::Inside, format!("{{\"a\": [{list}], \"b\": 7}}")),
        (Form::Rows, format!("a,b,c\n{}", repeated(900, row, "\n"))),
        (Form::Elements, format!("<list>{}</list>", repeated(40, inner, "\n"))),
        (Form::Children, format!("<list>{}</list>", repeated(900, element, ""))),
    ] {
        for ranges in [2, 7] {
            assert_eq!(good(form, &text, ranges, Guessed::Well), ranges, "{form:?}");
        }
        good(form, &text, 7, Guessed::Badly);
    }
}

/// What looks like the beginning of a record, and is none.
#[test]
fn wrong_guesses_cost_nothing_but_time() {
    let nested = |n| format!("{{\"id\":{n},\"in\":[{{\"id\":1}},{{\"id\":2}},{{\"id\":3}}]}}");
    let in_text = |n| format!("{{\"id\":{n},\"in\":\"}},{{\\\"id\\\":1}},{{\\\"id\\\":\"}}");
    let comment = |n| format!("<item>{n}<!-- <item>{n}</item> <item> --></item>");
    let section = |n| format!("<item>{n}<![CDATA[<item>{n}</item></list> <item>]]></item>");
    let inner = |n| format!("<item><item>{n}</item><item><item/></item></item>");
    let quotes = |n| format!("{n},\"x,\n\",\",\n\",y");
    for (form, text) in [
        (Form::Array, format!("[{}]", repeated(500, nested, ","))),
        (Form::Array, format!("[{}]", repeated(500, in_text, ","))),
        (Form::Children, format!("<list>{}</list>", repeated(500, comment, ""))),
        (Form::Children, format!("<list>{}</list>", repeated(500, section, ""))),
        (Form::Children, format!("<list>{}</list>", repeated(500, inner, ""))),
        (Form::Rows, format!("a,b,c,d\n{}", repeated(900, quotes, "\n"))),
    ] {
        for ranges in [2, 9] {
            good(form, &text, ranges, Guessed::Well);
            good(form, &text, ranges, Guessed::Badly);
        }
    }
}

/// The records are in several lists, of which the guess knows the first.
#[test]
fn other_lists_are_not_taken_for_the_first() {
    let object = |n| format!("{{\"id\":{n}}}");
    let list = format!("[{}]", repeated(200, object, ","));
    let same = format!("{{\"a\":{list},\"a\":{list},\"a\":{list}}}");
    let others = format!("{{\"a\":{list},\"b\":{list},\"c\":{list}}}");
    let lists = repeated(300, |n| format!("[{{\"id\":{n}}},{{\"id\":0}}]"), ",");
    for (text, least) in [(same, 4), (others, 2), (format!("[{lists}]"), 1)] {
        let found = good(Form::Inside, &text, 6, Guessed::Well);
        assert!((least..=6).contains(&found), "{found} of 6");
    }
    let element = |n| format!("<item>{n}</item>");
    let part = |n: usize| format!("<m{}>{}</m{0}>", n % 3, repeated(30, element, ""));
    let text = format!("<list>{}</list>", repeated(20, part, ""));
    assert!(good(Form::Elements, &text, 6, Guessed::Well) < 6);
}

/// A record is longer than several ranges.
#[test]
fn a_record_may_be_longer_than_ranges() {
    let long = "x".repeat(3_000);
    let text = format!("[{{\"a\":1}},{{\"a\":\"{long}\"}},{{\"a\":2}},{{\"a\":3}}]");
    let cuts: Vec<u64> = (1..text.len() as u64).collect();
    let bounds: Vec<u64> = (0..=20).map(|end| (text.len() * end / 20) as u64).collect();
    for guessed in [Guessed::Well, Guessed::Badly] {
        let expected = planned(Form::Array, &text, 64, &cuts, Way::Reading).points;
        let found = in_ranges(Form::Array, &text, 64, &cuts, &bounds, guessed).expect("ranges").0;
        assert_eq!((found.len(), found), (3, expected));
    }
}
