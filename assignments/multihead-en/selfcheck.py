"""Probeer de voorbeelden van je notebook buiten het notebook. / Try your notebook's examples outside the notebook.

    python -m selfcheck NOTEBOOK.ipynb
    python -m selfcheck NOTEBOOK.ipynb --watch       opnieuw als je opslaat / again whenever you save
    python -m selfcheck --hint split_heads           een hint; :2 en :3 zeggen meer / a hint; :2 and :3 say more

Alleen NumPy is nodig. De cellen draaien op volgorde, in een eigen proces. / Only NumPy is needed. The cells run in
their order, in a process of their own.
"""
import argparse
import ast
import contextlib
import io
import json
import linecache
import os
import queue
import re
import subprocess
import sys
import textwrap
import threading
import time
import traceback
from itertools import chain
from pathlib import Path
from typing import NamedTuple

WORDS = {                                   # what -> (Dutch, English)
    "unwritten": ("{name} is nog niet geschreven: er staat nog raise NotImplementedError().",
                  "{name} is not written yet: it still says raise NotImplementedError()."),
    "assert": ("de assert op regel {line} gaat niet op: {code}", "the assert on line {line} does not hold: {code}"),
    "place": ("cel {cell}, regel {line}", "cell {cell}, line {line}"),
    "slow": ("is na {seconds:g} seconden nog niet klaar, en meer tijd krijgt een cel hier niet; met --seconds 60 "
             "krijgt elke cel een minuut.",
             "is not done after {seconds:g} seconds, which is all the time that a cell gets here; with --seconds 60 "
             "each cell gets a minute."),
    "ended": ("hier stopte Python helemaal. Staat er een exit() of quit() in, of is het geheugen vol?",
              "here Python stopped altogether. Is there an exit() or quit(), or is memory full?"),
    "cell": ("cel {cell}", "cell {cell}"),
    "all": ("Alle {count} voorbeelden kloppen. Dat bewijst nog niet dat je klaar bent: sommige fouten merkt geen "
            "enkel voorbeeld op.",
            "All {count} examples hold. That does not prove that you are done: some mistakes go unnoticed in every "
            "example."),
    "some": ("{right} van de {count} voorbeelden kloppen. Begin bij het bovenste kruisje: wat eronder staat, bouwt er "
             "vaak op voort.",
             "{right} of {count} examples hold. Start with the topmost cross: what is below it often builds on it."),
    "progress": ("{bar} {done} van {count} delen", "{bar} {done} of {count} parts"),
    "none": ("In {path} staan geen voorbeelden.", "There are no examples in {path}."),
    "missing": ("{path} is er niet. Sta je in de goede map?", "{path} is not there. Are you in the right folder?"),
    "several": ("Welk notebook? Hier staan: {names}.", "Which notebook? Here are: {names}."),
    "nothing": ("In deze map staat geen notebook (.ipynb).", "There is no notebook (.ipynb) in this folder."),
    "unread": ("{path} is niet te lezen: {why}. Sla het notebook opnieuw op en probeer het nog eens.",
               "{path} cannot be read: {why}. Save the notebook again and try once more."),
    "no cells": ("er staan geen cellen in", "it has no cells"),
    "no json": ("geen goede JSON op regel {line}", "no proper JSON on line {line}"),
    "no text": ("dit is geen tekst", "this is not text"),
    "hint": ("Hint {number} van {count} voor {name}. {text}", "Hint {number} of {count} for {name}. {text}"),
    "next": ("Nog een duwtje nodig? Probeer het eerst zelf, en dan: python -m selfcheck --hint {name}:{number}",
             "Need another push? Try by yourself first, and then: python -m selfcheck --hint {name}:{number}"),
    "no hint": ("Een hint {wanted} is er niet. Kies uit {names}, met :2 of :3 erachter voor de volgende.",
                "There is no hint {wanted}. Choose from {names}, followed by :2 or :3 for the next."),
    "watching": ("Ik kijk mee; Ctrl-C om te stoppen. ({time})", "I am watching; Ctrl-C to stop. ({time})"),
}
LANGUAGES = ("nl", "en")
MARKS = {"ok": "✓", "wrong": "✗", "note": "!"}
TRAINING = "from training import"           # takes seconds, and is not an example: not run here
REPEATED = re.compile(r"✓|[■□]+ \d+ (van|of) \d+ (delen|parts)$")     # lines of an example that are told here anyway
START = 60                                  # seconds for Python itself, on a slow disk
HINT = re.compile(r"<summary>Hint (\d) [^<]*<code>(\w+)</code>[^<]*</summary>\s*(.*?)\s*</details>", re.S)
COLOURS = {"ok": "\033[32m", "wrong": "\033[31m", "note": "\033[33m"}


