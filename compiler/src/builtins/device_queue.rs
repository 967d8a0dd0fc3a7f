//! Functions of queues on the device that take no block (OpenCL C 6.15.17): calls of the library with the launch's context.
//!
//! A queue and an event are handles of 64 bits ([`crate::device_queue`]).

use super::row::{Check, Row};
use super::signature::Sig;
use super::{Call, Lowerer};
use crate::device_queue::property;
use crate::ir::{BinaryOp, Func, IntCC, Scalar, Type, Value, WorkItemQuery};
use crate::options::ClStd;

/// A range (`ndrange_t`): the number of its dimensions, 32 bits, and three sizes each of 64 bits.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    pub dimensions: Value,
    pub offset: [Value; 3],
    pub global: [Value; 3],
    pub local: [Value; 3],
}

/// The patterns of these functions: none, since patterns cannot describe the types of queues and events.
const NO_PATTERNS: &[Sig] = &[];

const fn row(names: super::row::Names) -> Row {
    let row = Row::call(names, NO_PATTERNS, |l, c| l.device_queue_function(c));
    row.since(ClStd::Cl20).check(Check::DeviceQueue)
}

pub(super) const ROWS: &[Row] = &[row(&[
    "get_default_queue",
    "create_user_event",
    "is_valid_event",
    "retain_event",
    "release_event",
    "set_user_event_status",
    "capture_event_profiling_info",
])];

impl Lowerer<'_, '_> {
    /// Calls the library's function `__device_queue_<name>` with the launch's context and arguments.
    pub fn library_device_queue(
        &mut self,
        name: &str,
        args: &[Value],
        result: Option<Type>,
    ) -> Option<Value> {
        let func = self.front.image_function(&format!("device_queue_{name}"))?;
        let context = self.b.work_item(WorkItemQuery::QueueContext, 0);
        self.b.call(func, &[&[context], args].concat(), result)
    }

    fn device_queue_function(&mut self, call: &Call<'_>) -> Option<Value> {
        match (call.builtin.name(), call.args) {
            ("get_default_queue", []) => self.library_device_queue("default", &[], Some(Type::I64)),
            ("create_user_event", []) => {
                self.library_device_queue("new_event", &[], Some(Type::I64))
            }
            ("is_valid_event", &[event]) => {
                let is_valid = self.library_device_queue("is_event", &[event], Some(Type::I32))?;
                Some(self.b.icmp_imm(IntCC::Ne, is_valid, 0))
            }
            ("retain_event", &[event]) => {
                let by = self.b.int(Scalar::I32, 1);
                self.library_device_queue("retain", &[event, by], None)
            }
            ("release_event", &[event]) => {
                let by = self.b.int(Scalar::I32, -1);
                self.library_device_queue("retain", &[event, by], None)
            }
            ("set_user_event_status", &[event, status]) => {
                self.library_device_queue("set_status", &[event, status], None)
            }
            ("capture_event_profiling_info", &[event, _, memory]) => {
                let address = self.b.address(memory);
                self.library_device_queue("profile", &[event, address], None)
            }
            _ => None,
        }
    }

    /// Returns a word of [`property`] of a kernel, which is given by its entry.
    pub fn kernel_property(&mut self, kernel: Func, index: usize) -> Value {
        let number = self.b.kernel_number(kernel);
        let words = self.b.int(Scalar::I32, property::WORDS as i64);
        let first = self.b.binary(BinaryOp::IMul, number, words);
        let word = self.b.add_const(first, index as i64);
        let told = self.library_device_queue("property", &[word], Some(Type::I32));
        told.unwrap_or_else(|| self.b.int(Scalar::I32, 1))
    }

    /// Returns how many sub-groups the work-groups of a range have in a kernel, which is given by its entry.
    pub fn subgroups_of(&mut self, range: &Range, kernel: Func) -> Value {
        let size = self.kernel_property(kernel, property::SUBGROUP_SIZE);
        let mut items = self.b.int(Scalar::I64, 1);
        for (length, d) in range.local.into_iter().zip(0..) {
            let product = self.b.binary(BinaryOp::IMul, items, length);
            let counts = self.b.icmp_imm(IntCC::Ugt, range.dimensions, d);
            items = self.b.select(counts, product, items);
        }
        let items = self.b.resize(items, Type::I32, false);
        let rounded = self.b.binary(BinaryOp::IAdd, items, size);
        let rounded = self.b.add_const(rounded, -1);
        self.b.binary(BinaryOp::UDiv, rounded, size)
    }
}
