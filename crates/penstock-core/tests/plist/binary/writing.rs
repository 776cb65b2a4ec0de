//! The writer of binary property lists: what it writes is read back, in whole files and in streams.

use penstock_core::error::Fail;
use penstock_core::event::{Container, ContainerKind, Scalar};
use penstock_core::limits::Limits;
use penstock_core::plist::binary::Reader;
use penstock_core::plist::binary::writer::{Writer, WriterOptions};
use penstock_core::protocol::{FormatReader, InputView, Sink, Step};
use penstock_core::value::{datetime, duration, unix};
use penstock_core::writer::{Unwritable, Writer as _};
use proptest::prelude::*;

use super::file::*;
use super::{config, layout, objects};

fn whole() -> WriterOptions {
    WriterOptions::default()
}

fn stream() -> WriterOptions {
    WriterOptions { stream: true, ..WriterOptions::default() }
}

/// What `tell` writes.
fn written(
    options: WriterOptions,
    tell: impl FnOnce(&mut Writer) -> Result<(), Unwritable>,
) -> Result<Vec<u8>, String> {
    let mut writer = Writer::new(options, &Limits::default());
    let told = tell(&mut writer).and_then(|()| writer.finish());
    told.map(|()| writer.ready().to_vec()).map_err(|error| error.to_string())
}

/// What is written of all events of a file, taken in pieces of at least `piece` bytes.
fn rewritten(bytes: &[u8], options: WriterOptions, piece: usize) -> Result<Vec<u8>, String> {
    let mut writer = Writer::new(options, &Limits::default());
    let mut reader = Reader::new(&Limits::default());
    let mut out = Vec::new();
    loop {
        let step = reader.run(InputView::Bytes(bytes), &mut writer);
        if writer.ready().len() >= piece {
            out.extend_from_slice(writer.ready());
            writer.taken();
        }
        match step {
            Ok(Step::Paused) => {}
            Ok(Step::Done) => break,
            Ok(step) => panic!("{step:?}"),
            Err(Fail::Input(fault)) => return Err(fault.to_string()),
            Err(Fail::Sink(error)) => return Err(error.to_string()),
        }
    }
    writer.finish().map_err(|error| error.to_string())?;
    out.extend_from_slice(writer.ready());
    Ok(out)
}

/// The events without their places, and without what is shared.
fn values(bytes: &[u8]) -> String {
    let (events, fault) = told(bytes, &Limits::default());
    assert_eq!(fault, None);
    let mut values = String::new();
    for line in events.lines() {
        let line = line.trim_start().trim_start_matches(|char: char| char.is_ascii_digit());
        match line.trim_start() {
            shared if shared.starts_with("container set") => values.push_str("set"),
            shared if shared.starts_with("container") => continue,
            value => values.push_str(value),
        }
        values.push('\n');
    }
    values
}

/// How many objects a file has.
fn count(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(*bytes[bytes.len() - 24..].first_chunk().unwrap())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_written_is_read_back(objects in objects(), layout in layout(), piece in 1_usize..300) {
        let bytes = file(&objects, layout);
        if told(&bytes, &Limits::default()).1.is_none() {
            let expected = values(&bytes);
            let as_a_whole = rewritten(&bytes, whole(), 1).unwrap();
            prop_assert_eq!(values(&as_a_whole), &expected[..]);
            let as_a_stream = rewritten(&bytes, stream(), piece).unwrap();
            prop_assert_eq!(values(&as_a_stream), &expected[..]);
            // Nothing can be said with fewer objects.
            let again = rewritten(&as_a_stream, whole(), 1).unwrap();
            prop_assert_eq!(&again, &as_a_whole);
            let fewest = count(&as_a_whole);
            prop_assert!(fewest <= count(&as_a_stream));
        }
    }
}

