"""Kijk in een head met de drie kaartjes. / Look inside a head with the three cards.

    from explore import explore
    explore(split_heads, merge_heads)                             met knoppen, waar ipywidgets er is
    explore(split_heads, merge_heads, language="en")              with buttons, where ipywidgets is installed

    from explore import look                                      in tekst, overal / as text, anywhere
    look(token=0, heads=4, head=1, causal=True)

Met je eigen functies erbij zie je wat die met de tokens en de kenmerken doen; zonder zie je hoe het hoort.
With your own functions you see what they do to the tokens and the features; without, how it is meant.
"""
import contextlib
import html
import sys

import numpy as np
from attention import attention

X = np.array([[[1, 0, 0, 1, .5, 0, -1, 0], [0, 1, 1, 0, 0, .5, 0, -1], [1, 1, -1, 0, .5, .5, 1, 1]]])
B, T, C = X.shape
HEADS = (1, 2, 4, 8)
WORDS = {
    "nl": {
        "what": "Token {token}, head {head} van {heads} (d = {d}), {mask}", "full": "vol masker",
        "causal": "causaal masker", "owns": "Head {head} krijgt {features}.",
        "features": "kenmerken {first} tot en met {last}", "one feature": "kenmerk {first}",
        "mixed": "In rij 0 hoort token 0 te staan, in rij 1 token 1, in rij 2 token 2. Hier niet:",
        "other": "Head {head} hoort {features} te krijgen. Hier niet:",
        "row": "rij {row}", "cell": "token {token} kenmerk {channel}", "token": "token {token}",
        "weights": "Gewichten van token {token} op de keys", "output": "Uitkomst", "not allowed": "mag niet",
        "sizes": "Er zijn B·H·T·T = {B}·{heads}·{T}·{T} = {scores} scores. Het aantal parameters blijft "
                 "4C² = {parameters}, hoeveel heads je ook kiest.",
        "landed": "merge_heads zet de uitkomst in {features} van {token}.",
        "astray": "merge_heads zet de uitkomst op een andere plaats: {places}.",
        "raised": "{name} stopt met {error}.", "unwritten": "{name} is nog niet geschreven.",
        "none": "{name} geeft None terug. Staat er een return?",
        "kind": "{name} geeft een {kind} terug, verwacht: een array.",
        "shape": "{name} geeft vorm {seen}, verwacht: {wanted}, dus ({axes}).",
        "changed": "{name} verandert de array die binnenkomt; werk met een kopie.",
        "strange": "{name} geeft getallen terug die er niet in gingen.",
        "instead": "Hieronder zie je daarom hoe het hoort.", "query": "token", "heads": "heads", "head": "head",
        "mask": "masker", "input": "x (T, C), met in kleur wat head {head} krijgt", "inside": "head {head}: (T, d)",
        "feature": "kenmerk",
        "again": "Meer zien? Draai dit in een nieuwe cel:",
        "range": "look kan dit niet tonen: {what} is {seen}; kies uit {choice}."},
    "en": {
        "what": "Token {token}, head {head} of {heads} (d = {d}), {mask}", "full": "full mask",
        "causal": "causal mask", "owns": "Head {head} gets {features}.",
        "features": "features {first} to {last}", "one feature": "feature {first}",
        "mixed": "Row 0 should hold token 0, row 1 token 1, row 2 token 2. Here it is otherwise:",
        "other": "Head {head} should get {features}. Here it does not:",
        "row": "row {row}", "cell": "token {token} feature {channel}", "token": "token {token}",
        "weights": "Weights of token {token} on the keys", "output": "Output", "not allowed": "not allowed",
        "sizes": "There are B·H·T·T = {B}·{heads}·{T}·{T} = {scores} scores. The number of parameters stays "
                 "4C² = {parameters}, however many heads you choose.",
        "landed": "merge_heads puts the output in {token}, {features}.",
        "astray": "merge_heads puts the output somewhere else: {places}.",
        "raised": "{name} stops with {error}.", "unwritten": "{name} is not written yet.",
        "none": "{name} returns None. Is there a return?", "kind": "{name} returns a {kind}, expected: an array.",
        "shape": "{name} gives shape {seen}, expected {wanted}, that is ({axes}).",
        "changed": "{name} changes the array that it is given; work on a copy.",
        "strange": "{name} returns numbers that did not go in.",
        "instead": "So below you see how it should be.", "query": "token", "heads": "heads", "head": "head",
        "mask": "mask", "input": "x (T, C), with what head {head} gets in colour", "inside": "head {head}: (T, d)",
        "feature": "feature",
        "again": "See more? Run this in a new cell:",
        "range": "look cannot show this: {what} is {seen}; choose from {choice}."}}


