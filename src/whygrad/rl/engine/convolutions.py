"""Whether XLA may run networks inside its own loops.

On a CPU, XLA has fast convolutions only outside of loops: inside of one they are a hundred times slower. Then a program
is a plain loop over compiled pieces; nothing else changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def loops_well(networks: Iterable[Any], on_cpu: bool) -> bool:
    """False on a CPU for networks that convolve: of all layers only theirs have kernels with three axes or more."""
    return not (on_cpu and any(len(v.shape) > 2 for net in networks for v in net.variables))
