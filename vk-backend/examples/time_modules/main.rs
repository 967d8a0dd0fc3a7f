//! Times SPIR-V modules without OpenCL: how fast a Vulkan driver runs the same work in other words.
//!
//! Each module is a kernel `main` whose push constants are the 64-bit address of a buffer and then 32-bit words of the command
//! line. Its specialization constant 0 is the size of a work-group. So a module that `heklac` wrote, or one that
//! `spirv-as` makes of an edited text, can be measured as it is, beside its variants, in turn.
//!
//! ```text
//! cargo run --release -p hekla-vk-backend --example time_modules -- GROUPS LOCAL [WORD...] -- FILE.spv...
//! ```
//! Prints how long opening the device took, then for each module how long making the pipeline took, the least time of a
//! dispatch, and the first words that it wrote. A buffer has 256 bytes for each invocation.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hekla_vk_backend::{
    Buffer, Device, Error, Instance, MemoryKind, Pipeline, PipelineDesc, Queue,
};

/// Rounds in which each module has its turn.
const ROUNDS: usize = 7;
/// Bytes of the buffer for each invocation.
const BYTES_EACH: u64 = 256;

/// The command line.
struct Request {
    groups: u32,
    local: u32,
    words: Vec<u32>,
    files: Vec<String>,
}

impl Request {
    /// Reads the command line; `None` if it makes no sense.
    fn read() -> Option<Request> {
        let args: Vec<String> = std::env::args().skip(1).collect();
        let split = args.iter().position(|arg| arg == "--")?;
        let word = |arg: &String| arg.parse().ok();
        let numbers: Vec<u32> = args[..split].iter().map(word).collect::<Option<_>>()?;
        let [groups, local, words @ ..] = &numbers[..] else { return None };
        let files = args[split + 1..].to_vec();
        Some(Request { groups: *groups, local: *local, words: words.to_vec(), files })
    }
}

/// A module with its pipeline, the time to make the pipeline, and the time of a dispatch.
struct Module {
    file: String,
    pipeline: Arc<Pipeline>,
    making: Duration,
    dispatch: Duration,
}

fn main() {
    let Some(request) = Request::read() else {
        eprintln!("usage: time_modules GROUPS LOCAL [WORD...] -- FILE.spv...");
        std::process::exit(2)
    };
    if let Err(error) = run(&request) {
        eprintln!("{error}");
        std::process::exit(1)
    }
}

fn run(request: &Request) -> Result<(), Error> {
    let start = Instant::now();
    let instance = Instance::load()?;
    let physical = instance.physical_devices().into_iter().find(|p| p.info.refusal.is_none());
    let device = Device::open(&physical.expect("a usable Vulkan device"))?;
    let queue = device.create_queue(false)?;
    println!("{}: opened in {:.1?}", device.info().name, start.elapsed());

    let invocations = u64::from(request.groups) * u64::from(request.local);
    let buffer = device.create_buffer(invocations * BYTES_EACH, MemoryKind::Device)?;
    let mut modules = Vec::new();
    for file in &request.files {
        modules.push(module(&device, file, request)?);
    }
    for _ in 0..ROUNDS {
        for module in &mut modules {
            let took = dispatch(&queue, &buffer, &module.pipeline, request)?;
            module.dispatch = module.dispatch.min(took);
        }
    }
    for module in &modules {
        dispatch(&queue, &buffer, &module.pipeline, request)?;
        let (making, took) = (module.making, module.dispatch);
        let first = first_words(&queue, &buffer)?;
        println!("{:40} {took:10.3?}  made in {making:8.1?}  {first:08x?}", module.file);
    }
    Ok(())
}

/// Makes the pipeline of a module.
fn module(device: &Arc<Device>, file: &str, request: &Request) -> Result<Module, Error> {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let words: Vec<u32> =
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let desc = PipelineDesc {
        spirv: &words,
        entry: "main",
        name: file,
        specialization: &[(0, request.local)],
        push_constant_size: 8 + 4 * request.words.len() as u32,
        uses_images: false,
        subgroups: Default::default(),
    };
    let start = Instant::now();
    // SAFETY: that the module is valid and stays within the buffer is up to whoever names it.
    let pipeline = unsafe { device.create_pipeline(&desc) }?;
    let making = start.elapsed();
    Ok(Module { file: file.to_string(), pipeline, making, dispatch: Duration::MAX })
}

/// Dispatches the module once and waits for its end. Returns the time that this took.
fn dispatch(
    queue: &Queue,
    buffer: &Arc<Buffer>,
    pipeline: &Arc<Pipeline>,
    request: &Request,
) -> Result<Duration, Error> {
    let address = buffer.address().to_le_bytes();
    let words = request.words.iter().flat_map(|word| word.to_le_bytes());
    let push: Vec<u8> = address.into_iter().chain(words).collect();
    let start = Instant::now();
    let ((), value) = queue.record(|r| {
        r.barrier();
        r.retain(buffer.clone());
        // SAFETY: the buffer is retained; see `module`.
        unsafe { r.dispatch(pipeline, &push, [request.groups, 1, 1]) };
    });
    queue.wait(value)?;
    Ok(start.elapsed())
}

/// Returns the first four words of the buffer.
fn first_words(queue: &Queue, buffer: &Arc<Buffer>) -> Result<[u32; 4], Error> {
    let staging = buffer.device().create_buffer(16, MemoryKind::Readback)?;
    let ((), value) = queue.record(|r| {
        r.barrier();
        r.copy(buffer, 0, &staging, 0, 16);
    });
    queue.wait(value)?;
    let mut bytes = [0; 16];
    // SAFETY: the copy is complete.
    unsafe { staging.read(0, &mut bytes) }?;
    let (words, _) = bytes.as_chunks();
    Ok(std::array::from_fn(|i| u32::from_le_bytes(words[i])))
}
