"""The catalogue: wrong solutions that students really write, in the order of the exercises."""
from autograder.lessons.layernorm.mistakes import layer_norm, layer_norm_backward

MISTAKES = (*layer_norm.MISTAKES, *layer_norm_backward.MISTAKES)
