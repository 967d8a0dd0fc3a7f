//! Opens devices with Vulkan alone: instance, device, queues, and memory that the host reads.

use std::ffi::CStr;
use std::sync::Mutex;

use ash::vk;

/// A device with its queues and functions. It is never closed: the process ends instead.
pub struct Gpu {
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub name: String,
    pub device: ash::Device,
    pub queues: Vec<Queue>,
    /// A layout with 8 bytes of push constants.
    pub layout: vk::PipelineLayout,
    /// True if kernels may compute with halves.
    pub has_halves: bool,
    /// True if kernels may use cooperative matrices of halves and bytes, and of bfloat16.
    pub has_matrices: bool,
    pub has_bfloat16: bool,
    /// The functions of VK_AMD_buffer_marker, where the device has them.
    pub markers: Option<ash::amd::buffer_marker::Device>,
}

/// A queue. The lock is the external synchronization that Vulkan asks for.
pub struct Queue {
    pub raw: Mutex<vk::Queue>,
    pub family: u32,
}

/// Words of memory.
#[derive(Clone, Copy)]
pub struct Words {
    /// Null where the host does not access the words.
    pub mapped: *mut u32,
    pub buffer: vk::Buffer,
    pub address: vk::DeviceAddress,
}

/// Returns the result of a call; an error ends the process.
pub fn tried<T>(call: &str, result: Result<T, vk::Result>) -> T {
    result.unwrap_or_else(|e| {
        println!("{call}: {e:?}");
        std::process::exit(3)
    })
}

/// Creates an instance.
pub fn instance() -> ash::Instance {
    // SAFETY: the loader is a well-behaved library.
    let entry = unsafe { ash::Entry::load() }.expect("libvulkan.so.1");
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: the info outlives the call.
    let instance = tried("vkCreateInstance", unsafe { entry.create_instance(&info, None) });
    // The loader is never unloaded.
    std::mem::forget(entry);
    instance
}

/// Returns the first device that is not a software device, or else the first device.
fn choose(instance: &ash::Instance) -> vk::PhysicalDevice {
    // SAFETY: the instance is alive.
    let all = tried("vkEnumeratePhysicalDevices", unsafe { instance.enumerate_physical_devices() });
    let is_hardware = |p: &&vk::PhysicalDevice| {
        // SAFETY: the instance is alive.
        let properties = unsafe { instance.get_physical_device_properties(**p) };
        properties.device_type != vk::PhysicalDeviceType::CPU
    };
    *all.iter().find(is_hardware).unwrap_or_else(|| all.first().expect("a Vulkan device"))
}

/// Returns a queue family that computes, if possible one that does not draw, and the number of its queues.
fn family(instance: &ash::Instance, physical: vk::PhysicalDevice) -> (u32, u32) {
    // SAFETY: the physical device belongs to the instance.
    let all = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    let compute = (0..).zip(&all).filter(|(_, f)| f.queue_flags.contains(vk::QueueFlags::COMPUTE));
    let best = compute.min_by_key(|(_, f)| f.queue_flags.contains(vk::QueueFlags::GRAPHICS));
    let (index, family) = best.expect("a queue family that computes");
    (index, family.queue_count)
}

/// VkPhysicalDeviceShaderBfloat16FeaturesKHR.
#[repr(C)]
struct Bfloat16Features {
    s_type: vk::StructureType,
    p_next: *mut std::ffi::c_void,
    scalars: vk::Bool32,
    dot_product: vk::Bool32,
    matrices: vk::Bool32,
}

// SAFETY: the structure begins as those of Vulkan do, and both calls may be given it.
unsafe impl vk::ExtendsPhysicalDeviceFeatures2 for Bfloat16Features {}
// SAFETY: as above.
unsafe impl vk::ExtendsDeviceCreateInfo for Bfloat16Features {}

impl Bfloat16Features {
    const NAME: &CStr = c"VK_KHR_shader_bfloat16";

    fn new(enabled: bool) -> Bfloat16Features {
        let (scalars, matrices) = (enabled.into(), enabled.into());
        let s_type = vk::StructureType::from_raw(1_000_141_000);
        Bfloat16Features { s_type, p_next: std::ptr::null_mut(), scalars, dot_product: 0, matrices }
    }
}

/// The features that kernels may use.
struct Offered {
    halves: bool,
    matrices: bool,
    bfloat16: bool,
}

