"""A watched optimizer as JAX programs hold optimizers: `init` and `update` in a named tuple, as Optax has them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple


class _Transformation(NamedTuple):
    init: Callable[..., Any]
    update: Callable[..., Any]


def transformation(init: Callable[..., Any], update: Callable[..., Any], watch: Any, keep: Callable[[], None]) -> Any:
    """An Optax transformation, where Optax is loaded, with everything that a `Watch` has besides."""
    optax = sys.modules.get("optax")
    base: Any = getattr(optax, "GradientTransformationExtraArgs", None) or _Transformation

    class Watched(base):  # type: ignore[misc]
        """A watched optimizer: pass it on as an Optax transformation."""

        @property
        def path(self) -> str:
            """The folder of the run: `whygrad view` shows it."""
            return str(watch.path)

        @property
        def events(self) -> list[Any]:
            """What was noticed so far."""
            return list(watch.events)

        def log(self, step: int | None = None, **values: float) -> None:
            """Numbers of your own beside the gradients: a loss, a return."""
            watch.log(step, **values)

        def flush(self) -> None:
            """Return when everything seen so far is stored."""
            keep()
            watch.flush()

        def close(self) -> None:
            """Store what is left and look no more."""
            watch.close()

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: object) -> None:
            self.close()

    return Watched(init, update)
