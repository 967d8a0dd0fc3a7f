//! A private variable that a program reads or writes as another type of its size has the same bytes on every device,
//! whatever integers the device lacks.

mod support;

use hekla_compiler::Target;
use hekla_spirv_interp::Launch;
use std::fmt::Write;
use support::Device;

/// A type of OpenCL C.
struct Type {
    name: String,
    /// Bytes that a variable takes.
    size: usize,
    /// Bytes that the lanes take: fewer where there are three.
    used: usize,
}

/// Returns the numbers that a device has, and vectors of them.
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

/// Returns a device for each choice of integers.
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

/// A program that copies bytes by way of variables, and what it writes.
struct Copies {
    size: usize,
    text: String,
    expected: Vec<u8>,
}

impl Copies {
    /// Returns one that sees variables of a size as each pair of types of that size.
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

    /// Adds three copies: of a variable that is read as another type, that is written so, and of its bits.
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

    /// Adds statements that write to RESULT.
    fn copy(&mut self, to: &Type, bytes: &[u8], statements: String) {
        let result = format!("*(global {} *)(out + {})", to.name, self.expected.len());
        let statements = statements.replace("RESULT", &result);
        writeln!(self.text, "    {{ {statements} }}").expect("memory");
        let used = bytes.iter().take(to.used);
        self.expected.extend(used.copied().chain(std::iter::repeat_n(0, to.size - to.used)));
    }

    /// Runs the program. The error says what it gives.
    fn check(&self, device: &Device) -> Result<(), String> {
        let program = support::build(&self.text, "-cl-std=CL3.0", &device.target)?;
        let kernel = support::kernel(&program, "test")?;
        let mut expected = self.expected.clone();
        expected.resize(expected.len().next_multiple_of(4), 0);
        let expected = support::words_of(&expected);
        // What is copied stands in the first words.
        let given = self.size.div_ceil(4);
        let mut words = vec![0; expected.len()];
        words[..given].copy_from_slice(&expected[..given]);
        let launch = Launch { floats: device.floats, ..Launch::default() };
        let got = support::run_on_words(&program, kernel, &words, launch);
        let got = got.map_err(|error| error.to_string())?;
        match got.iter().zip(&expected).position(|(a, b)| a != b) {
            None => Ok(()),
            Some(i) => Err(format!("word {i} is {:#x}, not {:#x}", got[i], expected[i])),
        }
    }
}

#[test]
fn variables_have_the_same_bytes_as_every_type() {
    for device in devices() {
        let Target { int8, int16, int64, .. } = device.target;
        for size in [1, 2, 4, 8, 16, 32, 64, 128] {
            let copies = Copies::of_size(size, &device.target);
            copies.check(&device).unwrap_or_else(|error| {
                let has = format!("int8 {int8}, int16 {int16}, int64 {int64}");
                panic!("{} ({has}): {error}\n{}", device.name, copies.text)
            });
        }
    }
}
