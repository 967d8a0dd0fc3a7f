//! Memory of another Vulkan device as images.

use crate::common::*;
use crate::vulkan::{Shared, SharedImage, Sync, Vulkan};
use crate::{both, file_of, hand_over, is_open, HandOver, MEMORY_FD};
use ash::vk;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

const EXTENSION: &str = "cl_khr_external_memory_opaque_fd";
const RGBA8: cl_image_format =
    cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT8 };
const R8: cl_image_format =
    cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT8 };

/// The arguments with which an image is created.
struct Request {
    list: Vec<u64>,
    flags: u64,
    format: cl_image_format,
    desc: cl_image_desc,
    host: *mut c_void,
}

impl Request {
    /// A request for an image of RGBA8 in the memory of a descriptor.
    fn new(fd: i32, image_type: u32, size: [usize; 3], pitches: [usize; 2]) -> Request {
        let desc = cl_image_desc {
            image_type,
            image_width: size[0],
            image_height: size[1],
            image_depth: size[2],
            image_array_size: 0,
            image_row_pitch: pitches[0],
            image_slice_pitch: pitches[1],
            num_mip_levels: 0,
            num_samples: 0,
            mem_object: null_mut(),
        };
        let list = vec![MEMORY_FD, fd as i64 as u64, 0];
        Request { list, flags: 0, format: RGBA8, desc, host: null_mut() }
    }

    fn create(&self, s: &Setup) -> (cl_mem, cl_int) {
        let create = s.cl.clCreateImageWithProperties;
        let (list, format) = (self.list.as_ptr(), &raw const self.format);
        let mut code = 1;
        let image = unsafe {
            create(s.context, list, self.flags, format, &self.desc, self.host, &mut code)
        };
        (image, code)
    }

    fn made(&self, s: &Setup) -> cl_mem {
        let (image, code) = self.create(s);
        check(code);
        image
    }
}

/// A kind of image: its type in OpenCL, in Vulkan and in kernels, its coordinates in kernels, and a size whose rows
/// drivers pad.
struct Kind {
    image_type: u32,
    vulkan: vk::ImageType,
    name: &'static str,
    place: &'static str,
    size: [u32; 3],
}

const KINDS: [Kind; 3] = [
    Kind {
        image_type: CL_MEM_OBJECT_IMAGE1D,
        vulkan: vk::ImageType::TYPE_1D,
        name: "image1d_t",
        place: "(int)get_global_id(0)",
        size: [183, 1, 1],
    },
    Kind {
        image_type: CL_MEM_OBJECT_IMAGE2D,
        vulkan: vk::ImageType::TYPE_2D,
        name: "image2d_t",
        place: "(int2)(get_global_id(0), get_global_id(1))",
        size: [183, 37, 1],
    },
    Kind {
        image_type: CL_MEM_OBJECT_IMAGE3D,
        vulkan: vk::ImageType::TYPE_3D,
        name: "image3d_t",
        place: "(int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0)",
        size: [19, 7, 5],
    },
];

impl Kind {
    fn share(&self, vulkan: &Vulkan) -> Option<SharedImage> {
        vulkan.share_image(self.vulkan, (vk::Format::R8G8B8A8_UINT, 4), self.size)
    }

    fn import(&self, s: &Setup, shared: &SharedImage) -> cl_mem {
        let size = self.size.map(|texels| texels as usize);
        Request::new(shared.fd, self.image_type, size, shared.pitches).made(s)
    }

    /// Adds 1 to each channel on the way from one image to another.
    fn add(&self, s: &Setup, from: cl_mem, to: cl_mem) {
        let Kind { name, place, .. } = self;
        let source = format!(
            "kernel void add(read_only {name} a, write_only {name} b) {{
                write_imageui(b, {place}, (read_imageui(a, {place}) + 1) & 255);
            }}"
        );
        let options = "-cl-std=CL1.2";
        let source = match self.image_type {
            CL_MEM_OBJECT_IMAGE3D => {
                format!("#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n{source}")
            }
            _ => source,
        };
        let kernel = s.kernel(s.program(&source, options), "add");
        s.set(kernel, 0, &from);
        s.set(kernel, 1, &to);
        check(s.launch(kernel, &self.size.map(|texels| texels as usize), None));
    }
}

fn read(s: &Setup, image: cl_mem, size: [usize; 3], texel: usize) -> Vec<u8> {
    let mut bytes = vec![0u8; size.iter().product::<usize>() * texel];
    let (place, origin) = (bytes.as_mut_ptr().cast(), [0usize; 3]);
    check(unsafe {
        let (origin, size) = (origin.as_ptr(), size.as_ptr());
        (s.cl.clEnqueueReadImage)(
            s.queue,
            image,
            CL_TRUE,
            origin,
            size,
            0,
            0,
            place,
            0,
            null(),
            null_mut(),
        )
    });
    bytes
}

fn fill(s: &Setup, image: cl_mem, color: [u32; 4], origin: [usize; 3], size: [usize; 3]) {
    let (origin, size) = (origin.as_ptr(), size.as_ptr());
    let color = color.as_ptr().cast();
    check(unsafe {
        (s.cl.clEnqueueFillImage)(s.queue, image, color, origin, size, 0, null(), null_mut())
    });
}

