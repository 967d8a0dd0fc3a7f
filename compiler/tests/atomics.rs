//! The atomic functions of OpenCL C 2.0 (6.15.12): which calls are accepted, and the memory model, scopes and semantics of the
//! emitted code.

#[allow(dead_code)]
#[path = "emit/support.rs"]
mod support;

use hekla_compiler::kernel::{Field, Kernel};
use hekla_compiler::{compile, FloatAtomics, FloatTraits, Options, Source, Target};

fn compiled(text: &str, options: &str, target: &Target) -> (Vec<Kernel>, String) {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let options = Options::parse(options).unwrap();
    let compiled = compile(&source, &options, target);
    (compiled.program.map(|program| program.kernels).unwrap_or_default(), compiled.log)
}

/// Compiles a kernel with these statements, which must build without a message.
#[track_caller]
fn kernel_for(statements: &str, target: &Target) -> Kernel {
    let text = body(statements);
    let (mut kernels, log) = compiled(&text, "-cl-std=CL3.0", target);
    assert_eq!(log, "", "for:\n{text}");
    kernels.pop().unwrap()
}

fn body(statements: &str) -> String {
    format!(
        "kernel void k(global atomic_int *g, local atomic_uint *l, global atomic_float *f,\n\
         global int *p, volatile global atomic_flag *flag, int order) {{\n\
         int i = 1; uint u = 2; float x = 3; bool b; atomic_int *any = g;\n{statements}\n}}\n"
    )
}

// Opcodes and masks of SPIR-V.
const MEMORY_MODEL: u32 = 14;
const CONSTANT: u32 = 43;
const LOAD: u32 = 61;
const STORE: u32 = 62;
const BARRIER: u32 = 224;
const FENCE: u32 = 225;
const ATOMIC_LOAD: u32 = 227;
const ATOMIC_STORE: u32 = 228;
const EXCHANGE: u32 = 229;
const COMPARE_EXCHANGE: u32 = 230;
const ADD: u32 = 234;
const OR: u32 = 241;
const GLSL: u32 = 1;
const VULKAN: u32 = 3;
const DEVICE: u32 = 1;
const WORK_GROUP: u32 = 2;
const ACQUIRE: u32 = 0x2 | 0x4000;
const RELEASE: u32 = 0x4 | 0x2000;
const ACQ_REL: u32 = 0x8 | 0x2000 | 0x4000;
const BUFFERS: u32 = 0x40;
const LOCAL: u32 = 0x100;
const NON_PRIVATE: u32 = 0x20;
const TYPE_POINTER: u32 = 32;
const ACCESS_CHAIN: u32 = 65;
const MEMBER_DECORATE: u32 = 72;
const COHERENT: u32 = 23;
const PHYSICAL: u32 = 5349;

/// Instructions as opcode and operands.
fn instructions(kernel: &Kernel) -> Vec<(u32, Vec<u32>)> {
    let (mut rest, mut out) = (&kernel.spirv[5..], Vec::new());
    while let Some(&word) = rest.first() {
        let (this, next) = rest.split_at((word >> 16) as usize);
        out.push((word & 0xffff, this[1..].to_vec()));
        rest = next;
    }
    out
}

/// Returns each atomic operation, fence and barrier with its scope and semantics.
fn synchronization(kernel: &Kernel) -> Vec<(u32, u32, u32)> {
    let all = instructions(kernel);
    let constant = |id: u32| {
        all.iter().find(|(op, words)| *op == CONSTANT && words[1] == id).map_or(0, |(_, w)| w[2])
    };
    let place = |&(op, _): &&(u32, Vec<u32>)| match *op {
        FENCE => Some(0),
        ATOMIC_STORE | BARRIER => Some(1),
        ATOMIC_LOAD | EXCHANGE | COMPARE_EXCHANGE | ADD..=OR => Some(3),
        _ => None,
    };
    let found = all.iter().filter_map(|inst| Some((inst, place(&inst)?)));
    found.map(|((op, words), at)| (*op, constant(words[at]), constant(words[at + 1]))).collect()
}

