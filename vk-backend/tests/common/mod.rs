//! Helpers of the tests: finding a device, and two small kernels.
#![allow(dead_code)]

mod report;

#[allow(unused_imports)]
pub use report::{provoke, skip};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use hekla_vk_backend::asm::{KernelBuilder, Op};
use hekla_vk_backend::{
    Buffer, Defect, Device, DeviceInfo, Error, Instance, MemoryKind, Pipeline, PipelineDesc,
    PipelineStore, Quirks, Recorder,
};

/// Advice for a developer without a device to test on.
const ADVICE: &str = "`cargo xtask run -- cargo test ...` gets a recent Mesa where there is none";

/// A store of pipelines' cache data, in memory.
#[derive(Clone, Default)]
pub struct MemoryStore(pub Arc<Mutex<HashMap<Vec<u32>, Vec<u8>>>>);

impl PipelineStore for MemoryStore {
    fn load(&self, _: &DeviceInfo, d: &PipelineDesc<'_>) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(d.spirv).cloned()
    }

    fn store(&self, _: &DeviceInfo, d: &PipelineDesc<'_>, data: &[u8]) {
        self.0.lock().unwrap().insert(d.spirv.to_vec(), data.to_vec());
    }
}

impl MemoryStore {
    /// Lets the device use the store.
    pub fn set_for(&self, device: &Device) {
        // SAFETY: it returns what it was given.
        unsafe { device.set_pipeline_store(Box::new(self.clone())) };
    }
}

/// Specialization constant ids of the work-group size.
pub const LOCAL_SIZE_IDS: [u32; 3] = [0, 1, 2];

/// Opens the first usable device. Panics where there is none, or where its driver has defects.
pub fn device() -> Arc<Device> {
    device_with(Quirks::empty())
}

/// Opens the first usable device, treated as if its driver had these quirks, too.
pub fn device_with(quirks: Quirks) -> Arc<Device> {
    let instance = Instance::load().unwrap_or_else(|error| panic!("{error}; {ADVICE}"));
    let all = instance.physical_devices();
    let usable = all.iter().find(|p| p.info.refusal.is_none());
    let usable = usable.unwrap_or_else(|| panic!("no usable Vulkan device; {ADVICE}"));
    let mut usable = usable.clone();
    usable.info.quirks |= quirks;
    let device = Device::open(&usable).expect("a device that is not refused opens");
    static DEFECT: OnceLock<Option<Defect>> = OnceLock::new();
    if let Some(defect) = DEFECT.get_or_init(|| device.find_defect().expect("a test of the driver"))
    {
        let info = device.info();
        panic!("{} ({}) {defect}; {ADVICE}", info.name, info.driver_info);
    }
    device
}

/// Returns a pipeline that computes out[i] = in[i] * in[i] on 32-bit unsigned integers.
pub fn square(device: &Arc<Device>, local_size: u32, typed_pointers: bool) -> Arc<Pipeline> {
    let mut k =
        if typed_pointers { KernelBuilder::with_pointers(2) } else { KernelBuilder::new(2) };
    k.local_size_constants(LOCAL_SIZE_IDS);
    let uint = k.uint();
    let i = k.global_id_x();
    let x = k.load(0, uint, i);
    let y = k.binary(Op::IMul, uint, x, x);
    k.store(1, uint, i, y);
    pipeline(device, &k.finish(), local_size)
}

/// Returns a pipeline that computes data[i] = data[i] * 3 + 1 in place.
pub fn step(device: &Arc<Device>, local_size: u32) -> Arc<Pipeline> {
    let mut k = KernelBuilder::new(1);
    k.local_size_constants(LOCAL_SIZE_IDS);
    let uint = k.uint();
    let i = k.global_id_x();
    let x = k.load(0, uint, i);
    let (one, three) = (k.constant(1), k.constant(3));
    let y = k.binary(Op::IMul, uint, x, three);
    let y = k.binary(Op::IAdd, uint, y, one);
    k.store(0, uint, i, y);
    let words = k.finish();
    create_pipeline(
        device,
        &PipelineDesc {
            spirv: &words,
            entry: "main",
            name: "test",
            specialization: &[(LOCAL_SIZE_IDS[0], local_size)],
            push_constant_size: 8,
            uses_images: false,
            subgroups: Default::default(),
        },
    )
    .expect("a pipeline")
}

fn pipeline(device: &Arc<Device>, spirv: &[u32], local_size: u32) -> Arc<Pipeline> {
    create_pipeline(
        device,
        &PipelineDesc {
            spirv,
            entry: "main",
            name: "test",
            specialization: &[(LOCAL_SIZE_IDS[0], local_size)],
            push_constant_size: 16,
            uses_images: false,
            subgroups: Default::default(),
        },
    )
    .expect("a pipeline")
}

/// Returns the buffers' device addresses as push constants.
pub fn addresses(buffers: &[&Arc<Buffer>]) -> Vec<u8> {
    buffers.iter().flat_map(|b| b.address().to_le_bytes()).collect()
}

pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_ne_bytes()).collect()
}

/// Copies a buffer to the host through a staging buffer, whatever kind of memory the buffer has.
pub fn download(buffer: &Arc<Buffer>) -> Vec<u32> {
    let device = buffer.device();
    let size = buffer.size();
    let staging = device.create_buffer(size, MemoryKind::Readback).expect("a buffer");
    let queue = device.create_queue(false).expect("a queue");
    let ((), value) = queue.record(|r| r.copy(buffer, 0, &staging, 0, size));
    queue.wait(value).expect("the copy completes");
    let mut out = vec![0u8; size as usize];
    read(&staging, 0, &mut out).expect("it is mapped");
    words(&out)
}

pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// Runs the tests of this binary again in another process, with these environment variables. Does nothing in that process.
pub fn run_again_with(variables: &[(&str, &str)]) {
    const AGAIN: &str = "HEKLA_TEST_AGAIN";
    if std::env::var_os(AGAIN).is_some() {
        return;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .env(AGAIN, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let (out, error) = (String::from_utf8_lossy(&output.stdout), output.stderr);
    assert!(output.status.success(), "{out}\n{}", String::from_utf8_lossy(&error));
}

/// Calls [`Device::create_pipeline`] for modules that the assembler makes, or that are refused before the driver sees them.
pub fn create_pipeline(device: &Arc<Device>, d: &PipelineDesc<'_>) -> Result<Arc<Pipeline>, Error> {
    // SAFETY: the assembler makes valid modules.
    unsafe { device.create_pipeline(d) }
}

/// Calls [`Recorder::dispatch`] for kernels that access one word of each buffer in `push` for each invocation.
pub fn dispatch(r: &mut Recorder<'_>, p: &Arc<Pipeline>, push: &[u8], groups: [u32; 3]) {
    // SAFETY: the tests' buffers have a word for each invocation, and live until the command is complete.
    unsafe { r.dispatch(p, push, groups) }
}

/// Calls [`Buffer::write`] between commands.
pub fn write(b: &Buffer, offset: u64, data: &[u8]) -> Result<(), Error> {
    // SAFETY: the tests write no buffer that a command or another thread uses.
    unsafe { b.write(offset, data) }
}

/// Calls [`Buffer::read`] after the commands that write the buffer.
pub fn read(b: &Buffer, offset: u64, out: &mut [u8]) -> Result<(), Error> {
    // SAFETY: the tests have waited for the commands that write the bytes.
    unsafe { b.read(offset, out) }
}
