"""whygrad runs clean: remove runs, after saying which."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from whygrad.cli.narrow_table import Column, table, terminal_width
from whygrad.cli.numbers import at_least
from whygrad.cli.output import fail, say
from whygrad.cli.refusals import in_sentences
from whygrad.cli.run_names import missing, no_folder
from whygrad.cli.sizes_and_ages import age, duration, size

if TYPE_CHECKING:
    from whygrad.live.run_listing import Run
    from whygrad.live.run_removal import Removal

NAME = "clean"

DESCRIPTION = """\
Remove runs of a folder. Which ones would go is shown, and nothing is removed
without --yes. Several conditions must all hold. A run that is being trained
stays, and so does whatever a training did not write: films, exported networks,
files of your own. Links are not followed.
"""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        prog="whygrad runs clean",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("folder", metavar="FOLDER", nargs="?", default="runs", help="of runs (default: runs)")
    parser.add_argument("--older-than", type=duration, metavar="TIME", help="last written so long ago: 30d, 12h, 2w")
    parser.add_argument("--empty", action="store_true", help="without a single update, metric or checkpoint")
    parser.add_argument("--keep", type=at_least(0), metavar="N", help="all but the N newest")
    parser.add_argument("--yes", action="store_true", help="remove them")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Show what would go, and with --yes remove it."""
    if options.older_than is None and options.keep is None and not options.empty:
        return fail("which runs? Say --older-than 30d, --empty or --keep 10; several must all hold.")
    trouble = no_folder(options.folder) or missing()
    return fail(trouble) if trouble else in_sentences(lambda: _clean(options))


def _clean(options: argparse.Namespace) -> int:
    from whygrad.live.run_listing import Runs, is_run
    from whygrad.live.run_removal import Removal, removal, remove

    root = Runs(options.folder)
    if is_run(root.root):
        return fail(f"{options.folder!r} is a run itself; give the folder that it lies in.")
    now = time.time()
    wanted = [run for at, run in enumerate(root.all()) if _is_meant(run, at, now, options)]
    asked = [(run, removal(run)) for run in wanted]
    going = [one for _, one in asked if isinstance(one, Removal)]
    for run, why in asked:
        if isinstance(why, str):
            say(f"{run.name} stays: {why}.")
    if not going:
        say(f"There is nothing to remove in {options.folder!r}.")
        return 0
    for line in table(_columns(going, now), terminal_width()):
        say(line)
    total = f"{_runs(len(going))}, {size(sum(one.size for one in going))}"
    if not options.yes:
        say(f"\nNothing was removed. With --yes these are: {total}.")
        return 0
    failed = 0
    for one in going:
        trouble = remove(one)
        if trouble:
            failed = fail(f"{one.run.name} stays: {trouble}.")
    if not failed:
        say(f"\nRemoved {total}.")
    return failed


def _is_meant(run: Run, place: int, now: float, options: argparse.Namespace) -> bool:
    if options.keep is not None and place < options.keep:
        return False
    if options.older_than is not None and now - run.changed() < options.older_than:
        return False
    return not options.empty or run.empty()


def _columns(going: list[Removal], now: float) -> list[Column]:
    return [
        Column("removes", [one.run.name for one in going], 9),
        Column("age", [age(now - one.run.changed()) for one in going], 5, True),
        Column("files", [f"{len(one.files):,}" for one in going], 3, True),
        Column("size", [size(one.size) for one in going], 6, True),
        Column("stays in its folder", [_stays(one.stays) for one in going], 4),
    ]


def _stays(files: tuple[str, ...]) -> str:
    return f"{files[0]} and {len(files) - 1} more" if len(files) > 1 else "".join(files)


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count:,} runs"
