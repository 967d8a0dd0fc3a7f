//! Products of large matrices by a device's matrix units (cl_khr_cooperative_matrix), with the kernel of `examples/gemm.cl`.

use super::cl::{Buffer, Kernel, Result, Session};
use super::measure::{expect, median, repeat};
use super::scale::Scale;
use super::table::Row;
use super::vulkan_alone;
use std::path::Path;

const SOURCE: &str = include_str!("../../../examples/gemm.cl");

/// Rows and columns on devices that multiply 4096 x 4096 floats too fast to be measured.
const LARGE: usize = 8192;

/// Rounds in which a product is measured in turns with hand-written Vulkan.
const TURNS: usize = 5;

/// The types of a product.
pub struct Types {
    /// The measurement's name in the table.
    pub name: &'static str,
    /// The name of the factors' type for hand-written Vulkan.
    kind: &'static str,
    /// The type of the factors' elements in memory, and in matrices.
    factor: &'static str,
    element: &'static str,
    sum: &'static str,
    bytes: usize,
    /// Sizes (m, n, k) of matrices that devices may support, the best first.
    sizes: &'static [[usize; 3]],
    /// Returns the bits of a small number.
    encode: fn(i8) -> u16,
    /// Returns the number that a word of the result stands for.
    decode: fn(u32) -> f64,
}

/// Halves, whose products are summed in float.
pub const HALF: Types = Types {
    name: "GEMM by matrices, half to float",
    kind: "half",
    factor: "half",
    element: "half",
    sum: "float",
    bytes: 2,
    sizes: &[[16, 16, 16], [16, 8, 16], [8, 8, 16], [8, 8, 8]],
    encode: |number| match number.unsigned_abs() {
        0 => 0,
        size => u16::from(number < 0) << 15 | if size == 1 { 0x3c00 } else { 0x4000 },
    },
    decode: |bits| f64::from(f32::from_bits(bits)),
};

/// The upper halves of floats, whose products are summed in float.
pub const BFLOAT16: Types = Types {
    name: "GEMM by matrices, bfloat16 to float",
    kind: "bfloat16",
    factor: "ushort",
    element: "__bf16",
    encode: |number| (f32::from(number).to_bits() >> 16) as u16,
    ..HALF
};

/// Bytes with a sign, whose products are summed in int.
pub const CHAR: Types = Types {
    name: "GEMM by matrices, char to int",
    kind: "char",
    factor: "char",
    element: "char",
    sum: "int",
    bytes: 1,
    sizes: &[[16, 16, 32], [16, 8, 32], [8, 8, 32], [16, 16, 16], [8, 8, 8]],
    encode: |number| u16::from(number as u8),
    decode: |bits| f64::from(bits as i32),
};

