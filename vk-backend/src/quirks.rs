//! Quirks of drivers: one table of them, each with the drivers that have it and the reason.
//!
//! Behaviour that rests on more than Vulkan guarantees, or that works around a defect, is chosen here and
//! nowhere else. A driver that is not in the table gets what the specification promises.

use ash::vk;

bitflags::bitflags! {
    /// The quirks of one device.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub struct Quirks: u64 {
        /// Pipelines must be created, destroyed and submitted by one thread at a time, and are compiled on a second
        /// Vulkan device, so that this takes a short time.
        const SERIALIZED_PIPELINES = 1;
        /// A word that VK_AMD_buffer_marker writes at the end of a command buffer may be taken as the sign
        /// that it is complete.
        const COMPLETION_MARKERS = 1 << 1;
        /// vkCmdCopyBuffer is much slower within the device's memory than a kernel that copies.
        const SLOW_BUFFER_COPIES = 1 << 2;
        /// The driver's exit handlers, run in a forked child, break the devices of its parent.
        const EXIT_BREAKS_PARENT = 1 << 3;
        /// The driver is known for wrong results, or may be: it should be tested for them before it is offered
        /// ([`crate::Device::find_defect`]), at the price of opening the device.
        const TESTED_BEFORE_USE = 1 << 4;
        /// A load whose address all invocations agree on is executed even where no invocation is active.
        const UNMASKED_UNIFORM_LOADS = 1 << 5;
        /// Loops go on computing their values for invocations that have left, without loading for them.
        const UNMASKED_LOOP_VALUES = 1 << 6;
        /// A barrier of a sub-group waits for the work-group. Invocations of a sub-group run in step.
        const SUBGROUP_BARRIERS_WAIT = 1 << 7;
        /// Subgroups are known to be filled in the order of local indices, and what [`Quirks::SUBGROUPS_PROGRESS`] says is known
        /// too, so that nobody need ask.
        const SUBGROUPS_IN_ORDER = 1 << 8;
        /// The driver is not to be called any more once its exit handlers have run.
        const EXIT_ENDS_DRIVER = 1 << 9;
        /// The driver may miscompile, in kernels with barriers, loops that are unrolled with a remainder loop.
        const MISCOMPILED_REMAINDER_LOOPS = 1 << 10;
        /// Samplers find a texel faster than fetches do, at integer coordinates, with the arithmetic around them.
        const SLOW_TEXEL_FETCHES = 1 << 11;
        /// Samplers lose places far beyond an image.
        const LOST_FAR_PLACES = 1 << 12;
        /// The masks of invocations in loops are kept by software.
        const SOFTWARE_MASKS = 1 << 13;
        /// Shuffles make scans of subgroups faster than the driver's own instructions for them.
        const SLOW_SUBGROUP_SCANS = 1 << 14;
        /// RoundEven and Trunc of doubles are wrong beyond 2^24, and where a number is near a half.
        const INEXACT_DOUBLE_ROUNDING = 1 << 15;
        /// Linear filters of 8-bit normalized channels are computed in 8 bits where images repeat or have an edge.
        const COARSE_BYTE_FILTERS = 1 << 16;
        /// An iteration of a loop has an overhead of tens of operations, for the masks of invocations.
        const SLOW_LOOPS = 1 << 17;
        /// Rotations of 64-bit integers by constants are faster as funnel shifts.
        const SLOW_LONG_ROTATES = 1 << 18;
        /// Vectors of halves that are built of scalars are computed one half at a time, those from an integer's bits two at a
        /// time; loops that carry them are faster with their phis in reverse.
        const SLOW_BUILT_HALVES = 1 << 19;
        /// A pipeline's code is compiled in its first dispatch, also in one of no work-groups.
        const COMPILES_IN_DISPATCH = 1 << 20;
        /// Compiling a private array takes the square of its accesses, unless it is alive across a barrier.
        const QUADRATIC_PRIVATE_ARRAYS = 1 << 21;
        /// Loads whose address all invocations agree on are made once for all of them where the module says that nothing
        /// writes there.
        const READ_ONLY_LOADS = 1 << 22;
        /// Accesses take a number of 32 bits beside an address that all invocations agree on.
        const NARROW_OFFSETS = 1 << 23;
        /// All calls are inlined, and compiling what becomes of that takes seconds for each 10,000 instructions.
        const SLOW_INLINED_CALLS = 1 << 24;
        /// Subgroups of a work-group make independent forward progress.
        const SUBGROUPS_PROGRESS = 1 << 25;
        /// Keeping denormals of 32 bits costs instructions, or faster ones.
        const SLOW_DENORMALS = 1 << 26;
        /// A switch is compiled to a test of each case, one behind the other, after which each phi may still have a value of
        /// before.
        const SEQUENTIAL_SWITCHES = 1 << 27;
        /// Addresses of elements are computed faster by access chains into arrays than as sums.
        const CHAINED_ADDRESSES = 1 << 28;
        /// Of several threads that wait for semaphores of a device, one is woken in time.
        const LOST_WAKE_UPS = 1 << 29;
        /// Adjacent loads of work-group memory stay apart: vectors of an explicit layout are loaded whole.
        const WHOLE_LOCAL_VECTORS = 1 << 30;
        /// The clocks fall some seconds after the last work of processes that use Vulkan alone, and need 200 to 400 ms of work to
        /// rise again; not while a process has a CUDA context.
        const FALLING_CLOCKS = 1 << 31;
        /// All calls are inlined unless a function says DontInline, and compiling what becomes of that takes long.
        const INLINED_CALLS = 1 << 32;
        /// An access of a vector of 64-bit numbers in a storage buffer is one of each number, and one of a vector of words is whole.
        const SPLIT_LONG_VECTORS = 1 << 33;
    }
}

