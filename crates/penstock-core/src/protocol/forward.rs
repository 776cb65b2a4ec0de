//! One list of all methods of the protocol, for sinks that pass events on to another sink.

/// Calls a macro of yours with the signatures of every method of one of the three traits, or of
/// [`Destination`](crate::protocol::Destination) but for `read_from`, or of
/// [`FormatReader`](crate::protocol::FormatReader) but for the three that run.
///
/// A sink that stands in front of another one must forward every method, above all those that have
/// a default: otherwise the default would answer in place of the inner sink. So it does not write
/// the methods out, but gives a rule that makes a method from a signature. If a method needs a body
/// of its own, the rule expands to nothing for its name, and you write the method beside it.
///
/// `forward!` calls the rule once, with `sink`, `hints`, `ahead`, `destination` or `reader` followed by
/// the methods. Each
/// method has `mut` or `ref` in front of it, which says how it takes `self`.
///
/// ```
/// use penstock_core::forward;
/// use penstock_core::protocol::{Hints, Listener, LookAhead, Sink};
///
/// /// Counts the events that go to another sink.
/// struct Counted<S> {
///     inner: S,
///     calls: u64,
/// }
///
/// macro_rules! counted {
///     ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
///         $(counted! { @ $how $method($($name: $kind),*) $(-> $result)? })*
///     };
///     (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
///         fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
///             self.calls += 1;
///             self.inner.$method($($name),*)
///         }
///     };
///     (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
///         fn $method(&self, $($name: $kind),*) -> $result {
///             self.inner.$method($($name),*)
///         }
///     };
/// }
///
/// impl<S: Listener> Sink for Counted<S> {
///     type Error = S::Error;
///     forward!(sink, counted);
/// }
/// impl<S: Listener> Hints for Counted<S> {
///     forward!(hints, counted);
/// }
/// impl<S: Listener> LookAhead for Counted<S> {
///     forward!(ahead, counted);
/// }
///
/// let mut counted = Counted { inner: penstock_core::protocol::Trace::new(), calls: 0 };
/// counted.null(3).unwrap();
/// assert_eq!((counted.inner.text(), counted.calls), ("   3 null\n", 1));
/// ```
#[macro_export]
macro_rules! forward {
    (sink, $rule:ident) => {
        $rule! { sink
            mut begin_map(at: u64) -> Result<$crate::protocol::Flow, Self::Error>;
            mut end_map(at: u64) -> Result<$crate::protocol::Flow, Self::Error>;
            mut begin_list(at: u64) -> Result<$crate::protocol::Flow, Self::Error>;
            mut end_list(at: u64) -> Result<$crate::protocol::Flow, Self::Error>;
            mut name(key: $crate::event::Key<'_>, at: u64)
                -> Result<$crate::protocol::Flow, Self::Error>;
            mut scalar(value: $crate::event::Scalar<'_>, at: u64)
                -> Result<$crate::protocol::Flow, Self::Error>;
            mut piece(text: $crate::event::Text<'_>, at: u64)
                -> Result<$crate::protocol::Flow, Self::Error>;
            mut abandon();
            mut matched(by: $crate::event::Matched<'_>);
            mut container(container: $crate::event::Container);
            mut record(kind: u32);
            mut comment(text: $crate::event::Text<'_>, at: u64)
                -> Result<$crate::protocol::Flow, Self::Error>;
            mut instruction(
                target: $crate::event::Text<'_>,
                data: $crate::event::Text<'_>,
                at: u64
            ) -> Result<$crate::protocol::Flow, Self::Error>;
            mut key(key: $crate::event::Text<'_>, at: u64)
                -> Result<$crate::protocol::Flow, Self::Error>;
            mut expected_key_found(at: u64) -> Result<$crate::protocol::Flow, Self::Error>;
            mut members(members: &$crate::event::Members<'_>)
                -> Result<$crate::protocol::Flow, Self::Error>;
            mut object(members: &$crate::event::Members<'_>, at: u64, end: u64)
                -> Result<$crate::protocol::Flow, Self::Error>;
            mut null(at: u64) -> Result<$crate::protocol::Flow, Self::Error>;
            mut boolean(value: bool, at: u64) -> Result<$crate::protocol::Flow, Self::Error>;
            mut int(value: i64, at: u64) -> Result<$crate::protocol::Flow, Self::Error>;
            mut float(value: f64, at: u64) -> Result<$crate::protocol::Flow, Self::Error>;
            mut number(digits: &[u8], at: u64) -> Result<$crate::protocol::Flow, Self::Error>;
            mut text(text: $crate::event::Text<'_>, at: u64)
                -> Result<$crate::protocol::Flow, Self::Error>;
            mut written_key(
                key: $crate::event::Text<'_>,
                raw: $crate::event::Text<'_>,
                at: u64
            ) -> Result<$crate::protocol::Flow, Self::Error>;
            mut written_text(raw: $crate::event::Text<'_>, escaped: bool, at: u64)
                -> Result<$crate::protocol::Flow, Self::Error>;
            mut written_number(
                digits: &[u8],
                found: $crate::value::number::Outcome,
                at: u64
            ) -> Result<$crate::protocol::Flow, Self::Error>;
        }
    };
    (hints, $rule:ident) => {
        $rule! { hints
            ref expected_key() -> &[u8];
            ref expected_name() -> &[u8];
            ref members_ahead() -> &[$crate::protocol::Coming];
            ref object_ahead() -> &[$crate::protocol::Coming];
            ref want() -> $crate::protocol::Want;
            ref ignores_scalar() -> bool;
            ref as_written() -> bool;
            ref extras() -> bool;
            ref shares() -> bool;
            ref wakes(name: &[u8]) -> bool;
        }
    };
    (ahead, $rule:ident) => {
        $rule! { ahead
            mut look_key(key: $crate::event::Text<'_>, at: u64)
                -> Result<$crate::protocol::Look, Self::Error>;
            mut look_value(value: Option<$crate::event::Scalar<'_>>, at: u64)
                -> Result<$crate::protocol::Look, Self::Error>;
            mut look_end(at: u64) -> Result<$crate::protocol::Look, Self::Error>;
            ref tag_wanted() -> &[u8];
            mut tag_found(value: $crate::event::Text<'_>) -> bool;
            mut known_keys(
                known: &$crate::event::KnownKeys<'_>,
                wanted: &mut [Option<$crate::protocol::Want>]
            ) -> Result<$crate::protocol::RowsAs, Self::Error>;
            ref judge() -> Option<Box<dyn $crate::protocol::Judge + '_>>;
            mut row(row: &mut $crate::event::Row<'_>)
                -> Result<$crate::protocol::Flow, Self::Error>;
            ref takes_rows() -> bool;
            mut rows(rows: &$crate::event::Rows<'_>)
                -> Result<(usize, $crate::protocol::Flow), Self::Error>;
        }
    };
    (reader, $rule:ident) => {
        $rule! { reader
            ref base() -> u64;
            ref consumed() -> usize;
            ref offset() -> u64;
            mut drop_front(count: usize);
            mut jump(base: u64);
            ref is_document() -> bool;
            mut abandon(depth: usize);
            ref is_abandoned() -> bool;
            ref record() -> Option<(u64, u8)>;
            ref failed_at() -> Option<u64>;
            ref can_recover() -> bool;
            ref passes_faults() -> bool;
            ref is_before_records() -> bool;
            ref open_elements() -> Option<usize>;
            mut recover();
            ref is_lost() -> bool;
            mut pass_bytes(bytes: &[u8]) -> usize;
            ref is_settled_before_a_record(held: &[u8]) -> bool;
            ref goes_on_behind(held: &[u8]) -> bool;
            mut rescan();
            mut take_repairs() -> Vec<$crate::repair::Repair>;
        }
    };
    (destination, $rule:ident) => {
        $rule! { destination
            mut refused(error: Self::Error, given: $crate::protocol::InputView<'_>)
                -> $crate::protocol::Refused<Self::Cause, Self::Break>;
            ref refusal(at: u64, reason: String) -> Option<Self::Error>;
            ref broke_at() -> Option<u64>;
            mut meet_problem(begun: Option<u64>);
            mut abandon_record();
            mut restart();
            ref record_path() -> Vec<$crate::path_step::PathStep>;
            ref value_path(inside: bool, given: $crate::protocol::InputView<'_>)
                -> Vec<$crate::path_step::PathStep>;
            ref path_so_far(given: $crate::protocol::InputView<'_>)
                -> Vec<$crate::path_step::PathStep>;
            ref record_depth() -> usize;
            ref inner_records() -> Option<(u64, bool, bool)>;
            ref ready() -> u64;
            ref left_out() -> u64;
            mut take_back() -> bool;
            ref keeps() -> Option<u64>;
            ref over_memory(given: $crate::protocol::InputView<'_>) -> Option<u64>;
            mut passed(counted: $crate::position::Counter);
            mut take_kept() -> $crate::protocol::Kept<Self::Cause>;
            mut place_kept(locate: &dyn Fn(u64) -> Option<$crate::position::Place>);
        }
    };
}

#[cfg(test)]
mod tests {
    /// The names in a list of methods.
    macro_rules! names {
        ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
            [$(stringify!($method)),*]
        };
    }

    /// The names of the methods that a trait declares. They are the only functions in the file that
    /// are indented once.
    fn declared(file: &str) -> Vec<&str> {
        let methods = file.lines().filter_map(|line| line.strip_prefix("    fn "));
        let mut names: Vec<_> = methods.filter_map(|rest| rest.split('(').next()).collect();
        names.sort_unstable();
        names
    }

    fn sorted<const N: usize>(mut names: [&str; N]) -> Vec<&str> {
        names.sort_unstable();
        names.to_vec()
    }

    /// The part of a file that declares a trait.
    fn of_trait<'f>(file: &'f str, name: &str) -> &'f str {
        let (_, from) = file.split_once(&format!("pub trait {name} {{")).unwrap();
        from.split_once("\n}\n").unwrap().0
    }

    #[test]
    fn every_method_is_named() {
        assert_eq!(sorted(forward!(sink, names)), declared(include_str!("sink.rs")));
        assert_eq!(sorted(forward!(hints, names)), declared(include_str!("hints.rs")));
        assert_eq!(sorted(forward!(ahead, names)), declared(include_str!("ahead.rs")));
        let mut named = forward!(destination, names).to_vec();
        named.extend(["read_from<R: FormatReader>", "breaks"]);
        named.sort_unstable();
        assert_eq!(named, declared(of_trait(include_str!("destination.rs"), "Destination")));
        let mut named = forward!(reader, names).to_vec();
        named.extend(["run<S: Listener>", "run_dyn<S: Listener>"]);
        named.push("run_for<D: Destination, S: Listener>");
        named.sort_unstable();
        assert_eq!(named, declared(of_trait(include_str!("reader.rs"), "FormatReader")));
    }
}
