"""The layer norm lesson: two exercises, 10 points."""

from autograder.kit import Exercise, Lesson

from . import probes
from .advice import advice
from .checks import layer_norm, layer_norm_backward

LESSON = Lesson(
    name="layernorm",
    exercises=(
        Exercise("layer_norm", "test_layer_norm", 4, layer_norm.CHECKS, telling=probes.EPS.forward),
        Exercise("layer_norm_backward", "test_layer_norm_backward", 6, layer_norm_backward.CHECKS,
                 stand_ins=("layer_norm",), telling=probes.GENERAL.backward, differentiates="layer_norm"),
    ),
    reference="solutions/layernorm.py",
    given={},
    prelude="import numpy as np\n",
    editions={"nl": "assignments/layernorm/layernorm.ipynb", "en": "assignments/layernorm-en/layernorm.ipynb"},
    tools={name: f"assignments/layernorm/{name}.py" for name in ("slips", "examples")},
    shows={"selfcheck": "assignments/layernorm/selfcheck.py"},
    advice=advice,
)
