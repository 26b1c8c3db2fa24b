"""Updates: new parameters computed from old ones and their gradient.

However it is written (Optax, Flax's `TrainState`, a `tree.map`), an update ends with an addition or a subtraction of
something made from the gradient of a parameter and the parameter's content. That is what is looked for.
"""

from __future__ import annotations

import math
import sys
import time
from itertools import takewhile
from typing import TYPE_CHECKING, Literal

from whygrad.flow.events import Backward, Edit, Reading, Step
from whygrad.flow.operations import Op
from whygrad.flow.variables import Optimizer
from whygrad.trace.jax_loops import is_row_of
from whygrad.trace.jax_numbers import concrete, look

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder

_SUMS = frozenset({"add", "sub", "apply_updates"})
_APPLIES = frozenset({"apply_updates", "apply_gradients", "update_params", "nnx.apply"})
_UPDATES = frozenset({"update_fn", "update", "update_fn_with_extra_args", "init_empty_state", "nnx.update"})
_PATIENCE = 4
"""How many times as long to look where an optimizer was begun and waits; compiled steps are slow to look at."""
_SECONDS = 20.0
"""How long after the first update a sync is waited for at most."""
_ASTRAY = -1
"""Stands for what applies gradients to arrays that no gradient was asked for."""
_SAME = frozenset({"astype", "broadcast", "reshape", "squeeze", "copy", "device_put", "array", "asarray"})


