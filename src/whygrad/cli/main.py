"""The command `whygrad`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from types import ModuleType

import whygrad
from whygrad.cli import explain_command, rules_command, run_command

COMMANDS: list[ModuleType] = [run_command, explain_command, rules_command]

EPILOG = """\
examples:
  whygrad run train.py --lr 1e-3      run a script and explain its missing gradients
  whygrad run -m mylab.train          the same for a module
  whygrad explain W104                the manual page of a rule

exit status of `run`: the script's own; 3 with --fail-on when something was found; 2 when it could not start.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="whygrad",
        description="Says why a network is not learning: which operation cut the gradient, on which line, and the fix.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"whygrad {whygrad.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except BrokenPipeError:  # `whygrad rules | head` is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def fail(sentence: str) -> int:
    """One clear sentence on standard error, and the exit status for it."""
    print(f"whygrad: {sentence}", file=sys.stderr)
    return 2
