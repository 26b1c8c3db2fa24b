"""What a JAX program trains: the leaves of what it differentiates.

A parameter in JAX is an immutable array, and the next update has another one. They are one variable here: by data flow
where an update makes one from the other, else by the name under which the program keeps them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from whygrad.flow import reach
from whygrad.flow.events import Backward, Copy
from whygrad.flow.operations import Op
from whygrad.flow.variables import Variable
from whygrad.trace.jax_keras_names import keras_names
from whygrad.trace.jax_loops import told_apart
from whygrad.trace.jax_naming import Name, from_path

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder
    from whygrad.trace.jax_scopes import Asked, Opened


class Variables:
    """Variables and the values that are their content."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._named: dict[tuple[str, tuple[int | None, ...]], int] = {}
        self.content: dict[int, int] = {}
        """For each variable, the value that holds its content now."""
        self._open: dict[int, dict[int, int]] = {}
        self._outside: dict[tuple[int, int], int] = {}
        self._of_keras: set[int] = set()
        self._states: set[int] = set()
        """Leaves that are the first content of a state: nothing to train."""
        self._asked_here: dict[tuple[int, str], int] = {}
        """For each place of what a line differentiates, the variable that was there the last time."""
        self._inside: set[int] = set()
        """Content as the differentiated function sees it."""

    def of(self, value: int) -> int | None:
        """The variable whose content a value is."""
        found = self.recorder.recording.values.get(value)
        return found.variable if found is not None else None

    def plain(self, value: int, among: frozenset[int]) -> int | None:
        """The one variable that is a Python number, and the same as a value: such a number is no object of its own."""
        scalars = self.recorder.values.scalars
        held = [v for v in among if len(among) == 1 and self.content.get(v) in scalars and value in scalars]
        return next((v for v in held if scalars[self.content[v]] == scalars[value]), None)

    def number_of(self, thing: Any, adopt: bool) -> int | None:
        """The variable whose content an array is."""
        number = self.recorder.values.known(thing)
        return self.of(number) if number is not None else None

    def named(self, name: Name, shape: tuple[int | None, ...]) -> int | None:
        """The variable of this name and shape, if there is one."""
        return self._named.get((name.full, shape))

    def left_name(self, value: int, name: Name) -> bool:
        """Whether a name is a trained variable's, and the value is that variable's content no more."""
        owner = self.of(value)
        known = self.named(name, self.recorder.recording.values[value].shape)
        return owner is not None and known == owner and self.content.get(owner, value) != value

    def of_keras(self, value: int, wanted: set[int]) -> bool:
        """Whether this is the array that a Keras variable among `wanted` begins with, and has by itself as well."""
        owner = self.of(value)
        return owner in self._of_keras & wanted and self.content.get(owner or 0) == value

    def adopt(self, value: int, name: Name) -> int:
        """The variable of this name; this value is its content."""
        recording = self.recorder.recording
        shape = recording.values[value].shape
        key = name.full, shape
        number = self._named.get(key)
        if number is None:
            number = self.declare(name, shape, self._created(value), trainable=True)
            recording.variables[number].born = self._born(value)
        else:
            self.recorder.targets.overwrote(value, number)
        self.holds(number, value)
        return number

    def declare(self, name: Name, shape: tuple[int | None, ...], created: int | None, trainable: bool = False) -> int:
        """A variable that was not known before."""
        variables = self.recorder.recording.variables
        number = len(variables)
        self._named[name.full, shape] = number
        variables[number] = Variable(number, name.full, name.network, shape, trainable, created, owner=name.owner)
        return number

    def _created(self, value: int) -> int | None:
        made = self.maker(value)
        return made.stack if made is not None else None

    def _born(self, value: int) -> int:
        made = self.maker(value)
        return made.at if made is not None else 0

    def maker(self, value: int) -> Any:
        """The operation that made a value, as far as it is kept."""
        ops = self.recorder.recording.ops
        return next((op for op in reversed(ops.values()) if value in op.outputs), None)

    def holds(self, variable: int, value: int) -> None:
        """From here on this value is the variable's content."""
        self.recorder.recording.values[value].variable = variable
        self.content[variable] = value

    # --- gradients ----------------------------------------------------------------------------------------------

    def opened(self, opened: Opened) -> None:
        """A function is about to be differentiated: its arguments' leaves are variables."""
        recorder, values = self.recorder, self.recorder.recording.values
        recorder.updates.flush()
        self._outside.clear()
        leaves = [(n, path) for n, path in zip(opened.leaves, opened.paths, strict=True) if values[n].floating]
        self._states.update(n for n, path in leaves if path in opened.states)
        leaves = [(n, path) for n, path in leaves if path not in opened.states]
        for leaf, _ in leaves:
            recorder.values.settle(leaf)
        arrays = [recorder.values.object_of(n) for n, _ in leaves]
        recorder.naming.look_for_names(sys._getframe(), arrays)
        if not opened.implicit:
            recorder.hidden.look(sys._getframe(), arrays, opened.stack)
        found: dict[int, int] = {}
        things = [(n, path, array, values[n].shape) for (n, path), array in zip(leaves, arrays, strict=True)]
        keras = keras_names(sys._getframe(), things)
        for leaf, path in leaves:
            before = self._asked_here.get((opened.stack, path))
            self._taken_back(leaf, before, opened.stack)
            variable = self._variable(leaf, path, opened.implicit, keras.get(leaf), before)
            if variable is not None:
                found[leaf] = variable
                self._asked_here[opened.stack, path] = variable
                recorder.recording.variables[variable].trainable = True
        if not opened.implicit:
            recorder.spare.look(sys._getframe(), {found[n]: recorder.values.object_of(n) for n in found}, opened.stack)
        self._open[opened.tape] = found
        recorder.naming.forget()

    def _taken_back(self, leaf: int, before: int | None, stack: int) -> None:
        """What is trained here holds a target's content now: the program has synced the wrong way, by a plain `=`."""
        recording, target = self.recorder.recording, self.of(leaf)
        if before is None or target is None or target == before or recording.variables[target].trainable:
            return
        if self.recorder.ring.running:
            return
        if (
            self.recorder.targets.holds(target, leaf)
            and recording.variables[before].shape == recording.values[leaf].shape
        ):
            recording.copies.append(Copy(self.recorder.session.now(), target, before, stack, 1.0))
            self.holds(before, leaf)

    def _variable(self, leaf: int, path: str, implicit: bool, keras: Name | None, before: int | None) -> int | None:
        known = self.of(leaf)
        name = keras or self.recorder.naming.of(self.recorder.values.object_of(leaf))
        if known is not None:
            if name is not None and self.content.get(known) == leaf and (keras or known not in self._of_keras):
                self._rename(known, name)
            return known
        if implicit and name is None:
            return None  # the input of a gradient penalty, an inner loop's own weights
        name = name or self._came_round(leaf, before)
        number = self.adopt(leaf, name or told_apart(self.recorder.recording, leaf, from_path(path)))
        if keras is not None:
            self._of_keras.add(number)
        return number

    def _came_round(self, leaf: int, before: int | None) -> Name | None:
        """The name of what was differentiated here the last time, if a loop carries this one in the same place."""
        values, held = self.recorder.recording.values, self.content.get(before) if before is not None else None
        if before is None or held is None or not values[leaf].kept or values[held].kept != values[leaf].kept:
            return None
        variable = self.recorder.recording.variables[before]
        return Name(variable.name, variable.network, variable.owner)

    def _rename(self, number: int, name: Name) -> None:
        """The name under which it is kept now; the one of the first update may be left over from its initialisation."""
        variable = self.recorder.recording.variables[number]
        key = name.full, variable.shape
        if name.full != variable.name and key not in self._named:
            self._named[key] = number
            variable.name, variable.network, variable.owner = name.full, name.network, name.owner

    def captured(self, number: int, op: Op) -> int:
        """What an operation inside a differentiated function was given: the content of a variable, from outside.

        `params` of the enclosing scope, used where the function's own argument should be, are a constant to the
        gradient although they are the same arrays; so are a target's, and those of a critic in the actor's loss.
        """
        recording = self.recorder.recording
        value = recording.values.get(number)
        if value is None or value.variable is None or not value.floating or number in self._inside:
            return number
        if not op.tapes and self.content.get(value.variable) == number:
            return number  # a use of what the variable holds now, outside any gradient
        key = op.tapes[-1] if op.tapes else -1, number
        found = self._outside.get(key)
        if found is None:
            found = self._outside[key] = self.recorder.values.fresh(self.recorder.root, value.shape, value.floating)
            recording.values[found].numbers = value.numbers
            self.recorder.root.put(Op(0, "captured", "compute", (number,), (found,), op.stack, False))
        return found

    def asked(self, asked: Asked, at: int) -> None:
        """A gradient was asked for: of which variables, and which of them it reaches."""
        recorder, recording = self.recorder, self.recorder.recording
        wanted, inner, given, read = [], {}, {}, {}
        values: list[int] = []
        gradients = asked.gradients or [-1] * len(asked.leaves)
        known = self._open.pop(asked.tape, {})
        for leaf, inside, gradient in zip(asked.leaves, asked.inner, gradients, strict=False):
            variable = known.get(leaf)
            if variable is None:
                if leaf not in self._states:
                    values.append(inside)
                continue
            wanted.append(variable)
            inner[variable], given[variable], read[variable] = inside, gradient, leaf
            recording.values[inside].variable = variable
            self._inside.add(inside)
        got: set[int] = set()
        if asked.loss is not None and asked.error is None:
            part = reach.backward_slice(recording, asked.loss, _producers(recording, asked.tape), at)
            reached = reach.gradient_reach(recording, part, asked.tape)
            got = {v for v, number in inner.items() if number in reached}
            if not asked.implicit:
                whole = part
                if not recorder.ring.running:
                    whole = reach.backward_slice(recording, asked.loss, reach.producers(recording), at)
                self.recorder.targets.seen(whole, set(wanted), set(read.values()), at, asked.stack)
        backward = Backward(
            at, asked.call, asked.loss, asked.stack, wanted=tuple(dict.fromkeys(wanted)), asked_values=tuple(values),
            got=frozenset(got), tape=asked.tape, error=asked.error, implicit=asked.implicit,
            given={v: n for v, n in given.items() if n >= 0}, read=read,
        )  # fmt: skip
        if not wanted and not values and not asked.implicit:
            backward.plain = recorder.hidden.plain(sys._getframe())
        recording.backwards.append(backward)
        recorder.updates.asked(backward)


def _producers(recording: Any, tape: int) -> dict[int, Any]:
    """Who made which value, looking no further back than the differentiated function."""
    opened = recording.tapes[tape].opened if tape in recording.tapes else 0
    found = {}
    for at in reversed(recording.ops):
        if at < opened:
            break
        op = recording.ops[at]
        for value in op.outputs:
            found[value] = op
    return found