fn memory_model(kernel: &Kernel) -> u32 {
    instructions(kernel).iter().find(|(op, _)| *op == MEMORY_MODEL).map_or(0, |(_, w)| w[1])
}

fn reads_order_word(kernel: &Kernel) -> bool {
    kernel.argument_fields.iter().any(|entry| entry.field == Field::OrderWord)
}

#[test]
fn relaxed_operations_leave_the_memory_model() {
    let kernel = kernel_for(
        "atomic_store_explicit(g, 1, memory_order_relaxed); i = atomic_fetch_add_explicit(g, i,\n\
         memory_order_relaxed, memory_scope_work_group); atomic_init(g, i); *p = i;",
        &Target::generic(),
    );
    assert_eq!(memory_model(&kernel), GLSL);
    assert_eq!(synchronization(&kernel), [(ATOMIC_STORE, DEVICE, 0), (ADD, DEVICE, 0)]);
}

#[test]
fn order_and_scope_become_semantics() {
    let group = "memory_scope_work_group";
    let acq_rel = "memory_order_acq_rel";
    let release_or_less = "memory_order_release, memory_order_relaxed";
    for (call, expected) in [
        ("*p = atomic_load_explicit(g, memory_order_acquire);".into(), (ATOMIC_LOAD, DEVICE, ACQUIRE | BUFFERS)),
        (format!("*p = atomic_load_explicit(g, memory_order_acquire, {group});"), (ATOMIC_LOAD, WORK_GROUP, ACQUIRE | BUFFERS)),
        ("*p = atomic_load_explicit(l, memory_order_acquire, memory_scope_device);".into(), (ATOMIC_LOAD, WORK_GROUP, ACQUIRE | LOCAL)),
        ("atomic_store_explicit(f, x, memory_order_release);".into(), (ATOMIC_STORE, DEVICE, RELEASE | BUFFERS)),
        ("atomic_flag_clear_explicit(flag, memory_order_release);".into(), (ATOMIC_STORE, DEVICE, RELEASE | BUFFERS)),
        (format!("*p = atomic_flag_test_and_set_explicit(flag, {acq_rel});"), (EXCHANGE, DEVICE, ACQ_REL | BUFFERS)),
        (format!("*p = atomic_fetch_or_explicit(l, u, {acq_rel}, {group});"), (OR, WORK_GROUP, ACQ_REL | LOCAL)),
        (format!("*p = atomic_compare_exchange_strong_explicit(g, &i, 2, {release_or_less});"), (COMPARE_EXCHANGE, DEVICE, RELEASE | BUFFERS)),
        (format!("*p = atomic_compare_exchange_weak_explicit(g, &i, 2, {acq_rel}, memory_order_acquire, {group});"), (COMPARE_EXCHANGE, WORK_GROUP, ACQ_REL | BUFFERS)),
        (format!("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, {acq_rel}, memory_scope_device);"), (FENCE, DEVICE, ACQ_REL | BUFFERS)),
    ] {
        let kernel = kernel_for(&call, &Target::generic());
        assert_eq!(memory_model(&kernel), VULKAN, "{call}");
        assert_eq!(synchronization(&kernel), [expected], "{call}");
        assert!(!reads_order_word(&kernel));
    }
}

