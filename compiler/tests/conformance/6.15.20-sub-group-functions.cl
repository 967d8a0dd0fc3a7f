//! 6.15.20 Sub-Group Functions

//# reject: they require sub-groups
//# options: -cl-std=CL3.0
//# requires: !subgroups
//# error: 2: use of 'sub_group_all' requires __opencl_c_subgroups which this device does not offer
//# error: 3: use of 'sub_group_any' requires __opencl_c_subgroups
//# error: 4: use of 'sub_group_broadcast' requires __opencl_c_subgroups
//# error: 5: use of 'sub_group_reduce_add' requires __opencl_c_subgroups
//# error: 6: use of 'sub_group_scan_exclusive_max' requires __opencl_c_subgroups
//# error: 7: use of 'sub_group_scan_inclusive_min' requires __opencl_c_subgroups
kernel void test(global uint *out) {
    sub_group_all(1);
    sub_group_any(1);
    sub_group_broadcast(1, 0);
    sub_group_reduce_add(1);
    sub_group_scan_exclusive_max(1);
    sub_group_scan_inclusive_min(1);
}

//# reject: so do ballots, rotations, shuffles and the rest
//# options: -cl-std=CL3.0
//# requires: !subgroups
//# error: 2: use of 'sub_group_ballot' requires cl_khr_subgroup_ballot
//# error: 3: use of 'sub_group_elect' requires cl_khr_subgroup_non_uniform_vote
//# error: 4: use of 'sub_group_shuffle' requires cl_khr_subgroup_shuffle
//# error: 5: use of 'sub_group_shuffle_up' requires cl_khr_subgroup_shuffle_relative
//# error: 6: use of 'sub_group_rotate' requires cl_khr_subgroup_rotate
//# error: 7: use of 'sub_group_clustered_reduce_add' requires cl_khr_subgroup_clustered_reduce
//# error: 8: use of 'sub_group_non_uniform_all' requires cl_khr_subgroup_non_uniform_vote
//# error: 9: use of 'get_sub_group_eq_mask' requires cl_khr_subgroup_ballot
kernel void test(global uint *out) {
    sub_group_ballot(1);
    sub_group_elect();
    sub_group_shuffle(1, 0);
    sub_group_shuffle_up(1, 1);
    sub_group_rotate(1, 1);
    sub_group_clustered_reduce_add(1, 4);
    sub_group_non_uniform_all(1);
    get_sub_group_eq_mask();
}

//# accept: without sub-groups their macros are not defined
//# options: -cl-std=CL3.0
//# requires: !subgroups
//# expect: 1
kernel void test(global uint *out) {
#if !defined(__opencl_c_subgroups) && !defined(cl_khr_subgroups) && !defined(cl_khr_subgroup_shuffle)
    out[0] = 1;
#endif
}

//# accept: sub-groups part the work-group, whole ones but for the last
//# options: -cl-std=CL3.0
//# requires: subgroups
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    uint most = get_max_sub_group_size(), id = get_sub_group_id();
    ok &= get_num_sub_groups() == (9 + most - 1) / most && get_enqueued_num_sub_groups() == get_num_sub_groups();
    ok &= get_sub_group_size() == min(most, 9 - id * most) && n < get_sub_group_size() && id < get_num_sub_groups();
    uint mine = 0, same = 0;
    for (int k = 0; k < 9; ++k) {
        mine += member[k] == id;
        same += member[k] == id && number[k] == n;
    }
    ok &= mine == get_sub_group_size() && same == 1;
    out[i] = ok;
}

//# accept: sub_group_all and sub_group_any
//# options: -cl-std=CL3.0
//# requires: subgroups
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    int all = 1, any = 0;
    for (int k = 0; k < 9; ++k) {
        if (member[k] == member[i]) {
            all &= k != 2;
            any |= k == 7;
        }
    }
    ok &= ((sub_group_all(i != 2) != 0) == all) & ((sub_group_any(i == 7) != 0) == any);
    ok &= (sub_group_non_uniform_all(i != 2) != 0) == all;
    ok &= (sub_group_non_uniform_any(i == 7) != 0) == any;
    out[i] = ok;
}

