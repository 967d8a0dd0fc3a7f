//! A map from entities of which there are many to what is known of few, as of a kernel's functions in a module of
//! thousands of kernels.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::{Index, IndexMut};

/// Holds a value for every key: a default where none was given.
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

    /// Values that were given, in no order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.values.values()
    }

    /// Keys to which values were given, in their order.
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
