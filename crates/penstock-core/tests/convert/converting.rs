//! Converts text in memory, cut in any way.

use penstock_core::convert::{Conversion, ForceList, Form, Settings, Unfinished};
use penstock_core::formats::{AnyWriter, Reader};
use penstock_core::json::writer as json;
use penstock_core::limits::Limits;
use penstock_core::protocol::FormatReader;
use penstock_core::run::{Failure, Policy, Problem, Run, Turn, Windows};
use penstock_core::select::{Path, Records};
use penstock_core::source::Detect;
use penstock_core::xml::writer as xml;
use penstock_core::{json as json_in, xml as xml_in};
use penstock_scan::ValidText;

/// A format on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Json,
    Lines,
    Xml,
}

/// How a text is converted.
#[derive(Clone, Debug)]
pub(crate) struct How {
    pub(crate) from: Side,
    pub(crate) to: Side,
    pub(crate) form: Form,
    pub(crate) at: Option<&'static str>,
    pub(crate) policy: Policy,
    pub(crate) force_list: ForceList,
    pub(crate) json: json::WriterOptions,
    pub(crate) limits: Limits,
    /// How many bytes come at once.
    pub(crate) step: usize,
}

impl How {
    pub(crate) fn new(from: Side, to: Side, form: Form) -> Self {
        How {
            from,
            to,
            form,
            at: None,
            policy: Policy::Raise,
            force_list: ForceList::Never,
            json: json::WriterOptions::default(),
            limits: Limits::default(),
            step: usize::MAX,
        }
    }
}

/// A problem in one line, with its path and record.
fn shown(problem: &Problem<std::convert::Infallible>) -> String {
    let path: Vec<String> = problem.spot.path.iter().map(ToString::to_string).collect();
    let place = problem.spot.place.as_ref().map_or(0, |place| place.offset);
    let record = problem.spot.record.map_or_else(String::new, |it| format!(", record {it}"));
    format!("{} (byte {place}{record}, {})", problem.reason, path.join("/"))
}

/// The text, or the problem that ended the conversion; and how many records were left out.
pub(crate) fn converted(text: &str, how: &How) -> (Result<String, String>, u64) {
    let limits = &how.limits;
    let is_inside = how.from != Side::Lines && (how.at.is_some() || how.to == Side::Lines);
    let records = how.at.map(|at| Records::at(&Path::parse(at).unwrap()).unwrap());
    let records = records.or_else(|| is_inside.then(Records::by_default));
    let many = records.is_some() || how.from == Side::Lines;
    let reader = match how.from {
        Side::Json => Reader::Json(json_in::Reader::new(json_in::Framing::Document, limits)),
        Side::Lines => Reader::Json(json_in::Reader::new(json_in::Framing::Lines, limits)),
        Side::Xml => {
            let declarations = records.is_none();
            let options = xml_in::Options { declarations, ..xml_in::Options::default() };
            Reader::Xml(Box::new(xml_in::Reader::new(options, limits)))
        }
    };
    let writer = match how.to {
        Side::Xml => {
            let records = if many { xml::Records::Within(vec![]) } else { xml::Records::One };
            let options = xml::WriterOptions { records, ..xml::WriterOptions::default() };
            AnyWriter::Xml(Box::new(xml::Writer::new(options, limits).unwrap()))
        }
        side => {
            let records = match side {
                Side::Lines => json::Records::Lines,
                _ if many => json::Records::Array(vec![]),
                _ => json::Records::One,
            };
            let options = json::WriterOptions { records, ..how.json.clone() };
            AnyWriter::Json(Box::new(json::Writer::new(options, limits)))
        }
    };
    let settings = Settings {
        from_elements: how.from == Side::Xml,
        has_namespaces: true,
        form: how.form,
        force_list: how.force_list.clone(),
        records,
        condition: None,
        leaves_out: how.policy != Policy::Raise,
        duplicates: None,
    };
    let mut out = Vec::new();
    let mut to = Conversion::new(settings, writer, &mut out, limits);
    let input = Windows::pushed(Detect::Nothing, None, None);
    let mut run = Run::new(reader, input, how.policy);
    let result = drive(&mut run, &mut to, text, how.step);
    let refused = run.refused();
    let result = result.and_then(|()| match to.finish() {
        Ok(()) => Ok(()),
        Err(Unfinished::Text(error)) => Err(error.to_string()),
        Err(Unfinished::Output(error)) => match error {},
    });
    (result.map(|()| String::from_utf8(out).unwrap()), refused)
}

