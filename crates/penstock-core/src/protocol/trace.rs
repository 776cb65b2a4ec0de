//! A sink that writes down each event as one line.
//!
//! Tests use it to assert exact events, and the documentation to print them. A line has the event's
//! offset, the indentation of its depth, and the event with everything that it carries.

use std::convert::Infallible;
use std::fmt::{self, Write};

use super::{Flow, Hints, LookAhead, Sink};
use crate::event::{Container, ContainerKind, Key, KeyKind, Matched, Scalar, Text};
use crate::value::datetime::{Date, DateTime, Offset, Time};
use crate::value::duration::Duration;

/// A sink that takes everything and keeps it as text.
///
/// ```
/// use penstock_core::protocol::Sink;
/// use penstock_core::protocol::Trace;
///
/// let mut trace = Trace::new();
/// trace.begin_map(0).unwrap();
/// trace.key("id".into(), 1).unwrap();
/// trace.number(b"7", 7).unwrap();
/// trace.end_map(8).unwrap();
/// let events = "   0 begin map\n   1   key \"id\"\n   7   number 7\n   8 end map\n";
/// assert_eq!(trace.text(), events);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Trace {
    text: String,
    depth: usize,
}

impl Trace {
    /// A trace without events.
    #[must_use]
    pub fn new() -> Self {
        Trace::default()
    }
    /// The events so far: one line for each.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
    /// The events so far, without a copy.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    fn line(&mut self, at: impl fmt::Display, event: fmt::Arguments<'_>) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.text, "{at:>4} {:1$}{event}", "", 2 * self.depth);
    }
    fn begin(&mut self, at: u64, what: &str) -> Result<Flow, Infallible> {
        self.line(at, format_args!("begin {what}"));
        self.depth += 1;
        Ok(Flow::Take)
    }
    fn end(&mut self, at: u64, what: &str) -> Result<Flow, Infallible> {
        self.depth = self.depth.saturating_sub(1);
        self.line(at, format_args!("end {what}"));
        Ok(Flow::Take)
    }
}

impl Sink for Trace {
    type Error = Infallible;

