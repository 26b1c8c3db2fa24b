"""Gradients that lie on a device: statistics are queued behind the training's own work and fetched when they are done.

Nothing here waits for the device in the training's thread. On a GPU one kernel reads everything (`torch_stretches`);
elsewhere plain operations do, one variable after the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from whygrad.live import buckets, looks
from whygrad.live.looks import INDEX
from whygrad.live.torch_look import Look
from whygrad.live.torch_stretches import Plan, kernels_for

_APPLIED, _RATIO, _WEIGHTS = INDEX["applied"], INDEX["ratio"], INDEX["weights"]


class DevicePass:
    """Looks at the gradients of these parameters, all on one device."""

    def __init__(self, parameters: Sequence[torch.Tensor]) -> None:
        self._count = len(parameters)
        self._sizes = np.array([p.numel() for p in parameters])
        self._device = parameters[0].device
        self._kernels = kernels_for(self._device)
        self._wide = _wide(self._device)
        self._plans: dict[Any, Any] = {}
        self._held: list[torch.Tensor] | None = None
        self._side = torch.cuda.Stream(self._device) if self._device.type == "cuda" else None
        self.cost = 0.0
        """Seconds that the device is busy with a look, as far as it is known."""

    # In the training's thread.

    def read(self, gradients: Sequence[Any]) -> Look:
        """A look at gradients as backpropagation left them."""
        began = self._mark()
        there = [place for place, g in enumerate(gradients) if g is not None]
        sums = torch.zeros((self._count, 5), dtype=self._wide, device=self._device)
        counts = torch.zeros((self._count, buckets.COUNT), dtype=torch.int32, device=self._device)
        with torch.no_grad():
            dense = [_dense(gradients[place]) for place in there]
            for kind, at in self._by_kind(dense).items():
                tensors, places = [dense[i] for i in at], [there[i] for i in at]
                plan = self._plan(kind, tensors, places)
                if plan is not None:
                    plan.measure(tensors, sums, counts)
                else:
                    for tensor, place in zip(tensors, places, strict=True):
                        _measure_plainly(tensor, sums[place], counts[place])
        look = Look(there, (sums, counts), tuple([tensor.numel() for tensor in dense]))
        look.times = [began, self._mark()]
        return look

    def applied(self, look: Look, gradients: Sequence[Any]) -> None:
        """Something changed the gradients since: their norms as the optimizer gets them."""
        began = self._mark()
        sums = torch.zeros(self._count, dtype=self._wide, device=self._device)
        with torch.no_grad():
            now = [_dense(gradients[place]) for place in look.there]
            for kind, at in self._by_kind(now).items():
                tensors, places = [now[i] for i in at], [look.there[i] for i in at]
                plan = self._plan(kind, tensors, places)
                if plan is not None:
                    plan.squares(tensors, sums)
                else:
                    for tensor, place in zip(tensors, places, strict=True):
                        sums[place] = _exact(tensor).square().sum()
        look.after = sums
        look.times += [began, self._mark()]

    def keep_weights(self, parameters: Sequence[torch.Tensor]) -> None:
        """What the step is going to change. Comparing leaves the new weights in the place of the old."""
        with torch.no_grad():
            now = [_dense(p) for p in parameters]
            if self._held is None:
                self._held = [torch.empty_like(p) for p in now]
            torch._foreach_copy_(self._held, now)

    def moved(self, look: Look, parameters: Sequence[torch.Tensor]) -> None:
        """Squares of the step and of the weights before it, for each variable."""
        began = self._mark()
        sums = torch.zeros((self._count, 2), dtype=self._wide, device=self._device)
        held = self._held or []
        with torch.no_grad():
            now = [_dense(p) for p in parameters]
            for kind, at in self._by_kind(now).items():
                new, old = [now[i] for i in at], [held[i] for i in at]
                plan = self._plan(kind, new, at)
                if plan is not None:
                    plan.compare(new, old, sums)
                else:
                    for one, other, place in zip(new, old, at, strict=True):
                        sums[place, 0] = (_exact(one) - _exact(other)).square().sum()
                        sums[place, 1] = _exact(other).square().sum()
                        other.copy_(one)
        look.moved = sums
        look.times += [began, self._mark()]

    def sentinel(self, gradients: Sequence[Any]) -> bool:
        """Asking would stop the device."""
        return False

    # In the store's thread.

    def arrive(self, given: Sequence[Look]) -> tuple[list[Any], Any]:
        """Rows of each look, and histograms of all of them together."""
        with torch.cuda.stream(self._side) if self._side is not None else torch.no_grad():
            self._wait_for(given)
            found = torch.stack([look.before[1] for look in given])
            counts = found.sum(0, dtype=torch.int64).cpu().numpy()
            broken = (
                (found[:, :, buckets.NOT_FINITE] + found[:, :, buckets.NEGATIVE + buckets.NOT_FINITE]).cpu().numpy()
            )
            sums = torch.stack([look.before[0] for look in given]).cpu().numpy()
            moved = torch.stack([look.moved for look in given]).cpu().numpy()
            after = [None if look.after is None else look.after.cpu().numpy() for look in given]
        rows = [self._row(*one) for one in zip(given, sums, broken, moved, after, strict=True)]
        zeros = sum(np.nan_to_num(one[:, INDEX["zeros"]]) for one in rows) * self._sizes
        counts[:, buckets.SMALLEST] += np.rint(zeros).astype(np.int64)
        return rows, counts

    def _mark(self) -> Any:
        if self._side is None:
            return None
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def _wait_for(self, given: Sequence[Look]) -> None:
        if self._side is None:
            return
        given[-1].times[-1].synchronize()
        for look in given:
            pairs = zip(look.times[::2], look.times[1::2], strict=True)
            spent = sum(began.elapsed_time(ended) for began, ended in pairs) / 1e3
            self.cost = spent if not self.cost else self.cost + 0.1 * (spent - self.cost)

    def _row(self, look: Look, sums: Any, broken: Any, moved: Any, after: Any) -> Any:
        rows, there = looks.empty(self._count), look.there
        size, held = np.maximum(self._sizes[there], 1), np.array(look.sizes)
        total, squares, zeros, nans, largest = sums[there].T
        norm = np.sqrt(squares)
        rows[there, INDEX["present"]] = 1.0
        rows[there, INDEX["norm"]] = rows[there, INDEX["peak"]] = rows[there, _APPLIED] = norm
        rows[there, INDEX["mean"]] = total / size
        rows[there, INDEX["largest"]] = np.where(nans > 0, np.nan, largest)
        rows[there, INDEX["zeros"]] = (zeros + size - held) / size
        rows[there, INDEX["nans"]] = nans
        rows[there, INDEX["infs"]] = broken[there] - nans
        if after is not None:
            rows[there, _APPLIED] = np.sqrt(after[there])
        length = np.sqrt(moved[:, 1])
        rows[:, _WEIGHTS] = length
        with np.errstate(divide="ignore", invalid="ignore"):
            rows[:, _RATIO] = np.where(length > 0, np.sqrt(moved[:, 0]) / length, np.nan)
        return rows

    def _by_kind(self, tensors: Sequence[torch.Tensor]) -> dict[torch.dtype, list[int]]:
        found: dict[torch.dtype, list[int]] = defaultdict(list)
        for at, tensor in enumerate(tensors):
            found[tensor.dtype].append(at)
        return found

    def _plan(self, kind: torch.dtype, tensors: list[torch.Tensor], places: list[int]) -> Plan | None:
        if self._kernels is None or kind not in self._kernels.kinds:
            return None
        sizes = [tensor.numel() for tensor in tensors]
        key = (kind, tuple(places), tuple(sizes))
        found = self._plans.get(key)
        if found is None:
            if len(self._plans) > 64:  # sparse gradients have another size every time
                self._plans.clear()
            found = self._plans[key] = Plan(self._kernels, sizes, places, kind, self._device)
        return found


def _dense(tensor: torch.Tensor) -> torch.Tensor:
    """Numbers one after the other in memory, in whatever order."""
    if tensor.is_contiguous() and not tensor.is_sparse and not tensor.is_complex():
        return tensor  # nearly always, and this is called for every variable
    tensor = tensor.detach()
    if tensor.is_sparse:
        tensor = tensor.coalesce().values()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    return tensor if torch.ops.aten.is_non_overlapping_and_dense(tensor) else tensor.contiguous()


def _wide(device: torch.device) -> torch.dtype:
    return torch.float32 if device.type == "mps" else torch.float64


def _exact(tensor: torch.Tensor) -> torch.Tensor:
    """In float64, where the device has it."""
    return tensor.to(_wide(tensor.device))


def _measure_plainly(tensor: torch.Tensor, sums: torch.Tensor, counts: torch.Tensor) -> None:
    numbers = tensor.reshape(-1)
    if not len(numbers):
        return
    exact = _exact(numbers)
    sums[0], sums[1] = exact.sum(), exact.square().sum()
    sums[2], sums[3] = (numbers == 0).sum(), numbers.isnan().sum()
    sums[4] = numbers.abs().max()
    places = (numbers.float().view(torch.int32) >> 23) & (buckets.COUNT - 1)
    counts.index_add_(0, places, (numbers != 0).int())
