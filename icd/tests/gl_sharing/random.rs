//! Calls with arguments of every kind, right and wrong, in an order that depends on a seed.

use crate::common::*;
use crate::gl::*;
use crate::world::World;
use std::ptr::null_mut;

/// Numbers of a linear congruential generator (Knuth's MMIX).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// Asserts that a code is CL_SUCCESS or in the list.
fn is_one_of(code: cl_int, list: &[cl_int]) {
    assert!(code == CL_SUCCESS || list.contains(&code), "{code} is none of {list:?}");
}

const KIND: Kind =
    Kind { target: TEXTURE_2D, internal: RGBA8, format: RGBA, data_type: UNSIGNED_BYTE, texel: 4 };

/// Targets of textures, and values that are none.
const TARGETS: [u32; 15] = [
    TEXTURE_1D,
    TEXTURE_2D,
    TEXTURE_3D,
    RECTANGLE,
    CUBE,
    FACE,
    ARRAY_1D,
    ARRAY_2D,
    TEXTURE_BUFFER,
    RENDERBUFFER,
    ARRAY_BUFFER,
    0x9100,
    0x9102,
    0,
    u32::MAX,
];

/// Flags, right and wrong.
const FLAGS: [u64; 9] = [
    0,
    CL_MEM_READ_ONLY,
    CL_MEM_WRITE_ONLY,
    CL_MEM_READ_WRITE,
    CL_MEM_COPY_HOST_PTR,
    CL_MEM_USE_HOST_PTR,
    CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
    1 << 50,
    u64::MAX,
];

/// Codes that the creation of an object may return.
const CREATION: [cl_int; 7] = [
    CL_INVALID_CONTEXT,
    CL_INVALID_VALUE,
    CL_INVALID_GL_OBJECT,
    CL_INVALID_MIP_LEVEL,
    CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
    CL_INVALID_OPERATION,
    CL_OUT_OF_RESOURCES,
];

/// Codes that acquiring and releasing may return.
const HANDING_OVER: [cl_int; 6] = [
    CL_INVALID_VALUE,
    CL_INVALID_MEM_OBJECT,
    CL_INVALID_CONTEXT,
    CL_INVALID_GL_OBJECT,
    CL_INVALID_EVENT_WAIT_LIST,
    CL_INVALID_EVENT,
];

