//! The client that callgrind runs: each scene makes some calls many times.

use crate::bench::cl::{self, Buffer, Kernel, Result, Session};
use crate::bench::cl_image::{Image, Texel};

/// The name of the function in which instructions are counted.
pub const MEASURED: &str = "calls_that_are_measured";

/// Calls of a scene: too few to fill a batch, so that none of the launches submits one.
const CALLS: u32 = 150;
/// Launches before the measured calls: the first of them fill a batch behind the first launch.
const BEFORE: usize = 60;
/// Number of arguments of the kernels with many.
const MANY: usize = 8;
const ITEMS: usize = 64;

const SOURCE: &str = "
kernel void busy(global uint *a, uint n)
{
    uint x = a[0];
    for (uint i = 0; i < n; i++) x = x * 1664525u + 1013904223u;
    a[0] = x;
}
kernel void three(global uint *a, global const uint *b, global const uint *c)
{
    size_t i = get_global_id(0);
    a[i] = b[i] + c[i];
}
kernel void buffers(global uint *a, global const uint *b, global const uint *c, global const uint *d,
                    global const uint *e, global const uint *f, global const uint *g, global const uint *h)
{
    size_t i = get_global_id(0);
    a[i] = b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i];
}
kernel void others(global uint *a, uint x, local uint *l)
{
    size_t i = get_local_id(0);
    l[i] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = l[i ^ 1];
}
#ifdef __IMAGE_SUPPORT__
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#define READ(im) read_imagef(im, s, i)
kernel void images(write_only image2d_t a, read_only image2d_t b, read_only image2d_t c, read_only image2d_t d,
                   read_only image2d_t e, read_only image2d_t f, read_only image2d_t g, read_only image2d_t h)
{
    int2 i = (int2)(get_global_id(0), 0);
    write_imagef(a, i, READ(b) + READ(c) + READ(d) + READ(e) + READ(f) + READ(g) + READ(h));
}
#endif";

/// Some calls, made many times.
pub struct Scene {
    pub name: &'static str,
    /// The number of calls that [`MEASURED`] makes.
    pub calls: u32,
    run: fn(&Client) -> Result<()>,
}

const fn scene(name: &'static str, run: fn(&Client) -> Result<()>) -> Scene {
    Scene { name, calls: CALLS, run }
}

pub const SCENES: [Scene; 12] = [
    scene("launch, 3 buffers", |c| c.launches("three", c.buffers(3)?, false)),
    scene("launch, 3 buffers set anew", |c| c.launches("three", c.buffers(3)?, true)),
    scene("launch, 8 buffers", |c| c.launches("buffers", c.buffers(MANY)?, false)),
    scene("launch, 8 buffers set anew", |c| c.launches("buffers", c.buffers(MANY)?, true)),
    scene("launch, 8 images", |c| c.launches("images", c.images()?, false)),
    scene("launch, 8 images set anew", |c| c.launches("images", c.images()?, true)),
    scene("launch, a buffer, a uint and a local", |c| c.launches("others", c.others()?, false)),
    Scene { name: "launch on an idle device, 3 buffers", calls: 1, run: Client::idle_launch },
    scene("clSetKernelArg, buffer", |c| c.set_argument("buffers", &c.buffers(1)?)),
    scene("clSetKernelArg, image", |c| c.set_argument("images", &c.images()?[..1])),
    scene("clSetKernelArg, uint", |c| c.set_argument("others", &[Argument::Uint(1)])),
    scene("clSetKernelArg, local", |c| c.set_argument("others", &[Argument::Local(2)])),
];

/// Runs one scene on the first device.
pub fn run(index: usize) -> crate::Outcome {
    let scene = SCENES.get(index).ok_or("no such scene")?;
    let platform = *cl::platforms()?.first().ok_or("no OpenCL platform")?;
    let session = Session::open(platform)?.ok_or("no OpenCL device")?;
    (scene.run)(&Client { session })
}

/// The function whose instructions, including all that it calls, callgrind counts.
#[inline(never)]
fn calls_that_are_measured(count: u32, call: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    (0..count).try_for_each(|_| call())
}

/// An argument, with its index.
enum Argument {
    Buffer(u32, Buffer),
    Image(u32, Image),
    Uint(u32),
    Local(u32),
}

impl Argument {
    fn set(&self, kernel: &Kernel) -> Result<()> {
        match self {
            Argument::Buffer(index, buffer) => kernel.set_buffer(*index, buffer),
            Argument::Image(index, image) => image.set(kernel, *index),
            Argument::Uint(index) => kernel.set(*index, 7u32),
            Argument::Local(index) => kernel.set_local(*index, 4 * ITEMS),
        }
    }
}

struct Client {
    session: Session,
}

impl Client {
    fn buffers(&self, count: usize) -> Result<Vec<Argument>> {
        let buffer = |index| Ok(Argument::Buffer(index, self.session.buffer_of(&[1u32; ITEMS])?));
        (0..count as u32).map(buffer).collect()
    }

    fn images(&self) -> Result<Vec<Argument>> {
        let new = || Image::new(&self.session, Texel::Float4, [ITEMS, 1, 1]);
        (0..MANY as u32).map(|index| Ok(Argument::Image(index, new()?))).collect()
    }

    fn others(&self) -> Result<Vec<Argument>> {
        let mut arguments = self.buffers(1)?;
        arguments.extend([Argument::Uint(1), Argument::Local(2)]);
        Ok(arguments)
    }

    /// Measures launches of a kernel while the device works on other launches. `anew`: the arguments are set before
    /// each launch.
    fn launches(&self, kernel: &str, arguments: Vec<Argument>, anew: bool) -> Result<()> {
        let s = &self.session;
        let (kernel, busy) = (s.build(SOURCE, kernel, "")?, s.build(SOURCE, "busy", "")?);
        let set = || arguments.iter().try_for_each(|argument| argument.set(&kernel));
        let mut launch = || {
            if anew {
                set()?;
            }
            s.launch(&kernel, &[ITEMS], &[ITEMS])
        };
        set()?;
        let buffer = s.buffer_of(&[1u32])?;
        busy.set_buffer(0, &buffer)?;
        // The first round makes the pipelines.
        for rounds in [1u32, 8_000_000] {
            s.finish()?;
            busy.set(1, rounds)?;
            s.launch(&busy, &[1], &[1])?;
            (0..BEFORE).try_for_each(|_| launch())?;
        }
        calls_that_are_measured(CALLS, &mut launch)?;
        s.finish()
    }

    /// Measures one launch that is submitted at once.
    fn idle_launch(&self) -> Result<()> {
        let s = &self.session;
        let (kernel, arguments) = (s.build(SOURCE, "three", "")?, self.buffers(3)?);
        arguments.iter().try_for_each(|argument| argument.set(&kernel))?;
        for _ in 0..5 {
            s.launch(&kernel, &[ITEMS], &[ITEMS])?;
            s.finish()?;
        }
        calls_that_are_measured(1, &mut || s.launch(&kernel, &[ITEMS], &[ITEMS]))?;
        s.finish()
    }

    /// Measures clSetKernelArg.
    fn set_argument(&self, kernel: &str, argument: &[Argument]) -> Result<()> {
        let kernel = self.session.build(SOURCE, kernel, "")?;
        let mut set = || argument.iter().try_for_each(|argument| argument.set(&kernel));
        set()?;
        calls_that_are_measured(CALLS, &mut set)
    }
}