/// Queries which features the device offers; some depend on extensions that the device lists.
fn offered(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    lists: impl Fn(&CStr) -> bool,
) -> Offered {
    let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut matrices = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default();
    let mut bfloat16 = Bfloat16Features::new(false);
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut v12);
    if lists(ash::khr::cooperative_matrix::NAME) {
        features = features.push_next(&mut matrices);
    }
    if lists(Bfloat16Features::NAME) {
        features = features.push_next(&mut bfloat16);
    }
    // SAFETY: the physical device belongs to the instance; the chain outlives the call.
    unsafe { instance.get_physical_device_features2(physical, &mut features) };
    let needed = [v12.shader_float16, v12.shader_int8, v12.vulkan_memory_model];
    let matrices = matrices.cooperative_matrix != 0 && !needed.contains(&0);
    Offered {
        halves: v12.shader_float16 != 0,
        matrices,
        bfloat16: matrices && bfloat16.matrices != 0,
    }
}

impl Gpu {
    /// Opens the device with at most `queues` queues.
    pub fn open(instance: ash::Instance, queues: u32) -> Gpu {
        let physical = choose(&instance);
        let (family, count) = family(&instance, physical);
        let priorities = vec![0.5; count.min(queues) as usize];
        let queue = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&priorities)];
        // SAFETY: the physical device belongs to the instance.
        let known = unsafe { instance.enumerate_device_extension_properties(physical) };
        let known = tried("vkEnumerateDeviceExtensionProperties", known);
        let lists = |name: &CStr| known.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
        let offered = offered(&instance, physical, lists);
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default()
            .buffer_device_address(true)
            .shader_float16(offered.halves)
            .shader_int8(offered.matrices)
            .vulkan_memory_model(offered.matrices)
            .timeline_semaphore(true);
        let mut v13 =
            vk::PhysicalDeviceVulkan13Features::default().pipeline_creation_cache_control(true);
        let mut matrices =
            vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default().cooperative_matrix(true);
        let mut bfloat16 = Bfloat16Features::new(true);
        let has_markers = lists(ash::amd::buffer_marker::NAME);
        let extensions: Vec<_> = [
            (ash::amd::buffer_marker::NAME, has_markers),
            (ash::khr::cooperative_matrix::NAME, offered.matrices),
            (Bfloat16Features::NAME, offered.bfloat16),
        ]
        .into_iter()
        .filter_map(|(name, wanted)| wanted.then_some(name.as_ptr()))
        .collect();
        let mut info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queue)
            .enabled_extension_names(&extensions)
            .push_next(&mut v12)
            .push_next(&mut v13);
        if offered.matrices {
            info = info.push_next(&mut matrices);
        }
        if offered.bfloat16 {
            info = info.push_next(&mut bfloat16);
        }
        let ranges =
            [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(8)];
        let layout = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges);
        // SAFETY: infos outlive the calls; the device was made with these queues.
        unsafe {
            let properties = instance.get_physical_device_properties(physical);
            let name = properties.device_name_as_c_str().unwrap_or_default().to_string_lossy();
            let device = tried("vkCreateDevice", instance.create_device(physical, &info, None));
            let queues = (0..priorities.len() as u32)
                .map(|i| Mutex::new(device.get_device_queue(family, i)))
                .map(|raw| Queue { raw, family })
                .collect();
            let layout =
                tried("vkCreatePipelineLayout", device.create_pipeline_layout(&layout, None));
            let markers =
                has_markers.then(|| ash::amd::buffer_marker::Device::new(&instance, &device));
            let name = name.into_owned();
            Gpu {
                instance,
                physical,
                name,
                device,
                queues,
                layout,
                has_halves: offered.halves,
                has_matrices: offered.matrices,
                has_bfloat16: offered.bfloat16,
                markers,
            }
        }
    }

    /// Makes words of memory that host and device access. They are never freed.
    pub fn words(&self, count: usize) -> Words {
        use vk::MemoryPropertyFlags as Flags;
        let needed = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let (words, memory) = self.allocate(count, needed, Flags::HOST_CACHED);
        // SAFETY: the memory was just allocated, of a type that the host accesses.
        let mapped = unsafe {
            self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
        };
        Words { mapped: tried("vkMapMemory", mapped).cast(), ..words }
    }

    /// Makes words of the device's own memory. They are never freed.
    pub fn device_words(&self, count: usize) -> Words {
        let needed = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        self.allocate(count, needed, vk::MemoryPropertyFlags::empty()).0
    }

    fn allocate(
        &self,
        count: usize,
        needed: vk::MemoryPropertyFlags,
        preferred: vk::MemoryPropertyFlags,
    ) -> (Words, vk::DeviceMemory) {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(4 * count as u64).usage(usage);
        // SAFETY: all infos outlive the calls; the memory is of a type that the buffer may have.
        unsafe {
            let buffer = tried("vkCreateBuffer", self.device.create_buffer(&info, None));
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let mut flags = vk::MemoryAllocateFlagsInfo::default()
                .flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(self.memory_type(needs.memory_type_bits, needed, preferred))
                .push_next(&mut flags);
            let memory = tried("vkAllocateMemory", self.device.allocate_memory(&info, None));
            tried("vkBindBufferMemory", self.device.bind_buffer_memory(buffer, memory, 0));
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            let address = self.device.get_buffer_device_address(&info);
            (Words { mapped: std::ptr::null_mut(), buffer, address }, memory)
        }
    }

    /// Creates a pipeline of a valid module.
    pub fn create_pipeline(
        &self,
        words: &[u32],
        cache: vk::PipelineCache,
        flags: vk::PipelineCreateFlags,
    ) -> Result<vk::Pipeline, vk::Result> {
        let device = &self.device;
        let module = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the module is valid, infos outlive the calls, the cache synchronizes itself.
        unsafe {
            let module = tried("vkCreateShaderModule", device.create_shader_module(&module, None));
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let info = vk::ComputePipelineCreateInfo::default()
                .stage(stage)
                .layout(self.layout)
                .flags(flags);
            let made = device.create_compute_pipelines(cache, &[info], None);
            device.destroy_shader_module(module, None);
            made.map(|made| made[0]).map_err(|(_, e)| e)
        }
    }

    /// Creates a pipeline of a valid module with specialization constants, without a cache.
    pub fn create_special_pipeline(
        &self,
        words: &[u32],
        constants: &vk::SpecializationInfo<'_>,
    ) -> Result<vk::Pipeline, vk::Result> {
        let device = &self.device;
        let module = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the module is valid, and infos outlive the calls.
        unsafe {
            let module = tried("vkCreateShaderModule", device.create_shader_module(&module, None));
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main")
                .specialization_info(constants);
            let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout);
            let none = vk::PipelineCache::null();
            let made = device.create_compute_pipelines(none, &[info], None);
            device.destroy_shader_module(module, None);
            made.map(|made| made[0]).map_err(|(_, e)| e)
        }
    }

    /// Creates a timeline semaphore with the value 0.
    pub fn create_timeline(&self) -> vk::Semaphore {
        let mut kind =
            vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: the chain outlives the call.
        tried("vkCreateSemaphore", unsafe { self.device.create_semaphore(&info, None) })
    }

    /// Records a dispatch of a pipeline's work-groups; its push constants are an address.
    ///
    /// # Safety
    /// The command buffer is being recorded, and used by no one else; the pipeline and the memory outlive its execution.
    pub unsafe fn dispatch(
        &self,
        commands: vk::CommandBuffer,
        pipeline: vk::Pipeline,
        address: vk::DeviceAddress,
        groups: u32,
    ) {
        let (stages, bytes) = (vk::ShaderStageFlags::COMPUTE, address.to_le_bytes());
        // SAFETY: as the caller promises.
        unsafe {
            self.device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
            self.device.cmd_push_constants(commands, self.layout, stages, 0, &bytes);
            self.device.cmd_dispatch(commands, groups, 1, 1);
        }
    }

    /// Creates a command pool for a queue's family, and a command buffer from it.
    pub fn create_commands(
        &self,
        queue: &Queue,
        flags: vk::CommandPoolCreateFlags,
    ) -> (vk::CommandPool, vk::CommandBuffer) {
        let device = &self.device;
        let info =
            vk::CommandPoolCreateInfo::default().flags(flags).queue_family_index(queue.family);
        // SAFETY: the device has this family; infos outlive the calls.
        unsafe {
            let pool = tried("vkCreateCommandPool", device.create_command_pool(&info, None));
            let info =
                vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let made = tried("vkAllocateCommandBuffers", device.allocate_command_buffers(&info));
            (pool, made[0])
        }
    }

    /// Returns a memory type that has the required properties, and if possible the preferred ones.
    fn memory_type(
        &self,
        allowed: u32,
        needed: vk::MemoryPropertyFlags,
        preferred: vk::MemoryPropertyFlags,
    ) -> u32 {
        // SAFETY: the physical device belongs to the instance.
        let memory = unsafe { self.instance.get_physical_device_memory_properties(self.physical) };
        let types = &memory.memory_types[..memory.memory_type_count as usize];
        let has = |i: &usize, flags| types[*i].property_flags.contains(flags);
        // Drivers list the fastest memory types first, so the first type that fits is taken.
        (0..types.len())
            .rev()
            .filter(|i| allowed >> i & 1 != 0 && has(i, needed))
            .max_by_key(|i| has(i, preferred))
            .expect("such memory") as u32
    }
}
