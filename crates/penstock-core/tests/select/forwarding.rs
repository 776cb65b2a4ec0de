//! In a record, each call and each question of the reader goes to the inner sink by the same
//! method: no default of the filter answers instead.

use penstock_core::event::{
    Container, ContainerKind, Key, KeyKind, KnownKeys, Matched, Members, Row, Rows, Scalar, Text,
};
use penstock_core::forward;
use penstock_core::limits::Limits;
use penstock_core::protocol::{
    Coming, Flow, Hints, Judge, Listener, Look, LookAhead, RowsAs, Sink, Want,
};
use penstock_core::select::{Path, Records, Select};
use penstock_core::value::number::Outcome;
use penstock_core::xml;
use std::cell::RefCell;

/// Writes down which of its methods are called. It overrides every one of them.
#[derive(Default)]
struct Named(RefCell<Vec<&'static str>>);

/// A non-default answer.
trait Answer {
    fn answer() -> Self;
}
impl Answer for Result<Flow, ()> {
    fn answer() -> Self {
        Ok(Flow::Pause)
    }
}
impl Answer for Result<Look, ()> {
    fn answer() -> Self {
        Ok(Look::Value)
    }
}
impl Answer for Result<RowsAs, ()> {
    fn answer() -> Self {
        Ok(RowsAs::Lists)
    }
}
impl Answer for Result<(usize, Flow), ()> {
    fn answer() -> Self {
        Ok((7, Flow::Pause))
    }
}
impl Answer for &[u8] {
    fn answer() -> Self {
        b"lent"
    }
}
impl Answer for &[Coming] {
    fn answer() -> Self {
        &[]
    }
}
impl Answer for Want {
    fn answer() -> Self {
        Want::Float
    }
}
impl Answer for Option<Box<dyn Judge + '_>> {
    fn answer() -> Self {
        None
    }
}
impl Answer for bool {
    fn answer() -> Self {
        true
    }
}
impl Answer for () {
    fn answer() {}
}

macro_rules! written_down {
    ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(written_down! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            $(let _ = $name;)*
            self.0.borrow_mut().push(stringify!($method));
            Answer::answer()
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        fn $method(&self, $($name: $kind),*) -> $result {
            $(let _ = $name;)*
            self.0.borrow_mut().push(stringify!($method));
            Answer::answer()
        }
    };
}

impl Sink for Named {
    type Error = ();
    forward!(sink, written_down);
}
impl Hints for Named {
    forward!(hints, written_down);
}
impl LookAhead for Named {
    forward!(ahead, written_down);
}

/// A sample argument for a method.
trait Sample {
    fn sample() -> Self;
}
macro_rules! samples {
    ($($kind:ty: $value:expr;)*) => {
        $(impl Sample for $kind {
            fn sample() -> Self {
                $value
            }
        })*
    };
}
samples! {
    u64: 7;
    u32: 7;
    i64: 7;
    f64: 7.0;
    bool: true;
    &[u8]: b"7";
    Text<'_>: "7".into();
    Key<'_>: Key { name: "7".into(), namespace: None, prefix: None, kind: KeyKind::Member };
    Scalar<'_>: Scalar::Null;
    Option<Scalar<'_>>: None;
    Matched<'_>: Matched::Index(7);
    Outcome: Outcome::Int(7);
    Container: Container { kind: ContainerKind::Set, shared: None };
    &Members<'_>: Box::leak(Box::new(Members::new("7".into(), 7, 0, 7, &[])));
    &KnownKeys<'_>: &KnownKeys { shape: 7, keys: &[], places: &[], at: 0 };
    &mut [Option<Want>]: &mut [];
    &Rows<'_>: Box::leak(Box::new(Rows::new("7\n".into(), 7, &[0, 2], 1, None)));
    &mut Row<'_>: Box::leak(Box::new(Row::new(7, &[], &[], 7, Some(7))));
}

/// Makes each call to a filter that is in a record, and checks which call the inner sink got.
macro_rules! calls {
    ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $({
            let select = &mut in_record();
            let _ = select.$method($(<$kind as Sample>::sample()),*);
            assert_eq!(*select.inner().0.borrow(), [stringify!($method)]);
        })*
    };
}

/// A filter that is in a map in a record.
fn in_record() -> Select<Named> {
    let mut select = Select::new(Named::default(), Records::by_default());
    select.begin_map(0).unwrap();
    select.begin_map(1).unwrap();
    let known = KnownKeys { shape: 7, keys: &[], places: &[], at: 0 };
    select.known_keys(&known, &mut []).unwrap();
    select.inner().0.borrow_mut().clear();
    assert!(select.in_record());
    select
}

