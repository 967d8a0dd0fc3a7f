//! The set of live objects by address. It turns any bit pattern that C passes as a handle into an object or an error.

use super::recent;
use parking_lot::RwLock;
use std::any::Any;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Weak};

const SHARDS: usize = 32;

/// Hashes addresses. They are distinct, so it is enough to mix their bits. The low bits of the product depend only on the low
/// bits of the address, which are zero, and tables choose slots by the low bits.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }
    fn write_usize(&mut self, value: usize) {
        self.0 = (self.0 ^ value as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

type Erased = Weak<dyn Any + Send + Sync>;
type Shard = RwLock<HashMap<usize, Erased, BuildHasherDefault<AddressHasher>>>;

/// Returns part `index` of the set. Its weak references keep an entry's memory from being reused while the entry
/// exists, so that an address never names two objects.
fn shard_at(index: usize) -> &'static Shard {
    static ALL: [Shard; SHARDS] =
        [const { RwLock::new(HashMap::with_hasher(BuildHasherDefault::new())) }; SHARDS];
    &ALL[index]
}

fn shard(address: usize) -> &'static Shard {
    // Objects are some 64 bytes apart, or more, so the low bits do not distinguish them.
    shard_at((address >> 6 ^ address >> 12) % SHARDS)
}

/// Adds an object.
pub fn insert<T: Any + Send + Sync>(address: usize, object: &Arc<T>) {
    let weak: Weak<T> = Arc::downgrade(object);
    shard(address).write().insert(address, weak);
}

/// Removes an object; called when it is dropped.
pub fn remove(address: usize) {
    shard(address).write().remove(&address);
}

/// Returns the live object of this type at this address.
pub fn find<T: Any + Send + Sync>(address: usize) -> Option<Arc<T>> {
    recent::find(address).or_else(|| look_up(address))
}

/// Returns the live object of this type at this address from the table, and keeps it for the thread's next calls.
#[cold]
fn look_up<T: Any + Send + Sync>(address: usize) -> Option<Arc<T>> {
    let object = shard(address).read().get(&address)?.upgrade()?;
    let object = object.downcast::<T>().ok()?;
    recent::keep(address, &object);
    Some(object)
}

/// Returns the number of live objects (for tests of leaks).
pub fn live() -> usize {
    let shards = (0..SHARDS).map(|index| shard_at(index).read().len());
    shards.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::BuildHasher;

    #[test]
    fn aligned_addresses_spread_over_the_places_of_a_table() {
        let hasher = BuildHasherDefault::<AddressHasher>::default();
        for step in [16, 64, 256, 4096] {
            let places =
                (0..1024).map(|i| hasher.hash_one(0x7F12_3400_0000usize + i * step) % 1024);
            let distinct = places.collect::<HashSet<_>>().len();
            assert!(distinct > 500, "{distinct} places for addresses {step} apart");
        }
    }
}
