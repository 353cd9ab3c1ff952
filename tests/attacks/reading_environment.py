"""Find what the judge has in its environment; the tests put AUTOGRADER_SECRET there."""
inherited = [name for name in os.environ if name in ("AUTOGRADER_SECRET", "PATH", "USER", "PYTHONPATH", "VIRTUAL_ENV")]
if inherited or os.environ["HOME"] not in ("/",):
    broke_in(dict(os.environ))
ctypes.CDLL(None).getenv.restype = ctypes.c_char_p
if ctypes.CDLL(None).getenv(b"AUTOGRADER_SECRET"):
    broke_in("getenv")
