"""What the user calls an array: the way to it through the pytrees, models and objects of the program.

`params['actor']['Dense_1']['kernel']`, `model.layers[0].weight`, `state.params['w']`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any

import jax
import numpy

from whygrad.trace.names import is_holder, scopes

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder

_TOO_MANY = 4096
_DEEPEST = 12
_OBJECTS = 3


@dataclass(frozen=True, slots=True)
class Name:
    """An array's name, the network it belongs to, and the layer directly above it."""

    full: str
    network: str
    owner: str
    model: str = ""
    holder: str = ""
    """The object that keeps it, by the name of its own: said only where two objects keep the like."""

    def with_holder(self) -> Name:
        """`critic_1.params` for `params`."""
        before = f"{self.holder}."
        return Name(before + self.full, before + self.network, before + self.owner, self.model)


class Naming:
    """Names of arrays, by the array."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._names: dict[int, tuple[Any, Name]] = {}

    def look_for_names(self, frame: FrameType, leaves: list[Any], but: frozenset[str] = frozenset()) -> None:
        """Find names for these arrays in the user's frames, other than those of certain networks."""
        wanted = {id(leaf) for leaf in leaves}
        self._names = {}
        if not wanted:
            return
        best: dict[int, tuple[tuple[int, ...], Name]] = {}
        held: dict[int, tuple[tuple[int, ...], Name]] = {}
        owners: dict[tuple[str, str], dict[str, int]] = {}
        for place, (names, distance) in enumerate(scopes(frame)):
            visited: set[int] = set()
            for name, thing in list(names.items()):
                if name.startswith("__") or isinstance(thing, ModuleType | type):
                    continue
                for array, found, rank in _walk(name, thing, visited, aliases=bool(but)):
                    if found.network in but:
                        continue
                    key = id(array)
                    order = (*rank, distance, place)
                    if found.holder:
                        owners.setdefault((found.network, found.full), {}).setdefault(found.holder, key)
                    for known in (best, held) if found.holder else (best,):
                        if key in wanted and (key not in known or order < known[key][0]):
                            known[key] = (order, found)
        shared = {network for (network, _), known in owners.items() if len(set(known.values())) > 1}
        best |= {key: ((), found.with_holder()) for key, (_, found) in held.items() if best[key][1].network in shared}
        self._names = {id(leaf): (leaf, best[id(leaf)][1]) for leaf in leaves if id(leaf) in best}

    def names_of(self, frame: FrameType, things: dict[int, Any]) -> dict[int, Name]:
        """Names of values; a trained network's first name, which by now means its first content, for want of another.

        `params = init(…)`, once given to a state for both of its networks, goes on meaning the arrays they began with.
        """
        found: dict[int, Name] = {}
        left: frozenset[str] = frozenset()
        for _ in range(2):
            asked = {n: t for n, t in things.items() if n not in found or found[n].network in left}
            self.look_for_names(frame, list(asked.values()), left)
            found |= {n: name for n, thing in asked.items() if (name := self.of(thing)) is not None}
            self.forget()
            left = frozenset(name.network for n, name in found.items() if self.recorder.variables.left_name(n, name))
            if not left:
                break
        return found

    def everything(self, frame: FrameType) -> dict[str, Any]:
        """Every array that the user's frames name, by its name."""
        found: dict[str, Any] = {}
        for names, _ in scopes(frame):
            visited: set[int] = set()
            for name, thing in list(names.items()):
                if not name.startswith("__") and not isinstance(thing, ModuleType | type):
                    for array, named, _ in _walk(name, thing, visited, aliases=True):
                        found.setdefault(named.full, array)
                        if named.holder:
                            found.setdefault(named.with_holder().full, array)
        return found

    def of(self, thing: Any) -> Name | None:
        """The name of an array, if the last look found one."""
        entry = self._names.get(id(thing)) if thing is not None else None
        return entry[1] if entry is not None and entry[0] is thing else None

    def forget(self) -> None:
        """Keep no array alive."""
        self._names = {}

    def name_variables(self) -> None:
        """Names were found as the program went; nothing is left to do but to keep no array alive."""
        self.forget()


def from_path(path: str) -> Name:
    """The name of something that the user's frames do not show: its place among the differentiated arguments."""
    parts = re.match(r"\[(\d+)\](.*)", path)
    index, rest = (parts.group(1), parts.group(2)) if parts else ("0", path)
    network = "params" if index == "0" else f"argument {index}"
    return Name(network + rest, network, above(network + rest))


