"""Magnitude over layers: how large each layer's gradient is, from the input to the loss."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from whygrad.flow import reach
from whygrad.flow.events import Backward, Step
from whygrad.flow.operations import Numbers, Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.numbers.flatness import PRODUCTS, dead_ends, pass_before
from whygrad.rules.numbers.origin import Trouble, base_name, numbers_of, origin_of

_DEEP = 4
_LONG = 16
_LARGE = 1e12
_HUGE = 1e8
_GROWN = 1e4
_TENFOLD, _WIDE = 10.0, 4.0
"""How far numbers grow over layers with too large first weights, and what sqrt(inputs) times their spread is above.
He's is 1.4."""
STEEP = 1e3
"""Where the numbers grow from layer to layer, a gradient so much larger than the weights in the first updates is told:
a usual learning rate replaces the weights by one step."""
_QUOTIENT = frozenset({"div", "truediv", "rtruediv", "reciprocal", "realdiv", "divide", "true_divide"})
_RECURRENT = frozenset({"rnn_relu", "rnn_tanh", "lstm", "gru"})
_UNBOUNDED = frozenset({"rnn_relu"})
SQUASH = frozenset({"sigmoid", "tanh", "logistic", "softsign", "softmax", "hardsigmoid", "erf"})


@dataclass(slots=True)
class Chain:
    """The weight matrices of one network in the order of the forward pass, with their gradients' size per entry."""

    backward: Backward
    step: Step
    order: list[int]
    sizes: list[float]
    squashes: list[Op]
    bias: float = 0.0
    """The same of the last layer's bias."""
    rounds: int = 0
    """How often a loop multiplies by one of the matrices."""
    uses: list[int] = field(default_factory=list)
    """Where each of the matrices is first multiplied with."""
    biases: list[float] = field(default_factory=list)
    """The same of each layer's bias, where all have one: what comes back, and not what went forward."""
    gains: list[float] = field(default_factory=list)
    """By how much each matrix makes larger or smaller what passes through it, about."""


def chains(case: Case, step: Step) -> list[Chain]:
    """One chain for each network that a step trains, where it is deep enough to say something."""
    networks: dict[str, list[int]] = {}
    for variable, numbers in step.gradients.items():
        known = case.variable(variable)
        if len(known.shape) >= 2 and numbers.finite and (numbers.norm > 0 or _lost_in_a_loop(case, step, variable)):
            networks.setdefault(known.network.split(".")[0], []).append(variable)
    found = []
    for members in networks.values():
        backward = pass_before(case, step, members[0])
        if backward is not None and backward.loss is not None and backward.loss in case.recording.values:
            chain = _chain(case, step, backward, members)
            if chain is not None:
                found.append(chain)
    return found


def _lost_in_a_loop(case: Case, step: Step, variable: int) -> bool:
    """Whether a gradient of zero is one that grew too small for the number format, round by round."""
    backward = pass_before(case, step, variable)
    if backward is None or backward.loss is None or backward.loss not in case.recording.values:
        return False
    loop = loop_in(case, backward)
    return loop is not None and loop[1] >= _LONG and not dead_ends(case, backward, step, {variable})


def _chain(case: Case, step: Step, backward: Backward, members: list[int]) -> Chain | None:
    part = case.slice(backward, reach.CERTAIN)
    first_use: dict[int, int] = {}
    squashes = []
    for op in part.ops:
        if not op.carries:
            continue
        if base_name(op) in SQUASH or _by_hand(case, op):
            squashes.append(op)
        if base_name(op) in PRODUCTS or "rnn" in base_name(op):
            for value in op.inputs:
                variable = case.content.get(value)
                if variable in members and variable is not None:
                    first_use.setdefault(variable, op.at)
    order = sorted(first_use, key=lambda v: first_use[v])
    if not order:
        return None
    sizes = [_each(step.gradients[v]) for v in order]
    beside: dict[str, float] = {}
    for v in step.gradients:
        owner = case.variable(v).owner
        if owner and len(case.variable(v).shape) == 1:
            beside[owner] = max(_each(step.gradients[v]), beside.get(owner, 0.0))
    owners = [case.variable(v).owner for v in order]
    bias = beside.get(owners[-1], 0.0)
    biases = [beside[o] for o in owners] if all(o in beside for o in owners) else []
    gains = [_gain(case, step, v) for v in order]
    loop = loop_in(case, backward) if len(order) < _DEEP or not sizes[0] else None
    uses = [first_use[v] for v in order]
    rounds = loop[1] if loop is not None else 0
    return Chain(backward, step, order, sizes, squashes, bias, rounds, uses, biases, gains)


