"""Variants of one training step that take turns: ratios of CPU time to the plain step."""

from __future__ import annotations

import contextlib
import gc
import random
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

FOREVER = 1_000_000
Step = Callable[[], Any]
Variant = Callable[[], AbstractContextManager[Step]]


def quartiles(numbers: list[float]) -> dict[str, float]:
    """Median and quartiles."""
    if len(numbers) < 2:
        return {"median": numbers[0], "q1": numbers[0], "q3": numbers[0], "rounds": len(numbers)}
    q1, median, q3 = statistics.quantiles(numbers, n=4, method="inclusive")
    return {"median": median, "q1": q1, "q3": q3, "rounds": len(numbers)}


def seconds(step: Step) -> float:
    """CPU time of one step: on one thread it is the time that passes, less what other programs took."""
    start = time.process_time()
    step()
    return time.process_time() - start


def take_turns(plain: Variant, variants: dict[str, Variant], rounds: int, steps: int) -> dict[str, Any]:
    """Every variant once in every round, in random order, each between two blocks of plain steps."""

    def block(variant: Variant) -> list[float]:
        gc.collect()
        with variant() as step:
            return [seconds(step) for _ in range(steps)]

    shuffled = random.Random(0)
    ratios: dict[str, list[float]] = {name: [] for name in variants}
    first: list[float] = []
    bases = [statistics.median(block(plain))]
    for _ in range(rounds):
        for name in shuffled.sample(list(variants), len(variants)):
            spent = block(variants[name])
            bases.append(statistics.median(block(plain)))
            base = (bases[-2] + bases[-1]) / 2
            ratios[name].append(statistics.median(spent) / base)
            if name == "deep":
                first.append(spent[0] / base)
    found = {name: quartiles(numbers) for name, numbers in (ratios | {"deep, first step": first}).items()}
    return {"plain_ms": 1000 * statistics.median(bases), "steps_per_block": steps, "ratio_to_plain": found}


def whygrad_variants(step: Step) -> tuple[Variant, dict[str, Variant]]:
    """The step untraced; and traced, and after a recorder has seen enough and let go."""
    from whygrad.trace import loading
    from whygrad.trace.session import Session

    def warm_up() -> None:
        for _ in range(2):
            step()

    @contextlib.contextmanager
    def plain() -> Iterator[Step]:
        warm_up()
        yield step

    @contextlib.contextmanager
    def traced(depth: int) -> Iterator[Step]:
        warm_up()
        session = Session(depth=depth, ring=0)
        watch = loading.begin(session)
        try:
            if depth == 1:
                step()  # the one update it looks at
                warm_up()
            yield step
        finally:
            watch.end()
            session.finish()
        if session.notes:
            raise RuntimeError(f"tracing went wrong, so its cost means nothing: {session.notes}")

    return plain, {"deep": lambda: traced(FOREVER), "released": lambda: traced(1)}
