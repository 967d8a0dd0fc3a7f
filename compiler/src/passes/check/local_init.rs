//! Which words of work-group variables were written: a bit for each, in work-group memory, which any work-item of the group may
//! set. Only in kernels all of whose calls are inlined, and of variables whose address is used for accesses alone.

use super::extents::{Extent, Extents};
use super::texels::is_call;
use super::{Check, Library};
use crate::analysis::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::checks::Checks;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// The work-group variables of a kernel whose words have bits.
#[derive(Default)]
pub struct WrittenWords {
    /// The bits, and how many words they take.
    bits: Option<(Global, u32)>,
    /// The number of a variable's first word among all.
    first: FxHashMap<Global, u32>,
}

/// The bytes of an access: the number of the variable's first word, the offset in the variable, and the size.
pub type Bytes = Option<(u32, Value, u32)>;

fn variable(func: &Function, objects: &UnderlyingObjects, ptr: Value) -> Option<Global> {
    match objects.of(func, ptr).object {
        UnderlyingObject::Variable(global) => Some(global),
        _ => None,
    }
}

impl WrittenWords {
    /// Finds the variables, and makes their bits.
    pub fn new(
        func: &Function,
        objects: &UnderlyingObjects,
        globals: &mut PrimaryMap<Global, GlobalData>,
        mark: Option<Func>,
    ) -> WrittenWords {
        let calls = |inst: Inst| is_call(&func.insts[inst], mark);
        if func.layout_insts().any(calls) {
            return WrittenWords::default();
        }
        let (mut escaped, mut read) = (FxHashSet::default(), FxHashSet::default());
        for inst in func.layout_insts() {
            let data = &func.insts[inst];
            let address = data.address();
            if let (Some(ptr), Some(_)) = (address, func.result(inst)) {
                read.extend(variable(func, objects, ptr));
            }
            let result = func.result(inst).and_then(|result| variable(func, objects, result));
            let mut addresses = 0;
            data.for_each_arg(|arg| {
                let Some(global) = variable(func, objects, arg) else { return };
                addresses += u32::from(address == Some(arg));
                let is_address = address == Some(arg) && addresses == 1;
                if !(is_address || result == Some(global)) {
                    escaped.insert(global);
                }
            });
            data.for_each_target(|call| {
                let params = &func.blocks[call.block].params;
                for (&param, &arg) in params.iter().zip(&call.args) {
                    let global = variable(func, objects, arg);
                    if global.is_some() && variable(func, objects, param) != global {
                        escaped.extend(global);
                    }
                }
            });
        }
        let mut it = WrittenWords::default();
        let mut words = 0;
        for (global, data) in globals.iter() {
            let is_of_group = data.space == AddressSpace::Local && data.size < 1 << 20;
            if is_of_group && read.contains(&global) && !escaped.contains(&global) {
                it.first.insert(global, words);
                words += data.size.div_ceil(4) as u32;
            }
        }
        if words > 0 {
            let size = words.div_ceil(32);
            let bits = globals.push(GlobalData {
                name: ".written".to_string(),
                size: 4 * u64::from(size),
                align: 4,
                space: AddressSpace::Local,
                is_const: false,
                init: None,
                relocations: Vec::new(),
                linkage: Linkage::Internal,
            });
            it.bits = Some((bits, size));
        }
        it
    }

    /// Clears the bits, when the kernel begins.
    pub fn begin(&self, c: &mut Cursor<'_>, library: &Library) {
        if let Some((bits, words)) = self.bits {
            let bits = c.global_addr(bits, AddressSpace::Local);
            let words = c.iconst(Type::I32, i64::from(words));
            c.call(library.written_begin, &[bits, words], None);
        }
    }

    /// Returns the bytes of an access, which are in bounds, if they have bits.
    pub fn bytes(
        &self,
        func: &mut Function,
        inst: Inst,
        extents: &Extents<'_>,
        objects: &UnderlyingObjects,
    ) -> Bytes {
        let (ptr, ty) = func.access(inst)?;
        let first = *self.first.get(&variable(func, objects, ptr)?)?;
        match extents.of(func, ptr)? {
            Extent::Relative { offset, .. } => Some((first, offset, ty.bytes())),
            Extent::Absolute { .. } => None,
        }
    }

    fn call(
        &self,
        c: &mut Cursor<'_>,
        func: Func,
        bytes: Bytes,
        ret: Option<Type>,
    ) -> Option<Value> {
        let ((first, offset, size), (bits, _)) = (bytes?, self.bits?);
        let bits = c.global_addr(bits, AddressSpace::Local);
        let [first, size] = [first, size].map(|number| c.iconst(Type::I32, i64::from(number)));
        c.call(func, &[bits, first, offset, size], ret)
    }

    /// Checks that what is read was written; `None` for what only writes, or copies.
    pub fn check(
        &self,
        c: &mut Cursor<'_>,
        inst: Inst,
        bytes: Bytes,
        library: &Library,
    ) -> Option<Check> {
        let reads = match c.func.insts[inst] {
            InstData::Load { flags, .. } => !flags.contains(MemFlags::COPY),
            _ => c.func.result(inst).is_some(),
        };
        if !reads {
            return None;
        }
        let ok = self.call(c, library.written_test, bytes, Some(Type::BOOL))?;
        let kind = c.iconst(Type::I32, i64::from(Checks::INIT.bits()));
        let zero = c.iconst(Type::I64, 0);
        Some(Check { ok, kind, words: [zero; 3] })
    }

    /// Notes what an access wrote, behind it.
    pub fn note(&self, c: &mut Cursor<'_>, inst: Inst, bytes: Bytes, library: &Library) {
        if !matches!(c.func.insts[inst], InstData::Load { .. } | InstData::AtomicLoad { .. }) {
            self.call(c, library.written_note, bytes, None);
        }
    }
}