def _walk(
    name: str, thing: Any, visited: set[int], aliases: bool = False
) -> Iterator[tuple[Any, Name, tuple[int, ...]]]:
    """Arrays below a named thing, each with its name and rank; with `aliases` under each name of one tree."""
    own = int(name.startswith("_"))
    root = "" if name == "self" else name
    todo: list[tuple[str, str, Any, int, int, str]] = [(root, root, thing, 0, 0, "")]
    count = 0
    while todo:
        path, top, item, depth, objects, holder = todo.pop()
        count += 1
        if count > _TOO_MANY or depth > _DEEPEST:
            return
        array = array_of(item)
        if array is not None:
            yield array, Name(path, _network(path, top), above(path), holder=holder), (objects, own)
            continue
        if isinstance(item, str | bytes | int | float | bool | type(None)):
            continue
        if id(item) in visited and not (aliases and isinstance(item, Mapping | tuple | list)):
            continue
        visited.add(id(item))
        below = list(_below(item))
        if below:
            holds = path == top and not is_model(item)
            for step, child in reversed(below):
                inside = holds and (step[0] == "." or _is_record(child)) and array_of(child) is None
                own_top = path + step if inside or not path else top
                todo.append((path + step, own_top, child, depth + 1, objects, holder))
        elif is_holder(item) and objects < _OBJECTS:
            parts = reversed(list(vars(item).items()))
            todo.extend((key, key, child, depth + 1, objects + 1, path) for key, child in parts)


def is_model(item: Any) -> bool:
    """A model of Equinox or Flax, whose parts are layers; those of a state or a named tuple are networks."""
    return any(base.__module__.startswith(("equinox.", "flax.nnx", "flax.linen")) for base in type(item).__mro__)


def _is_record(item: Any) -> bool:
    """A state with named fields, one of several in a list or a dict: each field is a network of its own."""
    return (isinstance(item, tuple) and hasattr(item, "_fields")) or (
        dataclasses.is_dataclass(item) and not isinstance(item, type) and not is_model(item)
    )


def array_of(item: Any) -> Any:
    """The array itself (JAX's or NumPy's), or the one in a Flax NNX or Keras variable."""
    if isinstance(item, jax.Array | numpy.ndarray):
        return item
    if isinstance(item, type):
        return None
    if any(base.__module__ == "flax.nnx.variablelib" for base in type(item).__mro__):
        raw = item.get_raw_value()
        return raw if isinstance(raw, jax.Array) else None
    if type(item).__module__.startswith("keras.src.backend") and hasattr(item, "_value"):
        return item._value if isinstance(item._value, jax.Array) else None
    return None


def _below(item: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(item, Mapping):
        for key, child in list(item.items()):
            yield f"[{key!r}]", child
    elif isinstance(item, tuple) and hasattr(item, "_fields"):
        for field in item._fields:
            yield f".{field}", getattr(item, field)
    elif isinstance(item, list | tuple) or (isinstance(item, Sequence) and is_model(item)):  # nnx.Sequential's layers
        for index, child in enumerate(item):
            yield f"[{index}]", child
    elif dataclasses.is_dataclass(item) and not isinstance(item, type):
        for one in dataclasses.fields(item):
            child = getattr(item, one.name, None)
            if not callable(child) or dataclasses.is_dataclass(child):
                yield f".{one.name}", child
    elif any(base.__module__.startswith("flax.nnx") for base in type(item).__mro__):
        held = getattr(item, "__dict__", {})  # what describes a module (GraphDef's nodes) has slots instead
        for key, child in list(held.items()):
            if not key.startswith("_"):
                yield f".{key}", child


def _network(path: str, top: str) -> str:
    """What a leaf belongs to: the pytree, or its named part where the tree holds several networks."""
    rest = re.findall(r"\.[^.\[]+|\[[^\]]*\]", path[len(top) :])
    network = top
    while rest and rest[0] == "['params']":
        rest.pop(0)
    if len(rest) >= 3 and rest[0].startswith("['"):
        network = path[: path.index(rest[0], len(top)) + len(rest[0])]
    return network


def above(path: str) -> str:
    """The layer: the path without its last step."""
    return re.sub(r"(\.[^.\[]+|\[[^\]]*\])$", "", path)
