"""What `cuda_source` says in CUDA, in Triton: for devices that are not NVIDIA's.

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
    moved = tl.zeros([block], dtype=tl.float64)
    length = tl.zeros([block], dtype=tl.float64)
    for at in range(start, end, block):
        here = at + tl.arange(0, block)
        inside = here < end
        new = tl.load(now + here, mask=inside, other=0.0)
        old = tl.load(before + here, mask=inside, other=0.0)
        tl.store(before + here, new, mask=inside)
        weight = old.to(tl.float64)
        step = new.to(tl.float64) - weight
        moved += step * step
        length += weight * weight
    out = sums + tl.load(places + which) * 2
    tl.atomic_add(out, tl.sum(moved))
    tl.atomic_add(out + 1, tl.sum(length))


@triton.jit  # type: ignore[untyped-decorator]
def _squares(  # type: ignore[no-untyped-def]
    table, whose, starts, sizes, places, sums, kind: tl.constexpr, stretch: tl.constexpr, block: tl.constexpr
):
    program = tl.program_id(0)
    which = tl.load(whose + program)
    start = tl.load(starts + program)
    end = tl.minimum(start + stretch, tl.load(sizes + which))
    numbers = _pointer(table, which, kind)
    squares = tl.zeros([block], dtype=tl.float64)
    for at in range(start, end, block):
        here = at + tl.arange(0, block)
        exact = tl.load(numbers + here, mask=here < end, other=0.0).to(tl.float64)
        squares += exact * exact
    tl.atomic_add(sums + tl.load(places + which), tl.sum(squares))


class TritonKernels:
    """What the arguments are says `torch_stretches`."""

    kinds, stretch = KINDS, STRETCH

    def measure(self, kind: torch.dtype, programs: int, *given: Any) -> None:
        """Statistics and histograms."""
        _measure[(programs,)](
            *given, kind=KINDS[kind], stretch=STRETCH, first=FIRST, window=WINDOW, **TO_MEASURE
        )  # fmt: skip

    def squares(self, kind: torch.dtype, programs: int, *given: Any) -> None:
        """Sums of squares alone."""
        _squares[(programs,)](*given, kind=KINDS[kind], stretch=STRETCH, **TO_COMPARE)

    def compare(self, kind: torch.dtype, programs: int, *given: Any) -> None:
        """Squares of differences and of what is held, which becomes what is now."""
        _compare[(programs,)](*given, kind=KINDS[kind], stretch=STRETCH, **TO_COMPARE)