//# accept: reductions, scans and broadcasts of every type
//# options: -cl-std=CL3.0
//# requires: subgroups
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
#define OF(T) \
    uint of_##T(uint i, local uint *member, local uint *number) { \
        T x = (T)(3 * i - 7), sum = 0, least = x, most = x, before = 0; \
        for (uint k = 0; k < 9; ++k) { \
            T y = (T)(3 * k - 7); \
            if (member[k] != member[i]) continue; \
            sum += y; \
            least = min(least, y); \
            most = max(most, y); \
            before += number[k] < number[i] ? y : (T)0; \
        } \
        T first = sub_group_broadcast(x, 0); \
        uint ok = sub_group_reduce_add(x) == sum; \
        ok &= sub_group_reduce_min(x) == least; \
        ok &= sub_group_reduce_max(x) == most; \
        ok &= sub_group_scan_exclusive_add(x) == before; \
        ok &= sub_group_scan_inclusive_add(x) == (T)(before + x); \
        ok &= sub_group_scan_inclusive_min(x) <= first; \
        ok &= sub_group_scan_inclusive_max(x) >= x; \
        T low = sub_group_scan_exclusive_max(x), high = sub_group_scan_exclusive_min(x); \
        T same = sub_group_shuffle_up(high, 0); \
        ok &= number[i] ? same <= first : high > (T)100 && low <= (T)0; \
        return ok; \
    }
OF(char)
OF(uchar)
OF(short)
OF(ushort)
OF(int)
OF(uint)
OF(long)
OF(ulong)
OF(float)
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    ok &= of_char(i, member, number);
    ok &= of_uchar(i, member, number);
    ok &= of_short(i, member, number);
    ok &= of_ushort(i, member, number);
    ok &= of_int(i, member, number);
    ok &= of_uint(i, member, number);
    ok &= of_long(i, member, number);
    ok &= of_ulong(i, member, number);
    ok &= of_float(i, member, number);
    out[i] = ok;
}

//# accept: of double
//# options: -cl-std=CL3.0
//# requires: subgroups, fp64
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
#define OF(T) \
    uint of_##T(uint i, local uint *member, local uint *number) { \
        T x = (T)(3 * i - 7), sum = 0, least = x, most = x, before = 0; \
        for (uint k = 0; k < 9; ++k) { \
            T y = (T)(3 * k - 7); \
            if (member[k] != member[i]) continue; \
            sum += y; \
            least = min(least, y); \
            most = max(most, y); \
            before += number[k] < number[i] ? y : (T)0; \
        } \
        T first = sub_group_broadcast(x, 0); \
        uint ok = sub_group_reduce_add(x) == sum; \
        ok &= sub_group_reduce_min(x) == least; \
        ok &= sub_group_reduce_max(x) == most; \
        ok &= sub_group_scan_exclusive_add(x) == before; \
        ok &= sub_group_scan_inclusive_add(x) == (T)(before + x); \
        ok &= sub_group_scan_inclusive_min(x) <= first; \
        ok &= sub_group_scan_inclusive_max(x) >= x; \
        T low = sub_group_scan_exclusive_max(x), high = sub_group_scan_exclusive_min(x); \
        T same = sub_group_shuffle_up(high, 0); \
        ok &= number[i] ? same <= first : high > (T)100 && low <= (T)0; \
        return ok; \
    }
OF(double)
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    ok &= of_double(i, member, number);
    out[i] = ok;
}

//# accept: of half
//# options: -cl-std=CL3.0
//# requires: subgroups, fp16
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
#define OF(T) \
    uint of_##T(uint i, local uint *member, local uint *number) { \
        T x = (T)(3 * i - 7), sum = 0, least = x, most = x, before = 0; \
        for (uint k = 0; k < 9; ++k) { \
            T y = (T)(3 * k - 7); \
            if (member[k] != member[i]) continue; \
            sum += y; \
            least = min(least, y); \
            most = max(most, y); \
            before += number[k] < number[i] ? y : (T)0; \
        } \
        T first = sub_group_broadcast(x, 0); \
        uint ok = sub_group_reduce_add(x) == sum; \
        ok &= sub_group_reduce_min(x) == least; \
        ok &= sub_group_reduce_max(x) == most; \
        ok &= sub_group_scan_exclusive_add(x) == before; \
        ok &= sub_group_scan_inclusive_add(x) == (T)(before + x); \
        ok &= sub_group_scan_inclusive_min(x) <= first; \
        ok &= sub_group_scan_inclusive_max(x) >= x; \
        T low = sub_group_scan_exclusive_max(x), high = sub_group_scan_exclusive_min(x); \
        T same = sub_group_shuffle_up(high, 0); \
        ok &= number[i] ? same <= first : high > (T)100 && low <= (T)0; \
        return ok; \
    }
