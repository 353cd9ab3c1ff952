"""Make a wheel of this installation without a build tool, from a checkout or an installed wheel."""

import base64
import hashlib
import io
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from autograder.lessons.installed import to_carry
from autograder.lessons.kit.lesson import Lesson

NAME = "multihead-autograder"
_PACKAGE = Path(__file__).resolve().parents[1]
_LEFT_OUT = ("__pycache__", ".ipynb_checkpoints")
_TIME = (2020, 1, 1, 0, 0, 0)                # equal files make an equal wheel


def wheel(lesson: Lesson | None = None) -> tuple[str, bytes]:
    """The wheel's file name and content; a lesson that does not come with the autograder becomes part of it."""
    installed = distribution(NAME)
    stem = f"{NAME.replace('-', '_')}-{installed.version}"
    info = f"{stem}.dist-info"
    contents = {**_with_lesson(dict(_sources()), lesson),
                f"{info}/METADATA": (installed.read_text("METADATA") or "").encode(),
                f"{info}/entry_points.txt": (installed.read_text("entry_points.txt") or "").encode(),
                f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: autograder\nRoot-Is-Purelib: true\n"
                                 b"Tag: py3-none-any\n"}
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in contents.items())
    contents[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    return f"{stem}-py3-none-any.whl", zipped(contents)


def zipped(contents: dict[str, bytes], executable: tuple[str, ...] = (), comment: bytes = b"") -> bytes:
    """These files as a zip; equal files make equal zips."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(contents):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name in executable else 0o100644) << 16
            archive.writestr(entry, contents[name])
        archive.comment = comment
    return file.getvalue()


def _sources() -> Iterator[tuple[str, bytes]]:
    """The wheel's files: the package, and in a checkout the course's files where pyproject.toml puts them."""
    yield from _below(_PACKAGE, "autograder")
    project = _PACKAGE.parent / "pyproject.toml"
    if project.is_file() and not (_PACKAGE / "_course").is_dir():
        targets = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
        for source, place in targets["wheel"]["force-include"].items():
            path = project.parent / source
            yield from _below(path, place) if path.is_dir() else [(place, path.read_bytes())]


def _with_lesson(sources: dict[str, bytes], lesson: Lesson | None) -> dict[str, bytes]:
    """The same files with those of this lesson where the package has its own."""
    if lesson is None or lesson.home.ours:
        return sources
    place, code = f"autograder/lessons/{lesson.name}/", f"{lesson.home.place}/"
    others = {name: data for name, data in sources.items() if not name.startswith(place)}
    return others | {name.replace(code, place, 1) if name.startswith(code) else f"autograder/_course/{name}": data
                     for name, data in to_carry(lesson).items()}


def _below(folder: Path, place: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and path.suffix != ".pyc" and not set(_LEFT_OUT) & set(inside.parts):
            yield f"{place}/{inside.as_posix()}", path.read_bytes()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