#[test]
fn plain_accesses_take_part_in_the_memory_model() {
    let text = "*p = 1; atomic_store_explicit(g, 1, memory_order_release); u = *(local uint *)l;\n\
                barrier(CLK_LOCAL_MEM_FENCE); p[1] = u;";
    let kernel = kernel_for(text, &Target::generic());
    let all = instructions(&kernel);
    let shared = |op: u32, at: usize| {
        let accesses = all.iter().filter(move |(o, words)| *o == op && words.len() > at);
        accesses.map(move |(_, words)| words[at]).collect::<Vec<u32>>()
    };
    let (loads, stores) = (shared(LOAD, 3), shared(STORE, 2));
    assert!(!loads.is_empty() && stores.len() == 2);
    assert!(loads.iter().chain(&stores).all(|access| access & NON_PRIVATE != 0));
    assert!(synchronization(&kernel).contains(&(BARRIER, WORK_GROUP, ACQ_REL | LOCAL)));
}

#[test]
fn sequential_consistency_is_made_of_read_modify_write_operations() {
    let all = ACQ_REL | BUFFERS | LOCAL;
    for (call, expected) in [
        ("*p = atomic_load(g);", vec![(ADD, DEVICE, all)]),
        ("atomic_store(f, x);", vec![(EXCHANGE, DEVICE, all)]),
        ("*p = atomic_fetch_or(l, u);", vec![(OR, WORK_GROUP, all)]),
        (
            "*p = atomic_compare_exchange_strong(g, &i, 2);",
            vec![(COMPARE_EXCHANGE, DEVICE, all), (ADD, DEVICE, all)],
        ),
        ("*p = atomic_load_explicit(g, order);", vec![(ADD, DEVICE, all)]),
    ] {
        let kernel = kernel_for(call, &Target::generic());
        assert_eq!(memory_model(&kernel), VULKAN, "{call}");
        assert_eq!(synchronization(&kernel), expected, "{call}");
        assert!(!reads_order_word(&kernel), "{call}");
    }
    let fence =
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);";
    let kernel = kernel_for(fence, &Target::generic());
    assert_eq!(synchronization(&kernel), [(ADD, DEVICE, all)]);
    assert!(reads_order_word(&kernel));
    // Where a program has a fence like this one, it orders the atomic operations of all kernels.
    let text = format!(
        "kernel void a(global atomic_int *g) {{ atomic_store(g, 1); }} kernel void b() {{ {fence} }}"
    );
    let (kernels, log) = compiled(&text, "-cl-std=CL3.0", &Target::generic());
    assert_eq!(log, "");
    assert_eq!(synchronization(&kernels[0]), [(ADD, DEVICE, all), (EXCHANGE, DEVICE, all)]);
    assert!(kernels.iter().all(reads_order_word));
}

/// Returns the first line of the log.
fn message(text: &str, options: &str, target: &Target) -> String {
    let (_, log) = compiled(text, options, target);
    let line = log.lines().next().unwrap_or("nothing");
    line.split_once(": ").map_or(line, |(_, message)| message).to_string()
}