OF(half)
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    ok &= of_half(i, member, number);
    out[i] = ok;
}

//# accept: those of the work-items that are there
//# options: -cl-std=CL3.0
//# requires: subgroup_non_uniform_arithmetic
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
#define OF(T) \
    uint of_##T(uint i, local uint *member, local uint *number) { \
        T x = (T)(2 * i + 1), sum = 0, before = 0, product = 1, cluster = 0; \
        for (uint k = 0; k < 9; ++k) { \
            T y = (T)(2 * k + 1); \
            if (member[k] != member[i] || (number[k] % 3 == 1) != (number[i] % 3 == 1)) continue; \
            sum += y; \
            product *= k & 1 ? (T)2 : (T)1; \
            before += number[k] < number[i] ? y : (T)0; \
            cluster += number[k] / 4 == number[i] / 4 ? y : (T)0; \
        } \
        uint ok = 1; \
        if (number[i] % 3 == 1) { \
            ok &= sub_group_non_uniform_reduce_add(x) == sum; \
            ok &= sub_group_non_uniform_scan_exclusive_add(x) == before; \
            ok &= sub_group_non_uniform_scan_inclusive_add(x) == (T)(before + x); \
            ok &= sub_group_non_uniform_reduce_mul(i & 1 ? (T)2 : (T)1) == product; \
            ok &= sub_group_clustered_reduce_add(x, 4) == cluster; \
        } else { \
            ok &= sub_group_non_uniform_reduce_add(x) == sum; \
            ok &= sub_group_clustered_reduce_add(x, 4) == cluster; \
            ok &= sub_group_non_uniform_reduce_min(x) == sub_group_broadcast_first(x); \
            T high = sub_group_non_uniform_scan_exclusive_min(x), first = sub_group_broadcast_first(x); \
            ok &= number[i] ? high == first : high > (T)100; \
            ok &= sub_group_clustered_reduce_max(x, 1) == x; \
        } \
        ok &= sub_group_non_uniform_all_equal(sub_group_broadcast(x, 0)) != 0; \
        ok &= (sub_group_non_uniform_all_equal(x) != 0) == (get_sub_group_size() == 1); \
        return ok; \
    }
OF(char)
OF(uchar)
OF(short)
OF(ushort)
OF(int)
OF(uint)
OF(long)
OF(ulong)
OF(float)
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    ok &= of_char(i, member, number);
    ok &= of_uchar(i, member, number);
    ok &= of_short(i, member, number);
    ok &= of_ushort(i, member, number);
    ok &= of_int(i, member, number);
    ok &= of_uint(i, member, number);
    ok &= of_long(i, member, number);
    ok &= of_ulong(i, member, number);
    ok &= of_float(i, member, number);
    out[i] = ok;
}

//# accept: those of double
//# options: -cl-std=CL3.0
//# requires: subgroups, fp64
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
#define OF(T) \
    uint of_##T(uint i, local uint *member, local uint *number) { \
        T x = (T)(2 * i + 1), sum = 0, before = 0, product = 1, cluster = 0; \
        for (uint k = 0; k < 9; ++k) { \
            T y = (T)(2 * k + 1); \
            if (member[k] != member[i] || (number[k] % 3 == 1) != (number[i] % 3 == 1)) continue; \
            sum += y; \
            product *= k & 1 ? (T)2 : (T)1; \
            before += number[k] < number[i] ? y : (T)0; \
            cluster += number[k] / 4 == number[i] / 4 ? y : (T)0; \
        } \
        uint ok = 1; \
        if (number[i] % 3 == 1) { \
            ok &= sub_group_non_uniform_reduce_add(x) == sum; \
            ok &= sub_group_non_uniform_scan_exclusive_add(x) == before; \
            ok &= sub_group_non_uniform_scan_inclusive_add(x) == (T)(before + x); \
            ok &= sub_group_non_uniform_reduce_mul(i & 1 ? (T)2 : (T)1) == product; \
            ok &= sub_group_clustered_reduce_add(x, 4) == cluster; \
        } else { \
            ok &= sub_group_non_uniform_reduce_add(x) == sum; \
            ok &= sub_group_clustered_reduce_add(x, 4) == cluster; \
            ok &= sub_group_non_uniform_reduce_min(x) == sub_group_broadcast_first(x); \
            T high = sub_group_non_uniform_scan_exclusive_min(x), first = sub_group_broadcast_first(x); \
            ok &= number[i] ? high == first : high > (T)100; \
            ok &= sub_group_clustered_reduce_max(x, 1) == x; \
        } \
        ok &= sub_group_non_uniform_all_equal(sub_group_broadcast(x, 0)) != 0; \
        ok &= (sub_group_non_uniform_all_equal(x) != 0) == (get_sub_group_size() == 1); \
        return ok; \
    }