fn plus_one(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| byte.wrapping_add(1)).collect()
}

/// The other device writes one image, kernels write a second one, and the other device reads the second one; several times.
#[test]
fn images_are_shared_both_ways() {
    let Some((s, vulkan)) = both(EXTENSION) else { return };
    for kind in KINDS {
        let (Some(one), Some(two)) = (kind.share(&vulkan), kind.share(&vulkan)) else { continue };
        let texels = one.bytes();
        let mut expected = pattern(texels, 1);
        vulkan.write_image(&one, &expected, true);
        vulkan.write_image(&two, &vec![0; texels], true);
        let (a, b) = (kind.import(&s, &one), kind.import(&s, &two));
        let size = kind.size.map(|texels| texels as usize);
        for round in 0..3 {
            hand_over(&s, true, a);
            hand_over(&s, true, b);
            assert!(read(&s, a, size, 4) == expected, "{} in round {round}", kind.name);
            kind.add(&s, a, b);
            let mut sum = plus_one(&expected);
            fill(&s, b, [1, 2, 3, 4], [1, 0, 0], [2, 1, 1]);
            sum[4..12].copy_from_slice(&[1, 2, 3, 4, 1, 2, 3, 4]);
            hand_over(&s, false, a);
            hand_over(&s, false, b);
            s.finish();
            assert!(vulkan.read_image(&two) == sum, "{} in round {round}", kind.name);
            expected = pattern(texels, 2 + round);
            vulkan.write_image(&one, &expected, false);
            vulkan.write_image(&two, &sum, false);
        }
        check(unsafe { (s.cl.clReleaseMemObject)(a) });
        check(unsafe { (s.cl.clReleaseMemObject)(b) });
    }
}

/// The pitches give the places of rows, however the memory was laid out; bytes between the rows keep their values.
#[test]
fn pitches_are_those_of_the_memory() {
    let Some((s, vulkan)) = both(EXTENSION) else { return };
    let (height, pitch) = (20, 260);
    let shared = vulkan.share((pitch * height) as u64);
    test_pitches(&s, &vulkan, shared, MEMORY_FD, [100, height, pitch]);
}

/// dma_bufs may have any pitch, too, where Vulkan has modifiers for their images.
#[test]
fn dma_bufs_are_images() {
    let Some((s, vulkan)) = both("cl_khr_external_memory_dma_buf") else { return };
    let handle = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR.into();
    for pitch in [260, 320] {
        let Some(shared) = vulkan.share_dma_buf(pitch as u64 * 20) else { return };
        test_pitches(&s, &vulkan, shared, handle, [100, 20, pitch]);
    }
}

fn test_pitches(
    s: &Setup,
    vulkan: &Vulkan,
    shared: Shared,
    handle: u64,
    [width, height, pitch]: [usize; 3],
) {
    let mut bytes = pattern(pitch * height, 3);
    vulkan.write(&shared, &bytes, Sync::default());
    let mut request =
        Request::new(shared.fd, CL_MEM_OBJECT_IMAGE2D, [width, height, 1], [pitch, 0]);
    request.list[0] = handle;
    request.format = R8;
    let image = request.made(s);
    let info = s.cl.clGetImageInfo;
    let told: usize = value(|z, p, r| unsafe { info(image, CL_IMAGE_ROW_PITCH, z, p, r) });
    assert_eq!(told, pitch);
    let list: Vec<u8> = request.list.iter().flat_map(|value| value.to_ne_bytes()).collect();
    let info = s.cl.clGetMemObjectInfo;
    assert_eq!(
        crate::common::bytes(|z, p, r| unsafe { info(image, CL_MEM_PROPERTIES, z, p, r) }),
        list
    );

    hand_over(s, true, image);
    let rows = |bytes: &[u8]| -> Vec<u8> {
        bytes.chunks(pitch).flat_map(|row| row[..width].to_vec()).collect()
    };
    assert!(read(s, image, [width, height, 1], 1) == rows(&bytes));
    let source = "kernel void add(read_write image2d_t i) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imageui(i, at, (read_imageui(i, at) + 5) & 255);
    }";
    let kernel = s.kernel(s.program(source, "-cl-std=CL3.0"), "add");
    s.set(kernel, 0, &image);
    check(s.launch(kernel, &[width, height], None));
    fill(s, image, [7; 4], [3, 4, 0], [10, 2, 1]);
    hand_over(s, false, image);
    s.finish();
    for (y, row) in bytes.chunks_mut(pitch).enumerate() {
        row[..width].iter_mut().for_each(|byte| *byte = byte.wrapping_add(5));
        if y == 4 || y == 5 {
            row[3..13].fill(7);
        }
    }
    assert!(vulkan.read(&shared, None) == bytes);
}