def _each(numbers: Numbers) -> float:
    """The size of one entry."""
    return numbers.norm / math.sqrt(numbers.size)


def _gain(case: Case, step: Step, variable: int) -> float:
    """One for weights that neither make larger nor smaller; of a convolution this knows only that it is at least so."""
    shape, weights = case.variable(variable).shape, step.weights.get(variable)
    if weights is None or any(size is None for size in shape):
        return 1.0
    sizes = [size or 1 for size in shape]
    return _each(weights) * math.sqrt(max(sizes[-2:]) if len(sizes) == 2 else math.prod(sizes) / min(sizes))


def from_smallest(case: Case, chain: Chain) -> Chain:
    """What lies behind the layer with the smallest gradient: the layers before may have one from another term.

    A decoder of many layers behind an encoder that a penalty on its code trains, too.
    """
    begin = min(range(len(chain.sizes)), key=lambda i: chain.sizes[i])
    follow: set[int] = set()
    met: set[int] = set()
    for op in case.slice(chain.backward, reach.CERTAIN).ops:
        if op.at == chain.uses[begin] or any(v in follow for v in op.inputs):
            follow.update(op.outputs)
            met.add(op.at)
    kept = [i for i, at in enumerate(chain.uses) if at in met]
    return replace(
        chain, order=[chain.order[i] for i in kept], sizes=[chain.sizes[i] for i in kept],
        uses=[chain.uses[i] for i in kept], squashes=[op for op in chain.squashes if op.at in met],
        biases=[chain.biases[i] for i in kept] if chain.biases else [], gains=[chain.gains[i] for i in kept],
    )  # fmt: skip


def _by_hand(case: Case, op: Op) -> bool:
    """Whether an operation ends a sigmoid that is written out: `1 / (1 + exp(-x))`."""
    if base_name(op) not in _QUOTIENT or len(op.inputs) not in (1, 2):
        return False
    below = case.made_by.get(op.inputs[-1])
    if below is None or base_name(below) not in ("add", "radd") or _computed_input(case, op) != op.inputs[-1]:
        return False
    return any((made := case.made_by.get(v)) is not None and base_name(made) == "exp" for v in below.inputs)


def _computed_input(case: Case, op: Op) -> int | None:
    """The one input of an operation that was computed; None where there are several."""
    made = [v for v in op.inputs if (source := case.made_by.get(v)) is not None and source.kind != "enter"]
    return made[0] if len(made) == 1 else None


def squash_name(op: Op) -> str:
    """What a squashing operation is called."""
    return "sigmoid" if base_name(op) in _QUOTIENT else base_name(op)


def loop_in(case: Case, backward: Backward) -> tuple[Op, int] | None:
    """A product that a loss computes again and again with one variable, and how often."""
    squared = {v: ops for v, ops in _looping(case, backward).items() if len(set(case.variable(v).shape)) == 1}
    busiest = max(squared.values(), key=_rounds, default=[])
    return (busiest[-1], _rounds(busiest)) if _rounds(busiest) >= 2 * _DEEP else None


