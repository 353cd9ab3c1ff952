"""The mistakes that the catalogue began with, and how weak the worked examples are on them, measured beforehand.

A line: id, the worked examples W1 W2 W3 W4 W6 that the wrong solution passes (P) or fails (F), and the conditions
under which it agrees with the reference in everything compared ("-": none, "everything": no comparison of values shows
it). W1 looks at split_heads alone, W2 and W6 at y, W3 at dx and grads, W4 at dx[0, 0, 0].
H=1, T=1, B=1, H=2 sizes; H=C, T=H, T=d, H=d equal sizes; W=I, Wo=I, Wsym identity and symmetric matrices; tie, qk=
shared matrices; wq=0; x=0; tok= all tokens equal; eye, full masks; last, row0 only that row of y; y-only; big x * 60;
int, intf whole numbers, as integers and as floats.
"""

TABLE = """
split-direct-reshape          FPPPF H=1 T=1
split-no-swap                 FPPFF -
split-interleaved             FPPPF H=1 H=C
split-transpose-then-reshape  FPPFF T=1 H=C
split-key-layout              FFFFF -
split-heads-before-batch      FPPPF -
split-torch-transpose         FFFFF -
split-heads-reversed          FPPPF H=1
split-infer-time              PPPPP everything
split-drop-channels           PPPPP everything
split-accepts-bool            PPPPP everything
split-accepts-float           PPPPP everything
split-accepts-negative        PPPPP everything
split-zero-heads-ZeroDivision PPPPP everything
split-accepts-2d              PPPPP everything
split-accepts-4d              PPPPP everything
split-reshape-not-assigned    FFFFF -
merge-direct-reshape          PPPPF H=1 T=1
merge-misnamed-axes           PPPFF T=H
merge-interleaved             PPPPF H=1 H=C
merge-mean-over-heads         PPPPF H=1
merge-mean-tiled              PPPPF H=1
merge-fortran                 PPPPF H=1 H=C
merge-accepts-3d              PPPPP everything
both-direct-reshape           FPPPF H=1 T=1
both-reversed                 FPPPP H=1 x=0
scale-sqrt-C                  PPPPF H=1 T=1 eye x=0 tok= big
scale-none                    PPPFF T=1 H=C eye x=0 tok= big
scale-d                       PPPFF T=1 H=C eye x=0 tok= big
scale-multiply                PPPFF T=1 H=C eye x=0 tok= big
scale-sqrt-shape1             PPPFF T=1 H=d eye x=0 tok= big
scale-sqrt-T                  PPPPF T=1 T=d eye x=0 tok= big
split-before-project          PPPPP H=1 W=I x=0
split-before-project-shared   PPPPP H=1 W=I x=0
swap-k-v                      PFFFP W=I tie x=0
swap-q-k                      PPPPP T=1 W=I qk= tie eye x=0 tok=
k-uses-wq                     PPPPP T=1 W=I qk= tie eye x=0 tok=
v-uses-wk                     PFFFP W=I tie x=0
weights-transposed            PPPPP W=I Wsym x=0
wo-transposed                 PFPPP W=I Wo=I Wsym x=0
missing-wo                    PFPPP W=I Wo=I x=0
heads-summed                  PPPPF H=1 x=0
residual-added                PFPPF x=0
merge-by-reshape-in-forward   PPPPF H=1 T=1 x=0
softmax-over-queries          PPPFF T=1 eye
softmax-global                PPPFF -
mask-ignored                  PPPPP T=1 full last
mask-inverted                 PFFFF -
mask-transposed               PPPPF T=1 full eye
mask-with-zero                PPPPP T=1 full last
mask-key-padding-only         PPPPP T=1 full last
mask-wrong-new-axis           PPPFF T=1
joined-is-y                   PPFPP W=I Wo=I x=0 y-only last row0
cache-heads-missing           PPFFP y-only last row0
float32-downcast              PPPPP x=0 int intf
mutates-wq                    PPPFP T=1 H=C eye x=0 tok= wq=0 y-only last row0 big
pops-params                   PPFFP y-only last row0
mutates-allowed               PPPPP everything
hard-coded-2-heads            PPFFP H=2
first-example-only-fwd        PPPPP B=1
heads-averaged                PPPPF H=1 x=0
cache-x-alias                 PPPPP everything
x-overwritten-by-q            PPPPP W=I x=0
kT-reverses-all-axes          PFFFF -
dx-only-v                     PPPFP T=1 eye x=0 tok= wq=0 big
dx-only-k                     PPFFP -
dx-missing-q                  PPPFP T=1 eye x=0 tok= wq=0 big
dx-missing-k                  PPPFP T=1 eye x=0 tok= wq=0 big
dx-missing-v                  PPFFP -
dx-plus-residual              PPFFP -
dx-no-transpose               PPPPP W=I Wsym
dJ-no-transpose               PPFFP W=I Wo=I Wsym
dJ-skips-wo                   PPFFP W=I Wo=I
avg-over-batch                PPPPP B=1 x=0
avg-over-time                 PPPPP T=1 x=0
avg-over-batch-time           PPPPP x=0
divide-by-heads               PPPPP H=1 x=0
dWo-transposed                PPFPP x=0
dWqkv-transposed              PPFPP x=0
dW-batch-not-summed           PPFPP -
dW-last-token                 PPPPP T=1 x=0
dW-sum-then-outer             PPPPP x=0
dWq-from-dk                   PPPPP T=1 eye x=0 tok= big
dWk-dWv-swapped               PPFPP x=0
dWo-from-x                    PPFPP x=0
dWv-from-dy                   PPPFP T=1 eye
qk-detached                   PPPFP T=1 eye x=0 tok= big
split-dJ-by-reshape           PPPPP H=1 T=1
attn-bwd-no-scale             PPPFP T=1 H=C eye x=0 tok= big
attn-bwd-sqrt-C               PPPPP H=1 T=1 eye x=0 tok= big
attn-bwd-scale-twice          PPPFP T=1 H=C eye x=0 tok= big
softmax-bwd-diagonal          PPPFP T=1 eye x=0 big
softmax-bwd-wrong-axis        PPPFP T=1 eye x=0
attn-bwd-mask-forgotten       PPPPP T=1 full
mutates-cache                 PPPPP everything
sgd-inside-backward           PPPPP everything
int-dx-buffer                 PPPPP everything
int-dW-buffer                 PPPPP everything
dx-2d                         PPFFP -
dx-summed-over-batch          PPFFP -
return-order-swapped          PPFFP -
sign-flipped-dk               PPPFP T=1 eye x=0 tok= wq=0 big
"""
