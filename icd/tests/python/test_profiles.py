"""Identity profiles: what programs are told by the names of their executables, by HEKLA_PROFILE and by the user's own
table. Each in a process of its own, since a profile holds for a process."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import PYTHON
from raw import device_info

CL_DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108

ASK = """
import json, sys
import pyopencl as cl
[platform] = cl.get_platforms()
device = platform.get_devices()[0]
try:
    cl.Program(cl.Context([device]), "kernel void f(global uint *p) { *p = intel_sub_group_shuffle(*p, 0); }").build()
    shuffles = True
except cl.RuntimeError as error:
    shuffles = str(error).split("error: ")[1].splitlines()[0]
print(json.dumps({
    "platform": platform.name, "platform vendor": platform.vendor,
    "name": device.name, "vendor": device.vendor, "vendor id": device.vendor_id, "is gpu": device.type == cl.device_type.GPU,
    "extensions": device.extensions.split(), "listed": [it.name for it in device.extensions_with_version],
    "shuffles": shuffles, "clock": device.max_clock_frequency}))
"""


def ask(settings=None, program=None, **variables):
    """What a process is told, and its log. `settings`: a folder of the user's settings."""
    environment = {name: value for name, value in os.environ.items() if name != "HEKLA_PROFILE"}
    environment.update(variables, HEKLA_LOG="info", XDG_CONFIG_HOME=str(settings or "/nowhere"))
    command = [*PYTHON[:-1], str(program or PYTHON[-1]), "-c", ASK]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout), result.stderr


@pytest.fixture(scope="module")
def plain():
    told, log = ask()
    assert "profile" not in log
    return told


@pytest.fixture
def settings(tmp_path):
    """Writes the user's table."""
    def write(text):
        (tmp_path / "hekla").mkdir(exist_ok=True)
        (tmp_path / "hekla/profiles.toml").write_text(text)
        return tmp_path
    return write


def test_without_a_profile_nothing_is_pretended(plain):
    assert plain["platform"] == "Hekla"
    assert not any(name.startswith("cl_intel_subgroups") for name in plain["extensions"])
    assert "requires cl_intel_subgroups which this device does not offer" in plain["shuffles"]
    assert plain["clock"] > 0


def test_intel_subgroups(m):
    """All tests of the extension."""
    if not m.device.max_num_sub_groups:
        pytest.skip("no sub-groups on this device")
    environment = dict(os.environ, HEKLA_PROFILE="intel-subgroups")
    command = [*PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__).with_name("intel_subgroups.py"))]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_user_adds_a_profile(settings, plain):
    own = settings("""
[mine]
reason = "the test says so"
device_type = "gpu"
platform_name = "Intel(R) OpenCL"
platform_vendor = "Somebody"
device_vendor = "Maker of {}"
device_name = "A {} of ours"
device_vendor_id = 0x1234
hide = ["cl_khr_fp64", "cl_khr_il_program", "__opencl_c_fp64"]
""")
    told, log = ask(own, HEKLA_PROFILE="mine")
    assert "profile 'mine' is in use (HEKLA_PROFILE=none: none): the test says so" in log
    assert (told["platform"], told["platform vendor"]) == ("Intel(R) OpenCL", "Somebody")
    assert told["name"] == f"A {plain['name']} of ours"
    assert told["vendor"] == f"Maker of {plain['vendor']}"
    assert told["vendor id"] == 0x1234 != plain["vendor id"]
    assert told["is gpu"]
    hidden = {"cl_khr_fp64", "cl_khr_il_program"}
    assert told["extensions"] == [name for name in plain["extensions"] if name not in hidden]
    assert told["listed"] == [name for name in plain["listed"] if name not in hidden]


def test_what_is_hidden_programs_do_not_find(settings, m):
    if "cl_khr_fp64" not in m.device.extensions:
        pytest.skip("no double")
    own = settings("[mine]\nhide = ['cl_khr_fp64', '__opencl_c_fp64']\n")
    script = """
import pyopencl as cl
device = cl.get_platforms()[0].get_devices()[0]
text = "#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)\\n#error there\\n#endif\\nkernel void f() {}"
cl.Program(cl.Context([device]), text).build(options=["-cl-std=CL3.0"])
"""
    environment = dict(os.environ, HEKLA_PROFILE="mine", XDG_CONFIG_HOME=str(own))
    result = subprocess.run([*PYTHON, "-c", script], capture_output=True, text=True, env=environment, timeout=120)
    assert result.returncode == 0, result.stderr


def executable(folder, name):
    """A Python under another name."""
    if len(PYTHON) > 1:
        pytest.skip("the driver has a C library of its own")
    program = folder / name
    shutil.copy(os.path.realpath(sys.executable), program)
    program.chmod(0o755)
    return program


