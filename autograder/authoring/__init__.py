"""Make lessons: release, pictures, solution regions, synthetic classes, new parts."""
