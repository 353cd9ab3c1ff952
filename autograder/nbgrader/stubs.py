"""The stub that replaces a solution in a release: a lesson of ours has its own, every other notebook nbgrader's."""

from typing import Any, cast

from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions

from autograder.nbgrader.session import folder_of, lesson_of

STUB = "raise NotImplementedError()"


class ClearLessonSolutions(ClearSolutions):
    """Replaces ClearSolutions: our notebooks already say, in their own language, what belongs in each cell."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        about, stubs = resources["nbgrader"], cast("dict[str, str]", self.code_stub)
        if lesson_of(about["assignment"], about["notebook"], folder_of(self)) is None:
            return super().preprocess(nb, resources)
        self.code_stub = {**stubs, "python": STUB}
        try:
            return super().preprocess(nb, resources)
        finally:
            self.code_stub = stubs              # the same step goes on to the assignment's other notebooks
