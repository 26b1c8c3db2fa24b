"""What a rule may look at: one recording, with the questions every rule asks answered once."""

from __future__ import annotations

from bisect import bisect, bisect_left
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from whygrad.flow import reach
from whygrad.flow.recording import Backward, Clear, Op, Recording, Step, Variable
from whygrad.flow.site import Site, Stack, shared_site
from whygrad.flow.source import assigned, renamed
from whygrad.rules.called_in_vain import without_older_data
from whygrad.rules.intent import (
    advantages,
    chooses_for_target,
    comes_from_variable,
    dropped_terms,
    feeds_copy,
    is_compared,
    is_target,
    without_targets,
)
from whygrad.rules.never_begun import ASKED, never_begun
from whygrad.rules.replaced import Replaced, replaced
from whygrad.rules.selections import one_of_compared, without_selections

_TAPES_LOOKED_AT = 24


@dataclass(slots=True)
class Missing:
    """Variables that one loss should train and does not, with the places where their gradient stops."""

    backward: Backward
    variables: frozenset[int]
    cuts: list[reach.Cut]
    part: reach.Slice
    """The data flow in which the cuts were found."""
    update: int = 1
    """The first update in which they were missing."""
    seen: int = 1
    unreached: frozenset[int] = field(default_factory=frozenset)
    """Those that the loss is not computed from at all."""
    dropped: dict[int, Op] = field(default_factory=dict)
    """Those for which a loss term was computed and then left out of the loss, with that term."""
    only_weight: frozenset[int] = frozenset()
    """Those that reach the loss only as the (rightly stopped) weight of a log-probability."""


