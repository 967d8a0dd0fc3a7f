#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef int T;
kernel void f(global int *out, int n) {
  #pragma OPENCL FP_CONTRACT OFF
  int i, T = 3, U = T * 2;
  T * U;
  { typedef float U; U x = 1; }
  U * T;
  for (int T = 0; T < n; T++) out[T] = T;
  for (;;) break;
  for (i = 0, n = 2; ; ) { continue; }
  #pragma unroll
  for (i = 0; i < 4; i++) ;
  #pragma unroll 4
  while (n--) ;
  __attribute__((opencl_unroll_hint(2 * 4))) do i++; while (i < 10);
  __attribute__((opencl_unroll_hint)) for (;;) ;
  if (n) i = 1; else if (i) { i = 2; } else i = 3;
  if (n) if (i) ; else ;
  switch (n) {
    case 0:
    case 1: i = 0; break;
    case 2 ... 5: { return; }
    default: goto done;
  }
  __attribute__((unused)) int unused;
  _Static_assert(1, "yes");
  return;
done:
  return (void)0;
end: ;
}