class View:
    """What one head does with one token: which numbers it holds, where they come from, weights and output."""

    def __init__(self, token, heads, head, causal, split_heads=None, merge_heads=None, language="nl"):
        self.token, self.heads, self.head, self.causal = token, heads, head, causal
        self.d, self.problems = C // heads, []
        self.say = lambda what, **gaps: WORDS[language][what].format(**gaps)
        self.meant = np.array([[row * C + channel for channel in self.channels] for row in range(T)])
        self.origin = self.meant if split_heads is None else self.of_split(split_heads)
        self.numbers = X[0][self.origin // C, self.origin % C]                       # (T, d)
        full = np.ones((T, T), dtype=bool)
        allowed = np.tril(full) if causal else full
        mixed, cache = attention(self.numbers, self.numbers, self.numbers, allowed)
        self.allowed, self.weights, self.output = allowed[token], cache["weights"][token], mixed[token]
        self.landed = None if merge_heads is None else self.of_merge(merge_heads)

    @property
    def channels(self):
        """The features that belong to this head, by number."""
        return [channel for channel in range(C) if channel * self.heads // C == self.head]

    @property
    def features(self):
        """The same in words."""
        first, last = self.channels[0], self.channels[-1]
        return self.say("features" if last > first else "one feature", first=first, last=last)

    def of_split(self, split_heads):
        """Where each number of the head came from: token * C + feature, as (T, d)."""
        seen = self.asked(split_heads, (B, self.heads, T, self.d), "BHTd", np.arange(B * T * C).reshape(X.shape),
                          self.heads)
        return self.meant if seen is None else seen[0, self.head]

    def of_merge(self, merge_heads):
        """In which places (token * C + feature) the output of this head and token ends up; None: not known."""
        codes = np.arange(B * T * C).reshape(B, self.heads, T, self.d)
        seen = self.asked(merge_heads, X.shape, "BTC", codes)
        if seen is None:
            return None
        return [int(np.flatnonzero(seen.ravel() == code)[0]) for code in codes[0, self.head, self.token]]

    def asked(self, function, shape, axes, array, *more):
        """What a student's function does with numbered places; None, and the reason in `problems`, if it is useless."""
        name = getattr(function, "__name__", str(function))
        given = array.copy()
        try:
            seen = function(given, *more)
        except NotImplementedError:
            problem = self.say("unwritten", name=name)
        except Exception as error:
            problem = self.say("raised", name=name, error=f"{type(error).__name__}: {error}".rstrip(": "))
        else:
            problem = self.objection(name, seen, shape, axes, array)
            if not problem and not np.array_equal(given, array):
                self.problems.append(self.say("changed", name=name))
        if problem:
            self.problems.append(f"{problem} {self.say('instead')}")
            return None
        return np.asarray(seen).astype(int)

    def objection(self, name, seen, shape, axes, array):
        """Why an answer cannot be shown; "" where it can."""
        if seen is None:
            return self.say("none", name=name)
        if not isinstance(seen, np.ndarray):
            return self.say("kind", name=name, kind=type(seen).__name__)
        if seen.shape != shape:
            return self.say("shape", name=name, seen=seen.shape, wanted=shape, axes=", ".join(axes))
        if seen.dtype.kind not in "iuf" or not np.array_equal(np.sort(seen, axis=None), array.ravel()):
            return self.say("strange", name=name)
        return ""

    # --- in words -------------------------------------------------------------------------------------------------

    def __str__(self):
        return "\n".join([self.title, *self.problems, "", *self.about_head(), "", *self.about_weights(), "",
                          self.about_output(), *self.about_merge(), self.sizes])

    @property
    def title(self):
        mask = self.say("causal" if self.causal else "full")
        return self.say("what", token=self.token, head=self.head, heads=self.heads, d=self.d, mask=mask)

    @property
    def sizes(self):
        return self.say("sizes", B=B, T=T, heads=self.heads, scores=B * self.heads * T * T, parameters=4 * C * C)

    def about_head(self):
        """The numbers of the head, a line per time step; where they come from, if that is not as it should be."""
        if np.array_equal(self.origin, self.meant):
            yield self.say("owns", head=self.head, features=self.features)
            for row, numbers in enumerate(self.numbers):
                mark = "▸" if row == self.token else " "
                yield f" {mark} {self.say('token', token=row)}  " + " ".join(f"{number:5.2g}" for number in numbers)
            return
        mixed = any(len(set(row // C)) > 1 for row in self.origin) or list(self.origin[:, 0] // C) != list(range(T))
        yield self.say("mixed") if mixed else self.say("other", head=self.head, features=self.features)
        for row, places in enumerate(self.origin):
            yield f"   {self.say('row', row=row)}: " + ", ".join(map(self.place, places))

    def place(self, code):
        return self.say("cell", token=code // C, channel=code % C)

    def about_weights(self):
        yield f"{self.say('weights', token=self.token)}:"
        for key, (weight, may) in enumerate(zip(self.weights, self.allowed, strict=True)):
            bar = "█" * round(20 * weight) if may else self.say("not allowed")
            yield f"   {self.say('token', token=key)}  {weight:.3f}  {bar}"

    def about_output(self):
        return f"{self.say('output')}: [{', '.join(f'{number:.3f}' for number in self.output)}]"

    def about_merge(self):
        """Where merge_heads puts the output, if it was given and can be shown."""
        if self.landed is None:
            return
        if self.landed == [self.token * C + channel for channel in self.channels]:
            yield self.say("landed", features=self.features, token=self.say("token", token=self.token))
        else:
            yield self.say("astray", places=", ".join(map(self.place, self.landed)))

    # --- for a notebook -------------------------------------------------------------------------------------------

    def html(self):
        """The same as tables, in the colours of the page; the colour of a number is that of its token."""
        codes = np.arange(T * C).reshape(T, C)
        heading = f"<strong>{html.escape(self.title)}</strong>"
        notes = [*self.problems, *([] if np.array_equal(self.origin, self.meant) else self.about_head())]
        return "".join([
            '<div style="max-width: 36em; line-height: 1.4">', f"<p>{heading}</p>", *map(_paragraph, notes),
            _grid(self.say("input", head=self.head), self.say("feature"), codes, X[0], np.isin(codes, self.origin),
                  self.token),
            '<div style="display: flex; flex-wrap: wrap; gap: 0 2em">',
            _grid(self.say("inside", head=self.head), "d", self.origin, self.numbers,
                  np.ones((T, self.d), dtype=bool), self.token), self.bars(), "</div>",
            *map(_paragraph, [self.about_output(), *self.about_merge(), self.sizes]), "</div>"])

    def bars(self):
        """The weights on the keys as bars: a full line is 1."""
        rows = []
        for key, (weight, may) in enumerate(zip(self.weights, self.allowed, strict=True)):
            colour = COLOURS[self.origin[key, 0] // C]
            bar = (f'<span style="display: inline-block; width: {6 * weight:.2f}em; height: .9em; '
                   f'background: {colour}; outline: 1px solid #555"></span> {weight:.3f}')
            rows.append(f'<tr><th scope="row" style="{PLAIN}">{html.escape(self.say("token", token=key))}</th>'
                        f'<td style="{PLAIN}; min-width: 10em">'
                        f'{bar if may else html.escape(self.say("not allowed"))}</td></tr>')
        return _table(self.say("weights", token=self.token), "".join(rows))


COLOURS = ("#7fb3e6", "#f2b66d", "#8fcf9f")      # of the three tokens, with black on it
PLAIN = ("padding: .15em .4em; text-align: left; background: none; color: inherit; font-weight: normal; "
         "white-space: nowrap")
CELL = "padding: .15em .4em; text-align: center; border: 1px solid #777; min-width: 1.5em"


def _grid(caption, across, origin, numbers, bright, token):
    """Numbers in cells, each in the colour of the token that it comes from; what is not meant has no colour."""
    columns = "".join(f'<th scope="col" style="{PLAIN}; text-align: center">{column}</th>'
                      for column in range(numbers.shape[1]))
    rows = [f'<tr><th scope="col" style="{PLAIN}">{across}</th>{columns}</tr>']
    for row, (codes, line, shown) in enumerate(zip(origin, numbers, bright, strict=True)):
        weight = "bold" if row == token else "normal"
        cells = [f'<td style="{CELL}; font-weight: {weight}; '
                 f'{f"background: {COLOURS[code // C]}; color: #111" if lit else "background: none; color: inherit"}">'
                 f'{number:g}</td>' for code, number, lit in zip(codes, line, shown, strict=True)]
        rows.append(f'<tr><th scope="row" style="{PLAIN}">token {row}</th>{"".join(cells)}</tr>')
    return _table(caption, "".join(rows))


def _table(caption, rows):
    return ('<table style="margin: .6em 0; border-collapse: collapse; width: auto; table-layout: auto; '
            'font-size: inherit"><caption style="caption-side: top; text-align: left; color: inherit; '
            f'white-space: nowrap">{html.escape(caption)}</caption>{rows}</table>')


def _paragraph(words):
    return f'<p style="margin: .3em 0; white-space: pre-wrap">{html.escape(words)}</p>'


def _listed(numbers):
    return ", ".join(map(str, numbers))


# --- what the notebook calls --------------------------------------------------------------------------------------

def look(token=2, heads=2, head=0, causal=False, split_heads=None, merge_heads=None, language="nl"):
    """Print what one head does with one token of the three cards."""
    for what, seen, choice in (("token", token, range(T)), ("heads", heads, HEADS),
                               ("head", head, range(heads if heads in HEADS else 1))):
        if seen not in choice:
            print(WORDS[language]["range"].format(what=what, seen=seen, choice=_listed(choice)))
            return
    _show(View(token, heads, head, causal, split_heads, merge_heads, language))


def explore(split_heads=None, merge_heads=None, language="nl"):
    """Show a head of the three cards, with buttons to choose where this notebook can have them."""
    if getattr(_shell(), "kernel", None) is not None:
        with contextlib.suppress(ImportError):
            import ipywidgets
            _with_buttons(ipywidgets, split_heads, merge_heads, language)
            return
    view = View(2, 2, 0, False, split_heads, merge_heads, language)
    _show(view)
    print(f"\n{view.say('again')}\n{_more(split_heads, merge_heads, language)}")


def _show(view):
    """As tables in a notebook, as text elsewhere."""
    if getattr(_shell(), "kernel", None) is None:
        print(view)
    else:
        from IPython.display import HTML, display
        display(HTML(view.html()))


def _more(split_heads, merge_heads, language):
    """Lines that show something else in the same way, ready to be run."""
    own = [f"{name}={name}" for name, given in (("split_heads", split_heads), ("merge_heads", merge_heads)) if given]
    spoken = [] if language == "nl" else [f'language="{language}"']
    return f"from explore import look\nlook({', '.join(['token=0, heads=4, head=1, causal=True', *own, *spoken])})"


def _shell():
    """The notebook or shell that this runs in; None for Python itself, which then need not load IPython."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def _with_buttons(widgets, split_heads, merge_heads, language):
    """The tables below four choices; they follow them."""
    from IPython.display import display
    words = WORDS[language]
    token = widgets.ToggleButtons(options=list(range(T)), value=2, description=words["query"])
    heads = widgets.ToggleButtons(options=list(HEADS), value=2, description=words["heads"])
    head = widgets.IntSlider(min=0, max=1, value=0, description=words["head"])
    mask = widgets.ToggleButtons(options=[(words["full"], False), (words["causal"], True)], description=words["mask"])
    for choice in (token, heads, mask):
        choice.style.button_width = "auto"
    shown = widgets.HTML()

    def follow(_=None):
        head.max = heads.value - 1
        view = View(token.value, heads.value, head.value, mask.value, split_heads, merge_heads, language)
        shown.value = view.html()

    for choice in (token, heads, head, mask):
        choice.observe(follow, names="value")
    follow()
    display(widgets.VBox([token, heads, head, mask, shown]))