#[test]
fn mistakes() {
    for (statements, expected) in [
        ("i = *g;", "error: assigning to 'int' from incompatible type 'atomic_int'"),
        ("*g = 1;", "error: assigning to 'atomic_int' from incompatible type 'int'"),
        ("*g = g[1];", "error: assigning to 'atomic_int' from incompatible type 'atomic_int'"),
        ("i = *g + 1;", "error: invalid operands to binary expression ('atomic_int' and 'int')"),
        ("(*g)++;", "error: cannot increment value of type 'atomic_int'"),
        ("*g += 1;", "error: invalid operands to binary expression ('atomic_int' and 'int')"),
        ("if (*g) {}", "error: statement requires expression of scalar type ('atomic_int' invalid)"),
        ("atomic_int a = 1;", "error: atomic variable can be initialized to a variable only in global address space"),
        ("atomic_store(p, 1);", "error: no matching function for call to 'atomic_store'"),
        ("atomic_fetch_and(f, 1.0f);", "error: no matching function for call to 'atomic_fetch_and'"),
        ("atomic_flag_clear(l);", "error: no matching function for call to 'atomic_flag_clear'"),
        ("atomic_load((const global atomic_int *)g);", "error: no matching function for call to 'atomic_load'"),
        ("atomic_half *h;", "error: use of type 'atomic_half' requires cl_khr_fp16 which this device does not offer"),
        ("atomic_load_explicit(g, memory_order_acquire, memory_scope_all_devices);", "error: use of undeclared identifier 'memory_scope_all_devices'"),
        ("atomic_load_explicit(g, memory_order_acquire, 3);", "error: this use of 'atomic_load_explicit' requires __opencl_c_atomic_scope_all_devices which this device does not offer"),
        ("atomic_load_explicit(g, memory_order_release);", "warning: memory order argument to atomic operation is invalid"),
        ("atomic_store_explicit(g, 1, memory_order_acq_rel);", "warning: memory order argument to atomic operation is invalid"),
        ("atomic_compare_exchange_weak_explicit(g, &i, 1, memory_order_acq_rel, memory_order_release);", "warning: memory order argument to atomic operation is invalid"),
    ] {
        let found = message(&body(statements), "-cl-std=CL3.0", &Target::generic());
        assert_eq!(found, expected, "{statements}");
    }
    for (text, expected) in [
        (
            "constant atomic_int a = ATOMIC_VAR_INIT(1);",
            "error: atomic variable can be initialized to a variable only in global address space",
        ),
        (
            "kernel void k(atomic_int a) {}",
            "error: 'atomic_int' cannot be used as the type of a kernel parameter",
        ),
    ] {
        assert_eq!(message(text, "-cl-std=CL3.0", &Target::generic()), expected, "{text}");
    }
    // Atomic types of 64 bits exist where the device has 64-bit atomic operations in global and in local memory.
    let expected = "error: use of type 'atomic_long' requires cl_khr_int64_base_atomics and \
                    cl_khr_int64_extended_atomics which this device does not offer";
    let narrow = Target { atomic_int64_shared: false, ..Target::generic() };
    assert_eq!(message(&body("atomic_long *a;"), "-cl-std=CL3.0", &narrow), expected);
    assert_eq!(message(&body("atomic_long *a;"), "-cl-std=CL3.0", &Target::generic()), "nothing");
    let text = "void f(global atomic_int *a) {}";
    let expected = "error: use of type 'atomic_int' requires OpenCL C version 2.0 or greater";
    assert_eq!(message(text, "", &Target::generic()), expected);
    let text = "int atomic_load(global int *p) { return *p; } kernel void k(global int *p) { atomic_load(p); }";
    assert_eq!(message(text, "", &Target::generic()), "nothing");
}

#[test]
fn initial_values_of_atomic_objects() {
    let text = "global atomic_int a = ATOMIC_VAR_INIT(-1); atomic_float b[2] = {1, 2.5}; \
                atomic_flag c = ATOMIC_FLAG_INIT; struct { int n; atomic_uint u; } d = {1, 2u}; \
                volatile global atomic_int *at = &a; \
                kernel void k(global int *p) { p[0] = atomic_load(&a) + (int)atomic_load(&b[1]) \
                + atomic_flag_test_and_set(&c) + atomic_load(&d.u) + atomic_load(at); }";
    let (kernels, log) = compiled(text, "-cl-std=CL3.0", &Target::generic());
    assert_eq!((kernels.len(), log.as_str()), (1, ""));
}

#[test]
fn features_depend_on_the_memory_model() {
    let without = Target { vulkan_memory_model: false, ..Target::generic() };
    let text = "
        #if defined(__opencl_c_atomic_order_seq_cst) || defined(__opencl_c_atomic_order_acq_rel) \\
            || defined(__opencl_c_atomic_scope_device) || defined(memory_scope_device)
        #error offered
        #endif
        kernel void k(global atomic_int *g, global int *p) {
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
            p[0] = atomic_fetch_add_explicit(g, 1, memory_order_relaxed, memory_scope_work_group); }";
    assert_eq!(message(text, "-cl-std=CL3.0", &without), "nothing");
    assert_eq!(message(text, "-cl-std=CL3.0", &Target::generic()), "error: offered");
    for (statements, feature) in [
        ("atomic_load(g);", "__opencl_c_atomic_order_seq_cst"),
        ("atomic_load_explicit(g, memory_order_relaxed);", "__opencl_c_atomic_scope_device"),
        (
            "atomic_load_explicit(g, memory_order_acquire, memory_scope_work_group);",
            "__opencl_c_atomic_order_acq_rel",
        ),
    ] {
        let found = message(&body(statements), "-cl-std=CL3.0", &without);
        assert!(found.contains(feature), "{statements}: {found}");
    }
}

