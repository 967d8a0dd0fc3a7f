"""Kernels with one mistake each: the build fails and the log says where and what.

In every source the marks « and » (which are taken out before the build) enclose where the first error
may be reported; a position just behind the last marked character counts as well, for that is where
something missing is missed. The messages are those that programmers know from clang.
"""

import re

import pytest
import raw

K = "kernel void f(global int *a, global float4 *v)\n{\n"

MISTAKES = {
    # Syntax.
    "missing semicolon": (K + "    a[0] = «1»\n}", r"expected ';' after expression"),
    "missing operand": (K + "    a[0] = 1 + «;»\n}", r"expected expression"),
    "missing parenthesis": (K + "    a[0] = (1 + 2«;»\n}", r"expected '\)'"),
    "missing bracket": (K + "    int x[3«;»\n}", r"expected '\]'"),
    "missing brace": (K + "    a[0] = 1;«\n»", r"expected '}'"),
    "a brace too many": (K + "}\n«}»\n", r"extraneous closing brace \('}'\)|expected external"),
    "else without if": (K + "    «else» a[0] = 1;\n}", r"expected expression"),
    "unknown type": (K + "    «foo_t» x = 1;\n}",
                     r"unknown type name 'foo_t'|use of undeclared identifier 'foo_t'"),
    "unknown type of a parameter": ("kernel void f(global «nope» *a) { }",
                                    r"unknown type name 'nope'"),
    "a type for an expression": (K + "    a[0] = «int»;\n}", r"expected expression|unexpected type"),
    "declaration without a name": (K + "    int «=» 3;\n}", r"expected identifier or '\('"),
    "for without its parts": (K + "    for (int i = 0; i < 3«)» a[i] = 0;\n}", r"expected ';'"),
    "do without while": (K + "    do { a[0] = 1; } «a»[1] = 2;\n}", r"expected 'while'"),
    # Literals.
    "bad octal digit": (K + "    a[0] = «089»;\n}", r"invalid digit '8' in octal constant"),
    "bad suffix": (K + "    a[0] = «12abc»;\n}", r"invalid suffix 'abc' on integer constant|invalid "
                   r"digit 'a' in decimal constant"),
    "unterminated string": (K + "    constant char *s = «\"abc;»\n}",
                            r"missing terminating '\"' character|expected expression"),
    # The preprocessor.
    "unterminated comment": (K + "    a[0] = 1;\n}\n«/*» never closed\n", r"unterminated /\* comment"),
    "unterminated #if": ("«#if 1»\n" + K + "}\n", r"unterminated conditional directive"),
    "#else without #if": (K + "}\n«#else»\n", r"#else without #if"),
    "#endif without #if": (K + "}\n«#endif»\n", r"#endif without #if"),
    "#error": ("«#error not this way»\n" + K + "}", r"not this way"),
    "missing include": ("«#include \"no/such/file.h\"»\n" + K + "}",
                        r"'no/such/file.h' file not found"),
    "division by zero in #if": ("«#if 1 / 0»\n#endif\n" + K + "}",
                                r"division by zero in preprocessor expression"),
    "bad #if": ("«#if 1 +»\n#endif\n" + K + "}", r"expected value in expression"),
    "unknown directive": ("«#defien X 1»\n" + K + "}", r"invalid preprocessing directive"),
    "macro name": ("«#define 3x 1»\n" + K + "}", r"macro name must be an identifier"),
    "too few macro arguments": ("#define ADD(x, y) ((x) + (y))\n" + K + "    a[0] = «ADD(1)»;\n}",
                                r"too few arguments provided to function-like macro invocation"),
    "too many macro arguments": ("#define ID(x) (x)\n" + K + "    a[0] = «ID(1, 2)»;\n}",
                                 r"too many arguments provided to function-like macro invocation"),
    "unterminated macro call": ("#define ID(x) (x)\n" + K + "    a[0] = «ID»(1;\n}",
                                r"unterminated function-like macro invocation"),
    "bad paste": ("«#define GLUE(x, y) x ## y»\n" + K + "    a[0] = «GLUE(+, z)»;\n}",
                  r"pasting formed '\+z', an invalid preprocessing token"),
    "# of no parameter": ("«#define STR(x) #y»\n" + K + "}",
                          r"'#' is not followed by a macro parameter"),
    # Names.
    "undeclared variable": (K + "    a[0] = «nowhere»;\n}",
                            r"use of undeclared identifier 'nowhere'"),
    "undeclared function": (K + "    a[0] = «compute»(1);\n}",
                            r"(implicit declaration of|call to undeclared) function 'compute'|"
                            r"use of undeclared identifier 'compute'"),
    "out of scope": (K + "    for (int i = 0; i < 3; i++) a[i] = 0;\n    a[0] = «i»;\n}",
                     r"use of undeclared identifier 'i'"),
    "variable twice": (K + "    int x = 1;\n    float «x» = 2;\n}", r"redefinition of 'x'"),
    "parameter twice": ("void g(int x, float «x») { }", r"redefinition of parameter 'x'"),
    "function twice": ("int g(void) { return 1; }\nint «g»(void) { return 2; }",
                       r"redefinition of 'g'"),
    "struct twice": ("struct s { int x; };\nstruct «s» { int y; };", r"redefinition of 's'"),
    "member twice": ("struct s { int x; float «x»; };", r"duplicate member 'x'"),
    "enumerator twice": ("enum e { A, B, «A» };", r"redefinition of enumerator 'A'"),
    "conflicting typedefs": ("typedef int T;\ntypedef float «T»;",
                             r"typedef redefinition with different types"),
    "conflicting declarations": ("int g(int x);\nfloat «g»(int x) { return x; }",
                                 r"conflicting types for 'g'"),
    "label twice": (K + "l:  a[0] = 1;\n«l»:  a[1] = 2;\n}", r"redefinition of label 'l'"),
    "goto nowhere": (K + "    goto «out»;\n}", r"use of undeclared label 'out'"),
    # Statements.
    "break outside of a loop": (K + "    «break»;\n}",
                                r"'break' statement not in loop or switch statement"),
    "continue outside of a loop": (K + "    «continue»;\n}",
                                   r"'continue' statement not in loop statement"),
    "case outside of switch": (K + "    «case 1»: a[0] = 1;\n}",
                               r"'case' statement not in switch statement"),
    "case twice": (K + "    switch (a[0]) {\n    case 1: break;\n    «case 1»: break;\n    }\n}",
                   r"duplicate case value"),
    "default twice": (K + "    switch (a[0]) {\n    «default»: break;\n    «default»: break;\n    }\n}",
                      r"multiple default labels in one switch"),
    "case of a variable": (K + "    switch (a[0]) {\n    case «a[1]»: break;\n    }\n}",
                           r"not an integer constant expression|not a constant"),
    "switch on float": (K + "    «switch (v[0].x)» { }\n}",
                        r"statement requires expression of integer type \('.*float' invalid\)"),
    "condition of a struct": ("struct s { int x; };\n" + K + "    struct s t;\n    «if (t)» a[0] = 1;\n}",
                              r"statement requires expression of scalar type \('.*struct s' invalid\)"),
    "value from a void function": ("void g(void) { «return 1»; }",
                                   r"void function 'g' should not return a value"),
    "no value from an int function": ("int g(void) { «return»; }",
                                      r"non-void function 'g' should return a value"),
    # Types.
    "void variable": (K + "    void «x»;\n}", r"variable has incomplete type 'void'"),
    "incomplete struct": (K + "    struct s «x»;\n}", r"variable has incomplete type '.*struct s'"),
    "sizeof an incomplete type": (K + "    a[0] = «sizeof(struct s)»;\n}",
                                  r"invalid application of 'sizeof' to an incomplete type"),
    "negative array size": (K + "    int «x[-1]»;\n}", r"negative size"),
    "array size of float": (K + "    int «x[2.5f]»;\n}",
                            r"size of array has non-integer type 'float'"),
    "variable array size": (K + "    int «x[a[0]]»;\n}", r"variable length arrays? "),
    "array from a scalar": (K + "    int «x[2] = 5»;\n}",
                            r"array initializer must be an initializer list"),
    "assignment to an rvalue": (K + "    «a[0] + 1 = 2»;\n}", r"expression is not assignable"),
    "address of an rvalue": (K + "    private int *p = «&(a[0] + 1)»;\n}",
                             r"cannot take the address of an rvalue of type"),
    "remainder of float": (K + "    a[0] = «v[0].x % v[0].y»;\n}",
                           r"invalid operands to binary expression"),
    "sum of pointers": (K + "    global int *p = «a + a»;\n}",
                        r"invalid operands to binary expression"),
    "complement of float": (K + "    a[0] = «~1.5f»;\n}",
                            r"invalid argument type 'float' to unary expression"),
    "indirection of int": (K + "    int x = 1;\n    a[0] = «*x»;\n}",
                           r"indirection requires pointer operand \('int' invalid\)"),
    "subscript of int": (K + "    int x = 1;\n    a[0] = «x[0]»;\n}",
                         r"subscripted value is not an array, pointer, or vector"),
    "float as a subscript": (K + "    «a[1.5f]» = 1;\n}", r"array subscript is not an integer"),
    "call of a variable": (K + "    int x = 1;\n    a[0] = «x(1)»;\n}",
                           r"called object type 'int' is not a function"),
    "struct to int": ("struct s { int x; };\n" + K + "    struct s t;\n    a[0] = «(int)t»;\n}",
                      r"operand of type '.*struct s' where arithmetic or pointer type is required"),
    "int from a struct": ("struct s { int x; };\n" + K + "    struct s t;\n    int «y = t»;\n}",
                          r"initializing '.*int' with an expression of incompatible type"),
    "incompatible alternatives": ("struct s { int x; };\n" + K +
                                  "    struct s t;\n    a[0] = «a[1] ? t : 1»;\n}",
                                  r"incompatible operand types|incompatible type"),
    # Members.
    "no such member": ("struct s { int x; };\n" + K + "    struct s t;\n    a[0] = «t.z»;\n}",
                       r"no member named 'z' in 'struct s'"),
    "dot of a pointer": ("struct s { int x; };\nkernel void f(global struct s *p)\n{\n"
                         "    «p.x» = 1;\n}", r"is a pointer; did you mean to use '->'|is a pointer"),
    "arrow of a struct": ("struct s { int x; };\n" + K + "    struct s t;\n    a[0] = «t->x»;\n}",
                          r"member reference type '.*struct s' is not a pointer"),
    # Calls.
    "too few arguments": ("int g(int x, int y) { return x + y; }\n" + K + "    a[0] = «g(1)»;\n}",
                          r"too few arguments to function call, expected 2, have 1"),
    "too many arguments": ("int g(int x) { return x; }\n" + K + "    a[0] = «g(1, 2)»;\n}",
                           r"too many arguments to function call, expected( single argument 'x'| 1), "
                           r"have 2"),
    "argument type": ("struct s { int x; };\nint g(int x) { return x; }\n" + K +
                      "    struct s t;\n    a[0] = g(«t»);\n}",
                      r"passing '.*struct s' to parameter of incompatible type 'int'"),
    "built-in without arguments": (K + "    v[0].x = «sin()»;\n}", r"no matching function|too few arg"),
    "built-in of a struct": ("struct s { int x; };\n" + K +
                             "    struct s t;\n    v[0].x = «sin(t)»;\n}",
                             r"no matching function for call to '(_cl_)?sin'"),
    # Vectors.
    "unknown component": (K + "    v[0].x = «v[1].q»;\n}", r"illegal vector component name 'q'"),
    "component out of range": (K + "    float2 p = v[0].xy;\n    v[0].x = «p.z»;\n}",
                               r"vector component access exceeds type '.*float2'"),
    "component assigned twice": (K + "    «v[0].xx = v[1].xy»;\n}",
                                 r"vector is not assignable \(contains duplicate components\)"),
    "too few elements": (K + "    v[0] = «(float4)(1.0f, 2.0f)»;\n}",
                         r"too few elements in vector initialization \(expected 4 elements, have 2\)"),
    "too many elements": (K + "    v[0].xy = «(float2)(1.0f, 2.0f, 3.0f)»;\n}",
                          r"excess elements in vector initializer|too many elements"),
    "sum of unlike vectors": (K + "    v[0] = «v[1] + v[2].xy»;\n}",
                              r"vector operands do not have the same|conversions? between vector|"
                              r"cannot convert between vector|invalid operands"),
    "int from a vector": (K + "    int «x = v[0]»;\n}",
                          r"initializing '.*int' with an expression of incompatible type"),
    "reinterpretation of another size": (K + "    a[0] = «as_int(v[0])»;\n}",
                                         r"invalid reinterpretation: sizes of"),
    # Qualifiers.
    "assignment to const": (K + "    const int x = 1;\n    «x = 2»;\n}",
                            r"cannot assign to variable 'x' with const-qualified type"),
    "assignment to constant memory": ("constant int c[2] = { 1, 2 };\n" + K + "    «c[0] = 2»;\n}",
                                      r"cannot assign to|read-only variable is not assignable"),
    "assignment through const": ("kernel void f(global const int *a)\n{\n    «a[0] = 1»;\n}",
                                 r"read-only variable is not assignable"),
    "local from global": (K + "    local int *«p = a»;\n}", r"changes address space of pointer"),
    "private from global": (K + "    int x;\n    private int *p = &x;\n    «p = a»;\n}",
                            r"changes address space of pointer"),
    "global for a private parameter": ("void g(private int *p) { *p = 1; }\n" + K + "    g(«a»);\n}",
                                       r"changes address space of pointer"),
    "program-scope variable": ("int «counter» = 0;\n" + K + "}",
                               r"program scope variable must reside in constant address space"),
    "local variable in a function": ("void g(void) { local int «x»; x = 1; }",
                                     r"non-kernel function variable cannot be declared in local"),
    "local variable with a value": (K + "    local int «x = 1»;\n}",
                                    r"'(__)?local' variable cannot have an initializer"),
    "constant without a value": ("constant int «c»;\n" + K + "}",
                                 r"variable in constant address space must be initialized"),
    # Kernels, and what OpenCL C leaves out of C.
    "kernel with a value": ("kernel «int f»(global int *a) { return 1; }",
                            r"kernel must have void return type"),
    "private pointer for a kernel": ("kernel void f(«int *a») { *a = 1; }",
                                     r"pointer to the (__)?private address space|address space"),
    "bool for a kernel": ("kernel void f(global int *a, «bool b») { a[0] = b; }",
                          r"bool' cannot be used as the type of a kernel parameter"),
    "work-group size": ("kernel «__attribute__((reqd_work_group_size(8, 8)))» void f(void) { }",
                        r"attribute requires exactly 3 arguments"),
    "bit-field": ("struct s { int «x : 3»; };", r"bit-fields are not supported in OpenCL"),
    "function pointer": ("int g(void) { return 1; }\n" + K + "    int «(*p)(void) = g»;\n}",
                         r"pointers to functions are not allowed"),
}

