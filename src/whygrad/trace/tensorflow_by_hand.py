"""Updates that a TensorFlow program writes itself: `w.assign_sub(lr * g)`, in a loop, in an optimizer of its own.

No wrapper of an optimizer sees them. A write into a variable is an update where the variable's own gradient, as the
tape gave it, has gone into what is written: at once, or by way of variables that average it (the moments of an Adam).
Only values of the gradient's own shape are followed, so that a flat vector of all parameters (a line search) is none.
What is written between two requests for gradients is one step, and what it writes to is what the update by hand holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from types import FrameType
from typing import TYPE_CHECKING, Any

from whygrad.flow.events import Backward
from whygrad.flow.operations import Numbers, Op
from whygrad.trace.hand_steps import HandSteps

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder
    from whygrad.trace.tensorflow_variables import Store

_KEPT = 20_000
_FAR_BACK = 400


class ByHand:
    """What the program does with gradients itself."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self._marked: dict[int, frozenset[int]] = {}
        """Values that gradients have gone into, with the variables that these are the gradients of."""
        self._weights: dict[int, Numbers] = {}
        self._steps = HandSteps(recorder.optimizers.updates, recorder.optimizers.counted)

    # --- gradients in the program's hands -----------------------------------------------------------------------

    def given(self, variable: int, values: Iterable[int], source: Any) -> None:
        """A tape answered with a variable's gradient; of a write TensorFlow tells when the old content is gone."""
        for value in values:
            self._mark(value, frozenset({variable}))
        if not self._steps.has_optimizer(variable):
            self._weights.update(self.recorder.numbers.of_variable(variable, source))

    def pass_on(self, op: Op) -> None:
        """An operation was written down: what it makes of a gradient, entry by entry, is still that gradient."""
        if not self._marked or op.kind == "write":
            return
        values = self.recorder.recording.values
        for number in op.inputs:
            of = self._marked.get(number)
            if of is None or number not in values:
                continue
            for result in op.outputs:
                if values[result].floating and values[result].shape == values[number].shape:
                    self._mark(result, of)

    def marked(self, values: Sequence[int]) -> bool:
        """Whether gradients have gone into any of these."""
        return any(value in self._marked for value in values)

    def _mark(self, value: int, of: frozenset[int]) -> None:
        self._marked[value] = self._marked.get(value, frozenset()) | of
        if len(self._marked) > _KEPT:
            for old in list(self._marked)[: _KEPT // 2]:
                del self._marked[old]

    # --- updates ------------------------------------------------------------------------------------------------

    def wrote(self, store: Store, sources: Sequence[int], after: int, stack: int, frame: FrameType) -> bool:
        """Whether a write into a variable was an update by its own gradient; if so it is part of a step.

        Of one that gathers the gradients of others, the content is theirs from now on.
        """
        of = frozenset[int]().union(*(self._marked.get(value, ()) for value in sources))
        if not of:
            return False
        variable = store.number
        if variable is None or variable not in of or self._steps.has_optimizer(variable):
            self._mark(after, of)
            return False
        recorder = self.recorder
        step, new = self._steps.step_for(variable, stack, frame)
        if new:
            recorder.look_for_names(frame)
        step.applied |= {variable}
        recorder.recording.optimizers[step.optimizer].holds.add(variable)
        last = self._last_request(variable)
        if last is not None and variable in last.gradients:
            step.gradients[variable] = last.gradients[variable]
        if variable in self._weights:
            step.weights[variable] = self._weights.pop(variable)
        taken = self._taken(variable, sources)
        if taken is not None:
            step.taken[variable] = taken
        recorder.recording.hand_updated.discard(variable)
        recorder.copies.stepped([variable])
        recorder.copies.step_done([variable])
        return True

    def _last_request(self, variable: int) -> Backward | None:
        return next((b for b in reversed(self.recorder.recording.backwards) if variable in b.got), None)

    def _taken(self, variable: int, sources: Sequence[int]) -> int | None:
        """The gradient that was written, as the tape gave it or clipped; None where an average stands between."""
        gradient_of = self.recorder.edits.gradient_of
        above = {value for value in sources if variable in self._marked.get(value, ())}
        if not above:
            return None
        nearest = [value for value in above if gradient_of.get(value) == variable]
        for op in islice(reversed(self.recorder.recording.ops.values()), _FAR_BACK):
            if nearest:
                return max(nearest)
            if op.kind == "write" or not above.intersection(op.outputs):
                continue
            found = {value for value in op.inputs if variable in self._marked.get(value, ())}
            nearest = [value for value in found if gradient_of.get(value) == variable]
            above |= found
        return max(nearest) if nearest else None

    def close(self) -> None:
        """Gradients are asked for, or the program ends: what was written so far was one step."""
        self._steps.end()

    def finish(self) -> None:
        """The program has ended."""
        self._steps.finish()
