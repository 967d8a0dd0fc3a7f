//! Images and samplers as arguments of a kernel, which comes as a program binary.

use crate::*;
use hekla::core::cache::key::key;
use hekla::core::program::binary::{write, Content};
use hekla_compiler::kernel::{
    Arg, ArgAddress, ArgKind, ArgumentField, Field, ImageAccess, ImageDim, Kernel,
};
use hekla_compiler::Program;
use hekla_vk_backend::asm::{KernelBuilder, Op};
use hekla_vk_backend::{Binding, ImageKind};

fn arg(name: &str, kind: ArgKind) -> Arg {
    let address = match kind {
        ArgKind::Sampler => ArgAddress::Private,
        _ => ArgAddress::Global,
    };
    let (name, type_name) = (name.to_string(), String::new());
    Arg { name, type_name, kind, address, is_const: false, is_restrict: false, is_volatile: false }
}

/// `kernel void copy(read_only image2d_t in, write_only image2d_t out, sampler_t s, global uint *words)`: copies row 0 of
/// an image that is four texels wide, and stores the sampler's word.
fn copy() -> Program {
    let mut k = KernelBuilder::new(4);
    k.local_size_constants([0, 1, 2]);
    let (uint, float, pair) = (k.uint(), k.float(32), k.uints(2));
    let sources = k.images(Binding::SampledImage, ImageKind::D2, float);
    let targets = k.images(Binding::StorageImage, ImageKind::D2, float);
    let mask = k.constant(0xFFFF);
    let [source, target] = [0, 1].map(|number| {
        let word = k.push_word(number);
        k.binary(Op::BitwiseAnd, uint, word, mask)
    });
    let (sampler, zero, i) = (k.push_word(2), k.constant(0), k.global_id_x());
    let at = k.compose(pair, &[i, zero]);
    let texel = k.fetch(sources, source, at);
    k.write_image(targets, target, at, texel);
    k.store(3, uint, i, sampler);
    let image = |access| ArgKind::Image { dim: ImageDim::D2, depth: false, access };
    let kernel = Kernel {
        name: "copy".into(),
        spirv: k.finish(),
        args: vec![
            arg("in", image(ImageAccess::ReadOnly)),
            arg("out", image(ImageAccess::WriteOnly)),
            arg("s", ArgKind::Sampler),
            arg("words", ArgKind::Buffer),
        ],
        argument_fields: (0..4)
            .map(|i| ArgumentField { field: Field::Arg(i), offset: 8 * i })
            .collect(),
        argument_buffer_size: 32,
        arguments_in_push_constants: true,
        arg_info: true,
        uses_images: true,
        ..Kernel::default()
    };
    Program { kernels: vec![kernel], uniform_groups: true, ..Program::default() }
}

/// Returns the kernel, built from a binary for each device.
fn kernel(context: cl_context, devices: &[cl_device_id]) -> cl_kernel {
    let target = |device: &cl_device_id| {
        let device = Ref::<hekla::core::device::Device>::from_handle(*device).unwrap();
        device.gpu().unwrap().target.clone()
    };
    // This process's library wrote the binary, so it uses the modules as they are.
    let binary = |device| write(Content::Executable(&copy(), None), &target(device), key());
    let binaries: Vec<_> = devices.iter().map(binary).collect();
    let lengths: Vec<_> = binaries.iter().map(Vec::len).collect();
    let pointers: Vec<_> = binaries.iter().map(|binary| binary.as_ptr()).collect();
    let count = devices.len() as u32;
    let program = made(|e| unsafe {
        clCreateProgramWithBinary(
            context,
            count,
            devices.as_ptr(),
            lengths.as_ptr(),
            pointers.as_ptr(),
            null_mut(),
            e,
        )
    });
    check(unsafe { clBuildProgram(program, 0, null(), null(), None, null_mut()) });
    made(|e| unsafe { clCreateKernel(program, c"copy".as_ptr(), e) })
}

