//! Modules of SPIR-V such as no compiler of C might write.

use super::words::{Body, Op, Words, CROSS_WORKGROUP, FUNCTION, UNIFORM_CONSTANT};
use super::{Program, Row};

/// Returns a module with one kernel, whose body `write` makes.
fn kernel(write: impl Fn(&mut Words, &Body)) -> Program {
    let mut words = Words::new();
    let body = words.begin_kernel("k");
    write(&mut words, &body);
    words.act(Op::Return, &[]);
    words.end();
    Program::Module(words.finish())
}

/// Appends a comparison of the word at the body's pointer with the body's number; returns the result.
fn test(words: &mut Words, body: &Body) -> u32 {
    let loaded = words.value(Op::Load, words.int, &[body.pointer, 2, 4]);
    words.value(Op::IEqual, words.bool, &[loaded, body.number])
}

fn store(words: &mut Words, body: &Body, value: u32) {
    words.act(Op::Store, &[body.pointer, value, 2, 4]);
}

pub const SHAPES: &[Row] = &[
    ("IL: chain of calls", |count| {
        let mut words = Words::new();
        let ids = words.ids(count + 1);
        for i in 0..=count {
            let body = words.begin(ids[i], words.int, words.function);
            let result = match i {
                0 => body.number,
                _ => {
                    let sum = words.value(Op::IAdd, words.int, &[body.number, body.number]);
                    words.value(Op::FunctionCall, words.int, &[ids[i - 1], body.pointer, sum])
                }
            };
            words.act(Op::ReturnValue, &[result]);
            words.end();
        }
        let body = words.begin_kernel("k");
        let last =
            words.value(Op::FunctionCall, words.int, &[ids[count], body.pointer, body.number]);
        store(&mut words, &body, last);
        words.act(Op::Return, &[]);
        words.end();
        Program::Module(words.finish())
    }),
    ("IL: branches to one block", |count| {
        kernel(|words, body| {
            let end = words.id();
            for _ in 0..count {
                let condition = test(words, body);
                let next = words.id();
                words.act(Op::BranchConditional, &[condition, end, next]);
                words.label(next);
            }
            words.act(Op::Branch, &[end]);
            words.label(end);
        })
    }),
    ("IL: branches to one block with a phi", |count| {
        kernel(|words, body| {
            let end = words.id();
            let (mut sources, mut label, mut value) = (Vec::new(), body.label, body.number);
            for _ in 0..count {
                let condition = test(words, body);
                let next = words.id();
                words.act(Op::BranchConditional, &[condition, end, next]);
                sources.extend([value, label]);
                words.label(next);
                label = next;
                value = words.value(Op::IMul, words.int, &[value, body.number]);
            }
            words.act(Op::Branch, &[end]);
            sources.extend([value, label]);
            words.label(end);
            // An instruction has at most 65,535 words.
            if sources.len() < 65_000 {
                let phi = words.value(Op::Phi, words.int, &sources);
                store(words, body, phi);
            }
        })
    }),
    ("IL: branches past one another", |count| {
        kernel(|words, body| {
            let labels = words.ids(count + 2);
            words.act(Op::Branch, &[labels[0]]);
            for i in 0..count {
                words.label(labels[i]);
                let condition = test(words, body);
                words.act(Op::BranchConditional, &[condition, labels[i + 1], labels[i + 2]]);
            }
            words.label(labels[count]);
            words.act(Op::Branch, &[labels[count + 1]]);
            words.label(labels[count + 1]);
        })
    }),
    ("IL: branches to random blocks", |count| {
        kernel(|words, body| {
            let labels = words.ids(count + 1);
            words.act(Op::Branch, &[labels[0]]);
            for i in 0..count {
                words.label(labels[i]);
                let condition = test(words, body);
                let other = labels[(i * 7919 + 13) % (count + 1)];
                words.act(Op::BranchConditional, &[condition, labels[i + 1], other]);
            }
            words.label(labels[count]);
        })
    }),
    ("IL: ladder of dominators", |count| {
        // Two chains side by side that end in each other's blocks: the worst for iteration over intersections.
        kernel(|words, body| {
            let (left, right) = (words.ids(count + 1), words.ids(count + 1));
            let condition = test(words, body);
            words.act(Op::BranchConditional, &[condition, left[0], right[0]]);
            for i in 0..count {
                for (own, other) in [(&left, &right), (&right, &left)] {
                    words.label(own[i]);
                    let condition = test(words, body);
                    words
                        .act(Op::BranchConditional, &[condition, own[i + 1], other[count - 1 - i]]);
                }
            }
            let end = words.id();
            for last in [left[count], right[count]] {
                words.label(last);
                words.act(Op::Branch, &[end]);
            }
            words.label(end);
        })
    }),
    ("IL: loops around one another", |count| {
        kernel(|words, body| {
            let labels = words.ids(count + 1);
            words.act(Op::Branch, &[labels[0]]);
            for i in 0..count {
                words.label(labels[i]);
                words.act(Op::Branch, &[labels[i + 1]]);
            }
            words.label(labels[count]);
            for i in (0..count).rev() {
                let condition = test(words, body);
                let next = words.id();
                words.act(Op::BranchConditional, &[condition, labels[i], next]);
                words.label(next);
            }
        })
    }),
    ("IL: jumps", |count| {
        kernel(|words, _| {
            for _ in 0..count {
                let next = words.id();
                words.act(Op::Branch, &[next]);
                words.label(next);
            }
        })
    }),
    ("IL: cases", |count| {
        kernel(|words, body| {
            // An instruction has at most 65,535 words.
            let mut rest = count;
            while rest > 0 {
                let cases = words.ids(rest.min(20_000));
                rest -= cases.len();
                let end = words.id();
                let mut operands = vec![body.number, end];
                for (i, &label) in cases.iter().enumerate() {
                    operands.extend([i as u32, label]);
                }
                words.act(Op::Switch, &operands);
                for (i, &label) in cases.iter().enumerate() {
                    words.label(label);
                    store(words, body, body.number);
                    words.act(
                        Op::Branch,
                        &[if i % 3 == 0 { end } else { *cases.get(i + 1).unwrap_or(&end) }],
                    );
                }
                words.label(end);
            }
        })
    }),
    ("IL: cases with phis", |count| {
        kernel(|words, body| {
            let mut rest = count;
            let mut label = body.label;
            while rest > 0 {
                let cases = words.ids(rest.min(20_000));
                rest -= cases.len();
                let end = words.id();
                let mut operands = vec![body.number, end];
                let mut sources = vec![body.number, label];
                for (i, &label) in cases.iter().enumerate() {
                    operands.extend([i as u32, label]);
                }
                words.act(Op::Switch, &operands);
                for &label in &cases {
                    words.label(label);
                    let loaded = words.value(Op::Load, words.int, &[body.pointer, 2, 4]);
                    sources.extend([loaded, label]);
                    words.act(Op::Branch, &[end]);
                }
                words.label(end);
                let phi = words.value(Op::Phi, words.int, &sources);
                store(words, body, phi);
                label = end;
            }
        })
    }),
    ("IL: phis of one block", |count| {
        kernel(|words, body| {
            let [left, right, end] = [words.id(), words.id(), words.id()];
            let condition = test(words, body);
            words.act(Op::BranchConditional, &[condition, left, right]);
            let sides: Vec<Vec<u32>> = [left, right]
                .iter()
                .map(|&side| {
                    words.label(side);
                    let value = |_| words.value(Op::Load, words.int, &[body.pointer, 1]);
                    let values = (0..count).map(value).collect();
                    words.act(Op::Branch, &[end]);
                    values
                })
                .collect();
            words.label(end);
            let phi = |i: usize| {
                words.value(Op::Phi, words.int, &[sides[0][i], left, sides[1][i], right])
            };
            let phis: Vec<u32> = (0..count).map(phi).collect();
            for phi in phis {
                store(words, body, phi);
            }
        })
    }),
    ("IL: phis of loops around one another", |count| {
        kernel(|words, body| {
            let (labels, phis) = (words.ids(count + 1), words.ids(count));
            let (mut value, mut label) = (body.number, body.label);
            let latches = words.ids(count);
            words.act(Op::Branch, &[labels[0]]);
            for i in 0..count {
                words.label(labels[i]);
                words.give(
                    phis[i],
                    Op::Phi,
                    words.int,
                    &[value, label, phis[count - 1], latches[i]],
                );
                (value, label) = (phis[i], labels[i]);
                words.act(Op::Branch, &[labels[i + 1]]);
            }
            words.label(labels[count]);
            for i in (0..count).rev() {
                let condition = test(words, body);
                let next = words.id();
                words.act(Op::BranchConditional, &[condition, latches[i], next]);
                words.label(latches[i]);
                words.act(Op::Branch, &[labels[i]]);
                words.label(next);
            }
        })
    }),
    ("IL: chain of phis", |count| {
        kernel(|words, body| {
            let (mut value, mut label) = (body.number, body.label);
            for _ in 0..count {
                let condition = test(words, body);
                let [middle, next] = [words.id(), words.id()];
                words.act(Op::BranchConditional, &[condition, middle, next]);
                words.label(middle);
                let sum = words.value(Op::IAdd, words.int, &[value, body.number]);
                words.act(Op::Branch, &[next]);
                words.label(next);
                value = words.value(Op::Phi, words.int, &[value, label, sum, middle]);
                label = next;
            }
            store(words, body, value);
        })
    }),
    ("IL: variables", |count| {
        kernel(|words, body| {
            let variable = |_| words.value(Op::Variable, words.own, &[FUNCTION]);
            let variables: Vec<u32> = (0..count).map(variable).collect();
            for &variable in &variables {
                words.act(Op::Store, &[variable, body.number]);
            }
            for &variable in &variables {
                let loaded = words.value(Op::Load, words.int, &[variable]);
                store(words, body, loaded);
            }
        })
    }),
    ("IL: variables that branches write", |count| {
        kernel(|words, body| {
            let variable = |_| words.value(Op::Variable, words.own, &[FUNCTION]);
            let variables: Vec<u32> = (0..count).map(variable).collect();
            let end = words.id();
            for &variable in &variables {
                let condition = test(words, body);
                words.act(Op::Store, &[variable, body.number]);
                let next = words.id();
                words.act(Op::BranchConditional, &[condition, end, next]);
                words.label(next);
            }
            words.act(Op::Branch, &[end]);
            words.label(end);
            for &variable in &variables {
                let loaded = words.value(Op::Load, words.int, &[variable]);
                store(words, body, loaded);
            }
        })
    }),
    ("IL: arithmetic", |count| {
        kernel(|words, body| {
            let mut value = body.number;
            for i in 0..count {
                let opcode = if i % 2 == 0 { Op::IAdd } else { Op::IMul };
                value = words.value(opcode, words.int, &[value, body.number]);
            }
            store(words, body, value);
        })
    }),
    ("IL: selections", |count| {
        kernel(|words, body| {
            let (mut value, mut other) = (body.number, body.number);
            for _ in 0..count {
                let condition = words.value(Op::SLessThan, words.bool, &[value, other]);
                let chosen = words.value(Op::Select, words.int, &[condition, value, other]);
                (value, other) = (words.value(Op::IAdd, words.int, &[chosen, value]), chosen);
            }
            store(words, body, value);
        })
    }),
    ("IL: addresses", |count| {
        kernel(|words, body| {
            let mut pointer = body.pointer;
            for _ in 0..count {
                pointer =
                    words.value(Op::InBoundsPtrAccessChain, words.pointer, &[pointer, body.number]);
                words.act(Op::Store, &[pointer, body.number, 2, 4]);
            }
        })
    }),
    ("IL: kernels", |count| {
        let mut words = Words::new();
        for i in 0..count {
            let body = words.begin_kernel(&format!("k{i}"));
            store(&mut words, &body, body.number);
            words.act(Op::Return, &[]);
            words.end();
        }
        Program::Module(words.finish())
    }),
    ("IL: constants", |count| {
        let mut words = Words::new();
        let constants: Vec<u32> = (0..count).map(|i| words.constant(i as u32)).collect();
        let body = words.begin_kernel("k");
        for constant in constants {
            store(&mut words, &body, constant);
        }
        words.act(Op::Return, &[]);
        words.end();
        Program::Module(words.finish())
    }),
    ("IL: program-scope variables", |count| {
        let mut words = Words::new();
        let seven = words.constant(7);
        let variable = |_| words.declare_of(Op::Variable, words.pointer, &[CROSS_WORKGROUP, seven]);
        let variables: Vec<u32> = (0..count).map(variable).collect();
        let body = words.begin_kernel("k");
        for variable in variables {
            words.act(Op::Store, &[variable, body.number, 2, 4]);
        }
        words.act(Op::Return, &[]);
        words.end();
        Program::Module(words.finish())
    }),
    ("IL: composites", |count| {
        let mut words = Words::new();
        let (row, rows) = (words.constant(16), words.constant(count as u32));
        let array = words.declare(Op::TypeArray, &[words.int, row]);
        // An instruction has at most 65,535 words.
        let whole = words.declare(Op::TypeArray, &[array, rows]);
        let mut all = Vec::new();
        for i in 0..count {
            let number = words.constant(i as u32);
            all.push(words.declare_of(Op::ConstantComposite, array, &[number; 16]));
        }
        if count < 65_000 {
            let value = words.declare_of(Op::ConstantComposite, whole, &all);
            let pointer = words.declare(Op::TypePointer, &[UNIFORM_CONSTANT, whole]);
            words.declare_of(Op::Variable, pointer, &[UNIFORM_CONSTANT, value]);
        }
        let body = words.begin_kernel("k");
        store(&mut words, &body, body.number);
        words.act(Op::Return, &[]);
        words.end();
        Program::Module(words.finish())
    }),
    ("IL: insertions into a composite", |count| {
        let mut words = Words::new();
        let sixteen = words.constant(16);
        let array = words.declare(Op::TypeArray, &[words.int, sixteen]);
        let mut value = words.declare_of(Op::ConstantComposite, array, &[sixteen; 16]);
        let body = words.begin_kernel("k");
        for i in 0..count {
            let inserted = &[body.number, value, i as u32 % 16];
            value = words.value(Op::CompositeInsert, array, inserted);
        }
        let element = words.value(Op::CompositeExtract, words.int, &[value, 3]);
        store(&mut words, &body, element);
        words.act(Op::Return, &[]);
        words.end();
        Program::Module(words.finish())
    }),
    ("IL: types in types", |count| {
        let mut words = Words::new();
        let mut ty = words.int;
        for _ in 0..count {
            ty = words.declare(Op::TypeStruct, &[ty, words.int]);
        }
        words.declare(Op::TypePointer, &[CROSS_WORKGROUP, ty]);
        let body = words.begin_kernel("k");
        store(&mut words, &body, body.number);
        words.act(Op::Return, &[]);
        words.end();
        Program::Module(words.finish())
    }),
    ("IL: members", |count| {
        let mut words = Words::new();
        let members = vec![words.int; count.min(65_000)];
        let whole = words.declare(Op::TypeStruct, &members);
        let pointer = words.declare(Op::TypePointer, &[FUNCTION, whole]);
        let body = words.begin_kernel("k");
        let variable = words.value(Op::Variable, pointer, &[FUNCTION]);
        let value = words.value(Op::Load, whole, &[variable]);
        for i in 0..count.min(65_000) {
            let element = words.value(Op::CompositeExtract, words.int, &[value, i as u32]);
            store(&mut words, &body, element);
        }
        words.act(Op::Return, &[]);
        words.end();
        Program::Module(words.finish())
    }),
    ("IL: names", |count| {
        let mut words = Words::new();
        for i in 0..count {
            let id = words.constant(i as u32);
            words.name(id, &format!("name{i}"));
        }
        let body = words.begin_kernel("k");
        store(&mut words, &body, body.number);
        words.act(Op::Return, &[]);
        words.end();
        Program::Module(words.finish())
    }),
    ("IL: decorations of one name", |count| {
        let mut words = Words::new();
        let body = words.begin_kernel("k");
        for _ in 0..count {
            // Decorates the pointer with an alignment of 4.
            words.decorate(&[body.pointer, 44, 4]);
        }
        store(&mut words, &body, body.number);
        words.act(Op::Return, &[]);
        words.end();
        Program::Module(words.finish())
    }),
];
