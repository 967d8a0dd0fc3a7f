//! What kernels enqueue (OpenCL C 6.15.17): records in the ring of [`crate::device_queue`].

use super::function::Lowering;
use crate::device_queue::{property, record};
use crate::ir::{Addr, AddressSpace, BinaryOp, ConvertOp, IntCC, Scalar, Type, UnaryOp, Value};
use crate::sema::hir::{Enqueue, EnqueuedBlock, Expr, FunctionId, KernelProperty};
use crate::source::Span;

/// Addresses are greater than this, errors are not.
const MOST_ERROR: i64 = 4095;
/// CLK_INVALID_EVENT_WAIT_LIST, negated.
const INVALID_WAIT_LIST: i64 = 57;
/// Bytes of a range's three sizes behind the number of dimensions, and where they begin.
const RANGE_SIZES: u64 = 72;
const SIZES_OFFSET: u64 = 8;
const GLOBAL_SIZE_OFFSET: u64 = 32;
const LOCAL_SIZE_OFFSET: u64 = 56;

/// The events of a command, as values.
struct Events {
    count: Value,
    list: Option<Value>,
    event: Option<Value>,
}

impl Lowering<'_, '_> {
    /// Lowers `enqueue_kernel` or `enqueue_marker`; the result is CLK_SUCCESS or an error.
    pub fn enqueue(&mut self, enqueue: &Enqueue, span: Span) -> Value {
        let queue = self.value(&enqueue.queue);
        let block = enqueue.block.as_ref().map(|block| {
            let flags = self.value(&block.flags);
            let range = self.record(&block.range);
            let sizes = block.local_sizes.iter().map(|size| self.value(size)).collect();
            (block, flags, range, sizes)
        });
        let events = enqueue.events.as_ref().map(|events| Events {
            count: self.value(&events.count),
            list: events.list.as_ref().map(|list| self.value(list)),
            event: events.event.as_ref().map(|event| self.value(event)),
        });
        let zero = self.b.int(Scalar::I32, 0);
        let events = events.unwrap_or(Events { count: zero, list: None, event: None });
        let (kind, fixed) = match &block {
            Some((block, ..)) => {
                let locals = 4 * block.local_sizes.len() as u32;
                (record::KIND_KERNEL, block.captured_bytes + locals)
            }
            None => (record::KIND_MARKER, 0),
        };
        let bytes = self.record_bytes(4 * record::WORDS as u32 + fixed, events.count);
        let kind = self.b.int(Scalar::I32, i64::from(kind));
        let wants_event = match events.event {
            Some(event) => self.is_nonnull(event),
            None => zero,
        };
        let error = self.wait_list_error(&events);
        let error = match &block {
            Some((block, _, range, _)) => self.error_of_range(error, block, *range, span),
            None => error,
        };
        let args = [queue, kind, bytes, wants_event, error];
        let result = Some(Type::I64);
        let record = self.with_lowerer(span, |l| l.library_device_queue("record", &args, result));
        let Some(record) = record else { return zero };

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
        let mut end = 4 * record::WORDS as u64;
        self.put_word(record, record::WAITS, events.count);
        match block {
            Some((block, flags, range, sizes)) => {
                end = self.fill_block(record, block, flags, range, sizes);
            }
            None => [record::LOCALS, record::CAPTURED]
                .into_iter()
                .for_each(|index| self.put_word(record, index, zero)),
        }
        self.fill_events(record, end, &events);
        self.b.jump(done, &[zero]);
        self.b.switch_to(done);
        status
    }

    /// Returns the bytes of a record with `fixed` bytes and the events that it waits for.
    fn record_bytes(&mut self, fixed: u32, events: Value) -> Value {
        // More events than there can be make a record that fits nowhere.
        let most = self.b.int(Scalar::I32, 1 << 24);
        let events = self.b.binary(BinaryOp::UMin, events, most);
        let bytes = self.b.shl_const(events, 2);
        let align = record::ALIGN;
        let bytes = self.b.add_const(bytes, i64::from(fixed + align - 1));
        self.b.and_const(bytes, -i64::from(align))
    }

    /// Returns the error of a list without events, or of events without a list; else 0.
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

