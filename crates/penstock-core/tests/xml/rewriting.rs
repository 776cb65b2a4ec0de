//! What is written of a document reads as the document does.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use penstock_core::error::Fail;
use penstock_core::event::{Key, KeyKind, Scalar};
use penstock_core::forward;
use penstock_core::json;
use penstock_core::limits::Limits;
use penstock_core::options::Indent;
use penstock_core::protocol::{Hints, LookAhead, Sink, Step};
use penstock_core::source::{Detect, Window};
use penstock_core::writer::{ENOUGH, Unwritable, Writer as _};
use penstock_core::xml::writer::{Null, Records, Writer, WriterOptions};
use penstock_core::xml::{Options, Reader, Unresolved, XML};
use penstock_scan::ValidText;
use proptest::prelude::*;

use crate::config;
use crate::documents::{document, typed};
use crate::recording::{Answers, Cuts, Name, Recorder, What, chance, read};

/// A writer whose text is taken after some of the events.
struct Taken {
    writer: Writer,
    out: Vec<u8>,
    seed: u64,
    events: u64,
}

impl Taken {
    fn take(&mut self) {
        self.out.extend_from_slice(self.writer.ready());
        self.writer.taken();
    }
}

macro_rules! taking {
    ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(taking! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            let answer = self.writer.$method($($name),*);
            self.events += 1;
            if chance(self.seed, self.events, 3) {
                self.take();
            }
            answer
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        fn $method(&self, $($name: $kind),*) -> $result {
            self.writer.$method($($name),*)
        }
    };
}

impl Sink for Taken {
    type Error = Unwritable;
    forward!(sink, taking);
}
impl Hints for Taken {
    forward!(hints, taking);
}
impl LookAhead for Taken {
    forward!(ahead, taking);
}

/// Writes a document, and takes the text at points that the seed chooses.
fn rewritten(
    text: &str,
    reading: Options,
    options: WriterOptions,
    seed: u64,
) -> Result<String, Unwritable> {
    let writer = Writer::new(options, &Limits::default())?;
    let mut sink = Taken { writer, out: Vec::new(), seed, events: 0 };
    let mut reader = Reader::new(reading, &Limits::default());
    loop {
        match reader.run(ValidText::from(text), true, &mut sink) {
            Ok(Step::Done) => break,
            Ok(Step::Paused) => sink.take(),
            Ok(step) => panic!("{step:?}"),
            Err(Fail::Sink(error)) => return Err(error),
            Err(Fail::Input(fault)) => panic!("{fault}"),
        }
    }
    sink.writer.finish()?;
    sink.take();
    Ok(String::from_utf8(sink.out).unwrap())
}

/// The events of a document without their offsets; none if it has a fault.
fn events(text: &str, options: Options) -> Option<Vec<What>> {
    let mut recorder = Recorder::new(Answers { extras: true, ..Answers::default() });
    read(text, options, &Limits::default(), &Cuts::WHOLE, &mut recorder);
    let whats: Vec<What> = recorder.events.into_iter().map(|(_, what)| what).collect();
    (!matches!(whats.last(), Some(What::Fault(..)))).then_some(whats)
}

/// The events without the text of elements that contain no text in `model`, which must be white
/// space. The elements are numbered as they begin. If the document is `large`, white space is no
/// text.
fn without_indentation(model: &[What], events: Vec<What>, large: bool) -> Vec<What> {
    let is_text = |event: &What| match event {
        What::Piece(text) => !large || !text.trim().is_empty(),
        _ => false,
    };
    let places = |events: &[What]| {
        let (mut open, mut count, mut places) = (Vec::new(), 0, Vec::new());
        for event in events {
            match event {
                What::Begin => {
                    open.push(count);
                    count += 1;
                }
                What::End => {
                    open.pop();
                }
                _ => {}
            }
            places.push(open.last().copied());
        }
        places
    };
    let has_text: HashSet<usize> = (model.iter().zip(places(model)))
        .filter_map(|(event, place)| place.filter(|_| is_text(event)))
        .collect();
    let at = places(&events);
    let mut kept = Vec::new();
    for (event, place) in events.into_iter().zip(at) {
        match (&event, place) {
            (What::Piece(text), Some(place)) if !has_text.contains(&place) => {
                assert!(large || text.starts_with('\n') && text.trim().is_empty(), "{text:?}");
            }
            _ => kept.push(event),
        }
    }
    kept
}