# What clang lets pass, or did until lately, though the language forbids it.
BEYOND_CLANG = {
    "missing return type": ("«helper»(int x) { return x; }\n" + K + "}",
                            r"type specifier|unknown type name 'helper'"),
    "huge integer": (K + "    a[0] = «123456789012345678901234567890»;\n}",
                     r"integer (literal|constant) is too large"),
    "recursion": ("«int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }»\n" + K +
                  "    a[0] = «fact(a[1])»;\n}", r"recursi"),
    "mutual recursion": ("int odd(int n);\n«int even(int n) { return n ? odd(n - 1) : 1; }\n"
                         "int odd(int n) { return n ? even(n - 1) : 0; }»\n" + K +
                         "    a[0] = even(a[1]);\n}", r"recursi"),
}

ERROR = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: "
                   r"(?P<message>.*)", re.M)
# PoCL's order, for trying these tests on it.
POCL_ERROR = re.compile(r"^error: (?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+)"
                        r"(?: <Spelling=.*?>)?: (?P<message>.*)", re.M)


def regions(marked):
    """Positions (line, column) of where marked regions start and end, as without the marks."""
    found, line, column, opened = [], 1, 1, None
    for character in marked:
        if character == "«":
            opened = (line, column)
        elif character == "»":
            found.append((opened, (line, column)))
        elif character == "\n":
            line, column = line + 1, 1
        else:
            column += 1
    return found


