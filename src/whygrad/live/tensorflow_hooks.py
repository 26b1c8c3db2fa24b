"""Where the gradients that a Keras optimizer gets can be seen: in front of its clipping, and behind it.

Keras 3 clips inside `apply`, Keras 2 inside `apply_gradients`; both do it in `_clip_gradients`. Methods are replaced in
the one object that is watched, past Keras' tracking: nothing of it is saved with a model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from whygrad.live.keras_parts import paths

Apply = Callable[[list[Any], list[Any], Callable[[], Any]], Any]


def raw(variable: Any) -> Any:
    """The `tf.Variable` in a variable of Keras 3, or the one that it is already."""
    return variable if isinstance(variable, tf.Variable) else getattr(variable, "_value", variable)


def key(variable: Any) -> Any:
    """What is the same for the same variable, however it is held."""
    held = raw(variable)
    return getattr(held, "_unique_id", None) or id(held)


def known(optimizer: Any) -> list[Any]:
    """The variables that an optimizer was built for; none when it was not built yet."""
    held = getattr(optimizer, "_trainable_variables", None)
    return list(held) if held else []


def names(model: Any) -> dict[Any, tuple[str, str]]:
    """Of each variable of a model, or of a dict of them, by its key, its name and its network."""
    return {key(variable): named for variable, named in paths(model)}


class Hooks:
    """Lets every update of an optimizer pass through `apply(gradients, variables, go_on)`."""

    def __init__(self, optimizer: Any, apply: Apply) -> None:
        self._optimizer = optimizer
        self._clipped: list[Any] | None = None
        self._clipped_in: Any = None
        self._method = "apply" if hasattr(optimizer, "apply") else "apply_gradients"

        def original(*args: Any, **kwargs: Any) -> Any:
            # Looked up now and not before: a recorder that began later has wrapped it in its class.
            return getattr(type(optimizer), self._method)(optimizer, *args, **kwargs)

        clip = getattr(optimizer, "_clip_gradients", None)

        def apply_keras_3(grads: Any, trainable_variables: Any = None) -> Any:
            grads = list(grads)
            variables = known(optimizer) if trainable_variables is None else list(trainable_variables)
            return apply(grads, variables, lambda: original(grads, trainable_variables))

        def apply_keras_2(grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            pairs = list(grads_and_vars)
            return apply([g for g, _ in pairs], [v for _, v in pairs], lambda: original(pairs, *args, **kwargs))

        def clip_gradients(grads: Any) -> Any:
            after = clip(grads)  # type: ignore[misc]
            if after is not grads:
                self._clipped, self._clipped_in = list(after), _place()
            return after

        self._set(self._method, apply_keras_3 if self._method == "apply" else apply_keras_2)
        if clip is not None:
            self._set("_clip_gradients", clip_gradients)
        # Compiled functions go on writing into the variables of whoever watches, also after it closed.
        self._set(f"_whygrad_watch_{id(self)}", apply)

    def clipped(self) -> list[Any] | None:
        """What came out of the clipping of this update: one for each gradient that was not `None`."""
        found, where = self._clipped, self._clipped_in
        self._clipped = self._clipped_in = None
        # Inside of a branch (accumulated gradients) it cannot be had outside.
        return found if found is not None and where is _place() else None

    def close(self) -> None:
        """Give the optimizer its own methods back."""
        for name in (self._method, "_clip_gradients"):
            vars(self._optimizer).pop(name, None)

    def _set(self, name: str, value: Any) -> None:
        vars(self._optimizer)[name] = value


def _place() -> Any:
    return None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()