/// Asserts that a document survives, however it is written. Returns whether it has no fault.
fn survives(text: &str, unresolved: Unresolved, seed: u64) -> bool {
    let plain = Options { unresolved, ..Options::default() };
    let Some(all) = events(text, plain) else { return false };
    let mut first = None;
    for declarations in [false, true] {
        let reading = Options { declarations, ..plain };
        for indent in [None, Some(1)] {
            // Both are combined in smaller documents.
            if text.len() > 1 << 20 && declarations != indent.is_some() {
                continue;
            }
            let indent = indent.map(Indent::spaces);
            let options = WriterOptions { indent, ..WriterOptions::default() };
            let out = rewritten(text, reading, options.clone(), 0).unwrap();
            let again = events(&out, Options::default());
            let again = again.unwrap_or_else(|| panic!("{text}\nbecomes\n{out}"));
            match indent {
                None => assert_eq!(again, all, "{text}\nbecomes\n{out}"),
                Some(_) => {
                    let large = text.len() > ENOUGH;
                    let expected = without_indentation(&all, all.clone(), large);
                    assert_eq!(without_indentation(&all, again, large), expected, "{text}");
                }
            }
            assert_eq!(rewritten(text, reading, options, seed).unwrap(), out);
            // Written again, it is the same text.
            if indent.is_none() && !declarations {
                assert_eq!(rewritten(&out, reading, WriterOptions::default(), 0).unwrap(), out);
                first = Some(out);
            }
        }
    }
    assert!(first.is_some());
    // Names as written.
    let reading = Options { namespaces: false, ..plain };
    let options = WriterOptions { namespaces: false, ..WriterOptions::default() };
    let out = rewritten(text, reading, options, seed).unwrap();
    let as_written = Options { namespaces: false, ..Options::default() };
    assert_eq!(events(&out, as_written), events(text, reading));
    assert_eq!(events(&out, Options::default()), Some(all));
    true
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn documents_survive(text in prop_oneof![3 => document(), 1 => typed()], seed in 1_u64..1_000) {
        survives(&text, Unresolved::Error, seed);
    }

    /// With prefixes of the caller's, names and values stay, and only prefixes change.
    #[test]
    fn prefixes_change_nothing_else(
        text in document(), chosen in 0_usize..4, default in 0_usize..4, declarations: bool,
    ) {
        let expanded = |text: &str| {
            let mut all = events(text, Options::default())?;
            for what in &mut all {
                if let What::Element(name) | What::Attribute(name) = what {
                    name.prefix = None;
                }
            }
            // The order of attributes stays, too.
            Some(all)
        };
        let Some(all) = expanded(&text) else { return Ok(()) };
        let uris = ["urn:p", "urn:q", "urn:d", "urn:other"];
        let prefixes = ["p", "q", "ns0", "p"].map(str::to_owned);
        let options = WriterOptions {
            prefixes: vec![(prefixes[chosen].clone(), uris[(chosen + default) % 4].to_owned())],
            default_namespace: (default < 3).then(|| uris[default].to_owned()),
            ..WriterOptions::default()
        };
        match rewritten(&text, Options { declarations, ..Options::default() }, options, 0) {
            Ok(out) => prop_assert_eq!(expanded(&out), Some(all), "{} becomes {}", text, out),
            // A declaration of the document against one of the options.
            Err(error) => {
                prop_assert!(declarations, "{}: {}", text, error);
                let reason = error.to_string();
                prop_assert!(reason.ends_with("would stand for two namespaces"), "{reason}");
            }
        }
    }

    /// Names of any namespaces with any prefixes keep their namespaces, or are refused.
    #[test]
    fn any_names(tree in tree(), prefixed: bool) {
        let options = WriterOptions {
            prefixes: if prefixed { vec![("p".into(), "urn:a".into())] } else { Vec::new() },
            default_namespace: prefixed.then(|| "urn:b".into()),
            ..WriterOptions::default()
        };
        let mut writer = Writer::new(options, &Limits::default()).unwrap();
        let mut expected = Vec::new();
        if told(&tree, &mut writer, &mut expected).is_err() || writer.finish().is_err() {
            return Ok(());
        }
        let out = std::str::from_utf8(writer.ready()).unwrap();
        let Some(mut found) = events(out, Options::default()) else { panic!("{out}") };
        for (found, expected) in found.iter_mut().zip(&mut expected) {
            if let (
                What::Element(found) | What::Attribute(found),
                What::Element(expected) | What::Attribute(expected),
            ) = (found, expected)
            {
                found.prefix = None;
                // The namespace of a name as written is that of its prefix.
                if expected.prefix.take().is_some() {
                    expected.namespace = found.namespace.clone();
                }
            }
        }
        prop_assert_eq!(found, expected, "{:?} becomes {}", tree, out);
    }

    /// What is written of any members reads without a fault, or is refused.
    #[test]
    fn whatever_is_written_can_be_read(json in members(), options in options(), seed in 0_u64..9) {
        let limits = Limits::default();
        let writer = Writer::new(options, &limits).unwrap();
        let mut sink = Taken { writer, out: Vec::new(), seed, events: 0 };
        let mut reader = json::Reader::new(json::Framing::Concatenated, &limits);
        let step = reader.run(ValidText::from(&*json), true, &mut sink);
        match step {
            Ok(step) => prop_assert_eq!(step, Step::Done),
            Err(Fail::Sink(_)) => return Ok(()),
            Err(Fail::Input(fault)) => panic!("{json}: {fault}"),
        }
        if sink.writer.finish().is_ok() {
            sink.take();
            let out = String::from_utf8(sink.out).unwrap();
            let reading = Options { namespaces: !json.contains("::"), ..Options::default() };
            prop_assert!(events(&out, reading).is_some(), "{json}\nbecomes\n{out}");
        }
    }
}

