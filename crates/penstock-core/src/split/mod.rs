//! One text, read by several threads at once.
//!
//! A source is cut into [`Pieces`] where a record seems to begin. That is a guess: a line feed may
//! stand within quotes, and what looks like a start tag may be in a comment. A pool of threads (`threads/pool.rs`)
//! reads the pieces, each from its beginning on with a reader that [begins beside](crate::formats::Reader::beside) the one
//! of the driver. The driver takes what a thread has made of a piece only if its own reader stands
//! where that piece begins, with the same containers open, if the thread's reader has come to the
//! piece's end without any problem, and if its destination [can](Shares::can_take). Then the
//! driver's reader goes on behind the piece. In any other case it reads the piece itself. So all
//! that a guess can cost is time, and each record in error is met by the one reader that knows all
//! that came before. In a binary property list, nothing is a guess: pieces are members of a container.
//!
//! | file | holds |
//! |---|---|
//! | `pieces.rs` | a source, cut into pieces |
//! | `shares.rs` | destinations that share their work, and what takes records beside them |
//! | `threads/` | the threads of a run |
//! | `point.rs` | the beginning of a record, as data: for readers in other processes |
//! | `planner.rs` | the destination of a run that finds points |
//! | `hop/` | hops over records by the structure of the text, for the planner |
//! | `hops.rs` | a planner's run that hops where it can |
//! | `range.rs` | a planner's run over a range of a text, which begins with a guess |
//! | `guess.rs` | where a record probably begins |
//! | `chain.rs` | ranges, of which each is known to begin where the one before it ends |

mod chain;
mod guess;
pub(crate) mod hop;
mod hops;
mod pieces;
mod planner;
mod point;
mod range;
mod shares;
mod threads;

pub use chain::Chain;
pub use hops::Hops;
pub use pieces::{Piece, Pieces};
pub use planner::{Planner, pass_records};
pub use point::RecordStart;
pub use range::{Asked, Head, Opens, Ranged};
pub use shares::{PIECE_MEMORY, Shares, Worker};
pub use threads::{Threads, Turn, expect_threads};