def python_paths():
    paths = [path for path in sys.path if path]
    return {"PYTHONHOME": sys.base_prefix, "PYTHONPATH": os.pathsep.join(paths)}


def test_a_profile_is_chosen_by_the_executable(settings, tmp_path, plain):
    own = settings("[one]\nprograms = ['other', 'prog*']\nplatform_vendor = 'V'\n[none-needed]\nprograms = ['python3*']\n")
    program = executable(tmp_path, "program-7")
    told, log = ask(own, program, **python_paths())
    assert told["platform vendor"] == "V" and "profile 'one' is in use" in log
    told, log = ask(own, program, HEKLA_PROFILE="none", **python_paths())
    assert told["platform vendor"] == plain["platform vendor"] and "profile" not in log
    told, log = ask(own, executable(tmp_path, "another"), **python_paths())
    assert told["platform vendor"] == plain["platform vendor"] and "profile" not in log


def test_prpll_sees_no_maker_whose_assembly_it_knows(tmp_path, plain):
    for name in "prpll", "prpll-amd", "gpuowl":
        told, log = ask(program=executable(tmp_path, name), **python_paths())
        assert "profile 'prpll' is in use" in log
        assert told == {**plain, "vendor id": 0}


def test_mcxcl_sees_no_atomic_floats(tmp_path, plain):
    told, log = ask(program=executable(tmp_path, "mcxcl"), **python_paths())
    assert "profile 'mcxcl' is in use" in log
    assert "cl_ext_float_atomics" in plain["extensions"]
    without = {key: [it for it in plain[key] if it != "cl_ext_float_atomics"] for key in ("extensions", "listed")}
    assert told == {**plain, **without}


def test_llama_sees_a_device_that_it_takes(tmp_path, m, plain):
    told, log = ask(program=executable(tmp_path, "llama-cli"), **python_paths())
    assert "profile 'llama' is in use" in log
    sizes = subgroup_sizes(m, plain)
    if sizes and max(sizes) <= 32:
        assert told["name"] == f"{plain['name']} (as Intel)" and told["is gpu"]
        assert "cl_intel_subgroups" in told["extensions"] and told["shuffles"] is True
    elif not sizes:
        # The program would take the device and then fail to build its kernels.
        assert {**told, "shuffles": None} == {**plain, "shuffles": None}


def subgroup_sizes(m, plain):
    """The sizes of sub-groups that every kernel may ask for."""
    if "cl_intel_required_subgroup_size" not in plain["extensions"]:
        return set()
    return set(np.frombuffer(device_info(m.device.int_ptr, CL_DEVICE_SUB_GROUP_SIZES_INTEL), np.uint64))


def test_a_size_of_sub_groups_for_kernels_that_ask_for_none(settings, m, plain):
    sizes = subgroup_sizes(m, plain)
    if not sizes or max(sizes) > 32:
        pytest.skip("no such choice of sizes")
    script = """
import numpy as np, pyopencl as cl
context = cl.Context(cl.get_platforms()[0].get_devices())
queue, out = cl.CommandQueue(context), cl.Buffer(context, cl.mem_flags.READ_WRITE, 512)
program = cl.Program(context, "kernel void f(global uint *out) { out[get_global_id(0)] = sub_group_reduce_add(1u); }"
    "kernel __attribute__((intel_reqd_sub_group_size(4))) void g(global uint *out)"
    "{ out[get_global_id(0)] = sub_group_reduce_add(1u); }").build("-cl-std=CL3.0")
for kernel in (program.f, program.g):
    kernel(queue, (128,), (64,), out)
    got = np.empty(128, np.uint32)
    cl.enqueue_copy(queue, got, out)
    print(set(got.tolist()))
"""
    environment = dict(os.environ, HEKLA_PROFILE="mine", XDG_CONFIG_HOME=str(settings("[mine]\nsubgroup_size = 32\n")))
    result = subprocess.run([*PYTHON, "-c", script], capture_output=True, text=True, env=environment, timeout=120)
    assert result.stdout.splitlines() == ["{32}", "{4}"], result.stdout + result.stderr


def test_mistakes_are_told(settings, plain):
    told, log = ask(HEKLA_PROFILE="nobody")
    assert told == plain and "HEKLA_PROFILE=nobody is none of llama" in log
    own = settings("[x]\nprograms = ['python*']\ncolour = 'red'\n")
    told, log = ask(own)
    assert told == plain and "profiles.toml: line 3: there is no key 'colour'" in log
    own = settings("[intel-subgroups]\nplatform_vendor = 'mine'\n")
    told, _ = ask(own, HEKLA_PROFILE="intel-subgroups")
    assert told["platform vendor"] == "mine" and not any("cl_intel_subgroups" in name for name in told["extensions"])