class Case:
    """A recording and what follows from it."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._slices: dict[tuple[int, frozenset[str]], reach.Slice] = {}
        self._read: dict[int, set[int | None]] = {}
        self._read_directly: dict[int, set[int | None]] = {}
        self._losses: dict[int, Site | None] = {}
        self.verdicts: Any = None
        """Worked out once, by `whygrad.rules.verdict`."""
        self.applied_found: Any = None
        """Worked out once, by `whygrad.rules.history`."""
        self.idle_terms_found: Any = None
        """Worked out once, by `whygrad.rules.idle_terms`."""
        self.objectives_found: Any = None
        """Worked out once, by `whygrad.rules.objective`."""
        self.twins_found: Any = None
        """Worked out once, by `whygrad.rules.twins`."""
        self.aliases_found: Any = None
        """Worked out once, by `whygrad.rules.w502_target_is_online`."""
        self.history: Any = None
        """Worked out once, by `whygrad.rules.history`."""
        self.leaks: Any = None
        """Worked out once, by `whygrad.rules.leaks`."""
        self.used: dict[int, set[int]] = {}
        """By the clock of a backward pass: the variables its loss was computed from. Kept by `rules.ownership`."""
        self.within_reach: dict[int, set[int]] = {}
        """Likewise: the variables its gradient would arrive at, asked for or not."""
        self.given: dict[int, tuple[Backward, int]] | None = None
        """For each value that is a gradient as it was returned: the request, and the variable. As above."""

    # --- places -------------------------------------------------------------------------------------------------

    def stack(self, number: int | None) -> Stack:
        """The sites of a stack number."""
        if number is None or number >= len(self.recording.stacks):
            return ()
        return self.recording.stacks[number]

    def site(self, number: int | None) -> Site | None:
        """The innermost site of a stack: the line that is to be named."""
        stack = self.stack(number)
        return stack[0] if stack else None

    def seen_from(self, op_stack: int, other_stack: int) -> Site | None:
        """The site of an operation in the function where something else happened, else its innermost one."""
        inner, other = self.stack(op_stack), self.stack(other_stack)
        found = shared_site(inner, other)
        if found is not None and self.recording.framework == "jax" and found == other[0] and inner.index(found):
            return inner[inner.index(found) - 1]  # it ran inside the very call: in the function that JAX was given
        return found or (inner[0] if inner else None)

    def loss_site(self, backward: Backward) -> Site | None:
        """Where the loss was computed (where backward was called, if that is unknown)."""
        if backward.at not in self._losses:
            self._losses[backward.at] = self._find_loss(backward)
        return self._losses[backward.at]

    def _find_loss(self, backward: Backward) -> Site | None:
        made = self.made_by.get(backward.loss) if backward.loss is not None else None
        asked = self.site(backward.stack)
        if backward.call == ASKED:
            return asked
        found = None
        if made is not None and made.kind != "enter" and made.name not in ("losses", "unseen"):
            found = self.seen_from(made.stack, backward.stack)
        if found is not None and self.recording.framework == "jax":
            found = renamed(found) or found
        if asked is None or (found is not None and (found.file, found.function) != (asked.file, asked.function)):
            return found or asked
        # `loss.mean().backward()` and `loss = q_loss` compute nothing that tells where the loss was put together.
        named = assigned(asked) if backward.call in ("backward", "gradient") else None
        if named is None or (found is not None and named.line < found.line < asked.line):
            return found or asked
        if found is not None and named.line <= found.line <= named.end_line:
            return found
        return named

    # --- graphs -------------------------------------------------------------------------------------------------

    @cached_property
    def made_by(self) -> dict[int, Op]:
        """For each value, the operation that made it."""
        return reach.producers(self.recording)

    @cached_property
    def content(self) -> dict[int, int]:
        """Values that are just a variable's content, with that variable (TensorFlow reads it by an operation)."""
        values = self.recording.values
        found = {v.id: v.variable for v in values.values() if v.variable is not None}
        for op in self.recording.ops.values():
            if op.name == "read_value" and len(op.inputs) == 1 and op.inputs[0] in found:
                found.update(dict.fromkeys(op.outputs, found[op.inputs[0]]))
        return found

    def slice(self, backward: Backward, proofs: frozenset[str] = reach.SUGGESTED) -> reach.Slice:
        """Everything that the loss of a backward pass was computed from."""
        loss = backward.loss if backward.loss is not None else -1
        key = (backward.at, proofs if self.recording.handovers else reach.CERTAIN)
        if key not in self._slices:
            self._slices[key] = reach.backward_slice(self.recording, loss, self.made_by, backward.at, proofs)
        return self._slices[key]

    # --- variables ----------------------------------------------------------------------------------------------

    @cached_property
    def held(self) -> set[int]:
        """Variables that an optimizer which took a step was given."""
        stepped = {step.optimizer for step in self.recording.steps}
        return {v for o in self.recording.optimizers.values() if o.id in stepped for v in o.holds}

    @cached_property
    def trained(self) -> set[int]:
        """Variables that received a gradient at some time."""
        recording = self.recording
        fed = {v for step in recording.steps for v in step.applied}
        if recording.framework != "torch":
            fed |= {v for b in recording.backwards for v in b.got}
        fed -= self._filled_in
        zero = self._zero_by_construction
        return (fed | recording.later_gradients) - zero

    @cached_property
    def _filled_in(self) -> set[int]:
        """Variables whose gradient was asked for and never came, and that a step was given zeros for instead."""
        recording = self.recording
        never = {v for b in recording.backwards for v in b.wanted}.difference(*(b.got for b in recording.backwards))
        steps = [s for s in recording.steps if s.applied & never]
        real = {v for s in steps for v in s.applied & never if v not in s.gradients or not s.gradients[v].all_zero}
        return {v for s in steps for v in s.applied & never} - real

    @cached_property
    def _zero_by_construction(self) -> set[int]:
        """A step function is differentiated to zero; a variable with no other way to any loss gets nothing."""
        recording = self.recording
        behind: set[int] = set()
        reached: set[int] = set()
        if not any(reach.step_function(op) and op.carries for op in recording.ops.values()):
            return behind
        for backward in recording.backwards:
            if backward.error or backward.loss is None or backward.loss not in recording.values:
                continue
            part = self.slice(backward)
            if not any(reach.step_function(op) and op.carries for op in part.ops):
                reached |= backward.got
                continue
            truly = reach.gradient_reach(recording, part, backward.tape)
            on_way = {recording.values[v].variable for v in truly if v in recording.values}
            in_slice = {recording.values[v].variable for v in part.values if v in recording.values}
            behind |= (backward.got & in_slice) - on_way
            reached |= (backward.got - in_slice) | (backward.got & on_way)
        return {v for v in behind - reached if v is not None}

    @cached_property
    def replaced(self) -> Replaced:
        """Variables that were replaced behind an optimizer's back."""
        return replaced(self.recording, self.unheld, self.reads)

    @cached_property
    def reachable(self) -> set[int]:
        """Variables that a gradient from some loss arrives at, asked for or not."""
        recording = self.recording
        found = {v for b in recording.backwards if not b.implicit for v in b.got}
        if recording.framework == "torch":
            return found
        for backward in [b for b in recording.backwards if not b.implicit and b.loss is not None][:_TAPES_LOOKED_AT]:
            part = self.slice(backward)
            arrived = reach.gradient_reach(recording, part, backward.tape)
            found |= {v for n in arrived if n in recording.values and (v := recording.values[n].variable) is not None}
        return found

    @cached_property
    def unheld(self) -> set[int]:
        """Variables that could learn from a loss and belong to no optimizer."""
        variables = self.recording.variables
        held = {v for o in self.recording.optimizers.values() for v in o.holds}
        return {
            v
            for v in self.reachable - held - self.left_alone - self.results
            if variables[v].trainable and (variables[v].parameter or not variables[v].registered)
        }

    @cached_property
    def results(self) -> set[int]:
        """Variables made from the result of a computation (`torch.tensor(loss.item(), requires_grad=True)`)."""
        recording = self.recording
        landed = {h.entered: recording.ops.get(h.left) for h in recording.handovers if h.proof in reach.PROVED}
        found: set[int] = set()
        for value in recording.values.values():
            made = self.made_by.get(value.id) if value.variable is not None else None
            if value.variable is None or made is None or made.kind not in ("enter", "stop"):
                continue
            left = landed.get(made.at)
            sources = (*made.inputs, *(left.inputs if left is not None else ()))
            if any(comes_from_variable(self, v) for v in sources):
                found.add(value.variable)
        return found

    @cached_property
    def left_alone(self) -> set[int]:
        """Variables that a declared contract says are left alone, and none says are trained."""
        contracts = self.recording.contracts
        trained = {v for contract in contracts for v in contract.trains}
        return {v for contract in contracts for v in contract.leaves} - trained

    @cached_property
    def missing(self) -> list[Missing]:
        """For each loss, the variables it should have trained and did not."""
        groups: dict[int, set[int]] = {}
        backwards: dict[int, Backward] = {}
        for variable, backward in self._lost().items():
            groups.setdefault(backward.at, set()).add(variable)
            backwards[backward.at] = backward
        for backward, variables in never_begun(self):
            groups[backward.at], backwards[backward.at] = variables, backward
        return [one for at in sorted(groups) for one in self._explained(backwards[at], groups[at])]

    def _explained(self, backward: Backward, variables: set[int]) -> list[Missing]:
        """Explain lost variables with the most certain data flow that explains them.

        First what stayed in the framework, then round trips that are proved, then those that the source suggests; at
        last ways with more than one wall on them.
        """
        update = 1 + sum(1 for step in self.recording.steps if step.at < backward.at)
        seen = max(1, sum(1 for step in self.recording.steps if variables & step.without))
        found: list[Missing] = []
        left = set(variables)
        tried = 0, 0
        ways = [(proofs, True) for proofs in (reach.CERTAIN, reach.PROVED, reach.SUGGESTED)] + [(reach.PROVED, False)]
        for proofs, alone in ways:
            part = self.slice(backward, proofs)
            if alone and tried == (id(part), len(left)):
                continue  # no round trip is believed that was not before
            tried = id(part), len(left)
            cuts = self.cuts_of(part, left, backward.tape)
            cuts = [c for c in cuts if c.alone or not (alone or feeds_copy(self, part, c))]
            cuts = without_older_data(self, backward, part, cuts)
            if alone and all(is_target(self, part, cut) for cut in cuts):
                continue  # it only makes a target; what should have been the prediction is still to be found
            cuts = cuts if alone else [c for c in cuts if not chooses_for_target(self, part, c, backward)]
            one = self._weigh(backward, part, cuts)
            one.update, one.seen = update, seen
            if one.variables:
                found.append(one)
                left -= one.variables
        for cut in self._swallowed(backward, left):
            found.append(Missing(backward, cut.variables, [cut], self.slice(backward, reach.CERTAIN), update, seen))
            left -= cut.variables
        if left:
            part = self.slice(backward, reach.CERTAIN)
            dropped = dropped_terms(self.recording, part, left, backward)
            found.append(Missing(backward, frozenset(left), [], part, update, seen, frozenset(left), dropped))
        return found

    def _swallowed(self, backward: Backward, variables: set[int]) -> list[reach.Cut]:
        """PyTorch: custom functions whose backward returned None for variables that a gradient should arrive at."""
        recording, part = self.recording, self.slice(backward, reach.CERTAIN)
        if recording.framework != "torch" or backward.error or not variables:
            return []
        arrived = reach.gradient_reach(recording, part, None)
        behind = {v: owner for v in arrived if (owner := recording.values[v].variable) in variables - backward.got}
        found: list[reach.Cut] = []
        for op in part.ops:
            passing = {behind[v] for v in op.inputs if v in behind}
            if passing and op.detail == "custom_function":
                found.append(reach.Cut(op, frozenset(v for v in passing if v is not None), True))
        return _by_place(found)

    def cuts_of(self, part: reach.Slice, variables: set[int], tape: int | None) -> list[reach.Cut]:
        """The places where the gradient of variables stops, without those that make a target."""
        cuts = _by_place(reach.cuts(self.recording, part, variables, tape))
        cuts = without_selections(self, part, cuts, tape)
        compared = [c for c in cuts if is_compared(self, part, c, tape)]
        others = {v for c in cuts if c not in compared for v in c.variables}
        cuts = [c for c in cuts if c not in compared or not c.variables <= others]
        cuts = one_of_compared(self, part, cuts, compared, tape)
        open_ways = {v for cut in cuts if cut.alone for v in cut.variables}
        cuts = [c for c in cuts if c.alone or not c.variables <= open_ways]
        return without_targets(self.recording, part, cuts)

    def _weigh(self, backward: Backward, part: reach.Slice, cuts: list[reach.Cut]) -> Missing:
        """Set aside the cuts that are right, where the fault is a term that the loss does not have."""
        behind = frozenset(v for cut in cuts for v in cut.variables)
        meant = [cut for cut in cuts if cut.op.kind in ("stop", "leave") or cut.op.switch is not None]
        stopped = {v for cut in meant for v in cut.variables}.difference(*(c.variables for c in cuts if c not in meant))
        dropped = dropped_terms(self.recording, part, stopped, backward) if stopped else {}
        weights = advantages(self, part, cuts, backward.tape)
        only_weight = {v for c in weights for v in c.variables}.difference(
            *(c.variables for c in cuts if c not in weights)
        )
        others = {v for c in cuts if c not in weights for v in c.variables}
        # An advantage, a temperature: its stop is right, and where there is another one that is to blame.
        cuts = [c for c in cuts if c not in weights or not c.variables <= others]
        cuts = [cut for cut in cuts if not cut.variables <= dropped.keys() | only_weight]
        without = frozenset(dropped.keys() | only_weight)
        return Missing(backward, behind, cuts, part, unreached=without, dropped=dropped,
                       only_weight=frozenset(only_weight - dropped.keys()))  # fmt: skip

    def _lost(self) -> dict[int, Backward]:
        """Each variable that never receives a gradient, with the backward pass that should have given it one."""
        recording = self.recording
        lost: dict[int, Backward] = {}
        used_up = {b.tape for b in recording.backwards if b.tape is not None and _used_up(b)}
        for backward in recording.backwards:
            if backward.implicit or backward.loss is None or backward.tape in used_up or _broke_down(backward):
                continue
            failed = backward.error is not None or self._step_failed(backward)
            for variable in self._expected(backward) - self.left_alone:
                fed = variable in self.trained and not failed
                frozen = not recording.variables[variable].trainable and variable not in backward.got
                if not fed and not frozen and variable not in self.replaced.stale:
                    better = variable not in lost or self._explains_better(backward, lost[variable], variable)
                    if better:
                        lost[variable] = backward
        return lost

    def _step_failed(self, backward: Backward) -> bool:
        """Whether the optimizer refused what this backward pass gave it."""
        steps = self.recording.steps
        first = bisect(steps, backward.at, key=_when)
        return first < len(steps) and steps[first].error is not None

    def _expected(self, backward: Backward) -> set[int]:
        """The variables that this backward pass was there to train."""
        recording = self.recording
        if backward.wanted:
            got = backward.got - self._zero_by_construction
            return set(backward.wanted) - got if not _used_up(backward) else set()
        if backward.error is not None:
            return self._expected_of_failure(backward)
        expected: set[int] = set()
        for step in self._steps_after(backward):
            missed = step.without | (step.applied & self._zero_by_construction)
            clears = recording.clears
            between = bisect(clears, backward.at, key=_when), bisect_left(clears, step.at, key=_when)
            expected |= missed.difference(*(c.variables for c in clears[slice(*between)]))
        return expected

    def applied_after(self, backward: Backward) -> set[int]:
        """The variables that got a gradient in a pass and were changed by it."""
        applied = {v for step in self._steps_after(backward) for v in step.applied}
        return set(backward.got) & applied

    def _steps_after(self, backward: Backward) -> list[Step]:
        """The first step of each optimizer after a backward pass: those that this pass was for."""
        first: dict[int, Step] = {}
        steps = self.recording.steps
        for step in steps[bisect(steps, backward.at, key=_when) :]:
            first.setdefault(step.optimizer, step)
            if len(first) == len(self.recording.optimizers):
                break
        return list(first.values())

    def _expected_of_failure(self, backward: Backward) -> set[int]:
        if backward.error is None or "does not require grad" not in backward.error:
            return set()
        recording = self.recording
        given = {v for o in recording.optimizers.values() for v in o.holds}
        own = {v.id for v in recording.variables.values() if v.parameter and v.trainable}
        candidates = given or own
        cleared = [c for c in recording.clears if c.at < backward.at]
        last_step = max((s.at for s in recording.steps if s.at < backward.at), default=0)
        fresh = [c.variables for c in cleared if c.at > last_step]
        part = self.slice(backward)
        on_way = {recording.values[v].variable for v in part.values if v in recording.values}
        chosen = set().union(*fresh) & candidates if fresh else candidates
        if chosen & on_way:
            return chosen & on_way
        return (candidates & on_way) or chosen or candidates

    @cached_property
    def _first_missed(self) -> dict[int, int]:
        """When each variable first came to a step without a gradient."""
        found: dict[int, int] = {}
        for step in self.recording.steps:
            for variable in step.without:
                found.setdefault(variable, step.at)
        return found

    def _explains_better(self, new: Backward, old: Backward, variable: int) -> bool:
        """Of two losses in one update, the one that is computed from the variable; of two such, the later."""
        first_step = self._first_missed.get(variable)
        if first_step is not None and new.at > first_step:
            return False  # the first update tells the story; later ones repeat it
        return self.uses(new, variable) >= self.uses(old, variable)

    def reads(self, backward: Backward, variable: int) -> bool:
        """Whether the loss was computed from a variable's content, not merely from a copy that was made of it."""
        if backward.at not in self._read_directly:
            values = self.recording.values
            ops = [op for op in self.slice(backward, reach.CERTAIN).ops if op.kind != "write"]
            # A copy into another variable reads the old one and is followed by a write.
            written = {v for op in self.slice(backward, reach.CERTAIN).ops if op.kind == "write" for v in op.inputs}
            self._read_directly[backward.at] = {
                values[v].variable
                for op in ops
                if not (op.outputs and all(o in written for o in op.outputs))
                for v in op.inputs
                if v in values
            }
        return variable in self._read_directly[backward.at]

    def uses(self, backward: Backward, variable: int) -> bool:
        """Whether the loss of a backward pass was computed from a variable, differentiably or not."""
        if backward.at not in self._read:
            values = self.recording.values
            self._read[backward.at] = {values[v].variable for v in self.slice(backward).values if v in values}
        return variable in self._read[backward.at]

    @cached_property
    def reads_under(self) -> dict[Stack, set[int]]:
        """For each call in the user's code, the variables that are read while it runs."""
        values = self.recording.values
        pairs = {
            (op.stack, variable)
            for op in self.recording.ops.values()
            if op.kind != "write"
            for v in op.inputs
            if v in values and (variable := values[v].variable) is not None
        }
        found: dict[Stack, set[int]] = {}
        for number, variable in pairs:
            stack = self.stack(number)
            for depth in range(len(stack)):
                found.setdefault(stack[depth:], set()).add(variable)
        return found

    @cached_property
    def over_time(self) -> Case:
        """The same program with the later updates that numbers were looked at in."""
        late = self.recording.late
        return Case(replace(late, contracts=self.recording.contracts)) if late is not None else self

    # --- words --------------------------------------------------------------------------------------------------

    def variable(self, number: int) -> Variable:
        """A variable by its number."""
        return self.recording.variables[number]

    def family(self, network: str, members: set[int] | frozenset[int]) -> set[int]:
        """What of a network counts as learning: its trainable variables, and those that are being talked about."""
        known = self.recording.variables.values()
        return {v.id for v in known if v.network == network and (v.trainable or v.id in members)}

    def names(self, numbers: frozenset[int] | set[int]) -> tuple[str, ...]:
        """Names in the order the variables were made."""
        return tuple(self.variable(n).name for n in sorted(numbers))


def _when(event: Step | Clear) -> int:
    return event.at


def _by_place(cuts: list[reach.Cut]) -> list[reach.Cut]:
    """Cuts at one expression (in a loop, over a rollout) are one cut; the first stands for all."""
    places: dict[tuple[str, int, int | None], reach.Cut] = {}
    for cut in cuts:
        key = cut.op.name, cut.op.stack, cut.op.switch if cut.op.switch is None else 0
        known = places.get(key)
        if known is None:
            places[key] = cut
        else:
            places[key] = reach.Cut(known.op, known.variables | cut.variables, known.alone or cut.alone)
    return list(places.values())


def _used_up(backward: Backward) -> bool:
    return backward.error is not None and ("persistent" in backward.error or "second time" in backward.error)


def _broke_down(backward: Backward) -> bool:
    """Whether an operation of the backward pass itself could not be computed: that says nothing of the way."""
    kind = (backward.error or "").partition(":")[0]
    return kind in ("InvalidArgumentError", "UnimplementedError", "ResourceExhaustedError", "InternalError")
