//! Arrays of texts that are not checked a second time.

use penstock_arrow::{ArrowError, Buffer, NullBuffer, OffsetBuffer, StringArray};

/// An array of the texts of a column ([`Columns::batch_with`](penstock_arrow::Columns::batch_with)).
/// A build with debug assertions checks them, and so do the tests of `penstock-arrow`.
pub(crate) fn texts(
    offsets: OffsetBuffer<i32>,
    bytes: Buffer,
    nulls: Option<NullBuffer>,
) -> Result<StringArray, ArrowError> {
    let count = offsets.len() - 1;
    let is_within = usize::try_from(offsets[count]).is_ok_and(|end| end <= bytes.len());
    let fits = is_within && nulls.as_ref().is_none_or(|nulls| nulls.len() == count);
    if cfg!(debug_assertions) || !fits {
        return StringArray::try_new(offsets, bytes, nulls);
    }
    // SAFETY: the offsets ascend, because they are an `OffsetBuffer`, and the last one is within the
    // bytes. Columns write nothing but whole texts between them: `Text` and `str` of checked windows
    // and of Python, digits, and names of choices. All of that is UTF-8.
    Ok(unsafe { StringArray::new_unchecked(offsets, bytes, nulls) })
}
