"""Benchmarks: `make bench` runs them all in one go, against the alternative, on the same submissions."""