    fn begin_map(&mut self, at: u64) -> Result<Flow, Infallible> {
        self.begin(at, "map")
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, Infallible> {
        self.end(at, "map")
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, Infallible> {
        self.begin(at, "list")
    }
    fn end_list(&mut self, at: u64) -> Result<Flow, Infallible> {
        self.end(at, "list")
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Infallible> {
        let kind = match key.kind {
            KeyKind::Member => "",
            KeyKind::Element => "element ",
            KeyKind::Attribute => "attribute ",
        };
        let prefix = Labelled(" prefix ", key.prefix);
        let namespace = Labelled(" namespace ", key.namespace);
        let name = key.name.text.as_str();
        self.line(at, format_args!("key {kind}{name:?}{prefix}{namespace}"));
        Ok(Flow::Take)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Infallible> {
        match value {
            Scalar::Null => self.line(at, format_args!("null")),
            Scalar::Bool(value) => self.line(at, format_args!("bool {value}")),
            Scalar::Int(value) => self.line(at, format_args!("int {value}")),
            Scalar::Float(value) => self.line(at, format_args!("float {value:?}")),
            Scalar::Number(digits) => {
                self.line(at, format_args!("number {}", digits.escape_ascii()))
            }
            Scalar::Text(text) => self.line(at, format_args!("text {:?}", text.text.as_str())),
            Scalar::Untyped(text) => {
                self.line(at, format_args!("untyped {:?}", text.text.as_str()));
            }
            Scalar::Decimal(digits) => {
                self.line(at, format_args!("decimal {}", digits.escape_ascii()));
            }
            Scalar::Bytes(bytes) => self.line(at, format_args!("bytes {}", Hex(bytes))),
            Scalar::Date(date) => self.line(at, format_args!("date {}", Day(date))),
            Scalar::Time(time) => self.line(at, format_args!("time {}", Clock(time))),
            Scalar::DateTime(DateTime { date, time }) => {
                self.line(at, format_args!("datetime {}T{}", Day(date), Clock(time)));
            }
            Scalar::Since2001(seconds) => self.line(at, format_args!("since-2001 {seconds:?}")),
            Scalar::Duration(Duration { days, seconds, microseconds }) => {
                let seconds = format_args!("{seconds}.{microseconds:06}");
                self.line(at, format_args!("duration {days} days {seconds} s"));
            }
            Scalar::Uuid(bytes) => self.line(at, format_args!("uuid {}", Hex(&bytes))),
            Scalar::Uid(uid) => self.line(at, format_args!("uid {uid}")),
        }
        Ok(Flow::Take)
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Infallible> {
        self.line(at, format_args!("piece {:?}", text.text.as_str()));
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {
        self.depth = 0;
        self.line("", format_args!("abandon"));
    }
    fn matched(&mut self, by: Matched<'_>) {
        match by {
            Matched::Key(key) => self.line("", format_args!("matched key {:?}", key.text.as_str())),
            Matched::Index(index) => self.line("", format_args!("matched index {index}")),
        }
    }
    fn container(&mut self, container: Container) {
        let kind = match container.kind {
            ContainerKind::List => "list",
            ContainerKind::Set => "set",
            ContainerKind::Map => "map",
        };
        match container.shared {
            Some(shared) => self.line("", format_args!("container {kind} shared {shared}")),
            None => self.line("", format_args!("container {kind}")),
        }
    }
    fn record(&mut self, kind: u32) {
        self.line("", format_args!("record {kind}"));
    }
}

impl Hints for Trace {
    fn shares(&self) -> bool {
        true
    }
}
impl LookAhead for Trace {}

/// A label and a text, if the text is there.
struct Labelled<'a>(&'static str, Option<Text<'a>>);

impl fmt::Display for Labelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Labelled(label, text) = self;
        text.map_or(Ok(()), |text| write!(f, "{label}{:?}", text.text.as_str()))
    }
}

/// A date as ISO 8601 writes it.
struct Day(Date);

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Date { year, month, day } = self.0;
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// A time of day as ISO 8601 writes it, always to the microsecond.
struct Clock(Time);

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Time { hour, minute, second, microsecond, offset } = self.0;
        write!(f, "{hour:02}:{minute:02}:{second:02}.{microsecond:06}")?;
        match offset {
            None => Ok(()),
            Some(Offset::Utc) => f.write_char('Z'),
            Some(Offset::Minutes(east)) => {
                let sign = if east < 0 { '-' } else { '+' };
                let minutes = east.unsigned_abs();
                write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
            Some(Offset::Microseconds(east)) => write!(f, "{east:+}us"),
        }
    }
}

/// Bytes as pairs of hexadecimal digits.
struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::datetime;

    #[test]
    fn every_event_has_a_line() {
        let mut trace = Trace::new();
        let key = |kind| Key {
            name: "a\"b".into(),
            namespace: Some("urn:x".into()),
            prefix: Some("p".into()),
            kind,
        };
        trace.begin_list(0).unwrap();
        trace.begin_map(9_999).unwrap();
        trace.record(1);
        let shared = Some(3);
        trace.container(Container { kind: ContainerKind::Map, shared });
        trace.container(Container { kind: ContainerKind::List, shared: None });
        trace.container(Container { kind: ContainerKind::Set, shared: None });
        trace.matched(Matched::Index(7));
        trace.matched(Matched::Key("k".into()));
        trace.name(key(KeyKind::Attribute), 10_000).unwrap();
        trace.name(Key { prefix: None, ..key(KeyKind::Element) }, 2).unwrap();
        for value in [
            Scalar::Null,
            Scalar::Bool(true),
            Scalar::Int(-1),
            Scalar::Float(2.0),
            Scalar::Number(b"1e5"),
            Scalar::Text("é\n".into()),
            Scalar::Untyped("".into()),
            Scalar::Decimal(b"1.10"),
            Scalar::Bytes(&[0, 255]),
            Scalar::Date(datetime::date(b"2026-11-02").unwrap()),
            Scalar::Time(datetime::time(b"07:08:09").unwrap()),
            Scalar::DateTime(datetime::datetime(b"0001-02-03T04:05:06.5-03:30").unwrap()),
            Scalar::DateTime(datetime::datetime(b"2026-11-02T07:08:09Z").unwrap()),
            Scalar::Since2001(0.5),
            Scalar::Duration(Duration { days: -1, seconds: 5, microseconds: 250 }),
            Scalar::Uuid(*b"0123456789abcdef"),
            Scalar::Uid(3),
        ] {
            trace.scalar(value, 3).unwrap();
        }
        trace.piece("x".into(), 4).unwrap();
        trace.end_map(5).unwrap();
        trace.abandon();
        let expected = r#"
   0 begin list
9999   begin map
         record 1
         container map shared 3
         container list
         container set
         matched index 7
         matched key "k"
10000     key attribute "a\"b" prefix "p" namespace "urn:x"
   2     key element "a\"b" namespace "urn:x"
   3     null
   3     bool true
   3     int -1
   3     float 2.0
   3     number 1e5
   3     text "é\n"
   3     untyped ""
   3     decimal 1.10
   3     bytes 00ff
   3     date 2026-11-02
   3     time 07:08:09.000000
   3     datetime 0001-02-03T04:05:06.500000-03:30
   3     datetime 2026-11-02T07:08:09.000000Z
   3     since-2001 0.5
   3     duration -1 days 5.000250 s
   3     uuid 30313233343536373839616263646566
   3     uid 3
   4     piece "x"
   5   end map
     abandon
"#;
        assert_eq!(trace.text(), expected.trim_start_matches('\n'));
    }
}
