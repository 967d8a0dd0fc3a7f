//! Overload choice among the instances of signature patterns.

use super::special::is_special;
use crate::builtins::signature::{Shape, Sig, Spaces, TypePattern};
use crate::builtins::{Builtin, Check};
use crate::kernel::ImageType;
use crate::sema::calls::{scalar_cost, WIDEN_COST};
use crate::sema::convert::{common_scalar, promoted, Context};
use crate::sema::hir::{Expr, ExprKind};
use crate::sema::operand::value;
use crate::sema::types::{Scalar, TypeId, TypeKind, EVENT, SAMPLER};
use crate::sema::Sema;
use crate::source::Span;
use crate::syntax::ast::AddressSpace;

/// The properties of an argument that the choice depends on.
#[derive(Debug, Clone, Copy)]
enum Arg {
    Number(Shape),
    Pointer {
        pointee: Pointee,
        space: AddressSpace,
        is_const: bool,
    },
    /// A null pointer constant of type `void *`.
    Null,
    Event,
    Image(ImageType),
    Sampler,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pointee {
    Number(Shape),
    Atomic(Scalar),
    Event,
    Other,
}

/// An instance of a pattern that takes the arguments.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    sig: &'static Sig,
    shape: Shape,
    cost: u32,
}

fn spaces_of(space: AddressSpace) -> u8 {
    match space {
        AddressSpace::Private => 1,
        AddressSpace::Global => 2,
        AddressSpace::Local => 4,
        AddressSpace::Constant => 8,
        AddressSpace::Generic => 16,
    }
}

/// Returns the cost of passing an argument to a parameter; `None` if it cannot be passed.
fn cost(pattern: TypePattern, shape: Shape, arg: Arg) -> Option<u32> {
    let to = |want: Option<Pointee>, spaces: Spaces, writes: bool| match arg {
        Arg::Pointer { pointee, space, is_const } => {
            let fits = want.is_none_or(|want| want == pointee)
                && spaces.0 & spaces_of(space) != 0
                && !(writes && (is_const || space == AddressSpace::Constant));
            fits.then_some(0)
        }
        _ => None,
    };
    let pointer = |spaces, want, writes| to(Some(want), spaces, writes);
    let (element, lanes) = shape;
    match pattern {
        TypePattern::Out(spaces) => pointer(spaces, Pointee::Number(shape), true),
        TypePattern::OutElement(spaces) => pointer(spaces, Pointee::Number((element, 1)), true),
        TypePattern::OutLike(spaces, scalar) => {
            pointer(spaces, Pointee::Number((scalar, lanes)), true)
        }
        TypePattern::OutHalf(spaces) => pointer(spaces, Pointee::Number((Scalar::Half, 1)), true),
        TypePattern::In(spaces) => pointer(spaces, Pointee::Number(shape), false),
        TypePattern::InElement(spaces) => pointer(spaces, Pointee::Number((element, 1)), false),
        TypePattern::InHalf(spaces) => pointer(spaces, Pointee::Number((Scalar::Half, 1)), false),
        TypePattern::InAny(spaces) => to(None, spaces, false),
        TypePattern::OutAny(spaces) => to(None, spaces, true),
        TypePattern::Atomic(spaces) => pointer(spaces, Pointee::Atomic(element), true),
        TypePattern::Events => match arg {
            Arg::Null => Some(1),
            _ => pointer(Spaces::OWN, Pointee::Event, false),
        },
        TypePattern::Event => match arg {
            Arg::Event => Some(0),
            // This may be a null event; the conversion checks it.
            Arg::Number((scalar, 1)) if !scalar.is_float() => Some(1),
            _ => None,
        },
        TypePattern::Image(..) | TypePattern::DepthImage(..) => match arg {
            Arg::Image(image) => pattern.takes_image(image).then_some(0),
            _ => None,
        },
        TypePattern::Sampler => match arg {
            Arg::Sampler => Some(0),
            // This may be a constant; the conversion checks it.
            Arg::Number((scalar, 1)) if !scalar.is_float() => Some(1),
            _ => None,
        },
        TypePattern::Void => None,
        _ => {
            let (want, count) = pattern.number(shape)?;
            match arg {
                Arg::Number((have, n)) if n == count => match n {
                    1 => Some(scalar_cost(have, want)),
                    _ => (have == want).then_some(0),
                },
                Arg::Number((have, 1)) => Some(WIDEN_COST + scalar_cost(have, want)),
                _ => None,
            }
        }
    }
}