/// Sizes of matrices and blocks, with the names of their macros.
type Sizes = [(&'static str, usize); 9];

/// A product of square matrices, ready to be computed.
struct Product<'s> {
    session: &'s Session,
    kernel: Kernel,
    sizes: Sizes,
    /// Rows and columns.
    n: usize,
    sums: Buffer,
    _factors: [Buffer; 2],
}

/// The number in a row and a column of both factors.
fn at(row: usize, column: usize) -> i8 {
    ((row + 3 * column + row * column % 7) % 5) as i8 - 2
}

impl Product<'_> {
    /// Makes the kernel and the factors, of 8192 x 8192 on GPUs.
    fn new<'s>(s: &'s Session, scale: &Scale, types: &Types) -> Result<Product<'s>> {
        let n = if scale.matrix < 2048 { scale.matrix } else { LARGE };
        let (kernel, sizes) = build(s, types)?;
        let numbers = (0..n * n).map(|i| (types.encode)(at(i / n, i % n)));
        let (a, b) = match types.bytes {
            1 => {
                let bytes: Vec<u8> = numbers.map(|bits| bits as u8).collect();
                (s.buffer_of(&bytes)?, s.buffer_of(&bytes)?)
            }
            _ => {
                let words: Vec<u16> = numbers.collect();
                (s.buffer_of(&words)?, s.buffer_of(&words)?)
            }
        };
        let c = s.buffer(4 * n * n)?;
        kernel.set_buffers(&[&a, &b, &c])?;
        (3..6).try_for_each(|index| kernel.set(index, n as i32))?;
        Ok(Product { session: s, kernel, sizes, n, sums: c, _factors: [a, b] })
    }

    /// Returns the speed in GFLOP/s.
    fn rate(&self) -> Result<f64> {
        let of = |name| self.sizes.iter().find(|row| row.0 == name).map_or(1, |row| row.1);
        let items = self.n / of("BM") * (self.n / of("BN")) * of("ITEMS");
        let seconds = repeat(1000, |count| {
            (0..count)
                .try_for_each(|_| self.session.launch(&self.kernel, &[items], &[of("ITEMS")]))?;
            self.session.finish()
        })?;
        Ok(2.0 * (self.n as f64).powi(3) / seconds / 1e9)
    }

    /// Compares some elements of the result with the right values.
    fn check(&self, types: &Types) -> Result<()> {
        let n = self.n;
        for i in 0..64 {
            let (row, column) = ((i * 37) % n, (i * i * 11 + 5) % n);
            let product = |k| i32::from(at(row, k)) * i32::from(at(k, column));
            let expected: i32 = (0..n).map(product).sum();
            let mut value = [0u32];
            self.session.read(&self.sums, 4 * (row * n + column), &mut value)?;
            expect((types.decode)(value[0]) == f64::from(expected), "a product by matrices")?;
        }
        Ok(())
    }

    /// Returns a digest of all elements of the result.
    fn digest(&self) -> Result<u64> {
        let mut all = vec![0u32; self.n * self.n];
        self.session.read(&self.sums, 0, &mut all)?;
        Ok(digest(&all))
    }
}

/// Returns the sum of words, each multiplied by an odd number that depends on its place.
fn digest(words: &[u32]) -> u64 {
    (0u64..).zip(words).fold(0, |sum: u64, (place, &word)| {
        sum.wrapping_add(u64::from(word).wrapping_mul(2 * place + 1))
    })
}

/// Returns GFLOP/s (also of integers) of a product of square matrices.
pub fn gemm(s: &Session, scale: &Scale, types: &Types) -> Result<f64> {
    let product = Product::new(s, scale, types)?;
    let rate = product.rate()?;
    product.check(types)?;
    Ok(rate)
}

/// Measures products anew, in turns with the same products in hand-written Vulkan, and puts both into the rows:
/// medians, in the session's column and in the last one.
pub fn by_turns(session: (usize, &Session), scale: &Scale, program: &Path, rows: &mut [Row]) {
    let (column, s) = session;
    for types in [HALF, BFLOAT16, CHAR] {
        let Some(row) = rows.iter_mut().find(|row| row.name == types.name) else { continue };
        eprintln!("{}, by turns with Vulkan alone", types.name);
        let Some(last) = row.values.len().checked_sub(1) else { continue };
        match turns(s, scale, &types, program) {
            Ok([ours, theirs]) => {
                row.values[column] = Ok(ours);
                row.values[last] = Ok(theirs);
            }
            Err(error) => row.values[last] = Err(error),
        }
    }
}

