"""whygrad plot: pictures of runs, as PNG or SVG."""

from __future__ import annotations

import argparse
import importlib.util
import shlex
from functools import partial
from pathlib import Path
from typing import Any

from whygrad.cli.files import check_writable
from whygrad.cli.output import fail, say
from whygrad.cli.refusals import in_sentences
from whygrad.cli.run_names import NoRun, find_run, missing

NAME = "plot"
WHAT = ("norms", "heat", "scalars", "histogram", "all")

DESCRIPTION = """\
Draw a run: the gradient of every layer over time as a heat map, norms before
and after clipping, returns and losses, and how the numbers of a gradient are
spread over powers of two. Several runs are drawn over each other (scalars).
"""

EPILOG = """\
examples:
  whygrad plot runs/train-1                          all of it, plot.png there
  whygrad plot runs/a-1 runs/b-1 --out returns.svg   returns and losses of both
  whygrad plot runs/train-1 --what histogram --variable critic.2.weight
"""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="draw runs as PNG or SVG",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="the folder of a run, or its name in `runs`")
    parser.add_argument("--out", metavar="FILE", help="ends in .png or .svg (default: plot.png in the run's folder)")
    parser.add_argument(
        "--what", choices=WHAT, help="which picture (default: all; of several runs, scalars)", metavar="|".join(WHAT)
    )
    parser.add_argument("--variable", metavar="NAME", help="whose histograms (default: the largest one's)")
    parser.add_argument("--log", action="store_true", help="scalars on a logarithmic scale")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Draw and write."""
    if options.out is not None and Path(options.out).suffix.lower() not in (".png", ".svg"):
        return fail(f"--out ends in .png or .svg, got {options.out!r}.")
    if len(options.runs) > 1 and options.what not in (None, "scalars"):
        return fail(f"several runs are drawn over each other as scalars; --what {options.what} takes one run.")
    if options.variable is not None and (len(options.runs) > 1 or options.what not in (None, "histogram", "all")):
        return fail("--variable says whose histograms are drawn: --what histogram, of one run.")
    trouble = missing("plot")
    if trouble is None and importlib.util.find_spec("matplotlib") is None:
        trouble = "pictures need matplotlib, not installed here: pip install 'whygrad[plot]'"
    return fail(trouble) if trouble else in_sentences(partial(_draw, options))


def _draw(options: argparse.Namespace) -> int:
    try:
        runs = [find_run(text) for text in options.runs]
    except NoRun as error:
        return fail(str(error))
    out = Path(options.out) if options.out is not None else _usual(options, runs)
    trouble = check_writable(str(out), "picture")
    if trouble:
        return fail(trouble)
    from whygrad.live.plots import NothingToDraw, draw

    what = options.what or ("scalars" if len(runs) > 1 else "all")
    try:
        draw(runs, what, out, variable=options.variable, log=options.log)
    except NothingToDraw as error:
        return fail(str(error))
    say(f"written    {shlex.quote(str(out))}")
    return 0


def _usual(options: argparse.Namespace, runs: list[Any]) -> Path:
    # Of several runs none is the one to hold the picture.
    return (
        Path("plot.png")
        if len(runs) > 1
        else Path(options.runs[0] if Path(options.runs[0]).is_dir() else runs[0].folder) / "plot.png"
    )
