"""Functions that AutoGraph has rewritten: Keras 2 does so with every loss function it is given, eager or not."""

from __future__ import annotations

from types import CodeType

from tensorflow.python.autograph.impl import api

from whygrad.trace.user_line import Rewritten, rewriters


def attach() -> None:
    """Have lines of generated code shown as the user's own."""
    if rewritten not in rewriters:
        rewriters.append(rewritten)


def rewritten(file: str) -> Rewritten | None:
    """What a generated file was made of, by AutoGraph's own notes; None where it keeps none."""
    kept = getattr(getattr(getattr(api, "_TRANSPILER", None), "_cache", None), "_cache", {})
    for code, made in list(kept.items()):
        for factory in made.values():
            if isinstance(code, CodeType) and getattr(factory.module, "__file__", None) == file:
                return code, {place.lineno: origin.loc.lineno for place, origin in (factory.source_map or {}).items()}
    return None
