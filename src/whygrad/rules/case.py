"""What a rule may look at: one recording, with the questions every rule asks answered once."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from functools import cached_property, wraps
from typing import Any, TypeVar

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.handed_in import is_handed_in
from whygrad.flow.operations import Op
from whygrad.flow.recording import Recording
from whygrad.flow.site import Site, Stack, shared_site
from whygrad.flow.source import assigned, renamed
from whygrad.flow.variables import Optimizer, Variable
from whygrad.rules.cuts.intent import comes_from_variable
from whygrad.rules.cuts.never_begun import ASKED
from whygrad.rules.updates.replaced import Replaced, replaced

_TAPES_LOOKED_AT = 24

_Answer = TypeVar("_Answer")


class Case:
    """A recording and what follows from it."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._slices: dict[tuple[int, frozenset[str]], reach.Slice] = {}
        self._read: dict[int, set[int | None]] = {}
        self._used: dict[int, set[int]] = {}
        self._asking: dict[int, set[int | None]] = {}
        self._losses: dict[int, Site | None] = {}
        self.answers: dict[Any, Any] = {}
        """What was asked of this case before; kept by `asked_once` and `asked_of_each_pass`."""

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

    def built(self, optimizer: Optimizer) -> Site | None:
        """Where an optimizer was given what it holds: by the line that built it, or by a caller of that."""
        stack = self.stack(optimizer.created)
        return next((site for site in stack if not is_handed_in(site)), self.site(optimizer.created))

    def is_made_of(self, value: int, sources: Container[int], far: int) -> bool:
        """Whether a value is one of the sources or was computed from one, among the `far` values that lie before it."""
        todo, seen = [value], {value}
        while todo and len(seen) < far:
            number = todo.pop(0)
            if number in sources:
                return True
            made = self.made_by.get(number)
            fresh = [v for v in made.inputs if v not in seen] if made is not None else []
            seen.update(fresh)
            todo.extend(fresh)
        return False

    def seen_from(self, op_stack: int, other_stack: int) -> Site | None:
        """The site of an operation in the function where something else happened, else its innermost one."""
        inner, other = self.stack(op_stack), self.stack(other_stack)
        found = shared_site(inner, other)
        if found is not None and self.recording.framework == "jax" and found == other[0] and inner.index(found):
            return inner[inner.index(found) - 1]  # it ran inside the very call: in the function that JAX was given
        return found or (inner[0] if inner else None)

    def led_from(self, op_stack: int, other_stack: int) -> Site | None:
        """The same; where they share no function, the site in the innermost one that called both."""
        inner, other = self.stack(op_stack), self.stack(other_stack)
        around = next((site for depth in range(1, len(other)) if (site := shared_site(inner, other[depth:]))), None)
        return self.seen_from(op_stack, other_stack) if shared_site(inner, other) or around is None else around

    def place(self, backward: Backward) -> tuple[int, int | None]:
        """What is one loss: where its gradient is asked for, and where it is made, for one line may ask for all."""
        made = self.made_by.get(backward.loss) if backward.loss is not None else None
        return backward.stack, made.stack if made is not None else None

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
        fed |= {e.handed for e in recording.edits if e.handed is not None and e.variables & fed}
        fed -= self._filled_in
        zero = self.zero_by_construction
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
    def zero_by_construction(self) -> set[int]:
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
        unheld = self.unheld | self._bound_anew()
        return replaced(self.recording, unheld, lambda b, v: self.reads(b, v) or self._stored(b, v))

    def _bound_anew(self) -> set[int]:
        """PyTorch: single tensors that got the name of one which an optimizer holds: of each name the last.

        `image = image.detach().clamp(0, 1).requires_grad_()` in every round.
        """
        variables = self.recording.variables
        held = {v for o in self.recording.optimizers.values() for v in o.holds}
        single = [v for v in self.reachable | held if not variables[v].parameter and not variables[v].model]
        before = {(variables[v].name, variables[v].shape) for v in single if v in held}
        newest = {variables[v].name: v for v in sorted(single, key=lambda v: variables[v].born)}
        return {v for v in newest.values() if v not in held and (variables[v].name, variables[v].shape) in before}

    @cached_property
    def reachable(self) -> set[int]:
        """Variables that a gradient from some loss arrives at, asked for or not."""
        recording = self.recording
        found = {v for b in recording.backwards if not b.implicit for v in b.got}
        if recording.framework == "torch":
            return found
        passes = [b for b in recording.backwards if not b.implicit and b.loss is not None]
        few = slice(_TAPES_LOOKED_AT // 2, -(_TAPES_LOOKED_AT // 2)) if len(passes) > _TAPES_LOOKED_AT else slice(0)
        del passes[few]  # what came first, and what a program has come to
        for backward in passes:
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

    def reads(self, backward: Backward, variable: int) -> bool:
        """Whether the loss was computed from a variable's content, not merely from a copy that was made of it."""
        return variable in self.used_by(backward)

    def used_by(self, backward: Backward) -> set[int]:
        """Variables whose content the loss was computed from, not counting weights that were copied from elsewhere."""
        if backward.at not in self._used:
            todo = [backward.loss] if backward.loss is not None else []
            seen, found = set(todo), set[int]()
            while todo:
                number = todo.pop()
                value, made = self.recording.values.get(number), self.made_by.get(number)
                if value is not None and value.variable is not None:
                    found.add(value.variable)
                elif made is not None and made.at < backward.at and made.kind != "write":
                    fresh = [v for v in made.inputs if v not in seen]
                    seen.update(fresh)
                    todo.extend(fresh)
            self._used[backward.at] = found
        return self._used[backward.at]

    def _stored(self, backward: Backward, variable: int) -> bool:
        """TensorFlow: whether the loss was computed from a variable by way of another, written while the tape ran."""
        tape = backward.tape
        if tape is None or not self.uses(backward, variable):
            return False
        return any(op.kind == "write" and tape in op.tapes for op in self.slice(backward).ops)

    def uses(self, backward: Backward, variable: int) -> bool:
        """Whether the loss of a backward pass was computed from a variable, differentiably or not."""
        if backward.at not in self._read:
            values = self.recording.values
            self._read[backward.at] = {values[v].variable for v in self.slice(backward).values if v in values}
        return variable in self._read[backward.at]

    def asks(self, backward: Backward, variable: int) -> bool:
        """PyTorch: whether a variable asked for a gradient when the loss was computed, whatever it does later.

        Programs switch networks on for their own loss and off again behind it.
        """
        if self.recording.framework != "torch":
            return False
        if backward.at not in self._asking:
            values = self.recording.values
            inputs = {v for op in self.slice(backward).ops if op.kind == "compute" and op.carries for v in op.inputs}
            self._asking[backward.at] = {values[v].variable for v in inputs if v in values and values[v].live}
        return variable in self._asking[backward.at]

    @cached_property
    def reads_at(self) -> dict[Stack, set[int]]:
        """For each place in the user's code, the variables that operations there read."""
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
            found.setdefault(self.stack(number), set()).add(variable)
        return found

    @cached_property
    def reads_under(self) -> dict[Stack, set[int]]:
        """For each call in the user's code, the variables that are read while it runs."""
        found: dict[Stack, set[int]] = {}
        for stack, variables in self.reads_at.items():
            for depth in range(len(stack)):
                found.setdefault(stack[depth:], set()).update(variables)
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

    def held_alone(self, members: set[int] | frozenset[int]) -> set[int]:
        """Of these the ones that are all that an optimizer has to train: they are a network, whatever they lie in."""
        return {v for o in self.recording.optimizers.values() if o.holds <= members for v in o.holds}

    def names(self, numbers: frozenset[int] | set[int]) -> tuple[str, ...]:
        """Names in the order the variables were made."""
        return tuple(self.variable(n).name for n in sorted(numbers))


def asked_once(question: Callable[[Case], _Answer]) -> Callable[[Case], _Answer]:
    """A question about a whole recording that several rules ask: it is answered once."""

    @wraps(question)
    def ask(case: Case) -> _Answer:
        if question not in case.answers:
            case.answers[question] = question(case)
        answer: _Answer = case.answers[question]
        return answer

    return ask


def asked_of_each_pass(question: Callable[[Case, Backward], _Answer]) -> Callable[[Case, Backward], _Answer]:
    """The same for a question about one backward pass."""

    @wraps(question)
    def ask(case: Case, backward: Backward) -> _Answer:
        known = case.answers.setdefault(question, {})
        if backward.at not in known:
            known[backward.at] = question(case, backward)
        answer: _Answer = known[backward.at]
        return answer

    return ask
