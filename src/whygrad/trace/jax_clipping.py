"""Clipping by Optax: with which limit, and where the program made it.

A clipping transformation is made in one place, put into a chain, and applied inside the optimizer. What it computes is
marked with the limit and with the place, so that an edit of gradients can name both.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder

_Call = Callable[..., Any]
_CLIPS = ("clip", "clip_by_global_norm", "clip_by_block_rms")


class Clipping:
    """Wraps the functions of Optax that make a clipping transformation."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self.now: tuple[str, float, int] | None = None
        """The call, limit and place of the clipping that is at work."""

    def attach_deep(self, patches: Patches) -> None:
        """As soon as Optax is there."""

        def attach(optax: Any) -> None:
            if self.recorder.deep:
                for name in _CLIPS:
                    if hasattr(optax, name):
                        patches.replace(optax, name, self._wrap)

        self.recorder.session.when_imported("optax", attach)

    def _wrap(self, original: _Call) -> _Call:
        name = original.__name__

        def made(*args: Any, **kwargs: Any) -> Any:
            transformation = original(*args, **kwargs)
            try:
                limit = float(args[0] if args else next(iter(kwargs.values())))
                stack = self.recorder.session.stacks.capture(sys._getframe(1))
                return transformation._replace(update=self._marked(transformation.update, (name, limit, stack)))
            except Exception:  # a limit that is traced, or no plain transformation
                return transformation

        return made

    def _marked(self, update: _Call, mark: tuple[str, float, int]) -> _Call:
        def clipped(*args: Any, **kwargs: Any) -> Any:
            before, self.now = self.now, mark
            try:
                return update(*args, **kwargs)
            finally:
                self.now = before

        return clipped
