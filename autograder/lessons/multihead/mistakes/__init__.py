"""The catalogue: wrong solutions that students really write, in the order of the exercises."""
from autograder.lessons.multihead.mistakes import (
    attention,
    attention_backward,
    loops,
    merge_heads,
    multihead,
    multihead_backward,
    own_attention,
    split_heads,
    weight_gradients,
)

MISTAKES = (*split_heads.MISTAKES, *merge_heads.MISTAKES, *multihead.MISTAKES, *attention.MISTAKES,
            *multihead_backward.MISTAKES, *weight_gradients.MISTAKES, *attention_backward.MISTAKES,
            *own_attention.MISTAKES, *loops.MISTAKES)
