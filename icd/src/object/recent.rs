//! The objects that a thread has named last. Most calls name a queue, a kernel or a buffer that the call before named, and find
//! it here without the lock and the table of [`super::registry`].
//!
//! An entry holds a weak reference, so the memory at its address cannot become another object's while the entry exists: an
//! address found here still means the same object, or an object that has been destroyed since.

use std::any::{Any, TypeId};
use std::cell::UnsafeCell;
use std::sync::{Arc, Weak};

/// The number of places. Each address belongs to one of them.
const PLACES: usize = 16;

/// An object of any type.
struct Entry {
    address: usize,
    of: TypeId,
    object: Weak<dyn Any + Send + Sync>,
}

/// The two objects of a place that were named last, the latest one first.
type RecentPair = [Option<Entry>; 2];

thread_local! {
    /// Accessed by [`find`] and [`keep`] alone, which are never re-entered.
    static RECENT: UnsafeCell<[RecentPair; PLACES]> = const { UnsafeCell::new([const { [None, None] }; PLACES]) };
}

/// Returns the place of an address. The high bits of the product depend on all bits of the address.
fn place(address: usize) -> usize {
    (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> (usize::BITS - PLACES.ilog2())
}

/// Returns the object at an address, if this thread has named it before as an object of this type and the object still lives.
#[inline(always)]
pub fn find<T: Any + Send + Sync>(address: usize) -> Option<Arc<T>> {
    let look = |recent: &UnsafeCell<[RecentPair; PLACES]>| {
        // SAFETY: this thread has no other reference to it: upgrading a weak reference runs no code of ours.
        let recent = unsafe { &*recent.get() };
        let entry = match &recent[place(address)] {
            [Some(last), _] if last.address == address => last,
            [_, Some(before)] if before.address == address => before,
            _ => return None,
        };
        if entry.of != TypeId::of::<T>() {
            return None;
        }
        entry.object.upgrade()
    };
    // A thread that is ending no longer has entries.
    std::mem::forget(RECENT.try_with(look).ok().flatten()?);
    // SAFETY: the entry has the type of its object, which is T, and its address; upgrading has added the count that the new
    // reference owns.
    Some(unsafe { Arc::from_raw(address as *const T) })
}

/// Keeps the object at an address for this thread's next calls.
pub fn keep<T: Any + Send + Sync>(address: usize, object: &Arc<T>) {
    let object: Weak<T> = Arc::downgrade(object);
    let entry = Entry { address, of: TypeId::of::<T>(), object };
    let _ = RECENT.try_with(|recent| {
        // SAFETY: as in `find`: dropping a weak reference gives memory back, and runs no code of ours.
        let [last, before] = &mut unsafe { &mut *recent.get() }[place(address)];
        *before = last.replace(entry);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(value: usize) -> (usize, Arc<[usize; 8]>) {
        let object = Arc::new([value; 8]);
        (Arc::as_ptr(&object) as usize, object)
    }

    #[test]
    fn objects_are_found_while_they_live_by_their_type() {
        let (address, object) = new(7);
        let found = || find::<[usize; 8]>(address);
        assert!(found().is_none());
        keep(address, &object);
        assert!(Arc::ptr_eq(&found().unwrap(), &object));
        assert!(find::<[usize; 8]>(address + 8).is_none());
        assert!(find::<[u32; 16]>(address).is_none());
        let elsewhere = move || find::<[usize; 8]>(address).is_none();
        assert!(std::thread::spawn(elsewhere).join().unwrap());
        drop(object);
        assert!(found().is_none());
    }

    #[test]
    fn addresses_of_dead_objects_are_not_used_again() {
        let (address, object) = new(0);
        keep(address, &object);
        drop(object);
        let others: Vec<_> = (0..1000).map(new).collect();
        assert!(others.iter().all(|(other, _)| *other != address));
    }

    #[test]
    fn the_two_objects_of_a_place_that_were_named_last_stay() {
        let objects: Vec<_> = (0..1000).map(new).collect();
        let at = |wanted: usize| objects.iter().filter(move |(at, _)| place(*at) == wanted);
        objects.iter().for_each(|(address, object)| keep(*address, object));
        for index in 0..PLACES {
            assert!(at(index).count() > 20, "addresses spread over the places");
            let found = at(index).map(|(address, _)| find::<[usize; 8]>(*address).is_some());
            assert!(found.rev().take(3).eq([true, true, false]));
        }
    }
}
