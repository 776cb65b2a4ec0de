//! How many random inputs a property is tried with.

/// Half of them in each run of the suite; all of them if `PENSTOCK_LONG` is set, as for the tests of Python.
pub(crate) fn often(cases: u32) -> u32 {
    if std::env::var_os("PENSTOCK_LONG").is_some() { cases } else { cases / 2 }
}