/// A kernel as programs of OpenCL C 1.2 write it to let the last work-group compute the sum.
const LAST_WORK_GROUP: &str = "
    kernel void k(global int *partial, volatile global int *counter, local int *last) {
        partial[get_group_id(0)] = 1;
        FENCE(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0) last[0] = atomic_inc(counter);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (last[0] == (int)get_num_groups(0) - 1) partial[0] = partial[get_local_id(0)] + 1;
    }";

#[test]
fn fences_of_opencl_c_1_hand_results_to_other_work_groups() {
    let glsl = Target { vulkan_memory_model: false, ..Target::generic() };
    for fence in ["mem_fence", "read_mem_fence", "write_mem_fence", "barrier"] {
        let text = LAST_WORK_GROUP.replace("FENCE(", &format!("{fence}("));
        let op = if fence == "barrier" { BARRIER } else { FENCE };
        for (target, model, order) in
            [(Target::generic(), VULKAN, ACQ_REL), (glsl.clone(), GLSL, ACQ_REL & 0xff)]
        {
            let (kernels, log) = compiled(&text, "-cl-std=CL1.2", &target);
            assert_eq!(log, "");
            let [kernel] = kernels.as_slice() else { panic!("no kernel") };
            assert_eq!(memory_model(kernel), model, "{fence}");
            let both = order | BUFFERS | LOCAL;
            let first = (op, DEVICE, order | BUFFERS);
            let expected = [first, (ADD, DEVICE, order | BUFFERS), (BARRIER, DEVICE, both)];
            assert_eq!(synchronization(kernel), expected, "{fence}");
            every_access_is_shared(kernel, model);
            support::validate(&kernel.spirv).unwrap();
        }
    }
}

/// Asserts that loads and stores of global memory are not private to a work-item (Vulkan's memory model), or access coherent
/// memory (GLSL's).
fn every_access_is_shared(kernel: &Kernel, model: u32) {
    let all = instructions(kernel);
    let defined =
        |id: u32| all.iter().find(|(op, words)| *op != STORE && words.get(1) == Some(&id));
    let coherent = |block: u32| {
        all.iter().any(|(op, w)| *op == MEMBER_DECORATE && w[..] == [block, 0, COHERENT])
    };
    let mut count = 0;
    for (op, words) in &all {
        let (pointer, access) = match *op {
            LOAD => (words[2], words.get(3)),
            STORE => (words[0], words.get(2)),
            _ => continue,
        };
        let (op, chain) = defined(pointer).unwrap();
        let (_, ty) = defined_type(&all, chain[0]);
        if ty[1] != PHYSICAL {
            continue;
        }
        count += 1;
        if model == VULKAN {
            assert!(access.is_some_and(|access| access & NON_PRIVATE != 0));
        } else {
            assert_eq!(*op, ACCESS_CHAIN);
            let (_, base) = defined(chain[2]).unwrap();
            let (_, block) = defined_type(&all, base[0]);
            assert!(coherent(block[2]));
        }
    }
    assert!(count >= 3, "{count} accesses of global memory");
}

fn defined_type(all: &[(u32, Vec<u32>)], id: u32) -> &(u32, Vec<u32>) {
    all.iter().find(|(op, words)| *op == TYPE_POINTER && words[0] == id).unwrap()
}

