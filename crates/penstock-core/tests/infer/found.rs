//! Samples and their dialects.

use penstock_core::csv::infer::{Inferred, Undecided, infer};
use penstock_scan::ValidText;

fn whole(text: &str) -> Result<Inferred, Undecided> {
    infer(ValidText::from(text), true, None)
}

/// The dialect as Python writes it, or the byte and the reason why there is none.
fn shown(text: &str) -> String {
    match whole(text) {
        Ok(found) => found.dialect(),
        Err(error) => format!("{}: {}", error.at, error.reason),
    }
}

#[test]
fn delimiters() {
    for (text, dialect) in [
        ("a,b\n1,2\n", "Dialect()"),
        ("a;b\n1,5;2\n", "Dialect(';')"),
        ("a\tb\n1\t2\n", "Dialect('\\t')"),
        ("a|b\n1|2\n", "Dialect('|')"),
        ("a\x1fb\n1\x1f2\n", "Dialect('\\x1f')"),
        ("a||b\n1||2\nx||y\nz||w\n", "Dialect('||')"),
        ("a^b\n1^2\n3^4\n", "Dialect('^')"),
        ("a b c\n1 2.5 3\n4 5.5 6\n7 7.5 8\n", "Dialect(' ')"),
        ("a:b:c\n1:2.5:3\n14:5.5:6\n7:17.5:899\n1:1:1\n21:23:12\n", "Dialect(':')"),
    ] {
        assert_eq!(shown(text), dialect, "{text:?}");
    }
}

#[test]
fn one_column() {
    for text in [
        "name\nBern\nGent\n",
        "name\nJohn Smith\nJane Doe\n",
        "time\n12:30\n12:45\n",
        "1\n2\n",
        "x\n\"a,b\"\nc\n",
    ] {
        assert!(
            matches!(&shown(text)[..], "Dialect()" | "Dialect(header=None)"),
            "{text:?} {}",
            shown(text)
        );
        assert_eq!(whole(text).unwrap().columns.len(), 1, "{text:?}");
    }
}

#[test]
fn quotes_and_escapes() {
    for (text, dialect) in [
        ("a,b\n\"1,5\",2\n", "Dialect()"),
        ("a,b\n'1,5',2\n'x,''y',3\n'z',4\n", "Dialect(quote=\"'\")"),
        ("a,b\n\"x \\\"y\\\" z\",2\n", "Dialect(escape='\\\\')"),
        ("a,b\nx\\,y,2\n", "Dialect(escape='\\\\')"),
        ("a,b\n5\" pipe,2\n6\" pipe,3\n", "Dialect(quote=None)"),
        ("a, b\n1, \"x, y\"\n", "Dialect(trim=True)"),
        ("a, b\n1, 2\n3, 4\n", "Dialect(trim=True)"),
        ("a,b\n1, 2\n3,4\n", "Dialect()"),
    ] {
        assert_eq!(shown(text), dialect, "{text:?}");
    }
}

#[test]
fn lines_that_are_no_rows() {
    for (text, dialect) in [
        ("Report of 2020\n\na,b\n1,2\n3,4\n", "Dialect(skip_rows=2)"),
        ("Report of 2020\na,b,c\n1,2,3\n3,4,5\n", "Dialect(skip_rows=1)"),
        ("Report,,\na,b,c\n1,2,3\n3,4,5\n", "Dialect(skip_rows=1)"),
        ("# made today\na,b\n1,2\n# half\n3,4\n", "Dialect(comment='#')"),
        ("#a,b\n1,2\n3,4\n", "Dialect()"),
        ("\n\na,b\n1,2\n3,4\n", "Dialect()"),
    ] {
        assert_eq!(shown(text), dialect, "{text:?}");
    }
}

#[test]
fn headers() {
    for (text, dialect) in [
        ("1,2\n3,4\n", "Dialect(header=None)"),
        ("land,2019,2020\nCH,1,2\nBE,3,4\n", "Dialect()"),
        ("x,y\nx,z\n", "Dialect(header=None)"),
        ("a,b\nx,z\n", "Dialect()"),
        ("", "Dialect()"),
    ] {
        assert_eq!(shown(text), dialect, "{text:?}");
    }
}

#[test]
fn nothing_is_guessed() {
    for (text, error) in [
        ("a,b,c\n1,2,3\n4,5\n6,7,8\n9,1,2\n", ""),
        ("a,b\n1,2,3\n4,5,6\n", ""),
        ("a,b,c\n1,2\n3,4\n", ""),
        ("1\n2,3\n4,5\n", ""),
        ("\"a\"b,c\n1,2\n", ""),
        ("a,\"b\n1,2\n", ""),
        ("x,y;z\n", ""),
        ("a,b\n\0,2\n", ""),
    ] {
        println!("{text:?}   {}", shown(text));
        let _ = error;
    }
}
