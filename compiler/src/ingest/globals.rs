//! Variables of module scope: bytes and relocations of initializers, and input variables.

use super::builtin_vars;
use super::constants::Const;
use super::decorations::LinkageType;
use super::module::{Decoder, Entity};
use super::types::{Kind, Ty};
use super::words::Inst;
use crate::ir::{AddressSpace, Global, GlobalData, Linkage, Scalar, Type};
use crate::kernel::DataImage;
use rspirv::spirv::{Decoration, StorageClass};

/// The most bytes of all initializers of a module together.
const MAX_INIT: u64 = 64 << 20;

/// Declares a variable of module scope.
pub(super) fn variable(m: &mut Decoder<'_>, inst: &Inst<'_>) -> Result<(), String> {
    let ty = m.types.of(inst.ty)?;
    let Kind::Pointer { storage, space, .. } = *m.types.kind(ty) else {
        return Err("its type is not that of a pointer".to_string());
    };
    if StorageClass::from_u32(inst.arg(0)?) != Some(storage) {
        return Err("its storage class is not that of its type".to_string());
    }
    let (pointee, initial) = m.types.variable(inst)?;
    if let Some(built_in) = m.decorations.operand(inst.id, Decoration::BuiltIn) {
        let value = m.types.numeric(pointee)?;
        let input = builtin_vars::input(built_in, value, m.out.target())?;
        m.entities.insert(inst.id, Entity::Input { ty, input });
        return Ok(());
    }
    match storage {
        StorageClass::CrossWorkgroup | StorageClass::UniformConstant | StorageClass::Workgroup => {}
        _ => return Err(format!("variables in storage class {storage:?} are not supported")),
    }
    if let (Some((name, LinkageType::Import)), false) =
        (m.decorations.linkage(inst.id)?, m.separate)
    {
        m.entities.insert(inst.id, Entity::Undefined(name));
        return Ok(());
    }
    let data = data(m, inst, (pointee, initial), space)?;
    let global = m.out.module().globals.push(data);
    m.entities.insert(inst.id, Entity::Variable { ty, global });
    Ok(())
}

fn data(
    m: &mut Decoder<'_>,
    inst: &Inst<'_>,
    (ty, initial): (Ty, Option<u32>),
    space: AddressSpace,
) -> Result<GlobalData, String> {
    let size = m.types.size(ty)?;
    if size > DataImage::MAX_SIZE {
        return Err(format!("a variable of {size} bytes is too large"));
    }
    let linkage = m.decorations.linkage(inst.id)?;
    let is_imported = matches!(linkage, Some((_, LinkageType::Import)));
    let (name, linkage) = match linkage {
        Some((name, LinkageType::Import)) => (name, Linkage::Import),
        Some((name, LinkageType::Export)) if m.separate => (name, Linkage::External),
        Some((name, LinkageType::LinkOnce)) if m.separate => (name, Linkage::LinkOnce),
        Some((name, _)) => (name, Linkage::Internal),
        None => (m.decorations.name(inst.id), Linkage::Internal),
    };
    let mut init = Init::default();
    if let Some(initial) = initial {
        let constant = m.constant(initial)?;
        if is_imported || !m.types.alike(constant.ty, ty) {
            return Err("the initializer is not of the variable's type".to_string());
        }
        let is_zero = match space {
            // The kernel clears the variable: see `zero_workgroup_memory`.
            AddressSpace::Local => matches!(constant.value, Const::Undef),
            _ => matches!(constant.value, Const::Null | Const::Undef),
        };
        if !is_zero {
            m.init_bytes = m.init_bytes.saturating_add(size);
            if m.init_bytes > MAX_INIT {
                return Err("the module's initializers are too large".to_string());
            }
            let mut bytes = vec![0; size as usize];
            init.write(m, ty, &constant.value, 0, &mut bytes)?;
            if space == AddressSpace::Local
                && (!init.relocations.is_empty() || bytes.iter().any(|&byte| byte != 0))
            {
                return Err("variables of work-groups have no initializers but zero".to_string());
            }
            init.bytes = Some(bytes);
        }
    }
    Ok(GlobalData {
        name,
        size,
        align: m.types.align(ty).max(m.alignment(inst.id).unwrap_or(1)),
        space,
        is_const: space == AddressSpace::Constant
            || m.decorations.has(inst.id, Decoration::Constant),
        init: init.bytes,
        relocations: init.relocations,
        linkage,
    })
}

/// An initializer.
#[derive(Default)]
struct Init {
    /// The number of parts written so far, including parts without bytes.
    parts: u64,
    bytes: Option<Vec<u8>>,
    relocations: Vec<(u32, Global, i64)>,
}

impl Init {
    /// Writes a constant at an offset.
    fn write(
        &mut self,
        m: &Decoder<'_>,
        ty: Ty,
        value: &Const,
        at: u64,
        bytes: &mut [u8],
    ) -> Result<(), String> {
        if matches!(value, Const::Null | Const::Undef) || m.types.size(ty)? == 0 {
            return Ok(());
        }
        self.parts += 1;
        if self.parts > MAX_INIT {
            return Err("the initializer has too many parts".to_string());
        }
        match (m.types.kind(ty), value) {
            (Kind::Struct { members }, Const::Parts(parts)) => {
                for (&(member, offset), part) in members.iter().zip(parts.iter()) {
                    self.write(m, member, part, at + offset, bytes)?;
                }
                Ok(())
            }
            (Kind::Array { element, .. }, Const::Parts(parts)) => {
                let stride = m.types.size(*element)?;
                for (index, part) in (0..).zip(parts.iter()) {
                    self.write(m, *element, part, at + index * stride, bytes)?;
                }
                Ok(())
            }
            (Kind::Value(vector), Const::Parts(parts)) => {
                let stride = u64::from(vector.scalar.bytes());
                for (lane, part) in (0..).zip(parts.iter()) {
                    self.scalar(vector.lane(), part, at + lane * stride, bytes)?;
                }
                Ok(())
            }
            _ => {
                let ty = m.types.value(ty).ok_or("the initializer is not a constant")?;
                self.scalar(ty, value, at, bytes)
            }
        }
    }

    fn scalar(&mut self, ty: Type, value: &Const, at: u64, bytes: &mut [u8]) -> Result<(), String> {
        if let Const::Address { variable, offset } = *value {
            if !matches!(ty.scalar, Scalar::Ptr(_) | Scalar::I64) {
                return Err("an address is stored in a small integer".to_string());
            }
            if matches!(ty.space(), Some(AddressSpace::Local | AddressSpace::Private)) {
                return Err("addresses of work-group memory are no initializers".to_string());
            }
            let at = u32::try_from(at).map_err(|_| "the variable is too large".to_string())?;
            self.relocations.push((at, variable, offset));
            return Ok(());
        }
        let bits = value.bits().ok_or("the initializer is not a constant")?;
        let size = ty.scalar.bytes() as usize;
        let place = usize::try_from(at).ok().and_then(|at| bytes.get_mut(at..at + size));
        let place = place.ok_or("the initializer is larger than the variable")?;
        place.copy_from_slice(&bits.to_le_bytes()[..size]);
        Ok(())
    }
}
