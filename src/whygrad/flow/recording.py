"""What a recorder saw of a training program, as plain data.

Values are numbered; nothing here holds a tensor. Operations and events share one clock (`at`), so that "before
the tape", "after the step" and "between forward and backward" are comparisons of integers.

Two graphs lie over the same operations. *Data flow*: `Op.inputs` to `Op.outputs`, every operation, also those
that leave the framework. *Gradient flow*: the part of it that the framework would differentiate; see
`whygrad.flow.reach.carries`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from whygrad.flow.site import Stack

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
    found: int = 0
    """TensorFlow: the last look for names that came upon it in a model; 0 where none did."""


@dataclass(frozen=True, slots=True)
class HiddenLayer:
    """JAX: a layer that a differentiated model keeps where JAX does not look (`model.head`)."""

    name: str
    keeper: str
    """The class whose instance keeps it."""
    static: bool
    """In a static field, not in a plain object."""
    values: frozenset[int]
    created: int | None


@dataclass(frozen=True, slots=True)
class Begun:
    """JAX: a state that an optimizer made for some arrays (`optimizer.init(params)`), whether or not it is used."""

    at: int
    stack: int
    values: frozenset[int]

    def asked(self, recording: Recording) -> bool:
        """Whether a gradient was ever asked for with respect to one of them."""
        owners = {recording.values[v].variable for v in self.values if v in recording.values} - {None}
        return any(v in owners for b in recording.backwards for v in (*b.wanted, *b.got))


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
    """How often it was called from there."""
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


@dataclass(slots=True)
class Recording:
    """Everything one framework's recorder saw."""

    framework: str
    version: str = ""
    ops: dict[int, Op] = field(default_factory=dict)
    values: dict[int, Value] = field(default_factory=dict)
    variables: dict[int, Variable] = field(default_factory=dict)
    optimizers: dict[int, Optimizer] = field(default_factory=dict)
    switches: dict[int, Switch] = field(default_factory=dict)
    tapes: dict[int, Tape] = field(default_factory=dict)
    backwards: list[Backward] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    clears: list[Clear] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    copies: list[Copy] = field(default_factory=list)
    shared: dict[int, Copy] = field(default_factory=dict)
    """PyTorch: variables that were given another one's memory (`target.data = online.data`), as things are at last."""
    copies_not_run: list[Copy] = field(default_factory=list)
    """JAX: copies in a branch that no round of the training loop took."""
    retraces: list[Retrace] = field(default_factory=list)
    doubled: list[Doubled] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    handovers: list[Handover] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    given_nothing: list[GivenNothing] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    contracts: list[Declared] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    cut_short: bool = False
    """The script was stopped after a number of updates, so that what comes later was not seen."""
    later_gradients: set[int] = field(default_factory=set)
    """Variables without a gradient in the traced updates that received one afterwards."""
    moved_later: set[int] = field(default_factory=set)
    """Variables that no optimizer had changed and whose content changed after deep tracing ended."""
    unseen_later: set[int] = field(default_factory=set)
    """JAX: those of `moved_later` of which nothing is known, for the name that kept them was gone at the end."""
    unmoved: dict[int, int] = field(default_factory=dict)
    """JAX: variables that were given an update made without their gradient (frozen: zeros), with that call's stack."""
    astray: list[Step] = field(default_factory=list)
    """JAX: updates of arrays that no gradient was asked for, with the gradient of others (`applied`, `taken`)."""
    hidden: list[HiddenLayer] = field(default_factory=list)
    """JAX: layers that are out of its sight."""
    begun: list[Begun] = field(default_factory=list)
    """JAX: what optimizers were begun for, as far as it was seen."""
    failed: bool = False
    """The program ended with an error."""
    hand_updated: set[int] = field(default_factory=set)
    """Variables whose gradient the program reads itself (a hand-written update, clipping, logging)."""
    blind: list[tuple[int, int]] = field(default_factory=list)
    """PyTorch: stretches of the clock in which operations may have gone by unseen."""
    updates: int = 0
    all_updates: int = 0
    """Those of the whole run, traced or not."""
    used: bool = True
    """Whether the program computed anything with this framework (importing it does not count)."""
    notes: list[str] = field(default_factory=list)
    late: Recording | None = None
    """Where numbers were looked at for longer: everything that was seen, of the later updates only the last."""
