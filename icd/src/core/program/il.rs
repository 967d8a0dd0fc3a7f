//! Programs in an intermediate language (clCreateProgramWithIL): the module as it was given, and the values that its
//! specialization constants have from the next build on.

use crate::cl::error::{ensure, ClError, Result};
use crate::cl::{room, *};
use hekla_compiler::{Il, SpecValue};
use parking_lot::Mutex;
use std::sync::Arc;

/// A module of an intermediate language.
pub struct IlModule {
    /// The module as given to clCreateProgramWithIL (CL_PROGRAM_IL).
    bytes: Vec<u8>,
    module: Il,
    specs: Mutex<Vec<SpecValue>>,
}

/// What a build makes of a module: the module, and its constants at the time when the build was asked for.
#[derive(Clone)]
pub struct IlInput {
    pub module: Arc<IlModule>,
    pub specs: Vec<SpecValue>,
}

impl IlModule {
    /// Returns the module of some bytes, or CL_INVALID_VALUE.
    pub fn read(bytes: &[u8]) -> Result<Arc<IlModule>> {
        // The words of the module, and what is found of them at once.
        room::check(bytes.len().saturating_mul(4))?;
        let module = Il::read(bytes).map_err(|reason| {
            tracing::info!("a program in an intermediate language is not well-formed: {reason}");
            ClError(CL_INVALID_VALUE)
        })?;
        Ok(Arc::new(IlModule { bytes: room::copy(bytes)?, module, specs: Mutex::default() }))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn module(&self) -> &Il {
        &self.module
    }

    /// Gives a specialization constant a value (clSetProgramSpecializationConstant): CL_INVALID_SPEC_ID, or
    /// CL_INVALID_VALUE for another size than the constant's; a boolean has size 1.
    pub fn set(&self, id: u32, bytes: &[u8]) -> Result<()> {
        let constants = self.module.spec_constants();
        let constant = constants.iter().find(|constant| constant.id == id);
        let constant = constant.ok_or(ClError(CL_INVALID_SPEC_ID))?;
        ensure!(bytes.len() == constant.size as usize, CL_INVALID_VALUE);
        let mut word = [0; 8];
        let place = word.get_mut(..bytes.len()).ok_or(ClError(CL_INVALID_VALUE))?;
        place.copy_from_slice(bytes);
        let mut specs = self.specs.lock();
        specs.retain(|spec| spec.id != id);
        specs.push(SpecValue { id, bits: u64::from_le_bytes(word) });
        specs.sort_by_key(|spec| spec.id);
        Ok(())
    }

    /// Returns what a build that is asked for now takes.
    pub fn input(self: &Arc<IlModule>) -> IlInput {
        IlInput { module: self.clone(), specs: self.specs.lock().clone() }
    }
}
