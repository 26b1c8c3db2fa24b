"""What all watches of Keras know of its objects: what variables are called, and which optimizer makes the step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def paths(model: Any) -> Iterator[tuple[Any, tuple[str, str]]]:
    """Each variable of a model, or of a dict of them, with its name and its network."""
    if isinstance(model, Mapping):
        for name, inner in model.items():
            for variable, (path, _) in paths(inner):
                yield variable, (f"{name}/{path}", str(name))
        return
    for variable in getattr(model, "variables", ()):
        yield variable, named(path_of(variable).removeprefix(f"{getattr(model, 'name', '')}/"))


def named(path: str) -> tuple[str, str]:
    """A path as a name, and the outermost of its layers as the network."""
    return path, path.rpartition("/")[0].partition("/")[0]


def path_of(variable: Any) -> str:
    """The name of a variable with its layers."""
    return str(getattr(variable, "path", None) or variable.name).removesuffix(":0")


def innermost(optimizer: Any) -> Any:
    """The optimizer that makes the step: those around it scale the loss, and with it the gradients."""
    inner = getattr(optimizer, "inner_optimizer", None)
    return optimizer if inner is None else innermost(inner)
