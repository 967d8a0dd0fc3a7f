/* Makes the compute pipelines of SPIR-V modules on the first Vulkan device, and prints what the driver tells of each.
 *
 *     pipelines FILE.spv...
 *
 * First a line with the device's and the driver's name; then, for each entry point of each module, a line
 *
 *     FILE <tab> ENTRY <tab> RESULT <tab> SECONDS <tab> NAME=VALUE <tab> ...
 *
 * RESULT is the VkResult, SECONDS is CPU time, NAME=VALUE are statistics of VK_KHR_pipeline_executable_properties.
 * The layout of a pipeline is read off its module. Nothing is ever submitted.
 *
 * It is C because it runs beside each driver's own C library, for arm64 under QEMU too, where Rust's standard library is
 * not at hand. It needs the headers of Vulkan alone: the loader is opened when it runs. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#define FUNCTIONS(X)                                                                                      \
    X(EnumeratePhysicalDevices) X(GetPhysicalDeviceProperties2) X(GetPhysicalDeviceFeatures2)             \
    X(EnumerateDeviceExtensionProperties) X(CreateDevice) X(CreateShaderModule) X(DestroyShaderModule)    \
    X(CreateDescriptorSetLayout) X(CreatePipelineLayout) X(CreateComputePipelines) X(DestroyPipeline)     \
    X(GetPipelineExecutablePropertiesKHR) X(GetPipelineExecutableStatisticsKHR)
#define DECLARE(name) static PFN_vk##name name;
FUNCTIONS(DECLARE)

enum { MAX_IDS = 1 << 22, MAX_BINDINGS = 256, MAX_SETS = 8, RUNTIME_ARRAY = 1024 };

static void fail(const char *what) {
    fprintf(stderr, "pipelines: %s\n", what);
    exit(2);
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/* The features that are asked for wherever the device has them. Those that change what is compiled are left out:
 * robustness, and what only other kinds of pipelines have. */
static VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicit_layout = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR};
static VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, &explicit_layout};
static VkPhysicalDeviceShaderClockFeaturesKHR shader_clock = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, &atomic_float};
static VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES, &shader_clock};
static VkPhysicalDeviceMaintenance4Features maintenance4 = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, &dot_product};
static VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES, &maintenance4};
static VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, &subgroup_size};
static VkPhysicalDeviceVulkan12Features vulkan12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &executables};
static VkPhysicalDeviceVulkan11Features vulkan11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &vulkan12};
/* VkPhysicalDeviceCooperativeMatrixFeaturesKHR and VkPhysicalDeviceShaderBfloat16FeaturesKHR, which older headers do not have. */
static struct {
    VkStructureType type;
    void *next;
    VkBool32 matrices, robust;
} matrices = {(VkStructureType)1000506000, &vulkan11};
static struct {
    VkStructureType type;
    void *next;
    VkBool32 types, dot_products, matrices;
} bfloat16 = {(VkStructureType)1000141000, &matrices};
static VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &bfloat16};

/* Extensions whose names modules may have, or whose features are above. */
static const char *const WANTED[] = {
    "VK_KHR_workgroup_memory_explicit_layout", "VK_EXT_shader_atomic_float", "VK_KHR_shader_clock",
    "VK_KHR_shader_integer_dot_product", "VK_KHR_maintenance4", "VK_EXT_subgroup_size_control",
    "VK_KHR_pipeline_executable_properties", "VK_KHR_shader_non_semantic_info", "VK_EXT_shader_atomic_float2",
    "VK_KHR_shader_maximal_reconvergence", "VK_KHR_shader_subgroup_uniform_control_flow", "VK_KHR_shader_float_controls2",
    "VK_KHR_cooperative_matrix", "VK_KHR_shader_bfloat16", "VK_KHR_shader_quad_control", "VK_KHR_shader_expect_assume", "VK_KHR_shader_relaxed_extended_instruction"};
enum { WANTED_COUNT = sizeof WANTED / sizeof *WANTED };

