//! The destination of sinks that stand in front of an outlet.

/// Makes a destination of a sink that has an `Outlet` of objects in its field `outlet`. The outlet
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
                given: penstock_core::protocol::Given<'_>,
            ) -> Result<penstock_core::protocol::Step, penstock_core::error::Fail<Self::Error>>
            {
                reader.run_dyn(given, self)
            }
            fn refused(
                &mut self,
                refusal: Self::Error,
                given: penstock_core::protocol::Given<'_>,
            ) -> penstock_core::protocol::Refused<pyo3::PyErr, pyo3::PyErr> {
                self.outlet.refused(refusal, given)
            }
            fn broke_at(&self) -> Option<u64> {
                self.outlet.broke_at()
            }
            fn abandon_record(&mut self) {
                self.outlet.abandon_record();
            }
            fn restart(&mut self) {
                self.outlet.restart();
            }
            fn record_path(&self) -> Vec<penstock_core::path_step::PathStep> {
                self.outlet.record_path()
            }
            fn value_path(
                &self,
                inside: bool,
                given: penstock_core::protocol::Given<'_>,
            ) -> Vec<penstock_core::path_step::PathStep> {
                self.outlet.value_path(inside, given)
            }
            fn record_depth(&self) -> usize {
                self.outlet.record_depth()
            }
            fn inner_records(&self) -> Option<(u64, bool, bool)> {
                self.outlet.inner_records()
            }
            fn ready(&self) -> u64 {
                self.outlet.ready()
            }
            fn keeps(&self) -> Option<u64> {
                self.outlet.keeps()
            }
            fn over_memory(&self, given: penstock_core::protocol::Given<'_>) -> Option<u64> {
                self.outlet.over_memory(given)
            }
            fn take_kept(&mut self) -> penstock_core::protocol::Kept<pyo3::PyErr> {
                self.outlet.take_kept()
            }
            fn place_kept(
                &mut self,
                locate: &dyn Fn(u64) -> Option<penstock_core::position::Place>,
            ) {
                self.outlet.place_kept(locate);
            }
        }
    };
}

pub(crate) use outlet_destination;
