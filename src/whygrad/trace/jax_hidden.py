"""Layers that a model keeps where JAX does not look: in a static field (Equinox), in a plain object (Flax NNX too),
in a plain list that was empty until the model was made (NNX), around a function that is one of its leaves
(`lambda x: relu(hidden(x))`); weights that are no parameters (NNX) or stand in a static field by themselves, and floats
among the numbers of a model.

Such a layer is no part of the tree that is differentiated: its weights are constants of the function. Arrays that are
kept so by themselves may well be meant as constants; a layer is there to learn.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from types import FrameType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from whygrad.flow.variables import HiddenLayer, PlainNumbers
from whygrad.trace.jax_naming import array_of, is_model
from whygrad.trace.names import scopes

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder

_LOOKS = 3
_DEEP = 6
_WRAPPED = 3
_PLAIN = (str, bytes, int, float, complex, type(None), type, FunctionType, MethodType, ModuleType)


class HiddenLayers:
    """Looks at the models whose parameters are differentiated, the first few times."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._looks = 0

    def look(self, frame: FrameType, leaves: list[Any], stack: int) -> None:
        """Among what the user's frames name: models that have one of these leaves, and layers that they hide."""
        if self._looks >= _LOOKS or not leaves or self.recorder.ring.running:
            return
        self._looks += 1
        wanted = {id(leaf) for leaf in leaves}
        for names, _ in scopes(frame):
            for name, thing in list(names.items()):
                if is_model(thing) and not isinstance(thing, type):
                    self._numbers(name, thing, wanted, stack)
                    found = list(_hidden(name, thing, 0))
                    if found and any(id(array) in wanted for array in _tree(thing)):
                        for path, keeper, place, arrays in found:
                            self._keep(path, keeper, place, arrays, stack)

    def _numbers(self, name: str, thing: Any, wanted: set[int], stack: int) -> None:
        """Floats in a model that is differentiated; whether it is a model of single numbers and nothing else."""
        if not any(id(array) in wanted for array in _tree(thing)):
            return
        known, leaves = self.recorder.recording.plain_numbers, jax.tree_util.tree_leaves(thing)
        for path, part in _parts(name, thing):
            fields = _fields(part)
            floats = tuple(key for key, one in fields.items() if type(one) is float)
            arrays = {key: one for key, one in fields.items() if isinstance(one, jax.Array)}
            single = {id(one) for one in arrays.values()} == wanted and all(one.shape == () for one in arrays.values())
            alone = single and len(leaves) == len(floats) + len(arrays)
            found = PlainNumbers(path, type(part).__qualname__, floats, tuple(arrays), stack, alone)
            if floats and all(one.model != found.model for one in known):
                known.append(found)

    def plain(self, frame: FrameType) -> str:
        """The class of a model, among what the user's frames name, whose numbers are all Python's or NumPy's own."""
        for names, _ in scopes(frame):
            for thing in list(names.values()):
                leaves = jax.tree_util.tree_leaves(thing) if is_model(thing) and not isinstance(thing, type) else []
                arrays = any(isinstance(leaf, jax.Array) for leaf in leaves)
                if not arrays and any(isinstance(leaf, float) or _is_numpy(leaf) for leaf in leaves):
                    return type(thing).__qualname__
        return ""

    def _keep(self, path: str, keeper: str, place: str, arrays: list[Any], stack: int) -> None:
        recorder = self.recorder
        values = frozenset(recorder.values.of(recorder.root, array, stack) for array in arrays)
        made = recorder.variables.maker(min(values))
        hidden = HiddenLayer(path, keeper, place, values, made.stack if made is not None else None)
        if all(one.values != values for one in recorder.recording.hidden):
            recorder.recording.hidden.append(hidden)


def _tree(model: Any) -> Iterator[Any]:
    """The arrays that a model is made of, as far as JAX looks."""
    return (array for leaf in jax.tree_util.tree_leaves(model) if (array := array_of(leaf)) is not None)


def _hidden(path: str, item: Any, depth: int, keeper: str = "") -> Iterator[tuple[str, str, str, list[Any]]]:
    """Layers out of JAX's sight: where they are, who keeps them and in what, and their arrays."""
    if isinstance(item, FunctionType) and keeper:
        for name, child in _around(item):
            if type(child).__qualname__ != keeper:  # `self`: of that it knows the first state alone, but no layer
                name = path if hasattr(item, "__wrapped__") else name  # JAX's own name for it says nothing
                yield from ((inner, keeper, "function", arrays) for inner, arrays in _layers(name, child, 0))
    if depth > _DEEP or isinstance(item, _PLAIN) or array_of(item) is not None:
        return
    if isinstance(item, Mapping):
        for key, child in item.items():
            yield from _hidden(f"{path}[{key!r}]", child, depth + 1, keeper)
    elif isinstance(item, list | tuple):
        for index, child in enumerate(item):
            yield from _hidden(f"{path}[{index}]", child, depth + 1, keeper)
    elif is_model(item):
        yield from _variables_beside(path, item)
        static = _static(item)
        for name, child in list(getattr(item, "__dict__", {}).items()):
            if name.startswith("_"):
                continue
            if name in static or _is_object(child):
                place = static.get(name, "plain object")
                for inner, arrays in _layers(f"{path}.{name}", child, 0):
                    yield inner, type(item).__qualname__, place, arrays
                if place == "static field" and _is_weight(child):
                    yield f"{path}.{name}", type(item).__qualname__, "static array", [child]
            else:
                yield from _hidden(f"{path}.{name}", child, depth + 1, type(item).__qualname__)