class Updates:
    """Finds steps in the data flow."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._from: dict[int, frozenset[int]] = {}
        """For each value, the variables from whose gradient it was made."""
        self._content: dict[int, int] = {}
        """Values that are a variable's content in another form."""
        self._was: dict[int, int] = {}
        """For content that is older than the last update, the value that it was."""
        self._pending: Step | None = None
        self._optimizers: dict[int, list[int]] = {}
        """By the place where updates are made, those that were told apart there."""
        self._steps_of: dict[int, int] = {}
        self._to_count = 0
        self._began = 0.0
        self._to_look_at = 0
        self._arrived: set[int] = set()
        self._edit: Edit | None = None
        self._clip: Edit | None = None
        self._own_clip: Edit | None = None
        self._state: dict[int, int] = {}
        self._root: dict[int, int] = {}
        self._since = 0
        """When what is going on began: a call of a compiled function, or a gradient outside of one."""

    # --- data flow ----------------------------------------------------------------------------------------------

    def asked(self, backward: Backward) -> None:
        """Gradients came: follow them."""
        for variable, value in backward.given.items():
            self._from[value] = frozenset({variable})
        self._arrived |= backward.got
        self._edit = self._clip = self._own_clip = None

    def saw(self, op: Op) -> None:
        """An operation went by: does it bring a gradient to a parameter?"""
        sources: frozenset[int] = frozenset()
        for found in (self._from.get(value) for value in op.inputs):
            if found is not None and found is not sources:
                sources = sources | found if sources else found
        values = self.recorder.recording.values
        if op.name == "captured" and not op.tapes and not sources:
            self._stale(op)
            return
        if op.name == "cond" and len(op.outputs) == 1 and not op.tapes and op.inside != "periodic_update":
            self._chosen(op)
        if op.name in _SAME and len(op.inputs) == 1 and len(op.outputs) == 1 and not sources:
            variable = self._variable(op.inputs[0])
            if variable is not None and values[op.outputs[0]].shape == values[op.inputs[0]].shape:
                self._content[op.outputs[0]] = variable
            return
        if not sources or op.name == "gradient":
            if op.inside and not sources:
                self._rooted(op)
                self._unmoved(op)
            return
        for value in op.outputs:
            self._from[value] = sources
        if op.clips is not None or op.name == "clip":
            self._clipped(op, sources)
        elif not op.inside and op.name in ("mul", "div") and len(op.inputs) == 2:
            self._scaled(op, sources)
        if op.inside and op.inside not in _APPLIES:
            self._edited(op, sources)
        if op.name == "scatter-add" and len(op.inputs) == 3 and not self.recorder.local.tapes:
            old, _, change = op.inputs  # `params.at[i].add(rate * gradient)`
            variable = self._variable(old)
            if variable is not None and change in self._from and old not in self._from:
                self._updated(op, variable, old, change)
                return
        if op.name in _SUMS and len(op.inputs) == 2 and len(op.outputs) == 1 and not self.recorder.local.tapes:
            for old, new in (op.inputs, op.inputs[::-1]):
                variable = self._variable(old, self._from[new]) if new in self._from else None
                if variable is None or old in self._from:
                    continue
                if op.name == "sub" and old != op.inputs[0]:
                    continue
                if self._fits(variable, old, op.outputs[0]):
                    self._updated(op, variable, old, new)
                    return
            if op.inside in _APPLIES:
                self._astray(op, sources)

    def _fits(self, variable: int, old: int, made: int) -> bool:
        """Whether a value has the shape of a variable, or of one row of it where `vmap` trains several at once."""
        values, whole = self.recorder.recording.values, self.recorder.recording.variables[variable].shape
        shape = values[made].shape
        return shape == whole or (is_row_of(shape, whole) and values[old].shape in (shape, whole))

    def _chosen(self, op: Op) -> None:
        """Updated or left as it was, whichever branch ran: it is the variable's content.

        Not where a target, which began with the very same arrays, is chosen: that lies behind by more than the updates
        that this call, or this gradient, has made. Nor what `optax.periodic_update` chooses.
        """
        owners = {self._variable(value) for value in op.inputs}
        variable = owners.pop() if len(owners) == 1 else None
        if variable is None:
            return
        now = self.recorder.variables.content.get(variable)
        older = {self._was.get(value, value) for value in op.inputs} - {now}
        if now in op.inputs and older <= self._made_into(variable, now):
            self.recorder.variables.holds(variable, op.outputs[0])

    def _made_into(self, variable: int, content: int | None) -> set[int]:
        """What a variable held before the updates of this call that led to its content, one after the other."""
        found: set[int] = set()
        pending = [self._pending] if self._pending is not None else []
        for step in (*pending, *reversed(self.recorder.recording.steps)):
            if step.at < self._since:
                break
            if step.after.get(variable) == content and variable in step.before:
                content = step.before[variable]
                found.add(content)
        return found

    def begins(self, at: int) -> None:
        """A compiled function is called, or a gradient is asked for outside of one."""
        self._since = at

    def _stale(self, op: Op) -> None:
        """A variable's content from before its last update, used once more: an update may begin there again."""
        variable = self._variable(op.inputs[0])
        if variable is not None:
            self._content[op.outputs[0]] = variable
            self._was[op.outputs[0]] = op.inputs[0]

    def _clipped(self, op: Op, sources: frozenset[int]) -> None:
        """Gradients are clipped: by Optax, or each number by `jnp.clip`."""
        recording = self.recorder.recording
        if op.clips is not None:
            call, limit, stack = op.clips
        else:
            bounds = [n for v in op.inputs[1:] if v in recording.values and (n := recording.values[v].numbers)]
            if len(op.inputs) != 3 or len(bounds) != 2 or any(n.size != 1 for n in bounds):
                return
            call, limit, stack = "jnp.clip", max(bounds[0].high, bounds[1].high), op.stack
        clip = self._clip
        if clip is None or clip.stack != stack:
            clip = self._clip = Edit(op.at, "clip", call, sources, stack, limit)
            recording.edits.append(clip)
        clip.variables |= sources
        self._results(clip, op)

    def _scaled(self, op: Op, sources: frozenset[int]) -> None:
        """The program clips by itself: a gradient, times a number that was made of gradients."""
        values = self.recorder.recording.values
        for gradient, factor in (op.inputs, op.inputs[::-1]):
            if gradient not in self._from or factor not in self._from or values[factor].shape:
                continue
            if len(self._from[gradient]) == 1 and values[gradient].shape and (op.name, factor) != ("div", op.inputs[0]):
                clip = self._own_clip
                if clip is None or clip.stack != op.stack:
                    clip = self._own_clip = Edit(op.at, "clip", "the clipping", sources, op.stack)
                    self.recorder.recording.edits.append(clip)
                clip.variables |= self._from[gradient]
                self._results(clip, op)
                return

    def _results(self, clip: Edit, op: Op) -> None:
        """What went into clipping and what came out, where both have the shape of a gradient."""
        recording = self.recorder.recording
        shapes = {recording.variables[v].shape for v in clip.variables} - {()}
        clip.given += tuple(v for v in op.inputs if v in self._from and recording.values[v].shape in shapes)
        clip.made += tuple(v for v in op.outputs if recording.values[v].shape in shapes)

    def _astray(self, op: Op, sources: frozenset[int]) -> None:
        """An array that no gradient was asked for is updated with the gradient of another of its shape."""
        recording = self.recorder.recording
        old, change = op.inputs
        shape = recording.values[op.outputs[0]].shape
        if old in self._from or recording.values[old].shape != shape or self._variable(old) is not None:
            return
        alike = sorted(v for v in sources if recording.variables[v].shape == shape)
        step = recording.astray[-1] if recording.astray else None
        if step is None or step.stack != op.stack or not set(alike) - step.applied:
            step = Step(op.at, -1, op.stack, frozenset(), frozenset(), call=op.inside)
            recording.astray.append(step)
            self._made(_ASTRAY)  # an update all the same, though of something else
        variable = next((v for v in alike if v not in step.applied), None)
        if variable is None:
            return
        self._from.pop(op.outputs[0], None)
        step.applied |= {variable}
        step.taken[variable], step.before[variable], step.after[variable] = change, old, op.outputs[0]

    def _edited(self, op: Op, sources: frozenset[int]) -> None:
        """An optimizer library works on gradients: clips them, scales them, or makes an update of them."""
        recording = self.recorder.recording
        edit = self._edit
        if edit is None or edit.stack != op.stack:
            kind: Literal["clip", "other"] = "clip" if "clip" in op.inside else "other"
            call = "update" if op.inside in _UPDATES else op.inside
            edit = self._edit = Edit(op.at, kind, call, sources, op.stack)
            recording.edits.append(edit)
        edit.variables |= sources
        values = recording.values
        for value in op.inputs:
            if value in self._from or len(sources) != 1 or value not in values or not values[value].floating:
                continue
            [variable] = sources
            shape = values[value].shape
            whole = recording.variables[variable].shape
            if shape and (shape == whole or is_row_of(shape, whole)) and self._variable(value) is None:
                self._state[variable] = self._root.get(value, value)

    def _unmoved(self, op: Op) -> None:
        """An update that no gradient went into: zeros, for what an optimizer was told to leave alone."""
        if op.inside not in _APPLIES or op.name not in _SUMS or len(op.inputs) != 2 or self.recorder.local.tapes:
            return
        recording = self.recorder.recording
        variable = self._variable(op.inputs[0])
        if variable is not None and self._fits(variable, op.inputs[0], op.outputs[0]):
            recording.unmoved[variable] = op.stack
            self.recorder.variables.holds(variable, op.outputs[0])

    def _rooted(self, op: Op) -> None:
        """What an optimizer's own arithmetic makes of its state is still that state."""
        values = self.recorder.recording.values
        for value in op.outputs:
            same = [i for i in op.inputs if i in values and values[i].shape == values[value].shape and values[i].shape]
            if len(same) == 1:
                self._root[value] = self._root.get(same[0], same[0])

    def returned(self, numbers: set[int], stack: int, since: int) -> None:
        """A compiled function that began to run at `since` gave these back: of all the networks that it updated."""
        made = takewhile(lambda step: step.at >= since, reversed(self.recorder.recording.steps))
        for step in (*made, *([self._pending] if self._pending is not None else [])):
            if set(step.after.values()) & numbers:
                step.returned = stack

    def _variable(self, value: int, sources: frozenset[int] = frozenset()) -> int | None:
        found = self.recorder.variables.of(value)
        found = self._content.get(value) if found is None else found
        return self.recorder.variables.plain(value, sources) if found is None else found

    def _updated(self, op: Op, variable: int, old: int, change: int) -> None:
        """A new content: it is a value of its own, and what it was made from is the update's affair."""
        recorder, recording = self.recorder, self.recorder.recording
        made = op.outputs[0]
        hidden = recorder.values.fresh(recorder.root, recording.values[made].shape, True)
        op.outputs = (hidden,)
        self._from.pop(made, None)
        pending = self._pending
        network = recording.variables[variable].network
        if pending is not None:
            same = pending.stack == op.stack or {recording.variables[v].network for v in pending.after} == {network}
            if variable in pending.after or not same:
                self.flush()
                pending = None
        if pending is None:
            pending = self._pending = Step(op.at, -1, op.stack, frozenset(), frozenset(), call="update")
        sources = self._from[change]
        if variable in self._arrived or variable not in sources:
            pending.applied |= {variable}
        else:
            pending.without |= {variable}
        pending.taken[variable] = change
        if variable in self._state:
            pending.state[variable] = self._state.pop(variable)
        if op.inside in _APPLIES:
            pending.call = op.inside
        pending.before[variable] = self._was.get(old, old)
        pending.after[variable] = made
        pending.at = op.at
        recorder.variables.holds(variable, made)

    def flush(self) -> None:
        """The update is complete."""
        step, self._pending = self._pending, None
        if step is None:
            return
        recording = self.recorder.recording
        # Not by the networks' names: the first update often begins with a name that only the initialisation uses.
        known = self._optimizers.setdefault(step.stack, [])
        number = next((n for n in known if recording.optimizers[n].holds & step.after.keys()), None)
        if number is None:
            number = len(recording.optimizers)
            known.append(number)
            recording.optimizers[number] = Optimizer(number, step.call, None, step.at)
        step.optimizer = number
        recording.optimizers[number].holds |= step.applied | step.without
        recording.steps.append(step)
        self.recorder.numbers.fill(step.at)
        recording.updates += 1
        self._made(number)

    def _made(self, optimizer: int) -> None:
        """An update went by."""
        self._steps_of[optimizer] = self._steps_of.get(optimizer, 0) + 1
        self._to_count += 1

    def begin_again(self) -> None:
        """What comes now is a phase of its own: count the updates anew."""
        self._steps_of.clear()

    def finish(self) -> None:
        """The last update has no successor that would end it."""
        self.flush()
        self._moved_later()
        self._last_glance()
        self.recorder.session.updates += self._to_count
        self._to_count = 0

    def _moved_later(self) -> None:
        """Variables that stood still while tracing: whether they hold something else at the end, as far as is seen."""
        recorder, recording = self.recorder, self.recorder.recording
        weights = {v: n for step in recording.steps for v, n in step.weights.items()}
        first = {v: n for step in reversed(recording.steps) for v, n in step.before.items()}
        changes = {v: n for step in recording.steps for v, n in step.taken.items()}
        known = {v: value.numbers for v, n in changes.items() if (value := recording.values.get(n)) is not None}
        zero = [v for v, numbers in known.items() if numbers is not None and numbers.all_zero]
        kept = recorder.naming.everything(sys._getframe()) if zero else {}
        for variable in zero:
            now = kept.get(recording.variables[variable].name)
            was, content = weights.get(variable), concrete(now) if now is not None else None
            # A name that training left behind says nothing.
            still = now is not None and recorder.values.known(now) == first[variable]
            if still or was is None or content is None or look(content) != was:
                recording.moved_later.add(variable)

    def _last_glance(self) -> None:
        """Whether the weights are still numbers, as far as a name of the program's keeps them; nobody looked since."""
        recorder, recording = self.recorder, self.recorder.recording
        if recorder.deep or not recording.steps:
            return
        last = recording.steps[-1]
        kept = recorder.naming.everything(sys._getframe())
        for variable in last.applied:
            thing = kept.get(recording.variables[variable].name)
            content = concrete(thing) if thing is not None else None
            same = content is not None and tuple(content.shape) == recording.variables[variable].shape
            found = look(content) if content is not None and same else None
            if found is not None and not found.finite:
                stack, updates = last.stack, recorder.session.updates - recording.earlier
                recording.readings.append(Reading(updates, last.optimizer, stack, math.nan, False, at_end=True))
                return

    def look_on(self) -> None:
        """Updates after the first ones, outside of every gradient: whether they were the last to look at."""
        recorder = self.recorder
        while self._to_look_at and recorder.ring.running:
            self._to_look_at -= 1
            if recorder.ring.stepped():
                recorder.let_go()
            recorder.root.values = recorder.recording.values

    def count(self) -> None:
        """Tell the session of updates; let go when enough was seen."""
        retraces = self.recorder.calls.retraces
        while self._to_count:
            self._to_count -= 1
            session = self.recorder.session
            most = max(self._steps_of.values(), default=0)
            waiting = self._waiting() if most < _PATIENCE * session.depth else 0
            if self.recorder.ring.running:
                self._to_look_at += 1
            elif self.recorder.deep and session.deep_enough(self._steps_of, waiting) and not retraces.undecided():
                self.recorder.release()
            session.updated("jax")

    def _waiting(self) -> int:
        """What may come in a few more updates: one of a network that waits, a sync, if looking on takes no time."""
        begun = self.recorder.beginnings.waiting()
        self._began = self._began or time.monotonic()
        looks_on = time.monotonic() - self._began < _SECONDS
        return begun or (self.recorder.targets.waiting() if looks_on else 0)
