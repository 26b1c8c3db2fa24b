"""Linking a value that left the framework to the tensor it came back as.

Three kinds of proof, best first: the same memory (`torch.from_numpy(x.numpy())`), the same numbers
(`torch.tensor([x.item(), …])`, `-x.item() * y`), and the source (`whygrad.trace.source_flow`) where arithmetic lies
between.
"""

from __future__ import annotations

import sys
import weakref
from bisect import bisect
from typing import Any

from whygrad.flow.events import Handover
from whygrad.flow.recording import Recording
from whygrad.trace.source_flow import comes_back

_NUMBERS = 4096
_FIRST = 64
"""Numbers at the head of a large array by which it is known again, where it came back as a copy."""
_NEAREST = 256
_WITHIN = 16


class Exits:
    """What has left, and what has entered, in one recording."""

    def __init__(self) -> None:
        self._arrays: list[tuple[weakref.ref[Any], int, int, int]] = []
        self._numbers: dict[float, int] = {}
        self._heads: dict[tuple[int, bytes], int] = {}
        self._left: list[int] = []
        self._entered: list[tuple[int, bool]] = []
        self._links: list[Handover] = []
        self._batches: set[int] = set()
        self._edited: set[int] = set()
        """Entries of an array that left and was written into since: what else went into it, memory does not say."""

    def left(self, at: int, result: Any, follow: bool = True) -> None:
        """A call gave Python or NumPy data made from a tensor; `follow` it in the source where nothing is proved."""
        if follow:
            self._left.append(at)
        span = _memory(result)
        if span is not None:
            self._arrays.append((weakref.ref(result), span[0], span[1], at))
            del self._arrays[:-_NEAREST]
        if _size(result) <= _NUMBERS:
            for number in _floats(result):
                self._numbers[number] = at
        elif (head := _head(result)) is not None:
            self._heads[head] = at

    def entered(self, at: int, data: Any, weak: bool = False, batch: bool = False, follow: bool = True) -> None:
        """Data became a tensor; `weak` for a mere number among the arguments of an operation.

        `batch`: it came by way of a data pipeline, which keeps no memory. `follow` it in the source where nothing is
        proved.
        """
        if follow:
            self._entered.append((at, weak))
        if batch:
            self._batches.add(at)
        span = _memory(data)
        if span is not None:
            for reference, begin, end, left in self._arrays:
                if reference() is not None and begin < span[1] and span[0] < end:
                    self._links.append(Handover(left, at, "memory"))
        if self._numbers and _size(data) <= _NUMBERS:
            numbers = _floats(data)
            matched = {self._numbers[n] for n in numbers if n in self._numbers}
            self._links.extend(Handover(left, at, "value") for left in sorted(matched))
            same = batch or any(link.entered == at and link.proof == "memory" for link in self._links[-8:])
            if matched and same and any(n not in self._numbers for n in numbers):
                self._edited.add(at)
        head = _head(data) if self._heads else None
        if head is not None and head in self._heads and not any(link.entered == at for link in self._links[-8:]):
            self._links.append(Handover(self._heads[head], at, "value"))

    def came_back(self, since: int, at: int) -> None:
        """One call was given tensors and gave data back (`tf.py_function`): what left inside of it is in them."""
        self._links.extend(Handover(left, at, "source") for left in self._left if left >= since)

    def returned(self) -> dict[int, list[int]]:
        """By the operation at which something came back, those at which it is proved to have left."""
        found: dict[int, list[int]] = {}
        for link in self._links:
            found.setdefault(link.entered, []).append(link.left)
        return found

    def link(self, recording: Recording) -> None:
        """Add the links that were proved, and look in the source for the rest."""
        ops, stacks = recording.ops, recording.stacks
        recording.handovers.extend(h for h in self._links if h.left in ops and h.entered in ops)
        proved = {h.entered for h in recording.handovers}
        verdicts: dict[tuple[int, int], bool] = {}
        last_entry: dict[int, tuple[int, int]] = {}
        calls: dict[int, tuple[int, int]] = {}
        left = [at for at in self._left if at in ops]
        for at, weak in self._entered:
            if at not in ops:
                continue
            # What left before this line last took something in was taken in then; one call may take a list in twice.
            stack = ops[at].stack
            before, since = last_entry.get(stack, (0, 0))
            if before and not _one_call(recording, before, at):
                since = before
            last_entry[stack] = at, since
            if at in self._edited or at in self._batches:
                begun, last = calls.get(stack, (0, 0))
                # One call takes in several arrays: what left before the first of them may be in any.
                since = begun if bisect(left, last) == bisect(left, at) else last
                calls[stack] = since, at
            if at in proved and at not in self._edited:
                continue
            for earlier in left[bisect(left, since) : bisect(left, at)][-_NEAREST:]:
                pair = ops[earlier].stack, stack
                if pair not in verdicts:
                    verdicts[pair] = comes_back(stacks[pair[0]], stacks[pair[1]], same_function=weak)
                if verdicts[pair]:
                    recording.handovers.append(Handover(earlier, at, "source"))


def _one_call(recording: Recording, first: int, second: int) -> bool:
    """Whether nothing but one expression ran between two operations of it: TensorFlow asks for a list's rank first."""
    ops, stack = recording.ops, recording.ops[second].stack
    if second - first > _WITHIN:
        return False
    return all(ops[at].stack == stack for at in range(first, second) if at in ops)


def _memory(data: Any) -> tuple[int, int] | None:
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(data, numpy.ndarray) and data.size:
        begin = data.__array_interface__["data"][0]
        return begin, begin + data.nbytes
    pointer = getattr(data, "data_ptr", None)
    if pointer is None:
        return None
    try:
        begin = pointer()
        return (begin, begin + data.numel() * data.element_size()) if begin else None
    except RuntimeError:  # a tensor without storage, inside a functional transform
        return None


def _size(data: Any) -> int:
    if isinstance(data, int | float):
        return 1
    size = getattr(data, "size", None)
    if isinstance(size, int):
        return size
    if isinstance(data, list | tuple):
        return len(data)
    return _NUMBERS + 1


def _head(data: Any) -> tuple[int, bytes] | None:
    """The size of a large array and the numbers it begins with; None where these say too little."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(data, numpy.ndarray) or data.dtype.kind != "f" or data.size <= _NUMBERS:
        return None
    first = data.ravel()[:_FIRST] if data.flags.c_contiguous else data.flat[:_FIRST]
    first = first.astype("float32")
    return (data.size, first.tobytes()) if len(set(first.tolist())) > _FIRST // 2 else None


def _floats(data: Any) -> list[float]:
    """Numbers that could not well be equal by chance: 0.5 and 3.0 are everywhere, 0.7351… is one value.

    Without their signs: a policy's loss is `-log_prob * R`, and Python turns the sign of a number unseen.
    """
    found: list[float] = []
    todo = [data]
    numpy = sys.modules.get("numpy")
    while todo and len(found) < _NUMBERS:
        item = todo.pop()
        if isinstance(item, float):  # numpy.float64 is one too
            if item == item and (item * 4096.0) % 1.0:
                found.append(abs(float(item)))
        elif isinstance(item, list | tuple):
            todo.extend(item)
        elif numpy is not None and isinstance(item, numpy.ndarray | numpy.floating):
            todo.extend(item.astype("float64").ravel().tolist() if item.dtype.kind == "f" else ())
    return found