/// The bytes are those that `plistlib.dumps(..., fmt=FMT_BINARY, sort_keys=False)` writes.
#[test]
fn the_layout_of_others() {
    // {"b": [1, "é", 2.5], "a": {"b": -1, "c": b"x"}, "long": "x" * 15}
    let tell = |writer: &mut Writer| {
        writer.begin_map(0)?;
        writer.key("b".into(), 0)?;
        writer.begin_list(0)?;
        writer.int(1, 0)?;
        writer.text("é".into(), 0)?;
        writer.float(2.5, 0)?;
        writer.end_list(0)?;
        writer.key("a".into(), 0)?;
        writer.begin_map(0)?;
        writer.key("b".into(), 0)?;
        writer.int(-1, 0)?;
        writer.key("c".into(), 0)?;
        writer.scalar(Scalar::Bytes(b"x"), 0)?;
        writer.end_map(0)?;
        writer.key("long".into(), 0)?;
        writer.text("xxxxxxxxxxxxxxx".into(), 0)?;
        writer.end_map(0)?;
        Ok(())
    };
    let bytes = written(whole(), tell).unwrap();
    let expected =
        b"bplist00\xd3\x01\x02\x03\x04\x08\x0cQbQaTlong\xa3\x05\x06\x07\x10\x01a\x00\xe9\
        #@\x04\x00\x00\x00\x00\x00\x00\xd2\x01\t\n\x0bQc\x13\xff\xff\xff\xff\xff\xff\xff\xffAx\
        _\x10\x0fxxxxxxxxxxxxxxx\x08\x0f\x11\x13\x18\x1c\x1e!*/1:<\
        \x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\r\
        \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00N";
    assert_eq!(bytes, expected);
}

#[test]
fn each_scalar() {
    let date = |text: &str| Scalar::DateTime(datetime::datetime(text.as_bytes()).unwrap());
    for (value, expected) in [
        (Scalar::Null, "00"),
        (Scalar::Bool(false), "08"),
        (Scalar::Bool(true), "09"),
        (Scalar::Int(0), "1000"),
        (Scalar::Int(255), "10ff"),
        (Scalar::Int(256), "110100"),
        (Scalar::Int(65_536), "1200010000"),
        (Scalar::Int(1 << 32), "130000000100000000"),
        (Scalar::Int(-1), "13ffffffffffffffff"),
        (Scalar::Int(i64::MIN), "138000000000000000"),
        (Scalar::Number(b"7"), "1007"),
        (Scalar::Number(b"-7"), "13fffffffffffffff9"),
        (Scalar::Number(b"9223372036854775808"), "1400000000000000008000000000000000"),
        (Scalar::Number(b"-9223372036854775809"), "14ffffffffffffffff7fffffffffffffff"),
        (Scalar::Number(b"1e1"), "234024000000000000"),
        (Scalar::Float(-0.0), "238000000000000000"),
        (Scalar::Float(f64::INFINITY), "237ff0000000000000"),
        (Scalar::Text("".into()), "50"),
        (Scalar::Text("ab".into()), "526162"),
        (Scalar::Text("é𝄞".into()), "6300e9d834dd1e"),
        (Scalar::Untyped("7".into()), "5137"),
        (Scalar::Bytes(b"\0\xff"), "4200ff"),
        (Scalar::Bytes(b"123456789012345"), "4f100f313233343536373839303132333435"),
        (Scalar::Uid(7), "8007"),
        (Scalar::Uid(256), "810100"),
        (Scalar::Uid(1 << 16), "8300010000"),
        (Scalar::Uid(1 << 32), "870000000100000000"),
        (Scalar::Since2001(-0.5), "33bfe0000000000000"),
        (date("2001-01-01T00:00:01Z"), "333ff0000000000000"),
        (date("2001-01-01T00:00:01"), "333ff0000000000000"),
        (date("2001-01-01T01:00:01+01:00"), "333ff0000000000000"),
        (date("0001-01-01T00:00:00Z"), "33c22d63c37f000000"),
        (Scalar::Number(b"-Infinity"), "23fff0000000000000"),
        (Scalar::Decimal(b"1.50"), "233ff8000000000000"),
        (Scalar::Date(datetime::date(b"2026-11-02").unwrap()), "5a323032362d31312d3032"),
        (Scalar::Time(datetime::time(b"07:08:09").unwrap()), "5830373a30383a3039"),
        (Scalar::Duration(duration::Duration { days: 1, seconds: 0, microseconds: 0 }), "53503144"),
        (
            Scalar::Uuid([7; 16]),
            "5f102430373037303730372d303730372d303730372d303730372d303730373037303730373037",
        ),
    ] {
        for options in [whole(), stream()] {
            let bytes = written(options, |writer| writer.scalar(value, 0).map(|_| ())).unwrap();
            let hex =
                |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            assert_eq!(hex(&bytes[8..bytes.len() - 33]), expected, "{value:?}");
            let (_, fault) = told(&bytes, &Limits::default());
            assert_eq!(fault, None);
        }
    }
}

