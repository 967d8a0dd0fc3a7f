//! Programs in an intermediate language (clCreateProgramWithIL): the module as the application gave it, and the values of its
//! specialization constants for later builds.

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

/// The input of a build: the module, and the values of its constants when the build was requested.
#[derive(Clone)]
pub struct IlInput {
    pub module: Arc<IlModule>,
    pub specs: Vec<SpecValue>,
}

impl IlModule {
    /// Returns the module in some bytes; CL_INVALID_VALUE if they are not a module.
    pub fn read(bytes: &[u8]) -> Result<Arc<IlModule>> {
        // Room for the words of the module, and for the facts that the reader collects about them.
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

    /// Sets the value of a specialization constant (clSetProgramSpecializationConstant): CL_INVALID_SPEC_ID for an unknown
    /// constant, CL_INVALID_VALUE for a size that is not the constant's; a boolean has size 1.
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

    /// Returns the input of a build that is requested now.
    pub fn input(self: &Arc<IlModule>) -> IlInput {
        IlInput { module: self.clone(), specs: self.specs.lock().clone() }
    }
}
