"""W403 vanishing

What it checks
    In a deep network the gradient of the first layers is more than a million
    times smaller than that of the last ones, in every update that was looked
    at, and a chain of squashing functions (sigmoid, tanh) lies between them.
    Where each of six such layers or more takes its part of the gradient, ten
    thousand times are enough.

Why it matters
    The slope of a sigmoid is at most 1/4, so every layer takes its part of
    the gradient away. The last layers learn from what the first ones left
    at random, and the first ones stay random.

Example
    PyTorch
        deep = nn.Sequential(nn.Linear(4, 16), nn.Sigmoid())
        for _ in range(12):
            deep += nn.Sequential(nn.Linear(16, 16), nn.Sigmoid())
        loss = F.mse_loss(deep(states).mean(1, keepdim=True), targets)
        loss.backward()              # first layer: a billionth of the last
    TensorFlow
        deep = keras.Sequential([keras.Input((4,))])
        for _ in range(14):
            deep.add(keras.layers.Dense(16, activation="sigmoid"))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((deep(states) - targets) ** 2)
        grads = tape.gradient(loss, deep.trainable_variables)
    JAX
        def deep(params, x):
            for w, b in params:
                x = jax.nn.sigmoid(x @ w + b)
            return x

        layers = init(8, 4, *[16] * 14)
        loss_fn = lambda p: jnp.mean((deep(p, states) - targets) ** 2)
        grads = jax.grad(loss_fn)(layers)

Instead
    PyTorch
        deep = nn.Sequential(nn.Linear(4, 16), nn.ReLU())
        for _ in range(12):
            layer = nn.Linear(16, 16)
            deep += nn.Sequential(layer, nn.LayerNorm(16), nn.ReLU())
        loss = F.mse_loss(deep(states).mean(1, keepdim=True), targets)
        loss.backward()
    TensorFlow
        deep = keras.Sequential([keras.Input((4,))])
        for _ in range(14):
            deep.add(keras.layers.Dense(16))
            deep.add(keras.layers.LayerNormalization())
            deep.add(keras.layers.LeakyReLU())
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((deep(states) - targets) ** 2)
        grads = tape.gradient(loss, deep.trainable_variables)
    JAX
        def deep(params, x):
            x = x @ params[0][0]
            for w, b in params[1:]:
                x = x + jax.nn.relu(x @ w + b)
            return x

        layers = init(8, 4, *[16] * 14)
        loss_fn = lambda p: jnp.mean((deep(p, states) - targets) ** 2)
        grads = jax.grad(loss_fn)(layers)

What does not help
    A larger learning rate for the whole network: the last layers diverge
    long before the first ones move.
    Gradient clipping: it only makes gradients smaller.
    Adam: it scales each entry up again, and with it the rounding noise.

When it is meant
    Networks of fewer than four layers, residual and normalised ones and
    layers that begin at zero are quiet. Otherwise write
    `# whygrad: ok W403` on the line that the finding names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.flat_place import within_layer
from whygrad.rules.numbers.layers import (
    Chain,
    chains,
    from_smallest,
    is_deep,
    made_together,
    squash_name,
    usual_site,
)
from whygrad.rules.wording import at_line, plain_subject, subject, verb

CODE, NAME = "W403", "vanishing"
SUMMARY = "the gradient of the first layers is a millionth of the last ones': a chain of sigmoid or tanh"

_RATIO = 1e-6
_SQUASHES = 3
_STEADY, _STEADY_LAYERS = 1e-4, 6
_EACH, _USUAL = 1.5, 3.0
"""What a layer takes of the gradient at least, and on average: a sigmoid four times, a normalised one two or three."""


def check(case: Case) -> Iterator[Finding]:
    """Networks in which the gradient dies out on its way to the first layers."""
    steps = [s for s in case.recording.steps if s.gradients and s.error is None]
    for optimizer in {s.optimizer for s in steps}:
        own = [s for s in steps if s.optimizer == optimizer]
        if len(own) < 2:
            continue
        seen = [
            [part for chain in chains(case, step) for part in _parts(case, chain)]
            for step in (own[0], own[len(own) // 2], own[-1])
        ]
        for chain in seen[-1]:
            same = [c for found in seen for c in found if c.order[0] == chain.order[0]]
            if len(same) < len(seen):
                continue
            if all(_vanishes(c) for c in same) or (all(_fades(c) for c in same) and not _recovers(case, chain)):
                yield _finding(case, chain, len(own))


def _parts(case: Case, chain: Chain) -> list[Chain]:
    """The whole network; else, where it does not begin with the smallest gradient, what lies behind that layer."""
    whole = chain.sizes[0] == min(chain.sizes) or _vanishes(chain)
    return [chain] if whole else [from_smallest(case, chain)]


def _vanishes(chain: Chain) -> bool:
    if not is_deep(chain) or len(chain.squashes) < _SQUASHES:
        return False
    if _only_bias(chain):
        return True
    falls = sum(1 for a, b in zip(chain.sizes, chain.sizes[1:], strict=False) if a < b)
    steady = falls >= 0.7 * (len(chain.sizes) - 1) or chain.rounds > 0
    return chain.sizes[0] < _RATIO * chain.sizes[-1] and steady and not _falls_at_once(chain)


def _fades(chain: Chain) -> bool:
    """Whether layer after layer takes its part of the gradient, with one squashing function between any two."""
    if chain.rounds or min(chain.sizes) <= 0 or chain.sizes[0] > _STEADY * chain.sizes[-1]:
        return False
    at = [op.at for op in chain.squashes]
    between = [sum(1 for one in at if a < one < b) for a, b in pairwise(chain.uses)]
    if between.count(1) < max(_STEADY_LAYERS, len(between) - 1) or _falls_at_once(chain):
        return False
    steps = sorted(b / a for a, b in pairwise(chain.sizes))
    hidden = math.prod(steps[:-1])  # without the largest: the first weights of the last layer may be small
    return steps[1] > _EACH and hidden > _USUAL ** (len(steps) - 1)


def _recovers(case: Case, chain: Chain) -> bool:
    """Whether the first layers have a gradient of a usual size later on, in the updates that numbers are known of."""
    steps = [s for s in case.over_time.recording.steps if s.optimizer == chain.step.optimizer]
    first, last = chain.order[0], chain.order[-1]
    known = [s.gradients for s in steps if first in s.gradients and last in s.gradients]
    if not known:
        return False
    size = {v: known[-1][v].norm / math.sqrt(known[-1][v].size) for v in (first, last)}
    return size[first] > _STEADY * size[last]


def _falls_at_once(chain: Chain) -> bool:
    """Whether one layer alone accounts for most of it, and not the length of the chain.

    What is added to all scores of a softmax cancels out: the query of an additive attention learns little at first.
    """
    if chain.rounds or min(chain.sizes) <= 0:
        return False
    steps = [math.log(b / a) for a, b in pairwise(chain.sizes)]
    return max(steps) > math.log(chain.sizes[-1] / chain.sizes[0]) / 2


def _only_bias(chain: Chain) -> bool:
    """What goes forward has died out as well: of the last layer only the bias learns."""
    return max(chain.sizes) < _RATIO * chain.bias


def _finding(case: Case, chain: Chain, seen: int) -> Finding:
    largest = chain.bias if _only_bias(chain) else chain.sizes[-1]
    small = {v for v, size in zip(chain.order, chain.sizes, strict=True) if size < 1e-3 * largest}
    function = squash_name(chain.squashes[0])
    where = _where(case, chain)
    loss = case.loss_site(chain.backward)
    first, last = chain.order[0], plain_subject(case, {chain.order[-1]})
    if _only_bias(chain):
        last = "the last bias"
    better = {"torch": "nn.LayerNorm", "tensorflow": "keras.layers.LayerNormalization", "jax": "flax.linen.LayerNorm"}
    each = "round by round" if chain.rounds else "layer by layer"
    steps = [(where, function, f"the gradient shrinks here, {each}"), (loss, "loss", "the loss")]
    fix = (
        f"use ReLU or GELU in place of {function} in the hidden layers, normalise between them "
        f"({better[case.recording.framework]}), or add residual connections"
    )
    if chain.rounds:
        fix = (
            "use a gated cell (LSTM, GRU), orthogonal first weights, or a shorter way from the first rounds to the loss"
        )
    return Finding(
        code=CODE,
        rule=NAME,
        severity="warning",
        message=f"{subject(case, small)} {verb(small, case, 'gets', 'get')} almost no gradient from the loss"
        f"{at_line(loss, where)}: it shrinks "
        f"{f'{largest / chain.sizes[0]:.0e} times' if chain.sizes[0] else 'to zero'} on its way",
        why=f"The gradient of {plain_subject(case, {first})} is {chain.sizes[0]:.1e} for each weight, that of "
        f"{last} {largest:.1e}. Between them lie {len(chain.squashes)} times "
        f"{function}, and each multiplies the gradient by its slope, which is below 1.",
        fix=fix,
        variables=case.names(small),
        where=where,
        label=f"{len(chain.squashes)} times {function} in a row",
        loss=loss,
        path=tuple(
            {(s.file, s.line): PathStep(s, op, role) for s, op, role in reversed(steps) if s is not None}.values()
        )[::-1],
        seen=seen,
    )


def _where(case: Case, chain: Chain) -> Site | None:
    """The squashing expression; where `fit` or `net(x)` runs everything inside, the line that makes the layers.

    Else the layer that gets least, where a layer has its activation from its own line.
    """
    site = usual_site(case, chain.squashes)
    inside = [op for op in chain.squashes if case.site(op.stack) == site]
    if site is None or not inside or not inside[-1].inputs:
        return site
    if site == case.site(chain.backward.stack) or within_layer(case, inside[-1].inputs[0], site):
        return made_together(case, chain.order) or case.site(case.variable(chain.order[0]).created) or site
    weights = (op for op in case.recording.ops.values() if chain.order[0] in {case.content.get(v) for v in op.inputs})
    if any(case.site(op.stack) == site for op in weights):
        return made_together(case, chain.order) or site
    return site
