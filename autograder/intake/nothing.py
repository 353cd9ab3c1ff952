"""Say why there is no submission in a file or folder, and what to do about it."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from autograder.intake.names import listed
from autograder.records import Text, text

CHECKPOINTS = ".ipynb_checkpoints"
ELSEWHERE = (".icloud", ".url", ".webloc", ".lnk", ".desktop", ".gdoc")     # these only point to a file
PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".heic", ".heif", ".bmp", ".tif", ".tiff")
UNFINISHED = (".crdownload", ".part", ".partial", ".download", ".opdownload")       # a download that goes on, or ended
PACKED = (".tar", ".gz", ".tgz", ".bz2", ".xz", ".rar", ".7z")
QUARTO = (".qmd", ".rmd")


def in_place_of_work(name: str) -> bool:
    """Whether a file of this name is what comes in the place of a notebook: a link to it, a part of it, a picture."""
    return name.lower().endswith((*ELSEWHERE, *UNFINISHED, *PICTURES))


def a_quarto_document(name: str) -> Text:
    return text("This is a Quarto or R Markdown document, which is not graded. Make a notebook of it (quarto "
                "convert {name}), run it once and hand that in.", name=listed([PurePosixPath(name).name]))


def nothing_here(others: Iterable[object]) -> Text:
    """Why nothing was found among these files."""
    others = [str(other) for other in others]
    names = listed(others)
    if not names:
        return text("There is no notebook here: it is empty. Expected a notebook (.ipynb) or a Python file.")
    if all(PurePosixPath(name).name == CHECKPOINTS for name in others):
        return text("There is no notebook here, only {names}: the copies that Jupyter makes while you work. Hand in "
                    "the notebook itself (.ipynb).", names=names)
    if len(others) == 1 and others[0].lower().endswith(QUARTO):
        return a_quarto_document(others[0])
    if any(name.lower().endswith(PACKED) for name in others):
        return text("There is no notebook here, only {names}: a zip is the only archive that is opened. Hand in the "
                    "notebook itself (.ipynb), or a zip.", names=names)
    if any(name.lower().endswith(UNFINISHED) for name in others):
        return text("There is no notebook here, only {names}: a download that did not finish. Download the notebook "
                    "again (.ipynb) and hand that in.", names=names)
    if any(name.lower().endswith(ELSEWHERE) for name in others):
        return text("There is no notebook here, only {names}: a link to a file that is still elsewhere, in a cloud "
                    "drive, say. Download the notebook itself (.ipynb) and hand that in.", names=names)
    return text("There is no notebook here, only {names}. Expected a notebook (.ipynb) or a Python file.", names=names)


def a_link(name: str) -> Text:
    """Why the folder of this name was not looked at."""
    return text("The folder {name} is a link, which is not followed: it may lead to the work of somebody else. Put the "
                "files themselves there.", name=name)


def not_a_submission(able: bool) -> Text:
    """Why a file that is not a submission was not looked at; `able` if by its name it could be one."""
    if able:
        return text("It lies beside the notebook of the same student, which was read instead.")
    return text("It is not a notebook or a Python file. If it is somebody's work, hand in the notebook (.ipynb).")