#[test]
fn what_it_cannot_hold() {
    let refused = |value: Scalar<'_>| {
        written(whole(), |writer| writer.scalar(value, 0).map(|_| ())).unwrap_err()
    };
    assert_eq!(
        refused(Scalar::Number(b"170141183460469231731687303715884105728")),
        "a binary property list has no integer of more than 128 bits"
    );
    assert_eq!(refused(Scalar::Number(b"1e400")), "a number beyond the range of a double");
    assert_eq!(
        refused(Scalar::Decimal(b"0.1234567890123456789")),
        "a decimal number that no double holds: write it as text"
    );
    let piece = written(whole(), |writer| writer.piece("x".into(), 0).map(|_| ())).unwrap_err();
    assert_eq!(piece, "a property list has no place for text between elements");
    assert_eq!(written(whole(), |_| Ok(())).unwrap_err(), "there is no value to write");
    let twice = |writer: &mut Writer| writer.null(0).and_then(|_| writer.null(0)).map(|_| ());
    assert_eq!(written(whole(), twice).unwrap_err(), "a property list is one value");
    let open = |writer: &mut Writer| writer.begin_list(0).map(|_| ());
    assert_eq!(written(stream(), open).unwrap_err(), "the last record is not complete");
    let mut deep = Writer::new(whole(), &Limits { depth: 2, ..Limits::default() });
    deep.begin_list(0).unwrap();
    deep.begin_list(0).unwrap();
    assert_eq!(
        deep.begin_map(0).unwrap_err().to_string(),
        "more than 2 maps and lists inside one another (limits.depth)"
    );
}

/// Two rows with equal members, one of which is a set.
fn tell_row(writer: &mut Writer, id: i64) -> Result<(), Unwritable> {
    writer.begin_map(0)?;
    writer.key("tags".into(), 0)?;
    writer.container(Container { kind: ContainerKind::Set, shared: None });
    writer.begin_list(0)?;
    writer.text("a".into(), 0)?;
    writer.end_list(0)?;
    writer.key("id".into(), 0)?;
    writer.int(id, 0)?;
    writer.end_map(0)?;
    Ok(())
}

#[test]
fn equal_objects_are_stored_once() {
    let tell = |writer: &mut Writer| {
        writer.begin_list(0)?;
        for id in [1, 2, 1] {
            tell_row(writer, id)?;
        }
        // An array is no set.
        writer.begin_list(0)?;
        writer.text("a".into(), 0)?;
        writer.end_list(0)?;
        writer.end_list(0)?;
        Ok(())
    };
    let small = written(whole(), tell).unwrap();
    // The list, two rows, "tags", "id", the set, the array, "a", 1 and 2.
    assert_eq!(count(&small), 10);
    let large = written(stream(), tell).unwrap();
    // Containers are not compared.
    assert_eq!(count(&large), 13);
    assert_eq!(values(&small), values(&large));
}

/// Small ones are found by their value, others by a hash, and no number is another kind of number.
#[test]
fn equal_integers_are_stored_once() {
    let ints = [
        0,
        255,
        256,
        1_023,
        1_024,
        65_535,
        65_536,
        (1 << 20) - 1,
        1 << 20,
        (1 << 32) - 1,
        1 << 32,
        i64::MAX,
        -1,
        i64::MIN,
    ];
    let tell = |writer: &mut Writer| {
        writer.begin_list(0)?;
        for value in ints.iter().chain(&ints) {
            writer.int(*value, 0)?;
        }
        writer.float(0.0, 0)?;
        writer.boolean(false, 0)?;
        writer.scalar(Scalar::Uid(0), 0)?;
        writer.text("\0".into(), 0)?;
        writer.scalar(Scalar::Bytes(b"\0"), 0)?;
        writer.number(b"1048576", 0)?;
        writer.end_list(0)?;
        Ok(())
    };
    let bytes = written(whole(), tell).unwrap();
    assert_eq!(count(&bytes), 1 + ints.len() as u64 + 5);
    assert_eq!(values(&bytes), values(&written(stream(), tell).unwrap()));
    let lines = ints.map(|value| format!("int {value}\n")).concat();
    assert!(values(&bytes).starts_with(&format!("begin list\n{lines}{lines}float 0")));
    // A writer that is used again knows none of them.
    let mut writer = Writer::new(whole(), &Limits::default());
    for _ in 0..2 {
        tell(&mut writer).unwrap();
        writer.finish().unwrap();
        assert_eq!(writer.ready(), bytes);
        writer.reopen();
    }
}

