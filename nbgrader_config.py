"""The course as nbgrader sees it: read by every `nbgrader` command in this folder, and by `autograder release`."""
c = get_config()  # noqa: F821 (nbgrader defines it)

# Who grades when `nbgrader autograde` runs, or the formgrader's button is pressed: our engine, behind its wall. With
# False, nbgrader's own kernel does; it comes to the same points for honest work, and protects itself against nothing.
ENGINE = True

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

if ENGINE:
    c.Autograde.exporter_class = "autograder.nbgrader.preprocessors.SubmissionExporter"
    c.Autograde.sanitize_preprocessors = ["autograder.nbgrader.preprocessors.Sanitize"]
    c.Autograde.autograde_preprocessors = [
        "autograder.nbgrader.preprocessors.GradeWithEngine",
        "nbgrader.preprocessors.IgnorePattern",
        "nbconvert.preprocessors.ClearMetadataPreprocessor",
        "nbgrader.preprocessors.LimitOutput",
        "autograder.nbgrader.preprocessors.SaveGrades",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
else:
    c.Execute.timeout = 120             # seconds for a cell: the first that asks for points waits for a whole grading

# What late work loses: [late] in autograder.toml.
c.AssignLatePenalties.plugin_class = "autograder.nbgrader.late.CoursePenalty"

# `nbgrader zip_collect multihead` reads the zips of Moodle, Canvas and Brightspace in downloaded/multihead/archive/.
c.ZipCollectApp.extractor_plugin = "autograder.nbgrader.collect.LmsExtractor"
c.ZipCollectApp.collector_plugin = "autograder.nbgrader.collect.LmsCollector"
