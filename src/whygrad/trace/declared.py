"""What a program has declared about its losses: live networks in, variables of a recording out.

Contracts hold the program's own objects (modules, Keras models, parameter lists, pytrees); a recording holds
numbers. Nothing here imports a framework: a network is known by what it can be asked for.
"""

from __future__ import annotations

import re
import sys
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from whygrad.flow.events import Declared
from whygrad.flow.recording import Recording
from whygrad.flow.variables import Variable

_DEEPEST = 8


class Contract(Protocol):
    """What is needed of a contract here."""

    @property
    def loss(self) -> str:
        """What the program calls the loss."""

    @property
    def trains(self) -> tuple[Any, ...]:
        """Networks that the loss trains."""

    @property
    def leaves(self) -> tuple[Any, ...]:
        """Networks that it leaves alone."""


class Recorder(Protocol):
    """What is needed of a framework's recorder here."""

    def variable_number(self, thing: Any, adopt: bool) -> int | None:
        """The number of one of the framework's variables; `adopt` gives it one where it has none yet."""


_alive: weakref.WeakSet[Any] = weakref.WeakSet()
_by_line: dict[tuple[str, int, str], Any] = {}


def remember(contract: Contract, file: str, line: int) -> None:
    """Declared for the whole program. The latest one of each line is kept, also where the program does not keep it."""
    _alive.add(contract)
    _by_line[file, line, contract.loss] = contract


def everywhere() -> list[Contract]:
    """What is declared for the whole program."""
    return list(dict.fromkeys([*_by_line.values(), *_alive]))


@dataclass(slots=True)
class Windows:
    """The stretches of time in which contracts are being checked."""

    _of: dict[int, tuple[Contract, list[tuple[int, int]]]] = field(default_factory=dict)
    _before: dict[int, list[tuple[list[Any], list[Any]]]] = field(default_factory=dict)
    _asked_about: list[Any] = field(default_factory=list)

    def add(self, contract: Contract, begin: int, end: int, before: tuple[list[Any], list[Any]] = ([], [])) -> None:
        """A contract was being checked from one moment to another.

        `before` are its variables as they were when that began: in JAX, a step puts others in their place.
        """
        self._of.setdefault(id(contract), (contract, []))[1].append((begin, end))
        self._before.setdefault(id(contract), []).append(before)

    def ask_about(self, variable: Any) -> None:
        """A variable to be numbered whether the program uses it or not."""
        self._asked_about.append(variable)

    def adopt(self, recorder: Recorder) -> None:
        """Give every variable of a checked contract a number: one that nothing uses is what the check is about."""
        named = [thing for contract, _ in self._of.values() for thing in (*contract.trains, *contract.leaves)]
        for thing, _ in _variables((*named, *self._asked_about)):
            recorder.variable_number(thing, adopt=True)

    def declared(self, recorder: Recorder, recording: Recording) -> list[Declared]:
        """Everything that is declared, in the numbers of one recording that has its names."""
        found = []
        for contract in everywhere():
            if id(contract) not in self._of:
                one = _declared(recorder, recording, contract, ())
                if one.trains or one.leaves:  # else it speaks of other networks than this recording has
                    found.append(one)
        for contract, windows in self._of.values():
            one = _declared(recorder, recording, contract, tuple(windows))
            for trains, leaves in self._before.get(id(contract), ()):
                one.trains |= _numbers(recorder, recording, trains)[0]
                one.leaves |= _numbers(recorder, recording, leaves)[0]
            found.append(one)
        return found


def _declared(
    recorder: Recorder, recording: Recording, contract: Contract, windows: tuple[tuple[int, int], ...]
) -> Declared:
    unknown: list[str] = []
    trains, listed = _numbers(recorder, recording, contract.trains)
    leaves, _ = _numbers(recorder, recording, contract.leaves)
    for numbers, things in ((trains, contract.trains), (leaves, contract.leaves)):
        for name in [thing for thing in things if isinstance(thing, str)]:
            called = {v.id for v in recording.variables.values() if _is_called(v, name)}
            numbers |= called
            if not called:
                unknown.append(name)
    return Declared(contract.loss, frozenset(trains), frozenset(leaves), tuple(unknown), frozenset(listed), windows)


