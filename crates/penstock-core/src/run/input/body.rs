//! What the reader of a window gets: text, or the bytes of a source that turns out to be binary.

use std::fmt;
use std::sync::Arc;

use crate::error::Fault;
use crate::protocol::InputView;
use crate::source::{ReadAt, Source, SourceError, Window, out_of_memory};

/// What a reader gets.
pub(super) enum Body {
    /// The text of the window.
    Text,
    /// These first bytes do not say whether the source is binary.
    Unknown(Vec<u8>),
    /// Bytes, which the reader gets when all of them have come.
    Bytes(Vec<u8>),
    /// All bytes.
    Binary(Binary),
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Body::Text => f.write_str("Text"),
            Body::Unknown(bytes) => f.debug_tuple("Unknown").field(&bytes.len()).finish(),
            Body::Bytes(bytes) => f.debug_tuple("Bytes").field(&bytes.len()).finish(),
            Body::Binary(binary) => binary.fmt(f),
        }
    }
}

/// A binary source, which any number of threads can read.
#[derive(Clone)]
pub enum Binary {
    /// Its bytes, in memory.
    Bytes(Arc<Vec<u8>>),
    /// A file of this size, read at positions.
    At(Arc<dyn ReadAt + Send + Sync>, u64),
}

impl Binary {
    /// What a reader gets.
    #[must_use]
    pub fn given(&self) -> InputView<'_> {
        match self {
            Binary::Bytes(bytes) => InputView::Bytes(bytes),
            Binary::At(file, size) => InputView::At { file: &**file, size: *size },
        }
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Binary::Bytes(bytes) => bytes.len() as u64,
            Binary::At(_, size) => *size,
        }
    }
}

impl fmt::Debug for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.given().fmt(f)
    }
}

/// How many bytes of a binary source are read at a time.
const PIECE: usize = 1 << 20;

/// Reads some more of a source: into the window, or, if it is binary, into its bytes. False at its
/// end.
pub(super) fn fill(
    window: &mut Window,
    body: &mut Body,
    source: &mut Source,
    large: u64,
) -> Result<bool, SourceError> {
    if let Body::Unknown(_) = body {
        *body = if !source.is_binary()? {
            Body::Text
        } else if let Some((file, size)) = source.take_positions().filter(|it| it.1 >= large) {
            Body::Binary(Binary::At(file, size))
        } else {
            Body::Bytes(Vec::new())
        };
    }
    match body {
        Body::Text | Body::Unknown(_) => window.fill(source),
        Body::Binary(_) => Ok(false),
        Body::Bytes(bytes) => {
            let len = bytes.len();
            // As a vector does: the cost of growing is that of the bytes.
            if bytes.capacity() - len < PIECE {
                let hint = source.total().and_then(|all| usize::try_from(all).ok()).unwrap_or(0);
                reserve(bytes, hint.saturating_sub(len).clamp(PIECE, PIECE << 4).max(len))?;
            }
            bytes.resize(len + PIECE, 0);
            let read = source.read(&mut bytes[len..]);
            bytes.truncate(len + read.as_ref().map_or(0, |n| *n));
            Ok(read? > 0)
        }
    }
}

pub(super) fn gather(bytes: &mut Vec<u8>, chunk: &[u8]) -> Result<(), Fault> {
    if bytes.capacity() - bytes.len() < chunk.len() {
        reserve(bytes, chunk.len())?;
    }
    bytes.extend_from_slice(chunk);
    Ok(())
}

fn reserve(bytes: &mut Vec<u8>, more: usize) -> Result<(), Fault> {
    bytes.try_reserve(more).map_err(|_| out_of_memory(bytes.len() as u64, more))
}