/// Lengths at which a string is hashed in another way, or its count has more bytes.
#[test]
fn equal_texts_are_stored_once() {
    let lengths = (0..70).chain([255, 256, 65_535, 65_536]);
    let texts: Vec<String> =
        lengths.map(|length| "abcdefg".repeat(length)[..length].into()).collect();
    let wide: Vec<String> = texts.iter().skip(1).map(|text| text.replace('a', "\u{E9}")).collect();
    let tell = |writer: &mut Writer| {
        writer.begin_map(0)?;
        for text in texts.iter().chain(&wide) {
            writer.key(text.as_str().into(), 0)?;
            writer.begin_list(0)?;
            writer.text(text.as_str().into(), 0)?;
            writer.scalar(Scalar::Bytes(text.as_bytes()), 0)?;
            writer.end_list(0)?;
        }
        writer.end_map(0)?;
        Ok(())
    };
    let bytes = written(whole(), tell).unwrap();
    // Of each: the text, which is the key, too; the bytes; and the list.
    assert_eq!(count(&bytes), 1 + 3 * (texts.len() + wide.len()) as u64);
    assert_eq!(values(&bytes), values(&written(stream(), tell).unwrap()));
}

/// Maps are compared in the order in which they are written.
#[test]
fn equal_maps_in_order() {
    let tell = |writer: &mut Writer| {
        writer.begin_list(0)?;
        for keys in [["a", "b"], ["b", "a"], ["a", "b"]] {
            writer.begin_map(0)?;
            for key in keys {
                writer.key(key.into(), 0)?;
                writer.text(key.into(), 0)?;
            }
            writer.end_map(0)?;
        }
        writer.end_list(0)?;
        Ok(())
    };
    // The list, the maps, "a" and "b".
    assert_eq!(count(&written(whole(), tell).unwrap()), 5);
    let sorted = WriterOptions { sort_keys: true, ..whole() };
    assert_eq!(count(&written(sorted, tell).unwrap()), 4);
}

#[test]
fn records_at_a_path() {
    for options in [whole(), stream()] {
        let bytes = written(options.clone().at("a/b/*").unwrap(), |writer| {
            tell_row(writer, 1)?;
            tell_row(writer, 300)
        });
        assert_eq!(
            values(&bytes.unwrap()),
            "begin map\nkey \"a\"\nbegin map\nkey \"b\"\nbegin list\nbegin map\nkey \"tags\"\nset\n\
             begin list\ntext \"a\"\nend list\nkey \"id\"\nint 1\nend map\nbegin map\n\
             key \"tags\"\nset\nbegin list\ntext \"a\"\nend list\nkey \"id\"\nint 300\nend map\n\
             end list\nend map\nend map\n"
        );
        let none = written(options.at("*").unwrap(), |_| Ok(())).unwrap();
        assert_eq!(values(&none), "begin list\nend list\n");
    }
    assert_eq!(
        whole().at("a").unwrap_err().to_string(),
        "at=\"a\": the records of a property list are the elements of an array: 'rows/*'"
    );
}

#[test]
fn keys_in_order() {
    for options in [whole(), stream()] {
        let sorted = WriterOptions { sort_keys: true, ..options };
        let bytes = written(sorted, |writer| {
            writer.begin_map(0)?;
            for key in ["b", "\u{1D11E}", "a", "\u{FF00}"] {
                writer.key(key.into(), 0)?;
                writer.begin_map(0)?;
                for key in ["z", "b", key] {
                    writer.key(key.into(), 0)?;
                    writer.text(key.into(), 0)?;
                }
                writer.end_map(0)?;
            }
            writer.end_map(0)?;
            Ok(())
        });
        let keys: Vec<String> = values(&bytes.unwrap())
            .lines()
            .filter_map(|line| Some(line.strip_prefix("key ")?.trim_matches('"').to_owned()))
            .collect();
        // By code points: the last one is two units of UTF-16.
        let expected = ["a", "a", "b", "z", "b", "b", "b", "z", r"\u{ff00}", "b", "z", r"\u{ff00}"];
        assert_eq!(keys[..12], expected);
        assert_eq!(keys[12..], ["\u{1D11E}", "b", "z", "\u{1D11E}"]);
    }
}

