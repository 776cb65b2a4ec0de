//! Threads that are in our code when the interpreter ends.
//!
//! From then on, CPython before 3.14 ends every other thread that asks for the interpreter lock, by
//! `pthread_exit`. A thread asks for it all the time while code of the caller's runs: in a
//! `__post_init__`, a conversion, a finalizer. `pthread_exit` unwinds the stack, and the functions
//! between the interpreter and us let no unwinding pass: it would end the process with an error. So
//! each thread that comes to us registers a handler, which the C library calls before it unwinds
//! anything. There the thread sleeps until the process is gone, as CPython 3.14 has it do.
//!
//! This holds for glibc only. With musl, a handler's buffer has another form, and `pthread_exit`
//! unwinds nothing.

#[cfg(not(all(target_os = "linux", target_env = "gnu", not(Py_3_14))))]
pub(crate) fn prepare() {}

#[cfg(all(target_os = "linux", target_env = "gnu", not(Py_3_14)))]
pub(crate) use handler::prepare;

#[cfg(all(target_os = "linux", target_env = "gnu", not(Py_3_14)))]
mod handler {
    use std::cell::UnsafeCell;
    use std::ffi::{c_int, c_void};
    use std::ptr;

    /// `struct _pthread_cleanup_buffer` of the C library's `pthread.h`.
    #[repr(C)]
    struct Buffer {
        routine: Option<unsafe extern "C" fn(*mut c_void)>,
        argument: *mut c_void,
        cancel_type: c_int,
        before: *mut Buffer,
    }

    unsafe extern "C" {
        fn _pthread_cleanup_push(
            buffer: *mut Buffer,
            routine: unsafe extern "C" fn(*mut c_void),
            argument: *mut c_void,
        );
        fn _pthread_cleanup_pop(buffer: *mut Buffer, execute: c_int);
        #[cfg_attr(not(Py_3_13), link_name = "_Py_IsFinalizing")]
        fn Py_IsFinalizing() -> c_int;
    }

    /// The handler of one thread.
    ///
    /// The C library calls the handlers whose buffers lie in the part of the stack that is unwound.
    /// This one lies outside of the stack, which counts as unwound from the beginning.
    struct Handler(Box<UnsafeCell<Buffer>>);

    thread_local! {
        static HANDLER: Handler = Handler::register();
    }

    /// Must be called before code of the interpreter's runs with our code below it on the stack.
    #[inline]
    pub(crate) fn prepare() {
        // A thread that is already giving up its own variables runs no more code of the caller's.
        let _ = HANDLER.try_with(|_| ());
    }

    fn buffer() -> Buffer {
        Buffer { routine: None, argument: ptr::null_mut(), cancel_type: 0, before: ptr::null_mut() }
    }

    impl Handler {
        #[cold]
        fn register() -> Self {
            let own = Box::new(UnsafeCell::new(buffer()));
            // SAFETY: the buffer stays where it is until `drop` has taken it off the thread's list.
            unsafe { _pthread_cleanup_push(own.get(), stay, ptr::null_mut()) };
            Handler(own)
        }
    }

    impl Drop for Handler {
        /// At the end of the thread.
        fn drop(&mut self) {
            let own = self.0.get();
            let mut probe = buffer();
            // SAFETY: the probe is on the list only within this block. A buffer may be taken off if
            // it is the first: ours is, if it stood there before the probe.
            let was_first = unsafe {
                _pthread_cleanup_push(&raw mut probe, stay, ptr::null_mut());
                let was_first = probe.before == own;
                _pthread_cleanup_pop(&raw mut probe, 0);
                if was_first {
                    _pthread_cleanup_pop(own, 0);
                }
                was_first
            };
            if !was_first {
                // Somewhere on the list, or no longer. It is small, and this is for one thread.
                let left = std::mem::replace(&mut self.0, Box::new(UnsafeCell::new(buffer())));
                Box::leak(left);
            }
        }
    }

    /// Called by `pthread_exit` before it unwinds the stack.
    unsafe extern "C" fn stay(_argument: *mut c_void) {
        // SAFETY: a function without arguments that reads an atomic flag; it needs no lock.
        while unsafe { Py_IsFinalizing() } != 0 {
            std::thread::park();
        }
    }
}