OF(double)
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    ok &= of_double(i, member, number);
    out[i] = ok;
}

//# accept: those of half
//# options: -cl-std=CL3.0
//# requires: subgroups, fp16
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
#define OF(T) \
    uint of_##T(uint i, local uint *member, local uint *number) { \
        T x = (T)(2 * i + 1), sum = 0, before = 0, product = 1, cluster = 0; \
        for (uint k = 0; k < 9; ++k) { \
            T y = (T)(2 * k + 1); \
            if (member[k] != member[i] || (number[k] % 3 == 1) != (number[i] % 3 == 1)) continue; \
            sum += y; \
            product *= k & 1 ? (T)2 : (T)1; \
            before += number[k] < number[i] ? y : (T)0; \
            cluster += number[k] / 4 == number[i] / 4 ? y : (T)0; \
        } \
        uint ok = 1; \
        if (number[i] % 3 == 1) { \
            ok &= sub_group_non_uniform_reduce_add(x) == sum; \
            ok &= sub_group_non_uniform_scan_exclusive_add(x) == before; \
            ok &= sub_group_non_uniform_scan_inclusive_add(x) == (T)(before + x); \
            ok &= sub_group_non_uniform_reduce_mul(i & 1 ? (T)2 : (T)1) == product; \
            ok &= sub_group_clustered_reduce_add(x, 4) == cluster; \
        } else { \
            ok &= sub_group_non_uniform_reduce_add(x) == sum; \
            ok &= sub_group_clustered_reduce_add(x, 4) == cluster; \
            ok &= sub_group_non_uniform_reduce_min(x) == sub_group_broadcast_first(x); \
            T high = sub_group_non_uniform_scan_exclusive_min(x), first = sub_group_broadcast_first(x); \
            ok &= number[i] ? high == first : high > (T)100; \
            ok &= sub_group_clustered_reduce_max(x, 1) == x; \
        } \
        ok &= sub_group_non_uniform_all_equal(sub_group_broadcast(x, 0)) != 0; \
        ok &= (sub_group_non_uniform_all_equal(x) != 0) == (get_sub_group_size() == 1); \
        return ok; \
    }
OF(half)
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    ok &= of_half(i, member, number);
    out[i] = ok;
}

//# accept: bitwise ones
//# options: -cl-std=CL3.0
//# requires: subgroup_non_uniform_arithmetic
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
#define OF(T) \
    uint of_##T(uint i, local uint *member, local uint *number) { \
        T x = (T)(0x55 << (i % 3)), all = (T)-1, any = 0, odd = 0, before = (T)-1; \
        for (uint k = 0; k < 9; ++k) { \
            T y = (T)(0x55 << (k % 3)); \
            if (member[k] != member[i]) continue; \
            all &= y; \
            any |= y; \
            odd ^= y; \
            before &= number[k] < number[i] ? y : (T)-1; \
        } \
        uint ok = sub_group_non_uniform_reduce_and(x) == all; \
        ok &= sub_group_non_uniform_reduce_or(x) == any; \
        ok &= sub_group_non_uniform_reduce_xor(x) == odd; \
        ok &= sub_group_non_uniform_scan_exclusive_and(x) == before; \
        ok &= sub_group_non_uniform_scan_inclusive_and(x) == (T)(before & x); \
        ok &= sub_group_clustered_reduce_xor(x, 1) == x; \
        return ok; \
    }
