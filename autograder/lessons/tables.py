"""Read the tables that lie with a lesson: nl.toml with its sentences in another language, proof.toml for its proof.

A key that nothing would ever look up is a fault: with a slip of the pen in it, the table would be accepted and unused.
"""

import ast
import tomllib
from difflib import get_close_matches
from typing import Any

from autograder.faults import nearest
from autograder.lessons.kit.lesson import Lesson
from autograder.locale.language import GAP, LANGUAGES, learn, translate
from autograder.records import Text

SENTENCES = tuple(f"{language}.toml" for language in LANGUAGES)
PROOF = "proof.toml"
_KEYS = {"": ("kept", "same"), "same": ("why", "mutants")}          # of proof.toml


def fault_in_tables(lesson: Lesson) -> str:
    """The first table that is not TOML, has another name than is read, or says something of nothing; else ""."""
    found = sorted(path.name for path in lesson.home.folder.glob("*") if path.suffix in (".toml", ".yaml", ".yml"))
    for name in [*found, *lesson.home.parts(".toml")]:
        if "/" in name:
            continue
        if name not in (*SENTENCES, PROOF):
            return f"{lesson.home.place}/{name} is not used{nearest(name, (*SENTENCES, PROOF))}"
        try:
            said = tomllib.loads(lesson.home.parts(".toml")[name].decode("utf-8-sig"))
        except ValueError as error:
            return f"{lesson.home.place}/{name} is not TOML in UTF-8: {error}"
        if fault := _in_proof(said, lesson) if name == PROOF else _in_sentences(said, lesson):
            return f"{lesson.home.place}/{name}: {fault}"
    return ""


def learn_words(lesson: Lesson) -> None:
    """Know the translations that lie with a lesson, which are in order."""
    for name, content in lesson.home.parts(".toml").items():
        if name in SENTENCES:
            learn(name.removesuffix(".toml"), tomllib.loads(content.decode("utf-8-sig")))


def _in_sentences(said: dict[str, Any], lesson: Lesson) -> str:
    if not all(isinstance(each, str) for each in said.values()):
        return 'expected lines such as "a sentence" = "the same in another language"'
    known = _said_by(lesson)
    for sentence, other in said.items():
        if sentence not in known and not _is_ours(sentence):
            close = nearest(sentence, known) if get_close_matches(sentence, known) else ""
            return f"no text of the lesson is {sentence!r}{close or '; write it as it is in the code'}"
        if gaps := {*GAP.findall(other)} - {*GAP.findall(sentence)}:
            return f"{other!r} has a gap {{{min(gaps)}}}, which {sentence!r} has not"
    return ""


def _said_by(lesson: Lesson) -> set[str]:
    """Every text that is written in the lesson's code, or said by what it made."""
    found = {check.title.template for exercise in lesson.exercises for check in exercise.checks}
    for content in lesson.home.parts().values():
        found |= {words for node in ast.walk(ast.parse(content)) if (words := _constant(node))}
    return found


def _constant(node: ast.AST) -> str:
    """The text that this is, also if it was put together with +."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        first, second = _constant(node.left), _constant(node.right)
        return first + second if first and second else ""
    return ""


def _is_ours(sentence: str) -> bool:
    """Whether the autograder itself says this, and so translates it."""
    return translate(Text(sentence), LANGUAGES[0]) != sentence


def _in_proof(said: dict[str, Any], lesson: Lesson) -> str:
    groups = said.get("same", [])
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        return 'expected [[same]] with why = "..." and mutants = ["..."]'
    for where, table in (("", said), *(("same", group) for group in groups)):
        for key in table:
            if key not in _KEYS[where]:
                return f"there is no key {'.'.join(filter(None, (where, key)))!r}{nearest(key, _KEYS[where])}"
    if any(not isinstance(group.get("why"), str) or not _texts(group.get("mutants")) for group in groups):
        return 'expected [[same]] with why = "..." and mutants = ["..."]'
    checks = [check.name for exercise in lesson.exercises for check in exercise.checks]
    for name in kept if _texts(kept := said.get("kept", [])) else ():
        if name not in checks:
            return f"kept names the check {name!r}{nearest(name, checks)}"
    return "" if _texts(said.get("kept", [])) else 'kept: expected names of checks, as in ["general"]'


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
