"""What a compiled training step took from around it when it was traced: it uses the same in each call."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from types import CodeType
from typing import Any

from whygrad.flow.operations import Op
from whygrad.trace.jax_scopes import Compiled, Scope
from whygrad.trace.user_line import OWN, classify


class Fixed:
    """Counts the calls of such steps, and knows whether the function is still there at the end."""

    def __init__(self) -> None:
        self._calls: dict[int, int] = {}
        self._collected = False
        self._functions: dict[int, Compiled | None] = {}

    def count(self, body: Scope, constants: set[int]) -> None:
        """One call of a compiled training step."""
        outside = {n for item in body.items if isinstance(item, Op) for n in item.inputs if n not in body.values}
        for number in outside & constants:
            self._calls[number] = self._calls.get(number, 0) + 1
            self._functions[number] = body.function

    def again(self, number: int) -> bool:
        """Whether a value was used in more calls than the one that traced the function."""
        return self._calls.get(number, 0) > 1

    def still(self, number: int) -> bool:
        """Whether the function that uses it is still there: one that was made anew took what is there by then."""
        function = self._functions.get(number)
        return function is not None and self._there(function)

    def left(self, number: int, name: str) -> bool:
        """Whether the function is gone and never spoke of `name`, which holds the value still: others came after it."""
        function = self._functions.get(number)
        return function is not None and name not in function.names and not self._there(function)

    def _there(self, function: Compiled) -> bool:
        """At the end of the script: compiled functions hold themselves, until somebody collects them."""
        if function.there() is not None and not self._collected:
            self._collected = True
            gc.collect()
        return function.there() is not None


def own_function(function: Any) -> Compiled | None:
    """A function of the program's; one of a library stands for many, and stays while those come and go."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None or classify(code.co_filename) != OWN:
        return None
    return Compiled(weakref.ref(function), frozenset(_names(code)))


def _names(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_freevars)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
