"""Provide what lessons are written with: checks, comparisons, facts, mistakes, and the paths of the course's files."""