@pytest.fixture(scope="module")
def builder(cl_machine):
    return raw.Builder()


def check(builder, m, marked, message):
    source = marked.replace("«", "").replace("»", "")
    status, log = builder.build(source.encode(), b"-cl-std=CL1.2")
    assert status == raw.CL_BUILD_PROGRAM_FAILURE, f"status {status}, log:\n{log}"
    first = ERROR.search(log) or (None if m.is_hekla else POCL_ERROR.search(log))
    assert first, f"no error with file, line and column in the log:\n{log}"
    assert re.search(message, first["message"]), f"not '{message}':\n{log}"
    at = int(first["line"]), int(first["column"])
    assert any(start <= at <= end for start, end in regions(marked)), \
        f"at {at}, not in {regions(marked)}:\n{log}"


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(builder, m, name):
    check(builder, m, *MISTAKES[name])


@pytest.mark.parametrize("name", BEYOND_CLANG)
def test_mistake_that_clang_lets_pass(builder, m, name):
    if not m.is_hekla:
        pytest.skip("clang lets this pass")
    check(builder, m, *BEYOND_CLANG[name])


def test_every_error_is_reported_once(builder, m):
    """Three mistakes in three functions: three errors, in order."""
    source = K + "    a[0] = x1;\n}\nvoid g(void) { x2 = 1; }\nvoid h(void) { return 3; }\n"
    status, log = builder.build(source.encode())
    assert status == raw.CL_BUILD_PROGRAM_FAILURE
    found = [int(hit["line"]) for hit in (ERROR if m.is_hekla else POCL_ERROR).finditer(log)]
    assert found == [3, 5, 6], log


def test_error_in_an_include_names_the_header(builder, m, tmp_path):
    (tmp_path / "helper.h").write_text("int helper(int x)\n{\n    return y;\n}\n")
    status, log = builder.build(b'#include "helper.h"\n' + K.encode() + b"}", f"-I {tmp_path}".encode())
    assert status == raw.CL_BUILD_PROGRAM_FAILURE
    first = (ERROR if m.is_hekla else POCL_ERROR).search(log)
    assert first["file"].endswith("helper.h") and int(first["line"]) == 3, log


def test_a_good_build_follows_a_bad_one(builder):
    assert builder.build(b"kernel void f(global int *a) { a[0] = ; }")[0] != raw.CL_SUCCESS
    assert builder.build(b"kernel void f(global int *a) { a[0] = 1; }")[0] == raw.CL_SUCCESS
