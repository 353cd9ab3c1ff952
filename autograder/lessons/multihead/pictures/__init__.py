"""The pictures of the notebook: each is drawn from its words in one language, as an SVG for a light and a dark page.

`PICTURES[name](words)` draws a picture; `WORDS[language][name]` holds its words, with the alternative text under "alt".
`autograder dev pictures` puts them into the notebooks.
"""

from autograder.lessons.multihead.pictures.flow import backward, forward, one_number, own_test
from autograder.lessons.multihead.pictures.numbers import merge, one_key, split
from autograder.lessons.multihead.pictures.words import WORDS

PICTURES = {"split": split, "merge": merge, "multihead": forward, "backward": backward,
            "one_number": one_number, "one_key": one_key, "own_test": own_test}


def picture(name: str, language: str) -> tuple[bytes, str]:
    """The SVG of this picture, and its alternative text."""
    words = WORDS[language][name]
    return PICTURES[name](words), words["alt"]


__all__ = ["PICTURES", "WORDS", "picture"]