def _is_called(variable: Variable, name: str) -> bool:
    """Whether a variable is `name` or lies in it: `actor` has `actor.fc1.weight` and `params['actor']['kernel']`."""
    wanted, path = _parts(name), _parts(variable.name)
    return variable.network == name or any(path[start : start + len(wanted)] == wanted for start in (0, 1))


def _parts(name: str) -> list[str]:
    return [part for part in re.split(r"[.\[\]'\"/]+", name) if part]


def _numbers(recorder: Recorder, recording: Recording, things: Iterable[Any]) -> tuple[set[int], set[int]]:
    numbers, listed = set(), set()
    for thing, alone in _variables(things):
        number = recorder.variable_number(thing, adopt=False)
        if number is not None:
            numbers.add(number)
            if getattr(thing, "trainable", True) is False:  # a Keras variable knows, the variable inside it does not
                recording.variables[number].trainable = False
            if alone:
                listed.add(number)
    return numbers, listed


def variables(things: Iterable[Any]) -> list[Any]:
    """Every variable in networks, lists, optimizers and pytrees, each once."""
    found = {id(thing): thing for thing, _ in _variables(things)}
    return list(found.values())


def _variables(things: Iterable[Any], depth: int = 0) -> Iterator[tuple[Any, bool]]:
    """(variable, whether it was given by itself) for everything in these things."""
    for thing in things:
        inside = _inside(thing)
        if inside is not None:
            for part in inside:
                yield part, False
        elif depth < _DEEPEST and isinstance(thing, list | tuple | set | frozenset):
            yield from _variables(thing, depth + 1)
        elif depth < _DEEPEST and hasattr(thing, "items") and hasattr(thing, "values"):
            yield from _variables(list(thing.values()), depth + 1)
        elif not isinstance(thing, str | int | float | bool | None):
            yield thing, True


def _inside(thing: Any) -> list[Any] | None:
    """The variables of a network or an optimizer; None for anything else."""
    if callable(getattr(thing, "parameters", None)) and callable(getattr(thing, "named_parameters", None)):
        return list(thing.parameters())  # torch.nn.Module, frozen ones too
    if hasattr(thing, "param_groups") and hasattr(thing, "zero_grad"):
        return [parameter for group in thing.param_groups for parameter in group["params"]]
    lineage = {kind.__name__: kind.__module__.partition(".")[0] for kind in type(thing).__mro__}
    if lineage.get("Layer") in ("keras", "tf_keras"):
        return _of_keras(thing)
    if lineage.get("BaseOptimizer") == "keras" or lineage.get("_BaseOptimizer") == "tf_keras":
        return list(thing._trainable_variables)
    if lineage.get("Module") == "tensorflow" and hasattr(thing, "trainable_variables") and not hasattr(thing, "assign"):
        return list(thing.trainable_variables)
    return _of_pytree(thing)


def _of_keras(layer: Any) -> list[Any]:
    """What a Keras layer was made to train, frozen or not; not its statistics."""
    found: list[Any] = []
    for part in layer._flatten_layers():
        found += getattr(part, "_trainable_variables", None) or getattr(part, "_trainable_weights", None) or ()
    return found or list(layer.trainable_variables)


def _of_pytree(thing: Any) -> list[Any] | None:
    """Arrays in a registered JAX class: an Equinox module, a Flax state, a train state's parameters."""
    jax = sys.modules.get("jax")
    if jax is None or isinstance(thing, list | tuple | dict | str) or hasattr(thing, "dtype"):
        return None
    nnx = sys.modules.get("flax.nnx")
    if nnx is not None and isinstance(thing, nnx.Module):
        return [variable for variable in jax.tree.leaves(nnx.state(thing)) if hasattr(variable, "dtype")]
    leaves = jax.tree.leaves(thing)
    if len(leaves) == 1 and leaves[0] is thing:
        return None
    return [leaf for leaf in leaves if hasattr(leaf, "dtype")]