#[test]
fn other_fences_and_barriers_leave_the_memory_model() {
    for (text, expected) in [
        ("mem_fence(CLK_LOCAL_MEM_FENCE);", vec![(FENCE, WORK_GROUP, ACQ_REL & 0xff | LOCAL)]),
        ("barrier(CLK_GLOBAL_MEM_FENCE);", vec![(BARRIER, WORK_GROUP, ACQ_REL & 0xff | BUFFERS)]),
        (
            "barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(p);",
            vec![(BARRIER, WORK_GROUP, ACQ_REL & 0xff | LOCAL), (ADD, DEVICE, 0)],
        ),
    ] {
        let text = format!("kernel void k(global int *p) {{ p[1] = 2; {text} p[2] = p[3]; }}");
        let (kernels, log) = compiled(&text, "", &Target::generic());
        assert_eq!(log, "");
        assert_eq!(memory_model(&kernels[0]), GLSL, "{text}");
        assert_eq!(synchronization(&kernels[0]), expected, "{text}");
    }
}

/// Volatile accesses make a flag visible to other work-items without an atomic operation.
#[test]
fn volatile_accesses_are_shown_to_the_device() {
    let text = "kernel void k(volatile global int *p) {
        p[0] = 1; mem_fence(CLK_GLOBAL_MEM_FENCE); p[1] = p[2]; }";
    let (kernels, log) = compiled(text, "", &Target::generic());
    assert_eq!(log, "");
    support::validate(&kernels[0].spirv).unwrap();
    let all = instructions(&kernels[0]);
    let accesses = |op: u32, at: usize, bit: u32| {
        let of_op = all.iter().filter(move |(o, words)| *o == op && words.len() > at + 2);
        of_op.filter(|(_, words)| words[at] & bit != 0).count()
    };
    assert_eq!((accesses(STORE, 2, 0x8), accesses(LOAD, 3, 0x10)), (2, 1));
}

/// Atomic arithmetic on floats uses the device's instruction in global memory, where the device's arithmetic flushes denormals
/// anyway; elsewhere it is a loop of compare-and-exchange operations.
#[test]
fn arithmetic_on_floats_is_the_devices_or_a_loop() {
    let text =
        "kernel void k(global atomic_float *f, local atomic_float *l, global atomic_double *d) {
            atomic_fetch_add_explicit(f, 1.0f, memory_order_relaxed);
            atomic_fetch_min(f, 2.0f);
            atomic_fetch_max_explicit(l, 3.0f, memory_order_relaxed);
            atomic_fetch_sub_explicit(d, 4.0, memory_order_relaxed);
        }";
    let flushing = FloatTraits { keeps_denormals: false, ..FloatTraits::IEEE };
    let device = |float_atomics, traits| Target {
        float_atomics,
        float_traits: [FloatTraits::IEEE, traits, FloatTraits::IEEE],
        ..Target::generic()
    };
    let all = FloatAtomics::all();
    for (target, expected) in [
        (device(FloatAtomics::empty(), flushing), [0, 0, 0, 4]),
        (device(all, FloatTraits::IEEE), [1, 0, 0, 3]),
        (device(all, flushing), [2, 1, 0, 1]),
        (device(FloatAtomics::ADD_32, flushing), [1, 0, 0, 3]),
    ] {
        let (kernels, log) = compiled(text, "-cl-std=CL3.0", &target);
        assert_eq!(log, "");
        let words = &kernels[0].spirv;
        support::validate(words).expect("a valid module");
        let count = |op: u32| {
            let mut at = 5;
            let mut count = 0;
            while let Some(&first) = words.get(at) {
                count += usize::from(first & 0xffff == op);
                at += (first >> 16) as usize;
            }
            count
        };
        let [add, min, max, exchange] = [6035, 5614, 5615, 230].map(count);
        assert_eq!([add, min, max, exchange], expected);
    }
}
