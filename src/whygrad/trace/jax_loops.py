"""Networks that a training loop carries along.

Where the whole training is one `lax.scan`, no frame of the program names an array that is a network's content. The
loop's body has names for what it is given (`state[0].target_params['w']`); those that end as the parameters of a
trained network do, and have their shapes, are a network of the same build.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from whygrad.trace.jax_naming import Name, above

if TYPE_CHECKING:
    from whygrad.flow.recording import Recording
    from whygrad.trace.jax_calls import Calls
    from whygrad.trace.jax_scopes import Scope

Members = dict[str, list[tuple[int, Name]]]


def networks(recording: Recording, numbers: Iterable[int], wanted: Iterable[int], said: dict[str, str]) -> Members:
    """Values by the network that they are a part of, as the loop's body calls it. `said`: names that are taken."""
    rests: dict[str, _Rests] = {}
    for number in wanted:
        variable = recording.variables[number]
        rests.setdefault(variable.network, {})[variable.name.removeprefix(variable.network)] = variable.shape
    numbers = sorted(numbers)
    return _alike(recording, numbers, rests, said) or _alike(recording, numbers, _by_place(rests), said)


_Rests = dict[str, tuple[int | None, ...]]


def _by_place(rests: dict[str, _Rests]) -> dict[str, _Rests]:
    """Networks that are the first, the second … of what the program keeps in one tuple."""
    found: dict[str, _Rests] = {}
    for network, own in rests.items():
        for rest, shape in own.items():
            place = re.match(r"\[\d+\]", rest)
            if place is not None:
                found.setdefault(network + place[0], {})[rest[place.end() :]] = shape
    return found


def _alike(recording: Recording, numbers: list[int], rests: dict[str, _Rests], said: dict[str, str]) -> Members:
    found: dict[str, dict[str, int]] = {}
    for number in numbers:  # the round before held another value under the same name: the newest counts
        value = recording.values[number]
        shapes = ((r, shape) for own in rests.values() for r, shape in own.items())
        for rest in {r for r, shape in shapes if shape == value.shape or is_row_of(value.shape, shape)}:
            if value.kept.endswith(rest) and value.kept != rest:
                found.setdefault(value.kept.removesuffix(rest), {})[rest] = number
    whole: Members = {}
    for prefix, parts in found.items():
        if any(len(own) > 1 and set(own) == set(parts) for own in rests.values()):
            network = prefix if said.setdefault(spoken(prefix), prefix) != prefix else spoken(prefix)
            whole[network] = [(n, Name(network + rest, network, above(network + rest))) for rest, n in parts.items()]
    return whole


def told_apart(recording: Recording, number: int, name: Name) -> Name:
    """What is differentiated by a name of our own, `params`: as its loop calls it, where another one has that name.

    `value_and_grad(loss)(state.target_params)`, in a loop that also carries `state.params`.
    """
    kept, rest = recording.values[number].kept, name.full.removeprefix(name.network)
    if not kept.endswith(rest) or spoken(kept) == name.full:
        return name
    if not any(v.kept and spoken(v.kept) == name.full for v in recording.values.values()):
        return name
    network = spoken(kept.removesuffix(rest))
    return Name(network + rest, network, above(network + rest))


def each_its_own(calls: Calls, scope: Scope, body: Scope, arguments: dict[int, int], stack: int) -> dict[int, int]:
    """Two places of what a loop carries, given one array to begin with, are two: `(params, params, …)`."""
    seen: set[int] = set()
    for own, number in arguments.items():
        inner = body.values.get(own)
        if number in seen and inner is not None and inner.kept:
            arguments[own] = _copy(calls, scope, number, stack)
            value = calls.value(scope, arguments[own])
            value.kept, value.steady = inner.kept, inner.steady
        seen.add(number)
    return arguments


def carried_apart(
    calls: Calls, scope: Scope, jaxpr: Any, inputs: list[int], parts: tuple[int, int], stack: int
) -> list[int]:
    """The same for what a loop is given directly. What it hands through unchanged JAX has made a constant of it."""
    consts, carried = parts
    names = getattr(jaxpr.debug_info, "arg_names", None) or ()
    seen: set[int] = set()
    for place in (*range(consts, consts + carried), *(i for i in range(consts) if i < len(names) and names[i])):
        if inputs[place] in seen:
            inputs[place] = _copy(calls, scope, inputs[place], stack)
        seen.add(inputs[place])
    return inputs[consts : consts + carried]


def _copy(calls: Calls, scope: Scope, number: int, stack: int) -> int:
    value = calls.value(scope, number)
    if not value.floating or not value.shape:
        return number
    copy = calls.recorder.values.fresh(scope, value.shape, True)
    calls.recorder.values.alike(scope, copy, number)
    calls.write(scope, "copy", [number], [copy], stack)
    return copy


def is_row_of(row: tuple[int | None, ...], whole: tuple[int | None, ...]) -> bool:
    """Whether `vmap` may have taken one shape for a row of another: its leading lengths are gone."""
    return 0 < len(row) < len(whole) and whole[-len(row) :] == row


def spoken(path: str) -> str:
    """A network as a user would say it: without the place of its state in what is carried."""
    return re.sub(r"^\w+(\[\d+\])+\.", "", path)
