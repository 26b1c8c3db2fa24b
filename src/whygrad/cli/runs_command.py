"""whygrad runs: which runs there are, what differs between them, and which can go."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import Any

from whygrad.cli import runs_clean, runs_compare
from whygrad.cli.narrow_table import Column, table, terminal_width
from whygrad.cli.output import fail, say
from whygrad.cli.run_names import missing, no_folder
from whygrad.cli.sizes_and_ages import age, size

NAME = "runs"
_LIST = "list"

DESCRIPTION = """\
List the runs of a folder, those of agents and those that were watched: whether
they are live, how far they are, the last return and loss, and how many events
there were.
"""

EPILOG = """\
  whygrad runs [FOLDER]              list them (default: runs)
  whygrad runs compare RUN RUN ...   what differs, side by side
  whygrad runs clean [FOLDER]        remove old ones; shows what would go first
"""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="list, compare and clean up runs",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="whygrad runs [FOLDER] [--json] | compare ... | clean ...",
        allow_abbrev=False,
    )
    inner = parser.add_subparsers(dest="what", metavar="", required=True, title="commands", help=argparse.SUPPRESS)
    listing = inner.add_parser(_LIST, prog="whygrad runs", description=DESCRIPTION, allow_abbrev=False)
    listing.add_argument("folder", metavar="FOLDER", nargs="?", default="runs", help="of runs (default: runs)")
    listing.add_argument("--json", action="store_true", help="print all of it as JSON")
    listing.set_defaults(run=execute)
    runs_compare.add_parser(inner)
    runs_clean.add_parser(inner)


def complete(given: Sequence[str]) -> list[str]:
    """What was given, with the word that is left out where runs are listed. `./clean` is a folder of that name."""
    words = list(given)
    if words[1:2] and words[1] in (_LIST, runs_compare.NAME, runs_clean.NAME, "-h", "--help"):
        return words
    return [words[0], _LIST, *words[1:]]


def execute(options: argparse.Namespace) -> int:
    """Print the list."""
    trouble = no_folder(options.folder) or missing()
    if trouble:
        return fail(trouble)
    from whygrad.live.run_listing import Runs

    runs = [{**run.glance(), "folder": str(run.folder), "size": run.size()} for run in Runs(options.folder).all()]
    if options.json:
        say(json.dumps(runs, indent=2))
        return 0
    if not runs:
        say(f"There are no runs in {options.folder!r}.")
        return 0
    for line in table(_columns(runs, time.time()), terminal_width()):
        say(line)
    live = sum(run["live"] for run in runs)
    total = f"{len(runs):,} runs" if len(runs) > 1 else "1 run"
    say(f"\n{total}{f', {live} live' if live else ''}, {size(sum(run['size'] for run in runs))}")
    return 0


def _columns(runs: Sequence[dict[str, Any]], now: float) -> list[Column]:
    return [
        Column("run", [run["name"] for run in runs], 9),
        Column("kind", [_kind(run) for run in runs], 2),
        Column("state", [_state(run) for run in runs], 8),
        Column("steps", [_count(run["steps"]) for run in runs], 4, True),
        Column("updates", [_count(run["updates"]) for run in runs], 5, True),
        Column("return", [number(run["return"]) for run in runs], 7, True),
        Column("loss", [number(run["loss"]) for run in runs], 6, True),
        Column("events", [_count(run["events"]) for run in runs], 7, True),
        Column("age", [age(now - run["changed"]) for run in runs], 3, True),
        Column("size", [size(run["size"]) for run in runs], 1, True),
    ]


def _kind(run: dict[str, Any]) -> str:
    return " ".join(filter(None, ["agent", run["agent"]])) if run["kind"] == "agent" else run["script"] or "script"


def _state(run: dict[str, Any]) -> str:
    return "unreadable" if run["trouble"] else "live" if run["live"] else "ended"


def _count(value: int) -> str:
    return f"{value:,}" if value else ""


def number(value: float | None) -> str:
    """A number in few characters; nothing where there is none."""
    return "" if value is None else f"{value:.4g}"
