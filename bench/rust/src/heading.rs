//! Where and with what the numbers were made.

use std::fs::read_to_string;

const LOCK: &str = include_str!("../Cargo.lock");
const PEERS: [&str; 9] = [
    "coarsetime",
    "csv",
    "fastant",
    "ijson",
    "minstant",
    "plist",
    "quanta",
    "serde_json",
    "simd-csv",
];

/// The processor, the system, its load, and the versions of the peers.
pub fn text() -> String {
    let line = |path: &str, start: &str| {
        let text = read_to_string(path).unwrap_or_default();
        let found = text.lines().find_map(|line| line.strip_prefix(start));
        found.unwrap_or("?").trim_start_matches([' ', '\t', ':']).to_owned()
    };
    let processor = line("/proc/cpuinfo", "model name");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = line("/proc/loadavg", "");
    let load = load.split(' ').next().unwrap_or("?");
    let versions = PEERS.map(|name| format!("{name} {}", version(name))).join(", ");
    format!("{processor}, {cores} cores, load {load}\n{versions}")
}

/// The version of a package that was built in.
fn version(name: &str) -> &'static str {
    let found = LOCK.split(&format!("name = \"{name}\"\nversion = \"")).nth(1);
    found.and_then(|rest| rest.split('"').next()).unwrap_or("?")
}
