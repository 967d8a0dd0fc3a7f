//! Sizes that callers choose, with less memory left than they need: CL_OUT_OF_HOST_MEMORY, and never an abort.

use super::super::batch::child::{Child, Verdict};
use super::super::batch::opencl::{call, judge, Program, World};
use super::super::batch::random::Random;
use super::super::batch::scene::bound;
use crate::platform::attack::{limit, Limit, Zeros};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// Bytes of memory that are left to the process.
const LEFT: u64 = 700 << 20;
const MIB: usize = 1 << 20;

/// Bounds the memory, makes a call, and lifts the bound.
fn bounded<T>(run: impl FnOnce() -> Result<T, Verdict>) -> Result<T, Verdict> {
    let error = |error: std::io::Error| Verdict::Refused(format!("left out: {error}"));
    bound(Limit::Memory, LEFT).map_err(error)?;
    let result = run();
    let _ = limit(Limit::Memory, None);
    result
}

/// Builds a program of several pieces of text.
fn build(
    world: &World,
    pieces: &[*const u8],
    lengths: &[usize],
    options: &str,
) -> Result<(), Verdict> {
    let mut code = 0;
    let (count, lengths) = (pieces.len() as u32, lengths.as_ptr());
    let strings = pieces.as_ptr().cast();
    let context = world.context;
    let handle =
        call!(world, clCreateProgramWithSource(context, count, strings, lengths, &mut code));
    judge("clCreateProgramWithSource", code, &[])?;
    Program { world, handle }.build(options)
}

/// A source of 3 GB: many times the same text, of spaces or of statements.
pub fn source(world: &World, random: &mut Random, _: &mut Child) -> Result<(), Verdict> {
    let line = *random.of(&[" ", "int x;\n", "#define A A\n", "/*"]);
    let text = line.repeat(MIB / line.len());
    let pieces = vec![text.as_ptr(); 3 << 10];
    let lengths = vec![text.len(); pieces.len()];
    bounded(|| build(world, &pieces, &lengths, ""))
}

/// A kernel of 3,000,000 lines, in 60 MB of text.
pub fn lines(world: &World, random: &mut Random, _: &mut Child) -> Result<(), Verdict> {
    let line =
        *random.of(&["out[0] += out[1];\n", "if (out[0]) out[1] = 1;\n", "{int x = out[2];}\n"]);
    let text = line.repeat(10_000);
    let head = "kernel void k(global int *out) {\n";
    let mut pieces = vec![text.as_ptr(); 300];
    let mut lengths = vec![text.len(); pieces.len()];
    pieces.insert(0, head.as_ptr());
    lengths.insert(0, head.len());
    pieces.push("}".as_ptr());
    lengths.push(1);
    bounded(|| build(world, &pieces, &lengths, ""))
}

/// Builds a program with options of 1.5 GB.
pub fn options(world: &World, random: &mut Random, _: &mut Child) -> Result<(), Verdict> {
    let option = *random.of(&["-DA ", "    ", "-w -w -w ", "-I/x "]);
    let mut text = option.repeat(1536 * MIB / option.len());
    if random.once_in(2) {
        // A single name that fills all of the options.
        text = format!("-D{}", "x".repeat(text.len()));
    }
    let mut ended = text.into_bytes();
    ended.push(0);
    let source = b"kernel void k() {}";
    let program = world.source(source)?;
    bounded(|| {
        let (handle, device, options) = (program.handle, &world.device, ended.as_ptr().cast());
        let code = call!(world, clBuildProgram(handle, 1, device, options, None, null_mut()));
        judge("clBuildProgram", code, &[-43])
    })
}

/// Zeros that take address space and no memory.
fn zeros(bytes: usize) -> Result<Zeros, Verdict> {
    Zeros::new(bytes).map_err(|error| Verdict::Refused(format!("left out: {error}")))
}

/// A native kernel with arguments of 3 GB.
pub fn native_arguments(world: &World, _: &mut Random, _: &mut Child) -> Result<(), Verdict> {
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    let bytes = 3 << 30;
    let arguments = zeros(bytes)?;
    bounded(|| {
        let (queue, place) = (world.queue, arguments.place().cast());
        let function = Some(nothing as unsafe extern "C" fn(*mut c_void));
        let code = call!(
            world,
            clEnqueueNativeKernel(
                queue,
                function,
                place,
                bytes,
                0,
                null(),
                null(),
                0,
                null(),
                null_mut()
            )
        );
        // CL_INVALID_OPERATION where the device runs none.
        let result = judge("clEnqueueNativeKernel", code, &[-59]);
        judge("clFinish", call!(world, clFinish(world.queue)), &[])?;
        result
    })
}

/// Binaries and modules of 3 GB, which begin as they should.
pub fn binaries(world: &World, random: &mut Random, _: &mut Child) -> Result<(), Verdict> {
    let heads: [&[u8]; 4] =
        [b"", b"HEKLABIN", &[3, 2, 0x23, 7, 0, 0, 1, 0, 0, 0, 0, 0, 9], b"\x7fELF"];
    let head = *random.of(&heads);
    let zeros = zeros(3 << 30)?;
    let bytes = zeros.with(head);
    bounded(|| match random.once_in(2) {
        true => world.binary(bytes).map(drop),
        false => world.module(bytes).map(drop),
    })
}

/// Lists of many million: of events to wait for, of memory to free and of pointers that a kernel uses.
pub fn lists(world: &World, random: &mut Random, _: &mut Child) -> Result<(), Verdict> {
    let mut event = null_mut();
    let code = call!(world, clEnqueueMarkerWithWaitList(world.queue, 0, null(), &mut event));
    judge("clEnqueueMarkerWithWaitList", code, &[])?;
    let events = vec![event; 8 << 20];
    let nulls = zeros(3 << 30)?;
    let result = bounded(|| {
        let (queue, count) = (world.queue, events.len() as u32);
        let code = match random.below(4) {
            0 => {
                call!(world, clEnqueueMarkerWithWaitList(queue, count, events.as_ptr(), null_mut()))
            }
            1 => call!(world, clWaitForEvents(count, events.as_ptr())),
            2 => call!(
                world,
                clEnqueueSVMFree(
                    queue,
                    (3 << 30) / 8,
                    nulls.place().cast(),
                    None,
                    null_mut(),
                    0,
                    null(),
                    null_mut()
                )
            ),
            _ => {
                let program = world.source(b"kernel void k() {}")?;
                program.build("")?;
                let kernels = program.kernels()?;
                let handle = kernels.first().map_or(null_mut(), |kernel| kernel.handle);
                let pointers = 0x11B6;
                call!(world, clSetKernelExecInfo(handle, pointers, 3 << 30, nulls.place().cast()))
            }
        };
        // CL_INVALID_OPERATION where the device has no shared virtual memory.
        let result = judge("a list of millions", code, &[-30, -59]);
        judge("clFinish", call!(world, clFinish(queue)), &[])?;
        result
    });
    call!(world, clReleaseEvent(event));
    result
}
