"""What a picture of a difference holds: of an example its numbers, of a hidden check what the message says too."""
import numpy as np
import pytest

from autograder.lessons.kit.compare import difference
from autograder.lessons.kit.picture import NUMBERS, picture_of
from autograder.locale.language import translate
from autograder.output.drawing import drawing

W1 = np.array([[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]])
WANT = np.random.default_rng(3).normal(size=(2, 3, 5, 4))


def test_of_an_example_the_numbers_and_the_wrong_ones_are_kept():
    direct = np.arange(8).reshape(1, 2, 2, 2)
    picture = picture_of(direct, W1, "BHTd", "split_heads(x, 2)", shown=True)
    assert picture.seen == tuple("01234567")
    assert picture.expected == tuple("01452367")
    assert picture.wrong == (2, 3, 4, 5)
    assert [axis.template for axis in picture.axes] == ["sequence", "head", "time step", "feature"]


def test_of_an_example_with_another_shape_the_numbers_are_kept_and_none_is_called_wrong():
    picture = picture_of(np.arange(8).reshape(1, 4, 2), W1, "BHTd", "split_heads(x, 2)", shown=True)
    assert (picture.got, picture.want, picture.wrong) == ((1, 4, 2), (1, 2, 2, 2), ())
    assert len(picture.seen) == 8


def test_a_matrix_has_the_letters_of_its_lengths():
    picture = picture_of(np.ones((1, 2, 2)), np.zeros((2, 2)), "rc", "grads['wq']")
    assert (picture.letters, [axis.template for axis in picture.axes]) == ("CC", ["row", "column"])


def test_of_a_hidden_check_only_the_shapes_are_kept():
    picture = picture_of(np.swapaxes(WANT, 1, 2), WANT, "BHTd", "h")
    assert (picture.got, picture.want) == ((2, 5, 3, 4), (2, 3, 5, 4))
    assert (picture.seen, picture.expected, picture.wrong, picture.axis) == ((), (), (), None)


@pytest.mark.parametrize("differs", [True, False])
def test_of_a_hidden_check_the_place_is_the_one_in_the_message(differs):
    got = WANT.copy() if differs else WANT + 1
    got[:, 2] = WANT[:, 2] + differs
    picture, words = picture_of(got, WANT, "BHTd", "h"), difference(got, WANT, "BHTd", "h")
    assert (picture.axis, picture.index, picture.differs) == (1, 2, differs)
    assert (picture.seen, picture.expected) == ((), ())
    assert words.values["where"].values["index"] == 2


@pytest.mark.parametrize("got", [WANT + 1, np.full(WANT.shape, np.nan), WANT.astype(int), np.zeros((0, 3)),
                                 WANT.astype(complex), WANT])
def test_where_the_message_names_no_place_there_is_no_picture(got):
    assert picture_of(got, WANT, "BHTd", "h") is None


def test_an_answer_of_many_numbers_is_not_drawn_number_by_number():
    picture = picture_of(np.zeros((NUMBERS + 1, 1)), W1, "BHTd", "split_heads(x, 2)", shown=True)
    assert picture.got == (NUMBERS + 1, 1)
    assert picture.seen == ()


def test_numbers_that_are_not_finite_are_words():
    picture = picture_of(np.array([np.nan, np.inf]), np.array([1.0, 2.0]), "d", "y", shown=True)
    assert picture.seen == ("nan", "inf")


@pytest.mark.parametrize(("axes", "letters", "word"), [
    ("NXYZ", "NXYZ", "axis X, place"), ("NH", "NH??", "head"), ("N", "N???", "axis 1, place"),
    ("", "????", "axis 1, place"), ("BHTdQ", "BHTd", "head")])
def test_any_letter_and_any_number_of_letters_names_the_axes(axes, letters, word):
    got = WANT.copy()
    got[:, 2] += 1
    picture, words = picture_of(got, WANT, axes, "h"), difference(got, WANT, axes, "h")
    assert (picture.letters, translate(picture.axes[1], "en")) == (letters, word)
    assert f"only {word} 2 differs" in translate(words, "en")
    assert translate(difference(got, WANT, axes, "h", shown=True), "en").count(",") >= 6
    assert drawing(picture) is not None
    turned = np.swapaxes(WANT, 1, 2)
    assert f"= ({', '.join(letters)})" in translate(difference(turned, WANT, axes, "h"), "en")
    assert drawing(picture_of(turned, WANT, axes, "h")) is not None
