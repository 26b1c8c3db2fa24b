"""What a look at one update holds between the training and the store's thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Look:
    """First copies (`before` and `after` clipping, `weights` before and `moved` after the step), then numbers."""

    there: list[int]
    before: Any
    sizes: tuple[int, ...]
    after: Any = None
    weights: Any = None
    moved: Any = None
    rows: Any = None
    counts: Any = None
    update: int = -1
    time: float = 0.0
    versions: tuple[int, ...] = ()
    times: list[Any] = field(default_factory=list)
