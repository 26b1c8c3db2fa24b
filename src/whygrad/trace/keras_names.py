"""Names of the variables of Keras models, layers and `tf.Module`s, by the attributes a user reads them through."""

from __future__ import annotations

import collections
import functools
import sys
from collections.abc import Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

from tensorflow.python.framework import ops
from tensorflow.python.module import module as tf_module
from tensorflow.python.ops import resource_variable_ops

from whygrad.trace import names
from whygrad.trace.user_line import SKIP, classify

_ResourceVariable = resource_variable_ops.BaseResourceVariable
_DEEPEST = 6
_WIDEST = 256
_BOOKKEEPING = frozenset({
    "_tracker", "_layers", "_metrics", "_trainable_variables", "_non_trainable_variables", "_seed_generators",
    "_functional", "_self_tracked_trackables", "_trainable_weights", "_non_trainable_weights", "_inbound_nodes",
    "_outbound_nodes", "_inbound_nodes_value", "_outbound_nodes_value", "_obj_reference_counts_dict",
    "_self_unconditional_checkpoint_dependencies", "_self_unconditional_dependency_names",
    "_self_unconditional_deferred_dependencies", "_operations", "_operations_by_depth", "_nodes", "_nodes_by_depth",
    "optimizer", "_optimizer", "_loss_tracker", "_compile_metrics", "_compile_loss", "_callable_losses",
    "train_function", "test_function", "predict_function", "_self_saveable_object_factories", "compiled_loss",
    "compiled_metrics", "history", "_nested_inputs", "_nested_outputs", "_inputs_struct", "_outputs_struct",
    "_auto_config", "_tracked", "_metrics_lock", "_losses", "_loss_ids", "_steps_per_execution", "_train_counter",
    "_test_counter", "_predict_counter", "_build_shapes_dict", "_parent_path", "_path", "_dtype_policy",
    "_call_signature",
})  # fmt: skip
"""Attributes in which Keras keeps the same variables a second time, or keeps none."""


_UNTRAINED = frozenset({"Metric", "BaseOptimizer", "_BaseOptimizer", "OptimizerV2", "SeedGenerator", "Callback"})
_classify = functools.lru_cache(maxsize=4096)(classify)


def tf_variable(thing: Any) -> Any:
    """The `tf.Variable` behind a Keras variable, an autocast variable or a mirrored one; None for anything else."""
    for _ in range(3):
        if isinstance(thing, _ResourceVariable):
            return thing
        if isinstance(thing, ops.EagerTensor | str | int | float) or thing is None:
            return None
        kind = type(thing)
        if hasattr(kind, "_deferred_initialize"):
            thing = thing._value  # keras.Variable
        elif hasattr(kind, "read_only") and hasattr(thing, "_variable"):
            thing = thing._variable
        else:
            inner = thing.__dict__.get("_variable") if hasattr(thing, "__dict__") else None
            primary = thing.__dict__.get("_values") if hasattr(thing, "__dict__") else None
            thing = inner if inner is not None else primary[0] if isinstance(primary, tuple) and primary else None
    return None


def is_variable(thing: Any) -> bool:
    """A variable with a handle in this process."""
    if thing is None or isinstance(thing, str | int | float | list | dict | tuple | ops.EagerTensor):
        return False
    variable = tf_variable(thing)
    return variable is not None and isinstance(variable._handle, ops.EagerTensor)


def is_model(thing: Any) -> bool:
    """A Keras layer or model, or a `tf.Module`; not an optimizer, a metric or a loss."""
    kind: Any = type(thing)  # a class is hashable, which mypy does not see here
    return _kind(kind) == "model"


@functools.lru_cache(maxsize=4096)
def _kind(cls: Any) -> str:
    """`model`, `other` (framework objects that hold variables nobody trains) or nothing."""
    lineage = [(c.__module__, c.__name__) for c in cls.__mro__]
    for module, name in lineage:
        root = module.partition(".")[0]
        if name in _UNTRAINED and root in ("keras", "tf_keras"):
            return "other"
    for module, name in lineage:
        if name == "Layer" and module.partition(".")[0] in ("keras", "tf_keras"):
            return "model"
    if issubclass(cls, tf_module.Module) and not issubclass(cls, _ResourceVariable):
        return "other" if cls.__name__ == "Optimizer" else "model"
    return ""


def key(variable: Any) -> int:
    """What tells variables apart: the number of their handle."""
    return int(tf_variable(variable)._handle._id)


def entries(model: Any) -> Iterator[tuple[str, str, Any, str]]:
    """(path, layer path, variable, keeper) of every variable in a model; the keeper is who hides an untracked one."""
    tracked = {key(v): v for v in _weights(model)}
    seen: set[int] = set()
    for path, owner, variable, keeper in _walk("", model, _Search(model), 0):
        number = key(variable)
        if number not in seen:
            seen.add(number)
            yield path, owner, variable, "" if number in tracked else keeper
    for number, variable in tracked.items():
        if number not in seen:
            path = str(getattr(variable, "path", None) or variable.name).partition(":")[0].replace("/", ".")
            yield path, path.rpartition(".")[0], variable, ""


