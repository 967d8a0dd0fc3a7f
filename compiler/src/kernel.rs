//! Kernel metadata: plain data that the runtime needs to launch a compiled kernel.
//!
//! A launch gives the device one *kernel-argument buffer*: the kernel's arguments and the implicit values
//! (offsets, sizes, addresses of program data) that this kernel reads, at the offsets that
//! [`Kernel::argument_fields`] lists. It is in push constants if it fits
//! ([`Kernel::arguments_in_push_constants`]), else in device memory with its 64-bit device address as
//! the only push constant, at offset 0.
//!
//! # Images and samplers
//!
//! A module that uses images ([`Kernel::uses_images`]) declares descriptor set 0, the same for all kernels: arrays of
//! descriptors at the bindings that [`binding`] names, in which each image argument has a slot. The value of an image
//! argument is one u32, the [`image_word`]; that of a sampler argument is another u32, the [`sampler_word`].

/// Specialization constant ids of every emitted module. All are 32-bit.
pub mod spec_id {
    /// Work-group size in x, y, z: ids 0, 1, 2.
    pub const LOCAL_SIZE: [u32; 3] = [0, 1, 2];
    /// Bool: 1 if any of [`super::Field::GlobalBase`], [`super::Field::GroupBase`] or
    /// [`super::Field::GlobalOffset`] is non-zero in this dispatch, the launch has more than 2^31 work-items in a dimension,
    /// or a pointer argument is not the address at which its memory begins. With 0 the driver can remove these fields'
    /// values, and treat ids, and offsets from pointer arguments, as positive numbers of 32 bits.
    pub const HAS_GLOBAL_OFFSET: u32 = 3;
    /// Length of the work-group (local) memory block in elements of
    /// [`super::LocalBlock::element_size`] bytes, times [`PACKED_GROUPS`]: each work-group has its own memory. At least 1.
    pub const LOCAL_BLOCK_LEN: u32 = 4;
    /// The number of work-groups that run as one, side by side in x, if [`super::Kernel::packs_groups`]: id 0 is then the
    /// work-group size times this number. 1 by default.
    pub const PACKED_GROUPS: u32 = 5;
    /// Bool: 1 if work-groups reach beyond [`super::Field::Bounds`]; work-items there return at once. 0 by default.
    pub const BOUNDED: u32 = 6;
    /// Bool: 1 if the components of an image that the kernel writes have another order than [`super::image_word::STORE_RGBA`],
    /// or its one channel is CL_LUMINANCE or CL_INTENSITY. With 0 the driver can remove what puts components in order. 1 by
    /// default.
    pub const REORDERS_IMAGES: u32 = 7;
    /// Byte offset in the local block of local-pointer argument number `ordinal`: id 8 + ordinal.
    pub const LOCAL_ARG_BASE: u32 = 8;
}

/// The bindings of descriptor set 0. Each is an array; images of several types share one.
pub mod binding {
    /// Images that are only read.
    pub const SAMPLED_IMAGE: u32 = 0;
    /// Images that are written.
    pub const STORAGE_IMAGE: u32 = 1;
    /// `image1d_buffer_t`, only read.
    pub const UNIFORM_TEXEL_BUFFER: u32 = 2;
    /// `image1d_buffer_t`, written.
    pub const STORAGE_TEXEL_BUFFER: u32 = 3;
    /// Samplers with linear filters, which reads of floats use: one for each sampler word, in slot `word & 15`.
    pub const SAMPLER: u32 = 4;
}

