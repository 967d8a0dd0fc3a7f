//! Products of large matrices by a device's matrix units (cl_khr_cooperative_matrix), with the kernel of `examples/gemm.cl`.

use super::cl::{Kernel, Result, Session};
use super::measure::{expect, repeat};
use super::scale::Scale;

const SOURCE: &str = include_str!("../../../examples/gemm.cl");

/// Rows and columns on devices that multiply 4096 x 4096 floats in no time.
const LARGE: usize = 8192;

/// The types of a product.
pub struct Types {
    factor: &'static str,
    sum: &'static str,
    bytes: usize,
    /// Sizes (m, n, k) of matrices that devices have, the best first.
    sizes: &'static [[usize; 3]],
    /// Returns the bits of a small number.
    encode: fn(i8) -> u16,
    /// Returns the number that a word of the result is.
    decode: fn(u32) -> f64,
}

/// Halves, whose products are summed in float.
pub const HALF: Types = Types {
    factor: "half",
    sum: "float",
    bytes: 2,
    sizes: &[[16, 16, 16], [16, 8, 16], [8, 8, 16], [8, 8, 8]],
    encode: |number| match number.unsigned_abs() {
        0 => 0,
        size => u16::from(number < 0) << 15 | if size == 1 { 0x3c00 } else { 0x4000 },
    },
    decode: |bits| f64::from(f32::from_bits(bits)),
};

/// Bytes with a sign, whose products are summed in int.
pub const CHAR: Types = Types {
    factor: "char",
    sum: "int",
    bytes: 1,
    sizes: &[[16, 16, 32], [16, 8, 32], [8, 8, 32], [16, 16, 16], [8, 8, 8]],
    encode: |number| u16::from(number as u8),
    decode: |bits| f64::from(bits as i32),
};

/// Rows and columns of a block of a work-group, and work-items of a work-group.
struct Block {
    rows: usize,
    columns: usize,
    items: usize,
}

/// GFLOP/s (of integers, too) of a product of square matrices, of 8192 x 8192 on GPUs.
pub fn gemm(s: &Session, scale: &Scale, types: &Types) -> Result<f64> {
    let n = if scale.matrix < 2048 { scale.matrix } else { LARGE };
    let (kernel, block) = build(s, types)?;
    let at = |row: usize, column: usize| ((row * 3 + column * 5) % 5) as i8 - 2;
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
    let items = n / block.rows * (n / block.columns) * block.items;
    let seconds = repeat(1000, |count| {
        (0..count).try_for_each(|_| s.launch(&kernel, &[items], &[block.items]))?;
        s.finish()
    })?;
    for i in 0..64 {
        let (row, column) = ((i * 37) % n, (i * i * 11 + 5) % n);
        let product = |k| i32::from(at(row, k)) * i32::from(at(k, column));
        let expected: i32 = (0..n).map(product).sum();
        let mut value = [0u32];
        s.read(&c, 4 * (row * n + column), &mut value)?;
        expect((types.decode)(value[0]) == f64::from(expected), "a product by matrices")?;
    }
    Ok(2.0 * (n as f64).powi(3) / seconds / 1e9)
}

/// Builds the kernel with the first matrices that the device has.
fn build(s: &Session, types: &Types) -> Result<(Kernel, Block)> {
    let sub_group = sub_group_size(s)?;
    let mut reason = String::new();
    for &[m, n, k] in types.sizes {
        // Sub-groups with 4 x 4 matrices each, 2 x 2 of them, of bytes 2 x 4; 64 elements of each row.
        let beside = if types.bytes == 1 { 4 } else { 2 };
        let block = Block { rows: 8 * m, columns: 4 * beside * n, items: 2 * beside * sub_group };
        let deep = k.max(64);
        let options = format!(
            "-cl-std=CL3.0 -DUSE_MATRICES -DT={} -DACC={} -DSUB_GROUP={sub_group} -DTM={m} -DTN={n} -DTK={k} \
             -DSM={} -DSN={} -DBM={} -DBN={} -DBK={deep}",
            types.factor,
            types.sum,
            4 * m,
            4 * n,
            block.rows,
            block.columns
        );
        match s.build(SOURCE, "gemm", &options) {
            Ok(kernel) => return Ok((kernel, block)),
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
        assert_eq!([-2, 0, 2].map(CHAR.encode), [0xfe, 0, 2]);
        assert_eq!((HALF.decode)(0xc0a0_0000), -5.0);
        assert_eq!((CHAR.decode)(u32::MAX), -1.0);
    }
}
