"""Replacing attributes of a framework, and putting every one of them back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


class Patches:
    """Wrappers in place; `undo` restores what was there, in reverse order."""

    def __init__(self) -> None:
        self._saved: list[tuple[Any, str, Any, bool]] = []

    def replace(self, owner: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        """Set `owner.name` to `wrap(original)`. A class method arrives as its descriptor's bound original."""
        own = name in vars(owner)
        original = getattr(owner, name)
        saved = vars(owner)[name] if own else None
        wrapped = wrap(original)
        if callable(wrapped) and not isinstance(wrapped, type | classmethod | staticmethod):
            wrapped = functools.wraps(original)(wrapped)
        self._saved.append((owner, name, saved, own))
        setattr(owner, name, wrapped)

    def add(self, owner: Any, name: str, thing: Any) -> None:
        """Give `owner` an attribute that it does not define itself."""
        if name in vars(owner):
            raise AttributeError(f"{owner} already has {name}")
        self._saved.append((owner, name, None, False))
        setattr(owner, name, thing)

    def undo(self) -> None:
        """Restore the originals."""
        while self._saved:
            owner, name, saved, own = self._saved.pop()
            if own:
                setattr(owner, name, saved)
            else:
                delattr(owner, name)
