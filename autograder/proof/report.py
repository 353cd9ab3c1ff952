"""Print the proof in words, for a terminal."""

from collections.abc import Iterator
from string import ascii_letters

from autograder.proof.claim import Claim, Matrix, Proof


def render(proof: Proof, table: bool = False) -> str:
    """The claims, what each check is good for, and the exceptions; `table` adds every mistake with its checks."""
    if proof.unfinished:
        left = [exception for claim in proof.claims for exception in claim.exceptions]
        return "\n".join([f"{proof.lesson} is unfinished, so nothing was tried; write this first:",
                          *(f"  - {part}" for part in left)])
    lines = [f"{proof.lesson}: {'a quick part of the proof' if proof.quick else 'the proof'} "
             f"{'holds' if proof.holds else 'is BROKEN'} (isolation: {proof.isolation})", ""]
    lines += [line for claim in proof.claims for line in _claim(claim)]
    lines += ["", "what each check catches"]
    lines += [line for matrix in proof.matrices for line in _checks(matrix)]
    if table:
        lines += ["", "which checks catch each mistake"]
        lines += [line for matrix in proof.matrices for line in _mistakes(matrix)]
    lines += ["", *(f"{name}: {value}" for name, value in proof.numbers.items())]
    return "\n".join(lines)


def _claim(claim: Claim) -> Iterator[str]:
    least = f", {claim.least:g} % needed" if claim.least < 100 else ""
    yield (f"{'ok    ' if claim.holds else 'BROKEN'} {claim.percent:6.2f} %  {claim.right:g} of {claim.of:g}  "
           f"{claim.says}{least}")
    yield from (f"         - {exception}" for exception in claim.exceptions)


def _checks(matrix: Matrix) -> Iterator[str]:
    yield f"  {matrix.exercise} ({len(matrix.caught_by)} mistakes)"
    for check in matrix.checks:
        alone = matrix.alone(check)
        word = ("nothing that another check does not catch" if not alone else f"{alone} that no other check catches")
        if not alone and check in matrix.explaining:
            word = "kept for what it explains"
        yield f"    {check:<24} {matrix.catches(check):>3}  {word}"


def _mistakes(matrix: Matrix) -> Iterator[str]:
    yield f"  {matrix.exercise}: " + ", ".join(f"{letter} {check}" for letter, check in
                                               zip(ascii_letters, matrix.checks, strict=False))
    for mistake, failed in matrix.caught_by.items():
        marks = "".join(letter if check in failed else "." for letter, check in
                        zip(ascii_letters, matrix.checks, strict=False))
        yield f"    {mistake:<32} {marks}"
