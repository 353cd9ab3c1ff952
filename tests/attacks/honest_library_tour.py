"""The standard library as notebooks use it."""
import abc, argparse, array, base64, bisect, collections, contextlib, copy, csv, ctypes, dataclasses, decimal    # noqa: E401
import difflib, enum, fractions, functools, glob, hashlib, heapq, html, inspect, io, itertools, json, locale      # noqa: E401
import math, numbers, operator, pathlib, pickle, pprint, re, shutil, sqlite3, ssl, statistics, string, struct       # noqa: E401
import tempfile, textwrap, traceback, types, typing, unicodedata, weakref, xml.etree.ElementTree, zipfile, zlib       # noqa: E401
import bz2, calendar, configparser, getpass, gzip, lzma, multiprocessing, platform, subprocess, urllib.request, zoneinfo  # noqa: E401

print(platform.python_version()[:1], sys.version[:1], pathlib.Path("x").exists(), glob.glob("*.csv"))
print(locale.getlocale(), pathlib.Path.home(), pathlib.Path.cwd(), os.getcwd(), os.path.expanduser("~"), shutil.which("ls"))
print(shutil.get_terminal_size().columns, sqlite3.connect(":memory:").execute("select 1").fetchone(), hashlib.sha256(b"").name)
print(pickle.loads(pickle.dumps({1: [2]})), json.dumps({"a": 1}), copy.deepcopy([[1]]), decimal.Decimal("0.1") * 3)
print(gzip.decompress(gzip.compress(b"x")), lzma.decompress(lzma.compress(b"x")), bz2.decompress(bz2.compress(b"x")))
archive = zipfile.ZipFile(io.BytesIO(), "w")
archive.writestr("a", "b"), archive.close(), csv.writer(io.StringIO()).writerow([1]), tempfile.SpooledTemporaryFile().write(b"x")
with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
    print("silence")
print(sys.getrefcount(1) > 0, sys.getsizeof([]), sys.stdin.read(), sys.stdout.isatty(), id(sys) > 0)
ctypes.CDLL(None).abs(-3), os.getpid(), os.getuid(), os.times(), os.uname(), os.get_exec_path(), multiprocessing.cpu_count()
