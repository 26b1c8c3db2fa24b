"""Names of variables that do not depend on the framework, the process or how many networks were made before."""

from __future__ import annotations

from collections import Counter
from typing import Any


def variable_names(network_name: str, network: Any) -> list[str]:
    """`actor.dense_1.kernel`: network, layer (numbered in the order of use), variable."""
    if not hasattr(network, "variables"):
        return [f"{network_name}.{name}" for name, _ in (*network.named_parameters(), *network.named_buffers())]
    seen: dict[str, str] = {}
    kinds: Counter[str] = Counter()
    names = []
    for variable in network.variables:
        *layers, own = variable.path.split("/")
        layer = "/".join(layers)
        if layer not in seen:
            kind = (layers[-1] if layers else "").rstrip("0123456789").rstrip("_")
            kinds[kind] += 1
            seen[layer] = kind if kinds[kind] == 1 else f"{kind}_{kinds[kind] - 1}"
        names.append(f"{network_name}.{seen[layer]}.{own}")
    return [name if names.count(name) == 1 else f"{name}#{i}" for i, name in enumerate(names)]
