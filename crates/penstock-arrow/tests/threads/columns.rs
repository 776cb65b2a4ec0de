//! Batches.

use crate::{Form, drive, reader};
use arrow_array::types::Int32Type;
use arrow_array::{DictionaryArray, StringArray};
use penstock_arrow::plan::{Absent, Kind, Node, Plan, State, Struct, To, Width};
use penstock_arrow::{Columns, Header, Keyed, NativeSink, RecordBatch, Settings, Worker};
use penstock_core::error::Fail;
use penstock_core::event::{Key, KnownKeys, Row, Rows, Scalar, Text};
use penstock_core::protocol::{
    Destination, Duplicates, Flow, FormatReader, Hints, InputView, LookAhead, Misfit, Refused,
    RowsAs, Sink, Step, Want,
};
use penstock_core::run::RecordScope;
use penstock_core::shape::Shape;
use penstock_core::split::Shares;
use penstock_core::value::lexical::Rules;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::convert::Infallible;
use std::fmt::Debug;
use std::sync::Arc;

/// Columns without a class: what they do not take is a problem.
struct Plain {
    fast: Keyed,
    records: u64,
    pauses: u64,
    header: Option<Arc<Header>>,
    /// Whether rows are taken several at a time.
    many: bool,
}

type Answer = Result<Flow, u64>;

impl Plain {
    fn taken(&mut self, flow: Option<Flow>, at: u64) -> Answer {
        let flow = flow.ok_or(at)?;
        if self.fast.is_complete() { Ok(self.ended()) } else { Ok(flow) }
    }

    fn ended(&mut self) -> Flow {
        self.fast.clear();
        self.records += 1;
        if !self.fast.is_full() {
            return Flow::Take;
        }
        self.pauses += 1;
        Flow::Pause
    }
}

macro_rules! told {
    ($($method:ident($($name:ident: $kind:ty),*);)*) => {
        $(fn $method(&mut self, $($name: $kind,)* at: u64) -> Answer {
            let flow = self.fast.$method($($name,)* at);
            self.taken(flow, at)
        })*
    };
}

