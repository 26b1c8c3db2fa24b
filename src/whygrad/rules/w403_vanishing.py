"""W403 vanishing

What it checks
    In a deep network the gradient of the first layers is more than a million
    times smaller than that of the last ones, in every update that was looked
    at, and a chain of squashing functions (sigmoid, tanh) lies between them;
    or a hundred thousand times, and the weights of the layers are so small
    that each takes most of it away. Where each of six squashing layers or
    more takes its part of the gradient, ten thousand times are enough.

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

from whygrad.flow.events import Step
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
    reached,
    squash_name,
    usual_site,
)
from whygrad.rules.wording import at_line, plain_subject, subject, verb

CODE, NAME = "W403", "vanishing"
SUMMARY = "the gradient of the first layers is a millionth of the last ones': a chain of sigmoid or tanh, small weights"

_RATIO, _RATIO_OF_SMALL = 1e-6, 1e-5
_SQUASHES = 3
_STEADY, _STEADY_LAYERS = 1e-4, 6
_EACH, _USUAL = 1.5, 3.0
"""What a layer takes of the gradient at least, and on average: a sigmoid four times, a normalised one two or three."""
_LAYERS, _SMALL = 5, 0.35
"""How many layers, and how much less than 1 their weights make of what passes: 0.58 is PyTorch's own beginning."""
_STEEP = 0.5
"""Below this the slope of tanh is above 3/4."""
_NORMALISES = {
    "torch": "nn.LayerNorm", "tensorflow": "keras.layers.LayerNormalization", "jax": "flax.linen.LayerNorm",
}  # fmt: skip


