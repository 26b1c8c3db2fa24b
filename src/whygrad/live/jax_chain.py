"""What a clip at the beginning of an Optax chain leaves of the gradients.

`optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))` is one transformation that holds its parts. During a
look those that clip are called once more: taking what the chain itself has in between would change how XLA puts
operations together, and with that the last bit of the weights. Where the parts cannot be seen, nothing is
known of a clip.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_CLIPS = ("clip", "adaptive_grad_clip", "unitwise_clip", "zero_nans", "normalize_by_update_norm")


def clips(optimizer: Any) -> tuple[Callable[..., Any], ...]:
    """The parts at the beginning of a chain that clip."""
    parts = _held(optimizer.update).get("update_fns")
    if not _is_made_by(optimizer.update, "chain") or not isinstance(parts, tuple):
        return ()
    count = 0
    while count < len(parts) and _is_made_by(_inner(parts[count]), *_CLIPS):
        count += 1
    return parts[:count]


def clipped(optimizer: Any, gradients: Any, state: Any, params: Any, extra: dict[str, Any]) -> Any:
    """Gradients behind the clip of an optimizer, or `None` when it has none that can be seen."""
    parts = clips(optimizer)
    if not parts or not isinstance(state, tuple) or len(state) < len(parts):
        return None
    for part, held in zip(parts, state, strict=False):
        gradients, _ = part(gradients, held, params, **extra)
    return gradients


def _inner(part: Any) -> Any:
    """A part without what lets it ignore extra arguments."""
    if _is_made_by(part, "with_extra_args_support"):
        return getattr(_held(part).get("tx"), "update", part)
    return part


def _is_made_by(function: Any, *makers: str) -> bool:
    maker = getattr(function, "__qualname__", "").partition(".<locals>")[0]
    return maker.startswith(makers) and getattr(function, "__module__", "").startswith("optax")


def _held(function: Any) -> dict[str, Any]:
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    if code is None or cells is None:
        return {}
    return {name: cell.cell_contents for name, cell in zip(code.co_freevars, cells, strict=True)}
