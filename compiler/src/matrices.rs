//! Cooperative matrices of a device: the types of matrices and the products that it has.

use crate::ir::{Matrix, MatrixElement, MatrixUse};
use crate::target::Target;
use hekla_device::{MatrixComponent, MatrixProduct};

/// Operands of a product: the bits of SPIR-V's Cooperative Matrix Operands.
pub struct MatrixOperands;

impl MatrixOperands {
    /// The bits that say that elements are signed: of A, of B, of the matrix that is added, and of the sum.
    pub const SIGNED: [u32; 4] = [1, 2, 4, 8];
    /// The bit that says that the sum saturates.
    pub const SATURATES: u32 = 16;
}

/// Returns the type of a matrix of `sizes` rows and columns, if the device has it.
///
/// Errors: a sentence that lists the matrices of the device.
pub fn find(
    target: &Target,
    element: MatrixElement,
    usage: MatrixUse,
    sizes: [u64; 2],
) -> Result<Matrix, String> {
    let of_device = |product: &MatrixProduct| {
        let parts = parts_of(product);
        parts.into_iter().find_map(|(part, component, rows, columns)| {
            let is_it = part == usage && [rows, columns].map(u64::from) == sizes;
            (is_it && has_element(component, element)).then_some((rows, columns))
        })
    };
    let found = target.matrices.iter().find_map(of_device);
    let fitting = found.and_then(|(rows, columns)| {
        Some(Matrix {
            element,
            usage,
            rows: u8::try_from(rows).ok()?,
            columns: u8::try_from(columns).ok()?,
        })
    });
    fitting.ok_or_else(|| {
        let [rows, columns] = sizes;
        format!(
            "the device has no matrix of {element} with {rows} rows and {columns} columns for use {usage:?}; {}",
            offered(target)
        )
    })
}

/// Checks that the device computes a product. `sides` are A, B, the matrix that is added, and the sum, each with true if its
/// elements are signed, which is ignored for floats.
///
/// Errors: a sentence that lists the products of the device.
pub fn check_product(
    target: &Target,
    sides: [(Matrix, bool); 4],
    saturates: bool,
) -> Result<(), String> {
    let is_it = |product: &MatrixProduct| {
        let parts = parts_of(product);
        let fit = parts.iter().zip(sides).all(|(&(usage, component, rows, columns), side)| {
            let (matrix, is_signed) = side;
            let sizes = [u32::from(matrix.rows), u32::from(matrix.columns)];
            matrix.usage == usage
                && sizes == [rows, columns]
                && has_element(component, matrix.element)
                && (component.is_float() || component.is_signed() == is_signed)
        });
        fit && product.saturates == saturates
    };
    if target.matrices.iter().any(is_it) {
        return Ok(());
    }
    let [a, b, c, to] = sides.map(|(matrix, is_signed)| {
        let sign = if is_signed && !matrix.is_float() { "signed " } else { "" };
        format!("{sign}{} {}x{}", matrix.element, matrix.rows, matrix.columns)
    });
    let how = if saturates { " (saturating)" } else { "" };
    let offered = offered(target);
    Err(format!("the device has no product {a} * {b} + {c} -> {to}{how}; {offered}"))
}

/// Returns true if a device has matrices of bfloat16.
pub fn has_bfloat16(target: &Target) -> bool {
    let mut parts = target.matrices.iter().flat_map(parts_of);
    parts.any(|(_, component, ..)| component == MatrixComponent::BF16)
}

/// Returns true if a device has matrices of an integer type only with signed elements.
pub fn is_signed_alone(target: &Target, matrix: Matrix) -> bool {
    let sizes = [u32::from(matrix.rows), u32::from(matrix.columns)];
    let parts = target.matrices.iter().flat_map(parts_of);
    let mut like = parts.filter(|&(usage, component, rows, columns)| {
        usage == matrix.usage && [rows, columns] == sizes && has_element(component, matrix.element)
    });
    let is_signed =
        |(_, component, ..): (MatrixUse, MatrixComponent, u32, u32)| component.is_signed();
    match like.next() {
        Some(first) => is_signed(first) && like.all(is_signed),
        None => false,
    }
}

/// Returns the matrices of a product: use, component, rows and columns.
fn parts_of(p: &MatrixProduct) -> [(MatrixUse, MatrixComponent, u32, u32); 4] {
    [
        (MatrixUse::A, p.a, p.m, p.k),
        (MatrixUse::B, p.b, p.k, p.n),
        (MatrixUse::Accumulator, p.c, p.m, p.n),
        (MatrixUse::Accumulator, p.result, p.m, p.n),
    ]
}

/// Returns true if a component has an element's type; the sign is ignored.
fn has_element(component: MatrixComponent, element: MatrixElement) -> bool {
    let scalar = element.scalar();
    let is_bfloat16 = component == MatrixComponent::BF16;
    component.bits() == scalar.bits()
        && component.is_float() == element.is_float()
        && is_bfloat16 == (element == MatrixElement::BF16)
}

/// Returns a list of the matrices that the device has, as a part of an error.
fn offered(target: &Target) -> String {
    let products: Vec<String> = target.matrices.iter().map(ToString::to_string).collect();
    match products.is_empty() {
        true => "it has no matrices".to_string(),
        false => format!("it computes {}", products.join(", ")),
    }
}
