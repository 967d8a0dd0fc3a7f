//! Commands that kernels enqueue (OpenCL C 6.15.17): records in the ring of [`crate::device_queue`].

use super::device_queue::Range;
use super::Lowerer;
use crate::device_queue::record;
use crate::ir::{
    Addr, AddressSpace, BinaryOp, Block, ConvertOp, Func, IntCC, Scalar, Type, UnaryOp, Value,
};

/// The largest error code; addresses are greater.
const MOST_ERROR: i64 = 4095;
/// CLK_INVALID_EVENT_WAIT_LIST, negated.
const INVALID_WAIT_LIST: i64 = 57;

/// The events of a command.
#[derive(Debug, Clone, Copy)]
pub struct Events {
    /// The number of events that the command waits for.
    pub count: Value,
    /// The pointer to these events.
    pub list: Option<Value>,
    /// The pointer to the variable that receives the command's own event; null for none.
    pub event: Option<Value>,
}

/// A kernel that is enqueued.
#[derive(Debug, Clone)]
pub struct Enqueued {
    /// The kernel's entry.
    pub kernel: Func,
    pub flags: Value,
    pub range: Range,
    /// Bytes of each local argument.
    pub local_sizes: Vec<Value>,
    /// Bytes of the captured values, a multiple of [`record::ALIGN`].
    pub captured_bytes: u32,
}

/// A record that is being filled.
#[derive(Debug)]
pub struct Filling {
    record: Addr,
    /// The address at which the kernel's captured values are stored.
    pub captured: Addr,
    /// Byte offset of the events that the command waits for.
    end: u64,
    events: Events,
    /// The block where the code continues, with the status.
    done: Block,
    status: Value,
}

impl Lowerer<'_, '_> {
    /// Makes the record of a kernel, or of a marker, in a new block that is entered if there is no error. Returns `None` if
    /// there is no library.
    pub fn open_record(
        &mut self,
        queue: Value,
        enqueued: Option<&Enqueued>,
        events: Events,
    ) -> Option<Filling> {
        let zero = self.b.int(Scalar::I32, 0);
        let (kind, fixed) = match enqueued {
            Some(enqueued) => {
                let locals = 4 * enqueued.local_sizes.len() as u32;
                (record::KIND_KERNEL, enqueued.captured_bytes + locals)
            }
            None => (record::KIND_MARKER, 0),
        };
        let bytes = self.record_bytes(4 * record::WORDS as u32 + fixed, events.count);
        let kind = self.b.int(Scalar::I32, i64::from(kind));
        let wants_event = match events.event {
            Some(event) => self.is_nonnull(event),
            None => zero,
        };
        let mut error = self.wait_list_error(&events);
        if let Some(enqueued) = enqueued {
            error = self.error_of_range(error, enqueued)?;
        }
        let args = [queue, kind, bytes, wants_event, error];
        let record = self.library_device_queue("record", &args, Some(Type::I64))?;

        let (fill, done) = (self.b.new_block(), self.b.new_block());
        let status = self.b.func.add_param(done, Type::I32);
        let word = self.b.resize(record, Type::I32, false);
        let failure = self.b.unary(UnaryOp::INeg, word);
        let is_address = self.b.icmp_imm(IntCC::Ugt, record, MOST_ERROR);
        self.b.brif_with(is_address, (fill, &[]), (done, &[failure]));
        self.b.switch_to(fill);
        let pointer = Type::ptr(AddressSpace::Global);
        let pointer = self.b.convert(ConvertOp::IntToPtr, record, pointer);
        let record = Addr::new(pointer, record::ALIGN);
        self.put_word(record, record::WAITS, events.count);
        let start = 4 * record::WORDS as u64;
        let end = match enqueued {
            Some(enqueued) => self.fill_kernel(record, start, enqueued),
            None => {
                self.put_word(record, record::LOCALS, zero);
                self.put_word(record, record::CAPTURED, zero);
                start
            }
        };
        let captured = self.b.offset(record, start);
        Some(Filling { record, captured, end, events, done, status })
    }

    /// Ends a record. Returns the status: CLK_SUCCESS or an error.
    pub fn close_record(&mut self, filling: Filling) -> Value {
        self.fill_events(filling.record, filling.end, &filling.events);
        let success = self.b.int(Scalar::I32, 0);
        self.b.jump(filling.done, &[success]);
        self.b.switch_to(filling.done);
        filling.status
    }

