"""What lessons are written with: checks, comparisons, facts, mistakes and where the course's files are."""