static VkDevice open_device(void) {
    void *loader = dlopen("libvulkan.so.1", RTLD_NOW);
    if (!loader) fail(dlerror());
    PFN_vkGetInstanceProcAddr find = (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr");
    if (!find) fail("the loader has no vkGetInstanceProcAddr");
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)find(NULL, "vkCreateInstance");
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    if (!create || create(&info, NULL, &instance)) fail("no instance");
#define FIND(name) name = (PFN_vk##name)find(instance, "vk" #name);
    FUNCTIONS(FIND)
    VkPhysicalDevice gpu;
    uint32_t count = 1;
    if (EnumeratePhysicalDevices(instance, &count, &gpu) < 0 || !count) fail("no device");

    VkPhysicalDeviceDriverProperties driver = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
    GetPhysicalDeviceProperties2(gpu, &properties);
    printf("%s\t%s %s\n", properties.properties.deviceName, driver.driverName, driver.driverInfo);

    static VkExtensionProperties all[1024];
    const char *extensions[WANTED_COUNT];
    uint32_t all_count = 1024, used = 0;
    EnumerateDeviceExtensionProperties(gpu, NULL, &all_count, all);
    for (int i = 0; i < WANTED_COUNT; i++)
        for (uint32_t k = 0; k < all_count; k++)
            if (!strcmp(all[k].extensionName, WANTED[i])) extensions[used++] = WANTED[i];
    GetPhysicalDeviceFeatures2(gpu, &features);
    features.features.robustBufferAccess = matrices.robust = VK_FALSE;
    vulkan11.protectedMemory = vulkan12.bufferDeviceAddressCaptureReplay = VK_FALSE;

    float priority = 1;
    VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo wanted = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features, .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue, .enabledExtensionCount = used,
                                 .ppEnabledExtensionNames = extensions};
    VkDevice device;
    if (CreateDevice(gpu, &wanted, NULL, &device)) fail("the device does not open");
    return device;
}

/* What is read off a module. `at` has the first word of the instruction that defines an id. */
struct module {
    uint32_t *words;
    size_t count;
    uint32_t bound, *at;
    uint32_t *set, *binding; /* by id; UINT32_MAX: none */
};

enum {
    OP_ENTRY_POINT = 15, OP_TYPE_IMAGE = 25, OP_TYPE_SAMPLER = 26, OP_TYPE_SAMPLED_IMAGE = 27, OP_TYPE_ARRAY = 28,
    OP_TYPE_RUNTIME_ARRAY = 29, OP_TYPE_STRUCT = 30, OP_TYPE_POINTER = 32, OP_CONSTANT = 43, OP_VARIABLE = 59,
    OP_DECORATE = 71, BINDING = 33, DESCRIPTOR_SET = 34, STORAGE_BUFFER = 12, DIM_BUFFER = 5
};

static uint32_t *allocate(size_t count, int byte) {
    uint32_t *words = malloc(count * 4 + 4);
    if (!words) fail("no memory");
    memset(words, byte, count * 4);
    return words;
}

static struct module read_module(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    fseek(file, 0, SEEK_END);
    struct module m = {.count = ftell(file) / 4};
    rewind(file);
    m.words = allocate(m.count, 0);
    if (fread(m.words, 4, m.count, file) != m.count || m.count < 5 || m.words[0] != 0x07230203) fail("no SPIR-V");
    fclose(file);
    m.bound = m.words[3];
    if (m.bound > MAX_IDS) fail("too many ids");
    m.at = allocate(m.bound, 0);
    m.set = allocate(m.bound, 0xff);
    m.binding = allocate(m.bound, 0xff);
    for (size_t i = 5; i < m.count && m.words[i] >> 16; i += m.words[i] >> 16) {
        uint32_t *w = m.words + i, op = *w & 0xffff, id = 0;
        if (op == OP_DECORATE && w[2] == BINDING) m.binding[w[1]] = w[3];
        if (op == OP_DECORATE && w[2] == DESCRIPTOR_SET) m.set[w[1]] = w[3];
        if (op >= 19 && op <= OP_TYPE_POINTER) id = w[1];
        if (op == OP_CONSTANT || op == OP_VARIABLE) id = w[2];
        if (id) m.at[id] = i;
    }
    return m;
}

/* The kind of descriptor of a variable, and how many there are. */
static VkDescriptorType descriptor(const struct module *m, uint32_t variable, uint32_t *count) {
    const uint32_t *pointer = m->words + m->at[m->words[m->at[variable] + 1]];
    const uint32_t *type = m->words + m->at[pointer[3]];
    *count = 1;
    for (; (*type & 0xffff) == OP_TYPE_ARRAY || (*type & 0xffff) == OP_TYPE_RUNTIME_ARRAY; type = m->words + m->at[type[2]])
        *count *= (*type & 0xffff) == OP_TYPE_ARRAY ? m->words[m->at[type[3]] + 3] : RUNTIME_ARRAY;
    switch (*type & 0xffff) {
    case OP_TYPE_SAMPLER: return VK_DESCRIPTOR_TYPE_SAMPLER;
    case OP_TYPE_SAMPLED_IMAGE: return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case OP_TYPE_IMAGE:
        if (type[3] == DIM_BUFFER)
            return type[7] == 2 ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
        return type[7] == 2 ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    default: return pointer[2] == STORAGE_BUFFER ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    }
}

