"""Networks that a loss uses and does not train: targets, and where their content comes from.

In JAX a copy is no operation: `target_params = params` gives the same arrays a second name. So whatever a loss takes
from outside is looked at each time a gradient is asked for: under which name it is kept, whether it has the shape of a
network that is trained, and whose content it was.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import jax
from jax._src import core

from whygrad.flow.events import Copy, Doubled
from whygrad.flow.operations import Op
from whygrad.flow.reach import Slice
from whygrad.flow.recording import Recording
from whygrad.trace.jax_constants import captured_networks
from whygrad.trace.jax_factors import factor_of
from whygrad.trace.jax_loops import networks
from whygrad.trace.jax_naming import Name
from whygrad.trace.jax_numbers import concrete, look

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder

_MIXES = frozenset({"mul", "add", "sub", "astype", "div", "broadcast", "incremental_update", "lerp", "captured",
                    "cond", "where", "select_n"})  # fmt: skip
_CHOICES = frozenset({"cond", "where", "select_n"})
_FAR = 24
_PART = 2
"""Arrays that an average of a part of a network has at least: one may be a running number."""


class Targets:
    """Variables that are not differentiated."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._last: dict[int, int] = {}
        """For each such variable, the value that it held when it was last seen."""
        self._given: dict[int, Doubled] = {}
        self._trained: set[int] = set()
        """What gradients were asked for so far: the actor's target serves the critic's loss."""
        self._said: dict[str, str] = {}
        self._looped: set[int] = set()
        """Those that only a loop carries: what becomes of them is all in the loop."""
        self._parts: set[str] = set()
        """Names of those that were made of a part of a trained network."""
        self._steady: set[int] = set()
        """Those of them that a loop hands through as they are."""
        self._changed: set[int] = set()
        """Those that were seen with other content than before."""
        self._chosen: list[tuple[Copy, list[tuple[Op, int]]]] = []
        """Copies that depend on a condition: for each `cond` on the way, the result that is the copy."""
        self._taken: dict[int, int] = {}
        """For each target, the value that its last copy took of the trained variable."""
        self._captured: dict[int, int] = {}
        """For each one that only a compiled function holds, the value that it took in."""

    def holds(self, target: int, number: int) -> bool:
        """Whether a value is what a target was last seen to hold."""
        return self._last.get(target) == number

    def waiting(self) -> int:
        """How many hold what they held when they were first seen, and may be synced after more updates.

        What a compiled function took in stays what it is there.
        """
        constants = self.recorder.calls.bodies.constants
        apart = self._last.keys() - self._changed - self._looped - self._captured.keys()
        return sum(1 for target in apart if self._last[target] not in constants)

    def given(self, numbers: list[int], stack: int, rounds: int = 1) -> None:
        """A compiled function that asks for gradients was called, or a loop came round: with the same arrays twice?"""
        if self.recorder.ring.running:
            return
        values = self.recorder.recording.values
        twice = {n for n, times in Counter(numbers).items() if times > 1 and values[n].floating and values[n].shape}
        variables = frozenset(v for n in twice if (v := values[n].variable) is not None)
        event = self._given.get(stack)
        if event is None:
            event = self._given[stack] = Doubled(stack, variables)
            self.recorder.recording.doubled.append(event)
            if not variables and rounds == 1:
                return  # two networks that were made apart; what becomes of them shows from the second call on
        if not event.calls:
            event.variables = variables
        event.calls += rounds
        event.times += rounds * bool(variables)
        event.variables &= variables

    def seen(self, part: Slice, wanted: set[int], leaves: set[int], at: int, stack: int) -> None:
        """What one loss takes from outside, beside the leaves that it is differentiated with respect to."""
        recorder, recording = self.recorder, self.recorder.recording
        outside: dict[int, Op | None] = dict.fromkeys(sorted(part.values))
        for op in part.ops:
            if op.name == "captured":
                outside[op.inputs[0]] = op
        earlier, self._trained = self._trained, self._trained | wanted
        sizes = {recording.variables[v].shape for v in wanted}
        sizes |= {shape for v in earlier if (shape := recording.variables[v].shape)}
        for number, captured in outside.items():
            owner = recording.values[number].variable
            current = owner is not None and recorder.variables.content.get(owner) == number
            if captured is not None and current and owner not in wanted and owner in earlier:
                # Trained by another loss, and updated in the same compiled function: no object holds it there.
                recording.values[captured.outputs[0]].variable = owner
        if recorder.ring.running:
            return  # whom a target follows was seen in the first updates; what comes later is looked at for its numbers
        things: dict[int, Any] = {}
        for number in outside:
            recorder.values.settle(number)
            apart = recording.values[number].shape in sizes and not recorder.variables.of_keras(number, wanted)
            thing = recorder.values.object_of(number) if apart else None
            if isinstance(thing, jax.Array) and not isinstance(thing, core.Tracer):
                things[number] = thing
        names = recorder.naming.names_of(sys._getframe(), things) if things else {}
        nameless = {n: op for n, op in outside.items() if n not in leaves and n not in names}
        self._in_loop(nameless, wanted, earlier, at, stack)
        if not things:
            return
        groups: dict[str, list[tuple[int, Name]]] = {}
        for number, name in names.items():
            groups.setdefault(name.network, []).append((number, name))
        taken = {n: outside[n] for n in things if n in recorder.calls.bodies.constants and n not in names}
        self._captured |= captured_networks(recorder, taken, wanted, stack)
        shapes = self._shapes(wanted)
        others = {name: own for name, own in self._shapes(earlier).items() if name not in shapes}
        others = {name: own for name, own in others.items() if any(len(s) > 1 for s in own) and own.total() > 1}
        for network, members in groups.items():
            own = Counter(recording.values[n].shape for n, _ in members)
            trained = {recording.variables[v].network for v in wanted}
            like = any(own == theirs for theirs in shapes.values())
            like = like or (network not in others and any(own == theirs for theirs in others.values()))
            if network not in trained and (like or self._part_of_trained(network, [n for n, _ in members], wanted)):
                for number, name in members:
                    self._target(number, name, outside[number], at, stack)

    def _part_of_trained(self, network: str, numbers: list[int], wanted: set[int]) -> bool:
        """Whether these arrays were made of those of a part of one trained network, each of another one.

        An average of the encoder alone has not the shapes of the whole, to which a head or a predictor belongs.
        """
        if network in self._parts or len(numbers) < _PART:
            return network in self._parts
        recording = self.recorder.recording
        producers = {v: op for op in recording.ops.values() for v in op.outputs if op.name in _MIXES}
        sources = [_made_of(recording, producers, number) & wanted for number in numbers]
        origins = {next(iter(one)) for one in sources if len(one) == 1}
        alike = {recording.variables[v].network for v in origins}
        if len(origins) == len(numbers) and len(alike) == 1:
            self._parts.add(network)
            return True
        return False

    def _in_loop(self, outside: dict[int, Op | None], wanted: set[int], earlier: set[int], at: int, stack: int) -> None:
        """The same where a loop carries the network along, and no frame of the program names its arrays."""
        recorder, values = self.recorder, self.recorder.recording.values
        kept = [n for n in outside if values[n].kept]
        trained = {n for v, n in recorder.variables.content.items() if v in wanted | earlier}
        for members in networks(recorder.recording, kept, wanted | earlier, self._said).values():
            if not any(n in trained for n, _ in members):
                for number, name in members:
                    self._target(number, name, outside[number], at, stack)
                    target = recorder.variables.named(name, values[number].shape)
                    if target is not None:
                        self._looped.add(target)
                        self._steady |= {target} if values[number].steady else set()

    def _shapes(self, wanted: set[int]) -> dict[str, Counter[Any]]:
        found: dict[str, Counter[Any]] = {}
        for number in wanted:
            variable = self.recorder.recording.variables[number]
            found.setdefault(variable.network, Counter())[variable.shape] += 1
        return found

    def _target(self, number: int, name: Name, captured: Op | None, at: int, stack: int) -> None:
        """One array of a network that is not trained here."""
        recorder, values = self.recorder, self.recorder.recording.values
        owner = values[number].variable
        known = recorder.variables.named(name, values[number].shape)
        current = owner is not None and recorder.variables.content.get(owner) == number
        if owner is not None and (owner == known or (known is None and current)):
            if captured is not None:
                values[captured.outputs[0]].variable = owner
            if owner != known:
                return  # a trained network that this loss only uses
        fresh = known is None
        if fresh:
            known = recorder.variables.declare(name, values[number].shape, stack)
        if known is None:
            return
        if captured is not None:
            values[captured.outputs[0]].variable = known
        elif owner is None:
            values[number].variable = known
        if self._last.get(known) != number:
            if known in self._last:
                self._changed.add(known)
            self._copied(number, known, owner, at, stack)
            self._last[known] = number

    def _copied(self, number: int, target: int, owner: int | None, at: int, stack: int) -> None:
        """The target holds something new: a trained variable's content, or a mixture with it."""
        recording = self.recorder.recording
        if owner is not None and owner != target:
            # The name was given while the array was the other's content: after the update that made it, if one did.
            made = next((s.at + 1 for s in recording.steps if s.after.get(owner) == number), None)
            if made is None:
                recording.variables[target].copy_of = owner  # both began with the same arrays
            else:
                recording.copies.append(Copy(min(at, made), owner, target, stack, 1.0))
            return
        taken, share, op, chosen = self._mixed(number, target)
        source = recording.values[taken].variable if taken is not None else None
        if taken is not None and source is not None and target not in self._last and self._never_updated(taken):
            recording.variables[target].copy_of = source  # it was made of what both began with
        elif taken is not None and source is not None and op is not None:
            recording.copies.append(Copy(op.at, source, target, op.stack, share, stale=self._stale(target, taken)))
            if chosen:
                self._chosen.append((recording.copies[-1], chosen))
        elif source is None and (own := self._own_average(number, target)) is not None:
            recording.copies.append(Copy(own.at, target, target, own.stack, None))
        elif target in self._last and self.recorder.values.object_of(number) is None:
            recording.moved_later.add(target)  # a loop gave it something new, by a way that is not understood

    def _never_updated(self, taken: int) -> bool:
        """Whether a content of a variable is what it had before any update."""
        made = next((op for op in reversed(self.recorder.recording.ops.values()) if taken in op.outputs), None)
        held = made.inputs[0] if made is not None and made.name == "captured" else taken
        steps = self.recorder.recording.steps
        return bool(steps) and not any(held in step.after.values() for step in steps)

    def _stale(self, target: int, taken: int) -> str:
        """The name under which the program keeps what a copy takes again and again, while the variable moves on."""
        recorder = self.recorder
        made = next((op for op in reversed(recorder.recording.ops.values()) if taken in op.outputs), None)
        held = made.inputs[0] if made is not None and made.name == "captured" else taken
        before, self._taken[target] = self._taken.get(target), held
        thing = recorder.values.object_of(held) if before == held else None
        if thing is None or recorder.variables.content.get(recorder.variables.of(held) or 0) == held:
            return ""
        recorder.naming.look_for_names(sys._getframe(), [thing])
        name = recorder.naming.of(thing)
        recorder.naming.forget()
        return name.network if name is not None else ""

    def overwrote(self, number: int, trained: int) -> None:
        """A trained variable holds what no update made: a target's content, where a sync went the wrong way."""
        recording, now = self.recorder.recording, self.recorder.variables.content.get(trained)
        if self.recorder.ring.running:
            return
        shape = recording.variables[trained].shape
        held = {n: t for t, n in self._last.items() if n != now and recording.variables[t].shape == shape}
        producers = {v: op for op in recording.ops.values() for v in op.outputs if op.name in _MIXES} if held else {}
        todo: list[int] = [number]
        before: dict[int, tuple[Op, int] | None] = {number: None}
        while todo and len(before) < _FAR:
            value = todo.pop(0)
            if value in held and number in producers:
                way = _way(before, value)
                # What a condition only chose was made in one of its branches.
                op = next((one for one, _ in way if one.name not in _CHOICES), producers[number])
                recording.copies.append(Copy(op.at, held[value], trained, op.stack))
                return
            made = producers.get(value)
            fresh = [v for v in made.inputs if v not in before and v != now] if made is not None else []
            before.update((v, (made, value)) for v in fresh if made is not None)
            todo.extend(fresh)

    def _own_average(self, number: int, target: int) -> Op | None:
        """The sum of two shares of what the target held before, and of nothing else; in a branch, or without one."""
        ops, values = self.recorder.recording.ops, self.recorder.recording.values
        producers = {v: op for op in ops.values() for v in op.outputs if op.name in ("add", "mul", "captured", "cond")}
        whole, last = producers.get(number), self._last.get(target)
        if whole is not None and whole.name == "cond" and last is not None:
            fresh = [v for v in whole.inputs if _behind(producers, v) != last]
            whole = producers.get(fresh[0]) if len(fresh) == 1 and len(whole.inputs) > 1 else None
        if whole is None or whole.name != "add" or last is None:
            return None
        shares = [made.inputs if (made := producers.get(v)) and made.name == "mul" else () for v in whole.inputs]
        if len(shares) != 2 or any(all(_behind(producers, v) != last for v in share) for share in shares):
            return None
        rest = [v for share in shares for v in share if _behind(producers, v) != last]
        return whole if len(rest) == 2 and all(v in values and not values[v].shape for v in rest) else None

    def finish(self) -> None:
        """At the end of the script: which targets hold something else than when tracing ended, as far as is seen."""
        recorder, recording = self.recorder, self.recorder.recording
        for copy, chosen in self._chosen:
            closed = next((op for op, result in chosen if result in op.never), None)
            if closed is not None:
                recording.copies.remove(copy)
                copy.stack, copy.later = closed.stack, closed.at in recorder.inner.later
                recording.copies_not_run.append(copy)
        fixed = recorder.calls.bodies.fixed
        files = frozenset(site.file for stack in recording.stacks for site in stack if site.own)
        for target in (target for target, number in self._captured.items() if fixed.made_again(number, files)):
            recording.variables[target].constant = False
            recording.moved_later.add(target)
        kept = recorder.naming.everything(sys._getframe()) if self._last.keys() - self._looped else {}
        alive = {recorder.values.known(thing) for thing in kept.values()}
        known = any(variable.constant for variable in recording.variables.values())
        for target, number in self._last.items():
            if target in self._looped:
                told = {c.target for c in (*recording.copies, *recording.copies_not_run)}
                if target not in self._steady and target not in told:
                    recording.moved_later.add(target)  # something new each round, by a way that is not understood
                continue
            held = recording.values.get(number)
            was, thing = held.numbers if held is not None else None, kept.get(recording.variables[target].name)
            now = concrete(thing) if thing is not None else None
            rebound = not known and now is not None and was is not None and look(now) != was
            if fixed.again(number) and number in alive and fixed.left(number, recording.variables[target].network):
                recording.moved_later.add(target)  # a name of the first parameters, beside the target's own
                continue
            passed_by = not known and fixed.passed_by(number)
            kept_on = number in alive or passed_by or (rebound and fixed.still(number))
            if fixed.again(number) and kept_on and not fixed.made_again(number, files):
                recording.variables[target].constant = True  # what the name holds by now is another matter
                continue
            if was is None or now is None or look(now) != was:
                recording.moved_later.add(target)
                if thing is None and was is not None and target not in self._changed:
                    recording.unseen_later.add(target)

    def _mixed(self, number: int, target: int) -> tuple[int | None, float | None, Op | None, list[tuple[Op, int]]]:
        """What content of another the target now holds a share of, that share, by which operation and which choices."""
        recording = self.recorder.recording
        producers = {v: op for op in recording.ops.values() for v in op.outputs if op.name in _MIXES}
        todo: list[tuple[int, float | None]] = [(number, None)]
        before: dict[int, tuple[Op, int] | None] = {number: None}
        found: tuple[int, float | None] | None = None
        best = (False, -1)
        while todo and len(before) < _FAR:
            value, share = todo.pop(0)  # the last sync first, where there were many since the target was seen
            held = _behind(producers, value)
            if held == self._last.get(target):
                continue  # the target's own old content, which may once have been the other's
            owner = recording.values[value].variable if value in recording.values else None
            if owner is not None and owner != target and value != number:
                # It follows what is trained, and of that the newest content; its own may have another name elsewhere.
                rank = owner in self._trained, held
                if rank > best:
                    best, found = rank, (value, share)
                continue
            op = producers.get(value)
            for source in op.inputs if op is not None else ():
                if source not in before and op is not None:
                    before[source] = op, value
                    scale = self._factor(op, source) if op.name == "mul" else None
                    todo.append((source, share if scale is None else scale))
        if found is None:
            return None, None, None, []
        way = _way(before, found[0])
        made = next((op for op, _ in way if op.name not in _CHOICES), way[0][0])
        return found[0], found[1], made, [(op, value) for op, value in way if op.name == "cond"]

    def _factor(self, product: Op, source: int) -> float | None:
        """The number that a value is multiplied by."""
        recording, written = self.recorder.recording, self.recorder.values.scalars
        found = (factor_of(recording, written, value) for value in product.inputs if value != source)
        return next((factor for factor in found if factor is not None), None)


def _made_of(recording: Recording, producers: dict[int, Op], number: int) -> set[int]:
    """Variables of the same shape whose content went into an array by copies and averages."""
    todo, seen, found = [number], {number}, set[int]()
    while todo and len(seen) < _FAR:
        value = todo.pop(0)
        owner = recording.values[value].variable if value in recording.values else None
        if owner is not None:
            found |= {owner} if recording.variables[owner].shape == recording.values[number].shape else set()
            continue
        op = producers.get(value)
        fresh = [v for v in op.inputs if v not in seen] if op is not None else []
        seen.update(fresh)
        todo.extend(fresh)
    return found


def _behind(producers: dict[int, Op], value: int) -> int:
    """What a function took from around it, as it was there."""
    made = producers.get(value)
    return made.inputs[0] if made is not None and made.name == "captured" else value


def _way(before: dict[int, tuple[Op, int] | None], value: int) -> list[tuple[Op, int]]:
    """The operations from a result back to one of the values it was made from, each with the value that it took."""
    found: list[tuple[Op, int]] = []
    step = before[value]
    while step is not None:
        found.append((step[0], value))
        value = step[1]
        step = before[value]
    return found[::-1]
