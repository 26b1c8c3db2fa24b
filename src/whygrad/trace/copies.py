"""Seeing one variable's content given to another, by whatever way: a target network being synced.

Content tells more than code: `load_state_dict`, `copy_` through `.data`, a Polyak average in NumPy and a file in
between all leave the target holding the source's numbers, or a share of them. A few numbers of each are enough to tell.
Where they do not decide (a bias of zeros, an average with a share of zero) the data flow does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import FrameType

from whygrad.flow import reach
from whygrad.flow.events import Copy
from whygrad.flow.operations import Op
from whygrad.flow.recording import Recording
from whygrad.trace.session import Session

Sample = tuple[float, ...]
SAMPLED = 8
"""Numbers looked at of each variable."""

_NOTED = 20_000
_LATE_LOOKS = 64
_TWINS = 24
_WALKED = 400
_NEARLY_ALL = 0.5
_ROUNDED = 5e-7
"""What averaging a number with itself may lose, and a little more."""
_AVERAGED = frozenset({
    "mul", "__mul__", "__rmul__", "multiply", "add", "__add__", "__radd__", "sub", "__sub__", "__rsub__", "rsub",
    "lerp", "mul_", "add_", "lerp_", "sub_", "div", "__truediv__", "truediv",
})  # fmt: skip
PASSED_ON = _AVERAGED | frozenset({
    "detach", "data.__get__", "clone", "to", "cpu", "cuda", "float", "double", "half", "type", "contiguous", "view",
    "view_as", "reshape", "getitem", "__getitem__", "cat", "t", "tensor", "as_tensor", "from_numpy", "tensor data",
    "read_value", "identity", "constant", "convert_to_tensor", "cast", "copy", "copy_", "data.__set__", "assign",
    "numpy", "strided_slice", "convert_to_tensor_v2_with_dispatch", "array", "asarray", "stack", "unsqueeze",
})  # fmt: skip
"""Operations by which content is only passed on or averaged."""


@dataclass(slots=True)
class _Wrote:
    """A write into a variable, with what could be told at that moment."""

    at: int
    target: int
    stack: int
    sources: tuple[int, ...]
    twins: list[tuple[int, float]] = field(default_factory=list)
    stuck: list[int] = field(default_factory=list)
    """Variables that hold something else, while the write changed nothing at all."""
    still: bool = False
    """The write changed nothing that was looked at."""
    moved: bool = False
    """It is known to have changed the content: no average of a network with itself does."""


class Copies:
    """The writes of one recording. `sample` reads a few numbers of a variable, None where that cannot be done."""

    def __init__(self, session: Session, recording: Recording, sample: Callable[[int], Sample | None]) -> None:
        self.session = session
        self.recording = recording
        self.sample = sample
        self._base: dict[int, Sample | None] = {}
        self._stepped_to: dict[int, Sample | None] = {}
        """What an optimizer left in a variable; held against networks that no optimizer has changed."""
        self._left_by_step: dict[int, Sample | None] = {}
        """The same of those that the program writes into itself: what its next write finds there."""
        self._wrote: list[_Wrote] = []
        self._written: set[int] = set()
        self._watched: dict[int, Sample] = {}
        self._next_look = 0
        self._looked = 0

    # --- while every operation is seen --------------------------------------------------------------------------

    def first(self, variable: int) -> None:
        """A variable was met: what it holds before anything is written into it."""
        self._base[variable] = self.sample(variable)

    def stepped(self, variables: Iterable[int]) -> None:
        """An optimizer has changed these: what was known of them is old. A target may be averaged into them next."""
        changed = set(variables)
        known = self.recording.variables
        kept = {known[v].shape for v in known.keys() - changed}
        for variable in changed:
            self._base.pop(variable, None)
            self._left_by_step.pop(variable, None)
            if variable in known and known[variable].shape in kept:
                self._stepped_to[variable] = self.sample(variable)

    def step_done(self, variables: Iterable[int]) -> None:
        """A step is over: what it left in those that the program writes into itself."""
        for variable in self._written.intersection(variables):
            self._left_by_step[variable] = self.sample(variable)

    def wrote(self, at: int, variable: int, stack: int, sources: Iterable[int]) -> None:
        """A variable's content was replaced or changed by a program's own write."""
        given = tuple(sources)
        if not given:
            return  # scaled in place: the first half of an average; the base stays what it was before
        if len(self._wrote) > _NOTED:
            return
        before, after = self._base.get(variable), self.sample(variable)
        self._base[variable] = after
        self._written.add(variable)
        entry = _Wrote(at, variable, stack, given, still=after is not None and after == before)
        found = before if before is not None else self._left_by_step.get(variable)
        entry.moved = found is not None and after is not None and not _stayed(found, after, _ROUNDED)
        if after is not None and not _constant(after):
            entry.twins = self._twins(variable, before, after)
        if after is not None and before is not None and _stayed(before, after) and not entry.twins:
            entry.stuck = [v for v in self._alike(variable) if _apart(self.sample(v), after)]
        self._wrote.append(entry)

    def _twins(self, variable: int, before: Sample | None, after: Sample) -> list[tuple[int, float]]:
        """Variables of the same shape whose content arrived here, with the share of it."""
        found = []
        for other in self._alike(variable):
            theirs = self.sample(other)
            held = before if before is not None or other in self._stepped_to else self._stepped_to.get(variable)
            share = _share(held, after, theirs) if theirs is not None else None
            if share is not None:
                found.append((other, share))
        return found

    def _alike(self, variable: int) -> list[int]:
        shape = self.recording.variables[variable].shape
        return [v.id for v in self.recording.variables.values() if v.shape == shape and v.id != variable][:_TWINS]

    # --- after letting go ---------------------------------------------------------------------------------------

    def watch(self) -> None:
        """Deep tracing ends: remember what the variables that no optimizer changes hold now."""
        recording = self.recording
        stepped = {v for step in recording.steps for v in step.applied}
        shapes = {recording.variables[v].shape for v in stepped}
        candidates = [v.id for v in recording.variables.values() if v.id not in stepped and v.shape in shapes]
        samples = {v: self.sample(v) for v in candidates[:256]}
        self._watched.clear()
        self._watched.update({v: sample for v, sample in samples.items() if sample is not None})
        self._next_look = self.session.updates + 1

    def look(self, now: bool = False) -> None:
        """Has one of them changed? Asked at updates further and further apart, so that it costs nothing."""
        if not self._watched or (self.session.updates < self._next_look and not now):
            return
        self._next_look = self.session.updates + 1 + self.session.updates // 20
        for variable, known in list(self._watched.items()):
            sample = self.sample(variable)
            if sample is None or sample != known:
                del self._watched[variable]
                if sample is not None:
                    self.recording.moved_later.add(variable)

    def moved(self, variable: int) -> None:
        """Somebody wrote into a variable after deep tracing had ended."""
        self._watched.pop(variable, None)
        self.recording.moved_later.add(variable)

    def before_late(self, variable: int) -> Sample | None:
        """After deep tracing: the program itself is about to write into a trained variable. None: not looked at."""
        if not self._watched or variable in self._watched or self._looked >= _LATE_LOOKS:
            return None
        self._looked += 1
        return self.sample(variable)

    def given_late(self, variable: int, before: Sample, frame: FrameType) -> None:
        """It has been written: with the content of a network that nothing has changed so far?"""
        after = self.sample(variable)
        if after is None or after == before or _constant(after):
            return
        for other, share in self._twins(variable, before, after):
            if other in self._watched:
                stack = self.session.stacks.capture(frame)
                self.recording.copies.append(Copy(self.session.tick(), other, variable, stack, share))
                return

    def whole_late(self, variables: Iterable[int], itself: set[int], frame: FrameType) -> None:
        """A whole network was loaded after deep tracing had ended: from which one? `itself`: from themselves."""
        stack = self.session.stacks.capture(frame)
        for variable in variables:
            if variable in itself:
                self.recording.copies.append(Copy(self.session.tick(), variable, variable, stack, 1.0))
                continue
            self.moved(variable)
            after = self.sample(variable)
            if after is not None and not _constant(after):
                for other, share in self._twins(variable, None, after)[:1]:
                    at = self.session.tick()
                    self.recording.copies.append(Copy(at, other, variable, stack, share))

    # --- at the end ---------------------------------------------------------------------------------------------

    def link(self) -> None:
        """From writes to copies, with the help of the data flow."""
        recording = self.recording
        made_by = reach.producers(recording)
        ways = _handed_over(recording)
        held = {v for o in recording.optimizers.values() for v in o.holds}
        judged = [(entry, *_sources(recording, made_by, ways, entry)) for entry in self._wrote]
        moves = {entry.stack for entry, _, itself, _ in judged if itself and entry.moved}
        for entry, others, itself, averaged in judged:
            itself = itself and entry.stack not in moves  # a decay, or what is put back after steps that were tried
            if entry.twins and not any(v in others for v, _ in entry.twins):
                known = _computed_from(recording, made_by, ways, entry)
                entry.twins = [t for t in entry.twins if _may_be(t, entry.target, known, held)]
            copy = _judge(entry, others, itself, averaged, held, recording)
            if copy is not None:
                recording.copies.append(copy)
        recording.copies.sort(key=lambda copy: copy.at)
        for copy in recording.copies:
            if copy.share == 1.0 and copy.source != copy.target and copy.target in recording.variables:
                recording.variables[copy.target].copy_of = copy.source


def _judge(
    entry: _Wrote, others: set[int], itself: bool, averaged: bool, held: set[int], recording: Recording
) -> Copy | None:
    if itself and entry.still:  # a twin may hold the same numbers where training has not yet moved them
        return Copy(entry.at, entry.target, entry.target, entry.stack, 1.0)
    if entry.twins:
        likely = [t for t in entry.twins if t[0] in others] or entry.twins
        likely.sort(key=lambda t: (t[0] not in held, t[1] != 1.0, t[0]))
        return Copy(entry.at, likely[0][0], entry.target, entry.stack, likely[0][1])
    shape = recording.variables[entry.target].shape
    alike = sorted(v for v in others if v in recording.variables and recording.variables[v].shape == shape)
    if alike:
        source = next((v for v in alike if v in held), alike[0])
        share = 1.0 if not averaged else 0.0 if source in entry.stuck else None
        return Copy(entry.at, source, entry.target, entry.stack, share)
    if itself:
        return Copy(entry.at, entry.target, entry.target, entry.stack, 1.0)
    stuck = [v for v in entry.stuck if v in held and entry.target not in held]
    if stuck:  # through NumPy, and with nothing of the trained network in it
        return Copy(entry.at, stuck[0], entry.target, entry.stack, 0.0)
    return None


def _may_be(twin: tuple[int, float], target: int, known: set[int] | None, held: set[int]) -> bool:
    """Whether a likeness may be more than chance, where no plain copying or averaging leads from that variable here.

    Where all is known that it was computed from, one of these must be it. Where that is not known, two variables that
    optimizers train both, and that have hardly moved from their first values, are near each other anyway.
    """
    variable, share = twin
    if known is not None:
        return variable in known
    return share == 1.0 or share < _NEARLY_ALL or not {variable, target} <= held


def _computed_from(
    recording: Recording, made_by: dict[int, Op], ways: dict[int, list[int]], entry: _Wrote
) -> set[int] | None:
    """The variables that a write was computed from, by whatever operations; None where a part came from outside.

    Where all is known, a likeness to any other variable is chance: norms that training has hardly moved yet all hold
    about one, and what is put back after a perturbation lies near every one of them.
    """
    found: set[int] = set()
    todo, seen = list(entry.sources), set(entry.sources)
    while todo:
        number = todo.pop()
        value, op = recording.values.get(number), made_by.get(number)
        if value is not None and value.variable is not None:
            found.add(value.variable)
        elif value is not None and value.shape == ():
            continue  # one number, a norm or a share, is nobody's content
        elif value is None or op is None or op.at > entry.at or len(seen) > _WALKED:
            return None
        else:
            left = [recording.ops[at] for at in ways.get(op.at, ()) if at in recording.ops]
            inputs = [*op.inputs, *(v for leave in left for v in leave.inputs)]
            if op.kind == "enter" and op.name != ".grad" and not inputs:
                return None
            fresh = [v for v in inputs if v not in seen]
            seen.update(fresh)
            todo.extend(fresh)
    return found


def _handed_over(recording: Recording) -> dict[int, list[int]]:
    ways: dict[int, list[int]] = {}
    for handover in recording.handovers:
        if handover.proof == "memory":
            ways.setdefault(handover.entered, []).append(handover.left)
    return ways


def _sources(
    recording: Recording, made_by: dict[int, Op], ways: dict[int, list[int]], entry: _Wrote
) -> tuple[set[int], bool, bool]:
    """Variables that a write was computed from, whether it gives back its own content, and whether it averages.

    The second is so where nothing else goes in and nothing is computed, or where it is averaged with itself.
    """
    others: set[int] = set()
    own, averaged, first_read, kept = 0, False, entry.at, False
    write = recording.ops.get(entry.at)
    if write is not None and write.name in _AVERAGED:
        own, averaged = 1, write.name != "lerp_"
    todo, seen = list(entry.sources), set(entry.sources)
    while todo and len(seen) < _WALKED:
        number = todo.pop()
        value = recording.values.get(number)
        if value is None:
            continue
        if value.variable is not None:
            if value.variable == entry.target:
                own += 1
            else:
                others.add(value.variable)
            continue
        op = made_by.get(number)
        if op is None or op.at > entry.at or op.name not in PASSED_ON:
            continue
        averaged = averaged or op.name in _AVERAGED
        kept = kept or (op.name == "clone" and not _on_one_line(recording, op.stack, entry.stack))
        inputs = list(op.inputs)
        read = op.at
        for left in ways.get(op.at, ()):
            if left in recording.ops:
                inputs.extend(recording.ops[left].inputs)
                read = min(read, left)
        first_read = min(first_read, read)
        fresh = [v for v in inputs if v not in seen or _is_content(recording, v)]
        seen.update(fresh)
        todo.extend(fresh)
    # What was read before a step and written after it is a snapshot that is put back; so is a copy made for keeping.
    back = kept or any(first_read < step.at < entry.at and entry.target in step.applied for step in recording.steps)
    return others, not others and own >= 1 + averaged and not back, averaged


def _on_one_line(recording: Recording, one: int, other: int) -> bool:
    """Whether two operations stand in one statement, as far as its line tells."""
    stacks = [recording.stacks[number] for number in (one, other) if number < len(recording.stacks)]
    places = {(stack[0].file, stack[0].line) for stack in stacks if stack}
    return len(places) < 2


def _is_content(recording: Recording, number: int) -> bool:
    value = recording.values.get(number)
    return value is not None and value.variable is not None


def _constant(sample: Sample) -> bool:
    return len(sample) < 2 or all(number == sample[0] for number in sample)


def _apart(one: Sample | None, other: Sample) -> bool:
    """So different that even a small share of the one would show in the other."""
    if one is None or len(one) != len(other):
        return False
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) > 1e-3 * max(abs(b) for b in other)


def _stayed(before: Sample, after: Sample, rounding: float = 2e-7) -> bool:
    """No change but that of rounding: far less than any share in use of what is `_apart`."""
    if len(before) != len(after):
        return False
    change = max((abs(a - b) for a, b in zip(after, before, strict=True)), default=0.0)
    return change <= rounding * max((abs(b) for b in before), default=0.0)


def _same(one: Sample, other: Sample | None) -> bool:
    """The same content, up to what averaging a number with itself may lose."""
    return other is not None and all(abs(a - b) <= 1e-6 * max(abs(a), 1e-3) for a, b in zip(one, other, strict=True))


def _share(before: Sample | None, after: Sample, source: Sample) -> float | None:
    """How much of a source arrived: 1 for a copy, tau for an average; None where the source explains nothing."""
    if len(source) != len(after):
        return None
    if after == source:
        return 1.0
    if before is None or len(before) < 3 or _same(before, after):
        return None
    way = [s - b for s, b in zip(source, before, strict=True)]
    moved = [a - b for a, b in zip(after, before, strict=True)]
    length = sum(w * w for w in way)
    if not length:
        return None
    share = sum(w * m for w, m in zip(way, moved, strict=True)) / length
    rest = sum((m - share * w) ** 2 for w, m in zip(way, moved, strict=True))
    size = sum(b * b for b in before)
    straight = rest <= 1e-4 * share * share * length + 1e-13 * size
    if sum(s * s for s in source) <= 1e-6 * size:
        return None  # content that was made smaller looks like an average with a bias that is still zero
    return share if straight and 0 < share <= 1.0001 else None
