//! Memory that a program accesses as several types has the same bytes on every device, whatever integers the device lacks.

mod support;

use hekla_compiler::Target;
use hekla_spirv_interp::Launch;
use std::fmt::Write;
use support::Device;

/// A type of OpenCL C.
struct Type {
    name: String,
    /// Bytes that a variable of the type takes.
    size: usize,
    /// Bytes that the lanes take: fewer than `size` for vectors of three.
    used: usize,
}

/// Returns a device's types of numbers, and vectors of them.
fn types(target: &Target) -> Vec<Type> {
    let mut scalars = vec![("uchar", 1), ("ushort", 2), ("uint", 4), ("float", 4), ("ulong", 8)];
    scalars.extend(target.float16.then_some(("half", 2)));
    scalars.extend(target.float64.then_some(("double", 8)));
    let mut types = Vec::new();
    for (scalar, bytes) in scalars {
        for lanes in [1, 2, 3, 4, 8, 16] {
            let name = if lanes == 1 { scalar.to_string() } else { format!("{scalar}{lanes}") };
            let size = bytes * usize::next_power_of_two(lanes);
            types.push(Type { name, size, used: bytes * lanes });
        }
    }
    types
}

/// Returns a device for each set of integer widths.
fn devices() -> Vec<Device> {
    let Device { name, target, floats } = support::capable();
    let without = |missing: u32| {
        let [int8, int16, int64] = [0, 1, 2].map(|bit| missing >> bit & 1 == 0);
        let float16 = int16;
        Device { name, target: Target { int8, int16, int64, float16, ..target.clone() }, floats }
    };
    let mut devices: Vec<Device> = (0..8).map(without).collect();
    devices.extend([support::middling(), support::weak(), support::weakest()]);
    devices
}

/// A program that copies bytes through variables, and the bytes that it writes.
struct Copies {
    size: usize,
    text: String,
    expected: Vec<u8>,
}

impl Copies {
    /// Returns a program that accesses variables of a size as each pair of types of that size.
    fn of_size(size: usize, target: &Target) -> Copies {
        let bytes: Vec<u8> = (1..=size).map(|i| (29 * i) as u8).collect();
        let text = "kernel void test(global uchar *out) {\n".to_string();
        let mut copies = Copies { size, text, expected: bytes.clone() };
        let mut types = types(target);
        types.retain(|ty| ty.size == size);
        for from in types.iter().filter(|ty| ty.used == size) {
            for to in &types {
                copies.add(from, to, &bytes);
            }
        }
        copies.text.push_str("}\n");
        copies
    }

    /// Adds three copies: through a variable that is read as another type, through a variable that is written as another type,
    /// and by `as_` functions.
    fn add(&mut self, from: &Type, to: &Type, bytes: &[u8]) {
        let (from, name) = (&from.name, &to.name);
        let value = format!("{from} a = *(global {from} *)out;");
        self.copy(to, bytes, format!("{value} {name} *view = ({name} *)&a; RESULT = *view;"));
        let written = format!("{name} b; {from} *view = ({from} *)&b; *view = a; RESULT = b;");
        self.copy(to, bytes, format!("{value} {written}"));
        if to.used == to.size {
            self.copy(to, bytes, format!("{value} RESULT = as_{name}(a);"));
        }
    }

    /// Adds statements in which RESULT is the next place of the output.
    fn copy(&mut self, to: &Type, bytes: &[u8], statements: String) {
        let result = format!("*(global {} *)(out + {})", to.name, self.expected.len());
        let statements = statements.replace("RESULT", &result);
        writeln!(self.text, "    {{ {statements} }}").expect("memory");
        let used = bytes.iter().take(to.used);
        self.expected.extend(used.copied().chain(std::iter::repeat_n(0, to.size - to.used)));
    }

    fn check(&self, device: &Device) {
        check(&self.text, &self.expected, self.size, device);
    }
}

/// Runs a program whose buffer first holds `given` of the expected bytes; panics unless the buffer then holds all of them.
fn check(text: &str, expected: &[u8], given: usize, device: &Device) {
    let expected: Vec<u8> = expected.iter().copied().chain([0; 3]).collect();
    let expected = support::words_of(&expected);
    if let Err(error) = run(text, &expected, given.div_ceil(4), device) {
        let Target { int8, int16, int64, .. } = device.target;
        let has = format!("int8 {int8}, int16 {int16}, int64 {int64}");
        panic!("{} ({has}): {error}\n{text}", device.name);
    }
}

