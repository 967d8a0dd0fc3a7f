//! The projects of the corpus: which texts are put before each of their files, and with which options the result is compiled.
//! The options are those that the projects' hosts give, or, where those depend on the user's data, an example of them.

use std::path::{Path, PathBuf};

use hekla_compiler::Target;

/// One program: texts that its host joins, and its build options.
pub struct Item {
    pub name: String,
    pub texts: Vec<PathBuf>,
    pub options: String,
    /// True for a program that uses halves without asking whether the device has them.
    pub needs_half: bool,
    /// Extensions that the device is made to list, or not to list, for this program.
    pub shown: &'static [&'static str],
    pub hidden: &'static [&'static str],
}

impl Item {
    fn new(name: String, texts: Vec<PathBuf>, options: String) -> Item {
        Item { name, texts, options, needs_half: false, shown: &[], hidden: &[] }
    }

    /// Returns the device that a program is compiled for.
    pub fn target(&self, device: &Target) -> Target {
        Target {
            float16: device.float16 || self.needs_half,
            shown: self.shown.to_vec(),
            hidden: self.hidden.iter().map(|name| name.to_string()).collect(),
            ..device.clone()
        }
    }
}

impl Item {
    /// Returns the file if the program is a module of SPIR-V.
    pub fn module(&self) -> Option<&Path> {
        self.texts.first().map(PathBuf::as_path).filter(|file| has_extension(file, "il"))
    }
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found == extension)
}

/// Returns every program of the folder with its options.
pub fn items(folder: &Path, vector: u32) -> Vec<Item> {
    let mut files = Vec::new();
    find(folder, &mut files);
    files
        .iter()
        .flat_map(|file| programs(folder, &files, file, vector).unwrap_or_default())
        .collect()
}

/// Returns the programs of a file; `None` if the file is not a program by itself.
fn programs(folder: &Path, files: &[PathBuf], file: &Path, vector: u32) -> Option<Vec<Item>> {
    let name = file.strip_prefix(folder).ok()?.to_string_lossy().into_owned();
    let parent = file.parent()?;
    // A dumped program has a file with its options beside it.
    if let Ok(options) = std::fs::read_to_string(file.with_extension("options")) {
        return Some(vec![Item::new(name, vec![file.to_path_buf()], options)]);
    }
    let stem = file.file_name()?.to_str()?;
    if name.contains("llama") {
        return Some(llama(file, &name, stem));
    }
    if name.contains("hashcat") {
        return Some(vec![hashcat(file, parent, name.clone(), stem, vector)?]);
    }
    let (before, options) = match () {
        () if name.contains("darktable") => (vec![], darktable(parent)),
        () if name.contains("silx") => silx(stem)?,
        () if name.contains("pyFAI") => pyfai(stem)?,
        () if name.contains("ufo") => ufo(parent, stem)?,
        () => (vec![], String::new()),
    };
    let mut texts: Vec<PathBuf> =
        before.iter().filter_map(|name| other(files, file, name)).collect();
    texts.push(file.to_path_buf());
    Some(vec![Item::new(name, texts, options)])
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        match path.is_dir() {
            true => find(&path, files),
            false if has_extension(&path, "cl") || has_extension(&path, "il") => files.push(path),
            false => {}
        }
    }
}

/// Returns the file with that name in this project, or else in another one (pyFAI uses some of silx's files).
fn other(files: &[PathBuf], near: &Path, name: &str) -> Option<PathBuf> {
    let common =
        |file: &Path| file.components().zip(near.components()).take_while(|(a, b)| a == b).count();
    files.iter().filter(|file| file.ends_with(name)).max_by_key(|file| common(file)).cloned()
}