fn drive<R: FormatReader>(
    run: &mut Run<R, Windows, std::convert::Infallible>,
    to: &mut Conversion<'_, Vec<u8>>,
    text: &str,
    step: usize,
) -> Result<(), String> {
    let mut chunks = text.as_bytes().chunks(step.min(text.len().max(1)));
    loop {
        let turn = match run.advance(to) {
            Ok(turn) => turn,
            Err(failure) => return Err(told(*failure)),
        };
        match turn {
            Turn::Dry => {
                let brought = match chunks.next() {
                    Some(chunk) => run.push(to, chunk),
                    None => run.push_end(to),
                };
                brought.map_err(|failure| told(*failure))?;
            }
            Turn::End => return Ok(()),
            Turn::Paused | Turn::Problem(_) => panic!("no such turn"),
        }
    }
}

fn told<B: std::fmt::Debug>(failure: Failure<std::convert::Infallible, B>) -> String {
    match failure {
        Failure::One(problem) => shown(&problem),
        Failure::Collected(problems) => problems.iter().map(shown).collect::<Vec<_>>().join("; "),
        other => panic!("{other:?}"),
    }
}

/// The text, which must be the same however the source is cut.
pub(crate) fn good(text: &str, how: &How) -> String {
    let (result, _) = converted(text, how);
    for step in [1, 7] {
        assert_eq!(converted(text, &How { step, ..how.clone() }).0, result, "{text}");
    }
    result.unwrap_or_else(|problem| panic!("{text}: {problem}"))
}

/// The problem, which must be the same however the source is cut.
pub(crate) fn bad(text: &str, how: &How) -> String {
    let (result, _) = converted(text, how);
    for step in [1, 7] {
        assert_eq!(converted(text, &How { step, ..how.clone() }).0, result, "{text}");
    }
    result.expect_err(text)
}

const SIDES: [Side; 3] = [Side::Json, Side::Lines, Side::Xml];
const PATHS: [Option<&str>; 4] = [None, Some("*"), Some("*/*"), Some("//a")];

/// Checks one conversion. The first bytes choose which; the rest is the source. The fuzz target
/// `convert` is this function.
pub(crate) fn check(data: &[u8]) {
    let Some(([sides, more, step], data)) = data.split_first_chunk() else { return };
    let text = ValidText::check(data).text.as_str();
    let (from, to) = (SIDES[usize::from(sides % 3)], SIDES[usize::from(sides / 3 % 3)]);
    let form = if more & 1 == 0 { Form::Plain } else { Form::Element };
    let limits =
        Limits { depth: 40, expansion: Some(1 << 20), memory: Some(1 << 20), ..Limits::default() };
    let force_list = if more & 2 == 0 { ForceList::Never } else { ForceList::Always };
    let policy = if more & 4 == 0 { Policy::Raise } else { Policy::Skip };
    let at = PATHS[usize::from(more >> 3 & 3)];
    let how = How { at, policy, force_list, limits, ..How::new(from, to, form) };
    let whole = converted(text, &how);
    let step = usize::from(step % 16 + 1);
    assert_eq!(converted(text, &How { step, ..how.clone() }), whole);
    let (Ok(written), _) = whole else { return };
    let same = How { limits: how.limits.clone(), ..How::new(to, to, Form::Plain) };
    let again = converted(&written, &same).0.unwrap();
    // A root element whose records were all left out has two tags.
    let is_same = written == again || written.replace("></root>", "/>") == again;
    assert!(is_same, "{written} and {again}");
    if from == Side::Xml && to == Side::Json && form == Form::Element && at.is_none() {
        let back = How { limits: how.limits.clone(), ..How::new(to, from, form) };
        // What is deeper in lists than in XML may be too deep.
        let Ok(xml) = converted(&written, &back).0 else { panic!("{written}") };
        assert_eq!(converted(&xml, &how).0, Ok(written));
    }
}