impl Sema<'_> {
    /// Analyzes a call of a built-in function; `None` if there is none of that name.
    pub(in crate::sema) fn builtin(
        &mut self,
        name: &str,
        args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Option<Expr> {
        let Some(function) = self.offered_builtin(name) else {
            return self.special_builtin(name, args, at, span);
        };
        Some(match function.check() {
            Check::Printf => self.printf(function, args, span),
            Check::Shuffle(sources) => self.shuffle(function, sources, args, at, span),
            Check::Pipe { access, arguments } => {
                self.pipe_builtin(function, (access, arguments), args, span)
            }
            Check::Reservation => self.reservation_builtin(function, args, span),
            Check::DeviceQueue => self.device_queue_builtin(function, args, span),
            Check::Space(space) => self.space_builtin(function, space, args, at, span),
            _ => self.choose(function, args, at, span),
        })
    }

    /// Returns true if the program may call a built-in function of this name.
    pub(in crate::sema) fn has_builtin(&self, name: &str) -> bool {
        self.offered_builtin(name).is_some() || is_special(name)
    }

    /// Returns the function of this name, if the program's version and the device have it.
    fn offered_builtin(&self, name: &str) -> Option<Builtin> {
        let function = Builtin::named(name)?;
        let feature = "__opencl_c_work_group_collective_functions";
        let offered = match function.check() {
            Check::Collective => self.target.offers(self.options.std, feature),
            Check::Images => self.target.images,
            Check::Feature(name) => self.target.features().contains(&name),
            Check::Pipe { .. } if name.starts_with("sub_group_") => {
                self.has_pipes() && self.target.subgroups.is_some()
            }
            Check::Pipe { .. } | Check::Reservation => self.has_pipes(),
            Check::DeviceQueue => self.has_device_enqueue(),
            Check::Subgroup(extension) | Check::Clustered(extension) => {
                self.target.has_subgroup_functions(extension)
            }
            Check::Space(_) => self.pointee_space == AddressSpace::Generic,
            _ => true,
        };
        (offered && function.since() <= self.options.std).then_some(function)
    }

    fn classify(&self, e: &Expr) -> Arg {
        let types = &self.module.types;
        match *types.kind(e.ty) {
            TypeKind::Scalar(scalar) => Arg::Number((scalar, 1)),
            TypeKind::Vector(scalar, lanes) => Arg::Number((scalar, lanes)),
            TypeKind::Pointer(pointer)
                if pointer.pointee == self.basic.void && self.is_null_constant(e) =>
            {
                Arg::Null
            }
            TypeKind::Pointer(pointer) => {
                let pointee = match *types.kind(pointer.pointee) {
                    TypeKind::Scalar(scalar) => Pointee::Number((scalar, 1)),
                    TypeKind::Vector(scalar, lanes) => Pointee::Number((scalar, lanes)),
                    TypeKind::Atomic(scalar) => Pointee::Atomic(scalar),
                    TypeKind::Opaque(EVENT) => Pointee::Event,
                    _ => Pointee::Other,
                };
                Arg::Pointer { pointee, space: pointer.space, is_const: pointer.is_const }
            }
            TypeKind::Opaque(EVENT) => Arg::Event,
            TypeKind::Opaque(SAMPLER) => Arg::Sampler,
            TypeKind::Image(image) => Arg::Image(image),
            _ => Arg::Other,
        }
    }

    fn choose(&mut self, builtin: Builtin, args: Vec<Expr>, at: Span, span: Span) -> Expr {
        let kinds: Vec<Arg> = args.iter().map(|arg| self.classify(arg)).collect();
        let best = self.best_candidates(builtin, &kinds);
        let Some(candidate) = pick(&best, &kinds) else {
            if best.is_empty() {
                self.no_match(builtin, &args, at);
            } else {
                self.error(at, format!("call to '{}' is ambiguous", builtin.name()));
                for candidate in best.iter().take(8) {
                    let note = self.describe(builtin.name(), candidate.sig, candidate.shape);
                    self.diags.note(None, format!("candidate function: {note}"));
                }
            }
            return self.error_value(span);
        };
        if let Check::Subgroup(extension) | Check::Clustered(extension) = builtin.check() {
            self.module.uses_subgroups = true;
            self.module.parts_meet |= extension != "__opencl_c_subgroups";
        }
        let offered = match builtin.check() {
            Check::Atomic64 => self.atomic_offered(builtin, candidate, &kinds, at),
            Check::Clustered(_) => self.is_cluster(builtin, &args),
            Check::Synchronization(sync) => self.synchronization_offered(builtin, sync, &args, at),
            _ => true,
        };
        if !offered {
            return self.error_value(span);
        }
        let mut converted = Vec::with_capacity(args.len());
        for (&pattern, arg) in candidate.sig.params.iter().zip(args) {
            let arg = match pattern.number(candidate.shape) {
                Some((scalar, lanes)) => {
                    let ty = self.module.types.vector(scalar, lanes);
                    self.warn_of_widening(&arg, ty);
                    self.convert_numeric(arg, ty)
                }
                None if pattern == TypePattern::Event => {
                    let ty = self.module.types.intern(TypeKind::Opaque(EVENT));
                    self.assign_convert(arg, ty, Context::Passing)
                }
                None if pattern == TypePattern::Sampler => {
                    let ty = self.sampler_type();
                    self.assign_convert(arg, ty, Context::Passing)
                }
                None => arg,
            };
            converted.push(arg);
        }
        let ret = self.pattern_type(candidate.sig.ret, candidate.shape);
        value(ExprKind::Builtin { function: builtin, args: converted }, ret, span)
    }

    /// Warns of a scalar argument that is widened to a vector. OpenCL C does not widen arguments of built-in
    /// functions (6.15), but other compilers do if there is only one way, and programs rely on it.
    pub(super) fn warn_of_widening(&mut self, arg: &Expr, to: TypeId) {
        let lanes = |ty| self.module.types.numeric(ty).map(|(_, lanes)| lanes);
        if lanes(arg.ty) == Some(1) && lanes(to) != Some(1) {
            let (from, to) = (self.quoted(arg.ty), self.quoted(to));
            let message = format!(
                "argument of type {from} is widened to {to}, which OpenCL C does not do here"
            );
            self.diags.warning(arg.span, message);
        }
    }

    /// Returns the type of a result pattern.
    fn pattern_type(&mut self, pattern: TypePattern, shape: Shape) -> TypeId {
        match (pattern.number(shape), pattern) {
            (Some((scalar, lanes)), _) => self.module.types.vector(scalar, lanes),
            (None, TypePattern::Event) => self.module.types.intern(TypeKind::Opaque(EVENT)),
            (None, _) => self.basic.void,
        }
    }

    /// Returns all instances with the lowest cost, in order of the table.
    fn best_candidates(&self, builtin: Builtin, args: &[Arg]) -> Vec<Candidate> {
        let mut best: Vec<Candidate> = Vec::new();
        let vectors = args.iter().any(|arg| !matches!(arg, Arg::Number((_, 1))));
        let mut consider = |sig: &'static Sig, shape: Shape| {
            let mut total = 0;
            for (&pattern, &arg) in sig.params.iter().zip(args) {
                match cost(pattern, shape, arg) {
                    Some(cost) => total += cost,
                    None => return,
                }
            }
            // If all arguments are scalars, the number of components to widen them to is unknown.
            if total >= WIDEN_COST && !vectors {
                return;
            }
            let lowest = best.first().map_or(u32::MAX, |best| best.cost);
            if total < lowest {
                best.clear();
            }
            if total <= lowest {
                best.push(Candidate { sig, shape, cost: total });
            }
        };
        for sig in builtin.sigs().iter().filter(|sig| sig.params.len() == args.len()) {
            for shape in sig.shapes().filter(|&(element, _)| self.offered(element)) {
                consider(sig, shape);
            }
        }
        best
    }

    /// Returns true if the device computes with a type.
    fn offered(&self, scalar: Scalar) -> bool {
        match scalar {
            Scalar::Double => self.target.float64,
            Scalar::Half => self.target.half_arithmetic(),
            _ => true,
        }
    }

    /// Returns true if the last argument of a call is a size of clusters (OpenCL C 6.15.19): an integer constant
    /// expression, and a power of two.
    fn is_cluster(&mut self, builtin: Builtin, args: &[Expr]) -> bool {
        let Some(size) = args.last() else { return false };
        let is_power = |size: i128| u32::try_from(size).is_ok_and(u32::is_power_of_two);
        let ok = self.eval_int(size).is_some_and(is_power);
        if !ok {
            let message = format!(
                "the size of clusters of '{}' must be a constant power of two",
                builtin.name()
            );
            self.error(size.span, message);
        }
        ok
    }

    /// Returns true unless a call needs 64-bit atomics that the device lacks, which is reported.
    fn atomic_offered(
        &mut self,
        builtin: Builtin,
        candidate: Candidate,
        args: &[Arg],
        at: Span,
    ) -> bool {
        if candidate.shape.0.size() != 8 {
            return true;
        }
        let local = matches!(args.first(), Some(Arg::Pointer { space: AddressSpace::Local, .. }));
        let offered = match local {
            true => self.target.atomic_int64_shared,
            false => self.target.atomic_int64_buffer,
        };
        if !offered {
            let message = format!(
                "use of '{}' on 64-bit integers requires cl_khr_int64_base_atomics which this \
                 device does not offer",
                builtin.name()
            );
            self.error(at, message);
        }
        offered
    }

    fn no_match(&mut self, builtin: Builtin, args: &[Expr], at: Span) {
        self.error(at, format!("no matching function for call to '{}'", builtin.name()));
        let right_count = builtin.sigs().iter().any(|sig| sig.params.len() == args.len());
        let note = match builtin.sigs().first() {
            Some(sig) if !right_count => {
                let n = sig.params.len();
                let plural = if n == 1 { "argument" } else { "arguments" };
                let (have, was) = (args.len(), if args.len() == 1 { "was" } else { "were" });
                format!("candidate function not viable: requires {n} {plural}, but {have} {was} provided")
            }
            _ => {
                let types: Vec<String> = args.iter().map(|arg| self.quoted(arg.ty)).collect();
                format!(
                    "candidate function not viable: no overload takes arguments of type {}",
                    types.join(", ")
                )
            }
        };
        self.diags.note(None, note);
    }

    /// Returns an instance as text: `float max(float, float)`.
    fn describe(&self, name: &str, sig: &Sig, shape: Shape) -> String {
        let spell = |pattern: TypePattern| match pattern.number(shape) {
            Some((scalar, 1)) => scalar.spelling().to_string(),
            Some((scalar, lanes)) => format!("{}{lanes}", scalar.spelling()),
            None => match pattern {
                TypePattern::Void => "void".to_string(),
                TypePattern::Event => EVENT.to_string(),
                TypePattern::Sampler => SAMPLER.to_string(),
                TypePattern::Image(dim, _) => format!("image{}_t", dim.name()),
                TypePattern::DepthImage(dim, _) => format!("image{}_depth_t", dim.name()),
                _ => "pointer".to_string(),
            },
        };
        let params: Vec<String> = sig.params.iter().map(|&pattern| spell(pattern)).collect();
        format!("{} {name}({})", spell(sig.ret), params.join(", "))
    }
}

