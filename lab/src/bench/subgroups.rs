//! Measures reductions and scans of sub-groups and of whole work-groups, in each of the forms that OpenCL C has for them: by
//! local memory alone, by functions of sub-groups, by functions of work-groups. The line `best` compares each platform's best
//! form with the others' best.

use super::cl::{Result, Session};
use super::measure::{expect, median, repeat, Better, LOCAL};
use super::scale::Scale;
use super::table::Row;

/// Reductions or scans per work-item, one after the other.
const ROUNDS: usize = 64;
/// Samples, in turn with the other platforms.
const SAMPLES: usize = 3;

/// The operation: the sum of all numbers, or of all up to the work-item's own.
#[derive(Clone, Copy, PartialEq)]
enum Operation {
    Reduction,
    Scan,
}

/// How a kernel computes the sums: by local memory, or by functions of sub-groups or of work-groups.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Local,
    SubGroup,
    WorkGroup,
}

/// One kernel, in which groups of `width` work-items add up their numbers.
#[derive(Clone, Copy)]
struct Case {
    operation: Operation,
    number: &'static str,
    width: usize,
    form: Form,
}

const SOURCE: &str = "
#if FORM > 0 && !defined(cl_khr_subgroups) && !defined(__opencl_c_subgroups) && FORM < 2
#error no sub-groups
#endif
#if FORM == 2 && !defined(__opencl_c_work_group_collective_functions) && __OPENCL_C_VERSION__ != 200
#error no functions of work-groups
#endif
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#if FORM == 0
T reduction(T x, local T *s, uint l, uint *turn)
{
    uint w = l % WIDTH;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[l] = x;
    #pragma unroll
    for (uint d = WIDTH / 2; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (w < d) s[l] += s[l + d];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return s[l - w];
}
T scan(T x, local T *s, uint l, uint *turn)
{
    uint w = l % WIDTH;
    #pragma unroll
    for (uint d = 1; d < WIDTH; d *= 2) {
        s[*turn + l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (w >= d) x += s[*turn + l - d];
        *turn ^= LOCAL;
    }
    return x;
}
#elif FORM == 1
T reduction(T x, local T *s, uint l, uint *turn)
{
    x = sub_group_reduce_add(x);
#if WIDTH == LOCAL
    uint i = get_sub_group_local_id(), n = get_num_sub_groups();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) s[get_sub_group_id()] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    T y = 0;
    for (uint k = i; k < n; k += get_max_sub_group_size()) y += s[k];
    x = sub_group_reduce_add(y);
#endif
    return x;
}
T scan(T x, local T *s, uint l, uint *turn)
{
    x = sub_group_scan_inclusive_add(x);
#if WIDTH == LOCAL
    uint i = get_sub_group_local_id(), g = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == get_max_sub_group_size() - 1) s[g] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    T y = 0;
    for (uint k = i; k < g; k += get_max_sub_group_size()) y += s[k];
    x += sub_group_reduce_add(y);
#endif
    return x;
}
#else
T reduction(T x, local T *s, uint l, uint *turn) { return work_group_reduce_add(x); }
T scan(T x, local T *s, uint l, uint *turn) { return work_group_scan_inclusive_add(x); }
#endif
kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1))) void rounds(global T *out)
{
    local T s[2 * LOCAL];
    uint l = get_local_id(0), turn = 0;
    T x = (T)((get_group_id(0) + l) & 15);
    for (int round = 0; round < ROUNDS; round++) x = (T)(((uint)OPERATION(x, s, l, &turn) ^ l) & MASK);
    out[get_global_id(0)] = x;
}";

const SIZE: &str = "
#if !defined(cl_khr_subgroups) && !defined(__opencl_c_subgroups)
#error no sub-groups
#endif
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
kernel void size(global uint *out) { *out = get_max_sub_group_size(); }";

impl Case {
    /// A mask of numbers whose sums are exact as floats.
    const MASK: u32 = 15;

    fn source(&self) -> String {
        let Case { number, width, .. } = self;
        let operation = match self.operation {
            Operation::Reduction => "reduction",
            Operation::Scan => "scan",
        };
        let (form, mask) = (self.form as u32, Case::MASK);
        format!(
            "#define FORM {form}\n#define T {number}\n#define WIDTH {width}u\n#define LOCAL {LOCAL}u\n\
             #define ROUNDS {ROUNDS}\n#define OPERATION {operation}\n#define MASK {mask}u\n{SOURCE}"
        )
    }

    /// Returns the numbers that the work-items of a work-group write.
    fn expected(&self, group: usize) -> Vec<u32> {
        let mut values: Vec<u32> = (0..LOCAL).map(|l| (group + l) as u32 & Case::MASK).collect();
        for _ in 0..ROUNDS {
            for (number, part) in values.chunks_mut(self.width).enumerate() {
                let all: u32 = part.iter().sum();
                let mut before = 0;
                for (l, value) in part.iter_mut().enumerate() {
                    before += *value;
                    let sum = if self.operation == Operation::Scan { before } else { all };
                    *value = (sum ^ (number * self.width + l) as u32) & Case::MASK;
                }
            }
        }
        values
    }

