//! Threads that work on pieces. Their results are taken in the order of the pieces.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What each thread does with a piece, which is a `P`.
pub(super) trait Serve<P>: Send + 'static {
    /// What it makes of a piece.
    type Done: Send + 'static;

    /// Works on a piece. None if the driver shall read it. `used` is a result that was given back,
    /// for its memory.
    fn work(&mut self, piece: &P, used: Option<Self::Done>) -> Option<Self::Done>;
}

/// Threads, and the pieces that wait for them.
#[derive(Debug)]
pub(super) struct Pool<P, D> {
    shared: Arc<Shared<P, D>>,
    threads: Vec<JoinHandle<()>>,
    /// The process that has started them.
    process: u32,
}

#[derive(Debug)]
struct Shared<P, D> {
    tasks: Mutex<Tasks<P, D>>,
    /// There is a task, or the end.
    begin: Condvar,
    /// A task is done.
    done: Condvar,
}

#[derive(Debug)]
struct Tasks<P, D> {
    waiting: VecDeque<Arc<Task<P, D>>>,
    used: Vec<D>,
    is_over: bool,
}

#[derive(Debug)]
struct Task<P, D> {
    piece: P,
    state: Mutex<State<D>>,
}

#[derive(Debug)]
enum State<D> {
    Pending,
    Done(Option<D>),
}

/// A piece that a pool works on.
#[derive(Debug)]
pub(super) struct Ticket<P, D>(Arc<Task<P, D>>);

impl<P: Clone, D> Ticket<P, D> {
    /// The piece.
    pub(super) fn piece(&self) -> &P {
        &self.0.piece
    }

    /// The piece, whose memory can be given back if no thread has it any more.
    pub(super) fn into_piece(self) -> P {
        match Arc::try_unwrap(self.0) {
            Ok(task) => task.piece,
            Err(task) => task.piece.clone(),
        }
    }
}

/// Nothing is left half done where a thread can panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Send + Sync + 'static, D: Send + 'static> Pool<P, D> {
    /// One thread for each of the workers.
    ///
    /// # Errors
    /// The system gives not even one thread.
    pub(super) fn new<W: Serve<P, Done = D>>(workers: Vec<W>) -> io::Result<Self> {
        let tasks = Tasks { waiting: VecDeque::new(), used: Vec::new(), is_over: false };
        let shared =
            Shared { tasks: Mutex::new(tasks), begin: Condvar::new(), done: Condvar::new() };
        let shared = Arc::new(shared);
        let mut pool = Pool { shared, threads: Vec::new(), process: process::id() };
        for worker in workers {
            let shared = Arc::clone(&pool.shared);
            let builder = thread::Builder::new().name("penstock".to_owned());
            match builder.spawn(move || shared.serve(worker)) {
                Ok(thread) => pool.threads.push(thread),
                Err(error) if pool.threads.is_empty() => return Err(error),
                // Fewer threads do the same.
                Err(_) => break,
            }
        }
        Ok(pool)
    }

    /// How many threads there are.
    pub(super) fn count(&self) -> usize {
        self.threads.len()
    }

    /// Hands out a piece.
    pub(super) fn begin(&self, piece: P) -> Ticket<P, D> {
        let task = Arc::new(Task { piece, state: Mutex::new(State::Pending) });
        if !self.is_orphan() {
            lock(&self.shared.tasks).waiting.push_back(Arc::clone(&task));
            self.shared.begin.notify_one();
        }
        Ticket(task)
    }

    /// What a thread has made of a piece, or None if the driver shall read it. An error if that is
    /// not known after so long a time.
    ///
    /// # Errors
    /// The time is over.
    pub(super) fn take(
        &self,
        ticket: &Ticket<P, D>,
        patience: Duration,
    ) -> Result<Option<D>, Pending> {
        // The locks of a forked child may be held by threads that it does not have.
        if self.is_orphan() {
            return Ok(None);
        }
        let mut state = lock(&ticket.0.state);
        if matches!(*state, State::Pending) {
            drop(state);
            let tasks = lock(&self.shared.tasks);
            let is_pending = || matches!(*lock(&ticket.0.state), State::Pending);
            let waited = self.shared.done.wait_timeout_while(tasks, patience, |_| is_pending());
            drop(waited.unwrap_or_else(PoisonError::into_inner));
            state = lock(&ticket.0.state);
        }
        match std::mem::replace(&mut *state, State::Done(None)) {
            State::Done(done) => Ok(done),
            State::Pending => {
                *state = State::Pending;
                Err(Pending)
            }
        }
    }

    /// Gives a result back, for its memory.
    pub(super) fn take_back(&self, used: D) {
        if !self.is_orphan() {
            lock(&self.shared.tasks).used.push(used);
        }
    }
}

impl<P, D> Pool<P, D> {
    /// Whether this is a forked child, which has none of the threads.
    fn is_orphan(&self) -> bool {
        self.process != process::id()
    }
}

/// A piece is still being worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pending;

impl<P, D: Send + 'static> Shared<P, D> {
    fn serve<W: Serve<P, Done = D>>(&self, worker: W) {
        let mut worker = Some(worker);
        loop {
            let mut tasks = lock(&self.tasks);
            let (task, used) = loop {
                if tasks.is_over {
                    return;
                }
                if let Some(task) = tasks.waiting.pop_front() {
                    break (task, tasks.used.pop());
                }
                tasks = self.begin.wait(tasks).unwrap_or_else(PoisonError::into_inner);
            };
            drop(tasks);
            // If a worker panics, the driver reads this piece and meets the same fault, which it
            // tells. The others are read without that worker.
            let work = || worker.as_mut().and_then(|worker| worker.work(&task.piece, used));
            let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
                worker = None;
                None
            });
            *lock(&task.state) = State::Done(done);
            // Whoever waits looks at the state with this lock held.
            drop(lock(&self.tasks));
            self.done.notify_all();
        }
    }
}

impl<P, D> Drop for Pool<P, D> {
    fn drop(&mut self) {
        if self.is_orphan() {
            // Nobody may wait for threads that are not there, nor for their locks.
            self.threads.drain(..).for_each(std::mem::forget);
            return;
        }
        let mut tasks = lock(&self.shared.tasks);
        tasks.is_over = true;
        tasks.waiting.clear();
        drop(tasks);
        self.shared.begin.notify_all();
        for thread in self.threads.drain(..) {
            // They catch their panics.
            let _ = thread.join();
        }
    }
}
