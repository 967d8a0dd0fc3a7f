//! Programs, built from source with a constant of their own or from the binary of another, and their kernels.

use super::api::{call, done, made, make, Result};
use super::device::{Context, Device};
use super::random::Random;
use cl3::types::{cl_kernel, cl_program};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::ptr::{null, null_mut};
use std::sync::Arc;

const SOURCE: &str = include_str!("kernels.cl");
const CL_PROGRAM_BINARY_SIZES: u32 = 0x1165;
const CL_PROGRAM_BINARIES: u32 = 0x1166;
const CL_PROGRAM_BUILD_LOG: u32 = 0x1183;

/// A built program, which threads share.
#[derive(Debug)]
pub struct Program {
    handle: usize,
    /// The constant K of the program.
    pub constant: u32,
    /// True where work-groups of a launch may differ in size: from OpenCL C 2.0 on.
    non_uniform: bool,
}

impl Program {
    /// Builds a program with a random constant.
    pub fn new(device: &Device, context: &Context, random: &mut Random) -> Result<Program> {
        let constant = random.number() as u32;
        let (pointer, length) = (SOURCE.as_ptr().cast(), SOURCE.len());
        let made_now = make!(clCreateProgramWithSource(context.handle(), 1, &pointer, &length));
        let handle = made("clCreateProgramWithSource", made_now)?;
        let more = *random.pick(&[
            "",
            "",
            "",
            " -cl-opt-disable",
            " -cl-std=CL3.0",
            " -cl-kernel-arg-info",
        ]);
        let images = if device.images { " -DIMAGES" } else { "" };
        let non_uniform = device.non_uniform && more.contains("CL3.0");
        let program = Program { handle: handle.expose_provenance(), constant, non_uniform };
        program.build(device, &format!("-DK={constant}u{images}{more}"))?;
        match random.once_in(3) {
            true => program.rebuilt_from_binary(device, context),
            false => Ok(program),
        }
    }

    fn handle(&self) -> cl_program {
        std::ptr::with_exposed_provenance_mut(self.handle)
    }

    fn build(&self, device: &Device, options: &str) -> Result<()> {
        let (id, options) = (device.id(), CString::new(options).map_err(|e| e.to_string())?);
        match call!(clBuildProgram(self.handle(), 1, &id, options.as_ptr(), None, null_mut())) {
            0 => Ok(()),
            status => {
                let mut log = vec![0u8; 1 << 16];
                let place = log.as_mut_ptr().cast();
                let size = log.len();
                call!(clGetProgramBuildInfo(
                    self.handle(),
                    id,
                    CL_PROGRAM_BUILD_LOG,
                    size,
                    place,
                    null_mut()
                ));
                let text = String::from_utf8_lossy(&log);
                Err(format!("clBuildProgram gives {status}: {}", text.trim_end_matches('\0')))
            }
        }
    }

    /// Builds the same program from its binary.
    fn rebuilt_from_binary(&self, device: &Device, context: &Context) -> Result<Program> {
        let mut size = 0usize;
        let place = std::ptr::from_mut(&mut size).cast();
        done!(clGetProgramInfo(
            self.handle(),
            CL_PROGRAM_BINARY_SIZES,
            size_of::<usize>(),
            place,
            null_mut()
        ))?;
        let mut binary = vec![0u8; size];
        let mut pointer = binary.as_mut_ptr();
        let place = std::ptr::from_mut(&mut pointer).cast();
        done!(clGetProgramInfo(
            self.handle(),
            CL_PROGRAM_BINARIES,
            size_of::<usize>(),
            place,
            null_mut()
        ))?;
        let (id, pointer, mut state) = (device.id(), pointer.cast_const(), 0);
        let made_now =
            make!(clCreateProgramWithBinary(context.handle(), 1, &id, &size, &pointer, &mut state));
        let handle = made("clCreateProgramWithBinary", made_now)?;
        let program = Program { handle: handle.expose_provenance(), ..*self };
        program.build(device, "")?;
        Ok(program)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        call!(clReleaseProgram(self.handle()));
    }
}

/// The program that a sequence uses, and the kernels made so far, whose arguments are changed while they run.
pub struct Kernels {
    program: Arc<Program>,
    kernels: BTreeMap<String, cl_kernel>,
}

impl Kernels {
    pub fn new(program: Arc<Program>) -> Kernels {
        Kernels { program, kernels: BTreeMap::new() }
    }

    /// Returns the constant K.
    pub fn constant(&self) -> u32 {
        self.program.constant
    }

    /// Returns true if work-groups of any size suit any global size.
    pub fn non_uniform(&self) -> bool {
        self.program.non_uniform
    }

    /// Returns a kernel.
    pub fn get(&mut self, name: &str) -> Result<cl_kernel> {
        if let Some(kernel) = self.kernels.get(name) {
            return Ok(*kernel);
        }
        let text = CString::new(name).map_err(|e| e.to_string())?;
        let kernel =
            made("clCreateKernel", make!(clCreateKernel(self.program.handle(), text.as_ptr())))?;
        self.kernels.insert(name.to_string(), kernel);
        Ok(kernel)
    }

    /// Releases a kernel, even if launches of it still run.
    pub fn forget(&mut self, name: &str) {
        if let Some(kernel) = self.kernels.remove(name) {
            call!(clReleaseKernel(kernel));
        }
    }

    /// Sets an argument to bytes, or to local memory where no bytes are given.
    pub fn set(kernel: cl_kernel, index: usize, size: usize, bytes: Option<&[u8]>) -> Result<()> {
        let place = bytes.map_or(null(), |bytes| bytes.as_ptr().cast());
        done!(clSetKernelArg(kernel, index as u32, size, place))
    }

    /// Takes another program; releases the kernels of the former one, and the former one itself if no other thread has it.
    pub fn replace(&mut self, program: Program) {
        *self = Kernels::new(Arc::new(program));
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        for kernel in self.kernels.values() {
            call!(clReleaseKernel(*kernel));
        }
    }
}
