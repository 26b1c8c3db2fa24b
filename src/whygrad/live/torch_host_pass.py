"""Gradients that lie in the processor's memory: the training copies them, the store's thread reads the copies.

A copy of a small network takes microseconds, statistics of it ten times as long. Torch and NumPy let other threads run
while they compute, so the training goes on meanwhile. Where copies would pile up, they are read at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch._utils import _flatten_dense_tensors as _end_to_end

from whygrad.live import buckets, looks
from whygrad.live.array_pass import ArrayPass
from whygrad.live.looks import INDEX
from whygrad.live.torch_look import Look

AT_ONCE = 1 << 20
"""More numbers than this are not copied for later."""
_NORM, _APPLIED, _RATIO, _WEIGHTS = INDEX["norm"], INDEX["applied"], INDEX["ratio"], INDEX["weights"]


class HostPass:
    """Looks at the gradients of these parameters."""

    def __init__(self, parameters: Sequence[torch.Tensor]) -> None:
        self._count = len(parameters)
        self._sizes = [p.numel() for p in parameters]
        self._passes: dict[tuple[int, ...], ArrayPass] = {}
        self._whole = self._pass(self._sizes)
        self._whole_sizes = tuple(self._sizes)
        self._later = sum(self._sizes) <= AT_ONCE
        vectors = [place for place, p in enumerate(parameters) if p.dim() == 1 and p.requires_grad]
        self._watchman = vectors[0] if vectors else 0
        self._held: Any = None
        self.cost = 0.0

    # In the training's thread.

    def read(self, gradients: Sequence[Any]) -> Look:
        """A look at gradients as backpropagation left them."""
        there = [place for place, g in enumerate(gradients) if g is not None]
        look = Look(there, *_flat([gradients[place] for place in there]))
        if not self._later:
            self._measure([look])
        return look

    def applied(self, look: Look, gradients: Sequence[Any]) -> None:
        """Something changed the gradients since: as the optimizer gets them."""
        after, sizes = _flat([gradients[place] for place in look.there if gradients[place] is not None])
        if sizes == look.sizes:
            look.after = after
            if not self._later:
                self._after([look])

    def keep_weights(self, parameters: Sequence[torch.Tensor]) -> None:
        """What the step is going to change."""
        self._held = _flat(parameters)[0]

    def moved(self, look: Look, parameters: Sequence[torch.Tensor]) -> None:
        """How far the step went. What it left behind is what the next one changes."""
        after = _flat(parameters)[0]
        look.weights, look.moved, self._held = self._held, after, after
        if not self._later:
            self._motion([look])

    def sentinel(self, gradients: Sequence[Any]) -> bool:
        """Whether one small gradient, near the inputs, is not finite: what spoils any gradient mostly spoils it."""
        gradient = gradients[self._watchman]
        return gradient is not None and not math.isfinite(gradient.sum())

    # In the store's thread.

    def arrive(self, given: Sequence[Look]) -> tuple[list[Any], Any]:
        """Rows of each look, and histograms of all of them together."""
        if self._later:
            for alike in _runs(given):
                self._measure(alike)
                self._after([look for look in alike if look.after is not None])
            self._motion([look for look in given if look.moved is not None])
        return [look.rows for look in given], sum(look.counts for look in given if look.counts is not None)

    def _measure(self, alike: Sequence[Look]) -> None:
        first = alike[0]
        if not first.there:
            for look in alike:
                look.rows = looks.empty(self._count)
            return
        found, counts = self._pass(first.sizes).look(_stacked([look.before for look in alike]))
        found[..., _APPLIED] = found[..., _NORM]
        first.counts = np.zeros((self._count, buckets.COUNT), np.int64)
        first.counts[first.there] = counts
        whole = len(first.there) == self._count
        for look, seen in zip(alike, found, strict=True):
            look.rows, look.before = seen if whole else looks.empty(self._count), None
            if not whole:
                look.rows[look.there] = seen
            if look.sizes != self._whole_sizes:
                self._fill_up(look, first.counts)

    def _after(self, alike: Sequence[Look]) -> None:
        if alike:
            norms = self._pass(alike[0].sizes).norms(_stacked([look.after for look in alike]))
            for look, found in zip(alike, norms, strict=True):
                look.rows[look.there, _APPLIED], look.after = found, None

    def _motion(self, given: Sequence[Look]) -> None:
        if not given:
            return
        before, after = _stacked([look.weights for look in given]), _stacked([look.moved for look in given])
        lengths = self._whole.norms(before)
        steps = self._whole.norms(_difference(after, before))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(lengths > 0, steps / lengths, np.nan)
        for look, length, ratio in zip(given, lengths, ratios, strict=True):
            look.rows[:, _WEIGHTS], look.rows[:, _RATIO] = length, ratio
            look.weights = look.moved = None

    def _fill_up(self, look: Look, counts: Any) -> None:
        """What a sparse gradient leaves out is zero."""
        for place, held in zip(look.there, look.sizes, strict=True):
            size, left = self._sizes[place], self._sizes[place] - held
            if left > 0 and size:
                row = look.rows[place]
                row[INDEX["zeros"]] = ((row[INDEX["zeros"]] * held if held else 0.0) + left) / size
                row[INDEX["mean"]] = row[INDEX["mean"]] * held / size if held else 0.0
                counts[place, 0] += left

    def _pass(self, sizes: Sequence[int]) -> ArrayPass:
        key = tuple(sizes)
        found = self._passes.get(key)
        if found is None:
            if len(self._passes) > 64:  # sparse gradients have another size every time
                self._passes.clear()
            found = self._passes[key] = ArrayPass(key, _bincount)
        return found


def _runs(given: Sequence[Look]) -> list[list[Look]]:
    """Neighbours that have the same gradients, of the same sizes."""
    found: list[list[Look]] = []
    for look in given:
        if found and found[-1][0].sizes == look.sizes and found[-1][0].there == look.there:
            found[-1].append(look)
        else:
            found.append([look])
    return found


def _flat(tensors: Sequence[torch.Tensor]) -> tuple[Any, tuple[int, ...]]:
    """A copy of everything, end to end."""
    if len(tensors) > 1 and all(t.dtype is torch.float32 and t.layout is torch.strided and t.is_cpu for t in tensors):
        with torch.no_grad():
            return _end_to_end(tensors), tuple([t.numel() for t in tensors])
    if not tensors:
        return None, ()
    parts = [_numbers(tensor) for tensor in tensors]
    return torch.cat(parts) if len(parts) > 1 else parts[0].clone(), tuple(map(len, parts))


def _numbers(tensor: torch.Tensor) -> torch.Tensor:
    tensor = tensor.detach()
    if tensor.is_sparse:
        tensor = tensor.coalesce().values()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    return tensor.reshape(-1).cpu()


def _stacked(flats: Sequence[torch.Tensor]) -> Any:
    held = torch.stack(list(flats)) if len(flats) > 1 else flats[0][None]
    return (held if held.dtype in (torch.float32, torch.float64) else held.float()).numpy()


def _difference(one: Any, other: Any) -> Any:
    """In float64: a step is far smaller than the weights that it changes."""
    return one.astype(np.float64) - other


def _bincount(places: Any, length: int) -> Any:
    """As NumPy's, which would not let other threads run meanwhile."""
    return torch.bincount(torch.from_numpy(places), minlength=length).numpy()