/// A name as an encoder gives it: a prefix, a namespace, and a local part.
type InputView = (Option<&'static str>, Option<&'static str>, &'static str);

/// An element with its attributes, and its child elements.
#[derive(Clone, Debug)]
struct Tree {
    name: InputView,
    attributes: Vec<InputView>,
    children: Vec<Tree>,
}

fn given() -> impl Strategy<Value = InputView> {
    let prefixes = [
        None,
        None,
        Some("p"),
        Some("p"),
        Some("q"),
        Some("ns0"),
        Some("ns1"),
        Some("xml"),
        Some("xmlns"),
        Some("a b"),
        Some(""),
    ];
    let uris = [
        None,
        None,
        Some(""),
        Some("urn:a"),
        Some("urn:b"),
        Some("urn:c"),
        Some("\"<&\n"),
        Some(XML),
        Some("http://www.w3.org/2000/xmlns/"),
    ];
    let names = ["a", "a", "b", "c", "d", "xmlns", "p:a", "é", "1"];
    let select = prop::sample::select::<&'static str>;
    (
        prop::sample::select(prefixes.to_vec()),
        prop::sample::select(uris.to_vec()),
        select(names.to_vec()),
    )
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = (given(), prop::collection::vec(given(), 0..4));
    let leaf = leaf.prop_map(|(name, attributes)| Tree { name, attributes, children: Vec::new() });
    leaf.prop_recursive(3, 10, 3, |inner| {
        let attributes = prop::collection::vec(given(), 0..3);
        (given(), attributes, prop::collection::vec(inner, 0..3))
            .prop_map(|(name, attributes, children)| Tree { name, attributes, children })
    })
}

/// Writes a tree, and notes the events that a reader of it should report, without prefixes.
fn told(tree: &Tree, writer: &mut Writer, events: &mut Vec<What>) -> Result<(), Unwritable> {
    let name = |writer: &mut Writer, given: InputView, kind| {
        let (prefix, namespace, local) = given;
        let key = Key {
            name: local.into(),
            namespace: namespace.map(Into::into),
            prefix: prefix.map(Into::into),
            kind,
        };
        writer.name(key, 0)?;
        let namespace = namespace.filter(|uri| !uri.is_empty()).map(str::to_owned);
        // The local part may begin with a prefix, too.
        let prefix = prefix.is_some() || local.contains(':');
        let prefix = (namespace.is_none() && prefix).then(|| "as written".to_owned());
        let local = local.rsplit(':').next().unwrap().to_owned();
        Ok::<Name, Unwritable>(Name { prefix, namespace, local })
    };
    events.push(What::Element(name(writer, tree.name, KeyKind::Element)?));
    writer.begin_map(0)?;
    events.push(What::Begin);
    for attribute in &tree.attributes {
        events.push(What::Attribute(name(writer, *attribute, KeyKind::Attribute)?));
        writer.scalar(Scalar::Int(1), 0)?;
        events.push(What::Value("1".to_owned()));
    }
    for child in &tree.children {
        told(child, writer, events)?;
    }
    writer.end_map(0)?;
    events.push(What::End);
    Ok(())
}

/// Records of JSON with keys and values that are often not possible in XML.
fn members() -> impl Strategy<Value = String> {
    let keys = [
        "a", "b", "p:c", "q:c", "@a", "@p:a", "@q:a", "@xmlns", "@xmlns:p", "@xmlns:q", "@xml:id",
        "@xsi:nil", "#text", "x y", "<", "@a='", "é",
    ];
    let key = prop::sample::select(
        [&keys[..], &["a", "b", "c", "d", "@a", "@b", "@xmlns:p", "#text"]].concat(),
    );
    let texts = [
        "\"\"",
        "\"x\"",
        "\"urn:p\"",
        "\"urn:q\"",
        "\"<&>\"",
        "\"]]\"",
        "\">\"",
        "\"\\u0001\"",
        "1",
        "null",
        "true",
        "\" \"",
        "\"\\r\\n\"",
    ];
    let texts = [&texts[..], &["\"x\"", "\"urn:p\"", "\"urn:q\"", "1", "2"]].concat();
    let scalar = prop::sample::select(texts).prop_map(str::to_owned);
    let value = scalar.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|items| format!("[{}]", items.join(","))),
            4 => prop::collection::vec((key.clone(), inner), 0..4).prop_map(|members| {
                let members: Vec<String> =
                    members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    });
    prop::collection::vec(value, 0..3).prop_map(|values| values.join("\n"))
}