def _looping(case: Case, backward: Backward) -> dict[int, list[Op]]:
    """The products in which each variable is used."""
    uses: dict[int, list[Op]] = {}
    for op in case.slice(backward, reach.CERTAIN).ops:
        if op.carries and base_name(op) in PRODUCTS:
            for variable in {case.content[v] for v in op.inputs if v in case.content}:
                uses.setdefault(variable, []).append(op)
    return uses


def rounds_in(case: Case, backward: Backward) -> tuple[Op, int] | None:
    """Such a product, or a recurrent layer, and how often it multiplies by its weights."""
    return loop_in(case, backward) or max(_recurrent_layers(case, backward), key=lambda one: one[1], default=None)


def _recurrent_layers(case: Case, backward: Backward) -> Iterator[tuple[Op, int]]:
    """PyTorch: loops inside of one operation, with the length of their sequences, whichever axis that is."""
    for op in case.slice(backward, reach.CERTAIN).ops:
        shape = case.recording.values[op.outputs[0]].shape if op.outputs else ()
        length = max((size or 0 for size in shape[:-1]), default=0)
        if op.carries and base_name(op) in _RECURRENT and length >= 2 * _DEEP:
            yield op, length


def _rounds(ops: list[Op]) -> int:
    return sum(op.times for op in ops)


def runaway(case: Case, trouble: Trouble | None) -> tuple[Op, int] | None:
    """A loop in which the numbers grew until they overflowed: no operation of it is wrong by itself."""
    if trouble is None or trouble.backward is None or trouble.backward.loss is None:
        return None
    origin = origin_of(case, trouble.backward.loss, trouble.backward.at)
    if origin is None and trouble.kind == "gradient":
        loss = numbers_of(case, trouble.backward.loss)
        return rounds_in(case, trouble.backward) if loss is not None and abs(loss.high) > _LARGE else None
    if origin is None or origin.variable is not None:
        return None
    largest = max((max(abs(n.low), abs(n.high)) for n in origin.inputs if n is not None), default=0.0)
    inside = base_name(origin.op) in _UNBOUNDED  # the numbers grow inside of one operation, where nobody sees them
    return rounds_in(case, trouble.backward) if largest > _LARGE or inside else None


@dataclass(slots=True)
class Overshoot:
    """A finite gradient so large that the step with it lost the weights, and what made it so large."""

    step: Step
    backward: Backward
    loop: tuple[Op, int] | None
    layers: list[Op]
    at_first: bool = False
    """It was so before any step, by the first weights alone."""


def overshot(case: Case, trouble: Trouble | None) -> Overshoot | None:
    """Whether what is not finite was made so by a step, because a loop or the layers had blown its gradient up."""
    if trouble is None:
        return None
    steps = [s for s in case.recording.steps if s.at < trouble.at and s.gradients and s.weights and s.error is None]
    if not steps:
        return None
    step = steps[-1]
    backward = pass_before(case, step, min(step.applied)) if _steeper(step, _HUGE) else None
    if backward is None or backward.loss is None:
        return steep_at_first(case, step.optimizer)
    loop, layers = rounds_in(case, backward), growing_layers(case, backward)
    return Overshoot(step, backward, loop, layers) if loop is not None or layers else None


def steep_at_first(case: Case, optimizer: int) -> Overshoot | None:
    """An optimizer whose first gradient is too large for any step, because the numbers grow from layer to layer."""
    own = [s for s in case.recording.steps if s.optimizer == optimizer and s.gradients and s.weights]
    steep, wide = bool(own) and _steeper(own[0], STEEP), bool(own) and _steeper(own[0], 1.0) and _wide(case, own[0])
    backward = pass_before(case, own[0], min(own[0].applied)) if steep or wide else None
    if backward is None or backward.loss is None or rounds_in(case, backward) is not None:
        return None
    layers = growing_layers(case, backward, _TENFOLD, 2) if wide else growing_layers(case, backward, STEEP)
    return Overshoot(own[0], backward, None, layers, at_first=True) if layers else None