OF(char)
OF(uchar)
OF(short)
OF(ushort)
OF(int)
OF(uint)
OF(long)
OF(ulong)
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    ok &= of_char(i, member, number);
    ok &= of_uchar(i, member, number);
    ok &= of_short(i, member, number);
    ok &= of_ushort(i, member, number);
    ok &= of_int(i, member, number);
    ok &= of_uint(i, member, number);
    ok &= of_long(i, member, number);
    ok &= of_ulong(i, member, number);
    out[i] = ok;
}

//# accept: shuffles and rotations of every type
//# options: -cl-std=CL3.0
//# requires: subgroup_shuffle, subgroup_shuffle_relative, subgroup_rotate
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
#define OF(T) \
    uint of_##T(uint i, local uint *member, local uint *number) { \
        uint n = number[i], size = get_sub_group_size(), most = get_max_sub_group_size(), base = i - n; \
        T x = (T)(5 * i - 9); \
        uint from = (n * 3 + 1) % size; \
        uint ok = sub_group_shuffle(x, from) == (T)(5 * (base + from) - 9); \
        T y = sub_group_shuffle_xor(x, 1); \
        ok &= (n ^ 1) >= size || y == (T)(5 * (base + (n ^ 1)) - 9); \
        y = sub_group_shuffle_up(x, 1); \
        ok &= n == 0 || y == (T)(5 * (i - 1) - 9); \
        y = sub_group_shuffle_down(x, 2); \
        ok &= n + 2 >= size || y == (T)(5 * (i + 2) - 9); \
        y = sub_group_rotate(x, 3); \
        from = (n + 3) % most; \
        ok &= from >= size || y == (T)(5 * (base + from) - 9); \
        y = sub_group_clustered_rotate(x, -1, 4); \
        from = n / 4 * 4 + (n + 3) % 4; \
        ok &= from >= size || y == (T)(5 * (base + from) - 9); \
        return ok; \
    }
OF(char)
OF(uchar)
OF(short)
OF(ushort)
OF(int)
OF(uint)
OF(long)
OF(ulong)
OF(float)
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    ok &= of_char(i, member, number);
    ok &= of_uchar(i, member, number);
    ok &= of_short(i, member, number);
    ok &= of_ushort(i, member, number);
    ok &= of_int(i, member, number);
    ok &= of_uint(i, member, number);
    ok &= of_long(i, member, number);
    ok &= of_ulong(i, member, number);
    ok &= of_float(i, member, number);
    out[i] = ok;
}

//# accept: shuffles of double
//# options: -cl-std=CL3.0
//# requires: subgroups, fp64
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
#define OF(T) \
    uint of_##T(uint i, local uint *member, local uint *number) { \
        uint n = number[i], size = get_sub_group_size(), most = get_max_sub_group_size(), base = i - n; \
        T x = (T)(5 * i - 9); \
        uint from = (n * 3 + 1) % size; \
        uint ok = sub_group_shuffle(x, from) == (T)(5 * (base + from) - 9); \
        T y = sub_group_shuffle_xor(x, 1); \
        ok &= (n ^ 1) >= size || y == (T)(5 * (base + (n ^ 1)) - 9); \
        y = sub_group_shuffle_up(x, 1); \
        ok &= n == 0 || y == (T)(5 * (i - 1) - 9); \
        y = sub_group_shuffle_down(x, 2); \
        ok &= n + 2 >= size || y == (T)(5 * (i + 2) - 9); \
        y = sub_group_rotate(x, 3); \
        from = (n + 3) % most; \
        ok &= from >= size || y == (T)(5 * (base + from) - 9); \
        y = sub_group_clustered_rotate(x, -1, 4); \
        from = n / 4 * 4 + (n + 3) % 4; \
        ok &= from >= size || y == (T)(5 * (base + from) - 9); \
        return ok; \
    }
OF(double)
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    ok &= of_double(i, member, number);
    out[i] = ok;
}

