"""Translate texts into the student's language, and hold the catalogues that they come from."""
