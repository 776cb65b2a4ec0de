//! quick-xml for the benchmark, behind a function that Python can call.

use std::slice;

use quick_xml::Reader;
use quick_xml::events::Event;

/// Reads a document with every check that quick-xml has switched on, attributes iterated; the number
/// of its events, or -1 if it is refused.
///
/// # Safety
/// `bytes` must point to `length` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn quick_xml_check(bytes: *const u8, length: usize) -> i64 {
    // SAFETY: the caller vouches for it.
    let bytes = unsafe { slice::from_raw_parts(bytes, length) };
    let mut reader = Reader::from_reader(bytes);
    reader.config_mut().enable_all_checks(true);
    let mut count = 0;
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return count,
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                if tag.attributes().any(|attribute| attribute.is_err()) {
                    return -1;
                }
                count += 1;
            }
            Ok(_) => count += 1,
            Err(_) => return -1,
        }
    }
}