//# accept: shuffles of half
//# options: -cl-std=CL3.0
//# requires: subgroups, fp16
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
#define OF(T) \
    uint of_##T(uint i, local uint *member, local uint *number) { \
        uint n = number[i], size = get_sub_group_size(), most = get_max_sub_group_size(), base = i - n; \
        T x = (T)(5 * i - 9); \
        uint from = (n * 3 + 1) % size; \
        uint ok = sub_group_shuffle(x, from) == (T)(5 * (base + from) - 9); \
        T y = sub_group_shuffle_xor(x, 1); \
        ok &= (n ^ 1) >= size || y == (T)(5 * (base + (n ^ 1)) - 9); \
        y = sub_group_shuffle_up(x, 1); \
        ok &= n == 0 || y == (T)(5 * (i - 1) - 9); \
        y = sub_group_shuffle_down(x, 2); \
        ok &= n + 2 >= size || y == (T)(5 * (i + 2) - 9); \
        y = sub_group_rotate(x, 3); \
        from = (n + 3) % most; \
        ok &= from >= size || y == (T)(5 * (base + from) - 9); \
        y = sub_group_clustered_rotate(x, -1, 4); \
        from = n / 4 * 4 + (n + 3) % 4; \
        ok &= from >= size || y == (T)(5 * (base + from) - 9); \
        return ok; \
    }
OF(half)
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    ok &= of_half(i, member, number);
    out[i] = ok;
}

//# accept: broadcasts of vectors
//# options: -cl-std=CL3.0
//# requires: subgroups
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    uint3 a = sub_group_broadcast((uint3)(i, i + 1, i + 2), 0);
    short16 b = sub_group_non_uniform_broadcast((short16)((short)i), 0);
    long2 c = sub_group_broadcast((long2)((long)i << 40, -1), get_sub_group_size() - 1);
    uint base = i - n, last = base + get_sub_group_size() - 1;
    ok &= a.x == base && a.y == base + 1 && a.z == base + 2 && b.sf == base && c.x == (long)last << 40 && c.y == -1;
    out[i] = ok;
}

//# accept: logical reductions and scans
//# options: -cl-std=CL3.0
//# requires: subgroups
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    uint all = 1, any = 0, odd = 0, before = 0;
    for (int k = 0; k < 9; ++k) {
        if (member[k] == member[i]) {
            all &= k % 4 != 2;
            any |= k % 4 != 2;
            odd ^= k % 4 != 2;
            before |= number[k] < n && k % 4 != 2;
        }
    }
    int x = i % 4 != 2 ? 6 : 0;
    ok &= (sub_group_non_uniform_reduce_logical_and(x) != 0) == all;
    ok &= (sub_group_non_uniform_reduce_logical_or(x) != 0) == any;
    ok &= (sub_group_non_uniform_reduce_logical_xor(x) != 0) == odd;
    ok &= (sub_group_non_uniform_scan_exclusive_logical_or(x) != 0) == before;
    ok &= (sub_group_non_uniform_scan_inclusive_logical_or(x) != 0) == (before | x != 0);
    ok &= (n != 0) | (sub_group_non_uniform_scan_exclusive_logical_and(x) != 0);
    ok &= (sub_group_clustered_reduce_logical_and(x, 1) != 0) == (x != 0);
    ok &= (sub_group_clustered_reduce_logical_xor(1, 2) == 0) | (n + 1 == get_sub_group_size());
    out[i] = ok;
}

//# accept: ballots, and what counts and finds their bits
//# options: -cl-std=CL3.0
//# requires: subgroup_ballot
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    uint4 all = sub_group_ballot(1), some = sub_group_ballot(n % 3 == 1);
    uint size = get_sub_group_size(), count = size / 3 + (size % 3 == 2);
    ok &= sub_group_ballot_bit_count(all) == size && sub_group_ballot_bit_count(some) == count;
    ok &= sub_group_ballot_bit_count((uint4)(~0u)) == get_max_sub_group_size();
    ok &= sub_group_ballot_inclusive_scan(all) == n + 1 && sub_group_ballot_exclusive_scan(all) == n;
    ok &= sub_group_ballot_find_lsb(all) == 0 && sub_group_ballot_find_msb(all) == size - 1;
    ok &= sub_group_ballot_find_msb((uint4)(~0u)) == get_max_sub_group_size() - 1;
    ok &= (sub_group_inverse_ballot(some) != 0) == (n % 3 == 1);
    ok &= size < 2 || sub_group_ballot_bit_extract(some, 1) != 0;
    ok &= sub_group_ballot_bit_extract(some, 0) == 0;
    ok &= (sub_group_elect() != 0) == (n == 0);
    out[i] = ok;
}

