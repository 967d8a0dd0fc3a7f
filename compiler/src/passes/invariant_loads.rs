//! Marks loads of memory that nothing writes while the kernel runs. Drivers can load a value once if all work-items ask for
//! it, and cache it ([`Quirks::READ_ONLY_LOADS`](hekla_device::Quirks::READ_ONLY_LOADS)).
//!
//! Nothing writes memory of the constant space (OpenCL API, glossary: it "remains constant during the execution of a
//! kernel"), and variables that the program declares `const` (C99 6.7.3 p5). Other memory of devices is not written if the
//! kernel contains no store that may alias it, in the sense of [`AliasClasses`]: one buffer may be passed as two arguments,
//! unless the written one is `restrict` (C99 6.7.3.1 p4). Other kernels, and the host, may write at the same time. Without
//! synchronization this is a data race (OpenCL API, Memory Ordering Rules), so in a kernel that synchronizes with others
//! only loads of constant memory are marked. Volatile and atomic loads are never marked.

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
            // For other functions it is not known what their callers write.
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

/// Returns the classes of a kernel's entry function that may be written while the kernel runs, as far as the kernel may
/// observe it.
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

/// How a kernel may observe writes by other work-groups, other kernels or the host.
#[derive(Default)]
struct Synchronization {
    /// The kernel has fences, atomic operations with an order, or atomic or volatile loads.
    orders: bool,
    /// The kernel has barriers of global memory, and atomic operations on it. Programs of OpenCL C 1.x order such
    /// operations by the barriers.
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
