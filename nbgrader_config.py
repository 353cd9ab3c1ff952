"""The course as nbgrader sees it: read by every `nbgrader` command in this folder, and by `autograder release`."""
c = get_config()  # noqa: F821 (nbgrader defines it)

# Who grades when `nbgrader autograde` runs, or the formgrader's button is pressed: our engine, behind its wall. With
# False, nbgrader's own kernel does; it comes to the same points for honest work, and protects itself against nothing.
ENGINE = True

c.CourseDirectory.course_id = "multihead"
c.CourseDirectory.source_directory = "assignments"
c.CourseDirectory.release_directory = "release"

# nbgrader's own steps, but for two. A course that gave out version 0.1 keeps its examples as that had them. The
# notebooks of our lessons say in their own language what belongs in a cell, so their stub is bare; other assignments
# keep nbgrader's stub, in whatever language they are.
c.GenerateAssignment.preprocessors = [
    "autograder.nbgrader.registered.AsRegistered",
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.InstantiateTests",
    "nbgrader.preprocessors.LockCells",
    "autograder.nbgrader.stubs.ClearLessonSolutions",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]

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
    c.Autograde.sanitize_preprocessors = [
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.DeduplicateIds",
        "nbgrader.preprocessors.OverwriteKernelspec",
        "autograder.nbgrader.registered.AsRegistered",      # takes notebooks of version 0.1 too
        "nbgrader.preprocessors.OverwriteCells",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    c.Execute.timeout = 120             # seconds for a cell: the first that asks for points waits for a whole grading

# What students get from `nbgrader generate_feedback`: the autograder's page above nbgrader's, and no hidden tests.
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "autograder.nbgrader.feedback.CarryOwnPage",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]

# What late work loses: [late] in autograder.toml.
c.AssignLatePenalties.plugin_class = "autograder.nbgrader.late.CoursePenalty"

# `nbgrader zip_collect multihead` reads the zips of Moodle, Canvas and Brightspace in downloaded/multihead/archive/.
c.ZipCollectApp.extractor_plugin = "autograder.nbgrader.collect.LmsExtractor"
c.ZipCollectApp.collector_plugin = "autograder.nbgrader.collect.LmsCollector"
