"""Updates that a PyTorch program writes itself: `w -= lr * w.grad`, in a loop over parameters, in a class of its own.

No hook tells of them. A write into a variable's memory is an update where the variable's own gradient has gone into
what is added: as the program read it from `.grad`, or as `autograd.grad` returned it. Only values of the variable's own
shape are followed, so that a flat vector of all parameters (a line search, a conjugate gradient) is none. What is
written between two backward passes is one step, and what it writes to is what the update by hand holds.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import TYPE_CHECKING

from torch import Tensor

from whygrad.flow.events import Step
from whygrad.flow.operations import Numbers, Op
from whygrad.trace.hand_steps import HandSteps

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder

_ADDS = frozenset({"add_", "sub_", "subtract_", "__iadd__", "__isub__", "addcdiv_", "addcmul_", "lerp_"})
_PUTS = frozenset({"copy_", "data.__set__", "set_"})
_KEPT = 20_000
_NAMED = 3


@dataclass(slots=True)
class _Empty:
    """Variables whose `.grad` the program looked for, and found to be None."""

    at: int
    stack: int
    code: CodeType
    tensors: list[weakref.ref[Tensor]] = field(default_factory=list)


class ByHand:
    """What the program does with gradients itself."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder
        self._marked: dict[int, dict[int, bool]] = {}
        """Values that a gradient has gone into: of which variables, and whether it was there or had been cleared."""
        self._given: dict[int, int] = {}
        """Gradients that `autograd.grad` returned, with their variable."""
        self._weights: dict[int, Numbers] = {}
        self._steps = HandSteps(recorder.optimizers.updates, recorder.optimizers.counted)
        self._empty: list[_Empty] = []
        self._looked: list[_Empty] = []
        self._found_one = False
        """Whether the program ever looked for a gradient and found one."""
        self._open_code: CodeType | None = None

    # --- gradients in the program's hands -----------------------------------------------------------------------

    def read(self, variable: int, tensor: Tensor, gradient: int) -> None:
        """The program took a variable's gradient out of `.grad`."""
        fresh = self.recorder.gradients.fresh.get(variable, True)
        self._mark(gradient, {variable: fresh})
        last = next((b for b in reversed(self.recorder.recording.backwards) if variable in b.got), None)
        if fresh and last is not None:
            last.taken_out.add(variable)
        self._found_one = True
        if not self._steps.has_optimizer(variable):
            self._weights.update(self.recorder.numbers.of_gradients([(variable, tensor)]))

    def given(self, gradients: dict[int, int]) -> None:
        """`autograd.grad` returned these: by variable, the value."""
        for variable, value in gradients.items():
            self._given[value] = variable
            self._mark(value, {variable: True})

    def found_none(self, tensor: Tensor, frame: FrameType) -> None:
        """The program looked for a leaf's gradient, and there was none (yet)."""
        recorder = self.recorder
        if any(not optimizer.by_hand for optimizer in recorder.recording.optimizers.values()):
            return  # its step says who came without one
        code = _function(frame)
        if self._steps.open is not None and self._open_code is code:
            self._add_without([tensor])
            return
        last = self._empty[-1] if self._empty else None
        if last is None or last.code is not code:
            last = _Empty(recorder.session.tick(), recorder.session.stacks.capture(frame), code)
            self._empty.append(last)
            if len(self._looked) < _NAMED:
                recorder.look_for_names(frame)
        last.tensors.append(weakref.ref(tensor))

    def pass_on(self, op: Op) -> None:
        """An operation was written down: what it makes of a gradient, entry by entry, is still that gradient."""
        if not self._marked or op.kind == "write":
            return
        values = self.recorder.recording.values
        for number in op.inputs:
            of = self._marked.get(number)
            if of is None:
                continue
            shape = values[number].shape if number in values else None
            for result in op.outputs:
                if result in values and values[result].floating and values[result].shape == shape:
                    known = self._marked.get(result, {})
                    self._mark(result, {v: there or known.get(v, False) for v, there in of.items()})

    def _mark(self, value: int, of: dict[int, bool]) -> None:
        self._marked[value] = self._marked.get(value, {}) | of
        if len(self._marked) > _KEPT:
            for old in list(self._marked)[: _KEPT // 2]:
                del self._marked[old]

    # --- updates ------------------------------------------------------------------------------------------------

    def wrote(self, name: str, variable: int, sources: Sequence[int], stack: int, frame: FrameType) -> bool:
        """Whether a write into a variable was an update by its own gradient; if so it is part of a step."""
        taken = next((s for s in sources if variable in self._marked.get(s, ())), None)
        if taken is None or name not in _ADDS | _PUTS or self._steps.has_optimizer(variable):
            return False
        recorder = self.recorder
        step = self._step_for(variable, stack, frame)
        tensor = recorder.variables.tensor(variable)
        if self._marked[taken][variable]:
            step.applied |= {variable}
            grad = tensor.grad if tensor is not None else None
            step.gradients.update(recorder.numbers.of_gradients([(variable, grad)]))
            if variable in self._weights:
                step.weights[variable] = self._weights.pop(variable)
            if self._returned(variable, taken):
                step.taken[variable] = taken
                last = next((b for b in reversed(recorder.recording.backwards) if variable in b.gradients), None)
                if last is not None:
                    step.gradients[variable] = last.gradients[variable]
        else:
            step.without |= {variable}
        recorder.recording.optimizers[step.optimizer].holds.add(variable)
        recorder.recording.hand_updated.discard(variable)
        recorder.copies.stepped([variable])
        recorder.copies.step_done([variable])
        return True

    def holds(self, variable: int) -> bool:
        """Whether the program updates a variable itself."""
        return self._steps.holds(variable)

    def _returned(self, variable: int, value: int) -> bool:
        """Whether what is added came from `autograd.grad`: then nothing lies in `.grad` to be told from."""
        tensor = self.recorder.variables.tensor(variable)
        return value in self._given or tensor is None or tensor.grad is None

    def _step_for(self, variable: int, stack: int, frame: FrameType) -> Step:
        """The step that a write belongs to; a new one is without what the program has just looked for in vain."""
        step, new = self._steps.step_for(variable, stack, frame)
        if new:
            self._open_code = _function(frame)
            looked_for = [one for one in self._empty if one.code is self._open_code]
            self._empty = [one for one in self._empty if one not in looked_for]
            self._add_without(t for one in looked_for for ref in one.tensors if (t := ref()) is not None)
            self.recorder.look_for_names(frame)
        return step

    def _add_without(self, tensors: Iterable[Tensor]) -> None:
        """The program looks for these gradients where it makes its update, and finds none."""
        recorder, step = self.recorder, self._steps.open
        if step is None:
            return
        numbers = {recorder.variables.adopt(t) for t in tensors}
        numbers = {n for n in numbers if not self._steps.has_optimizer(n)} - step.applied
        step.without |= numbers
        recorder.recording.optimizers[step.optimizer].holds |= numbers

    def close(self) -> None:
        """A backward pass begins, or the program ends: what was written so far was one step."""
        self._looked += self._empty
        self._empty = []
        self._steps.end()

    # --- at the end ---------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Where a program looks for its gradients in each round and never finds one, there was no write to see."""
        self._steps.finish()
        looked = [*self._looked, *self._empty]
        recording = self.recorder.recording
        passes = [b for b in recording.backwards if b.call == "backward"]
        if not looked or not passes or self._found_one or recording.optimizers or recording.steps:
            return
        often = Counter(one.stack for one in looked)
        if self.recorder.session.failed:
            often[looked[-1].stack] += 1  # it stopped there, for want of a gradient
        missed: list[Step] = []
        for one in (one for one in looked if often[one.stack] > 1):
            tensors = [t for ref in one.tensors if (t := ref()) is not None]
            without = frozenset(map(self.recorder.variables.adopt, tensors))
            missed.append(Step(one.at, 0, one.stack, frozenset(), without))
        self._steps.add_missing(missed)


def _function(frame: FrameType) -> CodeType:
    """The function that a look at `.grad` belongs to, be it in a comprehension."""
    while frame.f_code.co_name in ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>") and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code