static VkPipelineLayout layout_of(VkDevice device, const struct module *m) {
    VkDescriptorSetLayoutBinding bindings[MAX_SETS][MAX_BINDINGS];
    uint32_t counts[MAX_SETS] = {0}, sets = 0;
    for (uint32_t id = 0; id < m->bound; id++) {
        uint32_t set = m->set[id], k = 0;
        if (set >= MAX_SETS || !m->at[id] || m->binding[id] == UINT32_MAX) continue;
        sets = set + 1 > sets ? set + 1 : sets;
        /* Variables may share a binding. */
        while (k < counts[set] && bindings[set][k].binding != m->binding[id]) k++;
        if (k < counts[set] || k == MAX_BINDINGS) continue;
        uint32_t count;
        VkDescriptorType type = descriptor(m, id, &count);
        bindings[set][counts[set]++] =
            (VkDescriptorSetLayoutBinding){m->binding[id], type, count, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    }
    VkDescriptorSetLayout layouts[MAX_SETS];
    for (uint32_t set = 0; set < sets; set++) {
        VkDescriptorBindingFlags flags[MAX_BINDINGS];
        for (uint32_t k = 0; k < counts[set]; k++)
            flags[k] = bindings[set][k].descriptorCount > 1 ? VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
                                                                  VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT
                                                            : 0;
        VkDescriptorSetLayoutBindingFlagsCreateInfo with = {
            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, NULL, counts[set], flags};
        VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, &with,
                                                VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT, counts[set],
                                                bindings[set]};
        if (CreateDescriptorSetLayout(device, &info, NULL, &layouts[set])) fail("no descriptor set layout");
    }
    /* The guaranteed size suffices for Hekla's modules, and the largest is allowed for others. */
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 128};
    VkPipelineLayoutCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, sets, layouts, 1, &range};
    VkPipelineLayout layout;
    if (CreatePipelineLayout(device, &info, NULL, &layout)) fail("no pipeline layout");
    return layout;
}

static void print_statistics(VkDevice device, VkPipeline pipeline) {
    static VkPipelineExecutableStatisticKHR found[256];
    uint32_t count = 256, executable_count = 0;
    if (!executables.pipelineExecutableInfo) return;
    /* Drivers may have no executable for an empty kernel. */
    VkPipelineInfoKHR whole = {VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, NULL, pipeline};
    if (GetPipelineExecutablePropertiesKHR(device, &whole, &executable_count, NULL) || !executable_count) return;
    VkPipelineExecutableInfoKHR info = {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, NULL, pipeline, 0};
    for (int i = 0; i < 256; i++) found[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    if (GetPipelineExecutableStatisticsKHR(device, &info, &count, found) < 0) return;
    for (uint32_t i = 0; i < count; i++) {
        const VkPipelineExecutableStatisticValueKHR *value = &found[i].value;
        switch (found[i].format) {
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: printf("\t%s=%u", found[i].name, value->b32); break;
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR: printf("\t%s=%g", found[i].name, value->f64); break;
        default: printf("\t%s=%llu", found[i].name, (unsigned long long)value->u64);
        }
    }
}

static void make_pipelines(VkDevice device, const char *path) {
    struct module m = read_module(path);
    VkPipelineLayout layout = layout_of(device, &m);
    VkShaderModuleCreateInfo module_info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = m.count * 4,
                                            .pCode = m.words};
    VkShaderModule module;
    VkResult made = CreateShaderModule(device, &module_info, NULL, &module);
    if (made) {
        printf("%s\t\t%d\t0\n", path, made);
        return;
    }
    for (size_t i = 5; i < m.count && m.words[i] >> 16; i += m.words[i] >> 16) {
        if ((m.words[i] & 0xffff) != OP_ENTRY_POINT) continue;
        const char *entry = (const char *)&m.words[i + 3];
        /* Launches without an offset, and with images of the common orders, as most are: spec_id::HAS_GLOBAL_OFFSET is 3,
         * spec_id::REORDERS_IMAGES is 7. Others have no such constants. */
        const VkSpecializationMapEntry entries[] = {{3, 0, 4}, {7, 0, 4}};
        const VkBool32 no = VK_FALSE;
        const VkSpecializationInfo constants = {2, entries, sizeof no, &no};
        VkComputePipelineCreateInfo info = {
            VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .flags = executables.pipelineExecutableInfo ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR : 0,
            .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                      .module = module, .pName = entry, .pSpecializationInfo = &constants},
            .layout = layout};
        VkPipeline pipeline = VK_NULL_HANDLE;
        double start = cpu_seconds();
        made = CreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
        printf("%s\t%s\t%d\t%.3f", path, entry, made, cpu_seconds() - start);
        if (!made) print_statistics(device, pipeline);
        printf("\n");
        DestroyPipeline(device, pipeline, NULL);
    }
    DestroyShaderModule(device, module, NULL);
    free(m.words), free(m.at), free(m.set), free(m.binding);
}

int main(int count, char **paths) {
    VkDevice device = open_device();
    fflush(stdout);
    for (int i = 1; i < count; i++) {
        make_pipelines(device, paths[i]);
        fflush(stdout);
    }
    return 0;
}
