"""Names that code may use without leaving anything behind: what `forgetful` lists."""

_FUNCTIONS = """
    abs all any bool callable complex dict divmod enumerate filter float format frozenset int isinstance
    issubclass iter len list map max min next pow print range repr reversed round set slice sorted str sum tuple zip
"""
_EXCEPTIONS = """
    ArithmeticError AssertionError AttributeError BaseException Exception FloatingPointError IndexError KeyError
    LookupError NotImplementedError OverflowError RuntimeError TypeError ValueError ZeroDivisionError
"""
#: of modules, arrays, generators of random numbers and Python's own containers. What hands out memory as it is
#: (`empty`, `ndarray`, a ufunc's `where=`) is not among them: an earlier call may have left something there. Nor is
#: what hides a MemoryError (`array_equal`, `array_equiv`), which tells how much earlier calls left.
_ATTRIBUTES = """
    arange array asarray ascontiguousarray eye full full_like identity linspace meshgrid ones ones_like tri tril
    triu zeros zeros_like diag indices ndindex ndenumerate fromfunction

    T mT shape ndim size dtype itemsize nbytes newaxis astype broadcast_to concatenate copy expand_dims flatten
    hstack moveaxis permute_dims ravel repeat reshape roll rollaxis split array_split squeeze stack swapaxes take
    tile tolist transpose vstack flip rot90 atleast_1d atleast_2d atleast_3d item where nonzero argwhere select

    abs absolute add all allclose amax amin any argmax argmin argsort around average clip cumsum diff divide dot
    einsum equal exp expm1 fabs greater greater_equal inner isclose isfinite isin isinf isnan isreal less less_equal
    log log1p logical_and logical_not logical_or logical_xor matmul max maximum mean median min minimum mod multiply
    negative not_equal outer power prod round sign sqrt square std subtract sum tanh sinh cosh tensordot trace
    unique var vdot sort nanmax nanmin nansum nan_to_num floor ceil float_power cross kron
    count_nonzero linalg norm inv det matrix_rank solve pinv qr svd testing assert_allclose assert_almost_equal
    assert_array_almost_equal assert_array_equal assert_equal assert_array_less assert_raises errstate

    bool_ float16 float32 float64 floating int8 int16 int32 int64 integer issubdtype number finfo iinfo eps inf nan
    pi e tiny isscalar isfinite fsum prod hypot result_type can_cast

    random default_rng RandomState seed rand randn normal uniform randint integers standard_normal permutation
    choice shuffle permuted random_sample

    append extend insert pop remove index count reverse get items keys values update setdefault clear add discard
    union intersection difference join format split strip replace startswith endswith lower upper fill
"""
FUNCTIONS, EXCEPTIONS, ATTRIBUTES = (frozenset(names.split()) for names in (_FUNCTIONS, _EXCEPTIONS, _ATTRIBUTES))
