//! Marks loads of memory that nothing writes while the kernel runs, so that drivers may load what all work-items ask for once,
//! and cache it ([`Quirks::READ_ONLY_LOADS`](hekla_device::Quirks::READ_ONLY_LOADS)).
//!
//! Memory of the constant space is so (OpenCL API, glossary: it "remains constant during the execution of a kernel"), and
//! variables that the program declares `const` (C99 6.7.3 p5). Other memory of devices is where the kernel stores nothing that
//! may alias it, in the sense of [`AliasClasses`]: one buffer may be passed as two arguments, unless what is written is so
//! through one that is `restrict` (C99 6.7.3.1 p4). Other kernels, and the host, may write at the same time. Without
//! synchronization that is a data race (OpenCL API, Memory Ordering Rules), so a kernel that synchronizes with others has only loads of what
//! is constant marked. Volatile loads and atomic ones never are.

use crate::analysis::alias::{AliasClasses, ClassSet};
use crate::analysis::call_graph::{bottom_up, CallGraph};
use crate::analysis::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::ir::cfg::Cfg;
use crate::ir::*;

/// Marks the loads of a module's functions. Returns true if any was marked.
///
/// # Errors
/// Recursion.
pub fn run(module: &mut Module) -> Result<bool, String> {
    let graph = CallGraph::compute(module)?;
    let mut marked = Vec::new();
    for &id in &graph.order {
        let kernel = module.kernel_of(id).filter(|_| graph.call_sites[id] == 0);
        let func = &module.functions[id];
        let cfg = Cfg::compute(func);
        let classes = AliasClasses::compute(func, kernel, &cfg);
        let written = match kernel {
            Some(_) => written_by_kernel(module, id, &classes)?,
            // What its callers write is not known here.
            None => ClassSet::MAX,
        };
        let objects = UnderlyingObjects::compute(func, &cfg);
        let is_const = |ptr| match objects.of(func, ptr).object {
            UnderlyingObject::Variable(global) => module.globals[global].is_const,
            _ => false,
        };
        for inst in func.layout_insts() {
            let InstData::Load { ptr, flags, .. } = func.insts[inst] else { continue };
            let is_invariant = match func.ty(ptr).space() {
                _ if flags.intersects(MemFlags::VOLATILE | MemFlags::INVARIANT) => false,
                Some(AddressSpace::Constant) => true,
                Some(AddressSpace::Global | AddressSpace::Generic) => {
                    is_const(ptr) || written >> classes.read(func, ptr) & 1 == 0
                }
                _ => false,
            };
            if is_invariant {
                marked.push((id, inst));
            }
        }
    }
    for &(func, inst) in &marked {
        if let InstData::Load { flags, .. } = &mut module.functions[func].insts[inst] {
            *flags |= MemFlags::INVARIANT;
        }
    }
    Ok(!marked.is_empty())
}

/// Returns the classes of a kernel's entry that may be written while the kernel runs, as far as the kernel may see it.
fn written_by_kernel(
    module: &Module,
    entry: Func,
    classes: &AliasClasses,
) -> Result<ClassSet, String> {
    let mut synchronization = Synchronization::default();
    let mut written = 0;
    for id in bottom_up(module, [entry])? {
        let func = &module.functions[id];
        for inst in func.layout_insts() {
            synchronization.add(func, &func.insts[inst]);
            written |= match id == entry {
                true => classes.stored(func, inst),
                false if stores_to_device(func, &func.insts[inst]) => classes.reachable(),
                false => 0,
            };
        }
    }
    Ok(if synchronization.is_there() { ClassSet::MAX } else { written })
}

/// Returns true if an instruction may write memory of the device.
fn stores_to_device(func: &Function, data: &InstData) -> bool {
    match *data {
        InstData::Store { ptr, .. }
        | InstData::AtomicRmw { ptr, .. }
        | InstData::AtomicCmpXchg { ptr, .. }
        | InstData::AtomicStore { ptr, .. }
        | InstData::MatrixStore { ptr, .. } => is_of_device(func, ptr),
        InstData::ImageWrite { view, .. } => view.is_buffer(),
        _ => false,
    }
}

/// Returns true if a pointer may point to memory of the device.
fn is_of_device(func: &Function, ptr: Value) -> bool {
    !matches!(func.ty(ptr).space(), Some(AddressSpace::Private | AddressSpace::Local))
}

/// How a kernel may learn that other work-groups, kernels or the host have written something.
#[derive(Default)]
struct Synchronization {
    /// Fences, atomic operations with an order, atomic and volatile loads.
    orders: bool,
    /// Barriers of global memory, and atomic operations on it, which programs of OpenCL C 1.x order by those.
    has_barrier: bool,
    has_atomic_update: bool,
}

impl Synchronization {
    fn add(&mut self, func: &Function, data: &InstData) {
        match *data {
            InstData::Fence { flags, .. } => self.orders |= flags.contains(BarrierFlags::GLOBAL),
            InstData::Barrier { flags } | InstData::SubgroupBarrier { flags } => {
                self.has_barrier |= flags.contains(BarrierFlags::GLOBAL);
            }
            InstData::Load { ptr, flags, .. } => {
                self.orders |= flags.contains(MemFlags::VOLATILE) && is_of_device(func, ptr);
            }
            InstData::AtomicLoad { ptr, sync } => {
                self.orders |= sync.orders() || is_of_device(func, ptr);
            }
            InstData::AtomicRmw { ptr, sync, .. }
            | InstData::AtomicCmpXchg { ptr, sync, .. }
            | InstData::AtomicStore { ptr, sync, .. } => {
                self.orders |= sync.orders();
                self.has_atomic_update |=
                    sync != SyncSemantics::PART_OF_STORE && is_of_device(func, ptr);
            }
            _ => {}
        }
    }

    fn is_there(&self) -> bool {
        self.orders || self.has_barrier && self.has_atomic_update
    }
}
