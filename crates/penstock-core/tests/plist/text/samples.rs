//! The files of `testdata/plist`: read as another parser reads them, and written in each way, they are the same again.

use std::fs;
use std::path::Path;

use penstock_core::json::Order;
use penstock_core::limits::Limits;
use penstock_core::options::Indent;
use penstock_core::plist::text::writer::{Form, WriterOptions};
use serde_json::{Map, Value};

use super::recording::{Answers, whole};

fn sample(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/plist");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// A text as JSON, with data as an object of its digits.
fn json(text: &str) -> Value {
    let (events, reason) = whole(text, &Limits::default(), Answers::default());
    assert_eq!(reason, None);
    let mut open = vec![(String::new(), Value::Array(Vec::new()))];
    let mut key = String::new();
    for (_, what) in events {
        let (kind, rest) = what.split_once(' ').unwrap();
        // The forms of Rust's and JSON's escapes are the same for what the samples have.
        let string = || serde_json::from_str::<String>(rest).unwrap();
        let value = match (kind, rest) {
            ("begin", "map") => {
                open.push((std::mem::take(&mut key), Value::Object(Map::new())));
                continue;
            }
            ("begin", _) => {
                open.push((std::mem::take(&mut key), Value::Array(Vec::new())));
                continue;
            }
            ("end", _) => {
                let (its_key, value) = open.pop().unwrap();
                key = its_key;
                value
            }
            ("key", _) => {
                key = string();
                continue;
            }
            ("bytes", digits) => serde_json::json!({ "data": digits }),
            _ => Value::String(string()),
        };
        match &mut open.last_mut().unwrap().1 {
            Value::Object(entries) => drop(entries.insert(std::mem::take(&mut key), value)),
            Value::Array(items) => items.push(value),
            _ => unreachable!("only containers are open"),
        }
    }
    open.remove(0).1[0].take()
}

fn rewritten(text: &str, options: WriterOptions) -> String {
    super::rewriting::rewritten(text, options).unwrap()
}

#[test]
fn samples() {
    let expected: Value = serde_json::from_str(&sample("expected.json")).unwrap();
    for name in ["project.pbxproj", "Weir.glyphs", "Localizable.strings"] {
        let text = sample(name);
        assert_eq!(json(&text), expected[name], "{name}");
        for indent in [Some(Indent::TAB), Some(Indent::spaces(0)), Some(Indent::spaces(4)), None] {
            for (form, strings, ascii) in [
                (Form::OpenStep, false, false),
                (Form::OpenStep, false, true),
                (Form::OpenStep, true, false),
                (Form::GnuStep, false, false),
                (Form::GnuStep, true, true),
            ] {
                for order in [None, Some(Order::CodePoints)] {
                    let options = WriterOptions {
                        form,
                        indent,
                        strings,
                        ascii,
                        order,
                        ..WriterOptions::default()
                    };
                    let again = rewritten(&text, options.clone());
                    assert_eq!(json(&again), expected[name], "{name}");
                    assert_eq!(rewritten(&again, options), again, "{name}");
                }
            }
        }
    }
}

/// What the layout of Xcode and ours have in common.
#[test]
fn lines_of_a_project() {
    let written = rewritten(&sample("project.pbxproj"), WriterOptions::default());
    for line in [
        "{\n\tarchiveVersion = 1;\n",
        "\tclasses = {};\n",
        "\t\t\tisa = PBXFrameworksBuildPhase;\n",
        "\t\t\tfiles = (\n\t\t\t\t4A0C10012B00000100AB0003\n\t\t\t);\n",
        "\t\t\t\t\"OTHER_SWIFT_FLAGS[arch=arm64]\" = \"-Xcc -march=armv8.4-a\";\n",
        "\t\t\t\tMACOSX_DEPLOYMENT_TARGET = 13.0;\n",
        "\t\t\tsourceTree = \"<group>\";\n",
        "\trootObject = 4A0C10012B00000100AB0050;\n}\n",
    ] {
        assert!(written.contains(line), "{line}");
    }
}

#[test]
fn lines_of_a_font() {
    let options = WriterOptions { indent: Some(Indent::spaces(0)), ..WriterOptions::default() };
    let written = rewritten(&sample("Weir.glyphs"), options);
    for line in [
        ".formatVersion = 3;\n",
        "unitsPerEm = 1000;\n",
        "pos = -200.5;\n",
        "com.example.weir.thumbnail = <89504e47 0d0a1a0a 00>;\n",
        "note = \"the dots: ¨ or ¨\\ntwo lines\";\n",
    ] {
        assert!(written.contains(line), "{line}");
    }
}

#[test]
fn lines_of_a_file_of_strings() {
    let options = WriterOptions { strings: true, ..WriterOptions::default() };
    let written = rewritten(&sample("Localizable.strings"), options);
    let expected = r#""window.title" = "Sluices of the %@";
"sluice.count" = "%1$d of %2$d sluices \"open\"";
"level" = "Level:\n	%@ m\n";
"Öffnen" = "Ouvrir l'écluse…";
"emoji" = "🚢 ferry";
"path" = "C:\\sluices\\%@";
"untranslated" = "untranslated";
"empty" = "";
"中文" = "水闸";
"#;
    assert_eq!(written, expected);
}
