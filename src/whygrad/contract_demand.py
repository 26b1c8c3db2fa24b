"""Asking a framework, outside any recording, where the gradient of one loss arrives.

The only part of a contract that calls into a framework; it uses what the program has imported already.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from typing import Any

from whygrad.trace import declared, names
from whygrad.trace.session import Session


def reached(what: Any, more: tuple[Any, ...], variables: Iterable[Any]) -> list[str]:
    """Names of the variables that no gradient from a loss arrives at.

    `what` is a PyTorch loss, or a `GradientTape` with the loss in `more`.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(what, torch.Tensor):
        return _torch(what, variables)
    if hasattr(what, "watched_variables") and hasattr(what, "gradient") and len(more) == 1:
        return _tensorflow(what, more[0], variables)
    raise TypeError(
        f"contract.check takes a training step or a loss function with its arguments, a PyTorch loss, or a "
        f"GradientTape and its loss; got {type(what).__name__}"
    )


def _torch(loss: Any, variables: Iterable[Any]) -> list[str]:
    arrived: set[int] = set()
    seen: set[Any] = set()
    todo = [loss.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            arrived.add(id(leaf))
        todo.extend(following for following, _ in node.next_functions)
    if loss.grad_fn is None and loss.requires_grad:
        arrived.add(id(loss))
    named = names.find(importlib.import_module("whygrad.trace.torch_naming").ADAPTER, sys._getframe(1))
    missing = []
    for index, variable in enumerate(variables):
        tensor = variable if hasattr(variable, "grad_fn") else getattr(variable, "value", variable)  # Keras
        if id(tensor) not in arrived:
            missing.append(named[id(tensor)].name if id(tensor) in named else _name(variable, index))
    return missing


def _tensorflow(tape: Any, loss: Any, variables: Iterable[Any]) -> list[str]:
    if not getattr(tape, "_persistent", False):
        raise TypeError(
            "contract.check(tape, loss) would use the tape up: make it GradientTape(persistent=True), or put the "
            "whole step into `with contract:`"
        )
    things = list(variables)
    raw = [
        getattr(thing, "value", thing) if hasattr(type(thing), "_deferred_initialize") else thing for thing in things
    ]
    gradients = tape.gradient(loss, raw)
    naming = importlib.import_module("whygrad.trace.keras_names")
    named = names.find(naming.ADAPTER, sys._getframe(1))
    return [
        named[naming.key(v)].name if naming.key(v) in named else _name(v, i)
        for i, (v, g) in enumerate(zip(things, gradients, strict=True))
        if g is None
    ]


def _name(variable: Any, index: int) -> str:
    own = getattr(variable, "path", None) or getattr(variable, "name", None)
    if own:
        return str(own)
    size = "x".join(str(length) for length in getattr(variable, "shape", ())) or "scalar"
    return f"variable {index} ({size})"


def loss_of(networks: Iterable[Any], step: Callable[..., Any], args: Any, kwargs: Any, session: Session | None) -> Any:
    """Call a training step; where it is a function that only computes a loss, ask for its gradient as well."""
    if session is None:
        return step(*args, **kwargs)
    things = declared.variables(networks)
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is not None and any(_is_tensorflow(tensorflow, thing) for thing in things):
        return _loss_of_tensorflow(tensorflow, things, step, args, kwargs, session)
    result = step(*args, **kwargs)
    loss = _alone(result)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(loss, torch.Tensor) and loss.dim() == 0 and not session.backwards:
        recorder: Any = session.recorders.get("torch")
        if recorder is not None:
            recorder.gradients.asked_only(loss, sys._getframe(1))
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(loss, jax.Array) and loss.shape == () and not session.backwards:
        _loss_of_jax(jax, step, args, kwargs)
    return result


def _is_tensorflow(tensorflow: Any, thing: Any) -> bool:
    inner = getattr(thing, "_value", None) if hasattr(type(thing), "_deferred_initialize") else thing
    return isinstance(inner, tensorflow.Variable)


def _loss_of_tensorflow(
    tensorflow: Any, things: list[Any], step: Callable[..., Any], args: Any, kwargs: Any, session: Session
) -> Any:
    with tensorflow.GradientTape() as tape:
        result = step(*args, **kwargs)
    loss = _alone(result)
    if not session.backwards and isinstance(loss, tensorflow.Tensor) and loss.shape.rank == 0:
        raw = [getattr(v, "_value", v) if hasattr(type(v), "_deferred_initialize") else v for v in things]
        tape.gradient(loss, raw)
        recorder: Any = session.recorders.get("tensorflow")
        if recorder is not None and recorder.recording.backwards:
            recorder.recording.backwards[-1].call = "check"  # asked by us: the program has no such line
    return result


def _loss_of_jax(jax: Any, step: Callable[..., Any], args: Any, kwargs: Any) -> None:
    """A function that returns a loss, parameters first: ask for the gradient of the first argument that has any."""
    for index, arg in enumerate(args):
        leaves = jax.tree.leaves(arg)
        if leaves and all(_is_float(jax, leaf) for leaf in leaves):
            before, after = args[:index], args[index + 1 :]
            jax.grad(lambda params: _alone(step(*before, params, *after, **kwargs)))(arg)  # noqa: B023
            return


def _is_float(jax: Any, leaf: Any) -> bool:
    return hasattr(leaf, "dtype") and bool(jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating))


def _alone(result: Any) -> Any:
    return result[0] if isinstance(result, tuple) and result else result
