//! Tells the compiler which version of CPython it builds for, and refuses interpreters that the
//! extension does not support.

use pyo3_build_config::{BuildFlag, PythonImplementation};

/// The minor versions of CPython 3 whose inside the extension knows.
const SUPPORTED: std::ops::RangeInclusive<u8> = 11..=15;

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    println!("cargo:rerun-if-changed=build.rs");
    let found = pyo3_build_config::get();
    let version = found.version();
    let reason = if found.implementation() != PythonImplementation::CPython {
        format!("this interpreter is {}", found.implementation())
    } else if found.build_flags().0.contains(&BuildFlag::Py_GIL_DISABLED) {
        "this is a free-threaded build, in which its tables would need locks (docs/internals.md)"
            .to_owned()
    } else if version.major != 3 || !SUPPORTED.contains(&version.minor) {
        format!("this is CPython {version}")
    } else {
        return;
    };
    println!(
        "cargo::error=Penstock needs CPython 3.11 to 3.15 with the interpreter lock: {reason}"
    );
}
