//! Queues on the device (OpenCL C 6.15.17): the memory in which work-items record commands, and from which the runtime
//! reads them when the launch is complete.
//!
//! A launch whose work-items use queues has a *context*: a few words, one of which is the address of the *ring*. Commands
//! are written into the ring as records, by all launches of one command and the kernels that these enqueue in turn. The
//! runtime empties the ring between launches. A block is a kernel of its own ([`crate::kernel::Kernel::is_block`]), which
//! records name by its number among the kernels of the program.
//!
//! The handle of a queue is any number but 0; the handle of an event is the number of its entry in the ring's table plus one.
//! All words are of 32 bits, and little endian.

/// A launch's context, in words.
pub mod context {
    pub const WORDS: usize = 8;
    /// Device address of the ring, two words.
    pub const RING: usize = 0;
    /// The handle of the default queue, two words.
    pub const DEFAULT_QUEUE: usize = 2;
    /// Device address of the table of [`super::property`], two words.
    pub const PROPERTIES: usize = 4;
    /// The number of the launch within the command; records repeat it.
    pub const LAUNCH: usize = 6;
    /// 1 if each kind of error has its own code: the program was built with `-g`.
    pub const TELLS_ERRORS: usize = 7;
}

/// The properties of a kernel, in words.
pub mod property {
    pub const WORDS: usize = 8;
    pub const WORK_GROUP_SIZE: usize = 0;
    pub const PREFERRED_MULTIPLE: usize = 1;
    pub const SUBGROUP_SIZE: usize = 2;
    /// 1 if work-groups must divide the global size.
    pub const UNIFORM: usize = 3;
    /// The most work-items that a work-group may have, in all and in x, y and z; [`ANY`] if the kernel cannot observe its
    /// local size.
    pub const LIMITS: usize = 4;
    pub const ANY: u32 = u32::MAX;
}

/// The beginning of a ring, in words. The table of events follows, then the list of the numbers of free events, then the
/// records.
pub mod ring {
    pub const WORDS: usize = 16;
    /// Bytes of records; no more than the capacity.
    pub const USED: usize = 0;
    /// Bytes for records.
    pub const CAPACITY: usize = 1;
    /// Numbers in the list of free events; 0 or less for none.
    pub const FREE_EVENTS: usize = 2;
    /// Events in the table.
    pub const EVENTS: usize = 3;
    /// Byte offset of the records.
    pub const RECORDS: usize = 4;
}

/// An entry in the table of events, in words.
pub mod event {
    pub const WORDS: usize = 8;
    /// References that kernels hold.
    pub const REFERENCES: usize = 0;
    /// CL_COMPLETE, an error, or a value greater than CL_COMPLETE while the command has not ended.
    pub const STATUS: usize = 1;
    /// 1 if the runtime has written the times, which it does when a command is complete.
    pub const HAS_TIMES: usize = 2;
    /// Two numbers of 64 bits, which `capture_event_profiling_info` stores for the program.
    pub const TIMES: usize = 4;
    /// The status of a user event that is not set.
    pub const SUBMITTED: u32 = 2;
}

/// The beginning of a record, in words. The captured values of a block follow, then the sizes of its local arguments (a
/// word each), then the events that the command waits for (the low words of their handles).
pub mod record {
    pub const WORDS: usize = 32;
    /// Bytes of the whole record, a multiple of [`ALIGN`].
    pub const SIZE: usize = 0;
    /// The kind of the command: one of the following.
    pub const KIND: usize = 1;
    pub const KIND_KERNEL: u32 = 1;
    pub const KIND_MARKER: u32 = 2;
    /// The runtime is to write the event's times to [`ADDRESS`] when the event is complete.
    pub const KIND_PROFILE: u32 = 3;
    /// [`super::context::LAUNCH`] of the launch that wrote the record.
    pub const LAUNCH: usize = 2;
    /// The handle of the command's event; 0 for none.
    pub const EVENT: usize = 3;
    /// The number of the kernel.
    pub const KERNEL: usize = 4;
    /// CLK_ENQUEUE_FLAGS_.
    pub const FLAGS: usize = 5;
    /// Number of events that the command waits for.
    pub const WAITS: usize = 6;
    /// Number of local arguments.
    pub const LOCALS: usize = 7;
    /// Bytes of what the block captured, a multiple of [`ALIGN`].
    pub const CAPTURED: usize = 8;
    /// Dimensions of the range.
    pub const DIMENSIONS: usize = 9;
    /// Offset, global size and local size of the range: three numbers of 64 bits each.
    pub const RANGE: usize = 10;
    /// A device address, two words.
    pub const ADDRESS: usize = 10;
    /// Bytes to which records are aligned.
    pub const ALIGN: u32 = 16;
}

/// Alignment of the captured values of a block where its kernel reads them: the alignment of the largest vectors. In a record
/// it is [`record::ALIGN`].
pub const CAPTURED_ALIGN: u32 = 128;
/// The most bytes that a block captures, which is also the limit of a kernel's arguments.
pub const MAX_CAPTURED: u32 = 4096;