//# accept: masks of a work-item
//# options: -cl-std=CL3.0
//# requires: subgroup_ballot
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    uint4 eq = get_sub_group_eq_mask(), ge = get_sub_group_ge_mask(), gt = get_sub_group_gt_mask();
    uint4 le = get_sub_group_le_mask(), lt = get_sub_group_lt_mask(), none = (uint4)(0);
    uint most = get_max_sub_group_size();
    ok &= eq.x == 1u << n && all(eq.yzw == none.yzw) && all((ge ^ gt) == eq) && all((le ^ lt) == eq);
    ok &= lt.x == (1u << n) - 1 && le.y == 0;
    ok &= sub_group_ballot_bit_count(ge) == most - n && sub_group_ballot_bit_count(gt) == most - n - 1;
    ok &= (ge.w != 0) == (most > 96) && (ge.y != 0) == (most > 32);
    out[i] = ok;
}

//# accept: work-items that are in a loop together
//# options: -cl-std=CL3.0
//# requires: subgroup_non_uniform_arithmetic
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0, expected = 0;
    for (uint k = 0; k < n + 1; ++k) {
        if (k == 1) continue;
        sum += sub_group_non_uniform_reduce_add(1u);
    }
    for (uint k = 0; k < n + 1; ++k) expected += k == 1 ? 0 : get_sub_group_size() - k;
    ok &= sum == expected && sub_group_reduce_add(1u) == get_sub_group_size();
    out[i] = ok;
}

//# accept: those that leave a loop by break in one round
//# options: -cl-std=CL3.0
//# requires: subgroup_non_uniform_arithmetic
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    uint count = 0, later = 0, size = get_sub_group_size();
    for (uint k = 0; ; ++k) {
        if (k == n / 2) {
            count = sub_group_non_uniform_reduce_add(1u);
            break;
        }
    }
    uint k = 0;
    do {
        if (k++ == n / 2) {
            later = sub_group_non_uniform_reduce_add(1u);
            break;
        }
    } while (k < 2);
    uint expected = (n | 1) < size ? 2 : 1;
    ok &= count == expected && later == (n < 4 ? expected : 0);
    out[i] = ok;
}

//# accept: those that return from within loops in one round
//# options: -cl-std=CL3.0
//# requires: subgroup_non_uniform_arithmetic
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
uint together(uint n) {
    for (uint k = 0; ; ++k)
        if (k == n / 2) return sub_group_non_uniform_reduce_add(1u);
}
uint nested(uint n, int *rounds) {
    do {
        for (int j = 0; j < 3; ++j) {
            switch (j) {
            case 2:
                if (*rounds == n / 2) return sub_group_non_uniform_reduce_add(1u);
            }
        }
        if (*rounds == 3) break;
    } while (++*rounds);
    return 100;
}
kernel void test(global uint *out) {
    uint i = get_local_id(0), n = get_sub_group_local_id(), size = get_sub_group_size();
    uint expected = (n | 1) < size ? 2 : 1;
    int rounds = 0;
    out[i] = together(n) == expected && nested(n, &rounds) == (n < 8 ? expected : 100) && rounds == min(n / 2, 3u);
    for (uint k = 0; ; ++k) {
        if (k == n / 2) {
            out[i] &= sub_group_non_uniform_reduce_add(1u) == expected;
            return;
        }
    }
    out[i] = 200;
}

//# accept: those that leave loops by goto in one round
//# options: -cl-std=CL3.0
//# requires: subgroup_non_uniform_arithmetic
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    uint i = get_local_id(0), n = get_sub_group_local_id(), size = get_sub_group_size();
    uint count = 0, staying = 0, rounds = 0, ended = 0, k;
    for (k = 0; k < 200; ++k) {
        for (uint j = 0; j < 3; ++j) {
            if (k == n / 2) {
                count = sub_group_non_uniform_reduce_add(1u);
                if (n % 4 < 2) goto found;
                goto other;
            }
            if (j == 1) {
                staying += sub_group_non_uniform_reduce_add(1u);
                goto next;
            }
        }
        ended = 100;
    next:
        ++rounds;
    }
    ended = 200;
other:
    ended += 1;
found:;
    uint expected = (n | 1) < size ? 2 : 1, all = 0;
    for (k = 0; k < n / 2; ++k) all += size - 2 * k - 2;
    out[i] = count == expected && rounds == n / 2 && staying == all && ended == (n % 4 < 2 ? 0 : 1);
}

