//! C99 6.8 Statements: control flow

//# accept: if and else; an else belongs to the nearest if
//# expect: 1 0 3
kernel void test(global uint *out) {
    uint zero = out[0];
    if (zero == 0) out[0] = 1; else out[0] = 100;
    if (zero) if (zero) out[1] = 100; else out[1] = 200;
    if (zero) { if (zero) out[2] = 100; } else out[2] = 3;
}

//# accept: a condition is any scalar compared with zero: integers, floats, pointers
//# expect: 1 1 0 1
kernel void test(global uint *out) {
    float half_ = 0.5f, zero = -0.0f;
    global uint *null = 0;
    if (half_) out[0] = 1;
    if (out) out[1] = 1;
    if (zero) out[2] = 1;
    if (!null) out[3] = 1;
}

//# accept: while, do and for
//# expect: 10 10 10 1
kernel void test(global uint *out) {
    int i = 0;
    while (i < 5) out[0] += i++;
    i = 0;
    do { out[1] += i; } while (++i < 5);
    for (i = 0; i < 5; ++i) out[2] += i;
    do out[3]++; while (0);
}

//# accept: parts of a for may be missing
//# expect: 3
kernel void test(global uint *out) {
    for (;;) {
        if (out[0] == 3) break;
        out[0]++;
    }
}

//# accept: a for may declare its variables, in a scope of their own
//# expect: 6 7 9
kernel void test(global uint *out) {
    int i = 7;
    for (int i = 0, j = 3; i < j; i++) { out[0] += i + 1; int i = 100; out[2] += i - 97; }
    out[1] = i;
}

//# accept: break leaves the innermost loop, continue goes on with it
//# expect: 6 3
kernel void test(global uint *out) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 10; j++) {
            if (j == 1) continue;
            if (j == 3) break;
            out[0]++;
        }
        out[1]++;
    }
}

//# accept: continue in a for does its last part, in a do its condition
//# expect: 4 3
kernel void test(global uint *out) {
    for (int i = 0; i < 4; out[0]++, i++) continue;
    int j = 0;
    do { out[1]++; continue; } while (++j < 3);
}

//# accept: switch jumps to the case that equals, or to default, or past all
//# global: 5
//# expect: 10 11 12 99 99
kernel void test(global uint *out) {
    uint i = get_global_id(0);
    switch (i) {
    case 0: out[i] = 10; break;
    default: out[i] = 99; break;
    case 1: out[i] = 11; break;
    case 2: out[i] = 12;
    }
}

//# accept: cases fall through
//# global: 4
//# expect: 111 11 1 0
kernel void test(global uint *out) {
    uint i = get_global_id(0);
    switch (i) {
    case 0: out[i] += 100;
    case 1: out[i] += 10;
    case 2: out[i] += 1;
    }
}

//# accept: a default in the middle falls through as well
//# global: 3
//# expect: 3 2 7
kernel void test(global uint *out) {
    uint i = get_global_id(0), n = 0;
    switch (i) {
    case 2: n += 4;
    default: n += 1;
    case 1: n += 2;
    }
    out[i] = n;
}

//# accept: several labels of one statement; negative and large cases
//# global: 4
//# expect: 1 1 2 3
kernel void test(global uint *out) {
    int i = get_global_id(0);
    switch (i == 3 ? INT_MIN : i - 1) {
    case -1:
    case 0: out[i] = 1; break;
    case 1: out[i] = 2; break;
    case INT_MIN: out[i] = 3; break;
    }
}

//# accept: a switch of 64 bits
//# expect: 2
kernel void test(global uint *out) {
    long x = 0x100000001L + out[0];
    switch (x) {
    case 1: out[0] = 1; break;
    case 0x100000001L: out[0] = 2; break;
    }
}

//# accept: a switch of a narrow type is of int
//# expect: 2
kernel void test(global uint *out) {
    uchar c = 255 + out[0];
    switch (c) {
    case -1: out[0] = 1; break;
    case 255: out[0] = 2; break;
    }
}

//# accept: cases are constant expressions
//# expect: 3
enum { TWO = 2 };
kernel void test(global uint *out) {
    switch (out[0] + 6) {
    case TWO: out[0] = 1; break;
    case sizeof(int) + TWO: out[0] = 3; break;
    }
}

//# accept: GNU's ranges of cases
//# global: 4
//# expect: 1 2 2 3
kernel void test(global uint *out) {
    uint i = get_global_id(0);
    switch (i) {
    case 0: out[i] = 1; break;
    case 1 ... 2: out[i] = 2; break;
    default: out[i] = 3;
    }
}

