//! Runs functions on a device, slab by slab, while the threads of the host compare the results of the slab before.

use super::arguments::Chooser;
use super::format::Format;
use super::row::Row;
use super::tally::{Comparison, Tally};
use crate::bench::cl::{Buffer, Kernel, Result, Session};

/// The largest number of calls in a launch, and the one for calls whose values need not be written.
const SLAB: usize = 1 << 22;
const LARGE_SLAB: usize = 1 << 24;
/// The names of a row's values in its statement of OpenCL C.
const NAMES: [&str; 8] = ["x", "y", "z", "w", "x2", "y2", "z2", "w2"];

/// The configurations of floating-point types: CL_DEVICE_HALF_FP_CONFIG and so on.
const CONFIGS: [(Format, u32); 3] =
    [(Format::Half, 0x1033), (Format::Float, 0x101B), (Format::Double, 0x1032)];
const CL_FP_DENORM: u64 = 1;

/// How a device supports a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    Absent,
    Flushes,
    Full,
}

/// Returns how a device supports a type. A device without the type may not know the query.
pub fn support(session: &Session, format: Format) -> Support {
    let what = CONFIGS.iter().find(|config| config.0 == format).map_or(0, |config| config.1);
    match session.number(what).unwrap_or(0) {
        0 => Support::Absent,
        config if config & CL_FP_DENORM == 0 => Support::Flushes,
        _ => Support::Full,
    }
}

/// Returns the program that calls a function for each work-item.
fn source(row: &Row, format: Format, by_index: bool) -> String {
    let mut declarations = String::new();
    for (place, name) in NAMES[..row.values].iter().enumerate() {
        let value = match by_index {
            true => format!("as_{}(({})(first + i))", format.name(), format.bits_name()),
            false => format!("values[i * {} + {place}]", row.values),
        };
        declarations.push_str(&format!("    const T {name} = {value};\n"));
    }
    if row.integer {
        declarations.push_str("    const int n = integers[i];\n");
    }
    let (name, bits, body) = (format.name(), format.bits_name(), row.body);
    let pragma = match format {
        Format::Half => "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n",
        Format::Double => "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
        Format::Float => "",
    };
    format!(
        "{pragma}#define T {name}\n#define T3 {name}3\n#define T4 {name}4\n\
         #define AS_BITS(x) as_{bits}(x)\n\
         kernel void call(global const T *values, global const int *integers, global T *results,\n\
         \x20                uint first) {{\n    const uint i = get_global_id(0);\n{declarations}\
         \x20   T p, r;\n    int q;\n    {body}\n    results[i] = r;\n}}\n"
    )
}

/// The arguments of a slab's calls, and their results.
#[derive(Default)]
struct Slab {
    first: u64,
    count: usize,
    values: Vec<u8>,
    integers: Vec<i32>,
    results: Vec<u8>,
}

/// A function on a device.
struct Runner<'a> {
    session: &'a Session,
    comparison: Comparison<'a>,
    chooser: Chooser<'a>,
    kernel: Kernel,
    values: Buffer,
    integers: Buffer,
    results: Buffer,
    /// Calls in a launch at most.
    slab: usize,
}

impl<'a> Runner<'a> {
    fn new(session: &'a Session, comparison: Comparison<'a>, count: u64) -> Result<Runner<'a>> {
        let Comparison { row, format, .. } = comparison;
        let chooser = Chooser::new(row, format, count);
        let kernel = session.build(&source(row, format, chooser.is_index()), "call", "")?;
        let (slab, values) = match chooser.is_index() {
            true => (LARGE_SLAB, 1),
            false => (SLAB, SLAB * row.values),
        };
        let values = session.buffer(values * format.bytes())?;
        let integers = session.buffer(if row.integer { SLAB * 4 } else { 4 })?;
        let results = session.buffer(slab * format.bytes())?;
        kernel.set_buffers(&[&values, &integers, &results])?;
        Ok(Runner { session, comparison, chooser, kernel, values, integers, results, slab })
    }

    /// Chooses the calls of a slab and runs them.
    fn run(&self, slab: &mut Slab, first: u64, count: usize, threads: usize) -> Result<()> {
        let Comparison { row, format, .. } = self.comparison;
        (slab.first, slab.count) = (first, count);
        slab.results.resize(count * format.bytes(), 0);
        if count == 0 {
            return Ok(());
        }
        if !self.chooser.is_index() {
            slab.values.resize(count * format.bytes() * row.values, 0);
            slab.integers.resize(count, 0);
            choose(&self.chooser, &self.comparison, slab, threads);
            self.session.write(&self.values, &slab.values)?;
            if row.integer {
                self.session.write(&self.integers, &slab.integers)?;
            }
        }
        self.kernel.set(3, first as u32)?;
        let local = 64;
        self.session.launch(&self.kernel, &[count.next_multiple_of(local)], &[local])?;
        self.session.read(&self.results, 0, &mut slab.results)
    }
}

