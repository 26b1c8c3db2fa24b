"""whygrad runs compare: runs side by side."""

from __future__ import annotations

import argparse
import json
from typing import Any

from whygrad.cli.agent_settings import shown
from whygrad.cli.narrow_table import UNKNOWN, blocks, terminal_width
from whygrad.cli.output import fail, say
from whygrad.cli.run_names import NoRun, find_run, missing

NAME = "compare"

DESCRIPTION = """\
Say in which settings runs differ, and what came of it: last and best return,
losses, norms of the gradients, what clipping left of them, and events.
"""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        prog="whygrad runs compare",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="two or more folders of runs, or names in `runs`")
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Print the table."""
    if len(options.runs) < 2:
        return fail("to compare takes two runs or more: whygrad runs compare RUN RUN")
    trouble = missing()
    if trouble:
        return fail(trouble)
    from whygrad.live.run_comparison import compare

    try:
        runs = [find_run(text) for text in options.runs]
    except NoRun as error:
        return fail(str(error))
    rows = compare(runs)
    names = [run.name for run in runs]
    if len(set(names)) < len(names):  # of different folders
        names = list(options.runs)
    if options.json:
        found = [{"part": row.part, "name": row.name, "values": row.values} for row in rows]
        say(json.dumps({"runs": [str(run.folder) for run in runs], "rows": found}, indent=2))
        return 0
    lines: list[tuple[str, list[str]]] = []
    for part in dict.fromkeys(row.part for row in rows):
        lines += [("", [""] * len(runs))] if lines else []
        lines += [(row.name, [_word(value) for value in row.values]) for row in rows if row.part == part]
    if not any(row.part == "settings" for row in rows):
        say("Their settings are the same.\n")
    say("\n\n".join("\n".join(block) for block in blocks(names, lines, terminal_width())))
    return 0


def _word(value: Any) -> str:
    if value is None:
        return UNKNOWN
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return shown(tuple(value)) if isinstance(value, list) else shown(value)