#[test]
fn no_method_is_lost() {
    forward!(sink, calls);
    forward!(hints, calls);
    forward!(ahead, calls);
}

/// In a record, the filter gives the inner sink's answer.
#[test]
fn no_answer_is_lost() {
    fn all(mut sink: impl Listener<Error = ()>) {
        assert_eq!(sink.comment("x".into(), 7), Ok(Flow::Pause));
        assert_eq!(sink.written_text("x".into(), false, 7), Ok(Flow::Pause));
        assert_eq!(sink.look_value(None, 7), Ok(Look::Value));
        assert_eq!((sink.expected_key(), sink.tag_wanted()), (&b"lent"[..], &b"lent"[..]));
        assert_eq!(sink.want(), Want::Float);
        assert!(sink.ignores_scalar() && sink.as_written() && sink.extras() && sink.wakes(b"x"));
        assert!(sink.tag_found("x".into()));
    }
    all(in_record());
}

/// Outside the records, the filter answers for itself.
#[test]
fn outside_nothing_is_expected() {
    let mut select =
        Select::new(Named::default(), Records::at(&Path::parse("a/*").unwrap()).unwrap());
    assert_eq!(select.begin_map(0), Ok(Flow::Take));
    assert_eq!(select.comment("x".into(), 1), Ok(Flow::Take));
    assert_eq!(select.instruction("x".into(), "y".into(), 1), Ok(Flow::Take));
    assert_eq!(select.piece("x".into(), 1), Ok(Flow::Take));
    assert_eq!(select.written_key("b".into(), "b".into(), 2), Ok(Flow::Skip));
    assert_eq!(select.written_key("a".into(), "a".into(), 3), Ok(Flow::Take));
    assert_eq!(select.begin_list(4), Ok(Flow::Take));
    assert!(select.expected_key().is_empty() && !select.ignores_scalar());
    assert_eq!(*select.inner().0.borrow(), [""; 0]);
    // Each element is a record, and keeps the form in which it came.
    assert_eq!(select.written_number(b"7", Outcome::Int(7), 5), Ok(Flow::Pause));
    assert_eq!(select.written_text("x".into(), false, 6), Ok(Flow::Pause));
    let heard = ["matched", "written_number", "matched", "written_text"];
    assert_eq!(*select.inner().0.borrow(), heard);
}

/// Wants everything of XML, and writes it down.
#[derive(Default)]
struct Whole(String);

macro_rules! kept {
    ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(kept! { @ $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ comment($text:ident: $kind:ty, $at:ident: $offset:ty) -> $result:ty) => {
        fn comment(&mut self, $text: $kind, $at: $offset) -> $result {
            self.0.push_str(&format!("<!--{}@{}-->", $text.text.as_str(), $at));
            Ok(Flow::Take)
        }
    };
    (@ instruction($target:ident: $kind:ty, $data:ident: $text:ty, $at:ident: $offset:ty) -> $result:ty) => {
        fn instruction(&mut self, $target: $kind, $data: $text, $at: $offset) -> $result {
            let (target, data) = ($target.text.as_str(), $data.text.as_str());
            self.0.push_str(&format!("<?{target} {data}@{}?>", $at));
            Ok(Flow::Take)
        }
    };
    (@ abandon()) => {
        fn abandon(&mut self) {}
    };
    (@ $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        fn $method(&mut self, $($name: $kind),*) -> $result {
            $(let _ = $name;)*
            self.0.push_str(concat!(" ", stringify!($method), " "));
            Ok(Flow::Take)
        }
    };
    (@ $method:ident $($rest:tt)*) => {};
}

impl Sink for Whole {
    type Error = ();
    forward!(sink, kept);
}
impl Hints for Whole {
    fn extras(&self) -> bool {
        true
    }
}
impl LookAhead for Whole {}

/// Comments and instructions in a record reach a sink that wants them, and those outside it do not.
#[test]
fn extras_of_records() {
    let text = "<r><!--a--><?b c?><i>x<!--d--><?e f?></i><!--g--></r>";
    let records = Records::at(&Path::parse("r/i").unwrap()).unwrap();
    let mut select = Select::new(Whole::default(), records);
    let mut reader = xml::Reader::new(xml::Options::default(), &Limits::default());
    reader.run(text.into(), true, &mut select).unwrap();
    assert_eq!(select.inner().0, " begin_map  piece <!--d@22--><?e f@30?> end_map ");
}
