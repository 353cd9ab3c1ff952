"""The catalogue: wrong solutions that students really write, in the order of the exercises."""
from . import layer_norm, layer_norm_backward

MISTAKES = (*layer_norm.MISTAKES, *layer_norm_backward.MISTAKES)
