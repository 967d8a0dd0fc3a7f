"""Runs the cases of check_proofs.py in a process of its own: `check_runner.py NUMBER...`, with HEKLA_CHECK set.

Before each case, `== NUMBER` is written to both streams; after it, what the first buffer holds goes to the standard output.
"""

import os
import sys

import check_proofs
import numpy as np
import pyopencl as cl
import spirv_text

FLAGS = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR


def give_contents(queue, buffer, way):
    """Makes the ints of a buffer 3, by commands of a kind."""
    ints = np.full(buffer.size // 4, 3, np.int32)
    if way == "write":
        cl.enqueue_copy(queue, buffer, ints)
    elif way == "fill":
        cl.enqueue_fill_buffer(queue, buffer, ints[:1], 0, buffer.size)
    elif way == "copy":
        cl.enqueue_copy(queue, buffer, cl.Buffer(buffer.context, FLAGS, hostbuf=ints))
    elif way == "map":
        mapped, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.WRITE, 0, ints.shape, np.int32)
        mapped[:] = ints
        mapped.base.release(queue)
    elif way == "part":
        cl.enqueue_copy(queue, buffer.get_sub_region(0, buffer.size), ints)
    elif way == "kernel":
        program = cl.Program(buffer.context, "kernel void f(global int *a) { a[get_global_id(0)] = 3; }").build()
        program.f(queue, ints.shape, None, buffer)


def run(context, queue, case):
    text = case.source if case.line is None else spirv_text.assemble(case.source)
    program = cl.Program(context, text).build(options=case.options)
    kernel = program.k
    first, kept = None, []
    for index, arg in enumerate(case.args):
        what = arg[0] if isinstance(arg, tuple) else "number"
        if what in ("buffer", "zeros"):
            ints = np.arange((arg[1] + 3) // 4, dtype=np.int32) * (what == "buffer")
            data = np.frombuffer(ints.tobytes()[:arg[1]], np.uint8)
            buffer = cl.Buffer(context, FLAGS, hostbuf=data)
            first = first or (buffer, arg[1])
            kernel.set_arg(index, buffer)
            kept.append(buffer)
        elif what == "sub":
            whole = cl.Buffer(context, FLAGS, hostbuf=np.arange(1024, dtype=np.int32))
            part = whole.get_sub_region(arg[1], arg[2])
            kernel.set_arg(index, part)
            kept.extend([whole, part])
            first = first or (part, arg[2])
        elif what == "rest":
            part = kept[0].get_sub_region(arg[1], arg[2])
            kernel.set_arg(index, part)
            kept.append(part)
        elif what == "same":
            kernel.set_arg(index, first[0])
        elif what == "new":
            # Without contents, which come in this way, if any.
            buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, arg[1])
            give_contents(queue, buffer, arg[2] if len(arg) > 2 else "")
            first = first or (buffer, arg[1])
            kernel.set_arg(index, buffer)
            kept.append(buffer)
        elif what == "image":
            # Width, height and depth as far as there are any; of `layers` an array.
            size, layers = arg[1], arg[2] if len(arg) > 2 else 0
            kinds = cl.mem_object_type
            kind = [kinds.IMAGE1D, kinds.IMAGE2D, kinds.IMAGE3D][len(size) - 1] if not layers else kinds.IMAGE2D_ARRAY
            form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
            desc = cl.ImageDescriptor()
            desc.image_type, desc.shape, desc.array_size = kind, (*size, 1, 1)[:3], layers
            desc.pitches, desc.num_mip_levels, desc.num_samples, desc.buffer = (0, 0), 0, 0, None
            texels = np.ones(int(np.prod(size)) * max(layers, 1) * 4, np.float32)
            image = cl.Image(context, FLAGS, form, desc=desc, hostbuf=texels)
            kernel.set_arg(index, image)
            kept.append(image)
        elif what == "texels":
            form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
            desc = cl.ImageDescriptor()
            desc.image_type, desc.shape, desc.buffer = cl.mem_object_type.IMAGE1D_BUFFER, (arg[1], 1, 1), kept[0]
            desc.array_size, desc.pitches, desc.num_mip_levels, desc.num_samples = 0, (0, 0), 0, 0
            image = cl.Image(context, cl.mem_flags.READ_WRITE, form, desc=desc)
            kernel.set_arg(index, image)
            kept.append(image)
        elif what == "sampler":
            mode = cl.addressing_mode.NONE if arg[1] == "none" else cl.addressing_mode.CLAMP
            sampler = cl.Sampler(context, False, mode, cl.filter_mode.NEAREST)
            kernel.set_arg(index, sampler)
            kept.append(sampler)
        elif what == "local":
            kernel.set_arg(index, cl.LocalMemory(arg[1]))
        elif what == "null":
            kernel.set_arg(index, None)
        elif what == "svm":
            memory = cl.csvm_empty(context, arg[1] // 4, np.int32)
            kernel.set_arg(index, cl.SVM(memory[arg[2] // 4:] if len(arg) > 2 else memory))
            kept.append(memory)
        elif what == "address":
            memory = cl.csvm_empty(context, arg[1] // 4, np.int32)
            buffer = cl.Buffer(context, FLAGS, hostbuf=np.array([memory.ctypes.data] * 8, np.uint64))
            kernel.set_arg(index, buffer)
            kept.extend([buffer, memory])
        elif what == "freed":
            memory = cl.csvm_empty(context, arg[1] // 4, np.int32)
            # Not its beginning, where other memory may be by then.
            middle = memory.ctypes.data + arg[1] // 2
            buffer = cl.Buffer(context, FLAGS, hostbuf=np.array([middle] * 8, np.uint64))
            del memory
            kernel.set_arg(index, buffer)
            kept.append(buffer)
        elif what == "shared":
            kernel.set_arg(index, cl.SVM(kept[-1]))
        else:
            kernel.set_arg(index, np.int32(arg))
    sizes = [size if isinstance(size, tuple) else (size,) for size in case.size]
    cl.enqueue_nd_range_kernel(queue, kernel, *sizes).wait()
    queue.finish()
    if first:
        result = np.empty(first[1], np.uint8)
        cl.enqueue_copy(queue, result, first[0])
        return result[:first[1] // 4 * 4].view(np.int32).tolist()
    return []


def main():
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    for number in map(int, sys.argv[1:]):
        for stream in (1, 2):
            os.write(stream, f"== {number}\n".encode())
        try:
            os.write(1, f"{run(context, queue, check_proofs.CASES[number])}\n".encode())
        except cl.Error as error:
            os.write(1, f"error: {error}\n".encode())


if __name__ == "__main__":
    main()
