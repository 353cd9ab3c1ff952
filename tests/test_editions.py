"""The editions keep in step: the same cells and code and numbers, other words."""
import ast
import io
import re
import tokenize

import pytest
from editions import EDITIONS, LESSON, RELEASES, read

DUTCH, ENGLISH = read(EDITIONS["nl"]).cells, read(EDITIONS["en"]).cells
PAIRS = [pytest.param(*pair, id=pair[0].id) for pair in zip(DUTCH, ENGLISH, strict=True)]
CODE = [pair for pair in PAIRS if pair.values[0].cell_type == "code"]
PROSE = [pair for pair in PAIRS if pair.values[0].cell_type == "markdown" and "<img" not in pair.values[0].source]
MODULES = [f"{module}.py" for module in LESSON.beside]
#: the same in both languages, because each of them speaks both
BILINGUAL = {"explore.py", "selfcheck.py"}
ONLY_DUTCH = re.compile(r"\b(een|het|niet|van|wordt|naar|gezien|verwacht|kenmerk|kenmerken|tijd|gewicht|rij)\b")


class Wordless(ast.NodeTransformer):
    """Code without its texts: what a text says is gone, and so is the boundary between pieces of an f-string."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant("") if isinstance(node.value, str) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        gaps = [ast.unparse(self.visit(value.value)) for value in node.values if isinstance(value, ast.FormattedValue)]
        return ast.Constant(" ".join(sorted(gaps)))


def wordless(source: str) -> str:
    """What the code does, without texts and comments."""
    source = source.replace("### BEGIN SOLUTION", "pass")
    return ast.unparse(Wordless().visit(ast.parse(source)))


def markers(source: str) -> list[str]:
    """The comments that mean something to nbgrader, and the shapes that stand in the others."""
    comments = [token.string for token in tokenize.generate_tokens(io.StringIO(source).readline)
                if token.type == tokenize.COMMENT]
    return [part for comment in comments for part in
            ([comment] if comment.startswith("###") else re.findall(r"\([BTCHdq, ]+\)|\d+", comment))]


def figures(prose: str) -> list[str]:
    """The numbers, formulas and names in a text, in order of the alphabet."""
    return sorted(re.findall(r"`[^`]+`|\d+(?:\.\d+)?|d?[QKVWJXYO]{1,2}ᵀ?(?=\W)|\([BTHCd, ]+\)", prose))


def test_the_cells_have_the_same_kinds_ids_and_marks():
    assert [(cell.cell_type, cell.id, cell.metadata) for cell in ENGLISH] == [
        (cell.cell_type, cell.id, cell.metadata) for cell in DUTCH]


def test_the_notebooks_have_the_same_metadata():
    assert read(EDITIONS["nl"]).metadata == read(EDITIONS["en"]).metadata


@pytest.mark.parametrize(("dutch", "english"), CODE)
def test_the_code_is_the_same_but_for_its_words(dutch, english):
    assert wordless(english.source) == wordless(dutch.source)
    assert markers(english.source) == markers(dutch.source)


@pytest.mark.parametrize(("dutch", "english"), PROSE)
def test_the_prose_has_the_same_numbers_shapes_and_names(dutch, english):
    translated = english.source.replace("my_multihead", "mijn_multihead")
    assert figures(translated) == figures(dutch.source)
    shape = [len(re.findall(sign, dutch.source, re.M)) for sign in (r"^#", r"^- ", r"^\d\. ", r"^\|", r"\*\*", r"^$")]
    assert [len(re.findall(sign, translated, re.M))
            for sign in (r"^#", r"^- ", r"^\d\. ", r"^\|", r"\*\*", r"^$")] == shape


@pytest.mark.parametrize(("dutch", "english"), PAIRS)
def test_no_words_were_left_untranslated(dutch, english):
    assert not ONLY_DUTCH.findall(re.sub(r"### BEGIN SOLUTION.*### END SOLUTION", "", english.source, flags=re.S))
    if dutch.cell_type == "markdown":
        assert english.source != dutch.source


@pytest.mark.parametrize("name", MODULES)
def test_the_modules_beside_the_notebooks_do_the_same(name):
    dutch, english = ((EDITIONS[language].parent / name).read_text(encoding="utf-8") for language in ("nl", "en"))
    if name in BILINGUAL:
        assert english == dutch
    else:
        assert wordless(english) == wordless(dutch)
        assert markers(english) == markers(dutch)
        assert not ONLY_DUTCH.findall(english)


@pytest.mark.parametrize("language", EDITIONS)
def test_a_release_has_the_modules_that_students_need(language):
    assert sorted(path.name for path in RELEASES[language].parent.iterdir() if path.is_file()) == sorted(
        [*MODULES, "multihead.ipynb"])
