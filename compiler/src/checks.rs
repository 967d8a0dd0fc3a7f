//! Checks that kernels make of themselves while they run (`HEKLA_CHECK`), and the conventions of kernels and host for them.
//!
//! The pass [`crate::passes::check`] puts the checks into a program, between inlining and all optimizations. Their findings
//! go into the *check area*, which lies behind the records in the launch's buffer for `printf` ([`crate::printf`]), at
//! [`area_offset`]:
//!
//! ```text
//! number of ranges | 1 if there are others | number of watched ranges | unwritten arguments | arguments alone | 3 words of 0
//! arguments: start and size of what each points to, two 64-bit words ([`ARGUMENTS`] of them)
//! findings: [`SLOTS`] slots of [`SLOT_WORDS`] words
//! ranges: start and size of allocations, two 64-bit words, ascending and apart
//! watched: start, size and place in the shadow of memory in which races are looked for ([`WATCHED_BYTES`] each), likewise
//! shadow: [`SHADOW_BYTES`] for each word that is watched
//! ```
//!
//! Bit n of the unwritten arguments is set if nobody has written the memory of argument n, and the kernel only reads it.
//!
//! Bit n of the arguments alone is set if argument n shares no memory with another argument.
//!
//! The watched ranges and the shadow exist only if checks look for races. The low half of a watched range's place is the
//! number of its first word in the shadow. The high half is a number n: only one in n of the range's blocks of
//! [`BLOCK_WORDS`] words is watched.
//!
//! A slot begins with the number of findings at its place. The first work-item with a finding writes the rest: the low half
//! of the device address of the place's *description* in the program's data image, the kind (a bit of [`Checks`]), global
//! and local id, and three 64-bit words: the address, start and size of the object, or other data of the kind (for races
//! [`Other`]). In work-group and private memory addresses count from the start of the object. A description is text: fields
//! with newlines between them ([`Description`]).

use bitflags::bitflags;

bitflags! {
    /// Kinds of mistakes that kernels are made to look for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Checks: u32 {
        /// Accesses beyond the end of an allocation, a sub-buffer or a variable.
        const BOUNDS = 1;
        /// Accesses through null pointers.
        const NULL = 2;
        /// Accesses at addresses that are not a multiple of the type's alignment.
        const ALIGN = 4;
        /// Divisions of integers by zero, and of the least one by -1.
        const ARITH = 8;
        /// Reads of private and work-group variables that were not written before.
        const INIT = 16;
        /// Barriers that not all work-items of a work-group reach.
        const BARRIERS = 32;
        /// Accesses of the same bytes by two work-items without a barrier between them, of which at least one is a write.
        const RACES = 64;
    }
}

