//! The text property lists of libplist, if they are installed: `PENSTOCK_CORPORA` names the folder of the corpora.

use std::path::{Path, PathBuf};
use std::{env, fs};

use penstock_core::limits::Limits;

use super::naive::naive;
use super::recording::{Answers, Recorder, read, whole};

fn libplist() -> Option<PathBuf> {
    let corpora = env::var("PENSTOCK_CORPORA").unwrap_or_default();
    let folder = Path::new(&corpora).join("plist/libplist");
    if !corpora.is_empty() && folder.is_dir() {
        return Some(folder);
    }
    let required = env::var("PENSTOCK_REQUIRE_CORPORA").is_ok_and(|value| value == "1");
    assert!(!required, "libplist's files not found: PENSTOCK_CORPORA={corpora}");
    eprintln!("libplist's files not found, and skipped: PENSTOCK_CORPORA={corpora}");
    None
}

/// The events of a file, which are the same however it is cut, and those of the naive twin.
fn events(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let limits = Limits::default();
    let (events, reason) = whole(&text, &limits, Answers::default());
    assert_eq!(reason, None);
    for (skips, looks) in [(0, 0), (1, 0), (2, 3)] {
        let answers = Answers { skips, looks };
        let expected = naive(&text, &limits, answers);
        for growth in 1..60 {
            let mut recorder = Recorder { answers, ..Recorder::default() };
            read(&text, &limits, &[growth], &mut recorder);
            assert_eq!(recorder.events, expected);
        }
    }
    events.into_iter().map(|(_, what)| what).collect()
}

#[test]
fn files_of_libplist() {
    let Some(folder) = libplist() else { return };
    let first = events(&folder.join("o1.ostep"));
    assert_eq!(first.iter().filter(|what| *what == "untyped \"1\"").count(), 13);
    assert!(first.contains(&"untyped \"-1337\"".to_owned()));
    assert!(first.contains(&"untyped \"-0.25\"".to_owned()));

    let second = events(&folder.join("o2.ostep"));
    assert!(second.contains(&"untyped \"Yeah check this: \u{1234} !!!\"".to_owned()));
    assert!(second.contains(&"key \"Keys & \\\"entities\\\"\"".to_owned()));
    assert!(second.contains(&"untyped \"język polski\"".to_owned()));

    let third = [
        "begin list",
        "begin map",
        "key \"AFirstKey\"",
        "untyped \"A First Value\"",
        "key \"ASecondKey\"",
        "untyped \"A Second Value\"",
        "end map",
        "begin map",
        "key \"CFirstKey\"",
        "untyped \"C First Value\"",
        "key \"CSecondKey\"",
        "untyped \"C Second Corrected Value\"",
        "end map",
        "end list",
    ];
    assert_eq!(events(&folder.join("o3.ostep")), third);

    let strings = events(&folder.join("test.strings"));
    assert_eq!(strings.len(), 2 + 2 * 12);
    assert_eq!(
        strings[..5],
        [
            "begin map",
            "key \"STRINGS_ENTRY\"",
            "untyped \"Whatever\"",
            "key \"FOO\"",
            "untyped \"BAR\""
        ]
    );
    assert_eq!(strings[23], "key \"ENTRY8\"");
    assert_eq!(strings[24], format!("untyped {:?}", "हिन्दी"));
}
