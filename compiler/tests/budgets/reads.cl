// Four reads of a[i] around branches, of memory that is reached through one argument alone.
kernel void reads(global const int *restrict a, global int *restrict b, int n) {
    int i = get_global_id(0), sum = a[i];
    if (n > 1) {
        b[i] = sum;
        sum += a[i];
    } else {
        b[i + 1] = a[i];
    }
    b[i + 2] = sum + a[i];
}