class Problem(Exception):
    """Nothing could be tried; the text says why, in one line."""


class Cell(NamedTuple):
    """A code cell: its number as people count all cells, and the heading below which it stands."""

    number: int
    source: str
    example: bool
    section: str


# --- the notebook -------------------------------------------------------------------------------------------------

def read(path, say):
    """The cells of a notebook file: kind, source and nbgrader's marks; Problem where it cannot be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise Problem(say("missing", path=path)) from None
    except json.JSONDecodeError as error:
        raise Problem(say("unread", path=path, why=say("no json", line=error.lineno))) from None
    except (UnicodeDecodeError, RecursionError):
        raise Problem(say("unread", path=path, why=say("no text"))) from None
    except OSError as error:
        raise Problem(say("unread", path=path, why=error.strerror)) from None
    try:
        return [(cell.get("cell_type"), "".join(cell.get("source") or []),
                 dict((cell.get("metadata") or {}).get("nbgrader") or {})) for cell in found["cells"]]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Problem(say("unread", path=path, why=say("no cells"))) from None


def code_cells(cells):
    """The code cells that are worth running, each with its section."""
    section, found = "", []
    marked = any(marks for _, _, marks in cells)
    for number, (kind, source, marks) in enumerate(cells, start=1):
        if kind == "markdown":
            section = next(reversed(re.findall(r"^## +(.*)$", source, re.M)), section)
        if kind == "code" and not marks.get("points") and not source.startswith("%%") and TRAINING not in source:
            example = (bool(marks.get("grade")) or str(marks.get("grade_id")).startswith("example_") if marked
                       else looks_like_an_example(source))
            found.append(Cell(number, without_magics(source), example, re.sub(r"[`*]", "", section).strip()))
    return found


def looks_like_an_example(source):
    """Without nbgrader's marks: a cell that asserts something itself, or has it done by the module `examples`."""
    with contextlib.suppress(SyntaxError, ValueError):
        nodes = ast.parse(without_magics(source)).body
        own = [node for node in nodes if not isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        return any(isinstance(inner, ast.Assert) or isinstance(inner, ast.ImportFrom) and inner.module == "examples"
                   for node in own for inner in ast.walk(node))
    return False


def without_magics(source):
    """The code with its line numbers, without what only a notebook understands."""
    return re.sub(r"^([ \t]*)[%!].*$", r"\1pass", source, flags=re.M)


def language_of(cells):
    """"nl" where the text is Dutch."""
    return "nl" if any(re.search(r"\b(het|een|voorbeeld)\b", source) for kind, source, _ in cells) else "en"


def hints(cells):
    """(function, "1") -> the text of that hint, as it stands folded in the notebook."""
    return {(name, number): re.sub(r"[`*]", "", text) for kind, source, _ in cells if kind == "markdown"
            for number, name, text in HINT.findall(source)}


def hinted(cells, wanted, say):
    """One hint, and how to ask for the next; Problem where there is none."""
    name, _, number = wanted.partition(":")
    found, number = hints(cells), number or "1"
    names = list(dict.fromkeys(function for function, _ in found))
    if (name, number) not in found:
        raise Problem(say("no hint", wanted=wanted, names=", ".join(names)))
    count = sum(function == name for function, _ in found)
    print(textwrap.fill(say("hint", number=number, count=count, name=name, text=found[name, number]), 88))
    if int(number) < count:
        print("\n" + say("next", name=name, number=int(number) + 1))


# --- running, in a process of its own -----------------------------------------------------------------------------

def work(cells, left_out, say):
    """Run the cells one after another in one namespace, and tell on standard output how each of them went."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)                        # nothing else gets between our lines
    namespace = {"__name__": "__main__", "display": lambda *things: None}
    sys.path.insert(0, os.getcwd())
    for cell in cells:
        if cell.number in left_out:
            continue
        print(json.dumps([cell.number, None, []]), file=out, flush=True)
        with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()):
            words = run(cell, namespace, say)
        more = [line for line in printed.getvalue().splitlines() if cell.example and not REPEATED.match(line)]
        print(json.dumps([cell.number, words, more]), file=out, flush=True)


def run(cell, namespace, say):
    """Run one cell; what is wrong with it, in words, or "" where it went well."""
    name = say("cell", cell=cell.number)
    linecache.cache[name] = (len(cell.source), None, cell.source.splitlines(True), name)
    try:
        exec(compile(cell.source, name, "exec"), namespace)
    except SyntaxError as error:
        return f"SyntaxError: {error.msg} ({say('place', cell=cell.number, line=error.lineno)})"
    except SystemExit:
        return say("ended")
    except BaseException as error:
        return in_words(error, cell, say)
    return ""


def in_words(error, cell, say):
    """What an error says: an example's own words, or the error with its place in the student's cells."""
    prefix = say("cell", cell="")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(prefix)]
    last = frames[-1] if frames else None
    if isinstance(error, AssertionError) and str(error):
        return str(error)
    if isinstance(error, NotImplementedError) and last and last.name != "<module>":
        return say("unwritten", name=last.name)
    if isinstance(error, AssertionError) and last:
        return say("assert", line=last.lineno, code=last.line)
    where = f" ({say('place', cell=last.filename[len(prefix):], line=last.lineno)})" if last else ""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return said + where


def results(path, language, seconds):
    """Cell number -> what is wrong with it ("" where nothing is), and the lines that it printed besides.

    A cell that hangs or ends Python is left out.
    """
    say, found, left_out = speaker(language), {}, set()
    while True:
        stuck, status = one_run(path, language, left_out, found, seconds)
        if stuck is None:
            return tuple({cell: told[part] for cell, told in found.items()} for part in (0, 1))
        found[stuck] = say(status, seconds=seconds), []
        left_out.add(stuck)


def one_run(path, language, left_out, found, seconds):
    """Run the cells once; the number of the cell that hung ("slow") or ended Python ("ended"), else None."""
    command = [sys.executable, str(Path(__file__).resolve()), path.name, "--lang", language,
               "--cells", ",".join(map(str, left_out))]
    worker = subprocess.Popen(command, cwd=path.parent, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env={**os.environ, "MPLBACKEND": "Agg", "PYTHONUTF8": "1"})
    lines = queue.Queue()
    threading.Thread(target=lambda: list(map(lines.put, chain(worker.stdout, [b""]))), daemon=True).start()
    running = None
    try:
        while True:
            line = lines.get(timeout=START if running is None else seconds)
            if not line:
                return running, "ended"
            number, words, more = json.loads(line)
            running = number if words is None else None
            if words is not None:
                found[number] = words, more
    except queue.Empty:
        return running, "slow"
    finally:
        worker.kill()
        worker.wait()


# --- what is shown ------------------------------------------------------------------------------------------------

def speaker(language):
    """A function that says things in this language."""
    return lambda what, **gaps: WORDS[what][LANGUAGES.index(language)].format(**gaps)


def show(cells, found, printed, say, path, colour):
    """Print each section that has something to say; whether every example holds."""
    section = None
    for cell in cells:
        words = found.get(cell.number)
        if words is None or not (cell.example or words):
            continue
        if cell.section != section:
            section = cell.section
            print(f"\n{section}")
        title = first_words(cell, say) if cell.example else say("cell", cell=cell.number)
        kind = "ok" if not words else "wrong" if cell.example else "note"
        print(f"  {paint(MARKS[kind], kind, colour)} {title}")
        for line in [*words.splitlines(), *printed[cell.number]]:
            print(f"      {line}")
    examples = [cell for cell in cells if cell.example]
    right = sum(found.get(cell.number) == "" for cell in examples)
    if not examples:
        print(say("none", path=path))
    else:
        print("\n" + progress(examples, found, say))
        print(say("all" if right == len(examples) else "some", right=right, count=len(examples)))
    return bool(examples) and right == len(examples)


def progress(examples, found, say):
    """How many parts of the notebook have all their examples right: "■■■□□ 3 of 5"."""
    parts = list(dict.fromkeys(cell.section for cell in examples))
    done = sum(all(found.get(cell.number) == "" for cell in examples if cell.section == part) for part in parts)
    return say("progress", bar="■" * done + "□" * (len(parts) - done), done=done, count=len(parts))


def first_words(cell, say):
    """What to call an example: its first comment."""
    first = cell.source.lstrip().splitlines()[0] if cell.source.strip() else ""
    return first.lstrip("# ").rstrip(".") if first.startswith("#") else say("cell", cell=cell.number)


def paint(mark, kind, colour):
    return f"{COLOURS[kind]}{mark}\033[0m" if colour else mark


# --- the command --------------------------------------------------------------------------------------------------

def main(arguments=None):
    """The exit code: 0 every example holds, 1 not every one, 2 nothing could be tried."""
    options = parsed(arguments)
    say = speaker(options.lang or "nl")
    if options.cells is not None:
        left_out = {int(number) for number in options.cells.split(",") if number}
        work(code_cells(read(Path(options.notebook), say)), left_out, say)
        return 0
    sys.stdout.reconfigure(errors="replace")
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    try:
        path = Path(options.notebook) if options.notebook else only_notebook(say)
        if options.hint:
            raw = read(path, say)
            hinted(raw, options.hint, speaker(options.lang or language_of(raw)))
            return 0
        return watched(path, options, colour) if options.watch else tried(path, options, colour)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print()
        return 0


def parsed(arguments):
    parser = argparse.ArgumentParser(prog="python -m selfcheck", description=__doc__.splitlines()[0])
    parser.add_argument("notebook", nargs="?", help="multihead.ipynb")
    parser.add_argument("--watch", action="store_true", help="opnieuw als je opslaat / again whenever you save")
    parser.add_argument("--hint", metavar="FUNCTION", help="split_heads, split_heads:2 …")
    parser.add_argument("--seconds", type=float, default=10.0, help="per cel / per cell (10)")
    parser.add_argument("--lang", choices=LANGUAGES, help="anders die van het notebook / else the notebook's")
    parser.add_argument("--cells", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def only_notebook(say):
    """The notebook of this folder, where there is just one."""
    found = sorted(Path().glob("*.ipynb"))
    if len(found) != 1:
        raise Problem(say("several", names=", ".join(map(str, found))) if found else say("nothing"))
    return found[0]


def tried(path, options, colour):
    """Run the notebook once and show how it went; the exit code."""
    raw = read(path, speaker(options.lang or "nl"))
    options.lang = options.lang or language_of(raw)
    found, printed = results(path.resolve(), options.lang, options.seconds)
    return 0 if show(code_cells(raw), found, printed, speaker(options.lang), path, colour) else 1


def watched(path, options, colour):
    """Run the notebook again whenever it is saved, until Ctrl-C."""
    while True:
        saved = changed_at(path)
        try:
            tried(path, options, colour)
        except Problem as problem:
            print(problem)
        print("\n" + speaker(options.lang or "nl")("watching", time=time.strftime("%H:%M:%S")), flush=True)
        while changed_at(path) in (saved, None):
            time.sleep(0.3)


def changed_at(path):
    """When the file was saved; None while it is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


if __name__ == "__main__":
    sys.exit(main())
