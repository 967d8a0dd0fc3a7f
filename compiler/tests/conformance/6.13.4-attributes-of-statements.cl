//! 6.13.4 Specifying Attributes of Blocks and Control-Flow-Statements

//# accept: attributes may stand before a block
//# warn: 2: unknown attribute 'attr1' ignored
//# expect: 1
kernel void test(global uint *out) {
    __attribute__((attr1)) { out[0] = 1; }
}

//# accept: attributes may stand before a loop and before its body
//# warn: 2: unknown attribute 'attr1' ignored
//# warn: 2: unknown attribute 'attr3' ignored
//# expect: 3
kernel void test(global uint *out) {
    __attribute__((attr1)) for (int i = 0; i < 3; i++) __attribute__((attr3)) { out[0]++; }
}

//# accept: attributes may stand between a control-flow word and its parenthesis
//# warn: 2: unknown attribute 'attr2' ignored
//# warn: 3: unknown attribute 'attr2' ignored
//# warn: 4: unknown attribute 'attr2' ignored
//# expect: 6
kernel void test(global uint *out) {
    for __attribute__((attr2)) (int i = 0; i < 3; i++) { out[0]++; }
    while __attribute__((attr2)) (out[0] < 5) { out[0]++; }
    if __attribute__((attr2)) (out[0] == 5) { out[0]++; }
}

//# accept: attributes may stand before any statement
//# warn: 2: unknown attribute 'attr' ignored
//# warn: 4: unknown attribute 'attr' ignored
//# expect: 1
kernel void test(global uint *out) {
    __attribute__((attr)) if (out[0] == 0)
        out[0] = 1;
    __attribute__((attr)) return;
}

//# reject: an attribute does not stand for a statement
//# error: 3: expected expression
kernel void test(global uint *out) {
    if (out[0]) __attribute__((attr1))
}
