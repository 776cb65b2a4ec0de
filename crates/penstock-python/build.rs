//! Refuses what Penstock does not run on, and tells the compiler which version of CPython it builds
//! for.

use pyo3_build_config::PythonImplementation;
use std::env;

/// Where each of these is explained.
const PAGE: &str = "https://penstock-data.github.io/penstock/install.html";

/// The minor versions of CPython 3 whose inside the extension knows (SAFETY.md).
const KNOWN: std::ops::RangeInclusive<u8> = 11..=15;

fn main() {
    let python = pyo3_build_config::get();
    let (implementation, version) = (python.implementation(), python.version());
    if env::var_os("CARGO_CFG_UNIX").is_none() {
        refuse("Penstock runs on Linux and macOS, not on this system");
    } else if !matches!(implementation, PythonImplementation::CPython) {
        refuse(&format!("Penstock runs on CPython, not on {implementation}"));
    } else if python.target_abi().kind().is_free_threaded() {
        refuse("Penstock does not run on free-threaded builds of CPython");
    } else if version.major != 3 || !KNOWN.contains(&version.minor) {
        refuse(&format!("Penstock runs on CPython 3.11 to 3.15, not on {version}"));
    }
    pyo3_build_config::use_pyo3_cfgs();
}

/// Ends the build with one message, instead of what the compiler would say.
fn refuse(reason: &str) {
    println!("cargo::error={reason}: see {PAGE}");
}
