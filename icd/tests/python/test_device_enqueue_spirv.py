"""Queues on the device in SPIR-V (3.49.23, the capability DeviceEnqueue): the kernels of spirv/device_enqueue.spvasm."""

import shutil
import subprocess

import numpy as np
import pyopencl as cl
import pytest
import raw
import spirv_text
from test_device_enqueue import CLK_ENQUEUE_FAILURE, device_queue, run

TEXT = (spirv_text.FOLDER / "device_enqueue.spvasm").read_text()
SPIRV_VERSION = "1.2"
CL_DEVICE_SPIRV_CAPABILITIES, DEVICE_ENQUEUE = 0x12BB, 19


def build(m, text=TEXT, *options):
    program = cl.Program(m.context, spirv_text.assemble(text, SPIRV_VERSION)).build(options=list(options))
    return {kernel.function_name: kernel for kernel in program.all_kernels()}


def test_the_capability_is_that_of_devices_with_queues(m):
    capabilities = np.frombuffer(raw.device_info(m.device.int_ptr, CL_DEVICE_SPIRV_CAPABILITIES), np.uint32)
    has_queues = "__opencl_c_device_enqueue" in [feature.name for feature in m.device.opencl_c_features]
    assert (DEVICE_ENQUEUE in capabilities) == has_queues


@pytest.fixture
def kernels(m, device_queue):
    return build(m)


def test_programs_do_not_see_kernels_of_functions(m, kernels):
    """Nor entry points that compilers make of blocks."""
    names = {"plain", "spaces", "locals", "ordered", "failing", "profiled", "chain", "wide", "told"}
    assert set(kernels) == names
    plain = kernels["plain"]
    assert plain.get_arg_info(1, cl.kernel_arg_info.TYPE_NAME) == "queue_t"
    with pytest.raises(cl.LogicError, match="INVALID_DEVICE_QUEUE|INVALID_ARG"):
        plain.set_arg(1, m.empty(8))


def test_ranges_and_queues(m, kernels, device_queue):
    """Ranges of one to three dimensions, by value and by pointer; a queue that is an argument, and none."""
    out = run(m, kernels["plain"], 1, 40, device_queue)
    want = np.zeros(40, np.int32)
    want[16:24] += 1
    want[:4] += 6 * 100
    want[10:12] += 3 * 4 * 1000
    assert list(out[:32]) == list(want[:32])
    assert list(out[32:36]) == [0, 0, 0, CLK_ENQUEUE_FAILURE]


def test_bytes_come_in_the_memory_that_the_function_wants(m, kernels):
    """Global, generic and private memory; in private memory each work-item has its own."""
    assert list(run(m, kernels["spaces"], 1, 9)) == [1 + 20 + 20] * 4 + [0] * 5