//# accept: work-items that a switch parts, and that join behind it
//# options: -cl-std=CL3.0
//# requires: subgroup_non_uniform_arithmetic
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    uint k = n % 3, count = 0, size = get_sub_group_size(), expected = size / 3 + (size % 3 > k);
    switch (k) {
    case 0: count = sub_group_non_uniform_reduce_add(1u); break;
    case 1: count = sub_group_non_uniform_reduce_add(1u); break;
    default: count = sub_group_non_uniform_reduce_add(1u);
    }
    ok &= count == expected && sub_group_non_uniform_reduce_add(1u) == size;
    out[i] = ok;
}

//# accept: a barrier of the sub-group does not wait for other sub-groups
//# options: -cl-std=CL3.0
//# requires: subgroups
//# global: 128
//# local: 128
//# expect: 1 2 3 4
kernel void test(global uint *out) {
    if (get_sub_group_id() == get_num_sub_groups() - 1) {
        bool first = get_sub_group_local_id() == 0;
        if (first)
            out[0] = 1;
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (first)
            out[1] = 2;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (first)
            out[2] = 3;
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (first)
            out[3] = 4;
    }
}

//# accept: a barrier of the sub-group orders what its work-items write
//# options: -cl-std=CL3.0
//# requires: subgroups
//# global: 9
//# local: 9
//# expect: 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    local uint member[9], number[9];
    uint i = get_local_id(0), ok = 1, n = get_sub_group_local_id();
    number[i] = n;
    member[i] = get_sub_group_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    local uint words[9];
    uint next = i - n + (n + 1) % get_sub_group_size();
    for (uint round = 0; round < 3; ++round) {
        words[i] = 10 * i + round;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        ok &= words[next] == 10 * next + round;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group);
    }
    out[i] = ok;
}

//# reject: the size of clusters is a constant
//# options: -cl-std=CL3.0
//# requires: subgroups
//# error: 3: the size of clusters of 'sub_group_clustered_reduce_add' must be a constant power of two
kernel void test(global uint *out) {
    uint n = out[1];
    out[0] = sub_group_clustered_reduce_add(1, n);
}

//# reject: and a power of two
//# options: -cl-std=CL3.0
//# requires: subgroups
//# error: 2: the size of clusters of 'sub_group_clustered_reduce_add' must be a constant power of two
kernel void test(global uint *out) {
    out[0] = sub_group_clustered_reduce_add(1, 3);
}

//# reject: of rotations, too
//# options: -cl-std=CL3.0
//# requires: subgroups
//# error: 2: the size of clusters of 'sub_group_clustered_rotate' must be a constant power of two
kernel void test(global uint *out) {
    out[0] = sub_group_clustered_rotate(1, 1, 0);
}

//# reject: there are no clusters of vectors
//# options: -cl-std=CL3.0
//# requires: subgroups
//# error: 2: no matching function for call to 'sub_group_clustered_reduce_add'
kernel void test(global uint *out) {
    sub_group_clustered_reduce_add((int2)(1), 4);
}

//# accept: extensions of sub-groups have macros, in every version
//# requires: subgroup_shuffle
//# expect: 8
kernel void test(global uint *out) {
    out[0] = cl_khr_subgroup_extended_types + cl_khr_subgroup_non_uniform_vote + cl_khr_subgroup_ballot +
             cl_khr_subgroup_non_uniform_arithmetic + cl_khr_subgroup_shuffle + cl_khr_subgroup_shuffle_relative +
             cl_khr_subgroup_clustered_reduce + cl_khr_subgroup_rotate;
}

//# reject: the size is one that the device has
//# options: -cl-std=CL3.0
//# requires: cl_intel_required_subgroup_size
//# error: 1: the device has no sub-groups of 12
__attribute__((intel_reqd_sub_group_size(12))) kernel void test(global uint *out) {
    out[0] = 1;
}

//# reject: it is one number
//# options: -cl-std=CL3.0
//# error: 1: 'intel_reqd_sub_group_size' attribute takes one argument
__attribute__((intel_reqd_sub_group_size(8, 8))) kernel void test(global uint *out) {
    out[0] = 1;
}

//# accept: where there is no choice the attribute is ignored
//# options: -cl-std=CL3.0
//# requires: !cl_intel_required_subgroup_size
//# warn: 1: 'intel_reqd_sub_group_size' is ignored: this device has no choice of sub-group sizes
//# expect: 1
__attribute__((intel_reqd_sub_group_size(8))) kernel void test(global uint *out) {
    out[0] = 1;
}
