"""JAX: parts of one target's tree that stay behind for one reason are one network, told once."""

from __future__ import annotations

import dataclasses

from whygrad.rules.case import Case
from whygrad.rules.finding import Finding
from whygrad.rules.targets.twin import Twin


def trees(case: Case, told: list[tuple[Twin, Finding]]) -> list[list[Twin]]:
    """The targets that findings are about; those together that one line leaves behind and that one tree holds."""
    found: dict[object, list[Twin]] = {}
    for place, (twin, finding) in enumerate(told):
        target, online = _tree(twin.name), _tree(twin.online)
        parts = case.recording.framework == "jax" and target and online and finding.where is not None
        key = (target, online, finding.where, finding.label) if parts else place
        found.setdefault(key, []).append(twin)
    return list(found.values())


def whole(parts: list[Twin]) -> Twin:
    """One target of its parts, by the name of the tree."""
    first = parts[0]
    return dataclasses.replace(
        first,
        name=_tree(first.name),
        online=_tree(first.online),
        members=frozenset().union(*(part.members for part in parts)),
        originals=frozenset().union(*(part.originals for part in parts)),
        into=[copy for part in parts for copy in part.into],
        out_of=[copy for part in parts for copy in part.out_of],
        itself=[copy for part in parts for copy in part.itself],
        begun=min(part.begun for part in parts),
    )


def _tree(name: str) -> str:
    """The name up to the first key; nothing for what is no part of a tree."""
    tree, key, _ = name.partition("[")
    return tree if key else ""
