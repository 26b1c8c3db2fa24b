"""What can stand where the help says `FILE`, `RUN` or `ALGO`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from whygrad.cli import algorithms, backends
from whygrad.gymnasium_ids import KINDS
from whygrad.rules.catalogue import RULES
from whygrad.trainings.presets import preset_envs
from whygrad.trainings.recipes import recipe_names


@dataclass(frozen=True, slots=True)
class Value:
    """What a shell offers for a value: some words, files, folders, or nothing because any text will do."""

    called: str
    kind: Literal["words", "file", "script", "folder", "text"]
    words: tuple[str, ...] = ()


TEXT = (
    "C", "H", "K", "M", "N", "P", "R", "S", "TIME", "NAME", "NAME=VALUE", "FIELD=VALUE", "FIELD=VALUES",
    "MODULE", "ADDRESS",
)  # fmt: skip
"""Numbers and names that only the user knows. A test wants to find everything here of which nothing is offered."""

_FILES = ("FILE", "PATH")
_FOLDERS = ("FOLDER", "DIR", "RUN", "SWEEP")


def value(called: str, where: str) -> Value:
    """What `called` means in a command; `where` says which one, and which option."""
    words = _WORDS.get(where) or _WORDS.get(called)
    if words is not None:
        return Value(called, "words", tuple(words()))
    if called in _FILES:
        return Value(called, "file")
    if called in _FOLDERS:
        return Value(called, "folder")
    return Value(called, "text")


def _rules() -> list[str]:
    return [word for rule in RULES for word in (rule.code, rule.name)]


def _environments() -> list[str]:
    return sorted({env for name in algorithms.algorithms() for env in preset_envs(name)}) + list(KINDS)


_WORDS: dict[str, Callable[[], list[str]]] = {
    "B": lambda: list(backends.BACKENDS),
    "CODE": _rules,
    "ID": _environments,
    "D": lambda: ["cpu", "gpu"],
    "ALGO": algorithms.algorithms,
    "train ALGO": lambda: [*algorithms.algorithms(), *recipe_names()],
    "train --precision": lambda: ["float32", "bfloat16"],
}
"""By what the help calls it, or by the command with its option."""
