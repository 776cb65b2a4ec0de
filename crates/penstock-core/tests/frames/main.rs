//! Compressed files that are read from the middle: any offset gives what a reader from the start
//! gets from there on, and a table that is wrong is an error.

#![allow(clippy::unwrap_used, reason = "a failed test is what it is for")]

mod bzip2_blocks;
mod damage;
mod files;
mod offsets;
mod parts;
mod reading;
mod tables;
