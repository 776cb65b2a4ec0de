//! Columns as a stream of Arrow's C interface, in a capsule.
//!
//! <https://arrow.apache.org/docs/format/CStreamInterface.html>. The stream releases itself with its
//! capsule, if no consumer has moved it out.

use super::columns::Columns;
use crate::columns::{handed, of_schema};
use crate::edge::errors::guarded;
use penstock_arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use penstock_arrow::{Array, SchemaRef, StructArray};
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The numbers of errors that a stream answers.
const EIO: c_int = 5;
const ENOMEM: c_int = 12;
const EINVAL: c_int = 22;

/// A stream as C sees it.
#[repr(C)]
pub(super) struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut FFI_ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut FFI_ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

// SAFETY: what `private_data` points to may be used from any thread, by one at a time, as the
// interface demands of its callers.
unsafe impl Send for Stream {}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it has not been released, so this is our own function and its own stream.
            unsafe { release(self) };
        }
    }
}

/// What a stream needs.
struct Private {
    columns: Py<Columns>,
    /// The schema that the consumer gets, if it is not that of the columns.
    requested: Option<SchemaRef>,
    /// How many rows the consumer has got.
    rows: u64,
    last_error: CString,
}

impl Private {
    /// The number of an error, whose text is kept.
    fn failed(&mut self, py: Python<'_>, error: &PyErr) -> c_int {
        let text = match error.value(py).str() {
            Ok(text) => text.to_string_lossy().into_owned(),
            Err(_) => String::new(),
        };
        let class = error.get_type(py).name().map_or_else(|_| String::new(), |it| it.to_string());
        let text = if text.is_empty() { class } else { text };
        self.last_error = CString::new(text.replace('\0', "\\0")).unwrap_or_default();
        if error.is_instance_of::<PyKeyboardInterrupt>(py) {
            // The consumer raises an error of its own. The interrupt follows as soon as it returns.
            // SAFETY: it only notes the signal.
            unsafe { ffi::PyErr_SetInterrupt() };
        }
        if error.is_instance_of::<PyMemoryError>(py) {
            ENOMEM
        } else if error.is_instance_of::<PyOSError>(py) {
            EIO
        } else {
            EINVAL
        }
    }
}

/// The stream of some columns, in a capsule.
pub(super) fn stream<'py>(
    py: Python<'py>,
    columns: Py<Columns>,
    requested: Option<SchemaRef>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let private = Private { columns, requested, rows: 0, last_error: CString::default() };
    let private = Box::new(private);
    let stream = Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release),
        private_data: Box::into_raw(private).cast(),
    };
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// Attaches this thread to the interpreter for a function that foreign C code calls.
///
/// pyo3 counts in every thread how often it attached, and takes a count above zero for a thread that
/// is attached. It need not be: a function of ours may have called Python, and that a library that
/// released the interpreter before it called us. Only the interpreter knows. It is None where the
/// interpreter has ended.
fn attached<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    struct Ensured(ffi::PyGILState_STATE);

    impl Drop for Ensured {
        fn drop(&mut self) {
            // SAFETY: it undoes the call below, on the same thread.
            unsafe { ffi::PyGILState_Release(self.0) };
        }
    }

    // SAFETY: this may be asked at any time.
    if unsafe { ffi::Py_IsInitialized() } == 0 {
        return None;
    }
    // SAFETY: the interpreter is there, and a thread may ensure what it already has.
    let ensured = Ensured(unsafe { ffi::PyGILState_Ensure() });
    let done = Python::attach(work);
    drop(ensured);
    Some(done)
}

/// Does something with what the stream needs. A panic is an error like any other.
///
/// # Safety
/// The stream is one of ours and not released, and nobody else uses it meanwhile.
unsafe fn with(stream: *mut Stream, work: impl FnOnce(Python<'_>, &mut Private) -> c_int) -> c_int {
    let done = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as the caller says; `private_data` was made by `stream` above.
        let private = unsafe { &mut *(*stream).private_data.cast::<Private>() };
        attached(|py| work(py, private))
    }));
    done.ok().flatten().unwrap_or(EIO)
}

unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut FFI_ArrowSchema) -> c_int {
    let work = |py: Python<'_>, private: &mut Private| {
        let own = private.columns.get().schema();
        match guarded(py, || of_schema(private.requested.as_ref().unwrap_or(own))) {
            Ok(schema) => {
                // SAFETY: the caller gives a place for a schema, which holds none yet.
                unsafe { out.write(schema) };
                0
            }
            Err(error) => private.failed(py, &error),
        }
    };
    // SAFETY: C calls the functions of a stream only with the stream, until it is released.
    unsafe { with(stream, work) }
}

unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut FFI_ArrowArray) -> c_int {
    let work = |py: Python<'_>, private: &mut Private| {
        let next = guarded(py, || {
            let batch = private.columns.get().next(py)?;
            batch
                .map(|batch| handed(py, batch, private.requested.as_ref(), private.rows))
                .transpose()
        });
        let array = match next {
            Ok(Some(batch)) => {
                private.rows += batch.num_rows() as u64;
                FFI_ArrowArray::new(&StructArray::from(batch).to_data())
            }
            // An array that is released says that this is the end.
            Ok(None) => FFI_ArrowArray::empty(),
            Err(error) => return private.failed(py, &error),
        };
        // SAFETY: the caller gives a place for an array, which holds none yet.
        unsafe { out.write(array) };
        0
    };
    // SAFETY: as above.
    unsafe { with(stream, work) }
}

unsafe extern "C" fn get_last_error(stream: *mut Stream) -> *const c_char {
    // SAFETY: as above. The text stays where it is until the next call.
    unsafe { (*(*stream).private_data.cast::<Private>()).last_error.as_ptr() }
}

unsafe extern "C" fn release(stream: *mut Stream) {
    // SAFETY: as above; it is called once, because it clears itself.
    let stream = unsafe { &mut *stream };
    stream.release = None;
    // SAFETY: it was made by `Box::into_raw` in `stream`, and nobody uses it any more.
    let private = unsafe { Box::from_raw(stream.private_data.cast::<Private>()) };
    stream.private_data = std::ptr::null_mut();
    let dropped = catch_unwind(AssertUnwindSafe(|| {
        attached(|_| {
            private.columns.get().leave();
            drop(private);
        });
    }));
    drop(dropped);
}