    /// Returns billions of numbers a second.
    fn rate(&self, s: &Session, scale: &Scale) -> Result<f64> {
        let kernel = build(s, &self.source(), "rounds")?;
        let out = s.buffer(4 * scale.items)?;
        kernel.set_buffers(&[&out])?;
        let seconds = repeat(1000, |count| {
            (0..count).try_for_each(|_| s.launch(&kernel, &[scale.items], &[LOCAL]))?;
            s.finish()
        })?;
        let mut bits = vec![0u32; scale.items];
        s.read(&out, 0, &mut bits)?;
        let number = |bits: &u32| match self.number {
            "float" => f32::from_bits(*bits) as u32,
            _ => *bits,
        };
        for group in [0, 5, scale.items / LOCAL - 1] {
            let found = bits[group * LOCAL..].iter().map(number);
            let right = found.zip(self.expected(group)).all(|(found, expected)| found == expected);
            expect(right, "a reduction or scan")?;
        }
        Ok((scale.items * ROUNDS) as f64 / seconds / 1e9)
    }
}

/// Builds a kernel in the newest language that the platform takes.
fn build(s: &Session, source: &str, kernel: &str) -> Result<super::cl::Kernel> {
    let newest = s.build(source, kernel, "-cl-std=CL3.0");
    newest
        .or_else(|_| s.build(source, kernel, "-cl-std=CL2.0"))
        .or_else(|_| s.build(source, kernel, ""))
}

/// Returns the size of sub-groups; the size on most GPUs where there are none.
fn subgroup_size(s: &Session) -> usize {
    let size = || -> Result<u32> {
        let (kernel, out) = (build(s, SIZE, "size")?, s.buffer(4)?);
        kernel.set_buffers(&[&out])?;
        s.launch(&kernel, &[LOCAL], &[LOCAL])?;
        let mut size = [0u32];
        s.read(&out, 0, &mut size)?;
        Ok(size[0])
    };
    size().map_or(32, |size| (size as usize).clamp(2, LOCAL))
}

/// Returns the lines whose name `wanted` accepts.
pub fn rows(sessions: &[Session], scale: &Scale, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for (operation, name) in [(Operation::Reduction, "reduction"), (Operation::Scan, "scan")] {
        for number in ["uint", "float"] {
            for is_group in [true, false] {
                let owner = if is_group { "a work-group of 256" } else { "a sub-group" };
                let name = format!("subgroups: {name} of {owner}, {number}");
                if wanted(&name) {
                    eprintln!("{name}");
                    rows.extend(lines(sessions, scale, &name, (operation, number, is_group)));
                }
            }
        }
    }
    rows
}

/// Returns a line for each form, and the line of the best.
fn lines(
    sessions: &[Session],
    scale: &Scale,
    name: &str,
    (operation, number, is_group): (Operation, &'static str, bool),
) -> Vec<Row> {
    let forms: &[(Form, &str)] = &[
        (Form::Local, "local memory"),
        (Form::SubGroup, "functions of sub-groups"),
        (Form::WorkGroup, "functions of work-groups"),
    ];
    let forms = if is_group { forms } else { &forms[..2] };
    let mut rows: Vec<Row> = Vec::new();
    for &(form, form_name) in forms {
        let mut samples: Vec<Result<Vec<f64>>> = vec![Ok(Vec::new()); sessions.len()];
        for _ in 0..SAMPLES {
            for (session, so_far) in sessions.iter().zip(&mut samples) {
                let Ok(list) = so_far else { continue };
                let width = if is_group { LOCAL } else { subgroup_size(session) };
                match (Case { operation, number, width, form }).rate(session, scale) {
                    Ok(rate) => list.push(rate),
                    Err(message) => *so_far = Err(message),
                }
            }
        }
        let middle = |list: Result<Vec<f64>>| list.map(|mut list| median(&mut list));
        let values = samples.into_iter().map(middle).collect();
        rows.push(line(format!("{name}, {form_name}"), values));
    }
    let best = |platform: usize| {
        let values = rows.iter().filter_map(|row| row.values[platform].as_ref().ok());
        let best = values.copied().max_by(f64::total_cmp);
        best.ok_or_else(|| rows[0].values[platform].clone().err().unwrap_or_default())
    };
    let values = (0..sessions.len()).map(best).collect();
    rows.push(line(format!("{name}, best"), values));
    rows
}

fn line(name: String, values: Vec<Result<f64>>) -> Row {
    Row { name, unit: "G/s".into(), better: Better::More, values }
}