#[test]
fn an_abandoned_record_is_gone() {
    for (options, piece) in [(whole(), 1), (stream(), 1), (stream(), usize::MAX)] {
        let options = options.at("rows/*").unwrap();
        let plain = |bad: bool| {
            let mut writer = Writer::new(options.clone(), &Limits::default());
            let mut out = Vec::new();
            let mut take = |writer: &mut Writer| {
                if writer.ready().len() >= piece {
                    out.extend_from_slice(writer.ready());
                    writer.taken();
                }
            };
            for id in 0..3 {
                tell_row(&mut writer, id).unwrap();
                take(&mut writer);
                if bad {
                    writer.begin_map(0).unwrap();
                    writer.key("tags".into(), 0).unwrap();
                    writer.begin_list(0).unwrap();
                    writer.text("only here".into(), 0).unwrap();
                    if id == 1 {
                        // A part of it is gone.
                        take(&mut writer);
                    }
                    writer.int(99, 0).unwrap();
                    writer.abandon();
                    writer.begin_list(0).unwrap();
                    writer.abandon();
                }
            }
            writer.finish().unwrap();
            assert_eq!(writer.records(), 3);
            out.extend_from_slice(writer.ready());
            out
        };
        let (good, bad) = (plain(false), plain(true));
        assert_eq!(values(&bad), values(&good));
        if piece == usize::MAX {
            assert_eq!(bad, good);
        }
    }
}

#[test]
fn a_writer_again() {
    for options in [whole(), stream()] {
        let mut writer = Writer::new(options.clone(), &Limits::default());
        for id in 0..3 {
            tell_row(&mut writer, id).unwrap();
            writer.finish().unwrap();
            let first = written(options.clone(), |writer| tell_row(writer, id)).unwrap();
            assert_eq!(writer.ready(), first);
            writer.taken();
            writer.reopen();
        }
        // One that was not finished.
        writer.begin_list(0).unwrap();
        writer.text("x".into(), 0).unwrap();
        writer.reopen();
        tell_row(&mut writer, 9).unwrap();
        writer.finish().unwrap();
        assert_eq!(writer.ready(), written(options, |writer| tell_row(writer, 9)).unwrap());
    }
}

/// Enough rows for references and offsets of more than one byte, and for a table that is full.
#[test]
fn many_objects() {
    let tell = |writer: &mut Writer| {
        writer.begin_list(0)?;
        for id in 0..30_000 {
            tell_row(writer, id)?;
            writer.text(format!("text {}", id % 20_000).as_str().into(), 0)?;
        }
        writer.end_list(0)?;
        Ok(())
    };
    let bytes = written(whole(), tell).unwrap();
    assert_eq!(count(&bytes), 1 + 2 * 30_000 + 20_000 + 4);
    assert_eq!(bytes[bytes.len() - 26..bytes.len() - 24], [4, 4]);
    let streamed = written(stream(), tell).unwrap();
    assert_eq!(values(&streamed), values(&bytes));
}

#[test]
fn dates_to_the_microsecond() {
    for text in ["2026-11-02T07:08:09.123456Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
        let value = datetime::datetime(text.as_bytes()).unwrap();
        let bytes =
            written(whole(), |writer| writer.scalar(Scalar::DateTime(value), 0).map(|_| ()));
        let bytes = bytes.unwrap();
        let seconds = f64::from_be_bytes(*bytes[9..].first_chunk().unwrap());
        let read = unix::microseconds(unix::since_2001(seconds).unwrap()).unwrap();
        assert_eq!(read, unix::microseconds(value).unwrap(), "{text}");
    }
    // So far from 2001, a double has no microseconds.
    for text in ["0001-01-01T00:00:00.000001Z", "9999-12-31T23:59:59.999999Z"] {
        let value = datetime::datetime(text.as_bytes()).unwrap();
        let refused =
            written(whole(), |writer| writer.scalar(Scalar::DateTime(value), 0).map(|_| ()));
        let said = "a date that a binary property list has no microseconds for: it keeps seconds since \
                    2001 as a double";
        assert_eq!(refused.unwrap_err(), said, "{text}");
    }
}
