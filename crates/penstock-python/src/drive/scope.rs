//! Implements `Destination` for sinks that decorate a scope.

/// Makes a destination of a sink that has a `RecordScope` of objects in its field `scope`. The scope
/// works as always; only the events go through the sink.
macro_rules! outlet_destination {
    ($sink:ident) => {
        impl<S: $crate::objects::Side> penstock_core::protocol::Destination for $sink<'_, S> {
            type Error = $crate::objects::Refusal;
            type Cause = pyo3::PyErr;
            type Break = pyo3::PyErr;

            const SHAPE: Option<penstock_core::shape::Shape> =
                <$crate::objects::Owned<S> as penstock_core::protocol::Destination>::SHAPE;

            fn read_from<R: penstock_core::protocol::FormatReader>(
                &mut self,
                reader: &mut R,
                given: penstock_core::protocol::InputView<'_>,
            ) -> Result<penstock_core::protocol::Step, penstock_core::error::Fail<Self::Error>>
            {
                reader.run_dyn(given, self)
            }
            penstock_core::forward!(destination, by_outlet);
        }
    };
}

/// Forwards a call to the scope.
macro_rules! by_outlet {
    (destination $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(by_outlet! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            self.scope.$method($($name),*)
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        fn $method(&self, $($name: $kind),*) -> $result {
            self.scope.$method($($name),*)
        }
    };
}

pub(crate) use by_outlet;
pub(crate) use outlet_destination;