/// The fields of an image word: the value of an image argument.
pub mod image_word {
    /// Bits 0 to 15: the slot in an array of [`super::binding`]; the argument's access and dimensions decide in which array.
    pub const SLOT_BITS: u32 = 16;
    /// Bits 16 to 20: the channel order, counted from CL_R (0x10B0).
    pub const ORDER_SHIFT: u32 = 16;
    /// Bits 21 to 25: the channel data type, counted from CL_SNORM_INT8 (0x10D0).
    pub const TYPE_SHIFT: u32 = 21;
    /// Bits 26 to 28: the order of a color's components in a texel of a storage image, one of `STORE_`. Sampled images
    /// do not need it: their views swizzle.
    pub const STORE_SHIFT: u32 = 26;
    /// The components in their order.
    pub const STORE_RGBA: u32 = 0;
    /// Red and blue exchanged.
    pub const STORE_BGRA: u32 = 1;
    /// Alpha first.
    pub const STORE_ARGB: u32 = 2;
    /// RGBA in the opposite order.
    pub const STORE_ABGR: u32 = 3;
    /// Alpha in the place of red, and nothing else.
    pub const STORE_A: u32 = 4;
    /// Red, green and blue in sRGB's encoding.
    pub const STORE_SRGB: u32 = 5;
    /// Like [`STORE_SRGB`], with red and blue exchanged.
    pub const STORE_SRGB_BGRA: u32 = 6;
    /// Alpha in the place of green, and red.
    pub const STORE_RA: u32 = 7;
    /// Bit 29: the samplers of [`super::binding::SAMPLER`] filter the image as exactly as OpenCL requires.
    pub const FILTERED_SHIFT: u32 = 29;
    /// Bit 30: the image has several levels. A storage image then has [`LEVELS`] slots, from its own slot on: one for each
    /// level, and the last level again in the rest. The slot behind a sampled image's slot holds the first level alone.
    pub const MIPMAP_SHIFT: u32 = 30;
    pub const LEVELS: u32 = 16;
    pub const CL_R: u32 = 0x10B0;
    pub const CL_SNORM_INT8: u32 = 0x10D0;
    pub const CL_UNORM_INT8: u32 = 0x10D2;
}

/// The fields of a sampler word: the value of a sampler argument, and of the CLK_ constants of OpenCL C.
pub mod sampler_word {
    /// Bit 0: coordinates are normalized.
    pub const NORMALIZED: u32 = 1;
    /// Bits 1 to 3: the addressing mode.
    pub const ADDRESS_SHIFT: u32 = 1;
    pub const ADDRESS_MASK: u32 = 7;
    pub const NONE: u32 = 0;
    pub const CLAMP_TO_EDGE: u32 = 1;
    pub const CLAMP: u32 = 2;
    pub const REPEAT: u32 = 3;
    pub const MIRRORED_REPEAT: u32 = 4;
    /// The number of words that differ in bits 0 to 3.
    pub const SLOTS: u32 = 16;
    /// The slot of the sampler that finds the nearest texel, clamped to the edge, for coordinates that count texels; with
    /// [`NORMALIZED`] the slot of the like sampler for normalized coordinates.
    pub const NEAREST: u32 = SLOTS;
    /// The number of all slots.
    pub const ALL_SLOTS: u32 = SLOTS + 2;
    /// The farthest place, in texels, to give samplers that lose places far away. It is beyond every image. (Samplers that
    /// find the nearest texel lose only places to the right.)
    pub const FARTHEST_TEXEL: f32 = 1048576.0;
    /// The farthest place in normalized coordinates.
    pub const FARTHEST: f32 = 8.0;
    /// Bit 4: the filter is linear.
    pub const LINEAR: u32 = 16;
    /// Bit 5: the filter between the levels of a mipmap is linear.
    pub const MIP_LINEAR: u32 = 32;
    /// Bits 6 to 17: the least level of detail in 256ths.
    pub const LEAST_LOD_SHIFT: u32 = 6;
    /// Bits 18 to 29: the greatest level of detail in 256ths, subtracted from [`LOD_MASK`], so that 0 sets no limit.
    pub const GREATEST_LOD_SHIFT: u32 = 18;
    pub const LOD_MASK: u32 = 0xFFF;
}

/// The beginning of a pipe's buffer, in 32-bit words. Words without a name are 0 at first; packets follow.
pub mod pipe_header {
    /// Number of words.
    pub const WORDS: usize = 16;
    /// The most packets that the pipe holds.
    pub const CAPACITY: usize = 0;
    /// Bytes of a packet.
    pub const PACKET: usize = 1;
    /// A multiple of the capacity: positions in the pipe count packets modulo this number.
    pub const MODULUS: usize = 2;
    /// The most packets of a pipe, so that positions are far from wrapping around.
    pub const MOST_PACKETS: u32 = 1 << 28;

    /// Returns the header of an empty pipe of 1 to [`MOST_PACKETS`] packets.
    pub fn new(packet: u32, capacity: u32) -> [u32; WORDS] {
        let mut words = [0; WORDS];
        words[CAPACITY] = capacity;
        words[PACKET] = packet;
        words[MODULUS] = (1 << 31) / capacity.max(1) * capacity;
        words
    }
}

