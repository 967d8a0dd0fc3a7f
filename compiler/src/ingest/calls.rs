//! Calls of functions. Structs and arrays are passed leaf by leaf, but returned through a hidden pointer.

use super::ext_std::{self, Operands};
use super::function::Translator;
use super::mangled::{self, MangledCall};
use super::module::Entity;
use super::types::{Kind, Ty};
use super::words::Inst;
use crate::ir::Addr;
use rspirv::spirv::{Decoration, FunctionParameterAttribute, Op};

/// The most casts between a constant pointer to a function and its call.
const MAX_CASTS: u32 = 64;

impl Translator<'_, '_, '_> {
    pub(super) fn call(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let callee = self.m.callee(inst.arg(0)?)?;
        let ret = self.m.types.of(inst.ty)?;
        if !self.m.types.alike(ret, callee.ret) || inst.args.len() != callee.params.len() + 1 {
            return Err("result or arguments are not those of the function".to_string());
        }
        if callee.is_imported && self.known_call(inst, &callee.name)? {
            return Ok(());
        }
        if callee.is_imported && !self.m.separate {
            return Err(format!("undefined function '{}' is called", callee.name));
        }
        let mut args = Vec::new();
        let mut result = None;
        if self.m.returns_in_memory(ret)? {
            let (size, align) = (self.m.types.size(ret)?, self.m.types.align(ret));
            let memory = self.b.private_memory(size, align);
            args.push(memory.ptr);
            result = Some(memory);
        }
        for (&id, &(param, ty)) in inst.rest(1).iter().zip(&callee.params) {
            let val = self.val(id)?;
            if !self.m.types.alike(val.ty, ty) {
                return Err(format!("%{id} is not of the parameter's type"));
            }
            if let Some(object) = self.m.by_value(param, ty)? {
                args.push(self.copied(Addr::new(val.leaves[0], 1), object, param)?.ptr);
            } else {
                args.extend(val.leaves);
            }
        }
        let value_type = self.m.types.value(ret);
        let value = self.b.call(callee.func, &args, value_type);
        match (value, result) {
            (Some(value), _) => self.give(inst, value),
            (None, Some(memory)) => {
                let leaves = self.load_leaves(ret, memory)?;
                self.define(inst, &leaves)
            }
            (None, None) => Ok(()),
        }
    }

    /// Translates a call through a pointer, if the module shows which function it points to.
    pub(super) fn call_of_pointer(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let (&pointer, args) = inst.args.split_first().ok_or("an operand is missing")?;
        let callee = self.m.function_at(pointer);
        let callee =
            callee.ok_or_else(|| format!("%{pointer} is not known to point to one function"))?;
        let args: Vec<u32> = [callee].iter().chain(args).copied().collect();
        self.call(&Inst { op: Op::FunctionCall, args: &args, ..*inst })
    }

    /// Lowers a call of an imported function that is a built-in function of OpenCL C. Returns false for other functions.
    fn known_call(&mut self, inst: &Inst<'_>, name: &str) -> Result<bool, String> {
        let ids = inst.rest(1);
        let leaves: Vec<_> = ids.iter().map(|&id| self.val(id)).collect::<Result<_, _>>()?;
        let args: Vec<_> = leaves.iter().flat_map(|val| val.leaves.iter().copied()).collect();
        let types: Vec<_> = args.iter().map(|&arg| self.b.ty(arg)).collect();
        let ret = self.m.types.of(inst.ty)?;
        let result = self.m.types.value(ret);
        if args.len() != ids.len() || result.is_none() && *self.m.types.kind(ret) != Kind::Void {
            return Ok(false);
        }
        if let ([val], Some(query)) = (leaves.as_slice(), mangled::function_name(name)) {
            if let Kind::Image(image) = *self.m.types.kind(val.ty) {
                return self.image_query(inst, query, image, args[0]).map(|()| true);
            }
        }
        match mangled::known(name, Operands { types: &types, literal: None, result }) {
            Some(MangledCall::Call(function)) => {
                ext_std::call(self, inst, &function, &args, result)?;
            }
            Some(MangledCall::Convert { from, to, rounding, saturate }) => {
                let value = self.b.convert_number(args[0], (from, to), rounding, saturate);
                self.give(inst, value)?;
            }
            None => return Ok(false),
        }
        Ok(true)
    }

    /// Returns a copy of an object for a function that may change its parameter (FuncParamAttr ByVal).
    fn copied(&mut self, object: Addr, ty: Ty, param: u32) -> Result<Addr, String> {
        let size = self.m.types.size(ty)?;
        let align = self.m.types.align(ty).max(self.declared_alignment(param));
        let copy = self.b.private_memory(size, align);
        let object = Addr { align, ..object };
        self.copy_constant(copy, object, size, &[ty]);
        Ok(copy)
    }
}

/// Returns true for casts of pointers.
fn is_cast(op: Op) -> bool {
    use Op::{Bitcast, CopyObject, GenericCastToPtr, PtrCastToGeneric};
    matches!(op, Bitcast | CopyObject | PtrCastToGeneric | GenericCastToPtr)
}

impl super::module::Decoder<'_> {
    /// Returns the function that a constant points to, maybe through casts, if it points to one.
    pub(super) fn function_at(&self, pointer: u32) -> Option<u32> {
        let mut id = pointer;
        for _ in 0..MAX_CASTS {
            if let Some(&Entity::FunctionPointer(function)) = self.entities.get(&id) {
                return Some(function);
            }
            let inst = self.words.definition(id).filter(|inst| is_cast(inst.op))?;
            id = inst.arg(0).ok()?;
        }
        None
    }

    /// Returns the function that the result of a cast points to.
    pub(super) fn cast_function(&self, inst: &Inst<'_>) -> Option<u32> {
        match self.has_function_pointers && is_cast(inst.op) {
            true => self.function_at(inst.arg(0).ok()?),
            false => None,
        }
    }

    /// Returns the type of the object that a parameter passes by value, if it is a pointer to the object's copy.
    pub(super) fn by_value(&self, param: u32, ty: Ty) -> Result<Option<Ty>, String> {
        let attributes = self.decorations.operands(param, Decoration::FuncParamAttr);
        let by_value = FunctionParameterAttribute::ByVal as u32;
        if !attributes.into_iter().any(|attribute| attribute == by_value) {
            return Ok(None);
        }
        match self.types.kind(ty) {
            Kind::Pointer { space: crate::ir::AddressSpace::Private, .. } => {
                self.types.pointee(ty).map(Some)
            }
            _ => Err("a parameter passed by value is not a pointer to private memory".to_string()),
        }
    }

    /// Returns the alignment that an id is decorated with.
    pub(super) fn alignment(&self, id: u32) -> Option<u32> {
        let align = self.decorations.operand(id, Decoration::Alignment)?;
        align.is_power_of_two().then_some(align.min(1 << 16))
    }
}
