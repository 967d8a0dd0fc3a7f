"""Doubles that are computed by integers (HEKLA_FP64=1) give the bits that IEEE 754 asks for: those of the processor, and of
devices that have doubles. Each device in a process of its own, since the variable holds for a process."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soft_doubles
from conftest import ANY_PLATFORM, DRIVER, LIMIT_TO, PYTHON

SCRIPT = Path(soft_doubles.__file__)
# Device files without doubles: with 64-bit integers, and without.
FILES = ["mali-panvk", "pi5-v3dv"]


def results_of(folder, name, **variables):
    """What a process with these variables computes; `None` where the device has no doubles."""
    file = folder / f"{name}.npz"
    environment = {key: value for key, value in os.environ.items() if key not in ("HEKLA_FP64", "HEKLA_LIMIT_TO")}
    environment.update(variables)
    done = subprocess.run([*PYTHON, str(SCRIPT), str(file)], capture_output=True, text=True, env=environment, timeout=3600)
    assert done.returncode == 0, done.stderr
    return dict(np.load(file)) if file.exists() else None


@pytest.fixture(scope="module")
def soft(tmp_path_factory):
    """Results of soft doubles, by device."""
    if ANY_PLATFORM or LIMIT_TO:
        pytest.skip("the processes that it starts lack the device")
    folder = tmp_path_factory.mktemp("soft_doubles")
    if DRIVER == "swiftshader":
        return {DRIVER: results_of(folder, DRIVER, HEKLA_FP64="always")}
    return {name: results_of(folder, name, HEKLA_FP64="1", HEKLA_LIMIT_TO=name) for name in FILES}


def differing(name, got, want):
    """Places where bits differ, of numbers that are not both NaN."""
    kinds = {"double": np.float64, "float": np.float32}
    kind = kinds.get(name.split(":")[0])
    both = np.isnan(got.view(kind)) & np.isnan(want.view(kind)) if kind else np.zeros(got.shape, bool)
    return np.flatnonzero((got != want) & ~both)


# Of two zeros these give any.
CHOICES = ["fmin", "fmax", "maxmag", "minmag"]


def test_soft_doubles_are_those_of_the_device(soft, tmp_path):
    native = results_of(tmp_path, "native") if DRIVER != "swiftshader" else None
    if native is None:
        pytest.skip("no double")
    for device, found in soft.items():
        assert found is not None, f"no doubles on {device}"
        assert found.keys() == native.keys()
        wrong = {}
        for name, want in native.items():
            places = differing(name, found[name], want)
            if any(choice in name for choice in CHOICES):
                places = places[(found[name][places] | want[places]) << np.uint64(1) != 0]
            if places.size:
                at = places[0]
                a, b, c = soft_doubles.operands()[:, at]
                wrong[name] = (places.size, a.hex(), b.hex(), c.hex(), hex(found[name][at]), hex(want[at]))
        assert not wrong, f"{device}: {wrong}"


def test_soft_doubles_are_those_of_the_processor(soft):
    a, b, c = soft_doubles.operands()
    n = soft_doubles.integers(a.size)
    with np.errstate(all="ignore"):
        want = {
            "double: a + b": a + b, "double: a - b": a - b, "double: a * b": a * b, "double: a / b": a / b,
            "double: sqrt(a)": np.sqrt(a), "double: floor(a)": np.floor(a), "double: ceil(a)": np.ceil(a),
            "double: trunc(a)": np.trunc(a), "double: rint(a)": np.rint(a), "double: fmod(a, b)": np.fmod(a, b),
            "double: nextafter(a, b)": np.nextafter(a, b), "double: copysign(a, b)": np.copysign(a, b), "double: -a": -a,
            "float: convert_float(a)": a.astype(np.float32), "double: convert_double(n)": n.astype(np.float64),
            "double: convert_double((ulong)n)": n.view(np.uint64).astype(np.float64),
            "double: as_float((int)n)": n.astype(np.int32).view(np.float32).astype(np.float64),
            "int: a < b": a < b, "int: a <= b": a <= b, "int: a > b": a > b, "int: a >= b": a >= b, "int: a == b": a == b,
            "int: a != b": a != b, "int: isnan(a)": np.isnan(a),
        }
    for device, found in soft.items():
        assert found is not None, f"no doubles on {device}"
        for name, values in want.items():
            got = found[name]
            places = differing(name, got, values.astype(values.dtype if values.dtype != bool else np.int32).view(got.dtype))
            assert places.size == 0, (device, name, places.size, a[places[0]].hex(), b[places[0]].hex(), hex(got[places[0]]))


def test_a_profile_asks_for_them(tmp_path):
    if ANY_PLATFORM or LIMIT_TO or DRIVER == "swiftshader":
        pytest.skip("the processes that it starts lack the device")
    (tmp_path / "hekla").mkdir()
    (tmp_path / "hekla" / "profiles.toml").write_text("[doubles]\ndouble = 'soft'\n[none]\n")
    text = """import pyopencl as cl
[device, *_] = cl.get_platforms()[0].get_devices()
print("cl_khr_fp64" in device.extensions.split(), bool(device.double_fp_config & cl.device_fp_config.SOFT_FLOAT))"""
    found = {}
    for profile in ["doubles", "none"]:
        environment = {key: value for key, value in os.environ.items() if key != "HEKLA_FP64"}
        environment.update(XDG_CONFIG_HOME=str(tmp_path), HEKLA_PROFILE=profile, HEKLA_LIMIT_TO=FILES[0])
        done = subprocess.run([*PYTHON, "-c", text], capture_output=True, text=True, env=environment, timeout=600)
        assert done.returncode == 0, done.stderr
        found[profile] = done.stdout.split()
    assert found == {"doubles": ["True", "True"], "none": ["False", "False"]}
