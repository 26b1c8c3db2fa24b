"""The steps of updates that a program writes itself: which writes make up one, and what the update by hand holds."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType

from whygrad.flow.events import Step
from whygrad.flow.variables import Optimizer
from whygrad.trace.updates import Updates

_NAME = "update by hand"


class _Hand:
    """Stands for an optimizer that the program does not have."""


class HandSteps:
    """Writes between two requests for gradients are one step; a second write to the same variable begins another."""

    def __init__(self, updates: Updates, counted: Callable[[], None]) -> None:
        self.open: Step | None = None
        self._updates = updates
        self._counted = counted
        self._hands: dict[int, _Hand] = {}

    def step_for(self, variable: int, stack: int, frame: FrameType) -> tuple[Step, bool]:
        """The step that a write belongs to, and whether it is a new one."""
        optimizers = self._updates.recording.optimizers
        mine = next((n for n in self._hands if variable in optimizers[n].holds), None)
        step = self.open
        if step is not None and variable not in step.applied | step.without and mine in (None, step.optimizer):
            return step, False
        self.end()
        hand = self._hands[mine] if mine is not None else _Hand()
        step = self._updates.note(hand, set(), set(), frame)
        step.stack, step.call = stack, "by hand"
        self._hands[step.optimizer] = hand
        self._name(step.optimizer)
        self.open = step
        return step, True

    def add_missing(self, steps: list[Step]) -> None:
        """Steps in which there was nothing to write: one update by hand, of all that went without."""
        hand = self._hands[-1] = _Hand()
        for step in steps:
            step.optimizer, step.call = self._updates.number(hand), "by hand"
            self._name(step.optimizer).holds.update(step.without)
            self._updates.recording.steps.append(step)
            self._updates.recording.updates += 1

    def holds(self, variable: int) -> bool:
        """Whether the program updates a variable itself."""
        return any(variable in self._updates.recording.optimizers[number].holds for number in self._hands)

    def has_optimizer(self, variable: int) -> bool:
        """Whether an optimizer is there for a variable."""
        optimizers = self._updates.recording.optimizers.values()
        return any(variable in optimizer.holds for optimizer in optimizers if not optimizer.by_hand)

    def end(self) -> None:
        """Gradients are asked for anew: what was written so far was one step."""
        if self.open is not None:
            self.open = None
            self._counted()
            self._updates.session.updated(self._updates.recording.framework)

    def finish(self) -> None:
        """The program has ended, and its last step with it."""
        if self.open is not None:
            self.open = None
            self._updates.session.updates += 1

    def _name(self, number: int) -> Optimizer:
        optimizer = self._updates.recording.optimizers[number]
        optimizer.name, optimizer.by_hand = _NAME, True
        return optimizer
