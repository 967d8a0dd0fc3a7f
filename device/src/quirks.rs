//! Quirks of drivers: the one table of them.
//!
//! Behaviour that relies on more than Vulkan guarantees, that works around a defect, or that makes slow code fast is chosen
//! here and nowhere else. A driver that is not in the table gets the behaviour that the specification promises.
//!
//! Each quirk has a number, which it keeps; a number of a quirk that is gone is not used again. Code that works around it asks
//! for the quirk by its name and does not mention drivers: the table's row has all that is known of them.

use crate::driver::{Driver, DriverId, Drivers};

const NVIDIA: Drivers = Drivers::all(DriverId::NVIDIA_PROPRIETARY);
const LAVAPIPE: Drivers = Drivers::all(DriverId::MESA_LLVMPIPE);
const SWIFTSHADER: Drivers = Drivers::all(DriverId::GOOGLE_SWIFTSHADER);
const RADV: Drivers = Drivers::all(DriverId::MESA_RADV);
const TURNIP: Drivers = Drivers::all(DriverId::MESA_TURNIP);
const HONEYKRISP: Drivers = Drivers::all(DriverId::MESA_HONEYKRISP);
const ANV: Drivers = Drivers::all(DriverId::INTEL_OPEN_SOURCE_MESA);
const NVK: Drivers = Drivers::all(DriverId::MESA_NVK);
const PANVK: Drivers = Drivers::all(DriverId::MESA_PANVK);
const V3DV: Drivers = Drivers::all(DriverId::MESA_V3DV);
/// Drivers whose compilers begin with spirv_to_nir.
const NIR: [Drivers; 8] = [RADV, ANV, TURNIP, HONEYKRISP, NVK, PANVK, V3DV, LAVAPIPE];
/// Those of them for GPUs.
const NIR_GPUS: [Drivers; 7] = [RADV, ANV, TURNIP, HONEYKRISP, NVK, PANVK, V3DV];

/// A description of a quirk for people.
#[derive(Debug, Clone, Copy)]
pub struct Description {
    pub quirk: Quirks,
    /// `Q01` and so on.
    pub number: &'static str,
    /// The defect or the slowness, with the smallest program that shows it.
    pub wrong: &'static str,
    /// How the quirk was found, with versions and devices.
    pub found: &'static str,
    /// The test that fails without the workaround, or shows the workaround's effect: `FILE` or `FILE: NAME`. For a quirk that
    /// is measured and not tested, the command that measures it.
    pub test: &'static str,
    /// When the row may be removed.
    pub until: &'static str,
}

