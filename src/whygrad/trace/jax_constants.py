"""What a compiled training step took from around it when it was traced: it uses the same in each call."""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import weakref
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from jax.tree_util import tree_leaves

from whygrad.flow.operations import Op
from whygrad.flow.syntax import Function, tree_of
from whygrad.trace.jax_attributes import begins, given_anew, given_anew_around, own_parts
from whygrad.trace.jax_makers import made_again
from whygrad.trace.jax_naming import Name
from whygrad.trace.jax_scopes import Compiled, Scope
from whygrad.trace.user_line import OWN, classify

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder


class Fixed:
    """Counts the calls of such steps, and knows whether the function is still there at the end."""

    def __init__(self) -> None:
        self._calls: dict[int, int] = {}
        self._collected = False
        self._functions: dict[int, Compiled | None] = {}
        self._anew: set[tuple[str, str]] = set()

    def traced_later(self, function: Any) -> None:
        """A function was traced after the updates that are written down: it took what was there by then."""
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        if code is not None:
            self._anew.add((code.co_filename, code.co_qualname))

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

    def passed_by(self, number: int) -> bool:
        """Whether the function is made once, and the name that it took the value from gets others after that."""
        function = self._functions.get(number)
        if function is None or (function.file, function.qualname) in self._anew:
            return False
        return number in function.passed_by

    def left(self, number: int, name: str) -> bool:
        """Whether the function is gone and never spoke of `name`, which holds the value still: others came after it."""
        function = self._functions.get(number)
        return function is not None and name not in function.names and not self._there(function)

    def made_again(self, number: int, files: frozenset[str]) -> bool:
        """Whether what makes the function is there to be called again: the next one takes what is there by then."""
        function = self._functions.get(number)
        return function is not None and made_again(function.file, function.qualname, files)

    def _there(self, function: Compiled) -> bool:
        """At the end of the script: compiled functions hold themselves, until somebody collects them."""
        if function.there() is not None and not self._collected:
            self._collected = True
            gc.collect()
        return function.there() is not None


def captured_networks(
    recorder: JaxRecorder, numbers: dict[int, Op | None], wanted: set[int], stack: int
) -> dict[int, int]:
    """What a trained network held when the function was traced, and no name of the program's holds any more."""
    values, variables = recorder.recording.values, recorder.recording.variables
    by_network: dict[str, dict[int, int]] = {}
    for number in numbers:
        owner = values[number].variable
        if owner in wanted and recorder.variables.content.get(owner) != number:
            by_network.setdefault(variables[owner].network, {})[owner] = number
    taken: dict[int, int] = {}
    for network, members in by_network.items():
        if any(v not in members for v in wanted if variables[v].network == network):
            continue
        for owner, number in members.items():
            variable = variables[owner]
            tail = variable.name.removeprefix(network)
            name = Name(f"{network} (constant){tail}", f"{network} (constant)", variable.owner)
            found = recorder.variables.named(name, variable.shape)
            if found is None:
                found = recorder.variables.declare(name, variable.shape, stack)
                variables[found].constant = True
            taken[found] = number
            captured = numbers[number]
            if captured is not None:
                values[captured.outputs[0]].variable = found
    return taken


def own_function(function: Any, static: list[Any], known: Callable[[Any], int | None]) -> Compiled | None:
    """A function of the program's; one of a library stands for many, and stays while those come and go.

    `static`: the arguments that it was compiled for, of which `self` may be one.
    """
    plain = getattr(function, "__func__", function)
    code = getattr(plain, "__code__", None)
    if code is None or classify(code.co_filename) != OWN:
        return None
    names, holders = frozenset(_names(code)), [*static, getattr(function, "__self__", None)]
    around = given_anew_around(plain) if isinstance(plain, FunctionType) else ()
    trees = (*_taken(plain, code), *given_anew(code, names, holders), *around)
    taken = (known(leaf) for tree in trees for leaf in tree_leaves(tree))
    passed_by = frozenset(number for number in taken if number is not None)
    return Compiled(weakref.ref(function), names, passed_by, code.co_filename, code.co_qualname)


def _names(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_freevars)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _taken(function: Any, code: CodeType) -> Iterator[Any]:
    """What a function takes from around it by names that are bound anew later, as long as it is there."""
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=False))
    for name in _bound_anew(code.co_filename, code.co_firstlineno) & set(_names(code)):
        with contextlib.suppress(ValueError, KeyError):  # nothing is bound to it yet
            yield cells[name].cell_contents if name in cells else function.__globals__[name]


@functools.lru_cache(maxsize=512)
def _bound_anew(file: str, line: int) -> frozenset[str]:
    """The names that a function or module binds in a loop, after it has made the function of this line, once."""
    tree = tree_of(file)
    for outer in ast.walk(tree) if tree is not None else ():
        own = list(own_parts(outer, False)) if isinstance(outer, Function | ast.Module) else []
        for node, looped in own:
            if isinstance(node, Function) and begins(node) == line and not looped:
                later = [one for one, again in own if again and isinstance(one, ast.Name) and one.lineno > node.lineno]
                return frozenset(one.id for one in later if isinstance(one.ctx, ast.Store))
    return frozenset()
