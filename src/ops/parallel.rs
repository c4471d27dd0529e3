//! Runs a function on many items on all processors.

use std::sync::{Mutex, mpsc};
use std::thread;

use crate::host;

/// Runs `work` on every item and returns the results in the order of the items. Calls `progress` with the number of
/// finished items, on the thread of the caller.
pub(super) fn map<I: Send, O: Send>(
    items: Vec<I>,
    work: impl Fn(I) -> O + Sync,
    progress: &mut dyn FnMut(usize),
) -> Vec<O> {
    let workers = host::processors().min(items.len());
    if workers < 2 {
        return items.into_iter().map(work).collect();
    }
    let mut results = Vec::with_capacity(items.len());
    let queue = Mutex::new(items.into_iter().enumerate());
    let next = || queue.lock().ok()?.next();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let mut started = 0;
        for _ in 0..workers {
            let (sender, next, work) = (sender.clone(), &next, &work);
            let worker = move || {
                while let Some((index, item)) = next() {
                    if sender.send((index, work(item))).is_err() {
                        break;
                    }
                }
            };
            // If the system refuses a thread, the other threads do its work.
            started += usize::from(thread::Builder::new().spawn_scoped(scope, worker).is_ok());
        }
        drop(sender);
        if started == 0 {
            while let Some((index, item)) = next() {
                results.push((index, work(item)));
                progress(results.len());
            }
        }
        for result in receiver {
            results.push(result);
            progress(results.len());
        }
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<u32> = (0..1_000).collect();
        let mut heard = Vec::new();
        let results = map(items.clone(), |item| item * 2, &mut |done| heard.push(done));
        assert_eq!(results, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert_eq!(heard, (1..=1_000).collect::<Vec<_>>());
    }
}