/// A command that a kernel enqueued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub command: Command,
    /// The launch that wrote the record.
    pub launch: u32,
    /// The handle of the command's event; 0 for none.
    pub event: u32,
    /// The handles of the events that the command waits for.
    pub waits: Vec<u32>,
}

/// The command that a record asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Kernel(Block),
    Marker,
    /// Writes the times of the event to a device address.
    Profile(u64),
}

/// A block to be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The number of the block's kernel among the kernels of the program.
    pub kernel: u32,
    pub captured: Vec<u8>,
    /// Bytes of each local argument.
    pub locals: Vec<u32>,
    pub dimensions: u32,
    /// The global offset in x, y and z; only the first `dimensions` numbers count.
    pub offset: [u64; 3],
    pub global: [u64; 3],
    /// 0 leaves the size of the work-group to the implementation.
    pub local: [u64; 3],
}

/// Reads records. Stops at words that do not form a record, since a kernel may have overwritten the ring.
pub fn read_records(mut bytes: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    while let Some((record, rest)) = read_record(bytes) {
        records.push(record);
        bytes = rest;
    }
    records
}

fn word(bytes: &[u8], index: usize) -> Option<u32> {
    let bytes = bytes.get(4 * index..4 * index + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

fn long(bytes: &[u8], index: usize) -> Option<u64> {
    Some(u64::from(word(bytes, index)?) | u64::from(word(bytes, index + 1)?) << 32)
}

/// Returns the first record, and the bytes behind it.
fn read_record(bytes: &[u8]) -> Option<(Record, &[u8])> {
    let size = word(bytes, record::SIZE)? as usize;
    if size < 4 * record::WORDS || !size.is_multiple_of(record::ALIGN as usize) {
        return None;
    }
    let (bytes, rest) = bytes.split_at_checked(size)?;
    let field = |index| word(bytes, index);
    let (captured, locals) = (field(record::CAPTURED)? as usize, field(record::LOCALS)? as usize);
    let body = &bytes[4 * record::WORDS..];
    let (captured, body) = body.split_at_checked(captured)?;
    let (locals, body) = body.split_at_checked(locals.checked_mul(4)?)?;
    let waits = body.get(..(field(record::WAITS)? as usize).checked_mul(4)?)?;
    let words = |bytes: &[u8]| -> Vec<u32> {
        (0..bytes.len() / 4).filter_map(|index| word(bytes, index)).collect()
    };
    let three = |index: usize| {
        let number = |d: usize| long(bytes, record::RANGE + 6 * index + 2 * d);
        Some([number(0)?, number(1)?, number(2)?])
    };
    let command = match field(record::KIND)? {
        record::KIND_KERNEL => Command::Kernel(Block {
            kernel: field(record::KERNEL)?,
            captured: captured.to_vec(),
            locals: words(locals),
            dimensions: field(record::DIMENSIONS)?,
            offset: three(0)?,
            global: three(1)?,
            local: three(2)?,
        }),
        record::KIND_MARKER => Command::Marker,
        record::KIND_PROFILE => Command::Profile(long(bytes, record::ADDRESS)?),
        _ => return None,
    };
    let (launch, event) = (field(record::LAUNCH)?, field(record::EVENT)?);
    Some((Record { command, launch, event, waits: words(waits) }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of a block with 16 bytes captured, a local argument of 64 bytes and two events.
    fn words() -> Vec<u32> {
        let mut words = vec![0; record::WORDS];
        for (index, value) in [
            (record::SIZE, 4 * record::WORDS as u32 + 32),
            (record::KIND, record::KIND_KERNEL),
            (record::LAUNCH, 7),
            (record::EVENT, 3),
            (record::KERNEL, 2),
            (record::WAITS, 2),
            (record::LOCALS, 1),
            (record::CAPTURED, 16),
            (record::DIMENSIONS, 1),
            (record::RANGE + 6, 100),
            (record::RANGE + 13, 1),
        ] {
            words[index] = value;
        }
        words.extend([1, 2, 3, 4, 64, 5, 6, 0]);
        words
    }

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_record_is_read() {
        let records = read_records(&bytes(&[words(), words()].concat()));
        assert_eq!(records.len(), 2);
        let Command::Kernel(block) = &records[1].command else { panic!("{records:?}") };
        assert_eq!((records[1].launch, records[1].event), (7, 3));
        assert_eq!(records[1].waits, [5, 6]);
        assert_eq!((block.kernel, block.dimensions), (2, 1));
        assert_eq!(block.locals, [64]);
        assert_eq!(block.captured, bytes(&[1, 2, 3, 4]));
        assert_eq!((block.global, block.local), ([100, 0, 0], [1 << 32, 0, 0]));
    }

    #[test]
    fn whatever_is_written_there_is_read_without_a_fault() {
        let good = words();
        for index in 0..good.len() {
            for value in [0, 1, 15, 16, 127, 160, 1 << 20, u32::MAX - 15, u32::MAX] {
                let mut bad = good.clone();
                bad[index] = value;
                read_records(&bytes(&[bad, good.clone()].concat()));
            }
            read_records(&bytes(&good[..index]));
        }
    }
}
