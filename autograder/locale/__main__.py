"""`python -m autograder.locale`: every catalogue brought up to date and compiled; exits 1 if words are missing."""
import sys

from autograder.locale.catalogues import catalogues, compiled, untranslated, updated


def main() -> int:
    missing = 0
    for path in catalogues():
        path.write_bytes(updated(path))
        path.with_suffix(".mo").write_bytes(compiled(path))
        for msgid in untranslated(path):
            print(f"{path}: {msgid!r} has no translation with the same gaps")
            missing += 1
    return 1 if missing else 0


sys.exit(main())
