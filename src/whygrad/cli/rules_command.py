"""whygrad rules: the catalogue."""

from __future__ import annotations

import argparse
import json
import shutil
import textwrap
from typing import Any

from whygrad.cli.output import say
from whygrad.rules.catalogue import RULES

NAME = "rules"


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(NAME, help="list the rules", description="List the rules.")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Print code, name and summary of every rule."""
    if options.json:
        print(json.dumps([{"code": r.code, "rule": r.name, "summary": r.summary} for r in RULES], indent=2))
        return 0
    width = max(60, min(shutil.get_terminal_size().columns, 100))
    column = max(len(rule.name) for rule in RULES) + 8
    for rule in RULES:
        lines = textwrap.wrap(rule.summary, width - column)
        say(f"{rule.code}  {rule.name:{column - 6}}{lines[0]}")
        for line in lines[1:]:
            say(" " * column + line)
    say("\n`whygrad explain CODE` prints the page of a rule.")
    return 0
