use super::replacement::tests::Folder;
use super::*;
use crate::limits::Limits;
use crate::source::{Compression, Options, Source};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::{Arc, Mutex};

fn replace(path: &Path) -> Target {
    Target::replace(path, Packing::NONE, false, Host::default()).unwrap()
}

fn append(path: &Path, compression: Compression) -> Target {
    try_append(path, compression, Torn::Refuse).unwrap()
}

fn try_append(path: &Path, compression: Compression, torn: Torn) -> Result<Target, TargetError> {
    let packing = Packing::new(compression, None).unwrap();
    Target::append(path, packing, torn, true, Host::default())
}

fn refused(result: Result<Target, TargetError>) -> (String, u64) {
    match result {
        Err(TargetError::Fault(fault)) => (fault.reason().to_owned(), fault.offset()),
        other => panic!("{other:?}"),
    }
}

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let limits = Limits::default();
    let reader = io::Cursor::new(packed.to_owned());
    let mut source = Source::open(Box::new(reader), Options::new(&limits));
    let (mut all, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        match source.read(&mut piece).unwrap() {
            0 => return all,
            n => all.extend_from_slice(&piece[..n]),
        }
    }
}

fn over(error: Result<(), TargetError>) -> Over {
    match error {
        Err(TargetError::Over(over)) => over,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_is_replaced_at_the_end() {
    for sync in [false, true] {
        let folder = Folder::new();
        let path = folder.0.join("rows.json");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut target = Target::replace(&path, Packing::NONE, sync, Host::default()).unwrap();
        let names = folder.names();
        assert_eq!(names.len(), 2);
        assert!(names[1].starts_with("rows.json.") && names[1].ends_with(".part"), "{names:?}");
        target.write_all(b"ne").unwrap();
        target.flush().unwrap();
        target.mark().unwrap();
        target.write_all(b"w").unwrap();
        assert_eq!((target.taken(), target.given()), (3, 3));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        target.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
        assert_eq!(folder.names(), ["rows.json"]);
        target.finish().unwrap();
        target.abort().unwrap();
        assert_eq!(over(target.write_all(b"more")), Over::Finished);
        assert_eq!(over(target.mark()), Over::Finished);
        assert_eq!(over(target.flush()), Over::Finished);
        drop(target);
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}

#[test]
fn an_aborted_file_is_gone() {
    let folder = Folder::new();
    let path = folder.0.join("rows.json");
    fs::write(&path, "old").unwrap();
    let mut target = replace(&path);
    target.write_all(b"new").unwrap();
    target.abort().unwrap();
    target.abort().unwrap();
    assert_eq!(folder.names(), ["rows.json"]);
    assert_eq!(over(target.write_all(b"more")), Over::Aborted);
    assert_eq!(over(target.finish()), Over::Aborted);
    let mut target = replace(&path);
    target.write_all(b"new").unwrap();
    drop(target);
    assert_eq!(folder.names(), ["rows.json"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn links_are_followed_to_their_file() {
    let folder = Folder::new();
    fs::create_dir(folder.0.join("elsewhere")).unwrap();
    fs::write(folder.0.join("elsewhere/file"), "old").unwrap();
    symlink("elsewhere/file", folder.0.join("link")).unwrap();
    let Kind::File(path) = kind_of(&folder.0.join("link")).unwrap() else { panic!() };
    let mut target = replace(&path);
    target.write_all(b"new").unwrap();
    target.finish().unwrap();
    assert!(fs::symlink_metadata(folder.0.join("link")).unwrap().is_symlink());
    assert_eq!(fs::read(folder.0.join("elsewhere/file")).unwrap(), b"new");
    assert_eq!(folder.names(), ["elsewhere", "link"]);
}

#[test]
fn a_new_file_takes_the_place_of_none() {
    let folder = Folder::new();
    let path = folder.0.join("rows");
    let mut target = replace(&path);
    target.write_all(b"first").unwrap();
    target.finish_new().unwrap();
    let mut target = replace(&path);
    target.write_all(b"second").unwrap();
    match target.finish_new() {
        Err(TargetError::Io(error)) => assert_eq!(error.kind(), io::ErrorKind::AlreadyExists),
        other => panic!("{other:?}"),
    }
    assert_eq!(over(target.finish()), Over::Failed);
    assert_eq!(fs::read(&path).unwrap(), b"first");
    assert_eq!(folder.names(), ["rows"]);
}

#[test]
fn the_folder_must_be_there_and_stay() {
    let folder = Folder::new();
    let path = folder.0.join("gone/rows");
    match Target::replace(&path, Packing::NONE, true, Host::default()) {
        Err(TargetError::Io(error)) => assert_eq!(error.kind(), io::ErrorKind::NotFound),
        other => panic!("{other:?}"),
    }
    fs::create_dir(folder.0.join("gone")).unwrap();
    let mut target = replace(&path);
    fs::remove_dir_all(folder.0.join("gone")).unwrap();
    target.write_all(b"lost").unwrap();
    assert!(matches!(target.finish(), Err(TargetError::Io(_))));
    assert_eq!(over(target.finish()), Over::Failed);
}

/// Takes at most three bytes at a time, is interrupted each second time, and fails in the end.
struct Reluctant {
    taken: Arc<Mutex<Vec<u8>>>,
    calls: usize,
    most: usize,
}

impl Write for Reluctant {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(2) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let mut taken = self.taken.lock().unwrap();
        if taken.len() >= self.most {
            return Ok(0);
        }
        let count = bytes.len().min(3);
        taken.extend_from_slice(&bytes[..count]);
        Ok(count)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn short_writes_and_signals() {
    let taken = Arc::new(Mutex::new(Vec::new()));
    let to = Reluctant { taken: taken.clone(), calls: 0, most: 20 };
    let mut target = Target::give(Box::new(to), Packing::NONE, Host::default()).unwrap();
    target.write_all(b"0123456789").unwrap();
    target.write_all(b"0123456789").unwrap();
    assert_eq!(*taken.lock().unwrap(), b"01234567890123456789");
    match target.write_all(b"more") {
        Err(TargetError::Io(error)) => {
            assert_eq!(error.to_string(), "none of 4 bytes could be written");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(over(target.write_all(b"more")), Over::Failed);
    // A host that has enough of signals.
    let to = Reluctant { taken: taken.clone(), calls: 0, most: 1000 };
    let host = Host { interrupted: || Err(io::Error::other("enough")), ..Host::default() };
    let mut target = Target::give(Box::new(to), Packing::NONE, host).unwrap();
    match target.write_all(b"0123456789") {
        Err(TargetError::Io(error)) => assert_eq!(error.to_string(), "enough"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_full_device() {
    for compression in [Compression::None, Compression::Gzip] {
        let file = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let packing = Packing::new(compression, None).unwrap();
        let mut target = Target::through(file, packing, Host::default()).unwrap();
        let result = target.write_all(b"x").and_then(|()| target.finish());
        match result {
            Err(TargetError::Io(error)) => {
                assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_closing_says_counts() {
    let folder = Folder::new();
    let path = folder.0.join("rows");
    fs::write(&path, "old").unwrap();
    let host = Host { close: |_| Err(io::ErrorKind::QuotaExceeded.into()), ..Host::default() };
    let mut target = Target::replace(&path, Packing::NONE, false, host).unwrap();
    target.write_all(b"new").unwrap();
    match target.finish() {
        Err(TargetError::Io(error)) => assert_eq!(error.kind(), io::ErrorKind::QuotaExceeded),
        other => panic!("{other:?}"),
    }
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(folder.names(), ["rows"]);
}

#[test]
fn appended_lines_stay_up_to_the_mark() {
    let folder = Folder::new();
    let path = folder.0.join("rows.ndjson");
    let mut target = append(&path, Compression::None);
    target.write_all(b"[1]\n").unwrap();
    target.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"[1]\n");
    let mut target = append(&path, Compression::None);
    target.write_all(b"[2]\n").unwrap();
    target.mark().unwrap();
    target.write_all(b"[3").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"[1]\n[2]\n[3");
    target.abort().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"[1]\n[2]\n");
    let mut target = append(&path, Compression::None);
    target.write_all(b"[3").unwrap();
    drop(target);
    assert_eq!(fs::read(&path).unwrap(), b"[1]\n[2]\n");
    assert_eq!(folder.names(), ["rows.ndjson"]);
}

#[test]
fn nobody_elses_lines_are_removed() {
    let folder = Folder::new();
    let path = folder.0.join("rows.ndjson");
    let mut target = append(&path, Compression::None);
    target.write_all(b"[1").unwrap();
    let mut other = OpenOptions::new().append(true).open(&path).unwrap();
    other.write_all(b"[2]\n").unwrap();
    match target.abort() {
        Err(TargetError::Io(error)) => assert_eq!(
            error.to_string(),
            "somebody else has written to the file meanwhile, so the unfinished record stays"
        ),
        other => panic!("{other:?}"),
    }
    assert_eq!(fs::read(&path).unwrap(), b"[1[2]\n");
}

#[test]
fn torn_lines() {
    let folder = Folder::new();
    let path = folder.0.join("rows.ndjson");
    let long = format!("[1]\n\"{}", "x".repeat(3 * 65_536));
    let blank = format!("[1]\n{}", " ".repeat(2 * 65_536));
    let blank_and_torn = format!("{blank}[");
    let cases: [(&str, Option<u64>); 10] = [
        ("", None),
        ("\n", None),
        ("[1]\n", None),
        ("[1]\n \t\r", None),
        ("\u{feff}", None),
        (&blank, None),
        ("[1]", Some(0)),
        ("[1]\n[2]\n{\"a", Some(8)),
        (&long, Some(4)),
        (&blank_and_torn, Some(4)),
    ];
    for (text, torn) in cases {
        fs::write(&path, text).unwrap();
        let result = try_append(&path, Compression::None, Torn::Refuse);
        let kept = match torn {
            None => {
                let mut target = result.unwrap();
                target.write_all(b"[9]\n").unwrap();
                target.finish().unwrap();
                text
            }
            Some(start) => {
                let reason = format!(
                    "the last line, at byte {start}, has no line feed: its record may be torn; \
                     torn='cut' removes it, a line feed at the end of the file keeps it"
                );
                assert_eq!(refused(result), (reason, start));
                assert_eq!(fs::read(&path).unwrap(), text.as_bytes());
                let mut target = try_append(&path, Compression::None, Torn::Cut).unwrap();
                target.write_all(b"[9]\n").unwrap();
                target.finish().unwrap();
                &text[..start as usize]
            }
        };
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{kept}[9]\n"));
    }
}

#[test]
fn a_file_is_appended_to_as_it_is() {
    let folder = Folder::new();
    let path = folder.0.join("rows");
    let cases: [(&[u8], Compression, &str); 7] = [
        (b"\x1f\x8b\x08\0", Compression::None, "this is gzip data, and plain text would follow"),
        (b"PK\x03\x04", Compression::None, "this is a zip archive, and plain text would follow"),
        (
            b"\xff\xfe[\0\n\0",
            Compression::None,
            "this looks like UTF-16 (little endian), and UTF-8 would follow",
        ),
        (
            b"\0[\0]\0\n",
            Compression::None,
            "this looks like UTF-16 (big endian), and UTF-8 would follow",
        ),
        (b"[1]\n", Compression::Gzip, "this is not gzip data"),
        (b"\x28\xb5\x2f\xfd", Compression::Xz, "this is zstd data, not xz data"),
        (b"\x1f\x8b\x08\0", Compression::Gzip, "the gzip data ends early"),
    ];
    for (before, compression, reason) in cases {
        fs::write(&path, before).unwrap();
        assert_eq!(refused(try_append(&path, compression, Torn::Cut)), (reason.to_owned(), 0));
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[test]
fn compressed_records_are_appended_as_members() {
    for compression in Compression::ALL {
        let folder = Folder::new();
        let path = folder.0.join("rows");
        let mut target = append(&path, compression);
        target.write_all(b"[1]\n").unwrap();
        // Nothing is written before the mark, not even by flushing.
        target.flush().unwrap();
        target.mark().unwrap();
        target.finish().unwrap();
        // Nothing, and no member.
        let before = fs::read(&path).unwrap();
        append(&path, compression).finish().unwrap();
        drop(append(&path, compression));
        assert_eq!(fs::read(&path).unwrap(), before);
        // Aborted within the second record.
        let mut target = append(&path, compression);
        for piece in [&b"[2"[..], b"]\n"] {
            target.write_all(piece).unwrap();
        }
        target.mark().unwrap();
        target.write_all(b"[3").unwrap();
        target.abort().unwrap();
        assert_eq!(unpacked(&fs::read(&path).unwrap()), b"[1]\n[2]\n", "{compression:?}");
        // And within the first.
        let before = fs::read(&path).unwrap();
        let mut target = append(&path, compression);
        target.write_all(b"[3").unwrap();
        target.abort().unwrap();
        assert_eq!(fs::read(&path).unwrap(), before);
        // Finishing is a mark. Then the last line is torn, and nothing follows any more.
        let mut target = append(&path, compression);
        target.write_all(b"[3]\n[4").unwrap();
        target.finish().unwrap();
        let before = fs::read(&path).unwrap();
        assert_eq!(unpacked(&before), b"[1]\n[2]\n[3]\n[4");
        let reason = "the last line, at byte 12, has no line feed: its record may be torn; a \
                      compressed file must be written anew";
        assert_eq!(refused(try_append(&path, compression, Torn::Cut)), (reason.to_owned(), 12));
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_new_compressed_file_is_a_member_even_without_a_record() {
    for compression in Compression::ALL {
        let folder = Folder::new();
        for end in [Target::finish, Target::abort] {
            let path = folder.0.join("rows");
            let mut target = append(&path, compression);
            end(&mut target).unwrap();
            drop(target);
            assert_eq!(unpacked(&fs::read(&path).unwrap()), b"");
            append(&path, compression).finish().unwrap();
            fs::remove_file(&path).unwrap();
        }
    }
}
