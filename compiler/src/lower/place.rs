//! Places: the addresses of objects and of vectors' components, and reads and writes of them.

use super::function::Lowering;
use super::{types, Origin};
use crate::checks::Checks;
use crate::ir::Addr;
use crate::ir::{AddressSpace, MemFlags, Scalar, Type, Value};
use crate::sema::hir::{Expr, ExprKind, Place, PlaceKind};

/// An lvalue: an evaluated place. Its operands have been evaluated, once.
pub enum LValue {
    Memory(Addr),
    /// Components of the vector of type `vector` at `addr`.
    Lanes {
        addr: Addr,
        vector: Type,
        lanes: Vec<u8>,
    },
    /// The component number `index` (I32, any value) of the vector.
    LaneAt {
        addr: Addr,
        vector: Type,
        index: Value,
    },
}

impl Lowering<'_, '_> {
    /// Evaluates a place.
    pub fn place(&mut self, place: &Place) -> LValue {
        let outer = self.enter(place.span);
        let lvalue = match &place.kind {
            PlaceKind::Local(id) => LValue::Memory(self.local(*id)),
            PlaceKind::Global(id) => {
                let global = self.context.global(self.origin, *id);
                let (space, align) = match self.context.out.globals.get(global) {
                    Some(data) => (data.space, data.align),
                    None => (AddressSpace::Constant, 1),
                };
                LValue::Memory(Addr::new(self.b.global_addr(global, space), align))
            }
            PlaceKind::Deref(pointer) => {
                let align = self.known_align(place);
                let ptr = self.pointer_to_access(pointer);
                LValue::Memory(Addr::new(ptr, align))
            }
            PlaceKind::Field { base, offset } => {
                let base = self.address_of(base);
                LValue::Memory(self.b.offset(base, u64::from(*offset)))
            }
            PlaceKind::Components { base, lanes } => self.components(base, lanes),
            PlaceKind::ComponentAt { base, index } => self.component_at(base, index),
            PlaceKind::Temporary(value) => LValue::Memory(self.record(value)),
        };
        self.stand_back(outer);
        self.qualify(lvalue, place)
    }

    /// Returns the alignment of a place as far as it is known without evaluation: that of its type, or less if
    /// the place is reached through the name of an array in a packed structure (6.11.1.3).
    fn known_align(&mut self, place: &Place) -> u32 {
        let natural = place.align.unwrap_or(types::layout(self.types(), place.ty).1);
        match &place.kind {
            PlaceKind::Local(id) => self.local(*id).align,
            PlaceKind::Field { base, offset } => match offset {
                0 => self.known_align(base),
                n => self.known_align(base).min(1 << n.trailing_zeros().min(16)),
            },
            PlaceKind::Deref(pointer) => match self.pointer_align(pointer) {
                Some(align) => natural.min(align),
                None => natural,
            },
            _ => natural,
        }
    }

    /// Returns the alignment of the address that an array's name, or an element's address in the array, is.
    fn pointer_align(&mut self, pointer: &Expr) -> Option<u32> {
        match &pointer.kind {
            ExprKind::AddressOf(place) => Some(self.known_align(place)),
            ExprKind::PointerAdd { pointer, stride, .. } => {
                let stride = 1 << stride.trailing_zeros().min(16);
                Some(self.pointer_align(pointer)?.min(stride))
            }
            _ => None,
        }
    }

    /// Adds the flags for accesses that follow from the place itself.
    fn qualify(&self, lvalue: LValue, place: &Place) -> LValue {
        let volatile = place.is_volatile;
        let adjust = |mut addr: Addr| {
            if volatile {
                addr.flags |= MemFlags::VOLATILE;
            }
            if self.b.space(addr.ptr) == AddressSpace::Constant {
                addr.flags |= MemFlags::INVARIANT;
            }
            addr
        };
        match lvalue {
            LValue::Memory(addr) => {
                let mut addr = adjust(addr);
                if let Some(align) = place.align {
                    addr.align = addr.align.max(align).max(1);
                }
                LValue::Memory(addr)
            }
            LValue::Lanes { addr, vector, lanes } => {
                LValue::Lanes { addr: adjust(addr), vector, lanes }
            }
            LValue::LaneAt { addr, vector, index } => {
                LValue::LaneAt { addr: adjust(addr), vector, index }
            }
        }
    }

    fn components(&mut self, base: &Place, lanes: &[u8]) -> LValue {
        let vector = self.value_type(base.ty);
        match self.place(base) {
            LValue::Memory(addr) => LValue::Lanes { addr, vector, lanes: lanes.to_vec() },
            LValue::Lanes { addr, vector, lanes: outer } => {
                let pick = |&lane: &u8| outer.get(usize::from(lane)).copied().unwrap_or(0);
                LValue::Lanes { addr, vector, lanes: lanes.iter().map(pick).collect() }
            }
            lvalue => lvalue,
        }
    }