/// The identity of a device's driver.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Driver<'a> {
    /// VkDriverId.
    pub(crate) id: vk::DriverId,
    /// VkPhysicalDeviceProperties::driverVersion, in the vendor's own encoding.
    pub(crate) version: u32,
    /// VkPhysicalDeviceDriverProperties::driverInfo.
    pub(crate) info: &'a str,
    pub(crate) device_type: vk::PhysicalDeviceType,
}

/// One row of the table: drivers and their quirks.
struct Row {
    driver: vk::DriverId,
    versions: Versions,
    /// `None` for devices of any type.
    device_type: Option<vk::PhysicalDeviceType>,
    quirk: Quirks,
}

/// Versions of a driver.
enum Versions {
    Any,
    /// Those with this major number in NVIDIA's encoding: 10 bits at the top.
    Nvidia(u32),
    /// Those of Mesa before a major and minor number, and those that tell none.
    MesaBefore(u32, u32),
    /// Those of Mesa after a major and minor number.
    MesaAfter(u32, u32),
}

impl Versions {
    fn contains(&self, driver: &Driver<'_>) -> bool {
        let mesa = mesa_version(driver.info);
        match *self {
            Versions::Any => true,
            Versions::Nvidia(major) => driver.version >> 22 == major,
            Versions::MesaBefore(major, minor) => mesa.is_none_or(|v| v < (major, minor)),
            Versions::MesaAfter(major, minor) => mesa.is_some_and(|v| v > (major, minor)),
        }
    }
}

/// Returns major and minor number in a text like `Mesa 25.0.7-2 (LLVM 15.0.6)`. (Its software drivers do not tell
/// them by `driverVersion`.)
fn mesa_version(driver_info: &str) -> Option<(u32, u32)> {
    let mut numbers = driver_info.strip_prefix("Mesa ")?.split(|c: char| !c.is_ascii_digit());
    let mut number = || numbers.next()?.parse().ok();
    Some((number()?, number()?))
}

/// Returns the row of a driver that begins with spirv_to_nir.
const fn sequential_switches(driver: vk::DriverId) -> Row {
    let quirk = Quirks::SEQUENTIAL_SWITCHES;
    Row { driver, versions: Versions::Any, device_type: None, quirk }
}

/// VK_DRIVER_ID_MESA_HONEYKRISP, by the name that it had first.
const MESA_HONEYKRISP: vk::DriverId = vk::DriverId::MESA_AGXV;