fn set<T>(kernel: cl_kernel, index: u32, value: &T) -> cl_int {
    unsafe { clSetKernelArg(kernel, index, size_of::<T>(), std::ptr::from_ref(value).cast()) }
}

fn queue(context: cl_context, device: cl_device_id) -> cl_command_queue {
    made(|e| unsafe { clCreateCommandQueue(context, device, 0, e) })
}

fn launch(queue: cl_command_queue, kernel: cl_kernel) -> cl_int {
    let size = 4;
    unsafe {
        clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, null(), 0, null(), null_mut())
    }
}

fn sampler(context: cl_context) -> cl_sampler {
    let (mode, filter) = (CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR);
    made(|e| unsafe { clCreateSampler(context, CL_FALSE, mode, filter, e) })
}

/// A row of four texels.
fn row(context: cl_context, flags: cl_mem_flags, format: cl_image_format, bytes: &[u8]) -> cl_mem {
    let given = desc(CL_MEM_OBJECT_IMAGE2D, [4, 1, 0], 0);
    let flags = flags | CL_MEM_COPY_HOST_PTR;
    image(context, flags, format, &given, bytes.as_ptr().cast_mut().cast())
}

#[test]
fn a_kernel_gets_images_and_samplers() {
    let devices = devices();
    let context = context_of(&devices[..1]);
    let (kernel, queue) = (kernel(context, &devices[..1]), queue(context, devices[0]));
    let bgra = cl_image_format { image_channel_order: CL_BGRA, ..RGBA8 };
    let bytes = pattern(16);
    let before = row(context, CL_MEM_READ_ONLY, bgra, &bytes);
    let after = row(context, CL_MEM_WRITE_ONLY, RGBA8, &[0; 16]);
    let words = made(|e| unsafe { clCreateBuffer(context, 0, 16, null_mut(), e) });
    let sampler = sampler(context);
    check(set(kernel, 0, &before));
    check(set(kernel, 1, &after));
    check(set(kernel, 2, &sampler));
    check(set(kernel, 3, &words));
    // The word in the argument does not need the sampler any more, and a launch keeps the objects that it uses.
    check(unsafe { clReleaseSampler(sampler) });
    check(launch(queue, kernel));
    check(unsafe { clReleaseMemObject(before) });
    check(unsafe { clFinish(queue) });
    let swapped: Vec<u8> = bytes.chunks(4).flat_map(|t| [t[2], t[1], t[0], t[3]]).collect();
    assert_eq!(texels_on(after, 0), swapped);
    let mut word = [0u32; 4];
    let place = word.as_mut_ptr().cast();
    check(unsafe {
        clEnqueueReadBuffer(queue, words, CL_TRUE, 0, 16, place, 0, null(), null_mut())
    });
    assert_eq!(word, [1 << 1 | 16; 4]);
    assert_eq!(launch(queue, kernel), CL_INVALID_KERNEL_ARGS, "an image is gone");
}

