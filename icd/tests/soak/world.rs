//! What the threads share: a context with queues, a program, user events that somebody sets, and
//! events of each other's commands.

use crate::common::*;
use crate::footprint::Footprint;
use crate::owned::{Buffer, Context, Event, Kernel, Numbers, Owned, Program, Queue};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// The largest number of other threads' events that are remembered.
const BAG: usize = 32;

const SOURCE: &str = "
kernel void mix_words(global const uint *a, global const uint *b, global uint *out) {
    size_t i = get_global_id(0);
    out[i] = a[i] * 3u + b[i] + 1u;
}
kernel void add(global uint *p, uint n) { atomic_add(p, n); }
";

pub struct World {
    pub cl: &'static OpenCl,
    /// The devices of the context.
    pub devices: Vec<cl_device_id>,
    pub queues: Vec<Queue>,
    pub kernel: Kernel,
    pub program: Program,
    /// A program that uses images, if the device has some.
    pub image_program: Option<Program>,
    /// Events of commands that will succeed, for others to wait for.
    bag: Mutex<Vec<Event>>,
    /// User events that a thread of their own completes, one after the other.
    gates: Option<mpsc::Sender<Event>>,
    opener: Option<JoinHandle<()>>,
    pub context: Context,
}

unsafe impl Send for World {}
unsafe impl Sync for World {}

impl World {
    pub fn new() -> Arc<World> {
        let cl = cl();
        let wanted = crate::setting("HEKLA_SOAK_DEVICES", 1) as usize;
        let (mut platform, mut found, mut devices) = (null_mut(), 0, vec![null_mut(); wanted]);
        let context = unsafe {
            check((cl.clGetPlatformIDs)(1, &mut platform, null_mut()));
            let (all, list) = (CL_DEVICE_TYPE_ALL, devices.as_mut_ptr());
            check((cl.clGetDeviceIDs)(platform, all, wanted as u32, list, &mut found));
            assert!(found as usize >= wanted, "{wanted} devices are wanted, there are {found}");
            made(|e| (cl.clCreateContext)(null(), wanted as u32, list, None, null_mut(), e))
        };
        let context = Owned::new(context, cl.clReleaseContext);
        let of_device = |device: &cl_device_id| {
            [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE].map(|p| queue(&context, *device, p))
        };
        let queues = devices.iter().flat_map(of_device).collect();
        let program = build(&context, SOURCE);
        let kernel = kernel(&program, c"mix_words");
        let has_images = devices.iter().all(|device| {
            let (mut images, get, name) = (0u32, cl.clGetDeviceInfo, CL_DEVICE_IMAGE_SUPPORT);
            check(unsafe { get(*device, name, 4, (&raw mut images).cast(), null_mut()) });
            images != 0
        });
        let image_program = has_images.then(|| build(&context, crate::images::SOURCE));
        let (gates, opened) = mpsc::channel::<Event>();
        let opener = std::thread::spawn(move || {
            for (index, gate) in opened.into_iter().enumerate() {
                std::thread::sleep(Duration::from_micros((index as u64 * 37) % 400));
                check(unsafe { (cl.clSetUserEventStatus)(gate.get(), CL_COMPLETE) });
            }
        });
        Arc::new(World {
            cl,
            devices,
            queues,
            kernel,
            program,
            image_program,
            bag: Mutex::default(),
            gates: Some(gates),
            opener: Some(opener),
            context,
        })
    }

    /// Returns a device of the context.
    pub fn any_device(&self, numbers: &mut Numbers) -> cl_device_id {
        *numbers.pick(&self.devices)
    }

    /// Returns a queue of any kind, on any device.
    pub fn any_queue(&self, numbers: &mut Numbers) -> Queue {
        let device = self.any_device(numbers);
        self.any_queue_on(device, numbers)
    }

    /// Returns a queue of any kind on a device.
    pub fn any_queue_on(&self, device: cl_device_id, numbers: &mut Numbers) -> Queue {
        let properties = [CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE];
        let chosen = properties.map(|bit| if numbers.once_in(2) { bit } else { 0 });
        queue(&self.context, device, chosen[0] | chosen[1])
    }

    pub fn in_order_queue(&self, numbers: &mut Numbers) -> Queue {
        queue(&self.context, self.any_device(numbers), 0)
    }

    pub fn buffer(&self, size: usize) -> Buffer {
        buffer(&self.context, CL_MEM_READ_WRITE, size, null_mut())
    }

    /// Returns a new user event.
    pub fn user_event(&self) -> Event {
        let event = made(|e| unsafe { (self.cl.clCreateUserEvent)(self.context.get(), e) });
        Owned::new(event, self.cl.clReleaseEvent)
    }

    /// Returns an event that another thread sets soon.
    pub fn gate(&self) -> Event {
        let gate = self.user_event();
        self.gates.as_ref().unwrap().send(gate.share()).unwrap();
        gate
    }

    /// Returns an event that another thread remembered, if there is one.
    pub fn foreign_event(&self, numbers: &mut Numbers) -> Option<Event> {
        let bag = self.bag.lock().unwrap();
        (!bag.is_empty()).then(|| numbers.pick(&bag).share())
    }

