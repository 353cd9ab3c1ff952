"""The course as nbgrader sees it: read by every `nbgrader` command in this folder, and by `autograder release`."""
c = get_config()  # noqa: F821 (nbgrader defines it)

c.CourseDirectory.course_id = "multihead"
c.CourseDirectory.source_directory = "assignments"
c.CourseDirectory.release_directory = "release"

# What lies in an assignment's folder travels to every student, unless its name matches one of these.
c.CourseDirectory.ignore = [
    ".*", "__pycache__", "*.pyc", "*.pyo", "*.bak", "*.orig", "*~",
    "feedback", "gradebook.db", "*.html", "*.log",
]

# The notebooks say in their own language what belongs here, so this one line serves every edition.
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError()"}
