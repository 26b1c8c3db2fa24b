"""What a program does with gradients, on the recording's clock: asks for them, changes them, applies them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from whygrad.flow.operations import Numbers


@dataclass(slots=True)
class Backward:
    """A request for gradients: `backward()`, `autograd.grad`, `tape.gradient`."""

    at: int
    call: str
    loss: int | None
    stack: int
    wanted: tuple[int, ...] = ()
    """Variables asked for by name (`tape.gradient(loss, variables)`); empty means every leaf."""
    asked_values: tuple[int, ...] = ()
    """Things asked for that are no variables."""
    got: frozenset[int] = frozenset()
    got_values: frozenset[int] = frozenset()
    """Those of `asked_values` that received a gradient."""
    tape: int | None = None
    error: str | None = None
    implicit: bool = False
    """A gradient that is itself part of the computation (a gradient penalty, an inner loop)."""
    gradients: dict[int, Numbers] = field(default_factory=dict)
    """For each variable that got one, its gradient after this pass (what has piled up, where passes accumulate)."""
    retained: bool = False
    """PyTorch: `retain_graph=True`."""
    taken_out: set[int] = field(default_factory=set)
    """PyTorch: those of `got` whose gradient the program itself took out of `.grad`, before anybody cleared it."""
    piled: frozenset[int] = frozenset()
    """PyTorch: those of `got` whose gradient was added to what an earlier pass had left in `.grad`, untouched since."""
    given: dict[int, int] = field(default_factory=dict)
    """Where gradients are returned: for each variable that got one, the value that is its gradient."""
    read: dict[int, int] = field(default_factory=dict)
    """JAX: for each variable asked for, the value that was its content in this pass."""
    plain: str = ""
    """JAX: where no array was asked for, the class of a model whose numbers are Python's own."""


@dataclass(slots=True)
class Step:
    """An optimizer applied gradients: to whom, and who came without one."""

    at: int
    optimizer: int
    stack: int
    applied: frozenset[int]
    without: frozenset[int]
    error: str | None = None
    gradients: dict[int, Numbers] = field(default_factory=dict)
    """For each variable it was applied to, the gradient as the optimizer got it: clipped, unscaled, summed."""
    weights: dict[int, Numbers] = field(default_factory=dict)
    """The variables' content before the step."""
    rate: float | None = None
    """The learning rate, where the optimizer says one number."""
    call: str = "step"
    """What the user called: `step`, `scaler.step`, `apply_gradients`, `minimize`."""
    began: int | None = None
    """When it began, where it called the program back for gradients (`step(closure)`); it uses each of those."""
    called_back: tuple[int, ...] = ()
    """When each of these calls began."""
    taken: dict[int, int] = field(default_factory=dict)
    """Where gradients are handed over as values: for each variable, the value that was applied to it."""
    before: dict[int, int] = field(default_factory=dict)
    """JAX: for each variable, the value that was its content before."""
    after: dict[int, int] = field(default_factory=dict)
    """JAX: for each variable, the value that the step made of it; whether the program keeps it is another matter."""
    returned: int | None = None
    """JAX: the call of a compiled function that gave the new content back to the program."""
    state: dict[int, int] = field(default_factory=dict)
    """JAX: for each variable, the optimizer state that its update was computed with."""


@dataclass(slots=True)
class Edit:
    """Gradients were changed between backward and step: clipped, unscaled, or written by hand."""

    at: int
    kind: Literal["clip", "unscale", "other"]
    call: str
    """As a user would say it: `clip_grad_norm_`, `scaler.unscale_`, `tf.clip_by_global_norm`."""
    variables: frozenset[int]
    stack: int
    limit: float | None = None
    norm: float | None = None
    """The norm that clipping found, where it says."""
    given: tuple[int, ...] = ()
    """Where gradients are values: those that went in (clipping), or the one that was written (`p.grad = value`)."""
    made: tuple[int, ...] = ()
    """Where gradients are values: those that came out."""
    handed: int | None = None
    """PyTorch: the variable whose `.grad` the written tensor is (`global_p.grad = local_p.grad`): one for two."""


