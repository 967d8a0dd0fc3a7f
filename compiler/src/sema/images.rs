//! Images and samplers in declarations (OpenCL C 6.3.3, 6.8, 6.11, 6.15.15.1).
//!
//! Nearly all samplers have a constant initializer; they are constants and not objects. Only a sampler that is a parameter,
//! or a copy of a parameter, is a variable.

use super::hir::{Expr, ExprKind};
use super::scope::Entity;
use super::typename::QualType;
use super::types::{TypeId, TypeKind, SAMPLER};
use super::Sema;
use crate::kernel::{ImageAccess, ImageDim, ImageType};
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast::{Access, AddressSpace, InitDeclarator, Initializer};

impl Sema<'_> {
    /// Returns true for the types of images and pipes, which variables may not have.
    pub(super) fn is_image(&self, ty: TypeId) -> bool {
        matches!(self.module.types.kind(ty), TypeKind::Image(_) | TypeKind::Pipe(..))
    }

    pub(super) fn sampler_type(&mut self) -> TypeId {
        self.module.types.intern(TypeKind::Opaque(SAMPLER))
    }

    /// Returns a type with an access qualifier, if there is one. Reports qualifiers that the version or the device lacks.
    pub(super) fn with_access(&mut self, ty: TypeId, access: Option<Access>, span: Span) -> TypeId {
        let Some(access) = access else { return ty };
        let image = match *self.module.types.kind(ty) {
            TypeKind::Image(image) => image,
            TypeKind::Pipe(packet, _) => return self.pipe_with_access(packet, access, span),
            TypeKind::Error => return ty,
            _ => {
                self.error(span, "access qualifier can only be used for pipe and image type");
                return ty;
            }
        };
        let access = match access {
            Access::ReadOnly => ImageAccess::ReadOnly,
            Access::WriteOnly => ImageAccess::WriteOnly,
            Access::ReadWrite => ImageAccess::ReadWrite,
        };
        let ty = self.module.types.intern(TypeKind::Image(ImageType { access, ..image }));
        let feature = "__opencl_c_read_write_images";
        let reads_and_writes =
            access != ImageAccess::ReadWrite || self.target.offers(self.options.std, feature);
        if !reads_and_writes {
            let message = format!(
                "access qualifier 'read_write' can not be used for '{}' prior to OpenCL C version 2.0 or in \
                 version 3.0 and without {feature} feature",
                image.name()
            );
            return self.fail(span, message);
        }
        let writes_volume = image.dim == ImageDim::D3 && access != ImageAccess::ReadOnly;
        if writes_volume && !self.target.image_writes_3d {
            let message = format!(
                "use of type {} requires cl_khr_3d_image_writes which this device does not offer",
                self.quoted(ty)
            );
            return self.fail(span, message);
        }
        ty
    }

    /// Declares a sampler that is a constant, or reports a variable whose type is an image. Returns false for a sampler that
    /// is a variable. Nothing can be assigned to a sampler, so one without an initializer never has a value; clang lets
    /// programs declare it, and here it is CLK_ADDRESS_NONE with CLK_FILTER_NEAREST.
    pub(super) fn image_variable(
        &mut self,
        ty: &QualType,
        item: &InitDeclarator,
        (name, span): (Symbol, Span),
    ) -> bool {
        let problem = match (self.is_image(ty.ty), self.function.is_some()) {
            (true, true) => {
                format!(
                    "type {} can only be used as a function parameter in OpenCL",
                    self.quoted(ty.ty)
                )
            }
            (true, false) => format!(
                "the {} type cannot be used to declare a program scope variable",
                self.quoted(ty.ty)
            ),
            _ if matches!(ty.space, Some(AddressSpace::Local | AddressSpace::Global)) => {
                "sampler type cannot be used with the __local and __global address space qualifiers"
                    .to_string()
            }
            _ => match &item.init {
                Some(Initializer::Expr(init)) => {
                    let e = self.rvalue(init);
                    if self.is_error(e.ty) {
                        self.declare_error(name, span);
                        return true;
                    }
                    if let Some(word) = self.sampler_constant(&e) {
                        self.check_redefinition(name, span);
                        self.scopes.declare(name, Entity::Enumerator(word, ty.ty), span);
                        return true;
                    }
                    let is_sampler = e.ty == ty.ty;
                    if is_sampler && self.function.is_some() && ty.space.is_none() {
                        return false;
                    }
                    match is_sampler || self.module.types.is_integer(e.ty) {
                        true => "initializer element is not a compile-time constant".to_string(),
                        false => format!(
                            "sampler_t initialization requires 32-bit integer, not {}",
                            self.quoted(e.ty)
                        ),
                    }
                }
                None if ty.space.is_none() && (self.function.is_some() || ty.is_const) => {
                    self.check_redefinition(name, span);
                    let message = format!("sampler '{}' has no value", self.text(name));
                    self.diags.warning(span, message);
                    self.scopes.declare(name, Entity::Enumerator(0, ty.ty), span);
                    return true;
                }
                _ => "sampler_t variable must be initialized with an integer constant".to_string(),
            },
        };
        self.error(span, problem);
        self.declare_error(name, span);
        true
    }

    /// Returns the value of an integer constant, or of a sampler that is a constant.
    pub(super) fn sampler_constant(&self, e: &Expr) -> Option<u64> {
        if matches!(self.module.types.kind(e.ty), TypeKind::Opaque(SAMPLER)) {
            return match e.kind {
                ExprKind::Int(word) => Some(word),
                _ => None,
            };
        }
        let is_integer = self.module.types.is_integer(e.ty);
        let value = self.eval_int(e).filter(|_| is_integer)?;
        u32::try_from(value).ok().map(u64::from)
    }
}
