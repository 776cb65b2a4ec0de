//! Hops over records find the points that reading finds, whatever the records hold.

use super::parts::{Form, Shown, Way, planned, same, same_in};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const SPACES: &[&str] = &["", " ", "\n\t", "\r\n        "];

const SCALARS: &[&str] = &[
    "12",
    "-1.5e3",
    "null",
    "true",
    "\"\"",
    "\"é}],{[\\n\"",
    r#""\\""#,
    r#""\\\"]\\""#,
    r#""a\"b,\"c""#,
    r#""\u005d\\\\\\""#,
    "\"漢[𝄞{\"",
    r#""0123456789012345678901234567890123456789012345678901234567890123\\""#,
];

/// Values whose strings hold all that could be taken for structure, minified or with spaces.
fn value() -> impl Strategy<Value = String> {
    let scalar = prop::sample::select(SCALARS).prop_map(str::to_owned);
    scalar.prop_recursive(4, 24, 5, |inner| {
        let space = prop::sample::select(SPACES);
        let many = (prop::collection::vec(inner, 0..5), space, any::<bool>());
        many.prop_map(|(items, space, is_map)| {
            let comma = format!("{space},{space}");
            if is_map {
                let member = |(n, item)| format!("\"k\\\"{n}\"{space}:{space}{item}");
                let members: Vec<String> = items.iter().enumerate().map(member).collect();
                format!("{{{space}{}{space}}}", members.join(&comma))
            } else {
                format!("[{space}{}{space}]", items.join(&comma))
            }
        })
    })
}

const LEAVES: &[&str] = &[
    "<item/>",
    "<item />",
    "<items/>",
    "<item-a>x</item-a >",
    "<p:item>/></p:item>",
    "text / > ' \" &lt; &#62; é",
    "]] >",
    "\r\n    ",
    "<!-- <item> - > -->",
    "<!---->",
    "<!-- - <item a='-->",
    "<![CDATA[<item> ]]]]>",
    "<![CDATA[]]>",
    "<?item <item> ? ?>",
    "<other a=\"it's > \" b='\"/>' c = '>' d=\"/\"/>",
    "<item a='1'\n b='/' >7</item>",
    "<a012345678901234567890123456789012 b=\"0123456789012/>0123456789012345678901234567890\"/>",
];

/// Elements with children of any name, also of their own, and all other markup.
fn element() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(LEAVES).prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 5, |inner| {
        let name = prop::sample::select(&["item", "items", "p:item", "other", "m", "list"][..]);
        let tag =
            prop::sample::select(&["", " a='>'", " a=\"'>\"", " xmlns:q=\"urn:'\"", "\n"][..]);
        (prop::collection::vec(inner, 0..5), name, tag)
            .prop_map(|(inside, name, tag)| format!("<{name}{tag}>{}</{name}>", inside.concat()))
    })
}

/// Lines that are empty, in error, or begin with what others do not.
const LINES: &[&str] = &[
    "",
    " \t",
    "1 2",
    "{\"a\":1} x",
    "{\"a",
    "]",
    "\u{feff}",
    "\u{feff}[1]",
    "é",
    "tru",
    "\u{1}",
    "[1,",
];

/// Cells of rows, some of which are in error.
const CELLS: &[&str] = &["", "a", "é", "\"x\n5,6\"", "\"q\"\"\n\"", "\"\"", "01234567890123456789"];
const ROWS: &[&str] =
    &["", "1", "1,2,3,4", "a\"b,2,3", "\"a\"b,2,3", "1,\"2,3", "1,\0,3", "\r", " ", "\"\"", "\"\n"];

const JSON_FAULTS: &[&str] = &["\"", "\\", "]", "{", ",", "\n", "x"];