const TABLE: [Row; 41] = [
    // Seen with 580.159 on an H200, also in a program of Vulkan alone (examples/stale_code): while several threads
    // create, dispatch and destroy pipelines, up to 7 of 1,000 first dispatches write nothing or run another
    // pipeline's code.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::SERIALIZED_PIPELINES,
    },
    // The specification ends a command buffer's pending state by a fence or semaphore alone. The marker was
    // tried for days on 580 (H200), and on no other driver. It saves the interrupt of a signal, 30 us there.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Nvidia(580),
        device_type: None,
        quirk: Quirks::COMPLETION_MARKERS,
    },
    // Two threads in vkWaitSemaphores for one value (580, H200): the one wakes 0.1 ms after the signal, the other when it looks
    // again by itself, which is each 10 ms.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::LOST_WAKE_UPS,
    },
    // The driver gives copies to an engine made for the bus: 840 of the 4,140 GB/s that a kernel moves on an
    // H200. Other drivers of discrete devices copy by a shader of their own.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: Some(vk::PhysicalDeviceType::DISCRETE_GPU),
        quirk: Quirks::SLOW_BUFFER_COPIES,
    },
    // At exit() the driver (580) closes what it has set up through file descriptors that parent and child
    // share: the child dies of a segmentation fault, the parent hangs in vkDestroyDevice or at its own end.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::EXIT_BREAKS_PARENT,
    },
    // Presumably the same handlers (580): CLBlast's tests and a client of ViennaCL, whose static objects release queues
    // and buffers after them, ended with a segmentation fault when all was done, and end well with the quirk (H200).
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::EXIT_ENDS_DRIVER,
    },
    // Seen with 580.159 on an H200, not understood (docs/unsupported.md): a kernel that divides, gives one work-item
    // something to do before a barrier and then sums up in an unrolled loop with a remainder loop does not end, or sums
    // up too much. A hand-edited variant with the remainder loop alone was right; with the quirk the kernels are (H100).
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::MISCOMPILED_REMAINDER_LOOPS,
    },
    // 580.159 on an H200: inclusive sums of sub-groups take 2.6 times as long as by shuffles.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::SLOW_SUBGROUP_SCANS,
    },
    // 580.159 on an H200: rounds of SHA-512 take 1.5 times as long by shifts and a disjunction of 64 bits.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::SLOW_LONG_ROTATES,
    },
    // 580.159 on an H200: 256 loads of a tile in SGEMM stay LDS, where 68 LDS.128 do (0.59 of the speed of NVIDIA's OpenCL).
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::WHOLE_LOCAL_VECTORS,
    },
    // 580.159 on an H200: 10 ms of kernels run at 0.17 of their rate after 1 to 4 s of rest (1,980 to 345 MHz). Neither global
    // priorities nor VK_NVX_binary_import nor short kernels in between keep the clocks up.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: Some(vk::PhysicalDeviceType::DISCRETE_GPU),
        quirk: Quirks::FALLING_CLOCKS,
    },
    // 580.159 on an H200: 96 calls of sin's 180 instructions take 0.9 s to compile, and 0.4 s as calls.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::INLINED_CALLS,
    },
    // 580.159 on an H200: a double4 is loaded by four LDG.64, and as words by two LDG.128 (SHOC's MD of doubles: 0.8 of the speed
    // of NVIDIA's OpenCL).
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::SPLIT_LONG_VECTORS,
    },
    // 580.159 on an H200: sums and products with one number in all lanes take 1.5 times as long of half2, 1.9 times of half4.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::SLOW_BUILT_HALVES,
    },
    // lavapipe of Mesa 22.3 (Debian 12) ends long loops early and lets inactive lanes run. That of 25.0 is the first
    // one that is known to compute right.
    Row {
        driver: vk::DriverId::MESA_LLVMPIPE,
        versions: Versions::MesaBefore(25, 0),
        device_type: None,
        quirk: Quirks::TESTED_BEFORE_USE,
    },
    // lavapipe of Mesa 26.2 does so, that of 25.0 does not. A test would end the process, so those in between and
    // later ones are assumed to.
    Row {
        driver: vk::DriverId::MESA_LLVMPIPE,
        versions: Versions::MesaAfter(25, 0),
        device_type: None,
        quirk: Quirks::UNMASKED_UNIFORM_LOADS,
    },
    // Only phis keep what an invocation has left a loop with: `do x = f(x, *p); while (...)` gives another x.
    Row {
        driver: vk::DriverId::GOOGLE_SWIFTSHADER,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::UNMASKED_LOOP_VALUES,
    },
    // lavapipe of Mesa 25.0 and 26.2 takes every barrier for one of the work-group. Where other sub-groups do not
    // come, what stands behind it is never executed. A sub-group is one vector, so it needs no barrier.
    Row {
        driver: vk::DriverId::MESA_LLVMPIPE,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::SUBGROUP_BARRIERS_WAIT,
    },
    // lavapipe of Mesa 26.2, read in its machine code: a fetch has a level of its own in each lane, with sizes and offsets
    // of them all; a sampler is compiled for its image. Conversions to integers are done lane by lane. A place of 1e36 is
    // INT_MIN as an integer. In a loop every value that changes is blended by the mask, which is tested for each lane.
    Row {
        driver: vk::DriverId::MESA_LLVMPIPE,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::SLOW_TEXEL_FETCHES
            .union(Quirks::LOST_FAR_PLACES)
            .union(Quirks::SOFTWARE_MASKS),
    },
    // lavapipe of Mesa 25.0: vkCreateComputePipelines leaves the machine code to the queue's thread, which makes it where it
    // comes to the dispatch. The first launch of a kernel of 300 operations took 1,478 ms between its timestamps, and 1.2 the
    // second one.
    Row {
        driver: vk::DriverId::MESA_LLVMPIPE,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::COMPILES_IN_DISPATCH,
    },
    // lavapipe of Mesa 25.0 makes coroutines of kernels, with or without barriers. LLVM (15, and later ones by their sources:
    // computeShouldLiveOnFrame) looks at all pairs of an array's uses for one with a suspension between them: 52 s for
    // bcrypt's S-boxes, and 8 with the quirk.
    Row {
        driver: vk::DriverId::MESA_LLVMPIPE,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::QUADRATIC_PRIVATE_ARRAYS,
    },
    // lavapipe of Mesa 25.0 inlines all calls: the 17,000 instructions of John the Ripper's kernel ssh become 196,000, which it
    // compiles for 45 s, most of that in LLVM's code generation. A model of such a kernel takes 23.4 s with 40 calls, and 0.4
    // with one in a loop.
    Row {
        driver: vk::DriverId::MESA_LLVMPIPE,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::SLOW_INLINED_CALLS,
    },
    // lavapipe of Mesa 26.2 runs loops of 32 multiplications at 64 GFLOP/s, of 128 at 143; that of 25.0 at 106 and 67.
    Row {
        driver: vk::DriverId::MESA_LLVMPIPE,
        versions: Versions::MesaAfter(25, 0),
        device_type: None,
        quirk: Quirks::SLOW_LOOPS,
    },
    // lavapipe of Mesa 25.0 is off by a step of the channel, which the conformance tests of two-dimensional images refuse and
    // the tolerance of the filter probe allows. (By its sources it filters these formats in 8-bit fixed point, but not with a
    // border or mirrored.)
    Row {
        driver: vk::DriverId::MESA_LLVMPIPE,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::COARSE_BYTE_FILTERS,
    },
    // lavapipe of Mesa 25.0 rounds -0x1.0000000000001p-1 to zero and leaves 0x1.fffffffffffffp24 as it is. Floor and Ceil are
    // right.
    Row {
        driver: vk::DriverId::MESA_LLVMPIPE,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::INEXACT_DOUBLE_ROUNDING,
    },
    // By the code that Mesa 26.2 makes. RADV has no other loads of the scalar cache: a sum over constant memory has a latency
    // of 1,452 cycles in place of 6,012 on NAVI31, and of 2,396 in place of 7,036 on POLARIS10. Honeykrisp (M1) loads what has a
    // uniform address once for all work-items: a convolution by nine constants is 25 instructions in place of 31. Turnip does
    // so too, but a sum waits longer for its registers (55 cycles in place of 31 on Adreno 740). With NVK nothing changes.
    Row {
        driver: vk::DriverId::MESA_RADV,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::READ_ONLY_LOADS,
    },
    Row {
        driver: MESA_HONEYKRISP,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::READ_ONLY_LOADS,
    },
    // By the code that Mesa 26.2 makes: RADV recognizes such a sum, and else adds 64 bits in two instructions. Two instructions of
    // vectors in place of seven compute both addresses of a copy on NAVI31.
    Row {
        driver: vk::DriverId::MESA_RADV,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::NARROW_OFFSETS,
    },
    // By the code that Mesa 26.2 makes: a reciprocal, a root and a logarithm scale their operand, 9 or 10 instructions in place of 5;
    // before GFX9 a product and a sum are no fused one, either, and a matrix product takes 1.8 times as long on POLARIS10.
    Row {
        driver: vk::DriverId::MESA_RADV,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::SLOW_DENORMALS,
    },
    // By the code that Mesa 26.2 makes: Turnip adds 64 bits in ten instructions, and knows an element's address to need none. A
    // copy of float4 is 29 instructions in place of 42 on Adreno 740.
    Row {
        driver: vk::DriverId::MESA_TURNIP,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::CHAINED_ADDRESSES,
    },
    // By what spirv_to_nir of Mesa 26.2 makes, which all of these begin with: in a loop, each phi behind a switch takes a register in
    // all of the loop. hashcat's kernel m01710 took 144,000 instructions and spilled 10,961 registers on NAVI31, and takes
    // 114,000 and spills none.
    sequential_switches(vk::DriverId::MESA_RADV),
    sequential_switches(vk::DriverId::INTEL_OPEN_SOURCE_MESA),
    sequential_switches(vk::DriverId::MESA_TURNIP),
    sequential_switches(MESA_HONEYKRISP),
    sequential_switches(vk::DriverId::MESA_NVK),
    sequential_switches(vk::DriverId::MESA_PANVK),
    sequential_switches(vk::DriverId::MESA_V3DV),
    sequential_switches(vk::DriverId::MESA_LLVMPIPE),
    // The probe was run on these three; the first two have one subgroup in a vector, in a loop over the local indices.
    Row {
        driver: vk::DriverId::MESA_LLVMPIPE,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::SUBGROUPS_IN_ORDER,
    },
    Row {
        driver: vk::DriverId::GOOGLE_SWIFTSHADER,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::SUBGROUPS_IN_ORDER,
    },
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: Versions::Any,
        device_type: None,
        quirk: Quirks::SUBGROUPS_IN_ORDER.union(Quirks::SUBGROUPS_PROGRESS),
    },
];

