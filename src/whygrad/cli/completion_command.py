"""whygrad completion: what a shell needs to complete the commands and their options."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any

NAME = "completion"
SHELLS = ("bash", "zsh", "fish")
"""Each has a module of its name in `completions/`."""

DESCRIPTION = """\
Print what a shell has to read to complete commands, options, algorithms, rules
and files on Tab. It is complete in itself: whygrad is not started for a Tab.
"""

EPILOG = """\
bash  in ~/.bashrc:                  source <(whygrad completion bash)
zsh   in ~/.zshrc, after compinit:   source <(whygrad completion zsh)
fish  once, and after an upgrade:
      whygrad completion fish > ~/.config/fish/completions/whygrad.fish
"""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="what bash, zsh or fish needs to complete commands",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("shell", choices=SHELLS, help="which shell")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Print it, as it is: a shell reads it, whatever the terminal can show."""
    from whygrad.cli.completions.tree import tree
    from whygrad.cli.main import whole_parser  # it imports this module, as one of its commands

    writer = import_module(f"whygrad.cli.completions.{options.shell}")
    print(writer.script(tree(whole_parser())), end="")
    return 0
