"""Networks that a training loop carries along.

Where the whole training is one `lax.scan`, no frame of the program names an array that is a network's content. The
loop's body has names for what it is given (`state[0].target_params['w']`); those that end as the parameters of a
trained network do, and have their shapes, are a network of the same build.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from whygrad.trace.jax_naming import Name, above

if TYPE_CHECKING:
    from whygrad.flow.recording import Recording

Members = dict[str, list[tuple[int, Name]]]


def networks(recording: Recording, numbers: Iterable[int], wanted: Iterable[int], said: dict[str, str]) -> Members:
    """Values by the network that they are a part of, as the loop's body calls it. `said`: names that are taken."""
    rests: dict[str, dict[str, tuple[int | None, ...]]] = {}
    for number in wanted:
        variable = recording.variables[number]
        rests.setdefault(variable.network, {})[variable.name.removeprefix(variable.network)] = variable.shape
    found: dict[str, dict[str, int]] = {}
    for number in sorted(numbers):  # the round before held another value under the same name: the newest counts
        value = recording.values[number]
        for rest in {r for own in rests.values() for r, shape in own.items() if shape == value.shape}:
            if value.kept.endswith(rest) and value.kept != rest:
                found.setdefault(value.kept.removesuffix(rest), {})[rest] = number
    whole: Members = {}
    for prefix, parts in found.items():
        if any(len(own) > 1 and set(own) == set(parts) for own in rests.values()):
            network = prefix if said.setdefault(spoken(prefix), prefix) != prefix else spoken(prefix)
            whole[network] = [(n, Name(network + rest, network, above(network + rest))) for rest, n in parts.items()]
    return whole


def spoken(path: str) -> str:
    """A network as a user would say it: without the place of its state in what is carried."""
    return re.sub(r"^\w+(\[\d+\])+\.", "", path)