impl Checks {
    /// The kinds by the names that users know them by.
    pub const NAMES: [(&'static str, Checks); 7] = [
        ("bounds", Checks::BOUNDS),
        ("null", Checks::NULL),
        ("align", Checks::ALIGN),
        ("arith", Checks::ARITH),
        ("init", Checks::INIT),
        ("barriers", Checks::BARRIERS),
        ("races", Checks::RACES),
    ];
}

/// The functions of the built-in library that checks call. They find an allocation, report, compare how often work-items
/// reach barriers, keep the bits of written bytes, keep the last accesses for races, and check coordinates of texels.
pub const FUNCTIONS: [&str; 16] = [
    "__check_find",
    "__check_report",
    "__check_barriers_begin",
    "__check_barriers_come",
    "__check_barriers_tell",
    "__check_barriers_end",
    "__check_barriers_report",
    "__check_written_begin",
    "__check_written_note",
    "__check_written_test",
    "__check_races_begin",
    "__check_races_note",
    "__check_global_races_begin",
    "__check_global_races_note",
    "__check_texel",
    "__check_probe",
];

/// The function of the built-in library whose calls mark coordinates of texels that are to be checked.
pub const TEXEL_MARK: &str = "__texel_mark";
/// The end of [`Description::action`] at a place where coordinates of a texel are checked.
pub const OF_A_TEXEL: &str = " of a texel";

/// Byte offset of the bits of unwritten arguments.
pub const UNWRITTEN: usize = 12;
/// Byte offset of the bits of arguments whose memory is not shared with another argument.
pub const ALONE: usize = 16;
/// The most arguments of a kernel whose sizes are known.
pub const ARGUMENTS: usize = 128;
/// Bytes of the area before the arguments.
pub const HEADER_BYTES: usize = 32;
/// The number of slots for findings, a power of two. If there are more places than slots, places share slots.
pub const SLOTS: usize = 1024;
/// Words of a slot.
pub const SLOT_WORDS: usize = 16;
/// Byte offset of the findings in the area.
pub const FINDINGS: usize = HEADER_BYTES + 16 * ARGUMENTS;
/// Byte offset of the ranges in the area.
pub const RANGES: usize = FINDINGS + 4 * SLOT_WORDS * SLOTS;
/// The most ranges.
pub const MAX_RANGES: usize = 4096;
/// Byte offset of the watched ranges in the area.
pub const WATCHED: usize = RANGES + 16 * MAX_RANGES;
/// Bytes of a watched range.
pub const WATCHED_BYTES: usize = 24;
/// The most ranges that are watched.
pub const MAX_WATCHED: usize = 64;
/// Byte offset of the shadow in the area.
pub const SHADOW: usize = WATCHED + WATCHED_BYTES * MAX_WATCHED;
/// Bytes of the shadow for each word that is watched.
pub const SHADOW_BYTES: usize = 16;
/// Words of a block of memory; a block is watched as a whole or not at all.
pub const BLOCK_WORDS: usize = 64;
/// The most words that are watched.
pub const MAX_SHADOW_WORDS: usize = 1 << 17;

// The library's source repeats these numbers.
const _: () = assert!(FINDINGS == 2080 && RANGES == 67_616 && WATCHED == 133_152);
const _: () = assert!(SHADOW == 134_688 && BLOCK_WORDS == 64);

/// Returns the size in bytes of the area that these checks need.
pub const fn area_bytes(checks: Checks) -> usize {
    match checks.contains(Checks::RACES) {
        true => SHADOW + SHADOW_BYTES * MAX_SHADOW_WORDS,
        false => WATCHED,
    }
}

/// Returns the byte offset of the area in a buffer for `printf` that has `capacity` bytes for records.
pub const fn area_offset(capacity: u32) -> u32 {
    (crate::printf::HEADER_BYTES + capacity + crate::printf::TRAILER_BYTES).next_multiple_of(16)
}

/// The description of a place in a program, which is known before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Description {
    /// The action at the place: `load of 4 bytes`.
    pub action: String,
    /// The object that is accessed: `argument 'a'`; empty if it is not known.
    pub object: String,
    /// The kernel; empty in functions of several.
    pub kernel: String,
    /// The line of the program's text; empty if the text is not available.
    pub text: String,
    /// The place, and the places of the inlined calls that lead to it, the outermost last.
    pub places: Vec<Place>,
}

/// A place in a program's text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
}

impl Description {
    /// Returns the description as bytes, which end with a zero.
    pub fn encode(&self) -> Vec<u8> {
        let mut fields =
            vec![self.action.clone(), self.object.clone(), self.kernel.clone(), self.text.clone()];
        for place in &self.places {
            let (line, column) = (place.line.to_string(), place.column.to_string());
            fields.extend([place.file.clone(), line, column, place.function.clone()]);
        }
        let fields: Vec<String> =
            fields.iter().map(|field| field.replace(['\n', '\0'], " ")).collect();
        let mut bytes = fields.join("\n").into_bytes();
        bytes.push(0);
        bytes
    }

    /// Inverts [`Description::encode`]. Bytes behind the zero are ignored. Returns `None` if the bytes are not a description.
    pub fn decode(bytes: &[u8]) -> Option<Description> {
        let end = bytes.iter().position(|&byte| byte == 0)?;
        let text = String::from_utf8_lossy(&bytes[..end]);
        let fields: Vec<&str> = text.split('\n').collect();
        let (head, places) = fields.split_at_checked(4)?;
        let [action, object, kernel, line] = head else { return None };
        let place = |fields: &[&str]| -> Option<Place> {
            let &[file, line, column, function] = fields else { return None };
            let (line, column) = (line.parse().ok()?, column.parse().ok()?);
            Some(Place { file: file.into(), line, column, function: function.into() })
        };
        Some(Description {
            action: action.to_string(),
            object: object.to_string(),
            kernel: kernel.to_string(),
            text: line.to_string(),
            places: places.chunks(4).map(place).collect::<Option<_>>()?,
        })
    }
}

