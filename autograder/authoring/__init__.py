"""What makes lessons: release, pictures, solution regions, made-up classes, new parts."""
