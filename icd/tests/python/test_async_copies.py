"""Extended async copies against slices of numpy arrays."""

import numpy as np
import pytest


@pytest.mark.parametrize("to_local", [True, False])
@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("name, dtype", [("uchar", np.uint8), ("ushort", np.uint16), ("uint4", np.uint32),
                                         ("ulong", np.uint64)])
def test_planes(m, rng, name, dtype, constant, to_local):
    """Lines of planes of elements with gaps, in one direction and plainly back; the size is known to the compiler or
    is not. 2D copies are 3D ones of one plane."""
    per = 4 if name == "uint4" else 1
    width, lines, planes = 3, 4, 2
    line_from, line_to, plane_from, plane_to = 5, 4, 23, 18
    skip_from, skip_to = 2, 3
    total_from, total_to = skip_from + 2 * plane_from, skip_to + 2 * plane_to
    size = "sizeof(local_data[0])" if constant else "size"
    if to_local:
        steps = f"""
            for (size_t i = get_local_id(0); i < {total_to}; i += get_local_size(0))
                local_data[i] = out[i];
            barrier(CLK_LOCAL_MEM_FENCE);
            event_t e = COPY(local_data, in);
            wait_group_events(1, &e);
            e = async_work_group_copy(out, (const local {name} *)local_data, {total_to}, 0);
            wait_group_events(1, &e);"""
    else:
        steps = f"""
            event_t e = async_work_group_copy((local {name} *)local_data, in, {total_from}, 0);
            wait_group_events(1, &e);
            e = COPY(out, local_data);
            wait_group_events(1, &e);"""
    def source(copy):
        return f"""
            #define COPY(to, from) {copy}
            kernel void test(const global {name} *in, global {name} *out, ulong size) {{
                local {name} local_data[{max(total_from, total_to)}];
                {steps}
            }}"""
    three = f"""async_work_group_copy_3D3D(to, {skip_to}, from, {skip_from}, {size}, {width}, {lines},
        {planes}, {line_from}, {plane_from}, {line_to}, {plane_to}, 0)"""
    two = f"""async_work_group_copy_2D2D(to, {skip_to}, from, {skip_from}, {size}, {width}, {lines},
        {line_from}, {line_to}, 0)"""
    three, two = (" ".join(copy.split()) for copy in (three, two))
    data = rng.integers(0, 255, (total_from, per)).astype(dtype)
    for copy, count in ((three, planes), (two, 1)):
        out = rng.integers(0, 255, (total_to, per)).astype(dtype)
        want = out.copy()
        for plane in range(count):
            for line in range(lines):
                source_at = skip_from + plane * plane_from + line * line_from
                target_at = skip_to + plane * plane_to + line * line_to
                want[target_at:target_at + width] = data[source_at:source_at + width]
        program = m.build(source(copy))
        buffers = [m.buffer(data), m.buffer(out)]
        program.test(m.queue, (7,), (7,), *buffers, np.uint64(data.itemsize * per))
        assert (m.read(buffers[1], dtype, out.shape) == want).all()