    /// Returns the size in bytes of a record that has `fixed` bytes and a word for each event that its command waits for.
    fn record_bytes(&mut self, fixed: u32, events: Value) -> Value {
        // A number of events beyond the possible ones gives a record that is too large for every ring.
        let most = self.b.int(Scalar::I32, 1 << 24);
        let events = self.b.binary(BinaryOp::UMin, events, most);
        let bytes = self.b.shl_const(events, 2);
        let align = record::ALIGN;
        let bytes = self.b.add_const(bytes, i64::from(fixed + align - 1));
        self.b.and_const(bytes, -i64::from(align))
    }

    /// Returns an error if there is a list without events, or events without a list; else 0.
    fn wait_list_error(&mut self, events: &Events) -> Value {
        let zero = self.b.int(Scalar::I32, 0);
        let has_list = match events.list {
            Some(list) => self.is_nonnull(list),
            None => zero,
        };
        let has_events = self.b.is_nonzero(events.count);
        let has_events = self.b.int_of_bool(has_events, Type::I32);
        let disagrees = self.b.icmp(IntCC::Ne, has_list, has_events);
        let error = self.b.int(Scalar::I32, INVALID_WAIT_LIST);
        self.b.select(disagrees, error, zero)
    }

    /// Returns `error` unless it is 0, else the error of a kernel's range.
    fn error_of_range(&mut self, error: Value, enqueued: &Enqueued) -> Option<Value> {
        let Range { dimensions, global, local, .. } = enqueued.range;
        let kernel = self.b.kernel_number(enqueued.kernel);
        let args = [&[kernel, dimensions], &global[..], &local[..]].concat();
        let wrong = self.library_device_queue("range_error", &args, Some(Type::I32))?;
        let is_wrong = self.b.is_nonzero(error);
        Some(self.b.select(is_wrong, error, wrong))
    }

    fn is_nonnull(&mut self, pointer: Value) -> Value {
        let address = self.b.address(pointer);
        let is_nonnull = self.b.is_nonzero(address);
        self.b.int_of_bool(is_nonnull, Type::I32)
    }

    fn put_word(&mut self, record: Addr, index: usize, word: Value) {
        let place = self.b.offset(record, 4 * index as u64);
        self.b.write(place, word);
    }

    /// Writes everything about a kernel except its captured values, which begin at `start`, and its events. Returns the byte
    /// offset of the events.
    fn fill_kernel(&mut self, record: Addr, start: u64, enqueued: &Enqueued) -> u64 {
        let Range { dimensions, offset, global, local } = enqueued.range;
        let kernel = self.b.kernel_number(enqueued.kernel);
        let locals = self.b.int(Scalar::I32, enqueued.local_sizes.len() as i64);
        let captured = self.b.int(Scalar::I32, i64::from(enqueued.captured_bytes));
        for (index, word) in [
            (record::KERNEL, kernel),
            (record::FLAGS, enqueued.flags),
            (record::LOCALS, locals),
            (record::CAPTURED, captured),
            (record::DIMENSIONS, dimensions),
        ] {
            self.put_word(record, index, word);
        }
        for (size, index) in [offset, global, local].into_iter().flatten().zip(0..) {
            let to = self.b.offset(record, 4 * record::RANGE as u64 + 8 * index);
            self.b.write(to, size);
        }
        let mut end = start + u64::from(enqueued.captured_bytes);
        for &size in &enqueued.local_sizes {
            let place = self.b.offset(record, end);
            self.b.write(place, size);
            end += 4;
        }
        end
    }

    /// Writes the events that a command waits for, `end` bytes from the start of its record, and stores the command's own event
    /// for the program.
    fn fill_events(&mut self, record: Addr, end: u64, events: &Events) {
        if let Some(list) = events.list {
            let to = self.b.offset(record, end);
            let start = self.b.int(Scalar::I32, 0);
            let open = self.b.open_loop(start, events.count);
            let index = self.b.pointer_sized(open.counter, list, false);
            let from = self.b.indexed(Addr::new(list, 8), index, 8);
            let event = self.b.read(Type::I64, from);
            let event = self.b.resize(event, Type::I32, false);
            let index = self.b.pointer_sized(open.counter, to.ptr, false);
            let to = self.b.indexed(to, index, 4);
            self.b.write(to, event);
            let one = self.b.int(Scalar::I32, 1);
            self.b.close_loop(open, BinaryOp::IAdd, one);
        }
        if let Some(event) = events.event {
            let place = self.b.offset(record, 4 * record::EVENT as u64);
            let number = self.b.read(Type::I32, place);
            let handle = self.b.resize(number, Type::I64, false);
            let is_wanted = self.b.is_nonzero(number);
            let (then, join) = (self.b.new_block(), self.b.new_block());
            self.b.brif(is_wanted, then, join);
            self.b.switch_to(then);
            self.b.write(Addr::new(event, 8), handle);
            self.b.jump(join, &[]);
            self.b.switch_to(join);
        }
    }
}