def test_local_arguments(m, kernels):
    i = np.arange(64)
    want = 3 * (i // 16 * 16 + 15 - i % 16)
    assert list(run(m, kernels["locals"], 1, 65, np.uint32(64))) == [*want, 0]


def test_events_order_what_is_enqueued(m, kernels):
    assert list(run(m, kernels["ordered"], 1, 3)) == [123, 1, 0]


def test_what_waits_for_a_failure_does_not_run(m, kernels, device_queue):
    assert list(run(m, kernels["failing"], 1, 4)) == [0, 0, CLK_ENQUEUE_FAILURE, CLK_ENQUEUE_FAILURE]
    with_errors = build(m, TEXT, "-g")
    assert list(run(m, with_errors["failing"], 1, 4)) == [0, 0, -57, -57]


def test_times(m, kernels):
    out = run(m, kernels["profiled"], 1, 8)
    end, complete = out[4:8].view(np.uint64)
    assert out[0] == 7
    assert 0 < end <= complete if m.has_profiling else end == complete == 0


@pytest.mark.parametrize("levels", [1, 2, 6])
def test_a_function_that_enqueues_itself(m, kernels, levels):
    assert run(m, kernels["chain"], 1, 1, np.uint32(levels))[0] == 2**levels - 1


def test_large_vectors_are_aligned(m, kernels):
    assert list(run(m, kernels["wide"], 1, 3)) == [87, 0, 0]


def test_what_kernels_learn_of_others(m, kernels):
    out = run(m, kernels["told"], 1, 7)
    in_c = m.build("""
        kernel void k(global int *out) {
            void (^block)(void) = ^{ out[9] = 1; };
            size_t g[3] = {2, 3, 4}, l[3] = {1, 3, 2};
            ndrange_t range = ndrange_3D(g, l);
            out[0] = get_kernel_work_group_size(block);
            out[1] = get_kernel_preferred_work_group_size_multiple(block);
            out[2] = get_kernel_max_sub_group_size_for_ndrange(range, block);
            out[3] = get_kernel_sub_group_count_for_ndrange(range, block);
        }""", ["-cl-std=CL2.0"]).all_kernels()[0]
    assert list(out[:4]) == list(run(m, in_c, 1, 4))
    size, subgroup = out[0], out[2]
    assert out[4] == -(-size // subgroup)
    assert list(out[5:]) == [2 * subgroup if 2 * subgroup <= size else 0, 0]


def test_linking_and_binaries(m, device_queue):
    """Kernels of functions have other numbers in a linked program, and in one from its binary."""
    in_c = cl.Program(m.context, """
        kernel void other(global int *out) {
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[0] = 77; });
        }""").compile(["-cl-std=CL3.0"])
    module = cl.Program(m.context, spirv_text.assemble(TEXT, SPIRV_VERSION)).compile()
    program = cl.link_program(m.context, [in_c, module])
    binary = program.get_info(cl.program_info.BINARIES)[0]
    again = cl.Program(m.context, [m.device], [binary]).build()
    for built in (program, again):
        assert built.num_kernels == 10
        assert list(run(m, built.other, 1, 1)) == [77]
        assert list(run(m, built.ordered, 1, 3)) == [123, 1, 0]
        assert list(run(m, built.chain, 1, 1, np.uint32(3))) == [7]


# A part of the text, what replaces it, and what the build log says of that.
WRONG = {
    "queue": ("%plain_1 = OpEnqueueKernel %uint %plain_queue", "%plain_1 = OpEnqueueKernel %uint %u0", "is not a queue"),
    "flags": ("%plain_queue %u0 %plain_range1", "%plain_queue %l0 %plain_range1", "not an integer of 32 bits"),
    "range": ("%plain_queue %u0 %plain_range1", "%plain_queue %u0 %u0", "its range is not of the type"),
    "range by pointer": ("%plain_queue %u1 %plain_range ", "%plain_queue %u1 %plain_pair ", "its range is not of the type"),
    "count": ("%plain_range1 %u0 %no_events", "%plain_range1 %l0 %no_events", "not an integer of 32 bits"),
    "wait list": ("%plain_range1 %u0 %no_events %no_events", "%plain_range1 %u0 %plain_bytes %no_events", "is not a pointer to events"),
    "event": ("%plain_range1 %u0 %no_events %no_events", "%plain_range1 %u0 %no_events %u0", "is not a pointer"),
    "function": ("%no_events %sum %wide_bytes", "%no_events %u0 %wide_bytes", "is not a function"),
    "function without a pointer": ("%add_private %spaces_generic %u16", "%chain %spaces_generic %u16", "behind the first is not a pointer to local memory"),
    "function of another kind": ("%add_private %spaces_generic %u16", "%ordered_u %spaces_generic %u16", "is not a pointer"),
    "bytes": ("%add_private %spaces_generic %u16", "%add_private %u0 %u16", "is not a pointer"),
    "size": ("%add_private %spaces_generic %u16", "%add_private %spaces_generic %spaces_1", "size of what the function takes is not a constant"),
    "too many bytes": ("%add_private %spaces_generic %u16", "%add_private %spaces_generic %failed", "takes more than 4096 bytes"),
    "alignment": ("%add_private %spaces_generic %u16 %u8", "%add_private %spaces_generic %u16 %u12", "cannot be aligned so"),
    "large alignment": ("%add_private %spaces_generic %u16 %u8", "%add_private %spaces_generic %u16 %failed", "cannot be aligned so"),
    "too few local sizes": ("%u8 %u8 %locals_size %locals_pointed", "%u8 %u8 %locals_size", "sizes of 1 local arguments, of which the function has 2"),
    "too many local sizes": ("%add_private %spaces_generic %u16 %u8", "%add_private %spaces_generic %u16 %u8 %u8", "of which the function has 0"),
    "local size": ("%u8 %u8 %locals_size %locals_pointed", "%u8 %u8 %locals_size %locals_pair", "does not point to a size"),
    "result": ("%spaces_1 = OpEnqueueKernel %uint", "%spaces_1 = OpEnqueueKernel %ulong", "not that of an integer of 32 bits"),
    "sizes of a range": ("%plain_range3 = OpBuildNDRange %range %sizes3 %locals3", "%plain_range3 = OpBuildNDRange %range %sizes3 %sizes2", "differ in dimensions"),
    "a size of a range": ("OpBuildNDRange %range %l8 %l0 %l16", "OpBuildNDRange %range %u8 %l0 %l16", "neither a size nor an array"),
    "a type of a range": ("OpBuildNDRange %range %l8", "OpBuildNDRange %pair %l8", "its range is not of the type"),
    "a status": ("OpSetUserEventStatus %ord_created %u0", "OpSetUserEventStatus %ord_created %l0", "not an integer of 32 bits"),
    "an event that is set": ("OpSetUserEventStatus %ord_created %u0", "OpSetUserEventStatus %u0 %u0", "not an event of the device"),
    "an event that is retained": ("OpRetainEvent %ord_created", "OpRetainEvent %ord_queue", "not an event of the device"),
    "an event that is asked for": ("OpIsValidEvent %bool %no_event", "OpIsValidEvent %bool %no_queue", "not an event of the device"),
    "an answer": ("%ord_queue = OpGetDefaultQueue %queue", "%ord_queue = OpGetDefaultQueue %event", "its type is not that of its result"),
    "a new event": ("%ord_created = OpCreateUserEvent %event", "%ord_created = OpCreateUserEvent %ulong", "its type is not that of its result"),
    "other times": ("OpCaptureEventProfilingInfo %prof_now %u1", "OpCaptureEventProfilingInfo %prof_now %u2", "is not the constant CmdExecTime"),
    "place of times": ("%prof_now %u1 %prof_place_bytes", "%prof_now %u1 %prof_bytes", "is not a pointer to global memory"),
    "a range of a query": ("OpGetKernelNDrangeSubGroupCount %uint %told_range", "OpGetKernelNDrangeSubGroupCount %uint %told_bytes", "its range is not of the type"),
    "a count of a query": ("OpGetKernelLocalSizeForSubgroupCount %uint %u2", "OpGetKernelLocalSizeForSubgroupCount %uint %l2", "not an integer of 32 bits"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_operands_are_errors_of_the_build(m, device_queue, case):
    part, other, message = WRONG[case]
    assert TEXT.count(part) == 1, part
    text = TEXT.replace(part, other).replace("%ordered_u", "%takes_number_only")
    text += """
%number_only = OpTypeFunction %void %uint
%takes_number_only = OpFunction %void None %number_only
%tno_number = OpFunctionParameter %uint
%tno_entry = OpLabel
OpReturn
OpFunctionEnd
"""
    # Types stand before functions.
    line = "%number_only = OpTypeFunction %void %uint\n"
    text = text.replace(line, "").replace("%global_id = OpVariable", line + "%global_id = OpVariable")
    with pytest.raises(cl.RuntimeError, match=message):
        build(m, text)


# The translator from LLVM, with a clang that writes what it reads.
LLVM_VERSIONS = range(14, 16)


def translated(source, level):
    """The SPIR-V of a program by clang and llvm-spirv; the test is skipped where they are not."""
    for version in LLVM_VERSIONS:
        clang, translator = shutil.which(f"clang-{version}"), shutil.which(f"llvm-spirv-{version}")
        if clang and translator:
            break
    else:
        pytest.skip("clang and llvm-spirv of one version are not installed")
    command = [clang, "--target=spir64", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header", level, "-x", "cl",
               "-emit-llvm", "-c", "-o", "-", "-"]
    bitcode = subprocess.run(command, input=source.encode(), capture_output=True, check=True).stdout
    return subprocess.run([translator, "-o", "-", "-"], input=bitcode, capture_output=True, check=True).stdout


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
def test_by_clang_and_the_translator(m, device_queue, level):
    """Blocks of clang: a header before what they captured, ranges by pointer, and images as large as pointers."""
    module = translated("""
        kernel void k(global int *out, int n, read_only image2d_t image, queue_t given) {
            queue_t q = get_default_queue();
            size_t o[2] = {1, 2}, g[2] = {4, 6}, l[2] = {2, 3}, g3[3] = {2, 2, 2};
            sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP;
            float8 f = (float8)(n, 1, 2, 3, 4, 5, 6, 7);
            clk_event_t user = create_user_event(), first, marker;
            int e = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(16, 4), ^{ out[get_global_id(0)] = n; });
            e |= enqueue_kernel(given, 0, ndrange_2D(o, g, l), ^{ atomic_add(out + 16, n * get_local_size(1)); });
            e |= enqueue_kernel(given, 0, ndrange_3D(g3), ^{ atomic_add(out + 17, (int)(f.s0 + f.s7)); });
            e |= enqueue_kernel(q, 0, ndrange_1D(4, 4), 1, &user, &first, ^(local void *a, local void *b) {
                local int *x = a; local long *y = b;
                int i = get_local_id(0);
                x[i] = i; y[3 - i] = n;
                barrier(CLK_LOCAL_MEM_FENCE);
                out[18 + i] = x[3 - i] + (int)y[i];
            }, 16, 4 * sizeof(long));
            e |= enqueue_marker(q, 1, &first, &marker);
            e |= enqueue_kernel(q, 0, ndrange_1D(1), 1, &marker, NULL, ^{
                int tail = n;
                out[22] = out[21] + read_imagei(image, sampler, (int2)(1, 0)).x + tail;
            });
            void (^asked)(void) = ^{ out[9] = n; };
            out[23] = get_kernel_work_group_size(asked) > 0 && is_valid_event(first);
            set_user_event_status(user, CL_COMPLETE);
            release_event(user); release_event(first); release_event(marker);
            out[24] = e;
        }""", level)
    kernel, = cl.Program(m.context, module).build().all_kernels()
    image = cl.create_image(m.context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR,
                            cl.ImageFormat(cl.channel_order.R, cl.channel_type.SIGNED_INT32), shape=(2, 1),
                            hostbuf=np.array([1000, 2000], np.int32))
    got = run(m, kernel, 1, 25, np.int32(5), image, device_queue)
    assert list(got[:16]) == [5] * 16
    assert list(got[16:]) == [24 * 5 * 3, 8 * 12, 8, 7, 6, 5, 5 + 2000 + 5, 1, 0]
