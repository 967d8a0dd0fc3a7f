// A search that ends in two ways.
kernel void search(global const int *values, global int *found, int n, int key) {
    int result = -1;
    for (int i = 0; i < n; i++) {
        int v = values[i];
        if (v == key) { result = i; break; }
        if (v < 0) { result = -2 - i; break; }
    }
    found[get_global_id(0)] = result;
}
