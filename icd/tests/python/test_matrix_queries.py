"""What a device tells of cooperative matrices (cl_khr_cooperative_matrix): through the loader, in C."""

import ctypes

import numpy as np
import pytest
import raw
from matrices import ALIGNMENT, DEFAULT_VARIANTS, NAME, NAMES, STRIDE, VARIANTS, Queries, group_size, is_listed

CL_INVALID_VALUE, CL_INVALID_DEVICE, CL_INVALID_OPERATION = -30, -33, -59
CL_DEVICE_EXTENSIONS_WITH_VERSION = 0x1060


@pytest.fixture
def queries(m):
    return Queries(m)


@pytest.fixture
def listed(m):
    if not is_listed(m):
        pytest.skip("no matrices")


def test_devices_without_matrices_say_so(m, queries):
    status, _ = queries.ask(DEFAULT_VARIANTS)
    versions = raw.device_info(ctypes.c_void_p(m.device.int_ptr), CL_DEVICE_EXTENSIONS_WITH_VERSION)
    rows = np.frombuffer(versions, np.dtype([("version", "<u4"), ("name", "S64")]))
    told = {bytes(row["name"]).decode(): int(row["version"]) for row in rows}
    words = (ctypes.c_uint * 2)()
    answers = [raw._cl.clGetDeviceInfo(ctypes.c_void_p(m.device.int_ptr), name, 8, words, None)
               for name in (ALIGNMENT, STRIDE)]
    source = f"#ifndef {NAME}\n#error not there\n#endif\nkernel void f() {{}}"
    built, log = raw.Builder().build(source.encode())
    if is_listed(m):
        assert (status, told[NAME], answers, built) == (0, 1 << 22, [0, 0], 0), log
    else:
        assert status == CL_INVALID_OPERATION and NAME not in told
        assert answers == [CL_INVALID_VALUE, CL_INVALID_VALUE]
        assert built == raw.CL_BUILD_PROGRAM_FAILURE and "not there" in log


def test_products_have_sizes_and_types(queries, listed):
    status, rows = queries.ask(DEFAULT_VARIANTS)
    assert status == 0 and len(rows)
    assert (rows[:, :3] > 0).all() and np.isin(rows[:, 3:7], list(NAMES)).all() and (rows[:, 7] <= 1).all()
    assert len({tuple(row) for row in rows}) == len(rows)


def test_answers_are_cut_to_nobodys_room(queries, listed):
    _, rows = queries.ask(DEFAULT_VARIANTS)
    assert queries.ask(DEFAULT_VARIANTS, room=rows.nbytes - 1)[0] == CL_INVALID_VALUE
    assert queries.ask(DEFAULT_VARIANTS, room=rows.nbytes)[0] == 0
    length = ctypes.c_size_t(0)
    assert queries.function(queries.device, DEFAULT_VARIANTS, 0, None, 0, None, ctypes.byref(length)) == 0
    assert length.value == rows.nbytes


def test_sub_groups_of_one_size_have_them(m, queries, listed):
    _, expected = queries.ask(DEFAULT_VARIANTS)
    size = group_size(m)
    status, rows = queries.ask(VARIANTS, size)
    assert status == 0 and np.array_equal(rows, expected)
    for other in (0, 3, size + 1, 1 << 20):
        status, rows = queries.ask(VARIANTS, other)
        assert status == 0 and len(rows) == 0


def test_mistakes_are_told(queries, listed):
    function, device, size = queries.function, queries.device, ctypes.c_uint(32)
    assert function(None, DEFAULT_VARIANTS, 0, None, 0, None, None) == CL_INVALID_DEVICE
    for name in (0, ALIGNMENT, STRIDE, 0x1000):
        assert function(device, name, 0, None, 0, None, None) == CL_INVALID_VALUE
    assert function(device, VARIANTS, 0, None, 0, None, None) == CL_INVALID_VALUE
    assert function(device, VARIANTS, 4, None, 0, None, None) == CL_INVALID_VALUE
    for given in (0, 2, 8):
        assert function(device, VARIANTS, given, ctypes.byref(size), 0, None, None) == CL_INVALID_VALUE
    assert function(device, VARIANTS, 4, ctypes.byref(size), 0, None, None) == 0


def test_alignments_are_powers_of_two(m, queries, listed):
    for name in (ALIGNMENT, STRIDE):
        value = np.frombuffer(raw.device_info(ctypes.c_void_p(m.device.int_ptr), name), np.uint32)
        assert value.tolist() == [16]
