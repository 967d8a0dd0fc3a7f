//! Checks that words of work-group memory were written before they are read. Work-group memory contains a bit for each word
//! of work-group variables, and of the first words of arguments in work-group memory; any work-item of the group may set it.
//! Only kernels all of whose calls are inlined are checked, and only variables whose address is used for accesses only.

use super::extents::{Extent, Extents};
use super::texels::is_call;
use super::{Check, Library};
use crate::analysis::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::checks::Checks;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of words of an argument that have bits. They are its first words, since only the launch knows its size.
const ARGUMENT_WORDS: u32 = 2048;

/// The work-group variables and arguments of a kernel whose words have bits.
#[derive(Default)]
pub struct WrittenWords {
    /// The variable that contains the bits, and its size in words.
    bits: Option<(Global, u32)>,
    /// By object, the index of its first word among all words with bits, and its number of words.
    words: FxHashMap<UnderlyingObject, (u32, u32)>,
}

/// The bytes of an access: the object's first word and number of words, the offset in the object, and the size.
pub type Bytes = Option<(u32, u32, Value, u32)>;

/// Returns the variable that a pointer points into, or the argument, if that is in work-group memory.
fn object(func: &Function, objects: &UnderlyingObjects, ptr: Value) -> Option<UnderlyingObject> {
    let is_local = func.ty(ptr).space() == Some(AddressSpace::Local);
    match objects.of(func, ptr).object {
        it @ UnderlyingObject::Variable(_) => Some(it),
        it @ UnderlyingObject::KernelArgument(_) if is_local => Some(it),
        _ => None,
    }
}

impl WrittenWords {
    /// Finds the objects to check, and adds the variable for their bits.
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
                read.extend(object(func, objects, ptr));
            }
            let result = func.result(inst).and_then(|result| object(func, objects, result));
            let mut addresses = 0;
            data.for_each_arg(|arg| {
                let Some(global) = object(func, objects, arg) else { return };
                addresses += u32::from(address == Some(arg));
                let is_address = address == Some(arg) && addresses == 1;
                if !(is_address || result == Some(global)) {
                    escaped.insert(global);
                }
            });
            data.for_each_target(|call| {
                let params = &func.blocks[call.block].params;
                for (&param, &arg) in params.iter().zip(&call.args) {
                    let global = object(func, objects, arg);
                    if global.is_some() && object(func, objects, param) != global {
                        escaped.extend(global);
                    }
                }
            });
        }
        let mut it = WrittenWords::default();
        let mut words = 0;
        for (global, data) in globals.iter() {
            let is_of_group =
                data.space == AddressSpace::Local && data.init.is_none() && data.size < 1 << 20;
            let object = UnderlyingObject::Variable(global);
            if is_of_group && read.contains(&object) && !escaped.contains(&object) {
                let size = data.size.div_ceil(4) as u32;
                it.words.insert(object, (words, size));
                words += size;
            }
        }
        let is_argument =
            |object: &&UnderlyingObject| matches!(object, UnderlyingObject::KernelArgument(_));
        let mut arguments: Vec<UnderlyingObject> =
            read.difference(&escaped).filter(is_argument).copied().collect();
        arguments.sort_unstable();
        for argument in arguments {
            it.words.insert(argument, (words, ARGUMENT_WORDS));
            words += ARGUMENT_WORDS;
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

    /// Clears the bits at the start of the kernel.
    pub fn begin(&self, c: &mut Cursor<'_>, library: &Library) {
        if let Some((bits, words)) = self.bits {
            let bits = c.global_addr(bits, AddressSpace::Local);
            let words = c.iconst(Type::I32, i64::from(words));
            c.call(library.written_begin, &[bits, words], None);
        }
    }

    /// Returns the bytes of an access, which are in bounds; `None` if they have no bits.
    pub fn bytes(
        &self,
        func: &mut Function,
        inst: Inst,
        extents: &Extents<'_>,
        objects: &UnderlyingObjects,
    ) -> Bytes {
        let (ptr, ty) = func.access(inst)?;
        let (first, words) = *self.words.get(&object(func, objects, ptr)?)?;
        match extents.of(func, ptr)? {
            Extent::Relative { offset, .. } => Some((first, words, offset, ty.bytes())),
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
        let ((first, words, offset, size), (bits, _)) = (bytes?, self.bits?);
        let bits = c.global_addr(bits, AddressSpace::Local);
        let [first, words, size] =
            [first, words, size].map(|number| c.iconst(Type::I32, i64::from(number)));
        c.call(func, &[bits, first, words, offset, size], ret)
    }

    /// Checks that the bytes that an access reads were written; `None` for accesses that only write or copy.
    pub fn check(
        &self,
        c: &mut Cursor<'_>,
        inst: Inst,
        bytes: Bytes,
        library: &Library,
    ) -> Option<Check> {
        if !self.reads(c.func, inst) {
            return None;
        }
        let ok = self.call(c, library.written_test, bytes, Some(Type::BOOL))?;
        Some(Check::of(c, ok, Checks::INIT))
    }

    /// Returns true for an access that reads and does not only copy.
    pub fn reads(&self, func: &Function, inst: Inst) -> bool {
        match func.insts[inst] {
            InstData::Load { flags, .. } => !flags.contains(MemFlags::COPY),
            _ => func.result(inst).is_some(),
        }
    }

    /// Returns true for an access that writes.
    pub fn writes(&self, func: &Function, inst: Inst) -> bool {
        !matches!(func.insts[inst], InstData::Load { .. } | InstData::AtomicLoad { .. })
    }

    /// Sets the bits of the bytes that an access wrote, behind the access.
    pub fn note(&self, c: &mut Cursor<'_>, inst: Inst, bytes: Bytes, library: &Library) {
        if self.writes(c.func, inst) {
            self.call(c, library.written_note, bytes, None);
        }
    }
}
