//! `printf` (OpenCL C 6.15.14): a call reserves a record in the launch's buffer and fills it in.
//! [`crate::printf`] describes both.

use super::row::{Check, Row};
use super::{Call, Lowerer};
use crate::ir::{
    AddressSpace, AtomicOp, BinaryOp, ConvertOp, GlobalData, IntCC, Linkage, MemFlags, Scalar,
    SyncSemantics, Type, Value, WorkItemQuery,
};
use crate::options::ClStd;
use crate::printf::{ArgType, Kind, HEADER_BYTES, RECORD_HEADER_WORDS};

/// The alignment in bytes of everything in the buffer.
const WORD: u32 = 4;

pub(super) const ROWS: &[Row] =
    &[Row::call(&["printf"], &[], |l, c| l.printf(c)).since(ClStd::Cl12).check(Check::Printf)];

impl Lowerer<'_, '_> {
    /// Lowers a call, whose result is 0, or -1 when the buffer is full (6.15.14.1).
    fn printf(&mut self, call: &Call<'_>) -> Option<Value> {
        let (&format, args) = call.args.split_first()?;
        let mut words = Vec::new();
        let mut signature = Vec::new();
        for (&arg, ty) in args.iter().zip(call.types.iter().skip(1)) {
            signature.push(self.printf_argument(arg, ty.number.signed, &mut words).code());
        }
        signature.push(0);
        let signature = self.front.shared_global(GlobalData {
            name: ".printf".to_string(),
            size: signature.len() as u64,
            align: WORD,
            space: AddressSpace::Constant,
            is_const: true,
            init: Some(signature),
            relocations: Vec::new(),
            linkage: Linkage::Internal,
        });
        let signature = self.b.global_addr(signature, AddressSpace::Constant);
        let signature = self.low_word(signature);
        let one = self.b.int(Scalar::I32, 1);
        let head = self.b.binary(BinaryOp::Or, signature, one);
        let format = self.low_word(format);
        words.insert(0, format);
        Some(self.write_printf_record(head, &words))
    }

    fn low_word(&mut self, ptr: Value) -> Value {
        let address = self.b.address(ptr);
        self.b.resize_lanes(address, Scalar::I32, false)
    }

    /// Appends an argument's words, each a vector of words or a single one. Returns the argument's type.
    fn printf_argument(&mut self, value: Value, signed: bool, words: &mut Vec<Value>) -> ArgType {
        let ty = self.b.ty(value);
        let (value, kind) = match ty.scalar {
            Scalar::Ptr(_) => {
                let address = self.b.address(value);
                (self.b.resize_lanes(address, Scalar::I64, false), Kind::Address)
            }
            Scalar::F16 | Scalar::F32 => {
                let float = ty.with_scalar(Scalar::F32);
                (self.b.convert(ConvertOp::FConvert, value, float), Kind::Float)
            }
            Scalar::F64 => (value, Kind::Double),
            Scalar::I64 => (value, Kind::Long),
            _ => (self.b.resize_lanes(value, Scalar::I32, signed), Kind::Int),
        };
        let ty = ArgType { kind, lanes: ty.lanes };
        for lane in 0..ty.lanes {
            let lane = self.b.extract(value, lane);
            words.push(match ty.lane_words() {
                1 => self.b.bitcast(lane, Type::I32),
                _ => self.b.bitcast(lane, Type::PAIR),
            });
        }
        ty
    }

    /// Reserves and writes a record of `head` and `words`. After the first record that does not fit, no record is counted any
    /// more, so that the count cannot overflow.
    fn write_printf_record(&mut self, head: Value, words: &[Value]) -> Value {
        let size = 1 + words.iter().map(|&word| u32::from(self.b.ty(word).lanes)).sum::<u32>();
        debug_assert!(size >= RECORD_HEADER_WORDS);
        let buffer = self.b.work_item(WorkItemQuery::PrintfBuffer, 0);
        let capacity = self.b.ptr_add_const(buffer, i64::from(WORD));
        let capacity = self.b.load(Type::I32, capacity, WORD, MemFlags::INVARIANT);
        let used = self.b.atomic_load(Type::I32, buffer, SyncSemantics::RELAXED);
        let [reserve, fill, done] = std::array::from_fn(|_| self.b.new_block());
        let result = self.b.func.add_param(done, Type::I32);
        let (success, failure) = (self.b.int(Scalar::I32, 0), self.b.int(Scalar::I32, -1));

        let open = self.b.icmp(IntCC::Ult, used, capacity);
        self.b.brif_with(open, (reserve, &[]), (done, &[failure]));

        self.b.switch_to(reserve);
        let words_taken = self.b.int(Scalar::I32, i64::from(size));
        let start = self.b.atomic_rmw(AtomicOp::Add, buffer, words_taken, SyncSemantics::RELAXED);
        let end = self.b.binary(BinaryOp::IAdd, start, words_taken);
        let fits = self.b.icmp(IntCC::Ule, end, capacity);
        // A 0 is stored where the first record that does not fit would begin; later ones lie beyond
        // the buffer.
        let start = self.b.binary(BinaryOp::UMin, start, capacity);
        let start = self.b.resize_lanes(start, Scalar::I64, false);
        let four = self.b.int(Scalar::I64, i64::from(WORD));
        let offset = self.b.binary(BinaryOp::IMul, start, four);
        let record = self.b.ptr_add(buffer, offset);
        let record = self.b.ptr_add_const(record, i64::from(HEADER_BYTES));
        let zero = self.b.int(Scalar::I32, 0);
        let head = self.b.select(fits, head, zero);
        self.b.store(record, head, WORD, MemFlags::empty());
        self.b.brif_with(fits, (fill, &[]), (done, &[failure]));

        self.b.switch_to(fill);
        let mut at = i64::from(WORD);
        for &word in words {
            let place = self.b.ptr_add_const(record, at);
            self.b.store(place, word, WORD, MemFlags::empty());
            at += i64::from(self.b.ty(word).bytes());
        }
        self.b.jump(done, &[success]);
        self.b.switch_to(done);
        result
    }
}
