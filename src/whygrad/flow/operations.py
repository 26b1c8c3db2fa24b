"""Operations of a training program and the values between them. Values are numbered; nothing here holds a tensor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "compute",  # an ordinary operation
    "stop",  # detach, stop_gradient, .data
    "leave",  # numpy(), item(), tolist(), predict(): the value becomes a Python or NumPy object
    "enter",  # tensor(...), constant(...): Python or NumPy data become a tensor
    "discrete",  # an index, a comparison, a cast to an integer, a sample: no derivative
    "opaque",  # the framework has no gradient for this operation
    "write",  # the content of a variable or of a buffer is replaced
]


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a tensor of floats contained, without the tensor. `low` and `high` are of its finite entries.

    For a gradient or a variable's weights they are bounds, taken from the norm. `zeros` is counted where all entries
    are zero, and where an operation has its singular point there; elsewhere it is 0.
    """

    size: int
    low: float
    high: float
    zeros: int = 0
    nans: int = 0
    infs: int = 0
    norm: float = 0.0
    """Euclidean norm of the finite entries."""

    @property
    def finite(self) -> bool:
        """Neither NaN nor infinity."""
        return not (self.nans or self.infs)

    @property
    def all_zero(self) -> bool:
        """Every entry is exactly zero."""
        return self.zeros == self.size


@dataclass(frozen=True, slots=True)
class Units:
    """How many units of an activation do nothing for any row of the batch: always off, or always saturated."""

    total: int
    dead: int = 0
    saturated: int = 0
    flat: float = 0.0
    """Of tanh and sigmoid: the share of all entries, unit by row, where the slope is below a thousandth of its best."""


@dataclass(slots=True)
class Value:
    """One tensor at one version. `live`: the framework would carry a gradient to what it was computed from."""

    id: int
    shape: tuple[int | None, ...]
    floating: bool
    live: bool
    variable: int | None = None
    numbers: Numbers | None = None
    """Its content, where that was looked at."""
    mapped: tuple[int | None, ...] | None = None
    """JAX: its shape outside of the `vmap` that made it row by row, where it was used there."""
    kept: str = ""
    """JAX: what the body of a loop calls it, where a loop carries it along (`state[0].params['w']`)."""
    steady: bool = False
    """JAX: that loop hands it through as it is."""


ITS_OWN = "its own"
"""The detail of a stop that a library function needs for its arithmetic, and the program did not ask for."""


@dataclass(slots=True)
class Op:
    """One operation. `carries` is the framework's own word on whether a gradient can pass."""

    at: int
    name: str
    kind: Kind
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    stack: int
    carries: bool
    switch: int | None = None
    """The switch that had turned recording off, where one had."""
    tapes: tuple[int, ...] = ()
    """TensorFlow: the tapes that were recording."""
    detail: str = ""
    """What the message needs to name: the cast's dtype, the distribution, the NumPy function."""
    units: Units | None = None
    """For an activation, clamp or other function with flat parts: how much of it is flat."""
    flat: tuple[int, ...] = ()
    """Inputs to which no gradient passes because of the numbers: all units are off, the other side was picked."""
    spoils: bool = False
    """PyTorch: a custom function whose backward made NaN or infinity of a gradient that was finite."""
    inside: str = ""
    """JAX: the library function whose own arithmetic this is (`apply_updates`, an optimizer's `update`)."""
    clips: tuple[str, float, int] | None = None
    """JAX: the clipping that this is a part of: its name, its limit, and the stack of the line that made it."""
    times: int = 1
    """JAX: for how many rounds of a loop it stands."""
    never: tuple[int, ...] = ()
    """JAX: results of those branches of a `cond` that were taken in no round of the training loop around it."""


@dataclass(slots=True)
class Switch:
    """Recording was turned off: `no_grad`, `inference_mode`, `stop_recording`."""

    id: int
    at: int
    name: str
    stack: int
    decorator: bool = False
    inside: str = ""
    """The library function that did it (`Normal.sample`), empty when it was the user's own code."""


@dataclass(slots=True)
class Tape:
    """A `GradientTape`: when it recorded. `closed` is None while it is open."""

    id: int
    opened: int
    stack: int
    persistent: bool = False
    watches_variables: bool = True
    closed: int | None = None
    watched: set[int] = field(default_factory=set)
    watched_from: dict[int, tuple[int, int]] = field(default_factory=dict)
    """For each tensor that it was told to watch: since when, and by which line."""