fn options() -> impl Strategy<Value = WriterOptions> {
    let null = prop::sample::select(&[Null::Nil, Null::Empty, Null::Omit][..]);
    (any::<bool>(), any::<bool>(), any::<bool>(), null, any::<bool>()).prop_map(
        |(within, indented, rooted, null, prefixed)| WriterOptions {
            records: if within { Records::Within(Vec::new()) } else { Records::One },
            indent: indented.then_some(Indent::spaces(1)),
            root: rooted.then(|| "r".to_owned()),
            null,
            prefixes: match prefixed {
                true => vec![("p".to_owned(), "urn:p".to_owned())],
                false => Vec::new(),
            },
            default_namespace: prefixed.then(|| "urn:q".to_owned()),
            ..WriterOptions::default()
        },
    )
}

/// The files below a folder.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, all);
        } else {
            all.push(path);
        }
    }
}

#[test]
fn corpora_survive() {
    let corpora = env::var("PENSTOCK_CORPORA").unwrap_or_default();
    let folder = Path::new(&corpora).join("xml");
    if corpora.is_empty() || !folder.is_dir() {
        let required = env::var("PENSTOCK_REQUIRE_CORPORA").is_ok_and(|value| value == "1");
        assert!(!required, "the XML corpora not found: PENSTOCK_CORPORA={corpora}");
        eprintln!("the XML corpora not found, and skipped: PENSTOCK_CORPORA={corpora}");
        return;
    }
    let mut all = Vec::new();
    files(&folder, &mut all);
    let mut count = 0;
    for (path, seed) in all.iter().zip(1..) {
        let bytes = fs::read(path).unwrap();
        let mut window = Window::detecting(Detect::Xml, None);
        let pushed = window.push(&bytes).and_then(|()| window.finish());
        if pushed.is_ok() && window.finish_fault().is_none() {
            let text = window.text();
            count += usize::from(survives(text.as_str(), Unresolved::Text, seed));
        }
    }
    assert_eq!((count, all.len()), (515, 842));
}
