//! A map for which only few of many entities have a value that is not the default. For example, the entities are the
//! functions of a module with thousands of kernels, and the functions of one kernel have values.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::{Index, IndexMut};

/// A map that returns a value for every key: a default for keys without a value of their own.
#[derive(Debug, Clone)]
pub struct SparseMap<K, V> {
    values: FxHashMap<K, V>,
    default: V,
}

impl<K: Copy + Eq + Hash + Ord, V: Clone + Default> SparseMap<K, V> {
    pub fn new() -> SparseMap<K, V> {
        SparseMap::with_default(V::default())
    }

    pub fn with_default(default: V) -> SparseMap<K, V> {
        SparseMap { values: FxHashMap::default(), default }
    }

    /// Returns the values that were set, in no order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.values.values()
    }

    /// Returns the keys whose values were set, in ascending order.
    pub fn keys(&self) -> Vec<K> {
        let mut keys: Vec<K> = self.values.keys().copied().collect();
        keys.sort_unstable();
        keys
    }
}

impl<K, V: Default> Default for SparseMap<K, V> {
    fn default() -> SparseMap<K, V> {
        SparseMap { values: FxHashMap::default(), default: V::default() }
    }
}

impl<K: Eq + Hash, V> Index<K> for SparseMap<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        self.values.get(&key).unwrap_or(&self.default)
    }
}

impl<K: Eq + Hash, V: Clone> IndexMut<K> for SparseMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        self.values.entry(key).or_insert_with(|| self.default.clone())
    }
}
