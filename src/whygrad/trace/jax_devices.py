"""Functions that run on every device: `pmap` and `shard_map`.

`pmap` is a compiled `shard_map` that takes one row of everything and puts its results back into rows. What it does in
between was written by the program, and is seen like the body of any compiled function; a row is the whole here, since
every device computes the same.
"""

from __future__ import annotations

from typing import Any

from jax._src import core
from jax._src.interpreters import partial_eval

from whygrad.flow.operations import Op
from whygrad.trace.jax_rerun import SPREAD
from whygrad.trace.jax_scopes import Scope

_ROWS = frozenset({"squeeze", "expand_dims", "broadcast_in_dim", "reshape", "broadcast"})


class Devices:
    """Keeps the body of the function that was spread last."""

    def __init__(self) -> None:
        self._last: tuple[Any, Scope] | None = None

    def is_spread(self, name: str) -> bool:
        """Whether an operation has a body that JAX traces now."""
        return name == SPREAD and isinstance(core.trace_ctx.trace, partial_eval.DynamicJaxprTrace)

    def traced(self, jaxpr: Any, scope: Scope) -> None:
        """A function was traced; maybe it is one that is spread."""
        info = jaxpr.debug_info
        if info is not None and info.traced_for == SPREAD:
            self._last = jaxpr, scope

    def body(self) -> tuple[Any, Scope] | None:
        """What was traced last, with its rows taken for the whole."""
        found, self._last = self._last, None
        if found is not None:
            _without_rows(found[1])
        return found


def _without_rows(body: Scope) -> None:
    """Take what `pmap` itself does to arguments and results out of a body: one row, and rows again."""
    own = [item for item in body.items if isinstance(item, Op) and item.stack == body.base and item.name in _ROWS]
    own = [op for op in own if len(op.inputs) == 1]
    given, results = {number: variable for variable, number in body.inputs.items()}, set(body.outputs)
    for op in own:
        before, after = op.inputs[0], op.outputs[0]
        if before in given:
            body.inputs[given[before]] = after
        elif after in results:
            body.outputs = [before if number == after else number for number in body.outputs]
        else:
            continue
        body.items.remove(op)
