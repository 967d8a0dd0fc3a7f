//! The parts of SPIR-V that devices accept: versions, capabilities, extensions and extended instruction sets, from the
//! compiler's tables (CL_DEVICE_IL_VERSION; cl_khr_spirv_queries).

use crate::cl::info::Value;
use crate::cl::*;
use hekla_compiler::{ingest, Target};

/// Name of the language, as in "SPIR-V_1.0".
const NAME: &str = "SPIR-V";

/// Answers a query; `None` for a name that is not about intermediate languages.
pub fn query(target: &Target, name: cl_device_info) -> Option<Value> {
    // The newest version first.
    let versions = || ingest::MINOR_VERSIONS.rev();
    Some(match name {
        CL_DEVICE_IL_VERSION => {
            let names: Vec<_> = versions().map(|minor| format!("{NAME}_1.{minor}")).collect();
            Value::text(&names.join(" "))
        }
        CL_DEVICE_ILS_WITH_VERSION => {
            let names = versions().map(|minor| (NAME, make_version(1, minor, 0)));
            Value::names(&names.collect::<Vec<_>>())
        }
        CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS => Value::texts(ingest::INSTRUCTION_SETS),
        CL_DEVICE_SPIRV_EXTENSIONS => Value::texts(&ingest::extensions(target)),
        CL_DEVICE_SPIRV_CAPABILITIES => Value::list(&ingest::capabilities(target)),
        _ => return None,
    })
}
