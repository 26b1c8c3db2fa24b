"""Names of the variables of a Keras model on the JAX backend.

Keras hands JAX the bare arrays, in the order of `model.trainable_variables`, and while `fit` runs the model itself
holds none of them. So a list of arrays is a model's where the model is being trained, or the arrays are its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from whygrad.trace.jax_naming import Name
from whygrad.trace.names import is_holder, scopes

_Leaf = tuple[int, str, Any, tuple[Any, ...]]


def keras_names(frame: FrameType, leaves: list[_Leaf]) -> dict[int, Name]:
    """Names for values (number, path among the arguments, array, shape) that are a Keras model's variables."""
    if "keras" not in sys.modules:
        return {}
    models = {id(model): (name, model) for name, model in _models(frame)}
    trained = {id(m): models.get(id(m), (m.name, m)) for m in _trainers(frame)}
    own = {
        id(v._value): named for name, m in models.values() for v, named in _variables(name, m) if v._value is not None
    }
    found = {number: own[id(thing)] for number, _, thing, _ in leaves if id(thing) in own}
    arguments: dict[str, list[_Leaf]] = {}
    for leaf in leaves:
        arguments.setdefault(leaf[1].partition("]")[0], []).append(leaf)
    for group in arguments.values():
        shapes = [leaf[3] for leaf in group]
        for candidates in (trained, models):
            matching = [pair for pair in candidates.values() if _shapes(pair[1]) == shapes]
            if len(matching) == 1 and not any(leaf[0] in found for leaf in group):
                names = [named for _, named in _variables(*matching[0])]
                found.update({leaf[0]: named for leaf, named in zip(group, names, strict=True)})
    return found


def _models(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """Keras models in the user's frames, and those that the user's objects hold."""
    seen: set[int] = set()
    for names, _ in scopes(frame):
        for name, thing in list(names.items()):
            held = list(vars(thing).items()) if not _is_model(thing) and is_holder(thing) else []
            for own, one in ((name, thing), *held):
                if _is_model(one) and id(one) not in seen and own != "self":
                    seen.add(id(one))
                    yield own, one


def _trainers(frame: FrameType | None) -> Iterator[Any]:
    """The models whose `fit` is running."""
    while frame is not None:
        if frame.f_code.co_name in ("fit", "train_on_batch", "train_step"):
            thing = frame.f_locals.get("self")
            if _is_model(thing):
                yield thing
        frame = frame.f_back


def _is_model(thing: Any) -> bool:
    return not isinstance(thing, type) and any(
        base.__name__ == "Layer" and base.__module__.startswith("keras.") for base in type(thing).__mro__
    )


def _variables(name: str, model: Any) -> list[tuple[Any, Name]]:
    found = []
    for variable in model.trainable_variables:
        path = variable.path.removeprefix(f"{model.name}/").replace("/", ".")
        full = f"{name}.{path}"
        found.append((variable, Name(full, name, full.rpartition(".")[0], type(model).__qualname__)))
    return found


def _shapes(model: Any) -> list[tuple[Any, ...]]:
    return [tuple(variable.shape) for variable in model.trainable_variables]
