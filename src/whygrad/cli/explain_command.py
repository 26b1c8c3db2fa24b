"""whygrad explain: the manual page of a rule."""

from __future__ import annotations

import argparse
from typing import Any

from whygrad.cli.output import fail, say
from whygrad.rules.catalogue import find

NAME = "explain"


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME, help="print the manual page of a rule", description="Print the manual page of a rule."
    )
    parser.add_argument("rule", metavar="CODE", help="a rule's code or name: W104, not-differentiable")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Print the page."""
    try:
        rule = find(options.rule)
    except KeyError as error:
        return fail(str(error.args[0]))
    say(rule.manual.strip())
    return 0