/// Declares the quirks, the table of their drivers, and their descriptions.
macro_rules! quirks {
    ($($(#[doc = $doc:literal])+ $number:ident $name:ident {
        drivers: $drivers:expr,
        wrong: $wrong:literal,
        found: $found:literal,
        test: $test:literal,
        until: $until:literal,
    })*) => {
        /// The bits of the quirks.
        #[repr(u32)]
        enum Number {
            $($number),*
        }

        bitflags::bitflags! {
            /// The quirks of one device.
            #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
            pub struct Quirks: u64 {
                $($(#[doc = $doc])+ const $name = 1 << Number::$number as u64;)*
            }
        }

        const DRIVERS: &[(Quirks, &[Drivers])] = &[$((Quirks::$name, &$drivers)),*];

        /// All quirks, by number.
        pub const DESCRIPTIONS: &[Description] = &[$(Description {
            quirk: Quirks::$name,
            number: stringify!($number),
            wrong: $wrong,
            found: $found,
            test: $test,
            until: $until,
        }),*];
    };
}

quirks! {
    /// One thread at a time must create, destroy or submit pipelines. They are compiled on a second Vulkan device, so that this
    /// takes a short time.
    Q01 SERIALIZED_PIPELINES {
        drivers: [NVIDIA],
        wrong: "While eight threads make, dispatch and destroy pipelines, up to 7 of 1,000 first dispatches write nothing \
                or run another pipeline's code: kernels that store a constant show it.",
        found: "580.159 on an H200, by a program of Vulkan alone (vk-backend/examples/stale_code).",
        test: "vk-backend/tests/compile_device.rs",
        until: "stale_code finds no wrong dispatch with the oldest driver that is supported.",
    }
    /// A word that VK_AMD_buffer_marker writes at the end of a command buffer may be taken as the sign that the command buffer
    /// is complete.
    Q02 COMPLETION_MARKERS {
        drivers: [Drivers::nvidia(580)],
        wrong: "The interrupt of a semaphore's signal comes 30 us after the command buffer is complete.",
        found: "Tried for days with 580 on an H200, and with no other driver: the specification ends a command buffer's \
                pending state by a fence or semaphore alone.",
        test: "vk-backend/tests/queues.rs: all_of_this_holds_with_completion_markers",
        until: "Semaphores are as fast; to be tried with each major version.",
    }
    /// vkCmdCopyBuffer is much slower within the device's memory than a kernel that copies.
    Q03 SLOW_BUFFER_COPIES {
        drivers: [NVIDIA.discrete()],
        wrong: "A copy of 1 GB runs at 840 of the 4,140 GB/s that a kernel moves: the driver gives it to an engine made for \
                the bus.",
        found: "580.159 on an H200, by `cargo xtask bench`. Other drivers of discrete devices copy by a shader of their own.",
        test: "vk-backend/tests/queues.rs: the_copy_kernel_copies_what_the_driver_would",
        until: "The driver copies within the device as fast as a kernel.",
    }
    /// If the driver's exit handlers run in a forked child, they break the devices of the child's parent.
    Q04 EXIT_BREAKS_PARENT {
        drivers: [NVIDIA],
        wrong: "fork() and exit() in the child: the child dies of a segmentation fault, and the parent hangs in \
                vkDestroyDevice or at its own end. The driver closes what it has set up through file descriptors that \
                both share.",
        found: "580.159 on an H200.",
        test: "icd/tests/exit.rs",
        until: "The child ends as it should without the workaround.",
    }
    /// The driver gives wrong results, or may do so: a device should be tested for them before it is offered, at the price of
    /// opening it.
    Q05 TESTED_BEFORE_USE {
        drivers: [LAVAPIPE.before(25, 0)],
        wrong: "Long loops end early, and lanes run that are inactive.",
        found: "Mesa 22.3 (Debian 12). 25.0 is the first version that is known to compute right.",
        test: "vk-backend/tests/devices.rs: the_driver_has_no_defect",
        until: "Mesa before 25.0 is refused by its version.",
    }
    /// A load whose address all invocations agree on is executed even where no invocation is active.
    Q06 UNMASKED_UNIFORM_LOADS {
        drivers: [LAVAPIPE.after(25, 0)],
        wrong: "`if (p != 0) x = *p;` ends the process where p is 0 in all work-items.",
        found: "Mesa 26.2, which does so, and 25.0, which does not. A test would end the process, so versions in between \
                and later ones are assumed to.",
        test: "compiler/tests/uniform_loads.rs",
        until: "A later version is known to execute such loads under the mask.",
    }
    /// Loops go on computing values for invocations that have left the loop, but do not load for them.
    Q07 UNMASKED_LOOP_VALUES {
        drivers: [SWIFTSHADER],
        wrong: "`do x = f(x, *p); while (...)` gives another x to work-items that leave early: only phis keep what an \
                invocation has left a loop with.",
        found: "SwiftShader of Chromium, by the Python suite.",
        test: "compiler/tests/filetests/loop_values",
        until: "SwiftShader masks the values of loops.",
    }
    /// A barrier of a sub-group waits for the whole work-group. Invocations of a sub-group run in step.
    Q08 SUBGROUP_BARRIERS_WAIT {
        drivers: [LAVAPIPE],
        wrong: "sub_group_barrier in a branch that other sub-groups do not take: what stands behind it is never executed. A \
                sub-group is one vector, so it needs no barrier.",
        found: "Mesa 25.0 and 26.2.",
        test: "icd/tests/python/test_subgroups.py: test_barrier",
        until: "The driver tells scopes of barriers apart.",
    }
    /// Subgroups are known to be filled in the order of local indices, and whether they progress is known from
    /// [`Quirks::SUBGROUPS_PROGRESS`], so that neither has to be probed.
    Q09 SUBGROUPS_IN_ORDER {
        drivers: [LAVAPIPE, SWIFTSHADER, NVIDIA],
        wrong: "The probe that finds it out takes time when a device is first opened.",
        found: "The probe was run on these three. Two have one subgroup in a vector, in a loop over the local indices.",
        test: "vk-backend/tests/devices.rs: the_probe_answers_once_and_plausibly",
        until: "The probe costs nothing.",
    }
    /// The driver must not be called any more once its exit handlers have run.
    Q10 EXIT_ENDS_DRIVER {
        drivers: [NVIDIA],
        wrong: "Static objects that release queues and buffers behind the driver's handlers end the process with a \
                segmentation fault when all is done.",
        found: "580.159 on an H200, by CLBlast's tests and a client of ViennaCL, which end well with the quirk.",
        test: "icd/tests/exit.rs",
        until: "Such programs end well without it.",
    }
    /// The driver may miscompile, in kernels with barriers, loops that are unrolled with a remainder loop.
    Q11 MISCOMPILED_REMAINDER_LOOPS {
        drivers: [NVIDIA],
        wrong: "A kernel that divides, gives one work-item something to do before a barrier and then sums up in an unrolled \
                loop with a remainder loop does not end, or sums up too much.",
        found: "580.159 on an H200 and an H100; not understood (docs/unsupported.md). A variant with the remainder loop \
                alone, edited by hand, was right.",
        test: "compiler/tests/unroll_quirks.rs",
        until: "The kernel of docs/unsupported.md is right without it.",
    }
    /// Samplers find a texel at integer coordinates faster than fetches with the arithmetic around them do.
    Q12 SLOW_TEXEL_FETCHES {
        drivers: [LAVAPIPE],
        wrong: "read_imagef at integer coordinates: a fetch has a level of its own in each lane, with sizes and offsets of \
                them all, while a sampler is compiled for its image.",
        found: "Mesa 26.2, by its machine code.",
        test: "compiler/tests/image_reads.rs",
        until: "A fetch is as fast as a sampler's read.",
    }
    /// Samplers give wrong results for coordinates far beyond an image.
    Q13 LOST_FAR_PLACES {
        drivers: [LAVAPIPE],
        wrong: "read_imagef at 1e36: the place is INT_MIN as an integer.",
        found: "Mesa 26.2, by its machine code.",
        test: "compiler/tests/images.rs",
        until: "Samplers clamp places before they convert them.",
    }
    /// The masks of invocations in branches are kept by software.
    Q14 SOFTWARE_MASKS {
        drivers: [LAVAPIPE],
        wrong: "`if (x < 0) y = rare(x);`: every value that changes is blended by the mask, so that functions with an arm \
                for rare numbers (logb, fract, nextafter, log1p) are twice as fast with selections.",
        found: "Mesa 26.2, by its machine code and `cargo xtask bench`.",
        test: "compiler/tests/filetests/if_conversion/costs_with_masks.ir",
        until: "A branch costs what its taken arm does.",
    }
    /// Shuffles make scans of subgroups faster than the driver's own instructions for them.
    Q15 SLOW_SUBGROUP_SCANS {
        drivers: [NVIDIA],
        wrong: "sub_group_scan_inclusive_add takes 2.6 times as long as by shuffles.",
        found: "580.159 on an H200.",
        test: "compiler/tests/subgroups.rs",
        until: "The driver's own scans are as fast.",
    }
    /// RoundEven and Trunc of doubles are wrong beyond 2^24, and where a number is near a half.
    Q16 INEXACT_DOUBLE_ROUNDING {
        drivers: [LAVAPIPE],
        wrong: "rint(-0x1.0000000000001p-1) is zero, and trunc(0x1.fffffffffffffp24) is its argument. Floor and Ceil are \
                right.",
        found: "Mesa 25.0.",
        test: "spirv-interp/tests/support/mod.rs: INEXACT_DOUBLE_ROUNDING",
        until: "The driver rounds doubles as doubles.",
    }
    /// Linear filters of 8-bit normalized channels are computed in 8 bits where images repeat or have an edge.
    Q17 COARSE_BYTE_FILTERS {
        drivers: [LAVAPIPE],
        wrong: "Filtered texels are off by a step of the channel, which the conformance tests of two-dimensional images \
                refuse and the tolerance of the filter probe allows.",
        found: "Mesa 25.0. By its sources it filters these formats in 8-bit fixed point, but not with a border or mirrored.",
        test: "compiler/tests/images.rs",
        until: "The CTS' images pass without it.",
    }
    /// An iteration of a loop has an overhead of tens of operations, for the masks of invocations.
    Q18 SLOW_LOOPS {
        drivers: [LAVAPIPE.after(25, 0)],
        wrong: "Loops of 32 multiplications run at 64 GFLOP/s, of 128 at 143; with 25.0 at 106 and 67.",
        found: "Mesa 26.2, by `cargo xtask bench`.",
        test: "compiler/tests/unroll_quirks.rs: arithmetic_in_slow_loops_is_unrolled",
        until: "Both loops are as fast.",
    }
    /// Rotations of 64-bit integers by constants are faster as funnel shifts.
    Q19 SLOW_LONG_ROTATES {
        drivers: [NVIDIA],
        wrong: "Rounds of SHA-512 take 1.5 times as long by shifts and a disjunction of 64 bits.",
        found: "580.159 on an H200.",
        test: "compiler/tests/filetests/rotates",
        until: "The driver finds rotations of 64 bits.",
    }
    /// Vectors of halves that are built of scalars are computed one half at a time, vectors that are built from an integer's
    /// bits two at a time; loops that carry them are faster with their phis in reverse order.
    Q20 SLOW_BUILT_HALVES {
        drivers: [NVIDIA],
        wrong: "Sums and products with one number in all lanes take 1.5 times as long for half2, 1.9 times for half4.",
        found: "580.159 on an H200.",
        test: "compiler/tests/filetests/packed_halves",
        until: "The driver computes two such halves at a time.",
    }
    /// A pipeline's code is compiled in its first dispatch, even if that has no work-groups.
    Q21 COMPILES_IN_DISPATCH {
        drivers: [LAVAPIPE],
        wrong: "The first launch of a kernel of 300 operations takes 1,478 ms between its timestamps, the second 1.2: \
                vkCreateComputePipelines leaves the machine code to the queue's thread.",
        found: "Mesa 25.0.",
        test: "vk-backend/tests/queues.rs: pipelines_are_compiled_ahead_until_one_dispatch_is_complete",
        until: "Pipelines are compiled when they are created.",
    }
    /// The time to compile a private array grows with the square of its accesses, unless the array is alive across a barrier.
    Q22 QUADRATIC_PRIVATE_ARRAYS {
        drivers: [LAVAPIPE],
        wrong: "bcrypt's S-boxes take 52 s, and 8 with the quirk: kernels become coroutines, with or without barriers, and \
                LLVM looks at all pairs of an array's uses for one with a suspension between them.",
        found: "Mesa 25.0 with LLVM 15, and by the sources of later ones (computeShouldLiveOnFrame).",
        test: "compiler/tests/array_uses.rs",
        until: "Kernels without barriers are functions, or LLVM's search is linear.",
    }
    /// A load whose address all invocations agree on is made once for all of them, if the module says that nothing writes to
    /// its memory.
    Q23 READ_ONLY_LOADS {
        drivers: [RADV, HONEYKRISP],
        wrong: "A sum over constant memory has a latency of 6,012 cycles in place of 1,452 on NAVI31, and of 7,036 in place \
                of 2,396 on POLARIS10, since RADV has no other loads of the scalar cache; a convolution by nine constants \
                is 31 instructions in place of 25 on Honeykrisp (M1).",
        found: "By the code that Mesa 26.2 makes. Turnip does so too, but a sum waits longer for its registers (55 cycles \
                in place of 31 on Adreno 740); with NVK nothing changes.",
        test: "compiler/tests/read_only_loads.rs",
        until: "The drivers find out themselves what nothing writes.",
    }
    /// An access can add an offset of 32 bits to an address that all invocations agree on.
    Q24 NARROW_OFFSETS {
        drivers: [RADV],
        wrong: "`p[i] = q[i]`: seven instructions of vectors in place of two compute both addresses on NAVI31, 64 bits being \
                added in two instructions.",
        found: "By the code that Mesa 26.2 makes.",
        test: "compiler/tests/narrow_offsets.rs",
        until: "The driver finds such sums in 64 bits.",
    }
    /// All calls are inlined, and compiling the result takes seconds for each 10,000 instructions.
    Q25 SLOW_INLINED_CALLS {
        drivers: [LAVAPIPE],
        wrong: "The 17,000 instructions of John the Ripper's kernel ssh become 196,000, which are compiled for 45 s, most of \
                that in LLVM's code generation. A model of such a kernel takes 23.4 s with 40 calls, and 0.4 with one in a \
                loop.",
        found: "Mesa 25.0.",
        test: "compiler/tests/shared_calls.rs",
        until: "The driver calls functions.",
    }
    /// Subgroups of a work-group make independent forward progress.
    Q26 SUBGROUPS_PROGRESS {
        drivers: [NVIDIA],
        wrong: "The probe that finds it out takes time when a device is first opened.",
        found: "The probe was run with 580.159 on an H200.",
        test: "vk-backend/tests/devices.rs: the_probe_answers_once_and_plausibly",
        until: "The probe costs nothing.",
    }
    /// Keeping denormals of 32 bits costs instructions, or faster ones.
    Q27 SLOW_DENORMALS {
        drivers: [RADV],
        wrong: "A reciprocal, a root and a logarithm scale their operand, 9 or 10 instructions in place of 5; before GFX9 a \
                product and a sum are not fused, either, and a matrix product takes 1.8 times as long on POLARIS10.",
        found: "By the code that Mesa 26.2 makes.",
        test: "vk-backend/src/physical/found/float_controls.rs",
        until: "The hardware keeps denormals at no cost.",
    }
    /// A switch is compiled to a sequence of tests, one for each case, and after each test a phi behind the switch may still
    /// have its earlier value.
    Q28 SEQUENTIAL_SWITCHES {
        drivers: NIR,
        wrong: "A switch in a loop: each phi behind it takes a register in all of the loop. hashcat's kernel m01710 takes \
                144,000 instructions and spills 10,961 registers on NAVI31, and 114,000 and none with the quirk.",
        found: "By what spirv_to_nir of Mesa 26.2 makes.",
        test: "compiler/tests/filetests/switch_trees",
        until: "NIR has switches.",
    }
    /// Addresses of elements are computed faster by access chains into arrays than as sums.
    Q29 CHAINED_ADDRESSES {
        drivers: [TURNIP],
        wrong: "A copy of float4 is 42 instructions in place of 29 on Adreno 740: 64 bits are added in ten instructions, \
                while an element's address needs none.",
        found: "By the code that Mesa 26.2 makes.",
        test: "compiler/tests/chained_addresses.rs",
        until: "The driver finds elements in sums.",
    }
    /// If several threads wait for semaphores of a device, only one is woken in time.
    Q30 LOST_WAKE_UPS {
        drivers: [NVIDIA],
        wrong: "Two threads in vkWaitSemaphores for one value: the one wakes 0.1 ms after the signal, the other when it \
                looks again by itself, which is each 10 ms.",
        found: "580.159 on an H200.",
        test: "examples/scale/nbody.py: --threads",
        until: "Both wake in time.",
    }
    /// Adjacent loads of work-group memory are not combined, but vectors of an explicit layout are loaded whole.
    Q31 WHOLE_LOCAL_VECTORS {
        drivers: [NVIDIA],
        wrong: "256 loads of a tile in SGEMM stay LDS, where 68 LDS.128 do: 0.59 of the speed of NVIDIA's OpenCL.",
        found: "580.159 on an H200.",
        test: "compiler/tests/filetests/vectorize_local",
        until: "The driver merges adjacent loads of work-group memory.",
    }
    /// The GPU's clocks fall some seconds after the last work of processes that use Vulkan alone, and need 200 to 400 ms of
    /// work to rise again; they do not fall while a process has a CUDA context.
    Q32 FALLING_CLOCKS {
        drivers: [NVIDIA.discrete()],
        wrong: "10 ms of kernels run at 0.17 of their rate after 1 to 4 s of rest (1,980 to 345 MHz). Neither global priorities \
                nor VK_NVX_binary_import nor short kernels in between keep the clocks up.",
        found: "580.159 on an H200.",
        test: "icd/src/core/device/clock_keeper.rs",
        until: "Clocks stay up while a process has a Vulkan device, as with CUDA.",
    }
    /// All calls are inlined unless a function says DontInline, and compiling the result takes long.
    Q33 INLINED_CALLS {
        drivers: [NVIDIA],
        wrong: "96 calls of sin's 180 instructions take 0.9 s to compile, and 0.4 s as calls.",
        found: "580.159 on an H200.",
        test: "compiler/tests/kept_calls.rs",
        until: "The driver keeps calls of large functions.",
    }
    /// An access of a vector of 64-bit numbers in a storage buffer is split into one access for each number; an access of a
    /// vector of words stays whole.
    Q34 SPLIT_LONG_VECTORS {
        drivers: [NVIDIA],
        wrong: "A double4 is loaded by four LDG.64, and as words by two LDG.128: SHOC's MD of doubles runs at 0.8 of the speed of \
                NVIDIA's OpenCL.",
        found: "580.159 on an H200.",
        test: "spirv-interp/tests/support/mod.rs: SPLIT_LONG_VECTORS",
        until: "The driver loads vectors of 64-bit numbers whole.",
    }
    /// A test in a kernel whether a work-item is within the global size costs more than launches of whole work-groups.
    Q35 SLOW_BOUND_TESTS {
        drivers: [LAVAPIPE],
        wrong: "`if (is_inside) p[i] = q[i];` loads lane by lane, as what stands in any branch does.",
        found: "Mesa 26.2, by its machine code.",
        test: "compiler/tests/launch_metadata.rs",
        until: "Loads in branches are loads of vectors.",
    }
    /// The driver has room for a bounded depth of nested control flow.
    Q36 BOUNDED_NESTING {
        drivers: [LAVAPIPE],
        wrong: "A kernel with branches nested more than 80 deep: the driver has room for 80 masks, and beyond that computes with \
                those of other levels or crashes.",
        found: "By its sources, and measured with Mesa 25.0 and 26.2.",
        test: "compiler/tests/nesting.rs",
        until: "Control flow of any depth computes right.",
    }
    /// Loops that sample images are faster when they are unrolled, even large ones.
    Q37 SLOW_SAMPLING_LOOPS {
        drivers: [LAVAPIPE],
        wrong: "A convolution of 5 by 5 texels: the test of a loop is made for each lane, beside each sample.",
        found: "Mesa 26.2, by `cargo xtask bench`.",
        test: "compiler/tests/images.rs",
        until: "Unrolled loops that sample are no faster.",
    }
    /// Arithmetic of doubles is not much slower than arithmetic of floats, as on every processor.
    Q38 FAST_DOUBLES {
        drivers: [LAVAPIPE],
        wrong: "fma of floats takes several times as long in floats as it does in doubles.",
        found: "Mesa 26.2, by `cargo xtask bench`.",
        test: "compiler/tests/contraction.rs",
        until: "The driver's Fma is one operation that rounds once.",
    }
    /// On Unix, kernels that run for seconds are ended only where a screen is attached to the device, which Vulkan does not
    /// report.
    Q39 NO_WATCHDOG {
        drivers: [NVIDIA],
        wrong: "Launches in slices cost a thread at the first launch of each kernel, where nothing ends long ones.",
        found: "580.159 on an H200: kernels of 4 s run to their end; NVIDIA's documentation of the X option Interactive.",
        test: "icd/tests/python/test_slices.py: test_launches_are_cut",
        until: "Vulkan tells whether a device shows pictures.",
    }
    /// All calls are inlined, and the process ends at a kernel whose variables take more than about a MiB.
    Q40 SMALL_FRAMES {
        drivers: [SWIFTSHADER],
        wrong: "`pow` of doubles that are computed by integers is 68,000 instructions: its pipeline ends in a segmentation \
                fault. What calls share by a loop is executed whole, with masks, in each of its rounds.",
        found: "SwiftShader of Chromium, where erfc with 44,000 instructions runs.",
        test: "compiler/tests/soft_doubles.rs: kernels_that_a_driver_cannot_compile_are_refused",
        until: "SwiftShader calls functions, or refuses such kernels.",
    }
    /// A division of integers that overflows, or by zero, gives some number and nothing else.
    Q41 QUIET_DIVISIONS {
        drivers: NIR_GPUS,
        wrong: "`x % n` of int is 8 instructions more, of which 4 ask whether x is the smallest number and n is -1: 36 of \
                these in a step of the lattice-Boltzmann method are a third of it.",
        found: "By nir_lower_idiv of Mesa 25.0 to 26.2: the quotient is computed by products. Those GPUs have no traps.",
        test: "compiler/tests/mesa_gpus.rs: divisions_that_overflow_need_no_guard",
        until: "The specification leaves only the result undefined.",
    }
    /// Loops that the program does not ask to be unrolled stay as they are, unless they are unrolled completely.
    Q42 PLAIN_LOOPS {
        drivers: [RADV, ANV, TURNIP, HONEYKRISP, PANVK, V3DV],
        wrong: "Four rounds between two tests, and a loop for the rounds that are left, have 2 to 3 times the instructions and \
                up to 4 times the registers (matrix by vector: 48 in place of 12 on NAVI31). What loads that are under way at \
                once save was measured on NVIDIA's GPUs alone.",
        found: "By the code that Mesa 26.2 makes.",
        test: "compiler/tests/mesa_gpus.rs: loops_stay_as_they_are",
        until: "Somebody has measured such loops on one of the GPUs.",
    }
    /// A conversion to half rounds even if its result is converted back at once.
    Q43 KEPT_NARROWINGS {
        drivers: NIR_GPUS,
        wrong: "A conversion to half by integers is 14 instructions in place of one.",
        found: "By the code that Mesa 26.2 makes, and nir_opt_algebraic, which takes such pairs away in mediump alone. With \
                NVIDIA's driver (580) they disappear.",
        test: "compiler/tests/mesa_gpus.rs: halves_are_made_by_the_device",
        until: "No driver removes conversions that round.",
    }
    /// An access of a vector of words is made whole wherever words are aligned.
    Q44 WORD_VECTORS {
        drivers: [ANV, TURNIP, HONEYKRISP],
        wrong: "The 16 words of a block of ChaCha20 are loaded and stored one by one, 19 accesses of memory in place of 8 on \
                Adreno 740: the driver does not see that they are adjacent.",
        found: "By the code that Mesa 26.2 makes of vectors that are aligned to words.",
        test: "compiler/tests/mesa_gpus.rs: words_become_vectors",
        until: "The drivers merge adjacent accesses as well.",
    }
    /// A selection in a loop costs instructions even if one of its ways leads out of the loop.
    Q45 COSTLY_SELECTIONS {
        drivers: NIR_GPUS,
        wrong: "A loop whose test is a selection with the body in one way and a break behind it: five instructions more on \
                Honeykrisp (M1) than if the test breaks itself.",
        found: "By the code that Mesa 26.2 makes: opt_if_loop_terminator takes only ifs with a jump at the end of one way.",
        test: "compiler/tests/mesa_gpus.rs: tests_of_loops_break",
        until: "NIR moves the body out of such selections.",
    }
    /// Both halves of a product of words are computed at once only if one instruction says so.
    Q46 PAIRED_PRODUCTS {
        drivers: [HONEYKRISP],
        wrong: "The ten rounds of Philox, which use both halves of each product, multiply twice as often: 90 instructions in \
                place of 69 on Honeykrisp (M1).",
        found: "By the code that Mesa 26.2 makes.",
        test: "compiler/tests/mesa_gpus.rs: halves_of_products_are_made_at_once",
        until: "The driver pairs products with their upper halves.",
    }
    /// A rotation of a word by a constant is recognized only if its second shift is by the difference of 32 and the distance of
    /// the first, and the distance does not yet show to be constant.
    Q47 SUBTRACTED_ROTATES {
        drivers: [NVK, ANV],
        wrong: "`rotate(x, 7u)` is three instructions in place of one on GPUs that rotate: SHA-256 takes 2,552 instructions in \
                place of 1,538 with NVK on Ampere, and a block of ChaCha20 3,035 cycles in place of 1,554.",
        found: "By the code that Mesa 26.2 makes: nir_opt_algebraic matches the difference, and constants are folded first.",
        test: "compiler/tests/filetests/word_rotates",
        until: "NIR recognizes rotations by constants.",
    }
    /// The sum of a product of words in 64 bits and another number costs no more than the product, and less than masks.
    Q48 SUMMED_PRODUCTS {
        drivers: NIR_GPUS,
        wrong: "mul_hi of ulong as four products and their masked halves: Montgomery's product of 64 bits has twice the inverse \
                throughput on NAVI31, where v_mad_u64_u32 does both.",
        found: "By the code that Mesa 26.2 makes.",
        test: "compiler/tests/mesa_gpus.rs: high_halves_are_chained_sums",
        until: "The driver multiplies 64 bits into 128.",
    }
    /// Counters of 64 bits cost instructions that those of words do not, and so do the addresses that they are indices of.
    Q49 SLOW_LONG_COUNTERS {
        drivers: NIR_GPUS,
        wrong: "`for (size_t i = 0; i < n; i++) s += a[i] * x[i];` has 43 instructions in place of 26 on Honeykrisp (M1), and 1.3 \
                times the inverse throughput on POLARIS10: the counter, its test, and the index that is shifted have two words.",
        found: "By the code that Mesa 26.2 makes.",
        test: "compiler/tests/filetests/long_counters",
        until: "NIR finds what fits in words.",
    }
    /// A small loop with a known number of rounds is unrolled completely by the driver, if that is 32 at most.
    Q50 UNROLLED_BY_DRIVER {
        drivers: [NVK],
        wrong: "Four of 17 rounds between two tests, and a loop for the last one: a convolution of rows from work-group memory \
                takes 10,004 cycles in place of 5,000 on Ampere.",
        found: "By the code that Mesa 26.2 makes, and nak_nir_options (max_unroll_iterations).",
        test: "compiler/tests/mesa_gpus.rs: loops_of_known_length_are_the_drivers",
        until: "Hekla unrolls such loops itself.",
    }
    /// An address that is two words of push constants is put together by two moves; one that is a number of 64 bits there is used
    /// where it is.
    Q51 SPLIT_ADDRESSES {
        drivers: [ANV],
        wrong: "A kernel that moves four floats has four moves more than GLSL: 42 instructions in place of 38 on DG2.",
        found: "By the code that Mesa 26.2 makes.",
        test: "compiler/tests/mesa_gpus.rs: addresses_are_numbers_of_64_bits",
        until: "The driver joins words of push constants that lie side by side.",
    }
    /// Minima and maxima of floats order zeros by their signs, which OpenCL does not ask for.
    Q52 ORDERED_ZEROS {
        drivers: [HONEYKRISP],
        wrong: "fmin and fmax are five instructions in place of one or two: the median of nine numbers has 137 instructions in \
                place of 75 on Honeykrisp (M1).",
        found: "By the code that Mesa 26.2 makes.",
        test: "compiler/tests/filetests/minima",
        until: "VK_KHR_shader_float_controls2 tells the driver which operations need signs of zeros.",
    }
    /// Volatile accesses to work-group memory change places with others.
    Q53 UNORDERED_VOLATILE {
        drivers: [NVIDIA],
        wrong: "A sum by 32 work-items in step, through volatile local memory without barriers, as in Boost.Compute and NVIDIA's \
                samples, is 15 in place of 147: loads are moved in front of the stores of the step before.",
        found: "580.159 on an H200; right with a fence between the accesses, and with NVIDIA's OpenCL.",
        test: "compiler/tests/filetests/volatile_order",
        until: "The sum is right without fences.",
    }
    /// The driver unrolls loops of an unknown number of rounds if they have some twenty instructions, and no larger ones, so that
    /// their counters and tests are a tenth of the time.
    Q54 ROLLED_LOOPS {
        drivers: [NVIDIA],
        wrong: "Random numbers by shifts, in a loop of 28 instructions, have 0.79 of the rate that they have with NVIDIA's OpenCL, \
                and 0.98 with four rounds between two tests; a round of Salsa20 0.95 and 0.99. Loops of 10 to 20 instructions \
                that the driver unrolls itself lose up to 6 percent if Hekla does.",
        found: "580.159 on an H200.",
        test: "compiler/tests/unroll_quirks.rs: larger_loops_are_unrolled",
        until: "The driver unrolls them.",
    }
    /// A product of 64 bits of an extended word and a constant, as an index of memory is, is shifts and sums of two words each; a
    /// product of words that has 64 bits is one instruction.
    Q55 SPLIT_PRODUCTS {
        drivers: [NVK],
        wrong: "The place of a structure of 48 bytes in an array is six instructions in place of one. A step of the \
                lattice-Boltzmann method has 460 instructions, and 419 with products of words (Mesa 25.0).",
        found: "By the code that Mesa 25.0 and 26.2 make.",
        test: "compiler/tests/mesa_gpus.rs: indices_are_products_of_words",
        until: "The driver sees that the operand is an extended word.",
    }
    /// An index that is extended and added to an address takes one more instruction if it is a sum, in each copy of a loop's body.
    Q56 ROWS_FIRST {
        drivers: [NVK],
        wrong: "Each of four rounds between two tests adds, extends and scales `row + i` again: k-means takes 13,005 cycles in \
                place of 12,333 on Ampere, a product of rows of bytes 20,683 in place of 17,627.",
        found: "By the code that Mesa 26.2 makes. With RADV, Turnip and Honeykrisp the code is as fast or slower.",
        test: "compiler/tests/filetests/licm/rows.ir",
        until: "The driver moves rows out of loops.",
    }
    /// A product of indices takes as long as four sums, and the driver does not see that it is a sum away from an earlier one.
    Q57 SLOW_PRODUCTS {
        drivers: [RADV, ANV, TURNIP, HONEYKRISP, PANVK, V3DV],
        wrong: "`(y - 1) * w + x`, `y * w + x` and `(y + 1) * w + x` are three products: a stencil takes 48 in place of 36 cycles of \
                inverse throughput on NAVI31, one of seven points 67 in place of 49 (Adreno 740: 129 and 102).",
        found: "By the code that Mesa 26.2 makes. On NVIDIA's GPUs a product takes as long as a sum: with NVK k-means and a product \
                of matrices have 2 and 1 percent more instructions with it.",
        test: "compiler/tests/mesa_gpus.rs: products_a_step_away_are_sums",
        until: "NIR does so.",
    }
}

impl Quirks {
    /// Returns the quirks of a driver.
    pub fn of(driver: &Driver<'_>) -> Quirks {
        let applies =
            |(_, drivers): &&(Quirks, &[Drivers])| drivers.iter().any(|d| d.contain(driver));
        DRIVERS.iter().filter(applies).map(|(quirk, _)| *quirk).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn quirks_are_numbered_without_gaps() {
        assert_eq!(DESCRIPTIONS.len(), DRIVERS.len());
        for (index, description) in DESCRIPTIONS.iter().enumerate() {
            assert_eq!(description.number, format!("Q{:02}", index + 1));
            assert_eq!(description.quirk.bits(), 1 << index);
        }
    }

    #[test]
    fn every_quirk_is_described_and_has_drivers() {
        for (description, (quirk, drivers)) in DESCRIPTIONS.iter().zip(DRIVERS) {
            let Description { number, wrong, found, until, .. } = description;
            assert_eq!(description.quirk, *quirk, "{number}");
            assert!(!drivers.is_empty(), "{number}");
            for text in [wrong, found, until] {
                assert!(text.contains(' ') && text.ends_with('.'), "{number}: {text}");
            }
        }
    }

    /// Each test that a row names is a file or folder of the workspace, and contains the function that the row names.
    #[test]
    fn every_quirk_has_a_test() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for Description { number, test, .. } in DESCRIPTIONS {
            let (file, function) = test.split_once(": ").unwrap_or((test, ""));
            let path = root.join(file);
            assert!(path.exists(), "{number}: there is no {file}");
            let text = std::fs::read_to_string(path).unwrap_or_default();
            assert!(text.contains(function), "{number}: {file} has no {function}");
        }
    }

    #[test]
    fn a_driver_that_is_not_in_the_table_has_no_quirks() {
        for id in [0, 1, 2, 5, 8, 9, 14, 1000] {
            let id = DriverId(id);
            let driver = Driver { id, version: 580 << 22, info: "Mesa 22.3.6", is_discrete: true };
            assert_eq!(Quirks::of(&driver), Quirks::empty());
        }
    }
}
