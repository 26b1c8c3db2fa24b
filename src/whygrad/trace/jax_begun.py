"""What an optimizer of Optax is begun for: the arrays that `init` is given.

Nothing of Optax is replaced: `init` makes zeros of the shape of every parameter, and while it does the recorder sees
its frame, with the parameters in it. An optimizer without a state (plain SGD) makes nothing and is not seen.
"""

from __future__ import annotations

import inspect
from types import FrameType
from typing import TYPE_CHECKING, Any

import jax
from jax._src import core

from whygrad.flow.variables import Begun
from whygrad.trace.user_line import SKIP, classify

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder

BEGINS = frozenset({"init_fn", "init", "create", "__init__"})
"""Functions of Optax and Flax under which a state is made."""
_NNX = "/flax/nnx/training/"


class Beginnings:
    """Writes down each tree of parameters once."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder

    def saw(self, frame: FrameType | None, stack: int) -> None:
        """Something is computed while an optimizer begins."""
        if self.recorder.ring.running:
            return
        given: Any = None
        keeps = False
        while frame is not None and classify(frame.f_code.co_filename) == SKIP:
            if "/optax/" in frame.f_code.co_filename and frame.f_code.co_name in BEGINS:
                given = frame.f_locals.get("params")
            keeps = keeps or (_NNX in frame.f_code.co_filename and _keeps(frame.f_locals.get("self")))
            frame = frame.f_back
        leaves = [leaf for leaf in jax.tree_util.tree_leaves(given) if isinstance(leaf, jax.Array)]
        if not leaves or any(isinstance(leaf, core.Tracer) for leaf in leaves):
            return
        recorder = self.recorder
        values = frozenset(recorder.values.of(recorder.root, leaf, stack) for leaf in leaves)
        if all(one.values != values for one in recorder.recording.begun):
            recorder.recording.begun.append(Begun(recorder.session.now(), stack, values, keeps))

    def waiting(self) -> int:
        """How many were begun for arrays of which no gradient has been asked for yet."""
        recording = self.recorder.recording
        return sum(1 for one in recording.begun if not recording.asked_for(one))


def _keeps(optimizer: Any) -> bool:
    """Whether an optimizer of Flax NNX has its own model to update, and is not given one with the gradients."""
    update = getattr(type(optimizer), "update", None)
    return update is not None and "model" not in inspect.signature(update).parameters
