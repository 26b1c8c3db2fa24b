"""Keras layers: where each was made, which weights it made, and who froze it."""

from __future__ import annotations

import importlib
import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from whygrad.trace import keras_names
from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

_Call = Callable[..., Any]
_LAYERS = (("layers.layer", "Layer"), ("engine.base_layer", "Layer"))
_FUNCTIONS = frozenset({"Lambda", "TFOpLambda", "SlicingOpLambda"})
"""Layers around a function that the program chose."""


class Layers:
    """Wraps the base class of layers."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self.frozen: dict[int, int] = {}
        self.layer_name: dict[int, str] = {}
        self.weight_name: dict[int, str] = {}
        self._made: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._switched: list[tuple[weakref.ref[Any], bool, int]] = []
        self._pending: list[tuple[weakref.ref[Any], int, str, str]] = []
        self._lambdas: list[tuple[weakref.ref[Any], int]] = []

    def attach(self, package: Any, patches: Patches) -> None:
        """Watch an imported Keras."""
        for module, owner in _LAYERS:
            try:
                layer = getattr(importlib.import_module(f"{package.__name__}.src.{module}"), owner)
            except ImportError:
                continue
            patches.replace(layer, "__new__", self._wrap_new)
            patches.replace(layer, "add_weight", self._wrap_add_weight)
            patches.replace(layer, "trainable", self._wrap_trainable)
        try:
            operation = importlib.import_module(f"{package.__name__}.src.ops.operation").Operation
        except (ImportError, AttributeError):
            return
        patches.replace(operation, "__new__", self._wrap_new)

    def put_in(self, frame: Any) -> int | None:
        """Where the program put a function into a model (`Lambda(ops.argmax)`, `ops.argmax(x)`) that runs here.

        No line of the program's runs then but the one that calls the whole model.
        """
        while frame is not None and not self.recorder.session.is_user(frame):
            code = frame.f_code
            if code.co_name in ("call", "__call__") and code.co_varnames[:1] == ("self",):
                running = frame.f_locals.get("self")
                chosen = type(running).__name__ in _FUNCTIONS or not hasattr(running, "trainable")
                made = self._made.get(id(running)) if chosen else None
                if made is not None and made[0]() is running:
                    return made[1]
            frame = frame.f_back
        return None

    def _wrap_new(self, original: _Call) -> Any:
        def __new__(cls: Any, *args: Any, **kwargs: Any) -> Any:
            layer = original(cls, *args, **kwargs)
            try:
                stack = self.recorder.session.stacks.capture(sys._getframe(1))
                self._made[id(layer)] = (weakref.ref(layer), stack)
                if cls.__name__ == "Lambda":
                    self._lambdas.append((weakref.ref(layer), stack))
                if kwargs.get("trainable") is False:
                    self._switched.append((weakref.ref(layer), False, stack))
            except Exception as trouble:
                self.recorder.trouble(trouble)
            return layer

        return staticmethod(__new__)

    def _wrap_add_weight(self, original: _Call) -> _Call:
        def add_weight(layer: Any, *args: Any, **kwargs: Any) -> Any:
            weight = original(layer, *args, **kwargs)
            try:
                self._note_weight(layer, weight, sys._getframe(1))
            except Exception as trouble:
                self.recorder.trouble(trouble)
            return weight

        return add_weight

    def _note_weight(self, layer: Any, weight: Any, frame: Any) -> None:
        """A weight was made where its layer was made, unless the user's own code adds it."""
        session = self.recorder.session
        made = self._made.get(id(layer))
        if session.is_user(frame) or made is None or made[0]() is not layer:
            stack = session.stacks.capture(frame)
        else:
            stack = made[1]
        name = str(weight.name).partition(":")[0].rpartition("/")[2]
        if not self._settle(weight, stack, layer.name, name):
            # Keras 3 builds a subclassed model symbolically and gives its weights their content afterwards.
            self._pending.append((weakref.ref(weight), stack, layer.name, name))

    def _settle(self, weight: Any, stack: int, layer: str, name: str) -> bool:
        store = self.recorder.variables.store_of(weight)
        if store is None:
            return False
        store.layer_made, store.created = True, stack
        self.layer_name[store.handle], self.weight_name[store.handle] = layer, name
        return True

    def _wrap_trainable(self, original: Any) -> Any:
        """`layer.trainable = False`: whose line it was."""

        def trainable(layer: Any, value: Any) -> None:
            original.fset(layer, value)
            try:
                stack = self.recorder.session.stacks.capture(sys._getframe(1))
                if hasattr(layer, "_layers") or hasattr(
                    layer, "_self_tracked_trackables"
                ):  # not while it is being made
                    self._switched.append((weakref.ref(layer), bool(value), stack))
                    del self._switched[:-10_000]
            except Exception as trouble:
                self.recorder.trouble(trouble)

        return property(original.fget, trainable, original.fdel, original.__doc__)

    def catch_up(self) -> None:
        """Work out which variables are switched off, from the switches in the order they were thrown."""
        waiting, self._pending = self._pending, []
        for weak, made, layer_name, name in waiting:
            weight = weak()
            if weight is not None and not self._settle(weight, made, layer_name, name):
                self._pending.append((weak, made, layer_name, name))
        frozen: dict[int, int] = {}
        for reference, on, stack in self._switched:
            layer = reference()
            if layer is None:
                continue
            for variable in layer.weights:
                store = self.recorder.variables.store_of(variable)
                if store is None:
                    continue
                if on:
                    frozen.pop(store.handle, None)
                else:
                    frozen[store.handle] = stack
        self.frozen = {**{k: s for k, s in self.frozen.items() if self._gone(k)}, **frozen}

    def taken_in(self) -> dict[int, int]:
        """Weights that the function of a Lambda layer uses, each with the line that made that layer."""
        found: dict[int, int] = {}
        for reference, stack in self._lambdas:
            layer = reference()
            for handle in keras_names.used_by(getattr(layer, "function", None)):
                found.setdefault(handle, stack)
        return found

    def _gone(self, handle: int) -> bool:
        """A variable that no longer exists keeps what was last known of it."""
        store = self.recorder.variables.stores.get(handle)
        return store is None or store.reference is None or store.reference() is None