/// Chooses the values of a slab's calls.
fn choose(chooser: &Chooser<'_>, comparison: &Comparison<'_>, slab: &mut Slab, threads: usize) {
    let (format, count) = (comparison.format, comparison.row.values);
    let calls = slab.count.div_ceil(threads).max(1);
    let size = calls * format.bytes() * count;
    let parts = slab.values.chunks_mut(size).zip(slab.integers.chunks_mut(calls));
    std::thread::scope(|scope| {
        for (part, (values, integers)) in parts.enumerate() {
            let first = slab.first + (part * calls) as u64;
            scope.spawn(move || {
                let mut bits = [0; 8];
                for (i, integer) in integers.iter_mut().enumerate() {
                    *integer = chooser.choose(first + i as u64, &mut bits);
                    for (place, bits) in bits[..count].iter().enumerate() {
                        format.put(values, i * count + place, *bits);
                    }
                }
            });
        }
    });
}

/// Compares the calls of a slab from `start` to `end`.
fn compare(comparison: &Comparison<'_>, slab: &Slab, start: usize, end: usize) -> Tally {
    let (row, format) = (comparison.row, comparison.format);
    let mut tally = Tally::default();
    let mut values = [0.0; 9];
    let count = row.values + usize::from(row.integer);
    for i in start..end {
        if slab.values.is_empty() {
            values[0] = format.number(slab.first + i as u64);
        } else {
            for (place, value) in values[..row.values].iter_mut().enumerate() {
                *value = format.get(&slab.values, i * row.values + place);
            }
            if row.integer {
                values[row.values] = f64::from(slab.integers[i]);
            }
        }
        comparison.count(&mut tally, &values[..count], format.get(&slab.results, i));
    }
    tally
}

/// Calls a function `count` times, or with all different arguments if there are fewer.
pub fn measure(session: &Session, row: &Row, format: Format, count: u64) -> Result<Tally> {
    let flushes = support(session, format) == Support::Flushes;
    let comparison = Comparison { row, format, flushes };
    let runner = Runner::new(session, comparison, count)?;
    let count = match runner.chooser.is_exhaustive() {
        true => row.all_calls(format).unwrap_or(count),
        false => count,
    };
    let threads = crate::pool::processors();
    let (mut tally, mut before, mut next) = (Tally::default(), Slab::default(), Slab::default());
    let mut first = 0;
    loop {
        let size = (count - first).min(runner.slab as u64) as usize;
        std::thread::scope(|scope| {
            let part = before.count.div_ceil(threads).max(1);
            let starts = (0..before.count).step_by(part);
            let (before, comparison) = (&before, &comparison);
            let work = |start: usize| {
                let end = before.count.min(start + part);
                scope.spawn(move || compare(comparison, before, start, end))
            };
            let workers: Vec<_> = starts.map(work).collect();
            let done = runner.run(&mut next, first, size, threads);
            for worker in workers {
                tally.add(worker.join().map_err(|_| "a thread panicked".to_string())?);
            }
            done
        })?;
        first += size as u64;
        std::mem::swap(&mut before, &mut next);
        if size == 0 {
            return Ok(tally);
        }
    }
}