    /// Returns the memory in use when every command is complete and no thread keeps an object.
    pub fn footprint(&self) -> Footprint {
        self.bag.lock().unwrap().clear();
        self.queues.iter().for_each(finish);
        Footprint::now()
    }

    /// Remembers the event of a command that will succeed.
    pub fn remember(&self, event: &Event, numbers: &mut Numbers) {
        let event = event.share();
        let mut bag = self.bag.lock().unwrap();
        let forgotten = if bag.len() < BAG {
            bag.push(event);
            None
        } else {
            let index = numbers.below(BAG);
            Some(std::mem::replace(&mut bag[index], event))
        };
        drop(bag);
        drop(forgotten);
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.gates = None;
        self.opener.take().unwrap().join().unwrap();
    }
}

pub fn queue(context: &Context, device: cl_device_id, properties: u64) -> Queue {
    let list = [u64::from(CL_QUEUE_PROPERTIES), properties, 0];
    let create = cl().clCreateCommandQueueWithProperties;
    let queue = made(|e| unsafe { create(context.get(), device, list.as_ptr(), e) });
    Owned::new(queue, cl().clReleaseCommandQueue)
}

pub fn buffer(context: &Context, flags: u64, size: usize, host: *mut c_void) -> Buffer {
    let mem = made(|e| unsafe { (cl().clCreateBuffer)(context.get(), flags, size, host, e) });
    Owned::new(mem, cl().clReleaseMemObject)
}

pub fn program(context: &Context, source: &str) -> Program {
    let (text, length) = (source.as_ptr().cast(), source.len());
    let create = cl().clCreateProgramWithSource;
    let program = made(|e| unsafe { create(context.get(), 1, &text, &length, e) });
    Owned::new(program, cl().clReleaseProgram)
}

pub fn build(context: &Context, source: &str) -> Program {
    let program = program(context, source);
    let build = cl().clBuildProgram;
    check(unsafe { build(program.get(), 0, null(), null(), None, null_mut()) });
    program
}

pub fn kernel(program: &Program, name: &std::ffi::CStr) -> Kernel {
    let kernel = made(|e| unsafe { (cl().clCreateKernel)(program.get(), name.as_ptr(), e) });
    Owned::new(kernel, cl().clReleaseKernel)
}

/// Sets a kernel's buffer arguments.
pub fn set_buffers(kernel: &Kernel, buffers: &[&Buffer]) {
    for (index, buffer) in (0..).zip(buffers) {
        let value = buffer.get();
        let place = (&raw const value).cast();
        check(unsafe { (cl().clSetKernelArg)(kernel.get(), index, size_of_val(&value), place) });
    }
}

pub fn finish(queue: &Queue) {
    check(unsafe { (cl().clFinish)(queue.get()) });
}

/// Returns the bytes of a buffer, read behind an event.
pub fn read(queue: &Queue, mem: &Buffer, size: usize, behind: &Event) -> Vec<u8> {
    let (mut bytes, list) = (vec![0; size], behind.get());
    let target = bytes.as_mut_ptr().cast();
    let read = cl().clEnqueueReadBuffer;
    check(unsafe { read(queue.get(), mem.get(), CL_TRUE, 0, size, target, 1, &list, null_mut()) });
    bytes
}

unsafe extern "C" fn count(_: cl_context, data: *mut c_void) {
    unsafe { &*data.cast::<AtomicUsize>() }.fetch_add(1, Ordering::SeqCst);
}

/// Makes a context of its own, and queries all of its objects.
pub fn contexts(world: &World, numbers: &mut Numbers) {
    let cl = world.cl;
    let gone = Box::new(AtomicUsize::new(0));
    let data: *mut c_void = (&raw const *gone).cast_mut().cast();
    let device = world.any_device(numbers);
    let context =
        made(|e| unsafe { (cl.clCreateContext)(null(), 1, &device, None, null_mut(), e) });
    let context = Owned::new(context, cl.clReleaseContext);
    check(unsafe { (cl.clSetContextDestructorCallback)(context.get(), Some(count), data) });
    let queue = queue(&context, device, CL_QUEUE_PROFILING_ENABLE);
    let mut bytes = numbers.bytes(1000);
    let flags = *numbers.pick(&[CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR]);
    let mem = buffer(&context, flags, bytes.len(), bytes.as_mut_ptr().cast());
    drop(context);
    for name in [CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, CL_QUEUE_REFERENCE_COUNT] {
        let mut value = [0u8; 8];
        let place = value.as_mut_ptr().cast();
        check(unsafe { (cl.clGetCommandQueueInfo)(queue.get(), name, 8, place, null_mut()) });
    }
    let size: usize =
        value(|n, p, r| unsafe { (cl.clGetMemObjectInfo)(mem.get(), CL_MEM_SIZE, n, p, r) });
    assert_eq!(size, bytes.len());
    let marker = crate::owned::event(&[], |n, l, e| unsafe {
        (cl.clEnqueueMarkerWithWaitList)(queue.get(), n, l, e)
    });
    let seen = read(&queue, &mem, size, &marker);
    drop((mem, queue, marker));
    assert!(seen == bytes);
    // Threads that watch events may hold the context a little longer; its destructor calls us.
    while gone.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
}
