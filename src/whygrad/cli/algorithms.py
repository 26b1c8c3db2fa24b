"""The algorithms' names, without importing one: that would import Keras, which takes seconds."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import whygrad

_FOLDER = Path(whygrad.__file__).parent / "rl" / "agents"


def algorithms() -> list[str]:
    """One for each file in `rl/agents`, which has the algorithm's name."""
    return sorted(file.stem for file in _FOLDER.glob("[!_]*.py"))


def first_line(algorithm: str) -> str:
    """What the file of an algorithm says first, without its name."""
    text = ast.get_docstring(ast.parse((_FOLDER / f"{algorithm}.py").read_text("utf-8"))) or ""
    return text.partition("\n")[0].partition(": ")[2]


def unknown(algorithm: str, recipes: Sequence[str] = ()) -> str:
    """A sentence for a name that is none."""
    near = get_close_matches(algorithm.lower(), [*algorithms(), *recipes], n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    others = f"; recipes are {', '.join(recipes)}" if recipes else ""
    return f"there is no algorithm {algorithm!r}.{hint} The algorithms are {', '.join(algorithms())}{others}."