/// A compiled program: one SPIR-V module per kernel, and the program-scope data they share.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Kernels in source order.
    pub kernels: Vec<Kernel>,
    /// Program-scope constant and global variables, one image for the whole program.
    pub data: DataImage,
    /// True if all work-groups of a launch must have the same size: the program is older than OpenCL C 2.0
    /// or was built with `-cl-uniform-work-group-size`.
    pub uniform_groups: bool,
}

/// All program-scope `constant` and `global` variables, with their initial contents.
#[derive(Debug, Clone, Default)]
pub struct DataImage {
    /// Bytes in all; 0 when the program has none.
    pub size: u64,
    /// Alignment of the device copy in bytes, a power of two.
    pub align: u32,
    /// Bytes of the variables in global memory alone (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE).
    pub global_size: u64,
    /// Initial contents; all bytes behind them, up to `size`, are zero.
    pub bytes: Vec<u8>,
    /// Byte offsets of 64-bit device addresses: the runtime adds the device address of the image's
    /// first byte to the little-endian u64 at each offset.
    pub relocations: Vec<u32>,
}

impl DataImage {
    /// The most bytes of all variables together.
    pub const MAX_SIZE: u64 = 1 << 30;

    /// Returns true if sizes, alignment and relocations are consistent, which they are if the compiler
    /// laid out the image.
    pub fn is_sound(&self) -> bool {
        let given = self.bytes.len() as u64;
        let inside = |&at: &u32| u64::from(at) + 8 <= given;
        let empty = self.size == 0;
        self.size <= Self::MAX_SIZE
            && given <= self.size
            && self.global_size <= self.size
            && (self.align.is_power_of_two() || empty)
            && self.relocations.iter().all(inside)
    }
}

/// One kernel: SPIR-V and everything needed to launch it.
#[derive(Debug, Clone, Default)]
pub struct Kernel {
    /// Name of the kernel; the SPIR-V entry point is always called `main`.
    pub name: String,
    /// Vulkan SPIR-V words of a module with this single entry point.
    pub spirv: Vec<u32>,
    /// Arguments in order.
    pub args: Vec<Arg>,
    /// How the kernel accesses the memory of each argument through that argument.
    pub access: Vec<ArgAccess>,
    /// Fields of the kernel-argument buffer with their byte offsets, ascending.
    pub argument_fields: Vec<ArgumentField>,
    /// Size of the kernel-argument buffer in bytes, a multiple of 4; 0 if the kernel reads nothing.
    pub argument_buffer_size: u32,
    /// True if the push-constant range is the kernel-argument buffer itself; else it is the buffer's u64 address
    /// (8 bytes).
    pub arguments_in_push_constants: bool,
    /// Work-group memory needs.
    pub local: LocalBlock,
    /// Bytes of private memory per work-item that were not turned into registers.
    pub private_size: u64,
    /// An estimate of the 32-bit registers for the values that are alive at once in a work-item
    /// ([`crate::analysis::register_pressure`]).
    pub registers: u32,
    /// `reqd_work_group_size(x, y, z)`.
    pub required_local_size: Option<[u32; 3]>,
    /// `work_group_size_hint(x, y, z)`.
    pub local_size_hint: Option<[u32; 3]>,
    /// `__attribute__` text as CL_KERNEL_ATTRIBUTES reports it, space separated.
    pub attributes: String,
    /// True if clGetKernelArgInfo may return names and types of arguments: `-cl-kernel-arg-info` was given.
    pub arg_info: bool,
    /// True if the kernel executes a work-group barrier. The runtime may use this to choose local sizes.
    pub uses_barrier: bool,
    /// True if the kernel reads the local size, local id or group id, uses local memory or executes a
    /// barrier: the choice of local size is visible to it.
    pub local_size_visible: bool,
    /// The highest dimension of a global, local or group id that the kernel reads, plus one; 0 if it reads none.
    pub dimensions: u32,
    /// True if several work-groups may run as one ([`spec_id::PACKED_GROUPS`]): work-items never act together with other
    /// work-items of their work-group, and never wait for another work-item.
    pub packs_groups: bool,
    /// True if the kernel can be specialized for work-groups that reach beyond the global size ([`spec_id::BOUNDED`]).
    pub bounded: bool,
    /// True if the module declares descriptor set 0.
    pub uses_images: bool,
    /// True if the module depends on the size of sub-groups, which is the required size, else the device's own.
    pub uses_subgroups: bool,
    /// True if the kernel uses cooperative matrices: the size of work-groups in x must be a multiple of the size of sub-groups.
    pub uses_matrices: bool,
    /// `intel_reqd_sub_group_size(n)`.
    pub required_subgroup_size: Option<u32>,
    /// Sub-groups that every work-group must have (SubgroupsPerWorkgroup of SPIR-V).
    pub required_subgroups: Option<u32>,
    /// True if a work-group may have no more than one sub-group of the required size, which is larger than the hardware's.
    pub one_subgroup: bool,
    /// True if this is the kernel of a block ([`crate::device_queue`]), which programs do not see. Argument 0 is the address of
    /// the values that the block captured; its local pointers follow.
    pub is_block: bool,
}

