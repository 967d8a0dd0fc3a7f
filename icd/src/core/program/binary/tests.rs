use super::*;
use hekla_compiler::kernel::{
    Arg, ArgAccess, ArgAddress, ArgKind, ArgumentField, DataImage, Field, ImageAccess, ImageDim,
    Kernel,
};

const KEY: Key = [7; blake3::KEY_LEN];
/// The number of bytes before the payload, and before the payload's hash.
const HEAD: usize = 28;
const SUM: usize = 20;

/// Replaces the hash in a binary by the right hash of its payload.
fn repair(bytes: &mut [u8]) {
    let sum = hash(&bytes[HEAD..]);
    bytes[SUM..HEAD].copy_from_slice(&sum.to_le_bytes());
}

fn sample() -> Program {
    let arg = Arg {
        name: "x".into(),
        type_name: "float*".into(),
        kind: ArgKind::Local { ordinal: 0, align: 16 },
        address: ArgAddress::Local,
        is_const: true,
        is_restrict: false,
        is_volatile: true,
    };
    let (dim, access) = (ImageDim::D2Array, ImageAccess::ReadWrite);
    let (image, sampler) = (ArgKind::Image { dim, depth: true, access }, ArgKind::Sampler);
    let pipe = ArgKind::Pipe { access: ImageAccess::WriteOnly, packet: 12 };
    let kernel = Kernel {
        name: "k".into(),
        spirv: vec![hekla_spirv::MAGIC_NUMBER, 5],
        args: vec![
            arg.clone(),
            Arg { kind: image, ..arg.clone() },
            Arg { kind: pipe, ..arg.clone() },
            Arg { kind: sampler, ..arg },
        ],
        access: vec![ArgAccess { reads: false, writes: true, covers: 12 }],
        argument_fields: vec![ArgumentField { field: Field::Arg(3), offset: 8 }],
        argument_buffer_size: 12,
        required_local_size: Some([1, 2, 3]),
        dimensions: 2,
        packs_groups: true,
        bounded: true,
        uses_images: true,
        uses_subgroups: true,
        uses_matrices: true,
        required_subgroup_size: Some(16),
        required_subgroups: Some(2),
        one_subgroup: true,
        is_block: true,
        ..Kernel::default()
    };
    let bytes = (1..=9).collect();
    let data = DataImage { size: 12, align: 8, global_size: 4, bytes, relocations: vec![0] };
    Program { kernels: vec![kernel], data, uniform_groups: true }
}

fn object() -> Object {
    let text = "
        constant float table[2] = {1.5f, -0.0f};
        float helper(float4 *v, int i);
        float __attribute__((overloadable)) twice(float x) { return 2 * x; }
        kernel void été(global float *out, local int *ü, float4 v) {
            out[0] = twice(helper(&v, 1)) + table[ü[0]];
        }
        kernel void images(image2d_t a, write_only image2d_array_t b, sampler_t s) {
            write_imagef(b, (int4)(1), read_imagef(a, s, (float2)(0.5f)));
        }";
    let source = hekla_compiler::Source { text: text.into(), ..Default::default() };
    let options = hekla_compiler::Options::parse("-cl-kernel-arg-info").unwrap();
    let compiled = hekla_compiler::compile_object(&source, &options, &Target::generic());
    compiled.object.unwrap_or_else(|| panic!("{}", compiled.log))
}

#[test]
fn what_is_written_is_read() {
    let target = Target::generic();
    let bytes = write(Content::Executable(&sample(), None), &target, &KEY);
    let Loaded::Executable(program, None) = read(&bytes, &target, &KEY).unwrap() else { panic!() };
    assert_eq!(format!("{program:?}"), format!("{:?}", sample()));
}

#[test]
fn objects_are_read_as_written() {
    let target = Target::generic();
    let object = object();
    let bytes = write(Content::Library(&object), &target, &KEY);
    let Loaded::Library(read) = read(&bytes, &target, &KEY).unwrap() else { panic!() };
    assert_eq!(read.text(), object.text());
    assert_eq!(read.flags, object.flags);
    assert_eq!(format!("{:?}", read.module.kernels), format!("{:?}", object.module.kernels));
    let again = write(Content::Library(&read), &target, &KEY);
    assert_eq!(again, bytes);
}

