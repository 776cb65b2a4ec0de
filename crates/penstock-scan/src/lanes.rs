//! The vectors of a slice, as references to arrays.

/// The bytes from `at` on that fill a vector, if there are that many.
#[inline(always)]
pub(crate) fn lanes_at<const LANES: usize>(bytes: &[u8], at: usize) -> Option<&[u8; LANES]> {
    bytes.get(at..)?.first_chunk()
}

/// The rest of `bytes` from `at` on, fewer bytes than a vector has, as the end of a full vector that
/// reaches back over bytes already seen: the vector, how many of its bytes are before `at`, and how
/// many are not. None if there is no rest, or the whole slice is shorter than a vector.
#[inline(always)]
pub(crate) fn last_lanes<const LANES: usize>(
    bytes: &[u8],
    at: usize,
) -> Option<(&[u8; LANES], usize, usize)> {
    let left = bytes.len().checked_sub(at)?;
    let lanes = bytes.last_chunk::<LANES>()?;
    (left > 0 && left < LANES).then(|| (lanes, LANES - left, left))
}
