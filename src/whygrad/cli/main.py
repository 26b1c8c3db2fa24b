"""The command `whygrad`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from types import ModuleType

import whygrad
from whygrad.cli import (
    collect_command,
    completion_command,
    evaluate_command,
    explain_command,
    export_command,
    import_command,
    info_command,
    play_command,
    plot_command,
    probe_command,
    report_command,
    rules_command,
    run_command,
    runs_command,
    sweep_command,
    train_command,
    view_command,
)
from whygrad.cli.output import fail

COMMANDS: list[ModuleType] = [
    run_command,
    report_command,
    explain_command,
    rules_command,
    view_command,
    runs_command,
    plot_command,
    train_command,
    sweep_command,
    evaluate_command,
    play_command,
    probe_command,
    collect_command,
    export_command,
    import_command,
    info_command,
    completion_command,
]

DESCRIPTION = """\
Says why a network is not learning: which operation cut the gradient, on which
line, and what to write instead.
"""

EPILOG = """\
examples:
  whygrad run train.py --lr 1e-3     run a script, explain its missing gradients
  whygrad run -m mylab.train         the same for a module
  whygrad run --html w.html train.py with a page to look at and to pass on
  whygrad explain W104               the manual page of a rule
  whygrad view                       the runs, live, in the browser
  whygrad train dqn --env CartPole-v1   train an agent, then watch it:
  whygrad play runs/dqn-CartPole-v1-0-1
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = whole_parser()
    if not given:
        parser.print_help(sys.stderr)
        return 2
    if given[0] not in [*_names(), "-h", "--help", "--version"]:
        return fail(_unknown(given))
    if given[0] == "runs":
        given = runs_command.complete(given)
    if given[0] == "run":
        given, target = run_command.split(given)
        options, unknown = parser.parse_known_args(given)
        if unknown:
            return fail(f"`whygrad run` has no option {unknown[0]}. Options of the script come after it.")
        options.target = target
    else:
        options = parser.parse_args(given)
    try:
        status = int(options.run(options))
        if sys.stdout is not None and options.command != "run":
            sys.stdout.flush()
        return status
    except BrokenPipeError:  # `whygrad rules | head` is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141


def whole_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="whygrad",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"whygrad {whygrad.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def _names() -> list[str]:
    return [command.NAME for command in COMMANDS]


def _unknown(given: list[str]) -> str:
    word = given[0]
    if word.endswith(".py") or os.path.exists(word):
        return f"to run a script, write: whygrad run {' '.join(given)}"
    return f"there is no command {word!r}. The commands are {', '.join(_names())}; `whygrad --help` says what they do."
