"""PyTorch: "optimizer got an empty parameter list": what the model has, and why it is not in the list.

No operation has run by then, so that the variables are known by nothing but the model itself: it is found in the
generator that `parameters()` returned, or among the user's names.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType, GeneratorType
from typing import TYPE_CHECKING, Any

import torch

from whygrad.flow.events import GivenNothing
from whygrad.trace import names
from whygrad.trace.torch_naming import ADAPTER, hidden_parameters

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder

REFUSED = "empty parameter list"


def asked_model(given: Any) -> torch.nn.Module | None:
    """The model whose `parameters()` is handed over, while nobody has gone through it."""
    frame = given.gi_frame if isinstance(given, GeneratorType) else None
    model = frame.f_locals.get("self") if frame is not None else None
    return model if isinstance(model, torch.nn.Module) else None


def is_used_up(given: Any) -> bool:
    """Whether a generator was gone through before, be it behind a `filter` or a `map`."""
    while isinstance(given, (filter, map)):
        given = given.__reduce__()[1][-1]
    return isinstance(given, GeneratorType) and given.gi_frame is None


def has_emptied_group(given: Any) -> bool:
    """Whether one of several groups is such a generator: PyTorch takes it for a group of no parameters."""
    groups = given if isinstance(given, (list, tuple)) else ()
    return any(isinstance(group, dict) and is_used_up(group.get("params")) for group in groups)


def note_emptied_group(recorder: TorchRecorder, frame: FrameType) -> None:
    """Write down that an optimizer was made with such a group."""
    stack = recorder.session.stacks.capture(frame)
    noted = GivenNothing(recorder.session.tick(), stack, True, {}, frozenset(), part=True)
    recorder.recording.given_nothing.append(noted)


def note_given_nothing(recorder: TorchRecorder, model: torch.nn.Module | None, used_up: bool, frame: FrameType) -> None:
    """Write down what the model has that the optimizer was not given."""
    hidden: dict[int, tuple[str, str, str]] = {}
    frozen: set[int] = set()
    with recorder.quiet():
        for one in [model] if model is not None else _models(frame):
            listed = list(one.parameters())
            if any(parameter.requires_grad for parameter in listed):
                continue
            frozen.update(recorder.variables.adopt(parameter) for parameter in listed)
            for part, attribute, parameter in hidden_parameters(one):
                file = getattr(sys.modules.get(type(part).__module__), "__file__", None) or ""
                hidden[recorder.variables.adopt(parameter)] = file, type(part).__qualname__, attribute
    stack = recorder.session.stacks.capture(frame)
    noted = GivenNothing(recorder.session.tick(), stack, used_up, hidden, frozenset(frozen))
    recorder.recording.given_nothing.append(noted)
    recorder.look_for_names(frame)


def _models(frame: FrameType) -> Iterator[torch.nn.Module]:
    """The models that the user's names lead to, the outermost ones."""
    seen: set[int] = set()
    for scope, _ in names.scopes(frame):
        for thing in list(scope.values()):
            inside = list(vars(thing).values()) if names.is_holder(thing) and not ADAPTER.is_model(thing) else []
            for one in (thing, *inside):
                if isinstance(one, torch.nn.Module) and id(one) not in seen:
                    seen.add(id(one))
                    yield one
