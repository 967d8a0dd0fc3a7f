//! Kernels for the functions that kernels enqueue, as for a block of OpenCL C ([`crate::kernel::Kernel::is_block`]).

use super::function::Translator;
use super::kernels::classify;
use super::module::{Decoder, FunctionInfo};
use super::types::{Kind, Ty};
use crate::device_queue::{CAPTURED_ALIGN, MAX_CAPTURED};
use crate::ir::names::space_name;
use crate::ir::{self, Addr, AddressSpace, ConvertOp, Func, Gathering, KernelEntry, Type, Value};
use crate::kernel::{Arg, ArgAddress, ArgKind};

/// A function that is enqueued, with the bytes that it gets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Invoked {
    /// The entry of the function's kernel.
    pub(super) kernel: Func,
    /// A pointer to the bytes that the function gets.
    pub(super) param: Value,
    /// The number of these bytes.
    pub(super) size: u32,
    pub(super) align: u32,
    /// The number of the function's local pointers.
    pub(super) locals: usize,
}

/// The key of a block kernel: the function and, if it gets its bytes in private memory, their size and alignment. Each key
/// has a kernel of its own.
pub(super) type Key = (u32, Option<(u32, u32)>);

impl Decoder<'_> {
    /// Returns the function that an instruction enqueues, from its operands.
    pub(super) fn invoked(
        &mut self,
        function: u32,
        param: Value,
        size: u64,
        align: u64,
    ) -> Result<Invoked, String> {
        let size = u32::try_from(size).ok().filter(|&size| size <= MAX_CAPTURED);
        let size = size.ok_or_else(|| {
            format!("a function that is enqueued takes more than {MAX_CAPTURED} bytes")
        })?;
        // Some compilers write an alignment of 0 if there are no bytes.
        let align = u32::try_from(align.max(1)).ok();
        let fits = |align: &u32| align.is_power_of_two() && *align <= CAPTURED_ALIGN;
        let align = align.filter(fits).ok_or("what the function takes cannot be aligned so")?;
        let info = self.callee(function)?;
        if info.is_imported && !self.separate {
            return Err(format!("undefined function '{}' is enqueued", info.name));
        }
        let locals = info.params.len().saturating_sub(1);
        let space = self.captured_space(&info)?;
        let key = (function, (space == AddressSpace::Private).then_some((size, align)));
        let kernel = match self.block_kernels.get(&key) {
            Some(&kernel) => kernel,
            None => self.block_kernel(&info, space, key)?,
        };
        Ok(Invoked { kernel, param, size, align, locals })
    }

    /// Checks the parameters of a function that is enqueued; returns the address space of the first.
    fn captured_space(&self, info: &FunctionInfo) -> Result<AddressSpace, String> {
        let pointer = |ty: Ty| match *self.types.kind(ty) {
            Kind::Pointer { space, .. } => Some(space),
            _ => None,
        };
        let mut spaces = info.params.iter().map(|&(_, ty)| pointer(ty));
        let first = spaces.next().flatten().ok_or("the first parameter is not a pointer")?;
        if !spaces.all(|space| space == Some(AddressSpace::Local)) {
            return Err("a parameter behind the first is not a pointer to local memory".to_string());
        }
        if *self.types.kind(info.ret) != Kind::Void {
            return Err("the function has a result".to_string());
        }
        match first {
            AddressSpace::Global | AddressSpace::Generic | AddressSpace::Private => Ok(first),
            _ => Err(format!("what the function takes cannot be in {} memory", space_name(first))),
        }
    }

    fn block_kernel(
        &mut self,
        info: &FunctionInfo,
        space: AddressSpace,
        key: Key,
    ) -> Result<Func, String> {
        let name = self.entry_points.unused_name(&info.name, self.block_kernels.len());
        let mut function = ir::Function::new(name.clone(), &[], None);
        let mut args = vec![arg(ArgKind::Buffer, ArgAddress::Global)];
        let mut locals = 0;
        let mut this = Translator::new(self, &mut function);
        let given = this.b.load_arg(Type::ptr(AddressSpace::Global), 0, 0);
        let mut values = vec![match (space, key.1) {
            (AddressSpace::Global, _) => given,
            (_, None) => this.b.convert(ConvertOp::SpaceCast, given, Type::ptr(space)),
            (_, Some((size, align))) => {
                let copy = this.b.private_memory(u64::from(size), align);
                this.copy_constant(copy, Addr::new(given, align), u64::from(size), &[]);
                copy.ptr
            }
        }];
        for (&(param, ty), index) in info.params[1..].iter().zip(1..) {
            args.push(arg(classify(this.m, param, ty, false, &mut locals)?, ArgAddress::Local));
            values.push(this.b.load_arg(Type::ptr(AddressSpace::Local), index, 0));
        }
        this.b.call(info.func, &values, None);
        this.b.ret(None);
        let func = self.out.module().functions.push(function);
        let pointee_alignments = vec![0; args.len()];
        let required_subgroup_size = self.out.target().required_subgroup_size(None);
        self.out.module().kernels.push(KernelEntry {
            func,
            name,
            args,
            required_local_size: None,
            local_size_hint: None,
            required_subgroup_size,
            required_subgroups: None,
            gathering: Gathering::Some,
            attributes: String::new(),
            arg_info: true,
            is_block: true,
            pointee_alignments,
            access: Vec::new(),
        });
        self.block_kernels.insert(key, func);
        Ok(func)
    }

    /// Returns true if compilers made an entry point from a block: its first argument is a generic pointer, which no host
    /// program can set.
    pub(super) fn is_block_entry(&self, info: &FunctionInfo) -> bool {
        self.enqueues && matches!(self.captured_space(info), Ok(AddressSpace::Generic))
    }
}

fn arg(kind: ArgKind, address: ArgAddress) -> Arg {
    Arg {
        name: String::new(),
        type_name: String::new(),
        kind,
        address,
        is_const: false,
        is_restrict: false,
        is_volatile: false,
    }
}
