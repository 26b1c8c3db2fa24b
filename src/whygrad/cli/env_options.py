"""The options of an environment on the command line: `--env-set name=value`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from whygrad.cli.agent_settings import BadSetting, parse


def parse_options(env: str, words: Sequence[str]) -> dict[str, Any]:
    """`name=value` words as options: read by their types for a world of ours, as Python writes them for others."""
    if not words:
        return {}
    from whygrad.rl.worlds.catalogue import WORLDS

    for kind in WORLDS:
        if env == kind.ID:
            return parse(kind, words)
    return dict(map(_option, words))


def _option(word: str) -> tuple[str, Any]:
    name, equals, text = word.partition("=")
    if not equals or not name.isidentifier():
        raise BadSetting(f"--env-set takes name=value, got {word!r}.")
    try:
        return name, ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return name, text  # plain text needs no quotes
