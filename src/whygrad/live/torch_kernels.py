"""Kernels that read all gradients of a GPU in one launch, whatever their number. Triton comes with PyTorch.

Each program reads a stretch of one variable: a table says of which, and where it begins. What programs of one variable
find is added up in memory.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

STRETCH = 1 << 15
TO_MEASURE, TO_COMPARE = {"block": 256, "num_warps": 4}, {"block": 4096, "num_warps": 4}
"""Fastest on an H200 of those that were tried."""
KINDS = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2}
FIRST, WINDOW = 127 - 52, 128
"""Exponents from 2**-52 to 2**11, of both signs."""
MEASURES = ("sum", "squares", "zeros", "nans", "largest")


@triton.jit  # type: ignore[untyped-decorator]
def _pointer(table, which, kind: tl.constexpr):  # type: ignore[no-untyped-def]
    address = tl.load(table + which)
    if kind == 0:
        return address.to(tl.pointer_type(tl.float32))
    elif kind == 1:
        return address.to(tl.pointer_type(tl.float16))
    else:
        return address.to(tl.pointer_type(tl.bfloat16))


@triton.jit  # type: ignore[untyped-decorator]
def _measure(  # type: ignore[no-untyped-def]
    table,
    whose,
    starts,
    sizes,
    places,
    sums,
    counts,
    kind: tl.constexpr,
    stretch: tl.constexpr,
    block: tl.constexpr,
    first: tl.constexpr,
    window: tl.constexpr,
):
    program = tl.program_id(0)
    which = tl.load(whose + program)
    start = tl.load(starts + program)
    end = tl.minimum(start + stretch, tl.load(sizes + which))
    numbers = _pointer(table, which, kind)
    row = tl.load(places + which)
    found = tl.zeros([window], dtype=tl.int32)
    total = tl.zeros([block], dtype=tl.float32)
    squares = tl.zeros([block], dtype=tl.float64)  # in float32 a gradient of 1e-20 would have no length
    odd = tl.zeros([block], dtype=tl.int32)  # zeros, and NaN times 2**16: a stretch has fewer of them in one place
    largest = tl.zeros([block], dtype=tl.float32)
    for at in range(start, end, block):
        here = at + tl.arange(0, block)
        inside = here < end
        x = tl.load(numbers + here, mask=inside, other=0.0).to(tl.float32)
        place = (x.to(tl.int32, bitcast=True) >> 23) & 511
        # Counting takes most of the time, and the more buckets the longer: nearly all numbers lie in a window of the
        # exponents, and the few others are counted one by one. Zeros are counted apart.
        near = (place & 255) - first
        common = (near >= 0) & (near < window // 2)
        found += tl.histogram(near + (place >> 8) * (window // 2), window, mask=common)
        tl.atomic_add(counts + row * 512 + place, 1, mask=(x != 0.0) & ~common, sem="relaxed")
        total += x
        exact = x.to(tl.float64)
        squares += exact * exact
        odd += ((x == 0.0) & inside).to(tl.int32) + ((x != x).to(tl.int32) << 16)
        largest = tl.maximum(largest, tl.abs(x))
    out = sums + row * 5
    tl.atomic_add(out, tl.sum(total.to(tl.float64)))
    tl.atomic_add(out + 1, tl.sum(squares))
    tl.atomic_add(out + 2, tl.sum(odd & 65535).to(tl.float64))
    tl.atomic_add(out + 3, tl.sum(odd >> 16).to(tl.float64))
    tl.atomic_max(out + 4, tl.max(largest).to(tl.float64))
    bins = tl.arange(0, window)
    half = window // 2
    tl.atomic_add(counts + row * 512 + bins // half * 256 + bins % half + first, found, mask=found > 0)


@triton.jit  # type: ignore[untyped-decorator]
def _compare(  # type: ignore[no-untyped-def]
    table, held, whose, starts, sizes, places, sums, kind: tl.constexpr, stretch: tl.constexpr, block: tl.constexpr
):
    program = tl.program_id(0)
    which = tl.load(whose + program)
    start = tl.load(starts + program)
    end = tl.minimum(start + stretch, tl.load(sizes + which))
    now = _pointer(table, which, kind)
    before = _pointer(held, which, kind)
    moved = tl.zeros([block], dtype=tl.float32)
    length = tl.zeros([block], dtype=tl.float32)
    for at in range(start, end, block):
        here = at + tl.arange(0, block)
        inside = here < end
        new = tl.load(now + here, mask=inside, other=0.0)
        old = tl.load(before + here, mask=inside, other=0.0)
        tl.store(before + here, new, mask=inside)
        step = new.to(tl.float32) - old.to(tl.float32)
        weight = old.to(tl.float32)
        moved += step * step
        length += weight * weight
    out = sums + tl.load(places + which) * 2
    tl.atomic_add(out, tl.sum(moved.to(tl.float64)))
    tl.atomic_add(out + 1, tl.sum(length.to(tl.float64)))


class Plan:
    """Which program reads which stretch of which variable, for tensors of these sizes and one kind of number."""

    def __init__(self, sizes: list[int], places: list[int], kind: torch.dtype, device: Any) -> None:
        stretches = [(which, at) for which, size in enumerate(sizes) for at in range(0, size, STRETCH)]
        self.programs = len(stretches)
        self._kind = KINDS[kind]
        self._whose = torch.tensor([which for which, _ in stretches], dtype=torch.int32, device=device)
        self._starts = torch.tensor([at for _, at in stretches], dtype=torch.int64, device=device)
        self._sizes = torch.tensor(sizes, dtype=torch.int64, device=device)
        self._places = torch.tensor(places, dtype=torch.int64, device=device)
        self._device = device
        self._tables: dict[tuple[int, ...], torch.Tensor] = {}

    def measure(self, tensors: list[torch.Tensor], sums: torch.Tensor, counts: torch.Tensor) -> None:
        """Add to `sums` (of `MEASURES`) and `counts`, in the rows of their places."""
        _measure[(self.programs,)](
            self._table(tensors), self._whose, self._starts, self._sizes, self._places, sums, counts,
            kind=self._kind, stretch=STRETCH, first=FIRST, window=WINDOW, **TO_MEASURE,
        )  # fmt: skip

    def compare(self, now: list[torch.Tensor], held: list[torch.Tensor], sums: torch.Tensor) -> None:
        """Add squares of differences and of what was held to `sums`; what is held becomes what is now."""
        _compare[(self.programs,)](
            self._table(now), self._table(held), self._whose, self._starts, self._sizes, self._places, sums,
            kind=self._kind, stretch=STRETCH, **TO_COMPARE,
        )  # fmt: skip

    def _table(self, tensors: list[torch.Tensor]) -> torch.Tensor:
        addresses = tuple([t.data_ptr() for t in tensors])
        table = self._tables.get(addresses)
        if table is None:
            if len(self._tables) > 16:  # gradients are made anew in every update, weights and what is held are not
                self._tables.clear()
            # So few bytes are on their way when this returns: it does not wait for the device.
            table = torch.tensor(addresses, dtype=torch.int64).to(self._device, non_blocking=True)
            self._tables[addresses] = table
        return table
