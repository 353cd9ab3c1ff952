"""The comment on a solution: hints or the checks that failed, in the student's language, nothing of the student's."""
from autograder.locale.language import translate
from autograder.nbgrader.comments import SHOWN, as_markdown, comment_on
from autograder.records import Diagnosis, ExerciseGrade, Text, Verdict, text

HINT = text("Which of the last two axes should be time?")


def exercise(*verdicts: Verdict, points: float | None = 1.0, **more) -> ExerciseGrade:
    return ExerciseGrade("split_heads", points, 3.0, verdicts, **more)


def verdict(word: str = "wrong", title: str = "a check", world: str | None = None) -> Verdict:
    return Verdict("check", Text(title), word, 1.0 if word == "passed" else 0.0, 1.0, world,
                   text("{error}", error="<b>the student's</b>") if word != "passed" else None)


def test_a_diagnosis_gives_its_hints_in_the_students_language():
    found = exercise(verdict(), diagnosis=Diagnosis(("m",), (HINT,)))
    assert comment_on(found, "en") == translate(HINT, "en")
    assert comment_on(found, "nl") == translate(HINT, "nl") != translate(HINT, "en")


def test_without_a_diagnosis_the_checks_that_failed_are_named():
    assert comment_on(exercise(verdict(), verdict("raised", "another")), "en") == (
        "Not true yet: a check\n\nNot true yet (raised an error): another")


def test_of_many_failures_the_first_are_named_and_the_others_counted():
    lines = comment_on(exercise(*[verdict()] * (SHOWN + 3)), "en").split("\n\n")
    assert len(lines) == SHOWN + 1
    assert "3 more" in lines[-1]


def test_what_only_failed_because_of_an_earlier_function_is_said():
    assert "an earlier function of yours" in comment_on(exercise(verdict("passed", world="stand-in")), "en")


def test_full_marks_skipped_and_unknown_points_need_no_comment():
    assert comment_on(exercise(verdict("passed", world="own")), "en") is None
    assert comment_on(exercise(verdict(), skipped=True), "en") is None
    assert comment_on(exercise(verdict("broken"), points=None), "en") is None


def test_nothing_that_a_student_wrote_is_quoted():
    assert "student's" not in comment_on(exercise(verdict(), verdict("raised")), "en")


def test_markup_in_a_sentence_shows_as_letters():
    assert as_markdown("a < b\n`c`") == "a \\< b \\`c\\`"