/// Every call succeeds or returns an error of the specification, and correct calls work afterwards.
#[test]
fn any_calls_answer_as_the_specification_says() {
    let (Some(w), Some(other)) = (World::new(Api::Desktop), World::new(Api::Desktop)) else {
        return;
    };
    w.gl.make_current(true);
    let seed =
        std::env::var("HEKLA_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let mut numbers = Numbers(seed);
    let mut many = 0;
    let names =
        [w.gl.buffer(&[1; 256]), w.gl.texture(), w.gl.texture(), w.gl.renderbuffer(RGBA8, [9, 5])];
    w.gl.level(names[1], KIND, 0, [16, 8, 1], &[2; 512]);
    w.gl.level(names[2], Kind { target: FACE, ..KIND }, 0, [4, 4, 1], &[3; 64]);
    // A name of a texture that has no target yet.
    unsafe { (w.gl.f.glGenTextures)(1, &mut many) };
    let all = [names[0], names[1], names[2], names[3], many, 0, 4711, u32::MAX];
    let levels = [0, 0, 0, 1, 2, -1, 30, i32::MAX, i32::MIN];
    let contexts =
        [w.s.context, w.s.context, w.s.context, other.s.context, null_mut(), w.s.queue.cast()];
    let mut mems: Vec<cl_mem> = vec![null_mut(), w.s.buffer(0, 64), other.s.buffer(0, 64)];
    let mut made = 0;
    for _ in 0..2500 {
        let (context, flags, name) = (numbers.of(&contexts), numbers.of(&FLAGS), numbers.of(&all));
        let mut code = 1;
        match numbers.below(6) {
            kind @ 0..=2 => {
                let mem = match kind {
                    0 => unsafe { (w.create_buffer)(context, flags, name, &mut code) },
                    1 => unsafe { (w.create_renderbuffer)(context, flags, name, &mut code) },
                    _ => {
                        let (target, level) = (numbers.of(&TARGETS), numbers.of(&levels));
                        unsafe {
                            (w.create_texture)(context, flags, target, level, name, &mut code)
                        }
                    }
                };
                assert_eq!(code == CL_SUCCESS, !mem.is_null());
                is_one_of(code, &CREATION);
                if !mem.is_null() {
                    made += 1;
                    mems.push(mem);
                }
            }
            3 if mems.len() > 3 => {
                let mem = mems.swap_remove(3 + numbers.below(mems.len() - 3));
                check(unsafe { (w.s.cl.clReleaseMemObject)(mem) });
            }
            _ => {
                let count = numbers.below(4);
                let list: Vec<cl_mem> = (0..count).map(|_| numbers.of(&mems)).collect();
                let events = [null_mut(); 1];
                let waits = if numbers.below(8) == 0 { &events[..] } else { &[] };
                let code = w.try_hand_over(numbers.below(2) == 0, &list, waits, null_mut());
                is_one_of(code, &HANDING_OVER);
            }
        }
    }
    assert!(made > 20, "{made}");
    w.s.finish();
    for mem in mems.drain(3..) {
        check(unsafe { (w.s.cl.clReleaseMemObject)(mem) });
    }
    let mem = w.buffer(CL_MEM_READ_WRITE, w.gl.buffer(&[9; 64]));
    w.acquire(mem);
    assert_eq!(w.s.read(mem, 0, 64), [9; 64]);
    w.release(mem);
    w.s.finish();
}

/// Two threads acquire and release objects of one context, by a queue each, while a third one makes and releases other
/// objects.
#[test]
fn threads_share_one_context() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let names: Vec<u32> = (0..3u8).map(|byte| w.gl.buffer(&[byte; 3000])).collect();
    unsafe { (w.gl.f.glFinish)() };
    w.gl.make_current(false);
    let (w, names) = (&w, &names);
    let shared = Share(w);
    std::thread::scope(|scope| {
        for number in 0..2u8 {
            let shared = &shared;
            scope.spawn(move || {
                let w = shared.0;
                let queue = made(|e| unsafe {
                    (w.s.cl.clCreateCommandQueue)(w.s.context, w.s.device, 0, e)
                });
                let name = names[usize::from(number)];
                let mem = w.buffer(CL_MEM_READ_WRITE, name);
                let Setup { cl, platform, device, context, .. } = w.s;
                let s = Setup { cl, platform, device, context, queue };
                for round in 0..20u8 {
                    w.hand_over_by(queue, true, mem);
                    assert!(s.read(mem, 0, 3000) == [number + 3 * round; 3000]);
                    s.write(mem, true, 0, &[number + 3 * (round + 1); 3000]);
                    w.hand_over_by(queue, false, mem);
                }
                s.finish();
                check(unsafe { (w.s.cl.clReleaseMemObject)(mem) });
                check(unsafe { (w.s.cl.clReleaseCommandQueue)(queue) });
            });
        }
        let shared = &shared;
        scope.spawn(move || {
            let w = shared.0;
            for _ in 0..40 {
                let mem = w.buffer(CL_MEM_READ_ONLY, names[2]);
                check(unsafe { (w.s.cl.clReleaseMemObject)(mem) });
            }
        });
    });
    w.gl.make_current(true);
    for (number, name) in names[..2].iter().enumerate() {
        assert!(w.gl.read_buffer(*name, 3000) == vec![number as u8 + 60; 3000]);
    }
}

/// A world whose handles of OpenCL threads may use at once.
struct Share<'a>(&'a World);

// SAFETY: OpenCL's functions may be called by threads at once (A.2); none of OpenGL's is.
unsafe impl Sync for Share<'_> {}
