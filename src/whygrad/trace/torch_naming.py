"""What the user calls the variables of a PyTorch program, and what is true of them while they live."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from whygrad.trace import names

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder


class Naming:
    """Collects names at every update, because the frames that hold them come and go."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder
        self._named: dict[int, names.Named] = {}
        self._looked: set[tuple[int, ...]] = set()
        self._adapter = replace(ADAPTER, is_variable=self._is_variable)

    def _is_variable(self, thing: Any) -> bool:
        """Whether something is trained, or was given to an optimizer without asking for a gradient."""
        if not isinstance(thing, Tensor):
            return False
        return ADAPTER.is_variable(thing) or self.recorder.variables.number_of(thing) is not None

    def look_for_names(self, frame: FrameType) -> None:
        """Find what the user calls the variables, while the user's frames are there to look into."""
        with self.recorder.quiet(), self.recorder.guarded:
            if not self._worth_looking(frame):
                self._refresh_flags()
                return
            for named in names.collect(self._adapter, frame).values():
                number = self.recorder.variables.number_of(named.target)
                if number is not None:
                    self._keep(number, named)
            self._refresh_flags()

    def _worth_looking(self, frame: FrameType) -> bool:
        """Not where the same functions led here before and every variable has a name."""
        known = self.recorder.recording.variables
        codes = []
        one: FrameType | None = frame
        while one is not None:
            codes.append(id(one.f_code))
            one = one.f_back
        key = (len(known), *codes)
        if key in self._looked and all(variable.name for variable in known.values()):
            return False
        self._looked.add(key)
        return True

    def _keep(self, number: int, named: names.Named) -> None:
        known = self._named.get(number)
        if known is None or named.rank < known.rank:
            named.target = None
            self._named[number] = named
            self._give(number, named)

    def _give(self, number: int, named: names.Named) -> None:
        variable = self.recorder.recording.variables[number]
        variable.name, variable.network = named.name, named.network
        variable.owner, variable.registered = named.owner, named.registered
        variable.keeper, variable.model = named.keeper, named.model

    def _refresh_flags(self) -> None:
        """What is known of a variable only while its tensor lives."""
        variables = self.recorder.variables
        self.recorder.copies.link_deep()
        for number, variable in self.recorder.recording.variables.items():
            tensor = variables.tensor(number)
            if tensor is not None:
                variable.trainable = tensor.requires_grad
                variable.copied = variables.is_copied(tensor)
                variable.frozen = variables.frozen_at.get(number)
                variable.frozen_times = variables.frozen_times.get(number, 0)

    def name_variables(self) -> None:
        """Give a name to every variable that no name in user code leads to."""
        self._refresh_flags()
        names.tell_apart(self._named.values())
        for number, named in self._named.items():
            self._give(number, named)
        for variable in self.recorder.recording.variables.values():
            if not variable.name:
                size = "x".join(map(str, variable.shape)) or "scalar"
                variable.name = f"parameter {variable.id} ({size})" if variable.parameter else f"tensor ({size})"
                variable.network = "unnamed parameters"


def _plain(path: str) -> str:
    """`dense.kernel` of `…_torch_params.net/dense/kernel`: Keras on the torch backend files them by Keras path."""
    if "_torch_params." not in path:
        return path
    parts = path.rpartition("_torch_params.")[2].split("/")
    return ".".join(parts[1:] if len(parts) > 2 else parts)


def _entries(module: torch.nn.Module) -> Iterator[tuple[str, str, Any, str]]:
    registered = set()
    # As `nn.Module` itself lists them: a class may list fewer of its own, or take no `remove_duplicate`.
    for path, parameter in torch.nn.Module.named_parameters(module, remove_duplicate=False):
        registered.add(id(parameter))
        path = _plain(path)
        yield path, path.rpartition(".")[0], parameter, ""
    for start, part, _, path, parameter in _in_containers(module):
        if id(parameter) not in registered:
            yield path, path.rpartition(".")[0] or start, parameter, type(part).__qualname__


def hidden_parameters(module: torch.nn.Module) -> Iterator[tuple[torch.nn.Module, str, Tensor]]:
    """What a model keeps in plain containers: the part that does, the attribute, the parameter."""
    for _, part, attribute, _, parameter in _in_containers(module):
        yield part, attribute, parameter


def _in_containers(module: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Module, str, str, Tensor]]:
    for prefix, part in module.named_modules():
        for attribute, thing in vars(part).items():
            if attribute.startswith("_") and attribute in _MODULE_INTERNALS:
                continue
            start = f"{prefix}.{attribute}" if prefix else attribute
            for path, parameter in _hidden(start, thing, 0):
                yield start, part, attribute, path, parameter


_MODULE_INTERNALS = frozenset(vars(torch.nn.Module())) - {"training"}


def _hidden(name: str, thing: Any, depth: int) -> Iterator[tuple[str, Tensor]]:
    """Parameters inside containers that `nn.Module` does not look into."""
    if depth > 3:
        return
    if isinstance(thing, torch.nn.Module):
        for path, parameter in thing.named_parameters():
            yield f"{name}.{path}", parameter
    elif isinstance(thing, torch.nn.Parameter):
        yield name, thing
    elif isinstance(thing, Tensor):
        if thing.requires_grad and thing.is_leaf:
            yield name, thing
    elif isinstance(thing, list | tuple):
        for index, item in enumerate(thing[:64]):
            yield from _hidden(f"{name}[{index}]", item, depth + 1)
    elif isinstance(thing, dict):
        for key, item in list(thing.items())[:64]:
            yield from _hidden(f"{name}[{key!r}]", item, depth + 1)


ADAPTER = names.Adapter(
    is_model=lambda thing: isinstance(thing, torch.nn.Module),
    is_variable=lambda thing: isinstance(thing, Tensor) and thing.is_leaf and thing.requires_grad,
    entries=_entries,
    key=id,
)