impl Sink for Plain {
    type Error = u64;
    told! {
        begin_map();
        end_map();
        begin_list();
        end_list();
        name(key: Key<'_>);
        key(key: Text<'_>);
        expected_key_found();
        scalar(value: Scalar<'_>);
        null();
        boolean(value: bool);
        int(value: i64);
        float(value: f64);
        number(digits: &[u8]);
        text(text: Text<'_>);
        piece(text: Text<'_>);
    }
    fn abandon(&mut self) {
        self.fast.clear();
    }
}

impl Hints for Plain {
    fn expected_key(&self) -> &[u8] {
        self.fast.expected_key()
    }
    fn want(&self) -> Want {
        self.fast.want()
    }
}

impl LookAhead for Plain {
    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, u64> {
        wanted.fill(Some(Want::Digits));
        self.fast.known_keys(known, wanted);
        self.header = Some(Arc::new(Header::of(known, wanted, RowsAs::Maps)));
        Ok(RowsAs::Maps)
    }
    fn row(&mut self, row: &mut Row<'_>) -> Answer {
        let at = row.at;
        self.fast.row(row).ok_or(at)?;
        row.take();
        Ok(self.ended())
    }
    fn takes_rows(&self) -> bool {
        self.many && self.fast.takes_rows()
    }
    fn rows(&mut self, rows: &Rows<'_>) -> Result<(usize, Flow), u64> {
        let count = self.fast.rows(rows, true);
        self.records += count as u64;
        let is_full = count > 0 && self.fast.is_full();
        self.pauses += u64::from(is_full);
        Ok((count, if is_full { Flow::Pause } else { Flow::Take }))
    }
}

impl Destination for Plain {
    type Error = u64;
    type Cause = Infallible;
    type Break = Infallible;

    const SHAPE: Option<Shape> = Some(Shape::Members);

    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<u64>> {
        reader.run_for::<Self, _>(given, self)
    }
    fn refused(&mut self, at: u64, _given: InputView<'_>) -> Refused<Infallible, Infallible> {
        let path = self.fast.path(true);
        Refused::Misfit(Misfit::new(at, "no value of the column".to_owned(), path))
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
    fn ready(&self) -> u64 {
        self.records - self.pauses
    }
}

impl Shares for Plain {
    type Worker = Worker<Keyed>;

    fn worker(&self, _others: bool) -> Option<Worker<Keyed>> {
        (self.records > 0).then(|| Worker::beside(&self.fast, self.header.clone()))
    }
    fn take_over(
        &mut self,
        worker: &mut Worker<Keyed>,
        from: usize,
    ) -> Result<Option<usize>, Infallible> {
        let (records, next) = worker.give(from, &mut self.fast);
        self.records += records as u64;
        Ok(next)
    }
}

fn node(name: &str, kind: Kind, nullable: bool) -> Node {
    Node {
        name: name.into(),
        kind,
        nullable,
        absent: if nullable { Absent::Null } else { Absent::Error },
        want: Want::Native,
        checks: [].into(),
        cells: None,
    }
}

/// A column of each sort, as far as text has it.
fn plan(is_table: bool) -> Plan {
    let mut nodes = vec![
        node("id", Kind::Int(Width::I64), false),
        node("name", Kind::Str, true),
        node("word", Kind::Dictionary, true),
        node("half", Kind::Float, true),
        node("is", Kind::Bool, true),
    ];
    if !is_table {
        nodes.extend([
            node("tags", Kind::List(6), true),
            node("item", Kind::Str, true),
            node("pair", Kind::Tuple(8, 2), true),
            node("item", Kind::Int(Width::I8), false),
        ]);
    }
    let fields: Vec<u32> = if is_table { (0..5).collect() } else { vec![0, 1, 2, 3, 4, 5, 7] };
    let keys = fields.iter().map(|field| nodes[*field as usize].name.clone()).collect();
    let to = fields.iter().map(|field| To::Column(*field)).collect();
    let root = nodes.len() as u32;
    nodes.push(node(
        "record",
        Kind::Struct(Struct {
            fields: fields.into(),
            states: [State::new(keys, to)].into(),
            elements: [].into(),
            gathers: [].into(),
            forbids_unknown: false,
        }),
        false,
    ));
    Plan { nodes, root }
}

/// What a run gives: the batches, and the problems as text. And how many pieces threads have read.
type Given2 = (Vec<RecordBatch>, Vec<String>, u64);

/// Reads a text, in so many threads from some place on, by pieces of about so many bytes. With `many`,
/// rows are taken several at a time.
fn read(
    form: Form,
    text: &(impl AsRef<[u8]> + ?Sized),
    rows: usize,
    bytes: usize,
    by: Option<(usize, usize)>,
    many: bool,
) -> Given2 {
    let rules = Rules { lax: false, number: 1_000 };
    let settings = Settings {
        duplicates: Duplicates::Last,
        forbids_unknown: false,
        unread: false,
        rules,
        token: 1 << 20,
        rows,
        bytes,
    };
    let columns = Columns::new(plan(form == Form::Rows));
    let fast = Keyed::new(columns, settings);
    let to = Plain { fast, records: 0, pauses: 0, header: None, many };
    let (reader, records) = reader(form);
    let mut to = RecordScope::new(to, records);
    let mut batches = Vec::new();
    let mut batch = |to: &mut Plain| {
        batches.push(to.fast.columns_mut().batch().expect("good columns"));
    };
    let (problems, taken) = drive(reader, text.as_ref(), &mut to, by, &mut batch);
    batch(to.inner_mut());
    (batches, problems, taken)
}

pub(crate) fn same(
    form: Form,
    text: &(impl AsRef<[u8]> + Debug + ?Sized),
    rows: usize,
    bytes: usize,
    by: (usize, usize),
) -> u64 {
    let (batches, problems, _) = read(form, text, rows, bytes, None, false);
    let mut most = 0;
    for (by, many) in [(None, true), (Some(by), false), (Some(by), true)] {
        let (others, also, taken) = read(form, text, rows, bytes, by, many);
        assert_eq!(problems, also, "{text:?}");
        assert_eq!(batches.len(), others.len(), "{text:?}");
        for (batch, other) in batches.iter().zip(&others) {
            assert_eq!(batch, other, "{text:?}");
            if form == Form::Rows {
                assert_eq!(words(batch), words(other), "{text:?}");
            }
        }
        most = most.max(taken);
    }
    most
}

/// The words of a batch's dictionary, in their order, also those that nothing refers to.
fn words(batch: &RecordBatch) -> Option<Vec<Option<&str>>> {
    let column = batch.column_by_name("word")?.as_any();
    let column = column.downcast_ref::<DictionaryArray<Int32Type>>()?;
    Some(column.values().as_any().downcast_ref::<StringArray>()?.iter().collect())
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0..99_i32).prop_map(|id| id.to_string()),
        1 => Just("null".to_owned()),
        1 => Just("\"7\"".to_owned()),
    ]
}

fn member() -> impl Strategy<Value = String> {
    let text =
        prop_oneof![Just("\"\""), Just("\"é\\n\""), Just("\"a}\\\",{\\\"id\\\"\""), Just("null")];
    let word = prop_oneof![Just("\"red\""), Just("\"green\""), Just("null"), Just("\"blue\"")];
    prop_oneof![
        text.prop_map(|text| format!(", \"name\": {text}")),
        word.prop_map(|word| format!(", \"word\": {word}")),
        (0..9_i32).prop_map(|half| format!(", \"half\": {half}.5")),
        any::<bool>().prop_map(|is| format!(",\"is\":{is}")),
        prop::collection::vec(prop_oneof![Just("\"x\""), Just("null"), Just("\"]\"")], 0..3)
            .prop_map(|tags| format!(",\"tags\": [{}]", tags.join(","))),
        Just(",\"pair\": [1,-2]".to_owned()),
        Just(",\"other\": [{\"id\":1},{\"id\":2}]".to_owned()),
    ]
}

fn record() -> impl Strategy<Value = String> {
    let record = (value(), prop::collection::vec(member(), 0..4))
        .prop_map(|(id, members)| format!("{{\"id\":{id}{}}}", members.concat()));
    prop_oneof![30 => record, 1 => Just("{\"id\":tru}".to_owned()), 1 => Just("[]".to_owned())]
}

fn row() -> impl Strategy<Value = String> {
    let text =
        prop_oneof![Just(""), Just("a"), Just("\"x\n5,6\""), Just("\"q\"\"\n\"\"\""), Just("é")];
    let word = prop_oneof![Just("red"), Just("green"), Just(""), Just("\"\n\"")];
    let row = (0..999_i32, text, word, 0..5_i32, any::<bool>())
        .prop_map(|(id, text, word, half, is)| format!("{id},{text},{word},{half}.25,{is}"));
    prop_oneof![30 => row, 1 => Just("x,,,,".to_owned()), 1 => Just("1,2".to_owned()),
        1 => Just("1,\"a\"b,,,".to_owned())]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: crate::effort::often(200),
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_pieces_of_lines(
        lines in prop::collection::vec(record(), 0..60),
        ends in any::<bool>(), rows in 1..40_usize, bytes in 50..4_000_usize,
        count in 1..4_usize, size in 1..900_usize,
    ) {
        let text = lines.join("\n") + if ends { "\n" } else { "" };
        same(Form::Lines, &text, rows, bytes, (count, size));
    }

    #[test]
    fn any_pieces_of_rows(
        lines in prop::collection::vec(row(), 0..60), end in prop_oneof![Just("\n"), Just("\r\n")],
        ends in any::<bool>(), rows in 1..40_usize, bytes in 50..4_000_usize,
        count in 1..4_usize, size in 1..900_usize,
    ) {
        let text = format!("id,name,word,half,is{end}{}", lines.join(end)) + if ends { end } else { "" };
        same(Form::Rows, &text, rows, bytes, (count, size));
    }

    #[test]
    fn any_pieces_of_an_array(
        records in prop::collection::vec(record(), 0..60),
        space in prop_oneof![Just(""), Just("\n  "), Just(" ")],
        rows in 1..40_usize, bytes in 50..4_000_usize,
        count in 1..4_usize, size in 1..900_usize,
    ) {
        let text = format!("[{space}{}{space}]", records.join(&format!(",{space}")));
        same(Form::Array, &text, rows, bytes, (count, size));
    }
}

/// Most pieces are read by the threads.
#[test]
fn the_threads_read() {
    let line = |id: usize| format!("{{\"id\": {id}, \"word\": \"w{}\"}}\n", id % 7);
    let lines: String = (0..6_000).map(line).collect();
    let taken = same(Form::Lines, &lines, 700, usize::MAX, (2, 3_000));
    assert!(taken > 12, "{taken}");
    let rows: String = (0..12_000).map(|id| format!("{id},\"a\nb\",w{},,\n", id % 7)).collect();
    let rows = format!("id,name,word,half,is\n{rows}");
    let taken = same(Form::Rows, &rows, 700, usize::MAX, (2, 3_000));
    assert!(taken > 12, "{taken}");
    for (begin, end) in [("[", "]"), ("{\"x\": [{\"id\": 0}], \"y\":\n [", "]}")] {
        let at = if begin == "[" { Form::Array } else { Form::Inside };
        for between in [",", ",\n  ", " , "] {
            let line = |id: usize| format!("{{ \"id\": {id}, \"word\": \"w{}\"}}", id % 7);
            let lines: Vec<String> = (0..6_000).map(line).collect();
            let array = format!("{begin}{}{end}", lines.join(between));
            let taken = same(at, &array, 700, usize::MAX, (2, 3_000));
            assert!(taken > 12, "{taken} {between:?}");
        }
    }
}

/// If the records stand in other containers later on, the threads begin anew.
#[test]
fn the_threads_begin_anew() {
    let line = |id: usize| format!("{{\"id\":{id},\"half\":1.5}}");
    let list = |count: usize| (0..count).map(line).collect::<Vec<_>>().join(",");
    let text = format!("{{\"a\":[{}],\"b\":[{}]}}", list(4_000), list(24_000));
    let taken = same(Form::Inside, &text, 700, usize::MAX, (2, 3_000));
    assert!(taken > 60, "{taken}");
}
