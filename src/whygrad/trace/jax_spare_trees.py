"""Trees that begin with the numbers of one that is differentiated, and are kept beside it: target networks.

Whether anything is computed with them is for the rules to see. That they are there shows in what the program's names
hold, also where a compiled function is given them and passes them by.
"""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING, Any

import jax
import numpy

from whygrad.flow.variables import SpareTree

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder

_LARGEST = 1_000_000


class SpareTrees:
    """Looks once for each set of variables, at the first gradient that is asked for them."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._known: set[frozenset[int]] = set()

    def look(self, frame: FrameType, opened: dict[int, Any], stack: int) -> None:
        """Among what the user's frames name: arrays called as these are but for the beginning, and equal to them."""
        recorder, owners = self.recorder, frozenset(opened)
        if owners in self._known or not opened or recorder.ring.running or recorder.recording.steps:
            return
        self._known.add(owners)
        named = recorder.naming.everything(frame)
        ids = {id(array): variable for variable, array in opened.items()}
        names = {ids[id(array)]: name for name, array in named.items() if id(array) in ids and "[" in name}
        begins = {name.partition("[")[0] for name in names.values()}
        if len(names) < len(opened) or len(begins) != 1:
            return
        online = begins.pop()
        rests = {variable: name.removeprefix(online) for variable, name in names.items()}
        for begin in sorted({name.partition("[")[0] for name in named} - {online}):
            twins = {variable: named.get(begin + rest) for variable, rest in rests.items()}
            if all(_equal(opened[variable], twin) for variable, twin in twins.items()):
                values = frozenset(recorder.values.of(recorder.root, twin, stack) for twin in twins.values())
                recorder.recording.spare.append(SpareTree(begin, online, owners, values))


def _equal(one: Any, other: Any) -> bool:
    """Whether two arrays, and not one, hold the same numbers."""
    if one is other or not (isinstance(one, jax.Array) and isinstance(other, jax.Array)):
        return False
    if any(isinstance(array, jax.core.Tracer) or array.is_deleted() for array in (one, other)):
        return False  # not known, or given away with `donate_argnums`
    if one.shape != other.shape:
        return False
    return one.size <= _LARGEST and one.dtype == other.dtype and numpy.array_equal(one, other)
