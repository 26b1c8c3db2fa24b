"""What a recorder saw of a training program, as plain data.

Values are numbered; nothing here holds a tensor. Operations and events share one clock (`at`), so that "before
the tape", "after the step" and "between forward and backward" are comparisons of integers.

Two graphs lie over the same operations. *Data flow*: `Op.inputs` to `Op.outputs`, every operation, also those
that leave the framework. *Gradient flow*: the part of it that the framework would differentiate; see
`whygrad.flow.reach.carries`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from whygrad.flow.events import (
    Asked,
    Backward,
    Clear,
    Copy,
    Declared,
    Doubled,
    Edit,
    Failure,
    GivenNothing,
    Handover,
    Reading,
    Retrace,
    Step,
    Write,
)
from whygrad.flow.operations import Op, Switch, Tape, Value
from whygrad.flow.site import Stack
from whygrad.flow.variables import Begun, HiddenLayer, Optimizer, PlainNumbers, SpareTree, Variable


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
    spare: list[SpareTree] = field(default_factory=list)
    """JAX: trees that are kept beside those which are differentiated."""
    plain_numbers: list[PlainNumbers] = field(default_factory=list)
    """JAX: models with floats beside the numbers that are trained."""
    begun: list[Begun] = field(default_factory=list)
    """JAX: what optimizers were begun for, as far as it was seen."""
    failed: bool = False
    """The program ended with an error."""
    hand_updated: set[int] = field(default_factory=set)
    """Variables whose gradient the program reads itself (a hand-written update, clipping, logging)."""
    blind: list[tuple[int, int]] = field(default_factory=list)
    """PyTorch: stretches of the clock in which operations may have gone by unseen."""
    updates: int = 0
    earlier: int = 0
    """JAX: updates that another recording has, for this one began later."""
    all_updates: int = 0
    """Those of the whole run, traced or not."""
    used: bool = True
    """Whether the program computed anything with this framework (importing it does not count)."""
    notes: list[str] = field(default_factory=list)
    then: list[Recording] = field(default_factory=list)
    """JAX: later phases of the program, which have no gradient in common with this one: each a recording of its own."""
    late: Recording | None = None
    """Where numbers were looked at for longer: everything that was seen, of the later updates only the last."""

    def asked_for(self, begun: Begun) -> bool:
        """Whether a gradient was ever asked for with respect to something that an optimizer was begun for."""
        owners = {self.values[v].variable for v in begun.values if v in self.values} - {None}
        return any(v in owners for b in self.backwards for v in (*b.wanted, *b.got))