def _variables_beside(path: str, item: Any) -> Iterator[tuple[str, str, str, list[Any]]]:
    """Flax NNX: plain variables or arrays that could learn, in a layer that has parameters, or layers, as well."""
    children = dict(getattr(item, "__dict__", {}))
    kinds = {name: [base.__name__ for base in type(child).__mro__] for name, child in children.items()}
    if not any("Param" in kind or "Module" in kind for kind in kinds.values()):
        return
    for name, child in children.items():
        array = array_of(child) if kinds[name][:1] == ["Variable"] or isinstance(child, jax.Array) else None
        if array is not None and _is_weight(array):
            yield f"{path}.{name}", type(item).__qualname__, "plain variable", [array]


def _around(function: FunctionType, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """What a function has taken in from the one around it; so has one that it wraps (`jax.vmap(layer)`)."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            taken = cell.cell_contents
        except ValueError:  # it has no value yet
            continue
        if isinstance(taken, FunctionType) and depth < _WRAPPED:
            yield from _around(taken, depth + 1)
        else:
            yield name, taken


def _layers(path: str, item: Any, depth: int) -> Iterator[tuple[str, list[Any]]]:
    """Layers below something that JAX does not look into, each with its arrays."""
    if depth > _DEEP or isinstance(item, _PLAIN):
        return
    if is_model(item):
        arrays = [
            a for a in _tree(item) if isinstance(a, jax.Array) and jax.numpy.issubdtype(a.dtype, jax.numpy.floating)
        ]
        if arrays and not any(isinstance(a, jax.core.Tracer) for a in arrays):
            yield path, arrays
    elif isinstance(item, Mapping):
        for key, child in item.items():
            yield from _layers(f"{path}[{key!r}]", child, depth + 1)
    elif isinstance(item, list | tuple):
        for index, child in enumerate(item):
            yield from _layers(f"{path}[{index}]", child, depth + 1)
    elif _is_object(item):
        for name, child in vars(item).items():
            yield from _layers(f"{path}.{name}", child, depth + 1)


def _is_weight(item: Any) -> bool:
    """Numbers that could learn, and are known."""
    known = isinstance(item, jax.Array) and not isinstance(item, jax.core.Tracer)
    return known and item.ndim > 0 and bool(jax.numpy.issubdtype(item.dtype, jax.numpy.floating))


def _fields(model: Any) -> dict[str, Any]:
    """Equinox: what a model keeps as parts of its tree, by name."""
    bases = [base.__module__ for base in type(model).__mro__]
    if not dataclasses.is_dataclass(model) or not any(name.startswith("equinox.") for name in bases):
        return {}
    names = [field.name for field in dataclasses.fields(model) if not field.metadata.get("static")]
    return {name: getattr(model, name, None) for name in names}


def _parts(path: str, model: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Equinox: a model, and the models that it keeps as attributes, by their names."""
    yield path, model
    for name, part in _fields(model).items() if depth < _DEEP else ():
        if _fields(part):
            yield from _parts(f"{path}.{name}", part, depth + 1)


def _is_numpy(item: Any) -> bool:
    return isinstance(item, np.ndarray) and np.issubdtype(item.dtype, np.floating)


def _static(model: Any) -> dict[str, str]:
    """Attributes that are settings of a model and no part of its tree, and what they are."""
    known = getattr(model, "_pytree__nodes", None)  # Flax NNX: for each attribute whether it is a part
    if isinstance(known, Mapping) and getattr(model, "_pytree__is_pytree", False):
        aside = {name: getattr(model, name, None) for name, part in known.items() if part is False}
        plain = {name: child for name, child in aside.items() if isinstance(child, list | tuple | Mapping)}
        return {name: "plain container" for name, child in plain.items() if any(_layers(name, child, 0))}
    if not dataclasses.is_dataclass(model):
        return {}
    return {f.name: "static field" for f in dataclasses.fields(model) if f.metadata.get("static")}


def _is_object(item: Any) -> bool:
    """Something that JAX takes for a leaf, and that has attributes."""
    if isinstance(item, _PLAIN) or array_of(item) is not None or is_model(item) or not hasattr(item, "__dict__"):
        return False
    return jax.tree_util.all_leaves([item])
