"""Networks that learn from nothing but a penalty on their own output, because the way to the data is cut.

A variational autoencoder whose latent is rounded or stopped before the decoder: the reconstruction trains the decoder
alone, and of the encoder's two reasons to learn the penalty is left. No variable is without a gradient there. Told from
an encoder that is detached by design by what else it learns from: that compares its output with something.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import leading_on
from whygrad.rules.cuts.missing import Missing, cuts_of
from whygrad.rules.cuts.verdict import Verdict, judge
from whygrad.rules.targets.objective import MINUS, SHAPING, SUM

_RANDOM = ("normal", "uniform", "random", "dropout", "bernoulli", "gamma", "rand", "threefry", "exponential")
_CONSTANTS = frozenset({
    "zeros", "zeros_like", "ones", "ones_like", "fill", "full", "full_like", "range", "arange", "eye", "linspace",
    "iota", "shape",
})  # fmt: skip
_LAID_OUT = frozenset({"transpose", "permute", "reshape", "view", "squeeze", "expand_dims", "broadcast_to"})
_SUMS = SUM | MINUS | {"add_n"}


@dataclass(slots=True)
class _Term:
    value: int
    part: reach.Slice
    read: set[int]
    """The trained variables it was computed from."""
    live: set[int]
    """Those among them that its gradient arrives at."""
    arrived: set[int]
    weighed: bool = False
    """Data are its weight: `labels * log_probabilities` compares by a product."""


def only_penalised(case: Case, backward: Backward, terms: list[int], trained: set[int]) -> list[Verdict]:
    """For each term of a loss, where the gradient stops on the way to variables that learn from penalties alone."""
    views = [_view(case, backward, value, trained) for value in terms if value in case.made_by]
    _mark_weighed(case, backward, views)
    found: list[Verdict] = []
    for term in views:
        apart = term.read - term.live
        if not apart or not term.live:
            continue
        others = [one for one in views if one is not term and one.live & apart]
        taught = {v for one in others for v in one.live}
        if not apart <= taught or not all(
            one.live <= apart | term.live and _is_penalty(case, one, apart, backward) for one in others
        ):
            continue
        if _is_bare(case, term, term.read):
            continue  # it compares with nothing either: there is no data that it could hand on
        every = cuts_of(case, term.part, apart, backward.tape)
        cuts = [cut for cut in every if cut.alone or len(every) == 1]  # an index that is laid out as zeros and ones
        for cut in cuts:
            off = cut.op.switch is not None or (backward.tape is not None and backward.tape not in cut.op.tapes)
            verdict = judge(case, Missing(backward, frozenset(apart), cuts, term.part), cut)
            if not off and not any(word in verdict.op.name.lower() for word in (*_RANDOM, "sample")):
                verdict.idle = verdict.penalised = True
                found.append(verdict)
    return found


def _view(case: Case, backward: Backward, value: int, trained: set[int]) -> _Term:
    values = case.recording.values
    part = reach.backward_slice(case.recording, value, case.made_by, backward.at, reach.PROVED)
    arrived = reach.gradient_reach(case.recording, part, backward.tape)
    read = {owner for v in part.values if v in values and (owner := values[v].variable) in trained}
    live = {owner for v in arrived if v in values and (owner := values[v].variable) in trained}
    return _Term(value, part, {v for v in read if v is not None}, {v for v in live if v is not None}, arrived)


def _mark_weighed(case: Case, backward: Backward, terms: list[_Term]) -> None:
    whole, ops = {term.value: term for term in terms}, case.slice(backward, reach.CERTAIN).ops
    begun = next((op.at for op in ops if any(v in case.content for v in op.inputs)), 0)
    data = _Data(case, ops, begun)
    for op in ops:
        met = [v for v in op.inputs if v in whole] if op.name not in _SUMS else []
        beside = [v for v in op.inputs if v not in whole and _floating(case, v) and case.recording.values[v].shape]
        if len(met) == 1 and any(v in data for v in beside):
            whole[met[0]].weighed = True


def _is_penalty(case: Case, term: _Term, own: set[int], backward: Backward) -> bool:
    """Whether a term is about one output of a network by itself; two views of a batch are held against each other."""
    calls: dict[int, int] = {}
    for op in term.part.ops:
        if op.name == "read_value" or not any(v in term.arrived for v in op.outputs):
            continue  # TensorFlow: what is read is used by the next operation; an index is chosen beside
        for variable in {case.content[v] for v in op.inputs if v in case.content} & own:
            calls[variable] = calls.get(variable, 0) + 1
    beside = leading_on(case, term.part, backward.tape) if not term.live <= own else set()
    return max(calls.values(), default=0) == 1 and _is_bare(case, term, own, beside)


def _is_bare(case: Case, term: _Term, variables: set[int], taught: Set[int] = frozenset()) -> bool:
    """Whether what these make meets no data on its way into a term; what a later layer is given is its input.

    `taught`: what others make that the term trains with them (the mean beside the deviation) is no data.
    """
    if term.weighed:
        return False
    made: dict[int, bool] = {}
    begun = next((op.at for op in term.part.ops if any(v in case.content for v in op.inputs)), 0)
    data = _Data(case, term.part.ops, begun)
    weights = {v for v in term.part.values if case.content.get(v) in variables}
    for op in term.part.ops:
        if op.name in SHAPING and op.inputs and all(v in weights for v in op.inputs):
            weights.update(op.outputs)  # a layer that brings its weights into another type before it uses them
        if any(v in weights for v in op.inputs):
            made.update(dict.fromkeys(op.outputs, False))
            continue
        own = [v for v in op.inputs if v in made]
        if own:
            other = [v for v in op.inputs if v not in made and v not in case.content and v not in taught]
            beside = [v for v in other if _floating(case, v) or _takes_labels(op)]
            met = any(made[v] for v in own) or any(v in data for v in beside)
            for value in op.outputs:
                made[value] = made.get(value, False) or met
    return not made.get(term.value, True)


def _floating(case: Case, value: int) -> bool:
    known = case.recording.values.get(value)
    return known is not None and known.floating


def _takes_labels(op: Op) -> bool:
    """Whether integers beside a result are what it is compared with; elsewhere they are shapes and axes."""
    name = op.name.lower()
    return "entropy" in name or "nll" in name or name.startswith(("gather", "take"))


class _Data:
    """Which values came from outside, more than one number of each; what is drawn once the network runs is noise."""

    def __init__(self, case: Case, ops: list[Op], begun: int) -> None:
        self._values, self._content = case.recording.values, case.content
        self._known: dict[int, bool] = {}
        for op in ops:  # in the order in which they ran: a rollout has thousands, and each is looked at once
            name = op.name.lower()
            drawn = any(word in name for word in _RANDOM)
            if drawn or name in _CONSTANTS:
                self._known.update(dict.fromkeys(op.outputs, drawn and op.at < begun))
            elif op.kind != "enter" and op.inputs:
                sources = op.inputs[:1] if op.name in _LAID_OUT else op.inputs  # the rest is a shape, or axes
                self._known.update(dict.fromkeys(op.outputs, any(v in self for v in sources)))

    def __contains__(self, value: int) -> bool:
        if value in self._content:
            return False  # a variable, though its first content may have been drawn
        if value in self._known:
            return self._known[value]
        return value in self._values and any(size != 1 for size in self._values[value].shape)
