"""Something that happened to the gradients of a training, worth telling at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """`at` is the update in which it began; `code` the rule whose manual page explains it."""

    at: int
    kind: str
    code: str
    variable: str
    text: str
    worker: str = ""
