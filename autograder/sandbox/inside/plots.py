"""Load plotting libraries once in the zygote instead of in each process of a submission."""

import importlib
import logging
import tempfile

_LOADED = ("matplotlib.pyplot", "matplotlib.backends.backend_agg")


def have_matplotlib() -> None:
    """Load matplotlib, if it is installed. It insists on a writable folder, and is given one that never exists."""
    make_folder, tempfile.mkdtemp = tempfile.mkdtemp, lambda *_, **__: "/dev/null/matplotlib"
    logging.disable()
    try:
        for name in _LOADED:
            importlib.import_module(name)
        _forget_other_fonts()
    except Exception:                     # then a submission that needs it says so
        return
    finally:
        logging.disable(logging.NOTSET)
        tempfile.mkdtemp = make_folder


def _forget_other_fonts() -> None:
    """Keep only matplotlib's bundled fonts: those of the system cannot be read behind the wall."""
    own = importlib.import_module("matplotlib").get_data_path()
    fonts = importlib.import_module("matplotlib.font_manager").fontManager
    fonts.ttflist = [font for font in fonts.ttflist if font.fname.startswith(own)]