    /// Returns an error, or that of a block's range if there is none.
    fn error_of_range(
        &mut self,
        error: Value,
        block: &EnqueuedBlock,
        range: Addr,
        span: Span,
    ) -> Value {
        let kernel = self.kernel_number(block.kernel, span);
        let dimensions = self.b.read(Type::I32, range);
        let mut args = vec![kernel, dimensions];
        for offset in [GLOBAL_SIZE_OFFSET, LOCAL_SIZE_OFFSET] {
            for d in 0..3 {
                let place = self.b.offset(range, offset + 8 * d);
                args.push(self.b.read(Type::I64, place));
            }
        }
        let wrong = self.with_lowerer(span, |lowerer| {
            lowerer.library_device_queue("range_error", &args, Some(Type::I32))
        });
        let Some(wrong) = wrong else { return error };
        let is_wrong = self.b.is_nonzero(error);
        self.b.select(is_wrong, error, wrong)
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

    /// Writes all of a block but its events. Returns the byte offset of what follows.
    fn fill_block(
        &mut self,
        record: Addr,
        block: &EnqueuedBlock,
        flags: Value,
        range: Addr,
        sizes: Vec<Value>,
    ) -> u64 {
        let kernel = self.kernel_number(block.kernel, block.range.span);
        self.put_word(record, record::KERNEL, kernel);
        self.put_word(record, record::FLAGS, flags);
        for (index, number) in
            [(record::LOCALS, sizes.len() as u32), (record::CAPTURED, block.captured_bytes)]
        {
            let number = self.b.int(Scalar::I32, i64::from(number));
            self.put_word(record, index, number);
        }
        let dimensions = self.b.read(Type::I32, range);
        self.put_word(record, record::DIMENSIONS, dimensions);
        for offset in (0..RANGE_SIZES).step_by(8) {
            let from = self.b.offset(range, SIZES_OFFSET + offset);
            let size = self.b.read(Type::I64, from);
            let to = self.b.offset(record, 4 * record::RANGE as u64 + offset);
            self.b.write(to, size);
        }
        let mut end = 4 * record::WORDS as u64;
        let captured = self.b.offset(record, end);
        let address = self.local(block.captured);
        self.b.write(address, captured.ptr);
        self.stmts(&block.stores);
        end += u64::from(block.captured_bytes);
        for size in sizes {
            let place = self.b.offset(record, end);
            self.b.write(place, size);
            end += 4;
        }
        end
    }

    /// Writes the events that a command waits for, `end` bytes from the start of its record, and hands out its own.
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

    /// Returns the number of a block's kernel.
    fn kernel_number(&mut self, kernel: FunctionId, span: Span) -> Value {
        let entry = self.context.entry(kernel, span);
        self.b.kernel_number(entry)
    }

    /// Lowers `get_kernel_work_group_size` and its like.
    pub fn kernel_property(
        &mut self,
        property: KernelProperty,
        kernel: FunctionId,
        range: Option<&Expr>,
        span: Span,
    ) -> Value {
        let range = range.map(|range| self.record(range));
        let number = self.kernel_number(kernel, span);
        let index = match property {
            KernelProperty::WorkGroupSize => property::WORK_GROUP_SIZE,
            KernelProperty::PreferredMultiple => property::PREFERRED_MULTIPLE,
            KernelProperty::MaxSubgroupSize | KernelProperty::SubgroupCount => {
                property::SUBGROUP_SIZE
            }
        };
        let words = self.b.int(Scalar::I32, property::WORDS as i64);
        let first = self.b.binary(BinaryOp::IMul, number, words);
        let word = self.b.add_const(first, index as i64);
        let told = self.with_lowerer(span, |lowerer| {
            lowerer.library_device_queue("property", &[word], Some(Type::I32))
        });
        let told = told.unwrap_or_else(|| self.b.int(Scalar::I32, 1));
        match (property, range) {
            (KernelProperty::SubgroupCount, Some(range)) => self.subgroups_of(range, told),
            _ => told,
        }
    }

    /// Returns how many sub-groups of a size the work-groups of a range have.
    fn subgroups_of(&mut self, range: Addr, size: Value) -> Value {
        let dimensions = self.b.read(Type::I32, range);
        let mut items = self.b.int(Scalar::I64, 1);
        for d in 0..3 {
            let place = self.b.offset(range, LOCAL_SIZE_OFFSET + 8 * d);
            let length = self.b.read(Type::I64, place);
            let product = self.b.binary(BinaryOp::IMul, items, length);
            let counts = self.b.icmp_imm(IntCC::Ugt, dimensions, d as i64);
            items = self.b.select(counts, product, items);
        }
        let items = self.b.resize(items, Type::I32, false);
        let rounded = self.b.binary(BinaryOp::IAdd, items, size);
        let rounded = self.b.add_const(rounded, -1);
        self.b.binary(BinaryOp::UDiv, rounded, size)
    }
}
