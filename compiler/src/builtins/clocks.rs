//! Kernel clock functions (OpenCL C 6.15.21).

use super::row::{Check, LowerCall, Names, Row};
use super::signature::TypePattern::{S, V};
use super::signature::{Scalar as Name, Sig};
use super::Lowerer;
use crate::ir::{ClockScope, Type, Value};

const TIME: &[Sig] = &[Sig::plain(S(Name::ULong), &[])];
const WORDS: &[Sig] = &[Sig::plain(V(Name::UInt, 2), &[])];

const DEVICE: Check = Check::Feature("__opencl_c_kernel_clock_scope_device");
const WORK_GROUP: Check = Check::Feature("__opencl_c_kernel_clock_scope_work_group");
const SUB_GROUP: Check = Check::Feature("__opencl_c_kernel_clock_scope_sub_group");

const fn clock(names: Names, sigs: &'static [Sig], check: Check, lower: LowerCall) -> Row {
    Row::call(names, sigs, lower).check(check)
}

pub(super) const ROWS: &[Row] = &[
    clock(&["clock_read_device"], TIME, DEVICE, |l, _| l.time(ClockScope::Device)),
    clock(&["clock_read_hilo_device"], WORDS, DEVICE, |l, _| l.words(ClockScope::Device)),
    clock(&["clock_read_work_group"], TIME, WORK_GROUP, |l, _| l.time(ClockScope::Device)),
    clock(&["clock_read_hilo_work_group"], WORDS, WORK_GROUP, |l, _| l.words(ClockScope::Device)),
    clock(&["clock_read_sub_group"], TIME, SUB_GROUP, |l, _| l.time(ClockScope::SubGroup)),
    clock(&["clock_read_hilo_sub_group"], WORDS, SUB_GROUP, |l, _| l.words(ClockScope::SubGroup)),
];

impl Lowerer<'_, '_> {
    fn words(&mut self, scope: ClockScope) -> Option<Value> {
        Some(self.b.read_clock(scope))
    }

    fn time(&mut self, scope: ClockScope) -> Option<Value> {
        let words = self.b.read_clock(scope);
        Some(self.b.bitcast(words, Type::I64))
    }
}
