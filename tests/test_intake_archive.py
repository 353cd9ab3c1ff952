"""Archives are read in memory; what could do harm is refused and the rest is graded."""
from __future__ import annotations

import io
import stat
import zipfile
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from notebooks import DOUBLE, HALVE, data, handed_in, notebook, tiny_lesson

from autograder.intake import archive, read
from autograder.intake.files import File, Listing
from autograder.intake.layout import arranged

HONEST = data(notebook(*handed_in()))


@pytest.fixture(scope="module")
def lesson(tmp_path_factory):
    return tiny_lesson(tmp_path_factory.mktemp("course"))


def packed(*members, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as file:
        for member in members:
            name, content = member if isinstance(member, tuple) else (member, HONEST)
            file.writestr(name, content)
    return buffer.getvalue()


def linked(name, target):
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return info, target


def read_archive(lesson, folder, content, name="class.zip"):
    (folder / name).write_bytes(content)
    return list(read([folder / name], lesson))


def found(submissions):
    return [(submission.name, submission.student) for submission in submissions if submission.unreadable is None]


def reasons(submissions):
    return [_said(submission.unreadable) for submission in submissions if submission.unreadable is not None]


def _said(text):
    return text.template.format(**{name: getattr(value, "values", value) for name, value in text.values.items()})


def test_an_archive_gives_its_notebooks_by_their_path_in_it(lesson, tmp_path):
    content = packed("b/student-02.ipynb", "student-01.ipynb", "c.py", "attention.py", ("notes.txt", b"x"),
                     "__MACOSX/._a.ipynb", ".hidden/x.ipynb", ("timestamp.txt", b"2026-03-06 19:59:00 UTC"))
    submissions = read_archive(lesson, tmp_path, content)
    assert found(submissions) \
        == [("b/student-02.ipynb", "student-02"), ("c.py", "c"), ("student-01.ipynb", "student-01")]
    assert [cell.source for cell in submissions[0].cells] == [DOUBLE, HALVE]
    assert reasons(submissions) == []


def test_a_folder_that_is_called_like_nbgraders_time_stamp_is_a_students(lesson, tmp_path):
    assert found(read_archive(lesson, tmp_path, packed("timestamp.txt/a.ipynb"))) == [("timestamp.txt/a.ipynb", "a")]
    (tmp_path / "class" / "timestamp.txt").mkdir(parents=True)
    (tmp_path / "class" / "timestamp.txt" / "a.ipynb").write_bytes(HONEST)
    assert [student for _, student in found(read([tmp_path / "class"], lesson))] == ["a"]


def test_nbgraders_layout_is_known_in_an_archive(lesson, tmp_path):
    content = packed("student-01/tiny/tiny.ipynb", "student-02/tiny-en/tiny (1).ipynb", "student-02/other/o.ipynb")
    submissions = read_archive(lesson, tmp_path, content)
    assert found(submissions) == [("student-01/tiny/tiny.ipynb", "student-01"),
                                  ("student-02/tiny-en/tiny (1).ipynb", "student-02")]
    assert len(submissions[1].notices) == 1
    one = read_archive(lesson, tmp_path, packed("tiny/tiny.ipynb", "tiny/attention.py"), "student-03.zip")
    assert found(one) == [("tiny/tiny.ipynb", "student-03")]


def test_backslashes_separate_folders(lesson, tmp_path):
    assert found(read_archive(lesson, tmp_path, packed("student-01\\tiny\\tiny.ipynb"))) \
        == [("student-01/tiny/tiny.ipynb", "student-01")]


@pytest.mark.parametrize("name", ["../evil.ipynb", "/etc/evil.ipynb", "a/../../evil.py", "..\\evil.ipynb",
                                  "C:\\evil.ipynb", "../evil.txt"])
def test_names_that_lead_outside_are_refused_and_the_rest_is_graded(lesson, tmp_path, name):
    submissions = read_archive(lesson, tmp_path, packed(name, "student-01.ipynb"))
    assert found(submissions) == [("student-01.ipynb", "student-01")]
    assert len(reasons(submissions)) == 1
    assert "lead outside" in reasons(submissions)[0]
    assert name in reasons(submissions)[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class.zip"]


def test_links_are_refused_and_the_rest_is_graded(lesson, tmp_path):
    submissions = read_archive(lesson, tmp_path, packed(linked("evil.ipynb", "/etc/passwd"), "student-01.ipynb"))
    assert found(submissions) == [("student-01.ipynb", "student-01")]
    assert "links" in reasons(submissions)[0]


def test_members_behind_a_password_are_refused_and_the_rest_is_graded(lesson, tmp_path):
    content = bytearray(packed("locked.ipynb", "student-01.ipynb"))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    submissions = read_archive(lesson, tmp_path, bytes(content))
    assert found(submissions) == [("student-01.ipynb", "student-01")]
    assert "password" in reasons(submissions)[0]


def test_several_faults_give_one_reason(lesson, tmp_path):
    submissions = read_archive(lesson, tmp_path, packed("../a.ipynb", linked("b.ipynb", "c"), "student-01.ipynb"))
    assert len(submissions) == 2
    why = submissions[0].unreadable
    assert "outside" in why.values["first"].template
    assert "links" in why.values["second"].template


def test_a_member_that_unpacks_enormously_is_refused_and_the_rest_is_graded(lesson, tmp_path):
    content = packed(("bomb.ipynb", b" " * (archive.RATIO_FROM + 1)), "student-01.ipynb")
    submissions = read_archive(lesson, tmp_path, content)
    assert found(submissions) == [("student-01.ipynb", "student-01")]
    assert "unpack to far more" in reasons(submissions)[0]


def test_an_archive_that_unpacks_enormously_is_refused(lesson, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "TOTAL_CAP", 2 * len(HONEST))
    content = packed("a.ipynb", "b.ipynb", ("big.txt", b"x" * len(HONEST)))
    assert len(found(read_archive(lesson, tmp_path, content))) == 2
    submissions = read_archive(lesson, tmp_path, packed("a.ipynb", "b.ipynb", "c.ipynb"))
    assert found(submissions) == []
    assert "unpacks to" in reasons(submissions)[0]


def test_only_what_may_be_notebooks_counts_towards_the_bound_of_files_without_a_suffix(lesson, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "BARE_CAP", len(HONEST))
    content = packed("student-01/tiny.txt", ("student-01/drawing.png", b"x" * len(HONEST)))
    assert found(read_archive(lesson, tmp_path, content)) == [("student-01/tiny.txt", "tiny")]
    assert found(read_archive(lesson, tmp_path, packed("student-01/tiny.txt", "student-02/tiny.txt"))) == []


def test_an_archive_with_endless_members_is_refused(lesson, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MEMBER_CAP", 2)
    assert "3 members" in reasons(read_archive(lesson, tmp_path, packed("a.ipynb", "b.ipynb", "c.ipynb")))[0]


@pytest.mark.parametrize("folder", ["", "student-01/tiny/"])
def test_each_of_many_members_is_looked_at_and_not_compared_with_all_others(lesson, monkeypatch, folder):
    compared = []
    monkeypatch.setattr(File, "__eq__", lambda one, two: compared.append(one) or one is two)
    monkeypatch.setattr(File, "__hash__", lambda one: id(one))
    files = [File(PurePosixPath(f"{folder}{number}{suffix}"), str(number), 0.0, bytes)
             for number in range(300) for suffix in (".ipynb", ".py", ".pdf", ".txt")]
    works = arranged(Listing(files), ("class",), lesson).works
    assert len(works) > 300 or len(works) == 1
    assert len(compared) <= len(files)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", packed("a.ipynb")[:-30], b"no archive"])
def test_a_broken_archive_is_refused(lesson, tmp_path, content):
    (submission,) = read_archive(lesson, tmp_path, content)
    assert "damaged or incomplete" in reasons([submission])[0]
    assert (submission.name, submission.student) == (str(tmp_path / "class.zip"), "class")


def test_a_damaged_member_is_refused_and_the_rest_is_graded(lesson, tmp_path):
    content = packed("a.ipynb", "student-01.ipynb", compression=zipfile.ZIP_STORED)
    submissions = read_archive(lesson, tmp_path, content.replace(b"def double", b"DEF double", 1))
    assert found(submissions) == [("student-01.ipynb", "student-01")]
    assert submissions[0].name == "a.ipynb"
    assert "damaged" in reasons(submissions)[0]


def test_an_archive_without_notebooks_says_what_it_holds(lesson, tmp_path):
    assert "only notes.txt" in reasons(read_archive(lesson, tmp_path, packed(("notes.txt", b"x"))))[0]
    assert len(reasons(read_archive(lesson, tmp_path, packed()))) == 1


def test_an_archive_in_an_archive_is_unreadable_and_the_rest_is_graded(lesson, tmp_path):
    submissions = read_archive(lesson, tmp_path, packed(("a/class.zip", packed("b.ipynb")), "student-01.ipynb"))
    assert found(submissions) == [("student-01.ipynb", "student-01")]
    assert len(reasons(submissions)) == 1
    assert "Unpack it" in reasons(submissions)[0]


@pytest.mark.parametrize("names", [("a.ipynb", "a.ipynb/"), ("a.ipynb/", "a.ipynb")])
def test_a_folder_of_the_same_name_hides_no_file(lesson, tmp_path, names):
    with zipfile.ZipFile(tmp_path / "work.zip", "w") as made:
        for name in names:
            made.writestr(name, b"" if name.endswith("/") else HONEST)
    with archive.archive_listing(str(tmp_path / "work.zip")) as listing:
        assert [(str(file.path), file.load()) for file in listing.files] == [("a.ipynb", HONEST)]


def test_an_archive_given_twice_is_read_once(lesson, tmp_path):
    (tmp_path / "a.zip").write_bytes(packed("a.ipynb", "b.ipynb"))
    assert len(list(read([tmp_path / "a.zip", tmp_path / "a.zip"], lesson))) == 2


WHOLE = packed("student-01/tiny/tiny.ipynb", "b.py", linked("c.ipynb", "d"))


@pytest.mark.parametrize("examples", [pytest.param(50, marks=pytest.mark.slow),
                                      pytest.param(200, marks=pytest.mark.integration)])
def test_no_damage_to_an_archive_raises(lesson, tmp_path, examples):
    @given(st.integers(0, len(WHOLE)), st.binary(min_size=1, max_size=8))
    @settings(max_examples=examples, deadline=None)
    def any_damage_is_answered(place, damage):
        content = WHOLE[:place] + damage + WHOLE[place + len(damage):]
        assert read_archive(lesson, tmp_path, content) != []
    any_damage_is_answered()
