//! A sink that looks for a key in each map, and a reader that has no rows and cannot look ahead.

use super::reading::CsvReader;
use penstock_core::error::Fail;
use penstock_core::event::{Key, Scalar, Text};
use penstock_core::forward;
use penstock_core::protocol::{
    Flow, FormatReader, Hints, InputView, Listener, Look, LookAhead, Sink, Step,
};
use penstock_core::unrefusing;
use std::convert::Infallible;

/// Looks for the key `t` in each map. It does not want a map in which `t` is `b`, and continues
/// looking if `t` is empty.
#[derive(Default)]
pub(crate) struct Seeker {
    pub(crate) heard: String,
}

impl Seeker {
    fn hear(&mut self, what: &str) -> Result<Flow, Infallible> {
        self.heard.push_str(what);
        Ok(Flow::Take)
    }
}

fn text_of(value: Scalar<'_>) -> String {
    match value {
        Scalar::Untyped(text) => text.text.as_str().to_owned(),
        other => panic!("{other:?}"),
    }
}

impl Sink for Seeker {
    type Error = Infallible;

    fn begin_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        self.heard.push('{');
        Ok(Flow::Look)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        self.hear("}")
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        panic!("a list")
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        panic!("a list")
    }
    fn name(&mut self, key: Key<'_>, _at: u64) -> Result<Flow, Infallible> {
        self.hear(&format!("{} ", key.name.text.as_str()))
    }
    fn scalar(&mut self, value: Scalar<'_>, _at: u64) -> Result<Flow, Infallible> {
        self.hear(&format!("{} ", text_of(value)))
    }
    fn piece(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, Infallible> {
        panic!("{text:?}")
    }
    fn abandon(&mut self) {}
}

impl Hints for Seeker {}

impl LookAhead for Seeker {
    fn look_key(&mut self, key: Text<'_>, _at: u64) -> Result<Look, Infallible> {
        let key = key.text.as_str();
        let asks = key == "t";
        self.hear(&format!("{key}?{}", if asks { "=" } else { " " }))?;
        Ok(if asks { Look::Value } else { Look::Pass })
    }
    fn look_value(&mut self, value: Option<Scalar<'_>>, _at: u64) -> Result<Look, Infallible> {
        let value = value.map(text_of).unwrap_or_default();
        self.hear(&format!("{value} "))?;
        match value.as_str() {
            "" => Ok(Look::Pass),
            "b" => {
                self.heard.push('}');
                Ok(Look::Skip)
            }
            _ => Ok(Look::Found),
        }
    }
    fn look_end(&mut self, _at: u64) -> Result<Look, Infallible> {
        self.hear("end? ")?;
        Ok(Look::Found)
    }
}

unrefusing!(Seeker, run);

/// CSV event by event.
pub(crate) struct Plain(pub(crate) CsvReader);

/// Gets rows, and passes their events on.
struct Events<'s, S>(&'s mut S);

macro_rules! passed_on {
    ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(passed_on! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    // The rows are not passed on.
    (@ mut known_keys $($rest:tt)*) => {};
    (@ mut row $($rest:tt)*) => {};
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            self.0.$method($($name),*)
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        fn $method(&self, $($name: $kind),*) -> $result {
            self.0.$method($($name),*)
        }
    };
}

impl<S: Listener> Sink for Events<'_, S> {
    type Error = S::Error;
    forward!(sink, passed_on);
}
impl<S: Listener> Hints for Events<'_, S> {
    forward!(hints, passed_on);
}
impl<S: Listener> LookAhead for Events<'_, S> {
    forward!(ahead, passed_on);
}

impl FormatReader for Plain {
    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        self.0.run(given, &mut Events(sink))
    }
    fn base(&self) -> u64 {
        self.0.base()
    }
    fn consumed(&self) -> usize {
        self.0.consumed()
    }
    fn drop_front(&mut self, count: usize) {
        self.0.drop_front(count);
    }
    fn jump(&mut self, base: u64) {
        self.0.jump(base);
    }
    fn is_document(&self) -> bool {
        false
    }
    fn abandon(&mut self, depth: usize) {
        self.0.abandon(depth);
    }
    fn is_abandoned(&self) -> bool {
        false
    }
}