impl Kernel {
    /// Returns true if work-items of the kernel use queues on the device: the launch then needs a context.
    pub fn uses_device_queues(&self) -> bool {
        self.argument_fields.iter().any(|entry| entry.field == Field::QueueContext)
    }

    /// The most bytes of a kernel-argument buffer: far more than the arguments that a device takes.
    const MAX_ARGUMENT_BUFFER: u32 = 1 << 20;
    /// Largest element of the local block in bytes.
    const MAX_ELEMENT: u32 = 16;

    /// Checks that the metadata is consistent, as it is from the compiler: arguments, offsets of fields, and sizes. The error
    /// says what is wrong.
    pub fn check(&self) -> Result<(), &'static str> {
        check_args(&self.args)?;
        check_sizes(&[self.required_local_size, self.local_size_hint])?;
        let size = self.argument_buffer_size;
        if !size.is_multiple_of(4) || size > Self::MAX_ARGUMENT_BUFFER {
            return Err("a kernel-argument buffer of an impossible size");
        }
        for ArgumentField { field, offset } in &self.argument_fields {
            let field_size = match (field.layout(), field) {
                (Some((size, _)), _) => Some(size),
                (None, Field::Arg(index)) => {
                    self.args.get(*index as usize).and_then(|arg| arg.kind.field_size())
                }
                (None, _) => None,
            };
            let end = field_size.and_then(|field_size| offset.checked_add(field_size));
            if end.is_none_or(|end| end > size) {
                return Err("a field beyond the kernel-argument buffer");
            }
        }
        let LocalBlock { static_size, element_size } = self.local;
        if !element_size.is_power_of_two() || element_size > Self::MAX_ELEMENT {
            return Err("a local block of impossible elements");
        }
        if static_size > DataImage::MAX_SIZE || self.private_size > DataImage::MAX_SIZE {
            return Err("variables that no device has room for");
        }
        match self.dimensions {
            0..=3 => Ok(()),
            _ => Err("more than three dimensions"),
        }
    }
}

/// The largest alignment in bytes that a program may give a type by `aligned`.
pub const MAX_ALIGN: u32 = 1 << 16;

/// Checks a kernel's arguments: local pointers must be numbered in order, and sizes and alignments must be possible. The
/// error says what is wrong.
pub fn check_args(args: &[Arg]) -> Result<(), &'static str> {
    let mut locals = 0;
    for arg in args {
        match arg.kind {
            ArgKind::Value { size } if size > Kernel::MAX_ARGUMENT_BUFFER => {
                return Err("an argument of an impossible size");
            }
            ArgKind::Local { ordinal, align } => {
                if ordinal != locals {
                    return Err("local arguments out of order");
                }
                if !align.is_power_of_two() || align > MAX_ALIGN {
                    return Err("a local argument of an impossible alignment");
                }
                locals += 1;
            }
            ArgKind::Image { dim, depth: true, .. }
                if !matches!(dim, ImageDim::D2 | ImageDim::D2Array) =>
            {
                return Err("a depth image of impossible dimensions");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks required and hinted sizes of work-groups, which must be at least 1. The error is a message.
pub fn check_sizes(sizes: &[Option<[u32; 3]>]) -> Result<(), &'static str> {
    let is_possible = |size: &[u32; 3]| {
        let items = size.iter().try_fold(1u32, |items, size| items.checked_mul(*size));
        items.is_some_and(|items| items > 0)
    };
    match sizes.iter().flatten().all(is_possible) {
        true => Ok(()),
        false => Err("work-groups of an impossible size"),
    }
}

/// Work-group memory of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalBlock {
    /// Bytes of the variables declared in the kernel; local arguments are placed after them, each
    /// at its [`ArgKind::Local`] alignment.
    pub static_size: u64,
    /// Bytes of one element of the block's array (see [`spec_id::LOCAL_BLOCK_LEN`]).
    pub element_size: u32,
}

impl Default for LocalBlock {
    fn default() -> Self {
        LocalBlock { static_size: 0, element_size: 4 }
    }
}

/// A kernel argument, as clSetKernelArg and clGetKernelArgInfo see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    pub name: String,
    /// Type name as CL_KERNEL_ARG_TYPE_NAME reports it: no qualifiers, no spaces (`uint*`).
    pub type_name: String,
    pub kind: ArgKind,
    /// Address qualifier as CL_KERNEL_ARG_ADDRESS_QUALIFIER reports it.
    pub address: ArgAddress,
    pub is_const: bool,
    pub is_restrict: bool,
    pub is_volatile: bool,
}