//# accept: break in a switch leaves the switch, continue the loop around it
//# expect: 5 2
kernel void test(global uint *out) {
    for (int i = 0; i < 5; i++) {
        out[0]++;
        switch (i) {
        case 1: case 3: case 4: continue;
        default: break;
        }
        out[1]++;
    }
}

//# accept: a switch whose body is one statement, and one without cases
//# expect: 1 0
kernel void test(global uint *out) {
    switch (out[0]) case 0: out[0] = 1;
    switch (out[0]) { out[1] = 100; }
}

//# accept: a variable declared in a switch before its cases
//# expect: 4
kernel void test(global uint *out) {
    switch (out[0]) {
        int x;
    case 0:
        x = 4;
        out[0] = x;
    }
}

//# accept: Duff's device: a switch into a loop
//# global: 9
//# expect: 0 1 3 6 10 15 21 28 36
kernel void test(global uint *out) {
    uint n = get_global_id(0), sum = 0, i = n;
    if (n) {
        uint rounds = (n + 3) / 4;
        switch (n % 4) {
        case 0: do { sum += i--;
        case 3:      sum += i--;
        case 2:      sum += i--;
        case 1:      sum += i--;
                } while (--rounds > 0);
        }
    }
    out[n] = sum;
}

//# accept: a case inside an if of the switch
//# global: 3
//# expect: 0 5 7
kernel void test(global uint *out) {
    uint i = get_global_id(0), n = 0;
    switch (i) {
    case 0:
        if (n) {
    case 1: n += 5;
        } else if (n > 100) {
    case 2: n += 7;
        }
    }
    out[i] = n;
}

//# accept: goto forward and backward
//# expect: 10 0
kernel void test(global uint *out) {
    uint i = 0;
again:
    out[0] += i;
    if (++i < 5) goto again;
    goto end;
    out[1] = 1;
end:;
}

//# accept: goto out of nested loops
//# expect: 12
kernel void test(global uint *out) {
    for (uint i = 0; i < 10; i++)
        for (uint j = 0; j < 10; j++)
            if (i * j == 12) { out[0] = i * j; goto found; }
found:
    return;
}

//# accept: goto into a block and into a loop
//# expect: 3 5
kernel void test(global uint *out) {
    uint i = 2;
    goto inside;
    while (i < 5) {
        out[0]++;
inside:
        i++;
    }
    out[0]++;
    out[1] = i;
}

//# accept: goto two loops that enter each other: irreducible
//# global: 4
//# expect: 4 4 8 6
kernel void test(global uint *out) {
    uint i = get_global_id(0), n = i & 1 ? 1 : 0, sum = 0;
    if (i & 1) goto b;
a:
    sum += i + 1;
    if (++n >= 4) goto end;
b:
    sum += 1;
    if (++n < 4) goto a;
end:
    out[i] = sum;
}

//# accept: labels have a name space of their own, and are of the function
//# expect: 7
typedef int word;
kernel void test(global uint *out) {
    uint out_ = 7;
    { goto out_; }
word:
    return;
out_:
    out[0] = out_;
    goto word;
}

//# accept: a label before a declaration and at the end of a block
//# warn: 3: label followed by a declaration is a C23 extension
//# warn: 6: label at end of compound statement is a C23 extension
//# expect: 1
kernel void test(global uint *out) {
first:
    int x = 1;
    out[0] = x;
last:
}

//# accept: a variable of a block begins anew in every iteration
//# expect: 3
kernel void test(global uint *out) {
    for (int i = 0; i < 3; i++) {
        uint x = 0;
        x++;
        out[0] += x;
    }
}

//# accept: an early return of some work-items
//# global: 4
//# expect: 0 1 0 3
kernel void test(global uint *out) {
    uint i = get_global_id(0);
    if ((i & 1) == 0) return;
    out[i] = i;
}

//# accept: a return in a loop of a function
//# global: 4
//# expect: 0 1 4 9
uint square(uint n) {
    for (uint i = 0;; i++)
        if (i == n) {
            while (1) return i * i;
        }
    return 100;
}
kernel void test(global uint *out) {
    out[get_global_id(0)] = square(get_global_id(0));
}

//# accept: a barrier in a loop that all work-items run equally often
//# global: 4
//# local: 4
//# expect: 8 8 8 8
kernel void test(global uint *out) {
    local uint a[4];
    uint i = get_local_id(0);
    a[i] = 1;
    for (int step = 0; step < 3; step++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint other = a[(i + 1) & 3];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] += other;
    }
    out[i] = a[i];
}

