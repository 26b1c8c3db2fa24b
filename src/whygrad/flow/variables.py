"""What a program trains, or could train, and the optimizers that are given it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Variable:
    """Something a program trains, or could train."""

    id: int
    name: str
    network: str
    """What the user calls the network it belongs to; the variable's own name where there is none."""
    shape: tuple[int | None, ...]
    trainable: bool
    created: int | None
    """Stack of its creation."""
    registered: bool = True
    """False: it sits in a list, a dict or an object that its model does not look into."""
    parameter: bool = True
    """False for a plain leaf tensor (an input that asks for a gradient)."""
    copied: bool = False
    """Its content was set from elsewhere: a checkpoint, another network, an average."""
    copy_of: int | None = None
    """The variable whose content it was given, by a deep copy or a whole-state load."""
    frozen: int | None = None
    """Stack of the line that turned its gradient off, where that was seen."""
    frozen_times: int = 0
    """PyTorch: how often it was turned off since it was last turned on."""
    owner: str = ""
    """The module or layer directly above it (`actor.fc2`)."""
    model: str = ""
    """The class of the network it belongs to."""
    born: int = 0
    """When it was made; 0 where that was not seen."""
    filled: int | None = None
    """Stack of the user's own line that gave it its first values (`nn.init.zeros_`), where there is one."""
    constant: bool = False
    """JAX: arrays that a compiled function took from around it when it was traced, and has used ever since."""
    keeper: str = ""
    """The class whose instance keeps an unregistered variable in a plain container."""
    taken_in: int | None = None
    """TensorFlow: stack of the line that made the Lambda layer whose function uses it, which keeps no weights."""
    derived_from: dict[int, int] = field(default_factory=dict)
    """TensorFlow: variables that what was written into it was computed from (`alpha.assign(tf.exp(log_alpha))`), each
    with the stack of the write."""
    found: int = 0
    """TensorFlow: the last look for names that came upon it in a model; 0 where none did."""


@dataclass(frozen=True, slots=True)
class HiddenLayer:
    """JAX: a layer that a differentiated model keeps where JAX does not look (`model.head`)."""

    name: str
    keeper: str
    """The class whose instance keeps it."""
    place: str
    """What it is kept in: a "static field", a "plain object", or around a "function"; a "static array" is no layer."""
    values: frozenset[int]
    created: int | None


@dataclass(frozen=True, slots=True)
class SpareTree:
    """JAX: a second tree with the first numbers of one that is differentiated, kept beside it (a target network)."""

    name: str
    online: str
    originals: frozenset[int]
    """The variables that it begins with the numbers of."""
    values: frozenset[int]


@dataclass(frozen=True, slots=True)
class PlainNumbers:
    """JAX: a model of which some numbers are arrays, which are differentiated, and some Python's floats."""

    name: str
    model: str
    """Its class."""
    floats: tuple[str, ...]
    arrays: tuple[str, ...]
    stack: int
    """Where the gradient was asked for."""
    alone: bool = True
    """It consists of single numbers, and is all that is differentiated."""


@dataclass(frozen=True, slots=True)
class Begun:
    """JAX: a state that an optimizer made for some arrays (`optimizer.init(params)`), whether or not it is used."""

    at: int
    stack: int
    values: frozenset[int]
    keeps: bool = False
    """Whether the optimizer keeps the arrays itself and updates those (Flax NNX)."""


@dataclass(slots=True)
class Optimizer:
    """An optimizer and the variables it was given. `holds` is empty where it takes them only at each step."""

    id: int
    name: str
    created: int | None
    at: int
    holds: set[int] = field(default_factory=set)
    groups: list[frozenset[int]] = field(default_factory=list)
    """Parameter groups, where the optimizer has several."""
    skipped: int = 0
    """Steps that a gradient scaler left out because a gradient was infinite."""
    epsilon: float | None = None
    """What it adds to a gradient's own size before it divides by that, where it does."""
    by_hand: bool = False
    """PyTorch: no optimizer, but the program's own update (`w -= lr * w.grad`)."""
