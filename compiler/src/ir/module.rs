//! A module: functions and global variables.

use super::entities::{Func, Global};
use super::function::Function;
use super::location::Locations;
use super::types::AddressSpace;
use crate::kernel::{Arg, ArgAccess};
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;
use std::ops::Deref;

#[derive(Debug, Clone, Default)]
pub struct Module {
    pub functions: PrimaryMap<Func, Function>,
    pub globals: PrimaryMap<Global, GlobalData>,
    pub kernels: Kernels,
    /// Source locations of the functions' instructions, where the program asks for them.
    pub locations: Locations,
}

impl Module {
    /// Returns the kernel that has the function as its entry.
    pub fn kernel_of(&self, func: Func) -> Option<&KernelEntry> {
        self.kernels.of(func)
    }
}

/// The kernels in the order of the program. Kernels can also be looked up by their entries.
#[derive(Debug, Clone, Default)]
pub struct Kernels {
    entries: Vec<KernelEntry>,
    /// By entry function, the index of the kernel in `entries`. (A map indexed by function number would be as large as
    /// the greatest number, which a forged binary chooses.)
    places: FxHashMap<Func, usize>,
}

impl Kernels {
    pub fn push(&mut self, kernel: KernelEntry) {
        self.places.insert(kernel.func, self.entries.len());
        self.entries.push(kernel);
    }

    /// Returns the kernel that has the function as its entry.
    pub fn of(&self, func: Func) -> Option<&KernelEntry> {
        self.entries.get(*self.places.get(&func)?)
    }

    /// Returns a kernel by its index. Callers may change all but its entry.
    pub fn at_mut(&mut self, place: usize) -> Option<&mut KernelEntry> {
        self.entries.get_mut(place)
    }

    /// Renumbers the entries.
    pub fn renumber(&mut self, new: impl Fn(Func) -> Func) {
        for mut kernel in std::mem::take(self).entries {
            kernel.func = new(kernel.func);
            self.push(kernel);
        }
    }
}

impl Deref for Kernels {
    type Target = [KernelEntry];

    fn deref(&self) -> &[KernelEntry] {
        &self.entries
    }
}

impl FromIterator<KernelEntry> for Kernels {
    fn from_iter<I: IntoIterator<Item = KernelEntry>>(entries: I) -> Kernels {
        let mut kernels = Kernels::default();
        entries.into_iter().for_each(|kernel| kernels.push(kernel));
        kernels
    }
}

/// The linkage of a function or variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Linkage {
    /// Only the own module can use the name.
    #[default]
    Internal,
    /// Other modules can use the name.
    External,
    /// Other modules can use the name, and may define it too: one of the definitions is taken (SPV_KHR_linkonce_odr).
    LinkOnce,
    /// The name is declared here and defined in another module. An imported function has a block that is never
    /// executed; an imported variable has no initializer.
    Import,
}

/// A variable of program or work-group scope.
#[derive(Debug, Clone)]
pub struct GlobalData {
    pub name: String,
    /// The size in bytes.
    pub size: u64,
    /// The alignment in bytes, a power of two.
    pub align: u32,
    /// `Constant`, `Global` or `Local`.
    pub space: AddressSpace,
    /// True if the variable is never written while a kernel runs.
    pub is_const: bool,
    /// Exactly `size` bytes, or `None` if all are zero. Local: all are zero when a kernel begins, or `None` if they are
    /// undefined.
    pub init: Option<Vec<u8>>,
    /// (byte offset, target, addend): 8 bytes that hold an address, target plus addend.
    pub relocations: Vec<(u32, Global, i64)>,
    pub linkage: Linkage,
}

/// Which work-items of a sub-group may call a kernel's sub-group functions together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Gathering {
    /// Possibly only some of a sub-group.
    #[default]
    Some,
    /// Always all of a sub-group: the program calls only functions for which the language demands it.
    Whole,
    /// All of a work-group. The work-group has no more than one sub-group of the required size.
    Alone,
}

/// A kernel's entry: a function without parameters or result that reads its arguments with
/// `LoadArg` and (usually) calls the function that holds the kernel's body.
#[derive(Debug, Clone)]
pub struct KernelEntry {
    pub func: Func,
    pub name: String,
    pub args: Vec<Arg>,
    pub required_local_size: Option<[u32; 3]>,
    pub local_size_hint: Option<[u32; 3]>,
    pub required_subgroup_size: Option<u32>,
    /// Sub-groups that every work-group must have (SubgroupsPerWorkgroup of SPIR-V).
    pub required_subgroups: Option<u32>,
    pub gathering: Gathering,
    /// The attributes as CL_KERNEL_ATTRIBUTES reports them.
    pub attributes: String,
    /// True if the program was built with `-cl-kernel-arg-info`.
    pub arg_info: bool,
    /// Like [`crate::kernel::Kernel::is_block`].
    pub is_block: bool,
    /// By argument, the alignment in bytes that the type of a buffer's pointer demands; 0 for other arguments. The list
    /// may be shorter than that of the arguments.
    pub pointee_alignments: Vec<u32>,
    /// By argument, how the kernel accesses its memory; empty until the passes have found it out
    /// ([`crate::analysis::argument_access`]).
    pub access: Vec<ArgAccess>,
}