#[test]
fn arguments_of_the_wrong_kind_are_refused() {
    let devices = devices();
    let context = context_of(&devices[..1]);
    let kernel = kernel(context, &devices[..1]);
    let stranger = context_of(&devices[..1]);
    let of = |context, flags, image_type, size| {
        image(context, flags, RGBA8, &desc(image_type, size, 1), null_mut())
    };
    let (flat, line) = (CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE1D);
    let none: cl_mem = null_mut();
    let buffer = made(|e| unsafe { clCreateBuffer(context, 0, 16, null_mut(), e) });
    for bad in [none, buffer, of(context, 0, line, [4, 0, 0])] {
        assert_eq!(set(kernel, 0, &bad), CL_INVALID_MEM_OBJECT);
    }
    let size = size_of::<cl_mem>();
    assert_eq!(unsafe { clSetKernelArg(kernel, 0, size, null()) }, CL_INVALID_MEM_OBJECT);
    let good = of(context, 0, flat, [4, 1, 0]);
    assert_eq!(set(kernel, 0, &[good; 2]), CL_INVALID_ARG_SIZE);
    assert_eq!(set(kernel, 3, &good), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(kernel, 0, &of(stranger, 0, flat, [4, 1, 0])), CL_INVALID_CONTEXT);
    let write_only = of(context, CL_MEM_WRITE_ONLY, flat, [4, 1, 0]);
    assert_eq!(set(kernel, 0, &write_only), CL_INVALID_ARG_VALUE);
    let read_only = of(context, CL_MEM_READ_ONLY, flat, [4, 1, 0]);
    assert_eq!(set(kernel, 1, &read_only), CL_INVALID_ARG_VALUE);
    assert_eq!(set(kernel, 2, &none), CL_INVALID_SAMPLER);
    assert_eq!(set(kernel, 2, &good), CL_INVALID_SAMPLER);
    assert_eq!(set(kernel, 2, &[sampler(context); 2]), CL_INVALID_ARG_SIZE);
    assert_eq!(set(kernel, 2, &sampler(stranger)), CL_INVALID_CONTEXT);
    // Formats that kernels only read cannot be written.
    let packed = cl_image_format {
        image_channel_order: CL_RGB,
        image_channel_data_type: CL_UNORM_INT_101010,
    };
    check(set(kernel, 0, &good));
    check(set(kernel, 1, &row(context, 0, packed, &[0; 16])));
    check(set(kernel, 2, &sampler(context)));
    check(set(kernel, 3, &buffer));
    let queue = queue(context, devices[0]);
    assert_eq!(launch(queue, kernel), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    let qualifier = |index| {
        let (mut value, name) = (0u32, CL_KERNEL_ARG_ACCESS_QUALIFIER);
        let place = (&raw mut value).cast();
        check(unsafe { clGetKernelArgInfo(kernel, index, name, 4, place, null_mut()) });
        value
    };
    let [read, write, other] = [0, 1, 2].map(qualifier);
    assert_eq!((read, write), (CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ACCESS_WRITE_ONLY));
    assert_eq!(other, CL_KERNEL_ARG_ACCESS_NONE);
}

/// An image is moved to the device that needs it: what one device has written, the other reads.
#[test]
fn images_move_between_devices() {
    let devices = devices();
    if devices.len() < 2 || name(devices[0]) == name(devices[1]) {
        skip("there is no second device");
        return;
    }
    let context = context_of(&devices);
    let kernel = kernel(context, &devices);
    let queues = [0, 1].map(|device| queue(context, devices[device]));
    let bytes = pattern(16);
    let first = row(context, 0, RGBA8, &bytes);
    let given = desc(CL_MEM_OBJECT_IMAGE2D, [4, 1, 0], 0);
    let others = [0; 2].map(|_| image(context, 0, RGBA8, &given, null_mut()));
    let words = made(|e| unsafe { clCreateBuffer(context, 0, 16, null_mut(), e) });
    check(set(kernel, 2, &sampler(context)));
    check(set(kernel, 3, &words));
    // First runs on device 1, then on device 0 with the result.
    for (from, to, device) in [(first, others[0], 1), (others[0], others[1], 0)] {
        check(set(kernel, 0, &from));
        check(set(kernel, 1, &to));
        let event = std::ptr::null_mut::<cl_event>();
        let size = 4;
        check(unsafe {
            let queue = queues[device];
            clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, null(), 0, null(), event)
        });
        check(unsafe { clFinish(queues[device]) });
        assert_eq!(texels_on(to, device), bytes);
    }
    check(unsafe {
        clEnqueueMigrateMemObjects(queues[1], 1, &others[1], 0, 0, null(), null_mut())
    });
    check(unsafe { clFinish(queues[1]) });
    assert_eq!(texels_on(others[1], 1), bytes);
}
