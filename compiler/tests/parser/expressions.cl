void f(int a, int b, float4 v, global int *p) {
  a + b * 3 - a / b % 2;
  a << 1 + b >> 2 < 3 == a > 4 != b <= 5 & 6 ^ 7 | 8 && a || b;
  a = b = a += b <<= 2, a--, --b;
  a ? b : a ? 1 : 2;
  a ? a ? 1 : 2 : 3;
  -~!+a; - -a; *&a; **p; &p[1]; ++*p; *p++; (*p)++;
  sizeof a + 1; sizeof(int); sizeof(a)[0]; sizeof (float4){1, 2, 3, 4}.x; sizeof(int *) * 2;
  __alignof__(double); __alignof(a); vec_step(float3); vec_step(v);
  (float)a; (int)-a; (int)(float)a; (global uint *)p + 1; (float)(v).x; (float4)(a); (float4)(v).xxxx;
  (float4)(1, 2.0f, 3.0, 0x1p3f); (float4)((float2)(1, 2), (float2)3, a); (float4){a, b, 1, 2};
  (float2)(a, b).yx; ((float2)(a, b)).y;
  (struct s){1, {2}, .c = 3}; (int[]){1, 2}[0]; &(struct s){1};
  v.xyz.s0; v.lo.hi = v.s01; p->q.r->s; p[1][2](3)(4, 5)++;
  f(); f(a, (b, 1), v);
  __builtin_astype(v, int4); __builtin_offsetof(struct s, m.n[2]);
  ({ int t = a; t + 1; }) + 2;
  a ?: b ?: c; (int[]){[1 ... 2] = a};
  0xffu; 10L; 7UL; 1.5; 2.5f; 0.5h; 'a'; "str" "ing\n"; true; false;
}
void blocks(int n) {
  int (^f)(int) = ^(int x) { return x + n; };
  void (^const g)(void) = ^{ f(1); };
  ^float *(float *p, int i) { return p + i; }(0, 1);
  n = n ^ (n) ^ +n;
}
