//! Buffers and images that were freed a moment ago, for new ones of the same size and kind.
//!
//! Programs make and free temporary buffers in each step (Boost.Compute's algorithms, CLBlast's routines), and images (darktable's
//! modules). A driver takes long for their memory, and to map it for the host: 0.9 ms for a buffer of 60 MiB on an H200, in which a
//! kernel moves three gigabytes, and 1.4 ms for a block that smaller ones share, which is made and freed with them where no other
//! has room.

use std::any::Any;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::heap::Memory;

/// The part of a heap that is kept at most.
const PART_OF_HEAP: u64 = 32;
/// The most buffers and images that are kept.
const MOST: usize = 64;
/// How long they are kept.
const LONGEST: Duration = Duration::from_secs(1);
/// When old ones are freed, after one was kept.
pub(super) const FREED_AFTER: Duration = Duration::from_millis(1100);

/// A buffer or image that nothing uses, with what a new one must have in common with it.
pub(crate) trait Keepable: Any + Send {
    /// Destroys the buffer or image.
    ///
    /// # Safety
    /// Nothing uses it any more, and this is called once.
    unsafe fn destroy(&self, device: &ash::Device);
}

/// A buffer or image with its memory.
pub(crate) struct Kept {
    pub(crate) resource: Box<dyn Keepable>,
    pub(crate) memory: Memory,
}

impl Kept {
    /// Returns what is kept, if it is of a type.
    fn of<R: Keepable>(&self) -> Option<&R> {
        let any: &dyn Any = self.resource.as_ref();
        any.downcast_ref()
    }
}

/// What a device keeps.
#[derive(Default)]
pub(super) struct KeptResources(Mutex<State>);

#[derive(Default)]
struct State {
    /// The oldest first.
    list: Vec<(Instant, Kept)>,
    /// The time at which somebody frees old ones.
    freed_at: Option<Instant>,
}

impl KeptResources {
    /// Returns the last one of a type that suits, if any is kept.
    pub(super) fn take<R: Keepable>(&self, suits: impl Fn(&R) -> bool) -> Option<(Box<R>, Memory)> {
        let kept = &mut self.0.lock().list;
        let index = kept.iter().rposition(|(_, kept)| kept.of().is_some_and(&suits))?;
        let Kept { resource, memory } = kept.remove(index).1;
        let any: Box<dyn Any> = resource;
        Some((any.downcast().ok()?, memory))
    }

    /// Keeps a buffer or image whose heap has `heap` bytes. Returns what is to be destroyed: itself if it is too large, and
    /// older ones.
    pub(super) fn keep(&self, one: Kept, heap: u64) -> Vec<Kept> {
        let most = heap / PART_OF_HEAP;
        if one.memory.size > most {
            return vec![one];
        }
        let kept = &mut self.0.lock().list;
        kept.push((Instant::now(), one));
        let mut left = kept.len();
        let mut bytes: u64 = kept.iter().map(|(_, kept)| kept.memory.size).sum();
        let goes = |(since, kept): &&(Instant, Kept)| {
            let goes = bytes > most || left > MOST || since.elapsed() > LONGEST;
            left -= usize::from(goes);
            bytes -= if goes { kept.memory.size } else { 0 };
            goes
        };
        let going = kept.iter().take_while(goes).count();
        kept.drain(..going).map(|(_, kept)| kept).collect()
    }

    /// Returns what is kept for too long.
    pub(super) fn take_old(&self) -> Vec<Kept> {
        let kept = &mut self.0.lock().list;
        let going = kept.iter().take_while(|(since, _)| since.elapsed() > LONGEST).count();
        kept.drain(..going).map(|(_, kept)| kept).collect()
    }

    /// Returns true if old ones should be freed after [`FREED_AFTER`], and nobody was told so yet.
    pub(super) fn asks_to_be_freed(&self) -> bool {
        let mut state = self.0.lock();
        let (now, is_told) = (Instant::now(), state.freed_at);
        let asks = !state.list.is_empty() && is_told.is_none_or(|then| then <= now);
        state.freed_at = if asks { Some(now + FREED_AFTER) } else { is_told };
        asks
    }

    /// Returns the bytes of kept memory of some kind.
    pub(super) fn bytes_in(&self, is_of_kind: impl Fn(&Memory) -> bool) -> u64 {
        let kept = &self.0.lock().list;
        let memory = kept.iter().map(|(_, kept)| &kept.memory);
        memory.filter(|memory| is_of_kind(memory)).map(|memory| memory.size).sum()
    }

    /// Returns all: where memory is short, and before the device is destroyed.
    pub(super) fn take_all(&self) -> Vec<Kept> {
        self.0.lock().list.drain(..).map(|(_, kept)| kept).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number and a size.
    struct Numbered(u64, u64);

    impl Keepable for Numbered {
        unsafe fn destroy(&self, _: &ash::Device) {}
    }

    /// Never taken.
    struct Other;

    impl Keepable for Other {
        unsafe fn destroy(&self, _: &ash::Device) {}
    }

    fn buffer(size: u64, number: u64) -> Kept {
        Kept { resource: Box::new(Numbered(number, size)), memory: Memory::of_nothing(size) }
    }

    fn numbers(kept: &[Kept]) -> Vec<u64> {
        kept.iter().filter_map(|kept| kept.of::<Numbered>()).map(|numbered| numbered.0).collect()
    }

    #[test]
    fn the_oldest_go_first() {
        let kept = KeptResources::default();
        let heap = 100 * PART_OF_HEAP;
        let of_40 = |numbered: &Numbered| numbered.1 == 40;
        assert!(!kept.asks_to_be_freed());
        assert!(kept.keep(buffer(60, 1), heap).is_empty());
        assert!(kept.asks_to_be_freed() && !kept.asks_to_be_freed());
        assert!(kept.keep(buffer(40, 2), heap).is_empty());
        assert_eq!(numbers(&kept.keep(buffer(30, 3), heap)), [1]);
        assert_eq!(numbers(&kept.keep(buffer(101, 4), heap)), [4]);
        assert!(kept.take(|_: &Other| true).is_none());
        assert_eq!(kept.take(of_40).unwrap().0 .0, 2);
        assert!(kept.take(of_40).is_none());
        assert!(kept.take_old().is_empty());
        assert_eq!(numbers(&kept.take_all()), [3]);
        let many = (0..MOST as u64 + 2).flat_map(|n| kept.keep(buffer(1, n), heap));
        assert_eq!(numbers(&many.collect::<Vec<_>>()), [0, 1]);
    }
}