#[test]
fn errors_of_images_are_told() {
    let Some((s, vulkan)) = both(EXTENSION) else { return };
    let shared = vulkan.share(4096);
    let request = |change: &dyn Fn(&mut Request)| {
        let mut request = Request::new(shared.fd, CL_MEM_OBJECT_IMAGE2D, [16, 16, 1], [256, 0]);
        change(&mut request);
        request.create(&s).1
    };
    let fd = shared.fd as u64;
    let devices = u64::from(CL_MEM_DEVICE_HANDLE_LIST_KHR);
    let own = s.device as u64;
    let list = |list: &[u64]| request(&|r| r.list = list.to_vec());
    assert_eq!(list(&[MEMORY_FD, fd, MEMORY_FD, fd, 0]), CL_INVALID_PROPERTY);
    assert_eq!(list(&[devices, own, 0, 0]), CL_INVALID_PROPERTY);
    assert_eq!(list(&[0x1234, 1, 0]), CL_INVALID_PROPERTY);
    let address = u64::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT);
    assert_eq!(list(&[MEMORY_FD, fd, address, 1, 0]), CL_INVALID_PROPERTY);
    assert_eq!(list(&[MEMORY_FD, fd, devices, s.context as u64, 0, 0]), CL_INVALID_DEVICE);
    assert_eq!(list(&[MEMORY_FD, fd, devices, 0, 0]), CL_INVALID_DEVICE);
    assert_eq!(list(&[MEMORY_FD, -64i64 as u64, 0]), CL_INVALID_VALUE);
    if !s.offers("cl_khr_external_memory_dma_buf") {
        let other = u64::from(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR);
        assert_eq!(list(&[other, fd, 0]), CL_INVALID_DEVICE);
    }
    let mut host = [0u8; 4096];
    let host = host.as_mut_ptr().cast::<c_void>();
    for flags in [CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR] {
        assert_eq!(request(&|r| (r.flags, r.host) = (flags, host)), CL_INVALID_VALUE);
    }
    assert_eq!(request(&|r| r.flags = CL_MEM_ALLOC_HOST_PTR), CL_INVALID_VALUE);
    assert_eq!(request(&|r| r.host = host), CL_INVALID_HOST_PTR);
    assert_eq!(request(&|r| r.format.image_channel_order = 1), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    let descriptor = CL_INVALID_IMAGE_DESCRIPTOR;
    assert_eq!(request(&|r| r.desc.image_row_pitch = 257), descriptor);
    assert_eq!(request(&|r| r.desc.image_row_pitch = 60), descriptor);
    assert_eq!(request(&|r| r.desc.image_row_pitch = usize::MAX & !3), descriptor);
    assert_eq!(request(&|r| r.desc.num_mip_levels = 2), descriptor);
    assert_eq!(request(&|r| r.desc.num_samples = 1), descriptor);
    let buffer = s.buffer(0, 4096);
    assert_eq!(request(&|r| r.desc.mem_object = buffer), descriptor);
    assert_eq!(request(&|r| r.desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER), descriptor);
    assert_eq!(request(&|r| r.desc.image_width = 0), CL_INVALID_IMAGE_SIZE);
    // The descriptor still belongs to the application.
    assert!(is_open(shared.fd));
    let mut pipe = [0; 2];
    assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
    let refused = list(&[MEMORY_FD, pipe[0] as u64, 0]);
    assert!(refused < 0, "{refused}");
    assert!(is_open(pipe[0]));

    let mut request = Request::new(shared.fd, CL_MEM_OBJECT_IMAGE2D, [16, 16, 1], [256, 0]);
    request.format.image_channel_data_type = CL_UNORM_INT8;
    let file = file_of(shared.fd);
    let image = request.made(&s);
    assert_ne!(file_of(shared.fd), file);
    let mut view = Request::new(0, CL_MEM_OBJECT_IMAGE2D, [16, 16, 1], [0, 0]);
    (view.list, view.desc.mem_object) = (vec![0], image);
    view.format =
        cl_image_format { image_channel_order: CL_sRGBA, image_channel_data_type: CL_UNORM_INT8 };
    let view = view.made(&s);
    let mut plain = Request::new(0, CL_MEM_OBJECT_IMAGE2D, [16, 16, 1], [0, 0]);
    plain.list = vec![0];
    let plain = plain.made(&s);
    let acquire: HandOver = s.extension(c"clEnqueueAcquireExternalMemObjectsKHR");
    for none in [plain, view, buffer] {
        let code = unsafe { acquire(s.queue, 1, &none, 0, null(), null_mut()) };
        assert_eq!(code, CL_INVALID_MEM_OBJECT);
    }
    // Images and buffers are acquired together.
    let other = vulkan.share(4096);
    let (bytes, code) = crate::create(&s, &[MEMORY_FD, other.fd as u64, 0], 0, 4096, null_mut());
    check(code);
    check(unsafe { acquire(s.queue, 2, [image, bytes].as_ptr(), 0, null(), null_mut()) });
    // A view of an imported image has its texels.
    fill(&s, image, [1f32.to_bits(); 4], [0; 3], [16, 16, 1]);
    assert_eq!(read(&s, view, [16, 16, 1], 4), [255; 1024]);
}