/// Chooses among equally cheap candidates, which are ambiguous by the rules of C++, as other compilers of OpenCL C do: the
/// common type of the arguments, else float, else int or uint. Returns `None` for `long long`, which no candidate takes.
fn pick(best: &[Candidate], args: &[Arg]) -> Option<Candidate> {
    let (&first, rest) = best.split_first()?;
    if rest.is_empty() || rest.iter().all(|candidate| candidate.shape == first.shape) {
        return Some(first);
    }
    let generic = |pattern: &TypePattern| {
        matches!(
            pattern,
            TypePattern::G | TypePattern::E | TypePattern::UnsignedOf | TypePattern::SignedOf
        )
    };
    let scalars = first.sig.params.iter().zip(args).filter(|(pattern, _)| generic(pattern));
    let common = scalars
        .filter_map(|(_, arg)| match arg {
            Arg::Number((scalar, _)) => Some(*scalar),
            _ => None,
        })
        .reduce(common_scalar)
        .map_or(Scalar::Int, |scalar| if best.len() > 1 { promoted(scalar) } else { scalar });
    if matches!(common, Scalar::LongLong | Scalar::ULongLong) {
        return None;
    }
    let of = |element: Scalar| best.iter().copied().find(|candidate| candidate.shape.0 == element);
    if let Some(candidate) = of(common).or_else(|| of(Scalar::Float)) {
        return Some(candidate);
    }
    if common.is_float() {
        return None;
    }
    of(if common.is_signed() { Scalar::Int } else { Scalar::UInt }).or(Some(first))
}
