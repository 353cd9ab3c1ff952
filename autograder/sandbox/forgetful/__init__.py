"""Whether a student's own test can remember anything, read off its source before any of it runs.

An own test meets fifteen implementations and must meet each of them without a memory of the others. A fresh process for
each gives that whatever the test does, and takes more than twice the processor time of everything else together
(`python -m benchmarks.own_tests`). Most tests compute, compare and assert; they could not remember if they wanted to,
and one process serves them all. This room tells those from all others.

It errs on one side only. What may be used is listed (`harmless`), what a function can reach is followed through the
cells (`analysis`), and what could show the memory itself is refused (`traces`). Whatever is not listed costs time and
never points; and one rejection is tried again in a fresh process, so that a gap in the lists shows.
"""