const XML_FAULTS: &[&str] =
    &["\"", "'", "<", ">", "</item>", "<item>", "&", "<!", "]]>", "/", "-->", "\u{1}"];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 120,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn of_json(
        values in prop::collection::vec(value(), 0..20), form in prop::sample::select(&[Form::Array, Form::Inside][..]),
        step in prop_oneof![1..90_usize, Just(4096)], cuts in prop::collection::vec(0..2_000_u64, 0..8),
        fault in prop::option::weighted(0.3, (any::<prop::sample::Index>(), prop::sample::select(JSON_FAULTS))),
    ) {
        let mut cuts = cuts;
        cuts.sort_unstable();
        let list = format!("[{}]", values.join(","));
        let mut text = match form {
            Form::Inside => format!("{{\"a\":1,\"b\":{list},\"c\":{{\"d\":{list}}},\"e\":{list}}}"),
            _ => list,
        };
        if let Some((at, fault)) = fault {
            let at = text.floor_char_boundary(at.index(text.len()));
            text.insert_str(at, fault);
        }
        same_in(form, &text, step, &cuts, Shown::Place);
    }

    #[test]
    fn of_lines(
        lines in prop::collection::vec(prop_oneof![4 => value(), 1 => prop::sample::select(LINES).prop_map(str::to_owned)], 0..20),
        end in prop::sample::select(&["\n", "\r\n", " \n \t"][..]),
        step in prop_oneof![1..90_usize, Just(4096)], cuts in prop::collection::vec(0..1_000_u64, 0..8),
    ) {
        let mut cuts = cuts;
        cuts.sort_unstable();
        let lines: Vec<String> = lines.iter().map(|line| line.replace('\n', " ")).collect();
        same_in(Form::Lines, &lines.join(end), step, &cuts, Shown::Place);
    }

    #[test]
    fn of_rows(
        rows in prop::collection::vec(
            prop_oneof![
                9 => prop::collection::vec(prop::sample::select(CELLS), 3).prop_map(|row| row.join(",")),
                1 => prop::sample::select(ROWS).prop_map(str::to_owned),
            ],
            0..40,
        ),
        header in prop::sample::select(&["a,b,c", "a"][..]), end in prop::sample::select(&["\n", "\r\n"][..]),
        step in prop_oneof![1..90_usize, Just(4096)], cuts in prop::collection::vec(0..800_u64, 0..8),
    ) {
        let mut cuts = cuts;
        cuts.sort_unstable();
        same_in(Form::Rows, &format!("{header}{end}{}", rows.join(end)), step, &cuts, Shown::Place);
    }

    #[test]
    fn of_xml(
        children in prop::collection::vec(element(), 0..20), form in prop::sample::select(&[Form::Elements, Form::Children][..]),
        step in prop_oneof![1..90_usize, Just(4096)], cuts in prop::collection::vec(0..2_000_u64, 0..8),
        fault in prop::option::weighted(0.3, (any::<prop::sample::Index>(), prop::sample::select(XML_FAULTS))),
    ) {
        let mut cuts = cuts;
        cuts.sort_unstable();
        let mut text = format!("<list xmlns:p='urn:p'><m>{}</m> <n/><o>{}</o></list>\n", children.concat(), children.join("\n"));
        if let Some((at, fault)) = fault {
            let at = text.floor_char_boundary(at.index(text.len()));
            text.insert_str(at, fault);
        }
        same_in(form, &text, step, &cuts, Shown::Place);
    }
}

/// How many bytes are hopped over between such points.
fn hopped(form: Form, text: &str, step: usize, cuts: &[u64]) -> u64 {
    planned(form, text, step, cuts, Way::Hopping).passed
}

/// What is between two points is hopped over: all but a few records beside the points.
#[test]
fn most_of_a_text_is_hopped_over() {
    let object = r#"{"a": [1, "]"], "b": {"c": "\""}},"#;
    let element = "<item a=\"/>\"><item/><b>x</b></item>\n<other/><!-- <item> -->";
    let (array, elements) = (object.repeat(1_000), element.repeat(1_000));
    let array = format!("[{}]", array.trim_end_matches(','));
    for (form, text) in [
        (Form::Lines, object.replace("},", "}\n \n").repeat(1_000)),
        (Form::Array, array.clone()),
        (Form::Inside, format!("{{\"a\": {array}, \"b\": 7}}")),
        (Form::Elements, format!("<list><m>{elements}</m></list>")),
        (Form::Children, format!("<list>{elements}</list>")),
        (Form::Rows, format!("a,b\n{}", "1,\"x\n\"\"y\"\n\r\n2,z\n".repeat(2_000))),
    ] {
        let cuts = [text.len() as u64 / 2, text.len() as u64];
        let passed = hopped(form, &text, 4096, &cuts) as usize;
        assert!(passed > text.len() * 9 / 10, "{form:?}: {passed} of {}", text.len());
        assert_eq!(same(form, &text, 4096, &cuts), 2, "{form:?}");
    }
}

/// Where nothing can be hopped over, each record is read as before.
#[test]
fn records_with_entities_are_read() {
    let elements = "<item>&e;</item>".repeat(100);
    let text = format!("<!DOCTYPE list [<!ENTITY e '<item>'>]><list><m>{elements}</m></list>");
    assert_eq!(hopped(Form::Elements, &text, 4096, &[700]), 0);
}