@dataclass(slots=True)
class Copy:
    """One variable's content was given to another: a target network being synced. `share` is 1 for a whole copy."""

    at: int
    source: int
    target: int
    stack: int
    share: float | None = None
    later: bool = False
    """JAX: of one that did not run, whether it would in a longer loop."""
    stale: str = ""
    """JAX: what the program calls the old content that was copied, where the copy before had taken the very same."""


@dataclass(slots=True)
class Doubled:
    """JAX: one function was given the content of the same variables twice, as two of its arguments."""

    stack: int
    variables: frozenset[int]
    calls: int = 0
    """How often it was called from there, without a first call that was given two that were made apart."""
    times: int = 0
    """How often it was given the same twice."""


@dataclass(slots=True)
class Retrace:
    """A compiled function was compiled again, because something about its arguments was new."""

    at: int
    function: str
    stack: int
    count: int
    calls: int
    reason: str = ""
    last: int = 0
    """TensorFlow: the number of the call that was traced last."""
    body: tuple[str, int, int] | None = None
    """TensorFlow: the file and the first and last line of the function, where it was truly traced."""


@dataclass(slots=True)
class Reading:
    """A light look at one update after deep tracing ended: which update it was, and the gradient it applied."""

    update: int
    optimizer: int
    stack: int
    norm: float
    finite: bool = True
    loss: float | None = None
    at_end: bool = False
    """TensorFlow, JAX: read off the weights when the program ended; the updates before that went by unseen."""


@dataclass(slots=True)
class Clear:
    """Gradients were set to None or to zero: `zero_grad`, `p.grad = None`, `p.grad.zero_()`."""

    at: int
    variables: frozenset[int]
    stack: int
    optimizer: int | None = None
    call: str = "zero_grad"


@dataclass(slots=True)
class Write:
    """A value was overwritten in place. `by` names the writer as a user would."""

    at: int
    before: int
    after: int
    by: str
    stack: int
    variable: int | None = None
    given: tuple[int, ...] = ()
    """What was written or added, where the operation itself does not say."""


@dataclass(slots=True)
class Handover:
    """Python or NumPy data that left at one op (`left`, its clock) and was seen to enter again at another."""

    left: int
    entered: int
    proof: Literal["memory", "value", "source"]


@dataclass(slots=True)
class Failure:
    """An exception the program saw from the framework, about gradients."""

    at: int
    kind: str
    message: str
    stack: int
    about: str = ""
    """What it was about, as the program calls it, where that is known."""
    inputs: tuple[int, ...] = ()
    """What the call was given, where it refused numbers that are not finite."""
    origin: int | None = None
    """JAX: stack of the line to which what it was about goes back, where that is another one."""
    traced: bool = False
    """JAX: it came while a function was traced (`jit`), outside of its gradients."""


@dataclass(slots=True)
class GivenNothing:
    """PyTorch: an optimizer was refused because it was given no parameters, and what the model has all the same."""

    at: int
    stack: int
    used_up: bool
    """A generator that somebody had gone through before."""
    hidden: dict[int, tuple[str, str, str]]
    """Variables that the model keeps in plain containers: the file and the name of the class, and the attribute."""
    frozen: frozenset[int]
    """Variables that it lists, and that ask for no gradient."""
    part: bool = False
    """It was made all the same: one of its groups is empty, the others are not."""


@dataclass(slots=True)
class Asked:
    """PyTorch: the program asked whether a value takes a gradient (`if loss.requires_grad:`), and was told no."""

    at: int
    value: int
    stack: int


@dataclass(slots=True)
class Declared:
    """What the program says of one loss: the variables it trains, and those it leaves alone."""

    name: str
    """What the program calls the loss."""
    trains: frozenset[int]
    leaves: frozenset[int]
    unknown: tuple[str, ...] = ()
    """Networks that it names and that no variable of the program belongs to."""
    listed: frozenset[int] = frozenset()
    """Those of `trains` that were given one by one, rather than as parts of a network."""
    windows: tuple[tuple[int, int], ...] = ()
    """When the contract was being checked (`with contract:`); empty where it holds for the whole program."""