fn run(text: &str, expected: &[u32], given: usize, device: &Device) -> Result<(), String> {
    let program = support::build(text, "-cl-std=CL3.0", &device.target)?;
    let kernel = support::kernel(&program, "test")?;
    let mut words = vec![0; expected.len()];
    words[..given].copy_from_slice(&expected[..given]);
    let launch = Launch { floats: device.floats, ..Launch::default() };
    let got = support::run_on_words(&program, kernel, &words, launch);
    let got = got.map_err(|error| error.to_string())?;
    match got.iter().zip(expected).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(i) => Err(format!("word {i} is {:#x}, not {:#x}", got[i], expected[i])),
    }
}

#[test]
fn variables_have_the_same_bytes_as_every_type() {
    for device in devices() {
        for size in [1, 2, 4, 8, 16, 32, 64, 128] {
            Copies::of_size(size, &device.target).check(&device);
        }
    }
}

/// Bytes of the object that programs access at random, and of the values that fill it.
const OBJECT: usize = 64;

/// The number of programs for each kind of memory.
const PROGRAMS: u64 = 10;

/// A program that accesses an object as types of all kinds.
struct Accesses {
    text: String,
    object: [u8; OBJECT],
    expected: Vec<u8>,
    random: u64,
}

impl Accesses {
    /// Returns a program whose pointer `p` is declared by `pointer`.
    fn new(pointer: &str, seed: u64, target: &Target) -> Accesses {
        let object = std::array::from_fn(|i| (29 * (i + 1)) as u8);
        // Behind the given values there is a zero, whose value the compiler does not know.
        let expected = object.into_iter().chain([0; OBJECT]).collect();
        let text = format!(
            "kernel void test(global uchar *out) {{\n    uint zero = *(global uint *)(out + {OBJECT});\n    \
            {pointer};\n    for (int i = 0; i < {OBJECT} / 4; ++i) ((uint *)p)[i] = ((global uint *)out)[i];\n"
        );
        let random = 0x9E37_79B9_7F4A_7C15 ^ seed;
        let mut accesses = Accesses { text, object, expected, random };
        let mut types = types(target);
        types.retain(|ty| ty.used == ty.size && ty.size <= OBJECT);
        for _ in 0..12 {
            let ty = &types[accesses.below(types.len())];
            accesses.add(ty);
        }
        accesses.text.push_str("}\n");
        accesses
    }

    fn below(&mut self, end: usize) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end
    }

    /// Returns a random offset in the object at which a value of a type fits.
    fn place(&mut self, ty: &Type) -> usize {
        self.below(OBJECT / ty.size) * ty.size
    }

    /// Adds a store of one of the given values as a type, or a load.
    fn add(&mut self, ty: &Type) {
        let (at, name) = (self.place(ty), &ty.name);
        let offset = ["", " + zero"][self.below(2)];
        let access = format!("*({name} *)(p + {at}{offset})");
        if self.below(2) == 0 {
            let from = self.place(ty);
            writeln!(self.text, "    {access} = *(global {name} *)(out + {from});")
                .expect("memory");
            self.object[at..][..ty.size].copy_from_slice(&self.expected[from..][..ty.size]);
        } else {
            let to = self.expected.len().next_multiple_of(ty.size);
            writeln!(self.text, "    *(global {name} *)(out + {to}) = {access};").expect("memory");
            self.expected.resize(to, 0);
            self.expected.extend(&self.object[at..][..ty.size]);
        }
    }
}

#[test]
fn objects_have_the_same_bytes_as_every_type() {
    let pointers = [
        "ulong16 a[1]; uchar *p = (uchar *)a",
        "local ulong16 a[1]; uchar *p = (uchar *)a",
        "ulong16 a[1]; local ulong16 b[1]; uchar *p = zero ? (uchar *)a : (uchar *)b",
        "ulong16 a[1]; local ulong16 b[1]; uchar *p = zero ? (uchar *)b : (uchar *)a",
    ];
    for device in devices() {
        for pointer in pointers {
            for seed in 0..PROGRAMS {
                let program = Accesses::new(pointer, seed, &device.target);
                check(&program.text, &program.expected, OBJECT, &device);
            }
        }
    }
}