/// How a kernel accesses the memory that a pointer argument points to, through that argument.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ArgAccess {
    pub reads: bool,
    pub writes: bool,
    /// If not 0, nothing is read, and the work-item with global id `i` in x writes the bytes from `i * covers` to `(i + 1) *
    /// covers`, where the products fit in 31 bits.
    pub covers: u32,
}

impl ArgAccess {
    /// The access of an argument about which nothing is known: all kinds.
    pub const ALL: ArgAccess = ArgAccess { reads: true, writes: true, covers: 0 };
}

/// The address qualifier of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgAddress {
    Global,
    Local,
    Constant,
    Private,
}

/// The value that clSetKernelArg expects, and the place where the runtime stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgKind {
    /// A value of exactly `size` bytes, copied into the kernel-argument buffer.
    Value { size: u32 },
    /// A `global` or `constant` pointer: a cl_mem or NULL; its device address (u64) goes into the
    /// kernel-argument buffer.
    Buffer,
    /// A `local` pointer: only a size; its offset goes to specialization constant
    /// [`spec_id::LOCAL_ARG_BASE`] + `ordinal`. `align` is in bytes.
    Local { ordinal: u32, align: u32 },
    /// An image: its [`image_word`] goes into the kernel-argument buffer.
    Image { dim: ImageDim, depth: bool, access: ImageAccess },
    /// A sampler: its [`sampler_word`] goes into the kernel-argument buffer.
    Sampler,
    /// A pipe with packets of `packet` bytes, or of any size for 0: the device address (u64) of its buffer, which begins with
    /// a [`pipe_header`], goes into the kernel-argument buffer.
    Pipe { access: ImageAccess, packet: u32 },
    /// `queue_t`: a queue on the device, whose handle ([`crate::device_queue`], u64) goes into the kernel-argument buffer.
    Queue,
}

impl ArgKind {
    /// Returns the bytes that the argument takes in the kernel-argument buffer; `None` for a local pointer, which takes
    /// none.
    pub fn field_size(self) -> Option<u32> {
        match self {
            ArgKind::Value { size } => Some(size),
            ArgKind::Buffer | ArgKind::Pipe { .. } | ArgKind::Queue => Some(8),
            ArgKind::Image { .. } | ArgKind::Sampler => Some(4),
            ArgKind::Local { .. } => None,
        }
    }
}

/// An image type of OpenCL C.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageType {
    pub dim: ImageDim,
    /// True for `image2d_depth_t` and `image2d_array_depth_t`, whose texels are one float.
    pub depth: bool,
    pub access: ImageAccess,
}

impl ImageType {
    /// Returns the type's name without its access: `image2d_array_depth_t`.
    pub fn name(self) -> String {
        format!("image{}{}_t", self.dim.name(), if self.depth { "_depth" } else { "" })
    }

    /// Returns the read-only type of a name, if there is one.
    pub fn from_name(name: &str) -> Option<ImageType> {
        let name = name.strip_prefix("image")?.strip_suffix("_t")?;
        let (name, depth) = match name.strip_suffix("_depth") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let dim = ImageDim::from_name(name)?;
        let exists = !depth || matches!(dim, ImageDim::D2 | ImageDim::D2Array);
        exists.then_some(ImageType { dim, depth, access: ImageAccess::ReadOnly })
    }
}

/// The dimensions of an image type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImageDim {
    D1,
    /// `image1d_buffer_t`: a texel buffer.
    D1Buffer,
    D1Array,
    D2,
    D2Array,
    D3,
}