def check(case: Case) -> Iterator[Finding]:
    """Networks in which the gradient dies out on its way to the first layers."""
    steps = [s for s in case.recording.steps if s.gradients and s.error is None]
    for optimizer in {s.optimizer for s in steps}:
        own = [s for s in steps if s.optimizer == optimizer]
        if len(own) < 2:
            continue
        seen = [_found(case, step) for step in (own[0], own[len(own) // 2], own[-1])]
        for chain in seen[-1]:
            same = [c for found in seen for c in found if c.order[0] == chain.order[0]]
            weak = len(same) == len(seen) and (all(map(_vanishes, same)) or all(map(_fades, same)))
            if weak and not _came_back(case, chain):
                yield _finding(case, chain, len(own))


def _found(case: Case, step: Step) -> list[Chain]:
    return [part for chain in chains(case, step) for part in _parts(case, chain)]


def _came_back(case: Case, chain: Chain) -> bool:
    """Whether the last update that was looked at has a gradient: the first ones were a slow start."""
    late = case.over_time
    own = [s for s in late.recording.steps if s.optimizer == chain.step.optimizer and s.gradients]
    if late is case or not own:
        return False
    return any(c.order[0] == chain.order[0] and not (_vanishes(c) or _fades(c)) for c in _found(late, own[-1]))


def _parts(case: Case, chain: Chain) -> list[Chain]:
    """The whole network; else, where it does not begin with the smallest gradient, what lies behind that layer."""
    whole = chain.sizes[0] == min(chain.sizes) or _vanishes(chain)
    return [chain] if whole else [from_smallest(case, chain)]


def _vanishes(chain: Chain) -> bool:
    if not is_deep(chain) or not (len(chain.squashes) >= _SQUASHES or _small_weights(chain)):
        return False
    return _only_bias(chain) or _faded(chain) is not None


def _fades(chain: Chain) -> bool:
    """Whether layer after layer takes its part of the gradient, with one squashing function between any two."""
    if chain.rounds or min(chain.sizes) <= 0 or chain.sizes[0] > _STEADY * chain.sizes[-1]:
        return False
    at = [op.at for op in chain.squashes]
    between = [sum(1 for one in at if a < one < b) for a, b in pairwise(chain.uses)]
    if between.count(1) < max(_STEADY_LAYERS, len(between) - 1) or _falls_at_once(chain, chain.sizes):
        return False
    steps = sorted(b / a for a, b in pairwise(chain.sizes))
    hidden = math.prod(steps[:-1])  # without the largest: the first weights of the last layer may be small
    return steps[1] > _EACH and hidden > _USUAL ** (len(steps) - 1)


def _small_weights(chain: Chain) -> bool:
    """Whether most layers have weights that make all that passes through them much smaller."""
    small = sum(0 < gain < _SMALL for gain in chain.gains)
    return len(chain.gains) >= _LAYERS and small >= 0.7 * len(chain.gains)


def _faded(chain: Chain) -> list[float] | None:
    """The gradients that shrink from the last layer to the first: those of the weights, else those of the biases.

    Where what goes forward dies out too, the weights of the last layers have small gradients as well.
    """
    ratio = _RATIO_OF_SMALL if _small_weights(chain) else _RATIO
    for sizes, share in ((chain.sizes, 0.7), (chain.biases, 0.8)):
        if not sizes:
            continue
        falls = sum(1 for a, b in pairwise(sizes) if a < b)
        steady = falls >= share * (len(sizes) - 1) or chain.rounds > 0
        if sizes[0] < ratio * sizes[-1] and steady and not _falls_at_once(chain, sizes):
            return sizes
    return None


def _falls_at_once(chain: Chain, sizes: list[float]) -> bool:
    """Whether one layer alone accounts for most of it, and not the length of the chain.

    What is added to all scores of a softmax cancels out: the query of an additive attention learns little at first.
    """
    if chain.rounds or min(sizes) <= 0:
        return False
    steps = [math.log(b / a) for a, b in pairwise(sizes)]
    return max(steps) > math.log(sizes[-1] / sizes[0]) / 2


def _only_bias(chain: Chain) -> bool:
    """What goes forward has died out as well: of the last layer only the bias learns."""
    return max(chain.sizes) < _RATIO * chain.bias


def _finding(case: Case, chain: Chain, seen: int) -> Finding:
    sizes = _faded(chain) or chain.sizes
    largest = chain.bias if _only_bias(chain) else sizes[-1]
    small = {v for v, size in zip(chain.order, sizes, strict=True) if size < 1e-3 * largest}
    where, loss = _where(case, chain), case.loss_site(chain.backward)
    first, last = plain_subject(case, {chain.order[0]}), plain_subject(case, {chain.order[-1]})
    if _only_bias(chain):
        last = "the last bias"
    label, reason, fix = _by_weights(case, chain) if _blames_weights(case, chain) else _by_squashes(case, chain)
    each = "round by round" if chain.rounds else "layer by layer"
    steps = [(where, label, f"the gradient shrinks here, {each}"), (loss, "loss", "the loss")]
    return Finding(
        code=CODE,
        rule=NAME,
        severity="warning",
        message=f"{subject(case, small)} {verb(small, case, 'gets', 'get')} almost no gradient from the loss"
        f"{at_line(loss, where)}: it shrinks {f'{largest / sizes[0]:.0e} times' if sizes[0] else 'to zero'} on its way",
        why=f"The gradient of {first} is {sizes[0]:.1e} for each {'bias' if sizes is chain.biases else 'weight'}, that "
        f"of {last} {largest:.1e}. {reason}",
        fix=fix,
        variables=case.names(small),
        where=where,
        label=label,
        loss=loss,
        path=tuple(
            {(s.file, s.line): PathStep(s, op, role) for s, op, role in reversed(steps) if s is not None}.values()
        )[::-1],
        seen=seen,
    )


def _by_squashes(case: Case, chain: Chain) -> tuple[str, str, str]:
    """The words where sigmoid or tanh take the gradient away."""
    function, times = squash_name(chain.squashes[0]), len(chain.squashes)
    fix = (
        f"use ReLU or GELU in place of {function} in the hidden layers, normalise between them "
        f"({_NORMALISES[case.recording.framework]}), or add residual connections"
    )
    if chain.rounds:
        fix = (
            "use a gated cell (LSTM, GRU), orthogonal first weights, or a shorter way from the first rounds to the loss"
        )
    reason = f"Between them lie {times} times {function}, and each multiplies the gradient by its slope, which is "
    return f"{times} times {function} in a row", f"{reason}below 1.", fix


def _by_weights(case: Case, chain: Chain) -> tuple[str, str, str]:
    """The words where the weights themselves are too small."""
    about = math.exp(sum(math.log(g) for g in chain.gains if g) / sum(1 for g in chain.gains if g))
    reason = (
        f"The weights are so small that each of the {len(chain.order)} layers makes what passes through it about "
        f"{1 / about:.0f} times smaller, forward and back: the output hardly depends on the inputs."
    )
    fix = "begin with weights of the size 1 / sqrt(inputs of the layer): LeCun, Glorot, or for ReLU He"
    return f"{len(chain.order)} layers with weights that are too small", reason, fix


def _blames_weights(case: Case, chain: Chain) -> bool:
    """Whether it is the weights: what they make is too small to meet the flat ends of a function."""
    if not _small_weights(chain) or len(chain.squashes) < _SQUASHES:
        return _small_weights(chain)
    return all(squash_name(op) == "tanh" and reached(case, op) < _STEEP for op in chain.squashes)


def _where(case: Case, chain: Chain) -> Site | None:
    """The squashing expression; where `fit` or `net(x)` runs everything inside, the line that makes the layers.

    Else the layer that gets least, where a layer has its activation from its own line.
    """
    if _blames_weights(case, chain):
        return _where_weights(case, chain)
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


def _where_weights(case: Case, chain: Chain) -> Site | None:
    """The line that made the weights; where they were made unseen (NumPy), the line that multiplies with them."""
    products = [op for op in case.slice(chain.backward).ops if op.at in chain.uses]
    born = [case.recording.ops.get(case.variable(v).born) for v in chain.order]
    made = made_together(case, chain.order) if not any(op is not None and op.kind == "enter" for op in born) else None
    return made if made is not None and made.own else usual_site(case, products)