/// hashcat 6.2.6, as its backend builds a kernel for a GPU that it does not know. The digest's words
/// depend on the hash mode; the widest digest serves all.
fn hashcat(file: &Path, folder: &Path, name: String, stem: &str, vector: u32) -> Option<Item> {
    if stem.starts_with("inc_") {
        return None;
    }
    let attack = ["_a0", "_a1", "_a3"].iter().position(|a| stem.contains(a));
    let (exec, attack) = match attack {
        Some(index) => (11, [0, 1, 3][index]),
        None => (10, 0),
    };
    let own = match stem.get(..6) {
        Some("m08900" | "m15700" | "m22700" | "m27700" | "m28200") => {
            "-D SCRYPT_N=16384 -D SCRYPT_R=8 -D SCRYPT_P=1 -D SCRYPT_TMTO=1 -D SCRYPT_TMP_ELEM=64"
        }
        Some("m01500") => "-D DESCRYPT_SALT=123",
        Some("m03200" | "m09000" | "m18600" | "m25600" | "m25800" | "m28400" | "m30600") => {
            "-D FIXED_LOCAL_SIZE=8"
        }
        Some(
            "m07500" | "m09700" | "m09710" | "m09720" | "m09800" | "m09810" | "m09820" | "m10400"
            | "m10410" | "m10420" | "m10500" | "m13100" | "m18200" | "m20500" | "m20510" | "m25400",
        ) => "-D FIXED_LOCAL_SIZE=32",
        Some("m15500") => "-D FIXED_LOCAL_SIZE=64",
        _ => "",
    };
    let comp = match stem {
        _ if stem.starts_with("m18600") => "-D FIXED_LOCAL_SIZE_COMP=8",
        _ if stem.contains("-optimized") => "-D FIXED_LOCAL_SIZE_COMP=64",
        _ => "",
    };
    let options = format!(
        "-D KERNEL_STATIC -D INCLUDE_PATH={0} -I {0} -D XM2S(x)=#x -D M2S(x)=XM2S(x) \
         -D LOCAL_MEM_TYPE=1 -D VENDOR_ID=16 -D CUDA_ARCH=0 -D HAS_ADD=0 -D HAS_ADDC=0 \
         -D HAS_SUB=0 -D HAS_SUBC=0 -D HAS_VADD=0 -D HAS_VADDC=0 -D HAS_VADD_CO=0 \
         -D HAS_VADDC_CO=0 -D HAS_VSUB=0 -D HAS_VSUBB=0 -D HAS_VSUB_CO=0 -D HAS_VSUBB_CO=0 \
         -D HAS_VPERM=0 -D HAS_VADD3=0 -D HAS_VBFE=0 -D HAS_BFE=0 -D HAS_LOP3=0 -D HAS_MOV64=0 \
         -D HAS_PRMT=0 -D VECT_SIZE={vector} -D DEVICE_TYPE=4 -D DGST_R0=0 -D DGST_R1=1 \
         -D DGST_R2=2 -D DGST_R3=3 -D DGST_ELEM=16 -D KERN_TYPE={1} -D ATTACK_EXEC={exec} \
         -D ATTACK_KERN={attack} -D ATTACK_MODE={attack} -D _unroll -w {own} {comp}",
        folder.display(),
        stem.get(1..6).and_then(|n| n.parse::<u32>().ok()).unwrap_or(0),
    );
    Some(Item::new(name, vec![file.to_path_buf()], options))
}

/// Returns the programs that llama.cpp's OpenCL back end makes of a file. It knows two GPUs, Intel's and Qualcomm's Adreno, by
/// their extensions for sizes of sub-groups; there are programs for both.
fn llama(file: &Path, name: &str, stem: &str) -> Vec<Item> {
    const RELAXED: &str = "-cl-std=CL3.0 -cl-mad-enable -cl-unsafe-math-optimizations \
                           -cl-finite-math-only -cl-fast-relaxed-math";
    let makers: [(&str, &str, &'static [&str], &'static [&str]); 2] = [
        ("Intel", "-D FA_SG=32 -D SUBGROUP_SIZE=32", &["cl_intel_subgroups"], &[]),
        (
            "Adreno",
            "-D SUBGROUP_SIZE=64 -D cl_qcom_reqd_sub_group_size=1",
            &[],
            &["cl_intel_required_subgroup_size"],
        ),
    ];
    let mut items = Vec::new();
    for (maker, more, shown, hidden) in makers {
        for (number, own) in llama_options(stem).iter().enumerate() {
            let name = format!("{name} {number} {maker}");
            let options = format!("{RELAXED} {more} {own}");
            let item = Item::new(name, vec![file.to_path_buf()], options);
            items.push(Item { needs_half: true, shown, hidden, ..item });
        }
    }
    items
}

/// Returns the options that llama.cpp adds for a file, one entry for each variant that it builds.
fn llama_options(stem: &str) -> &'static [&'static str] {
    match stem {
        "flash_attn_f32_f16.cl" => &[
            "-D DK=128 -D DV=128 -D BLOCK_M=32 -D BLOCK_N=32 -D FA_K_LDS_T",
            "-D DK=64 -D DV=64 -D BLOCK_M=64 -D BLOCK_N=32 -D N_SPLIT=4 -D cl_khr_subgroup_shuffle=1",
            "-D DK=256 -D DV=256 -D BLOCK_M=16 -D BLOCK_N=16 -D MQ_GQA=8 -D MQ_NSG=3 -D MQ_NSG_SPLIT=3 \
             -D FA_MQ_ONLY -D FA_CL_C=16 -D cl_khr_subgroup_shuffle=1",
        ],
        "flash_attn_f32_q4_0.cl" | "flash_attn_f32_q8_0.cl" => &[
            "-D DK=128 -D DV=128 -D BLOCK_M=32 -D BLOCK_N=32 -D N_SPLIT=1",
            "-D DK=128 -D DV=128 -D BLOCK_M=16 -D BLOCK_N=16 -D N_SPLIT=4 -D BLK_PREPASS_BM=32 \
             -D cl_khr_subgroup_shuffle=1",
        ],
        _ if stem.starts_with("flash_attn") => {
            &["-D DK=40 -D DV=40 -D BLOCK_M=32 -D BLOCK_N=32", "-D DK=192 -D DV=128 -D BLOCK_M=16 -D BLOCK_N=16"]
        }
        "gated_delta_net.cl" => &[
            "-DS_V=128 -DKDA=1 -DLANES_PER_COLUMN=8 -DCOLS_PER_LANE_GROUP=4 -DSUBGROUPS_PER_WG=1 \
             -DUSE_QCOM_SUBGROUP_SHUFFLE=0",
            "-DS_V=16 -DKDA=0 -DLANES_PER_COLUMN=16 -DCOLS_PER_LANE_GROUP=1 -DSUBGROUPS_PER_WG=1 \
             -DUSE_QCOM_SUBGROUP_SHUFFLE=0",
        ],
        "mul_mm_f16_f32_kq_kqv.cl" => &["", "-DKQV"],
        "gemv_noshuffle_q4_0_f32_spec.cl" => &[
            "-DSIMDGROUP_WIDTH=64 -DLINE_STRIDE_A=2048 -DBLOCK_STRIDE_A=16384",
            "-DSIMDGROUP_WIDTH=64 -DLINE_STRIDE_A=5504 -DBLOCK_STRIDE_A=44032 -DVECTOR_SUB_GROUP_BROADCAST",
        ],
        _ if stem.starts_with("gemv_noshuffle") => {
            &["-DSIMDGROUP_WIDTH=64", "-DSIMDGROUP_WIDTH=64 -DVECTOR_SUB_GROUP_BROADCAST"]
        }
        _ => &[""],
    }
}