//# accept: a barrier in a loop that is left by break, and in an if that all work-items take
//# global: 4
//# local: 4
//# expect: 3 2 1 0
kernel void test(global uint *out) {
    local uint a[4];
    uint i = get_local_id(0);
    for (int n = 0;; n++) {
        a[(i + n) & 3] = i;
        if (n == 3) {
            barrier(CLK_LOCAL_MEM_FENCE);
            break;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = (a[3 - i] + 3) & 3;
}

//# accept: work-items that take different ways meet at the barrier after them
//# global: 4
//# local: 4
//# expect: 12 11 10 9
kernel void test(global uint *out) {
    local uint a[4];
    uint i = get_local_id(0);
    switch (i) {
    case 0: a[0] = 9; break;
    case 1: for (a[1] = 0; a[1] < 10; a[1]++); break;
    case 2: goto two;
    default: a[i] = 12;
    }
    if (0) { two: a[2] = 11; }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[3 - i];
}

//# accept: empty statements and blocks
//# expect: 1
kernel void test(global uint *out) {
    ;;{}{;}
    if (out[0]) ; else ;
    for (int i = 0; i < 3; i++);
    out[0] = 1;
}

//# accept: GNU's statement expressions
//# expect: 6
kernel void test(global uint *out) {
    out[0] = ({ uint s = 0; for (int i = 0; i < 4; i++) s += i; s; });
}

//# accept: what cannot be reached does not run
//# expect: 1
kernel void test(global uint *out) {
    out[0] = 1;
    return;
    out[0] = 2;
}

//# reject: a vector is no condition
//# error: 2: statement requires expression of scalar type ('int2' invalid)
kernel void test(global uint *out) {
    if ((int2)(1)) out[0] = 1;
}

//# reject: a struct is no condition
//# error: 4: statement requires expression of scalar type
struct s { int x; };
kernel void test(global uint *out) {
    struct s s = {1};
    while (s) out[0] = 1;
}

//# reject: a switch is of an integer
//# error: 2: statement requires expression of integer type ('float' invalid)
kernel void test(global uint *out) {
    switch (1.0f) { case 1: out[0] = 1; }
}

//# reject: a case is a constant
//# error: 4: expression is not an integer constant expression
kernel void test(global uint *out) {
    int x = 1;
    switch (out[0]) {
    case x: out[0] = 1;
    }
}

//# reject: a case occurs once
//# error: 4: duplicate case value '1'
kernel void test(global uint *out) {
    switch (out[0]) {
    case 1: break;
    case 2 - 1: break;
    }
}

//# reject: default occurs once
//# error: 4: multiple default labels in one switch
kernel void test(global uint *out) {
    switch (out[0]) {
    default: break;
    default: break;
    }
}

//# reject: a case is in a switch
//# error: 2: 'case' statement not in switch statement
kernel void test(global uint *out) {
    case 1: out[0] = 1;
}

//# reject: a default is in a switch
//# error: 2: 'default' statement not in switch statement
kernel void test(global uint *out) {
    default: out[0] = 1;
}

//# reject: a break is in a loop or switch
//# error: 2: 'break' statement not in loop or switch statement
kernel void test(global uint *out) {
    if (out[0]) break;
}

//# reject: a continue is in a loop
//# error: 3: 'continue' statement not in loop statement
kernel void test(global uint *out) {
    switch (out[0]) {
    case 0: continue;
    }
}

//# reject: goto's label is in the function
//# error: 2: use of undeclared label 'nowhere'
kernel void test(global uint *out) {
    goto nowhere;
}

//# reject: not in another one
//# error: 2: use of undeclared label 'there'
void f(global uint *out) { there: out[0] = 1; }
kernel void test(global uint *out) { goto there; }

//# reject: a label occurs once
//# error: 3: redefinition of label 'here'
kernel void test(global uint *out) {
    here: out[0] = 1;
    here: out[0] = 2;
}

//# reject: a variable of a for is not known after it
//# error: 3: use of undeclared identifier 'i'
kernel void test(global uint *out) {
    for (int i = 0; i < 3; i++) ;
    out[0] = i;
}

//# reject: a declaration is no statement
//# error: 2: expected expression
kernel void test(global uint *out) {
    if (out[0]) int x = 1;
}

//# reject: an else has its if
//# error: 2: expected expression
kernel void test(global uint *out) {
    else out[0] = 1;
}
