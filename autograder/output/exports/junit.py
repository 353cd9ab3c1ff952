"""Write JUnit XML for Jenkins, GitLab and others: a suite per submission, a case per check."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from autograder.locale.language import language_for, translate
from autograder.output.exports.order import Order
from autograder.output.exports.words import summary, title
from autograder.output.final import on_scale
from autograder.output.marks import number
from autograder.output.plain import plain
from autograder.records import ExerciseGrade, Grade, Verdict

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def report(grades: Sequence[Grade], order: Order) -> bytes:
    """The file of a class."""
    root = Element("testsuites", name="autograder")
    for grade in grades:
        _suite(root, grade, language_for(grade, order.language))
    _count(root, root)
    del root.attrib["skipped"]                  # Jenkins' schema allows it on suites only
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _suite(root: Element, grade: Grade, language: str) -> None:
    suite = SubElement(root, "testsuite", name=_xml(grade.student or grade.submission))
    properties = SubElement(suite, "properties")
    for name, value in (("submission", grade.submission), ("lesson", grade.lesson), ("status", grade.status),
                        ("points", number(grade.points)), ("max_points", number(grade.max_points)),
                        ("isolation", grade.isolation), ("checks", grade.checks), *_mark(grade)):
        SubElement(properties, "property", name=name, value=_xml("" if value is None else str(value)))
    if grade.status == "unreadable":
        case = SubElement(suite, "testcase", classname=_class(grade, grade.lesson or "submission"), name="submission",
                          time="0")
        SubElement(case, "error", message=_xml("\n".join(summary(grade, language))), type="unreadable")
    for exercise in grade.exercises if grade.status != "unreadable" else ():
        for verdict in exercise.verdicts:
            _case(suite, grade, exercise, verdict, language)
    said = summary(grade, language)
    if said:
        SubElement(suite, "system-out").text = _xml("\n".join(said))
    _count(suite, suite)
    suite.set("time", f"{grade.seconds:.3f}")


def _class(grade: Grade, words: str) -> str:
    """The name by which readers tell cases of different submissions apart: GitLab knows only class and name."""
    return _xml(f"{(grade.student or grade.submission).replace('.', '_')}.{words}")


def _mark(grade: Grade) -> list[tuple[str, str]]:
    """The mark on the course's scale, if it has one."""
    value = None if grade.mark is None else grade.mark.value
    return [] if value is None else [("mark", on_scale(value))]


def _case(suite: Element, grade: Grade, exercise: ExerciseGrade, verdict: Verdict, language: str) -> None:
    case = SubElement(suite, "testcase", classname=_class(grade, f"{grade.lesson or 'lesson'}.{exercise.name}"),
                      name=_xml(f"{verdict.check}: {title(verdict, language)}"), time="0")
    if verdict.verdict == "passed":
        return
    kind = {"skipped": "skipped", "broken": "error"}.get(verdict.verdict, "failure")
    message = _xml(plain(translate(verdict.message, language)))
    found = SubElement(case, kind, message=message)
    if kind != "skipped":
        found.set("type", verdict.verdict)


def _count(element: Element, cases: Element) -> None:
    """The counts of each outcome; readers add them up themselves and show these meanwhile."""
    for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(name, str(len(cases.findall(f".//testcase/{kind}"))))
    element.set("tests", str(len(cases.findall(".//testcase"))))


def _xml(words: str) -> str:
    """The words without the characters that XML cannot hold."""
    return _NOT_IN_XML.sub("\ufffd", words)
