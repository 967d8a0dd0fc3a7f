//! Extended async copies (OpenCL C 6.15.11.1): lines and planes of elements, which the work-items of the group copy
//! piece by piece.

use super::row::Row;
use super::signature::TypePattern::{self, Event};
use super::signature::{Scalar as Name, Sig, Spaces};
use super::{Call, Lowerer};
use crate::ir::{Addr, BinaryOp, Scalar, Type, Value};

const SIZE: TypePattern = TypePattern::S(Name::ULong);
const LOCAL: TypePattern = TypePattern::InAny(Spaces::LOCAL);
const GLOBAL: TypePattern = TypePattern::InAny(Spaces::GLOBAL);
const TO_LOCAL: TypePattern = TypePattern::OutAny(Spaces::LOCAL);
const TO_GLOBAL: TypePattern = TypePattern::OutAny(Spaces::GLOBAL);

const fn of_lines(to: TypePattern, from: TypePattern) -> [TypePattern; 10] {
    [to, SIZE, from, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, Event]
}

const fn of_planes(to: TypePattern, from: TypePattern) -> [TypePattern; 13] {
    [to, SIZE, from, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, Event]
}

const LINES_TO_LOCAL: &[TypePattern] = &of_lines(TO_LOCAL, GLOBAL);
const LINES_TO_GLOBAL: &[TypePattern] = &of_lines(TO_GLOBAL, LOCAL);
const PLANES_TO_LOCAL: &[TypePattern] = &of_planes(TO_LOCAL, GLOBAL);
const PLANES_TO_GLOBAL: &[TypePattern] = &of_planes(TO_GLOBAL, LOCAL);

pub(super) const ROWS: &[Row] = &[
    Row::call(
        &["async_work_group_copy_2D2D"],
        &[Sig::plain(Event, LINES_TO_LOCAL), Sig::plain(Event, LINES_TO_GLOBAL)],
        |l, c| match *c.args {
            [to, to_offset, from, from_offset, bytes, width, lines, from_line, to_line, event] => {
                let to = Side { ptr: to, offset: to_offset, line: to_line, plane: None };
                let from = Side { ptr: from, offset: from_offset, line: from_line, plane: None };
                l.copy_elements_of([to, from], Extent { bytes, width, lines, planes: None }, c);
                Some(event)
            }
            _ => None,
        },
    ),
    Row::call(
        &["async_work_group_copy_3D3D"],
        &[Sig::plain(Event, PLANES_TO_LOCAL), Sig::plain(Event, PLANES_TO_GLOBAL)],
        |l, c| match *c.args {
            [to, to_offset, from, from_offset, bytes, width, lines, planes, from_line, from_plane, to_line, to_plane, event] =>
            {
                let to = Side { ptr: to, offset: to_offset, line: to_line, plane: Some(to_plane) };
                let plane = Some(from_plane);
                let from = Side { ptr: from, offset: from_offset, line: from_line, plane };
                let planes = Some(planes);
                l.copy_elements_of([to, from], Extent { bytes, width, lines, planes }, c);
                Some(event)
            }
            _ => None,
        },
    ),
];

/// The source or destination of a copy. All numbers count elements.
#[derive(Clone, Copy)]
struct Side {
    ptr: Value,
    offset: Value,
    /// Distances: from one line to the next, from one plane to the next.
    line: Value,
    plane: Option<Value>,
}

/// The size of a copy: the bytes of an element and the number of elements in each direction.
#[derive(Clone, Copy)]
struct Extent {
    bytes: Value,
    width: Value,
    lines: Value,
    planes: Option<Value>,
}

/// The position of a piece in a copy: the piece in its line, the line in its plane, the plane.
#[derive(Clone, Copy)]
struct Position {
    piece: Value,
    line: Value,
    plane: Option<Value>,
}

impl Lowerer<'_, '_> {
    /// `for (i = local id; i < pieces; i += local size)` copies piece `i`. One side is local memory, so the number of pieces
    /// fits 32 bits.
    fn copy_elements_of(&mut self, [to, from]: [Side; 2], extent: Extent, call: &Call<'_>) {
        let (piece, per_element) = self.piece(extent.bytes, call);
        let [width, lines] = [extent.width, extent.lines].map(|n| self.word(n));
        let planes = extent.planes.map(|n| self.word(n));
        let pieces = self.word(per_element);
        let per_line = self.b.binary(BinaryOp::IMul, width, pieces);
        let mut count = self.b.binary(BinaryOp::IMul, per_line, lines);
        if let Some(planes) = planes {
            count = self.b.binary(BinaryOp::IMul, count, planes);
        }
        let (start, step) = (self.local_linear_id(), self.local_count());
        let open = self.b.open_loop(start, count);
        let line = self.b.binary(BinaryOp::UDiv, open.counter, per_line);
        let part = self.b.binary(BinaryOp::URem, open.counter, per_line);
        let position = match planes {
            None => Position { piece: part, line, plane: None },
            Some(_) => Position {
                piece: part,
                line: self.b.binary(BinaryOp::URem, line, lines),
                plane: Some(self.b.binary(BinaryOp::UDiv, line, lines)),
            },
        };
        let source = self.piece_address(from, position, piece, per_element);
        let target = self.piece_address(to, position, piece, per_element);
        let value = self.b.read(piece, source);
        self.b.write(target, value);
        self.b.close_loop(open, BinaryOp::IAdd, step);
    }

    /// Returns the type of a piece and the number of pieces in an element. Pieces have the size of the smaller type that the
    /// pointers point to if the size of elements is known and a multiple of it; otherwise they are bytes.
    fn piece(&mut self, bytes: Value, call: &Call<'_>) -> (Type, Value) {
        let size_of = |index: usize| call.types.get(index).map_or(1, |ty| ty.number.scalar.bytes());
        let size = u64::from(size_of(0).min(size_of(2)));
        match self.b.func.as_const(bytes) {
            Some(total) if total.is_multiple_of(size) => {
                let scalar = Scalar::int(8 * size as u32);
                (Type::of(scalar), self.b.int(Scalar::I64, (total / size) as i64))
            }
            _ => (Type::of(Scalar::I8), bytes),
        }
    }

    fn word(&mut self, n: Value) -> Value {
        self.b.resize_lanes(n, Scalar::I32, false)
    }

    /// Returns the address `ptr + ((offset + line * side.line + plane * side.plane) * pieces per element + piece)`.
    fn piece_address(&mut self, side: Side, at: Position, piece: Type, per_element: Value) -> Addr {
        let [offset, line_size, line, part, per_element] =
            [side.offset, side.line, at.line, at.piece, per_element]
                .map(|n| self.b.pointer_sized(n, side.ptr, false));
        let lines = self.b.binary(BinaryOp::IMul, line, line_size);
        let mut element = self.b.binary(BinaryOp::IAdd, offset, lines);
        if let (Some(plane), Some(size)) = (at.plane, side.plane) {
            let [plane, size] = [plane, size].map(|n| self.b.pointer_sized(n, side.ptr, false));
            let planes = self.b.binary(BinaryOp::IMul, plane, size);
            element = self.b.binary(BinaryOp::IAdd, element, planes);
        }
        let first = self.b.binary(BinaryOp::IMul, element, per_element);
        let index = self.b.binary(BinaryOp::IAdd, first, part);
        let bytes = piece.bytes();
        self.b.indexed(Addr::new(side.ptr, bytes), index, u64::from(bytes))
    }
}