impl ImageDim {
    pub const ALL: [ImageDim; 6] = [
        ImageDim::D1,
        ImageDim::D1Buffer,
        ImageDim::D1Array,
        ImageDim::D2,
        ImageDim::D2Array,
        ImageDim::D3,
    ];

    /// Returns the name in texts of the IR: the name of the type without `image` and `_t`.
    pub fn name(self) -> &'static str {
        match self {
            ImageDim::D1 => "1d",
            ImageDim::D1Buffer => "1d_buffer",
            ImageDim::D1Array => "1d_array",
            ImageDim::D2 => "2d",
            ImageDim::D2Array => "2d_array",
            ImageDim::D3 => "3d",
        }
    }

    /// Inverts [`ImageDim::name`].
    pub fn from_name(name: &str) -> Option<ImageDim> {
        ImageDim::ALL.into_iter().find(|dim| dim.name() == name)
    }

    pub fn is_array(self) -> bool {
        matches!(self, ImageDim::D1Array | ImageDim::D2Array)
    }

    /// Returns the number of coordinates of a texel, the layer among them.
    pub fn coordinates(self) -> u8 {
        match self {
            ImageDim::D1 | ImageDim::D1Buffer => 1,
            ImageDim::D1Array | ImageDim::D2 => 2,
            ImageDim::D2Array | ImageDim::D3 => 3,
        }
    }
}

/// The access qualifier of an image argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImageAccess {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

impl ImageAccess {
    pub const ALL: [ImageAccess; 3] =
        [ImageAccess::ReadOnly, ImageAccess::WriteOnly, ImageAccess::ReadWrite];

    /// Returns the qualifier without underscores.
    pub fn name(self) -> &'static str {
        match self {
            ImageAccess::ReadOnly => "read_only",
            ImageAccess::WriteOnly => "write_only",
            ImageAccess::ReadWrite => "read_write",
        }
    }

    /// Inverts [`ImageAccess::name`].
    pub fn from_name(name: &str) -> Option<ImageAccess> {
        ImageAccess::ALL.into_iter().find(|access| access.name() == name)
    }
}

/// One field of the kernel-argument buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArgumentField {
    pub field: Field,
    /// Byte offset in the kernel-argument buffer.
    pub offset: u32,
}

/// The content of a field of the kernel-argument buffer. Three-dimensional values are three consecutive
/// little-endian elements in the order x, y, z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Argument number `.0`: its bytes ([`ArgKind::Value`]), device address ([`ArgKind::Buffer`]) or word
    /// ([`ArgKind::Image`], [`ArgKind::Sampler`]).
    Arg(u32),
    /// u64 x 3: global id of the first work-item of this dispatch (the enqueued global offset plus
    /// where a split launch's region begins).
    GlobalBase,
    /// u64 x 3: group id of the first work-group of this dispatch (zero unless the launch is split).
    GroupBase,
    /// u64 x 3: the enqueued global offset (get_global_offset).
    GlobalOffset,
    /// u64 x 3: the enqueued global size (get_global_size).
    GlobalSize,
    /// u64 x 3: number of work-groups of the whole launch (get_num_groups).
    NumGroups,
    /// u32 x 3: the enqueued local size (get_enqueued_local_size).
    EnqueuedLocalSize,
    /// u32: number of dimensions (get_work_dim).
    WorkDim,
    /// u32 x 3: the work-items of this dispatch, where [`spec_id::BOUNDED`] is 1.
    Bounds,
    /// u64: device address of the program's [`DataImage`].
    DataAddress,
    /// u64: device address of the launch's buffer for [`crate::printf`].
    PrintfBuffer,
    /// u64: device address of the launch's [`crate::device_queue::context`].
    QueueContext,
    /// u64: device address of a word that fences access to order operations, the same one in all
    /// launches on a device. Its value does not matter.
    OrderWord,
}

impl Field {
    /// Returns size and alignment in bytes; `None` for [`Field::Arg`], whose argument has the size.
    pub fn layout(self) -> Option<(u32, u32)> {
        match self {
            Field::Arg(_) => None,
            Field::GlobalBase
            | Field::GroupBase
            | Field::GlobalOffset
            | Field::GlobalSize
            | Field::NumGroups => Some((24, 8)),
            Field::EnqueuedLocalSize | Field::Bounds => Some((12, 4)),
            Field::WorkDim => Some((4, 4)),
            Field::DataAddress | Field::PrintfBuffer | Field::QueueContext | Field::OrderWord => {
                Some((8, 8))
            }
        }
    }
}
