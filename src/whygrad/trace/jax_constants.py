"""What a compiled training step took from around it when it was traced: it uses the same in each call."""

from __future__ import annotations

import weakref
from typing import Any

from whygrad.flow.recording import Op
from whygrad.trace.jax_scopes import Scope
from whygrad.trace.user_line import OWN, classify


class Fixed:
    """Counts the calls of such steps, and knows whether the function is still there at the end."""

    def __init__(self) -> None:
        self._calls: dict[int, int] = {}
        self._functions: dict[int, weakref.ref[Any] | None] = {}

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
        return function is not None and function() is not None


def own_function(function: Any) -> weakref.ref[Any] | None:
    """A function of the program's; one of a library stands for many, and stays while those come and go."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None or classify(code.co_filename) != OWN:
        return None
    return weakref.ref(function)