/// A mistake that a program is certain to make if it reaches the place, known before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certain {
    /// The finding of a work-item there; its ids are 0.
    pub finding: Finding,
    pub description: Description,
    /// For a barrier: the condition that differs between work-items.
    pub condition: Option<Description>,
}

/// The contents of a slot in which something was reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    pub count: u32,
    /// The low half of the description's address.
    pub description: u32,
    pub kind: Checks,
    pub global_id: [u32; 3],
    pub local_id: [u32; 3],
    pub address: u64,
    pub start: u64,
    pub size: u64,
}

impl Finding {
    /// Reads a slot; `None` where nothing was found.
    pub fn read(words: &[u32]) -> Option<Finding> {
        let &[count, description, kind, gx, gy, gz, lx, ly, lz, a, b, c, d, e, f, _] = words else {
            return None;
        };
        let wide = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        (count != 0).then(|| Finding {
            count,
            description,
            kind: Checks::from_bits_truncate(kind),
            global_id: [gx, gy, gz],
            local_id: [lx, ly, lz],
            address: wide(a, b),
            start: wide(c, d),
            size: wide(e, f),
        })
    }
}

/// What the finding of a race says about the other access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Other {
    /// Bytes from the start of the object to this access.
    pub offset: u64,
    /// True in memory that all work-groups share.
    pub is_global: bool,
    /// True if the other access reads.
    pub reads: bool,
    /// The low half of the address of the other access's description.
    pub description: u32,
    /// The maker of the other access; `None` where several work-items read.
    pub by: Option<Accessor>,
    /// True if another work-group makes the other access.
    pub of_other_group: bool,
}

/// The maker of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accessor {
    /// The local id of a work-item of the same work-group.
    Item([u32; 3]),
    /// The id of a work-group.
    Group([u32; 3]),
}

impl Finding {
    /// Returns the indices of a texel and the sizes of the image, which the texel lies beyond. A size is 0 in dimensions that
    /// the image does not have.
    pub fn texel(&self) -> ([i32; 3], [u32; 3]) {
        let low = |word: u64| word as u32;
        let high = |word: u64| (word >> 32) as u32;
        let index = [low(self.address), high(self.address), low(self.start)];
        let sizes = [high(self.start), low(self.size), high(self.size)];
        (index.map(u32::cast_signed), sizes)
    }

    /// Returns what the finding says about the other access; `None` if the finding is not a race.
    pub fn other(&self) -> Option<Other> {
        let bit = |number: u32| self.address >> number & 1 != 0;
        let id = [0, 21, 42].map(|shift| (self.size >> shift) as u32 & 0x1f_ffff);
        let of_other_group = bit(34);
        let by = if of_other_group { Accessor::Group(id) } else { Accessor::Item(id) };
        (self.kind == Checks::RACES).then(|| Other {
            offset: self.address >> 40 << 32 | self.address & 0xffff_ffff,
            is_global: bit(33),
            reads: bit(32),
            description: self.start as u32,
            by: (self.start >> 32 == 0).then_some(by),
            of_other_group,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_read_as_written() {
        let place = |line| Place { file: "a.cl".into(), line, column: 3, function: "f".into() };
        let mut description = Description {
            action: "load of 4 bytes".into(),
            text: "    x = a[i];".into(),
            places: vec![place(1), place(7)],
            ..Description::default()
        };
        let mut bytes = description.encode();
        bytes.extend(b"more");
        assert_eq!(Description::decode(&bytes).as_ref(), Some(&description));
        description.places.clear();
        assert_eq!(Description::decode(&description.encode()), Some(description));
        assert_eq!(Description::decode(b"a\0"), None);
        assert_eq!(Description::decode(b"no end"), None);
    }

    #[test]
    fn slots_are_read_where_something_was_found() {
        let mut words = [0; SLOT_WORDS];
        assert_eq!(Finding::read(&words), None);
        words[0] = 2;
        words[2] = Checks::NULL.bits();
        words[10] = 1;
        let finding = Finding::read(&words).unwrap();
        assert_eq!((finding.count, finding.kind, finding.address), (2, Checks::NULL, 1 << 32));
    }
}
