kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
k(global const float *feature, global const float *clusters, global int *member,
              int npoints, int nclusters, int nfeatures) {
    unsigned int pid = get_global_id(0);
    if (pid < npoints) {
        int index = 0;
        float mind = FLT_MAX;
        for (int i = 0; i < nclusters; i++) {
            float ans = 0;
            for (int l = 0; l < nfeatures; l++) {
                ans += (feature[l * npoints + pid] - clusters[i * nfeatures + l]) *
                       (feature[l * npoints + pid] - clusters[i * nfeatures + l]);
            }
            if (ans < mind) { mind = ans; index = i; }
        }
        member[pid] = index;
    }
}