/// Returns GFLOP/s of Hekla and of the Vulkan program. Both compute the same product.
fn turns(s: &Session, scale: &Scale, types: &Types, program: &Path) -> Result<[f64; 2]> {
    let product = Product::new(s, scale, types)?;
    let mut arguments = vec!["gemm".to_string(), types.kind.to_string(), product.n.to_string()];
    arguments.extend(product.sizes.iter().map(|(name, size)| format!("{name}={size}")));
    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..TURNS {
        rates[0].push(product.rate()?);
        let found = vulkan_alone::run(program, &arguments)?;
        let of = |name: &str| {
            let lines = found.lines().filter_map(|line| line.split_once('\t'));
            let value = lines.filter(|line| line.0 == name).map(|line| line.1).next();
            value.ok_or_else(|| format!("Vulkan alone tells no {name}"))
        };
        rates[1].push(of("GFLOP/s")?.parse().map_err(|_| "GFLOP/s are no number".to_string())?);
        let same = of("digest")? == product.digest()?.to_string();
        expect(same, "the product by Vulkan alone, or ours,")?;
    }
    product.check(types)?;
    Ok(rates.map(|mut rates| median(&mut rates)))
}

/// Builds the kernel with the first size of matrices that the device supports.
fn build(s: &Session, types: &Types) -> Result<(Kernel, Sizes)> {
    let sub_group = sub_group_size(s)?;
    let mut reason = String::new();
    for &[m, n, k] in types.sizes {
        // 2 x 2 sub-groups with 4 x 4 matrices each (2 x 4 sub-groups for bytes), and 64 elements of each row.
        let beside = if types.bytes == 1 { 4 } else { 2 };
        let sizes = [
            ("TM", m),
            ("TN", n),
            ("TK", k),
            ("SM", 4 * m),
            ("SN", 4 * n),
            ("BM", 8 * m),
            ("BN", 4 * beside * n),
            ("BK", k.max(64)),
            ("ITEMS", 2 * beside * sub_group),
        ];
        let mut options = format!(
            "-cl-std=CL3.0 -DUSE_MATRICES -DT={} -DELEMENT={} -DACC={} -DSUB_GROUP={sub_group}",
            types.factor, types.element, types.sum
        );
        for (name, size) in &sizes[..8] {
            options.push_str(&format!(" -D{name}={size}"));
        }
        match s.build(SOURCE, "gemm", &options) {
            Ok(kernel) => return Ok((kernel, sizes)),
            Err(error) => reason = error,
        }
    }
    let is_missing = reason.contains("cl_khr_cooperative_matrix") || reason.contains("coop_mat");
    Err(if is_missing { "no matrices".to_string() } else { reason })
}

fn sub_group_size(s: &Session) -> Result<usize> {
    const SOURCE: &str = "kernel void f(global uint *o) { *o = get_max_sub_group_size(); }";
    let out = s.buffer_of(&[0u32])?;
    let kernel = s.build(SOURCE, "f", "-cl-std=CL3.0").map_err(|_| "no sub-groups".to_string())?;
    kernel.set_buffers(&[&out])?;
    s.launch(&kernel, &[1], &[1])?;
    s.finish()?;
    let mut size = [0u32];
    s.read(&out, 0, &mut size)?;
    expect(size[0] > 0, "the size of sub-groups")?;
    Ok(size[0] as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_what_they_are_read_as() {
        assert_eq!([-2, -1, 0, 1, 2].map(HALF.encode), [0xc000, 0xbc00, 0, 0x3c00, 0x4000]);
        assert_eq!([-2, -1, 0, 1, 2].map(BFLOAT16.encode), [0xc000, 0xbf80, 0, 0x3f80, 0x4000]);
        assert_eq!([-2, 0, 2].map(CHAR.encode), [0xfe, 0, 2]);
        assert_eq!((HALF.decode)(0xc0a0_0000), -5.0);
        assert_eq!((CHAR.decode)(u32::MAX), -1.0);
        // Sums of products are not all near zero.
        let sum = |i, j| (0..64).map(|k| i32::from(at(i, k)) * i32::from(at(k, j))).sum::<i32>();
        assert!((0..8).any(|i| sum(i, 3) > 9) && (0..8).any(|i| sum(i, 3) < -9));
        assert_eq!(digest(&[1, 2, u32::MAX]), 7 + 5 * u64::from(u32::MAX));
    }
}