#[test]
fn a_false_object_is_refused() {
    let target = Target::generic();
    let written = write(Content::Object(&object()), &target, &KEY);
    for index in HEAD..written.len() {
        let mut bytes = written.clone();
        bytes[index] ^= 1 << (index % 8);
        // The checksum is right, so the reader itself must find the damage, or read a valid object.
        repair(&mut bytes);
        if let Ok(Loaded::Object(object)) = read(&bytes, &target, &KEY) {
            let options = hekla_compiler::LinkOptions::default();
            hekla_compiler::link(&[&object], &options, &target);
        }
    }
}

#[test]
fn damage_is_noticed() {
    let target = Target::generic();
    let bytes = write(Content::Executable(&sample(), None), &target, &KEY);
    assert!(read(&bytes, &Target::minimal(), &KEY).is_err());
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length], &target, &KEY).is_err());
    }
    for index in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[index] ^= 0x55;
        assert!(read(&damaged, &target, &KEY).is_err());
    }
}

/// Returns a program and the bytes of its linked object.
fn compiled() -> (Program, Vec<u8>) {
    let text = "kernel void k(global int *out, local int *scratch, int n) {
        scratch[get_local_id(0)] = n;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < n; i++) out[i] += scratch[i & 3] + i;
    }";
    let source = hekla_compiler::Source { text: text.into(), ..Default::default() };
    let (options, target) = (hekla_compiler::Options::default(), Target::generic());
    let program = hekla_compiler::compile(&source, &options, &target).program.unwrap();
    let object = hekla_compiler::compile_to_linked(&source, &options, &target).object.unwrap();
    (program, linked(&object))
}

#[test]
fn what_others_sealed_is_compiled_again() {
    let (program, object) = compiled();
    let target = Target::generic();
    let bytes = write(Content::Executable(&program, Some(&object)), &target, &KEY);
    for key in [KEY, [8; blake3::KEY_LEN]] {
        let Ok(Loaded::Executable(again, Some(kept))) = read(&bytes, &target, &key) else {
            panic!("it is not read")
        };
        assert_eq!(format!("{again:?}"), format!("{program:?}"));
        assert_eq!(*kept, *object);
    }
}

/// SPIR-V that others wrote must not reach the driver, even if the hash is right.
#[test]
fn modules_of_others_are_not_taken() {
    let (program, object) = compiled();
    let target = Target::generic();
    let good = write(Content::Executable(&program, Some(&object)), &target, &KEY);
    let mut forged = program.clone();
    forged.kernels[0].spirv[10] ^= 1;
    let theirs = write(Content::Executable(&forged, Some(&object)), &target, &[8; 32]);
    let mut bytes = theirs.clone();
    // The forged binary with the seal of a good one.
    bytes[HEAD + 4..HEAD + 4 + SEAL].copy_from_slice(&good[HEAD + 4..HEAD + 4 + SEAL]);
    repair(&mut bytes);
    for bytes in [theirs, bytes] {
        let Ok(Loaded::Executable(again, _)) = read(&bytes, &target, &KEY) else {
            panic!("it is not read")
        };
        assert_eq!(again.kernels[0].spirv, program.kernels[0].spirv);
    }
    let empty = write(Content::Executable(&forged, None), &target, &[8; 32]);
    assert!(read(&empty, &target, &KEY).is_err());
}

/// The metadata of a kernel is checked as a whole: without the check, each of these changes led to endless allocation, or to an
/// access beyond the kernel's argument buffer.
#[test]
fn metadata_that_contradicts_itself_is_refused() {
    let target = Target::generic();
    let wrong: [fn(&mut Kernel); 7] = [
        |k| k.args[0].kind = ArgKind::Local { ordinal: 0x4000_0000, align: 16 },
        |k| k.args[0].kind = ArgKind::Local { ordinal: 0, align: 3 },
        |k| k.argument_buffer_size = 13,
        |k| k.argument_buffer_size = u32::MAX - 3,
        |k| k.argument_fields[0].offset = u32::MAX,
        |k| k.argument_fields[0].field = Field::Arg(9),
        |k| k.local.element_size = 0,
    ];
    for (index, change) in wrong.iter().enumerate() {
        let mut program = sample();
        change(&mut program.kernels[0]);
        let bytes = write(Content::Executable(&program, None), &target, &KEY);
        assert!(read(&bytes, &target, &KEY).is_err(), "{index}");
    }
}
