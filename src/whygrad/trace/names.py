"""What the user calls things: `actor.fc2.weight`, not `kernel`.

Names are looked for where the user wrote them: in the variables of the frames that lead to a training step and
in the script's globals. A network held by a plain object (`agent.actor`, `self.actor`) is called by its
attribute, because that is the word people use for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from inspect import CO_OPTIMIZED
from types import FrameType, ModuleType
from typing import Any

from whygrad.trace.user_line import SKIP, classify

hints: dict[str, Any] = {}
"""Networks by a name that holds where user code has none: a callback knows the model that it is called for."""

_TOO_MANY = 200
_DEEPEST = 3


@dataclass(slots=True)
class Named:
    """A variable under a user's name. Lower `rank` is the better name."""

    key: int
    name: str
    network: str
    owner: str
    registered: bool
    keeper: str
    model: str
    rank: tuple[int, ...]
    target: Any = None
    holder: str = ""
    """The plain object that holds the network, where one does."""
    one: int = 0
    """Tells networks of the same name apart."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """What a framework must tell.

    `entries` of a model are (path, layer path, variable, keeper): the keeper is empty for a variable that the model
    tracks, else the class that hides it in a plain container.
    """

    is_model: Callable[[Any], bool]
    is_variable: Callable[[Any], bool]
    entries: Callable[[Any], Iterable[tuple[str, str, Any, str]]]
    key: Callable[[Any], int]


def find(adapter: Adapter, frame: FrameType | None) -> dict[int, Named]:
    """The best name of every variable that can be reached from user code at `frame`."""
    best = collect(adapter, frame)
    tell_apart(best.values())
    return best


def collect(adapter: Adapter, frame: FrameType | None) -> dict[int, Named]:
    """The same, where more frames are to be looked into before networks of one name are told apart."""
    best: dict[int, Named] = {}
    holders: dict[int, tuple[tuple[int, ...], str]] = {}
    for scope, (names, distance) in enumerate(scopes(frame)):
        visited: set[int] = set()
        for name, thing in list(names.items()):
            if name.startswith("__") or isinstance(thing, ModuleType | type):
                continue
            for named in _walk(adapter, name, thing, 0, visited, (distance, scope)):
                known = best.get(named.key)
                if known is None or named.rank < known.rank:
                    best[named.key] = named
                if named.holder and (named.one not in holders or named.rank < holders[named.one][0]):
                    holders[named.one] = named.rank, named.holder
    for named in best.values():
        if not named.holder and named.one in holders:  # `self.model`, and further out it is `actor.model`
            named.holder = holders[named.one][1]
    return best


def tell_apart(found: Collection[Named]) -> None:
    """Two objects that each hold a `model` have a `trainer.model` and a `target.model`."""
    networks: dict[str, dict[int, str]] = {}
    for named in found:
        networks.setdefault(named.network, {})[named.one] = named.holder
    several = {network for network, holders in networks.items() if len(set(holders.values())) > 1}
    for named in found:
        if named.one and named.holder and named.network in several:
            named.name, named.network = f"{named.holder}.{named.name}", f"{named.holder}.{named.network}"
            named.owner = f"{named.holder}.{named.owner}" if named.owner else named.owner


def scopes(frame: FrameType | None) -> Iterator[tuple[dict[str, Any], int]]:
    """Namespaces of user code with their distance from the program's outermost frame."""
    chain = []
    while frame is not None:
        if classify(frame.f_code.co_filename) != SKIP:
            chain.append(frame)
        frame = frame.f_back
    if hints:
        yield dict(hints), len(chain) + 2
    seen: set[int] = set()
    main = sys.modules.get("__main__")
    if main is not None and classify(getattr(main, "__file__", None) or "<none>") != SKIP:
        seen.add(id(vars(main)))
        yield vars(main), 0
    for distance, user in enumerate(reversed(chain)):
        names = user.f_locals
        ours = user.f_code.co_flags & CO_OPTIMIZED and sys.version_info < (3, 13) and sys.getrefcount(names) == 3
        if id(names) not in seen:
            yield names, distance
        if user.f_globals is not names and id(user.f_globals) not in seen:
            seen.add(id(user.f_globals))
            yield user.f_globals, distance + 1
        if ours:
            # Before Python 3.13 the frame keeps this snapshot, and with it every tensor that was a local just now.
            names.clear()


def _walk(
    adapter: Adapter,
    name: str,
    thing: Any,
    depth: int,
    visited: set[int],
    place: tuple[int, int],
    holder: str = "",
) -> Iterator[Named]:
    if id(thing) in visited or depth > _DEEPEST:
        return
    own = name == "self" or name.startswith("_")
    if adapter.is_model(thing):
        visited.add(id(thing))
        prefix = "" if name == "self" else name + "."
        kind = type(thing).__qualname__
        for path, owner, variable, keeper in adapter.entries(thing):
            full = prefix + path
            network = name if name != "self" else full.split(".")[0]
            rank = (0, int(own), depth, *place)
            yield Named(
                adapter.key(variable), full, network, prefix + owner, not keeper, keeper, kind, rank, variable, holder,
                id(thing),
            )  # fmt: skip
    elif adapter.is_variable(thing):
        # A bare tensor's name (often a loop variable) is worth less than a place in a network.
        yield Named(adapter.key(thing), name, name, "", True, "", "", (2, int(own), depth, *place), thing)
    elif isinstance(thing, dict):
        if len(thing) <= _TOO_MANY and all(isinstance(k, str | int) for k in thing):
            visited.add(id(thing))
            for key, item in list(thing.items()):
                yield from _walk(adapter, f"{name}[{key!r}]", item, depth + 1, visited, place, holder)
    elif isinstance(thing, list | tuple):
        if len(thing) <= _TOO_MANY:
            visited.add(id(thing))
            for index, item in enumerate(thing):
                yield from _walk(adapter, f"{name}[{index}]", item, depth + 1, visited, place, holder)
    elif is_holder(thing):
        visited.add(id(thing))
        for attribute, item in list(vars(thing).items()):
            yield from _walk(adapter, attribute, item, depth + 1, visited, place, "" if name == "self" else name)


def is_holder(thing: Any) -> bool:
    """An instance of a class from user or library code, not a framework object or a builtin."""
    module = sys.modules.get(type(thing).__module__)
    file = getattr(module, "__file__", None)
    if type(thing).__module__ == "__main__":
        return hasattr(thing, "__dict__")
    return file is not None and classify(file) != SKIP and hasattr(thing, "__dict__")
