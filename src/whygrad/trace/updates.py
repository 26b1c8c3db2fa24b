"""Counting updates: which optimizers a program has, what each step applied, and to whom nothing came."""

from __future__ import annotations

import weakref
from types import CodeType, FrameType
from typing import Any

from whygrad.flow.events import Step
from whygrad.flow.recording import Recording
from whygrad.flow.variables import Optimizer
from whygrad.trace.session import Session


class Updates:
    """The optimizers and steps of one recording, whatever the framework."""

    def __init__(self, session: Session, recording: Recording) -> None:
        self.session = session
        self.recording = recording
        self._numbers: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._steps_of: dict[int, int] = {}
        """Since the recording began, or began again."""
        self._stepped: set[int] = set()
        self._places: set[tuple[CodeType, int]] = set()
        """The lines of the program that step."""

    def number(self, optimizer: Any, stack: int | None = None) -> int:
        """An optimizer's number; `stack` is where it was made."""
        entry = self._numbers.get(id(optimizer))
        if entry is not None and entry[0]() is optimizer:
            return entry[1]
        number = len(self.recording.optimizers)
        self._numbers[id(optimizer)] = (weakref.ref(optimizer), number)
        self.recording.optimizers[number] = Optimizer(number, type(optimizer).__name__, stack, self.session.tick())
        return number

    def known(self) -> list[Any]:
        """The optimizers that were seen and are still there."""
        return [made for reference, _ in self._numbers.values() if (made := reference()) is not None]

    def note(self, optimizer: Any, applied: set[int], without: set[int], frame: FrameType) -> Step:
        """An optimizer is about to apply gradients to these variables, and has none for those."""
        number = self.number(optimizer)
        self.recording.optimizers[number].holds |= applied | without
        stack = self.session.stacks.capture(frame)
        step = Step(self.session.tick(), number, stack, frozenset(applied), frozenset(without - applied))
        self.recording.steps.append(step)
        self.recording.updates += 1
        self._steps_of[number] = self._steps_of.get(number, 0) + 1
        self._stepped.add(number)
        self._is_new_place(frame)
        return step

    def enough(self) -> bool:
        """Whether every optimizer that steps was looked at often enough."""
        alive = [number for made, number in self._numbers.values() if made() is not None]
        waiting = sum(1 for number in alive if number not in self._stepped)
        return self.session.deep_enough(self._steps_of, waiting)

    def worth_a_look(self, optimizer: Any, frame: FrameType | None = None) -> bool:
        """Whether an optimizer that steps after we let go is one that we have never seen step, or never at this line.

        A second phase of training has another loss, often with the same optimizer.
        """
        number = self.number(optimizer)
        fresh = number not in self._stepped or (frame is not None and self._is_new_place(frame))
        return fresh and self.session.may_deepen()

    def begin_again(self) -> None:
        """What comes now is a phase of its own: count the updates anew."""
        self._steps_of.clear()

    def _is_new_place(self, frame: FrameType) -> bool:
        inner: FrameType | None = frame
        while inner is not None and not self.session.is_user(inner):
            inner = inner.f_back
        place = (inner.f_code, inner.f_lineno) if inner is not None else None
        if place is None or place in self._places:
            return False
        self._places.add(place)
        return True

    def without_gradient(self) -> set[int]:
        """Variables that an optimizer holds, or that were asked for, and that had no gradient so far."""
        held = {v for o in self.recording.optimizers.values() for v in o.holds}
        asked = {v for b in self.recording.backwards for v in b.wanted}
        return (held | asked) - {v for s in self.recording.steps for v in s.applied}