impl Quirks {
    /// Returns the quirks of a driver.
    pub(crate) fn of(driver: &Driver<'_>) -> Quirks {
        let applies = |row: &&Row| {
            row.driver == driver.id
                && row.versions.contains(driver)
                && row.device_type.is_none_or(|device_type| device_type == driver.device_type)
        };
        TABLE.iter().filter(applies).map(|row| row.quirk).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quirks(id: vk::DriverId, version: u32) -> Quirks {
        let device_type = vk::PhysicalDeviceType::DISCRETE_GPU;
        Quirks::of(&Driver { id, version, info: "", device_type })
    }

    #[test]
    fn completion_markers_are_used_where_they_were_proven() {
        let nvidia = vk::DriverId::NVIDIA_PROPRIETARY;
        let has_markers = |id, version| quirks(id, version).contains(Quirks::COMPLETION_MARKERS);
        assert!(has_markers(nvidia, 580 << 22));
        assert!(has_markers(nvidia, 580 << 22 | 159 << 14 | 3 << 6));
        assert!(!has_markers(nvidia, 579 << 22 | 255 << 14));
        assert!(!has_markers(nvidia, 581 << 22));
        let others = [
            vk::DriverId::AMD_PROPRIETARY,
            vk::DriverId::AMD_OPEN_SOURCE,
            vk::DriverId::INTEL_PROPRIETARY_WINDOWS,
            vk::DriverId::default(),
        ];
        for other in others {
            assert_eq!(quirks(other, 580 << 22), Quirks::empty(), "{other:?}");
        }
        for mesa in [vk::DriverId::INTEL_OPEN_SOURCE_MESA, vk::DriverId::MESA_NVK] {
            assert_eq!(quirks(mesa, 580 << 22), Quirks::SEQUENTIAL_SWITCHES, "{mesa:?}");
        }
        let radv = Quirks::READ_ONLY_LOADS | Quirks::NARROW_OFFSETS | Quirks::SLOW_DENORMALS;
        let radv = radv | Quirks::SEQUENTIAL_SWITCHES;
        assert_eq!(quirks(vk::DriverId::MESA_RADV, 580 << 22), radv);
    }

    #[test]
    fn a_quirk_may_be_of_one_type_of_device() {
        let mut driver = Driver {
            id: vk::DriverId::NVIDIA_PROPRIETARY,
            version: 570 << 22,
            info: "570.10",
            device_type: vk::PhysicalDeviceType::DISCRETE_GPU,
        };
        assert!(Quirks::of(&driver).contains(Quirks::SLOW_BUFFER_COPIES));
        driver.device_type = vk::PhysicalDeviceType::INTEGRATED_GPU;
        let at_exit = Quirks::EXIT_BREAKS_PARENT | Quirks::EXIT_ENDS_DRIVER;
        let subgroups = Quirks::SUBGROUPS_IN_ORDER | Quirks::SUBGROUPS_PROGRESS;
        let of_all = Quirks::SERIALIZED_PIPELINES | Quirks::LOST_WAKE_UPS | at_exit | subgroups;
        assert_eq!(
            Quirks::of(&driver),
            of_all
                | Quirks::MISCOMPILED_REMAINDER_LOOPS
                | Quirks::SLOW_SUBGROUP_SCANS
                | Quirks::SLOW_LONG_ROTATES
                | Quirks::WHOLE_LOCAL_VECTORS
                | Quirks::INLINED_CALLS
                | Quirks::SPLIT_LONG_VECTORS
                | Quirks::SLOW_BUILT_HALVES
        );
    }

    #[test]
    fn versions_of_mesa_are_read() {
        for (text, version) in [
            ("Mesa 22.3.6 (LLVM 15.0.6)", Some((22, 3))),
            ("Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)", Some((25, 0))),
            ("Mesa 26.2.6-1 (LLVM 22.1.8)", Some((26, 2))),
            ("Mesa 25.3-devel (git-0123abc) (LLVM 21.1.0)", Some((25, 3))),
            ("Mesa 100.12.0", Some((100, 12))),
            ("Mesa", None),
            ("Mesa git", None),
            ("Mesa 25", None),
            ("580.65.06", None),
            ("", None),
        ] {
            assert_eq!(mesa_version(text), version, "{text}");
        }
    }

    #[test]
    fn software_has_the_quirks_of_its_driver() {
        let device_type = vk::PhysicalDeviceType::CPU;
        let quirks = |id, info| Quirks::of(&Driver { id, version: 1, info, device_type });
        let lavapipe = |info| quirks(vk::DriverId::MESA_LLVMPIPE, info);
        let filters = Quirks::LOST_FAR_PLACES | Quirks::COARSE_BYTE_FILTERS;
        let images = Quirks::SLOW_TEXEL_FETCHES | filters;
        let loops = Quirks::SUBGROUP_BARRIERS_WAIT | Quirks::SOFTWARE_MASKS;
        let doubles = Quirks::INEXACT_DOUBLE_ROUNDING;
        let code = Quirks::COMPILES_IN_DISPATCH
            | Quirks::QUADRATIC_PRIVATE_ARRAYS
            | Quirks::SLOW_INLINED_CALLS
            | Quirks::SEQUENTIAL_SWITCHES;
        let all = images | loops | doubles | code | Quirks::SUBGROUPS_IN_ORDER;
        assert_eq!(lavapipe("Mesa 22.3.6 (LLVM 15.0.6)"), all | Quirks::TESTED_BEFORE_USE);
        assert_eq!(lavapipe("Mesa 24.3.4"), all | Quirks::TESTED_BEFORE_USE);
        assert_eq!(lavapipe("Mesa git"), all | Quirks::TESTED_BEFORE_USE);
        assert_eq!(lavapipe("Mesa 25.0.0-rc1"), all);
        let after_25_0 = Quirks::UNMASKED_UNIFORM_LOADS | Quirks::SLOW_LOOPS;
        assert_eq!(lavapipe("Mesa 26.2.6-1 (LLVM 22.1.8)"), all | after_25_0);
        let radv = Quirks::READ_ONLY_LOADS | Quirks::NARROW_OFFSETS | Quirks::SLOW_DENORMALS;
        let radv = radv | Quirks::SEQUENTIAL_SWITCHES;
        assert_eq!(quirks(vk::DriverId::MESA_RADV, "Mesa 22.3.6"), radv);
        let swiftshader = Quirks::UNMASKED_LOOP_VALUES | Quirks::SUBGROUPS_IN_ORDER;
        assert_eq!(quirks(vk::DriverId::GOOGLE_SWIFTSHADER, ""), swiftshader);
    }
}