    fn component_at(&mut self, base: &Place, index: &Expr) -> LValue {
        let vector = self.value_type(base.ty);
        let lvalue = self.place(base);
        let index = self.value(index);
        let index = self.b.resize_lanes(index, Scalar::I32, false);
        match lvalue {
            LValue::Memory(addr) => LValue::LaneAt { addr, vector, index },
            LValue::Lanes { addr, vector, lanes } => {
                // An index into a swizzle: look the lane up.
                let mut lane =
                    self.b.int(Scalar::I32, i64::from(lanes.first().copied().unwrap_or(0)));
                for (i, &candidate) in lanes.iter().enumerate().skip(1) {
                    let at = self.b.int(Scalar::I32, i as i64);
                    let here = self.b.icmp(crate::ir::IntCC::Eq, index, at);
                    let candidate = self.b.int(Scalar::I32, i64::from(candidate));
                    lane = self.b.select(here, candidate, lane);
                }
                LValue::LaneAt { addr, vector, index: lane }
            }
            lvalue => lvalue,
        }
    }

    /// Returns the address of a place in memory. For components of a vector it is the address of the
    /// first one.
    pub fn address_of(&mut self, place: &Place) -> Addr {
        match self.place(place) {
            LValue::Memory(addr) => addr,
            LValue::Lanes { addr, vector, lanes } => {
                let lane = lanes.first().copied().unwrap_or(0);
                self.lane_address(addr, vector, lane)
            }
            LValue::LaneAt { addr, vector, index } => self.dynamic_lane(addr, vector, index),
        }
    }

    fn lane_address(&mut self, addr: Addr, vector: Type, lane: u8) -> Addr {
        let bytes = u64::from(vector.in_memory().scalar.bytes());
        self.b.offset(addr, bytes * u64::from(lane))
    }

    fn dynamic_lane(&mut self, addr: Addr, vector: Type, index: Value) -> Addr {
        let bytes = u64::from(vector.in_memory().scalar.bytes());
        let index = self.b.pointer_sized(index, addr.ptr, false);
        self.b.indexed(addr, index, bytes)
    }

    /// Reads an lvalue as a value of `ty`. Private vectors are read whole, so that they can become SSA
    /// values; in other memory a single component is read by itself.
    pub fn read(&mut self, lvalue: &LValue, ty: Type) -> Value {
        match lvalue {
            LValue::Memory(addr) => self.b.read(ty, *addr),
            LValue::Lanes { addr, vector, lanes } => {
                if let (&[lane], false) = (lanes.as_slice(), self.is_private(addr)) {
                    let addr = self.lane_address(*addr, *vector, lane);
                    return self.b.read(ty, addr);
                }
                if self.checks_init() {
                    let parts: Vec<Value> = existing(lanes, *vector)
                        .map(|(_, &lane)| {
                            let addr = self.lane_address(*addr, *vector, lane);
                            self.b.read(vector.lane(), addr)
                        })
                        .collect();
                    if parts.len() == lanes.len() {
                        return self.b.build(&parts);
                    }
                }
                let whole = self.b.read(*vector, *addr);
                let last = vector.lanes - 1;
                let lanes: Vec<u8> = lanes.iter().map(|&lane| lane.min(last)).collect();
                self.b.swizzle(whole, &lanes)
            }
            LValue::LaneAt { addr, vector, index } => {
                if self.is_private(addr) {
                    let whole = self.b.read(*vector, *addr);
                    let element = self.matrix_extract(whole, *index);
                    return element.unwrap_or_else(|| self.b.extract_dynamic(whole, *index));
                }
                let addr = self.dynamic_lane(*addr, *vector, *index);
                self.b.read(ty, addr)
            }
        }
    }

    /// Writes a value. Outside private memory other components are not touched.
    pub fn write(&mut self, lvalue: &LValue, value: Value) {
        match lvalue {
            LValue::Memory(addr) => self.b.write(*addr, value),
            LValue::Lanes { addr, vector, lanes } if self.is_private(addr) => {
                let mut whole = self.b.read(*vector, *addr);
                for (i, &lane) in existing(lanes, *vector) {
                    let element = self.b.extract(value, i as u8);
                    whole = self.b.insert(whole, element, lane);
                }
                self.b.write(*addr, whole);
            }
            LValue::Lanes { addr, vector, lanes } => {
                for (i, &lane) in existing(lanes, *vector) {
                    let element = self.b.extract(value, i as u8);
                    let addr = self.lane_address(*addr, *vector, lane);
                    self.b.write(addr, element);
                }
            }
            LValue::LaneAt { addr, vector, index } if self.is_private(addr) => {
                let whole = self.b.read(*vector, *addr);
                let changed = self.matrix_insert(whole, value, *index);
                let whole = changed.unwrap_or_else(|| self.b.insert_dynamic(whole, value, *index));
                self.b.write(*addr, whole);
            }
            LValue::LaneAt { addr, vector, index } => {
                let addr = self.dynamic_lane(*addr, *vector, *index);
                self.b.write(addr, value);
            }
        }
    }

    /// Returns true if vectors are read and written whole: in private memory, unless checks need to know which lanes are read.
    fn is_private(&self, addr: &Addr) -> bool {
        self.b.space(addr.ptr) == AddressSpace::Private && !self.checks_init()
    }

    /// Returns true if checks look for reads of values that were not written.
    pub(super) fn checks_init(&self) -> bool {
        self.origin == Origin::User && self.context.target.checks.contains(Checks::INIT)
    }
}

/// Returns the chosen lanes that the vector has, each with its number among the chosen ones. A vector of 3 has no lane 3.
fn existing(lanes: &[u8], vector: Type) -> impl Iterator<Item = (usize, &u8)> {
    lanes.iter().enumerate().filter(move |(_, &lane)| lane < vector.lanes)
}