def _wide(case: Case, step: Step) -> bool:
    """Whether most matrices are many times larger than what a layer's number of inputs allows."""
    wide = []
    for variable, numbers in step.weights.items():
        shape = [size or 1 for size in case.variable(variable).shape]
        if len(shape) > 1 and numbers.size > 1:
            wide.append(numbers.norm / math.sqrt(max(shape)) > _WIDE)  # sqrt(inputs) times the spread
    return 2 * sum(wide) > len(wide)


def _steeper(step: Step, times: float) -> bool:
    """Whether a gradient is finite, and by so much larger than the weights."""
    sizes = [math.sqrt(sum(min(n.norm, 1e150) ** 2 for n in one.values())) for one in (step.gradients, step.weights)]
    finite = all(n.finite for one in (step.gradients, step.weights) for n in one.values())
    return finite and sizes[0] > times * max(1.0, sizes[1])


def reached(case: Case, op: Op) -> float:
    """The largest number that an operation made, whatever its sign."""
    numbers = numbers_of(case, op.outputs[0]) if op.outputs else None
    return max(abs(numbers.low), abs(numbers.high)) if numbers is not None else 0.0


def growing_layers(case: Case, backward: Backward, times: float = _GROWN, deep: int = _DEEP) -> list[Op]:
    """The layers of a network so deep, where what they make grows by orders of magnitude from the first to the last."""
    if backward.loss is None or backward.loss not in case.recording.values:
        return []
    products = [op for op in case.slice(backward, reach.CERTAIN).ops if op.carries and base_name(op) in PRODUCTS]
    layers = [
        op
        for op in products
        if any(v in case.content and len(case.variable(case.content[v]).shape) > 1 for v in op.inputs)
    ]
    sizes = [reached(case, op) for op in layers]
    rising = sum(1 for a, b in pairwise(sizes) if b > 2 * a > 0)
    grows = len(layers) >= deep and sizes[-1] > times * sizes[0] > 0 and rising >= 0.7 * (len(sizes) - 1)
    return layers if grows else []


def growing_rounds(case: Case, backward: Backward) -> bool:
    """Whether what a loop multiplies by its weights grows by orders of magnitude from its first round to its last."""
    products = max(_looping(case, backward).values(), key=_rounds, default=[])
    sizes = [reached(case, op) for op in products]
    rising = sum(1 for a, b in pairwise(sizes) if b > a > 0)
    return len(sizes) >= 2 * _DEEP and sizes[-1] > _GROWN * sizes[0] > 0 and rising >= 0.7 * (len(sizes) - 1)


def is_deep(chain: Chain) -> bool:
    """Whether there are layers enough, or rounds of a loop, to compare the first with the last."""
    return len(chain.order) >= _DEEP or (len(chain.order) > 1 and chain.rounds >= _LONG)


def usual_site(case: Case, ops: list[Op]) -> Site | None:
    """The expression that most of the operations come from."""
    counts: dict[Site, int] = {}
    for op in ops:
        site = case.site(op.stack)
        if site is not None:
            counts[site] = counts.get(site, 0) + 1
    return max(counts, key=lambda s: counts[s], default=None)


def made_together(case: Case, variables: Sequence[int]) -> Site | None:
    """The line that made most of the layers, where one made several: a list, a loop."""
    return _most_of(case, [case.variable(v).created for v in variables])


def _most_of(case: Case, stacks: list[int | None]) -> Site | None:
    stack, times = Counter(stacks).most_common(1)[0]
    return case.site(stack) if 2 * times > len(stacks) else None


def layers_site(case: Case, layers: list[Op]) -> Site | None:
    """The line that gave most of the layers their first weights, else made them; else where most of them are called."""
    weights = [case.content[v] for op in layers for v in op.inputs if v in case.content]
    weights = [v for v in weights if len(case.variable(v).shape) > 1]
    filled = _most_of(case, [case.variable(v).filled for v in weights])
    return filled or made_together(case, weights) or usual_site(case, layers)