class _Search:
    """One walk through a model: what was seen, and the innermost class on the way that the model does track."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.tracked = _tracked_layers(model)
        self.visited: set[int] = set()
        self.keeper = ""


_Found = Iterator[tuple[str, str, Any, str]]


def _weights(model: Any) -> list[Any]:
    try:
        found = list(model.weights) if hasattr(model, "weights") else list(model.variables)
    except Exception:  # a model half made, or one whose property computes something
        return []
    return [v for v in found if is_variable(v)]


def _tracked_layers(model: Any) -> set[int]:
    try:
        layers = model._flatten_layers() if hasattr(model, "_flatten_layers") else model.submodules
        return {id(model), *(id(layer) for layer in layers)}
    except Exception:  # a model half made
        return {id(model)}


def _walk(path: str, thing: Any, search: _Search, depth: int) -> _Found:
    if (
        depth > _DEEPEST
        or thing is None
        or isinstance(thing, str | int | float | bytes | ModuleType | type | ops.EagerTensor)
    ):
        return
    if is_variable(thing):
        yield path, path.rpartition(".")[0], thing, search.keeper
        return
    cls: Any = type(thing)
    kind = _kind(cls)
    if id(thing) in search.visited or kind == "other" or (not kind and _holds(thing, search.model)):
        return
    search.visited.add(id(thing))
    if kind == "model":
        yield from _walk_model(path, thing, search, depth)
    else:
        before = search.keeper
        search.keeper = "" if _is_loss(cls) else before  # what a loss compares with is to stay as it is
        for name, item in _contents(thing):
            yield from _walk(path + name if path or name[:1] != "." else name[1:], item, search, depth + 1)
        search.keeper = before


def _is_loss(cls: Any) -> bool:
    """Whether this is a loss or a metric of Keras, such as a perceptual loss with a network of its own."""
    names = {c.__name__ for c in cls.__mro__ if c.__module__.partition(".")[0] in ("keras", "tf_keras")}
    return bool(names & {"Loss", "Metric"})


def _holds(thing: Any, model: Any) -> bool:
    """Whether this is what the model belongs to (an agent that a Lambda closes over), and not a part of it."""
    return _is_plain(thing) and any(item is model for item in vars(thing).values())


def _contents(thing: Any) -> list[tuple[str, Any]]:
    """What a container, a closure or a plain object holds, each with the way to write it."""
    if isinstance(thing, dict):
        return [(f"[{name!r}]", item) for name, item in list(thing.items())[:_WIDEST]]
    if isinstance(thing, list | tuple | set | collections.deque):
        return [(f"[{index}]", item) for index, item in enumerate(list(thing)[:_WIDEST])]
    if isinstance(thing, FunctionType | MethodType | functools.partial):
        return [(f".{name}", item) for name, item in _captured(thing)]
    if _is_plain(thing):
        return [(f".{name}", item) for name, item in list(vars(thing).items())[:_WIDEST]]
    return []


def _walk_model(path: str, model: Any, search: _Search, depth: int) -> _Found:
    before = search.keeper
    if id(model) in search.tracked:
        search.keeper = type(model).__qualname__
    for layer in _listed_layers(model) or ():
        yield from _walk(_join(path, layer.name), layer, search, depth + 1)
    own = [*getattr(model, "_trainable_variables", ()), *getattr(model, "_non_trainable_variables", ()),
           *getattr(model, "_trainable_weights", ()), *getattr(model, "_non_trainable_weights", ())]  # fmt: skip
    for variable in own:
        if is_variable(variable):
            name = str(variable.name).partition(":")[0].rpartition("/")[2]
            yield _join(path, name), path, variable, search.keeper
    for name, item in list(vars(model).items()):
        if name in _BOOKKEEPING or name.startswith(("_self_", "_saved_model", "_tf_", "_keras")):
            continue
        yield from _walk(_join(path, name), item, search, depth + 1)
    search.keeper = before


def _listed_layers(model: Any) -> list[Any] | None:
    """The layers of a Sequential or functional model, which have names rather than attributes."""
    lineage = {c.__name__ for c in type(model).__mro__ if c.__module__.partition(".")[0] in ("keras", "tf_keras")}
    if not lineage & {"Sequential", "Functional"}:
        return None
    try:
        return list(model.layers)
    except Exception:  # not built yet
        return None


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _captured(function: Any) -> list[tuple[str, Any]]:
    """What a function closes over."""
    if isinstance(function, functools.partial):
        return [(str(i), a) for i, a in enumerate(function.args)] + list(function.keywords.items())
    function = getattr(function, "__func__", function)
    cells = function.__closure__ or ()
    found = []
    for name, cell in zip(function.__code__.co_freevars, cells, strict=False):
        try:
            found.append((name, cell.cell_contents))
        except ValueError:  # an empty cell
            continue
    return found


def used_by(function: Any) -> set[int]:
    """The weights that a function gets at by its closure or by global names."""
    plain = getattr(function, "__func__", function)
    if not isinstance(plain, FunctionType):
        return set()
    spoken = [(name, plain.__globals__[name]) for name in plain.__code__.co_names if name in plain.__globals__]
    return {
        key(weight)
        for _, thing in [*_captured(plain), *spoken]
        for weight in ([thing] if is_variable(thing) else _weights(thing) if is_model(thing) else ())
    }


def _is_plain(thing: Any) -> bool:
    """An instance of a class from user or library code."""
    if not hasattr(thing, "__dict__"):
        return False
    module = type(thing).__module__
    if module == "__main__":
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and _classify(file) != SKIP


ADAPTER = names.Adapter(is_model=is_model, is_variable=is_variable, entries=entries, key=key)
