//! Interned names and string contents: a name is a number, so that comparing names costs nothing.

/// An interned name: equal text, equal number. [`Symbol::EMPTY`] is the empty text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Symbol(pub u32);

impl Symbol {
    /// The empty text, interned in every [`Interner`].
    pub const EMPTY: Symbol = Symbol(0);
}

/// The bytes of a string literal, kept in an [`Interner`]; see [`Interner::bytes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StringId(pub u32);

/// All names and string contents of one compilation. Symbols are numbered from 0 in the order in
/// which texts are first interned, without gaps.
#[derive(Debug)]
pub struct Interner {
    /// All names, one after another.
    text: String,
    /// The end of each symbol's name in `text`; the name starts at the end of the previous one.
    ends: Vec<u32>,
    hashes: Vec<u64>,
    /// The hash table, with open addressing and linear probing: symbol + 1, or 0 for a free slot.
    table: Vec<u32>,
    strings: Vec<Box<[u8]>>,
}

impl Default for Interner {
    fn default() -> Self {
        Interner::new()
    }
}

impl Interner {
    /// Returns an interner that holds the empty text alone.
    pub fn new() -> Interner {
        let mut interner = Interner {
            text: String::with_capacity(16 << 10),
            ends: Vec::with_capacity(1024),
            hashes: Vec::with_capacity(1024),
            table: vec![0; 2048],
            strings: Vec::new(),
        };
        interner.intern("");
        interner
    }

    /// Returns the symbol of a text.
    pub fn intern(&mut self, text: &str) -> Symbol {
        self.intern_hashed(text, hash(text.as_bytes()))
    }

    /// Returns the symbol of a name of another interner.
    pub fn intern_known(&mut self, other: &Interner, name: Symbol) -> Symbol {
        self.intern_hashed(other.resolve(name), other.hash(name))
    }

    fn intern_hashed(&mut self, text: &str, hash: u64) -> Symbol {
        let mask = self.table.len() - 1;
        let mut slot = slot_of(hash) & mask;
        loop {
            match self.table[slot] {
                0 => break,
                n => {
                    let symbol = Symbol(n - 1);
                    if self.hashes[symbol.0 as usize] == hash && self.resolve(symbol) == text {
                        return symbol;
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
        let symbol = Symbol(self.ends.len() as u32);
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        self.hashes.push(hash);
        self.table[slot] = symbol.0 + 1;
        if self.ends.len() * 2 > self.table.len() {
            self.grow();
        }
        symbol
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        let mut table = vec![0; mask + 1];
        for (symbol, &hash) in self.hashes.iter().enumerate() {
            let mut slot = slot_of(hash) & mask;
            while table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            table[slot] = symbol as u32 + 1;
        }
        self.table = table;
    }

    /// Returns the text of a symbol; an empty text for a symbol that is not of this interner.
    pub fn resolve(&self, symbol: Symbol) -> &str {
        let index = symbol.0 as usize;
        let end = self.ends.get(index).map_or(0, |&end| end as usize);
        let start = index.checked_sub(1).and_then(|i| self.ends.get(i)).map_or(0, |&e| e as usize);
        self.text.get(start..end).unwrap_or("")
    }

    /// Returns a hash of a symbol's text: equal texts have the same hash in every interner.
    pub fn hash(&self, symbol: Symbol) -> u64 {
        self.hashes.get(symbol.0 as usize).copied().unwrap_or(0)
    }

    /// Returns the number of symbols.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no symbols, which never happens: every interner has the empty text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the number of strings.
    pub fn strings(&self) -> u32 {
        self.strings.len() as u32
    }

    /// Keeps the bytes of a string.
    pub fn add_bytes(&mut self, bytes: Vec<u8>) -> StringId {
        self.strings.push(bytes.into_boxed_slice());
        StringId(self.strings.len() as u32 - 1)
    }

    /// Returns the bytes of a string literal, without a terminating zero.
    pub fn bytes(&self, id: StringId) -> &[u8] {
        self.strings.get(id.0 as usize).map_or(&[], |bytes| bytes)
    }
}

/// Returns a multiplicative hash, eight bytes at a time.
fn hash(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = (bytes.len() as u64).wrapping_mul(K);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(K);
    }
    let mut tail = 0u64;
    for &byte in chunks.remainder() {
        tail = tail << 8 | u64::from(byte);
    }
    (hash.rotate_left(23) ^ tail).wrapping_mul(K)
}

/// Returns the slot in the table at which the search for a hash begins.
fn slot_of(hash: u64) -> usize {
    (hash >> 32) as usize ^ (hash >> 15) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_text_equal_symbol() {
        let mut interner = Interner::new();
        let names: Vec<String> = (0..5000).map(|i| format!("name{i}")).collect();
        let symbols: Vec<Symbol> = names.iter().map(|name| interner.intern(name)).collect();
        for (name, &symbol) in names.iter().zip(&symbols) {
            assert_eq!(interner.intern(name), symbol);
            assert_eq!(interner.resolve(symbol), name);
        }
        assert_eq!(interner.intern(""), Symbol::EMPTY);
        assert_eq!(interner.len(), 5001);
    }
}
