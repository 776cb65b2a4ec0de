//! Tells the compiler which version of CPython it builds for.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
