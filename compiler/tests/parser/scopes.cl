typedef int T;
int g(T T, int (*f)(int));
void h(float4 float4) { float4.x = 1; int image2d_t = 2; image2d_t * 2; }
T after;
void k(void) {
  enum { T };
  T * 2;
}
T again;
struct T { T T; };
int uint;
void l(void) { uint * 2; T: goto T; for (float T = 0;;) T * 2; T x; }