fn darktable(folder: &Path) -> String {
    format!("-w -DUNKNOWN=1 -DFLT_MAX=3.40282347e+38F -I{} -cl-fast-relaxed-math", folder.display())
}

/// Returns how ufo-filters builds a file; `None` for a skeleton that its host fills in.
fn ufo(folder: &Path, stem: &str) -> Option<(Vec<&'static str>, String)> {
    if stem == "ocl-1liner-skel.cl" {
        return None;
    }
    let options = "-DMEDIAN_BOX_SIZE=3 -DEDGE=2 -DBOXSIZE=3";
    Some((vec![], format!("-I {} {options}", folder.display())))
}

/// Returns the files that silx puts before a file, and its build options; `None` for a file that is only put before others.
fn silx(stem: &str) -> Option<(Vec<&'static str>, String)> {
    let before = match stem {
        "kahan.cl" | "doubleword.cl" | "sift.cl" => return None,
        "medfilt.cl" => vec!["opencl/preprocess.cl", "opencl/bitonic.cl"],
        "statistics.cl" => vec!["opencl/doubleword.cl"],
        "backproj_helper.cl" => vec!["opencl/backproj.cl"],
        "algebra.cl" | "memset.cl" | "matching_cpu.cl" | "matching_gpu.cl"
        | "descriptor_cpu.cl" | "descriptor_gpu1.cl" | "descriptor_gpu2.cl" | "image.cl"
        | "orientation_cpu.cl" | "orientation_gpu.cl" => {
            vec!["sift/sift.cl"]
        }
        _ => vec![],
    };
    let options =
        "-DNB_COLOR=1 -DWORKGROUP_SIZE=128 -DNIMAGE=1000000 -DIMAGE_WIDTH=512 -DDTYPE=float \
                   -DIDX_DTYPE=int -DUSED_CONV_MODE=0 -DIMAGE_DIMS=2 -DFILTER_DIMS=2 \
                   -DX87_VOLATILE=volatile";
    Some((before, options.to_string()))
}

/// Returns the files that pyFAI puts before a file, and its build options; `None` for a file that is only put before others.
fn pyfai(stem: &str) -> Option<(Vec<&'static str>, String)> {
    const DOUBLEWORD: &str = "silx/opencl/doubleword.cl";
    const PREPROCESS: &str = "openCL/preprocess.cl";
    let before = match stem {
        "kahan.cl" | "deactivate_atomic64.cl" => return None,
        "ocl_histo.cl" | "ocl_azim_CSR.cl" | "ocl_azim_LUT.cl" => {
            vec![DOUBLEWORD, PREPROCESS, "openCL/memset.cl"]
        }
        "sparsify.cl" | "peakfinder.cl" | "sigma_clip.cl" | "medfilt.cl" | "separate.cl" => {
            vec![
                DOUBLEWORD,
                PREPROCESS,
                "openCL/memset.cl",
                "openCL/ocl_azim_CSR.cl",
                "collective/reduction.cl",
                "collective/scan.cl",
                "collective/comb_sort.cl",
            ]
        }
        "comb_sort.cl" => vec![DOUBLEWORD, "collective/reduction.cl", "collective/scan.cl"],
        "scan.cl" | "reduction.cl" => vec![DOUBLEWORD],
        _ => vec![],
    };
    let before = before.into_iter().filter(|name| !name.ends_with(&format!("/{stem}"))).collect();
    let options = "-DNBINS=1000 -DBINS=1000 -DNIMAGE=1000000 -DWORKGROUP_SIZE=128 -DWORKGROUP=128 \
                   -DEPS=1.1920928955078125e-07f -DPOS_SIZE=4 -DSIZE=1000000 -DNLUT=20 -DON_CPU=0 \
                   -DX87_VOLATILE=volatile";
    Some((before, options.to_string()))
}
