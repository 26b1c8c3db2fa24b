"""What the rules about numbers (W401 to W404) say on JAX programs, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("jax")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "jax"

MESSAGES: dict[str, dict[str, Any]] = {
    "w403_small_weights": {
        "severity": "warning",
        "message": "`layers[0]`, `layers[1]`, `layers[2]` and 2 more layers (5 of 14 variables of `layers`) get almost "
        "no gradient from the loss at line 20: it shrinks 9e+07 times on its way",
        "label": "7 layers with weights that are too small",
        "why": "The gradient of `layers[0]` is 5.0e-09 for each bias, that of `layers[6]` 4.7e-01. The weights are so "
        "small that each of the 7 layers makes what passes through it about 12 times smaller, forward and back: "
        "the output hardly depends on the inputs.",
        "fix": "begin with weights of the size 1 / sqrt(inputs of the layer): LeCun, Glorot, or for ReLU He",
        "variables": ("layers[0]['w']", "layers[1]['w']", "layers[2]['w']", "layers[3]['w']", "layers[4]['w']"),
        "path": [(9, "the gradient shrinks here, layer by layer"), (20, "the loss")],
    },
    "w401_state_not_carried": {
        "severity": "warning",
        "message": "`params['wh']` gets a gradient of exactly zero from the loss at line 34",
        "label": "given the same zeros in each round",
        "why": "The loop hands `h` on as it is, so that it stays the zeros it began with, and what is multiplied with "
        "zeros gets no gradient. It was so in every update that was looked at.",
        "fix": "return the new state of the step in the place of `h`",
        "variables": ("params['wh']",),
        "path": [(25, "given the same zeros in each round"), (34, "the loss")],
    },
    "w401_clipped_spread": {
        "severity": "warning",
        "message": "`params['log_std']` gets a gradient of exactly zero from the loss at line 20",
        "label": "every entry lies outside the limits",
        "why": '`jnp.clip(params["log_std"], -2.0, 2.0)` cuts every entry off (the result '
        "lies between -2 and -2), and where it cuts, its slope is zero. It was so in "
        "every update that was looked at.",
        "fix": "give `params['log_std']` first values inside the limits, or widen them",
        "variables": ("params['log_std']",),
        "path": [(12, "the gradient becomes zero here"), (20, "the loss")],
    },
    "w401_dead_layer": {
        "severity": "error",
        "message": "`state.params['params']` (5 variables) gets a gradient of exactly zero from the loss at line 25",
        "label": "dead: all 16 units are off for the whole batch",
        "why": "The input of `nn.relu(nn.Dense(16, bias_init=nn.initializers.constant(-20…` is "
        "negative for every row, where its slope is zero: "
        "`state.params['params']['Dense_0']` and what lies before it get nothing and "
        "cannot come back. It was so in every update that was looked at.",
        "fix": "look at what makes the input negative (a bias, inputs that are not normalised, "
        "a step that was too large); use a lower learning rate or jax.nn.leaky_relu "
        "instead",
        "variables": (
            "state.params['params']['Dense_0']['bias']",
            "state.params['params']['Dense_0']['kernel']",
            "state.params['params']['Dense_1']['bias']",
            "state.params['params']['Dense_1']['kernel']",
            "state.params['params']['Dense_2']['kernel']",
        ),
        "path": [(12, "the gradient becomes zero here"), (25, "the loss")],
    },
    "w401_second_derivative_of_relu": {
        "severity": "warning",
        "message": "the second derivative of `params` at line 26 is zero: relu is made of straight pieces",
        "label": "relu has no second derivative",
        "why": "Between its corners relu is linear, and so is all that is computed from it here: the second "
        "derivative is 0 whatever the weights are, and `params` (6 variables) learns nothing of it. It was so in 5 "
        "updates that were looked at.",
        "fix": "use a smooth activation in place of relu: jnp.tanh, jnp.sin, jax.nn.softplus",
        "variables": tuple(f"params['{name}'][{i}]" for name in "abc" for i in (0, 1)),
        "path": [(20, "straight pieces"), (26, "the second derivative is asked for here"), (33, "the loss")],
    },
    "w402_power_at_zero": {
        "severity": "error",
        "message": "`params` (2 variables) gets a gradient that is not finite from the loss at line 19",
        "label": "x to the power 0.5 is finite at 0 and its slope there is infinite (1 of its 6 entries is 0)",
        "why": "The loss is finite. Only the backward pass, which multiplies by the slope, meets the infinity. The "
        "step applies it, and `params` is lost from then on.",
        "fix": "keep the input above 0: jnp.maximum(x, 1e-8). A `where` around it does not help: 0 times infinity is "
        "NaN",
        "variables": ("params['s']", "params['start']"),
        "path": [(11, "not finite from here on"), (19, "the loss")],
    },
    "w402_late_round": {
        "severity": "error",
        "message": "the loss at line 19 is NaN: `div` makes NaN out of finite numbers",
        "label": "0/0 is NaN (8 of the divisor's 8 entries are 0)",
        "why": "The step applies it, and `weights` is lost from then on.",
        "fix": 'make sure that what `w["valve"][0] * level / level` divides by cannot be 0: add '
        "a small number to it (+ 1e-8), or replace the zeros before the division",
        "variables": ("weights['valve']",),
        "path": [(12, "not finite from here on"), (19, "the loss")],
    },
    "w402_norm_at_zero": {
        "severity": "error",
        "message": "`model.w` gets a gradient that is not finite from the loss at line 23",
        "label": "the norm of a zero vector is 0, and its slope there does not exist (4 of its 4 entries are 0)",
        "why": "The loss is finite. Only the backward pass, which multiplies by the slope, "
        "meets the infinity. The step applies it, and `model` is lost from then on.",
        "fix": "put the small number under the root, jnp.sqrt(jnp.sum(x**2, axis=-1, "
        "keepdims=True) + 1e-8): added to the norm afterwards it comes too late",
        "variables": ("model.w",),
        "path": [(12, "not finite from here on"), (23, "the loss")],
    },
    "w402_scan_masked_row": {
        "severity": "error",
        "message": "the loss at line 26 is NaN: `sub` makes NaN out of finite numbers",
        "label": "in some row every entry is -inf: nothing is left to divide by, and the result is NaN",
        "why": "The step applies it, and `params` is lost from then on.",
        "fix": "leave at least one entry of every row unmasked before `jax.nn.softmax(scores)`, or drop such rows",
        "variables": ("params['k']", "params['q']", "params['v']"),
        "path": [(18, "not finite from here on"), (26, "the loss")],
    },
    "w403_sigmoid_stack": {
        "severity": "warning",
        "message": "`layers[0]`, `layers[1]`, `layers[2]` and 7 more layers (10 of 28 "
        "variables of `layers`) get almost no gradient from the loss at line 21: "
        "it shrinks 8e+08 times on its way",
        "label": "13 times sigmoid in a row",
        "why": "The gradient of `layers[0]` is 6.4e-10 for each weight, that of `layers[13]` "
        "5.0e-01. Between them lie 13 times sigmoid, and each multiplies the gradient "
        "by its slope, which is below 1.",
        "fix": "use ReLU or GELU in place of sigmoid in the hidden layers, normalise between "
        "them (flax.linen.LayerNorm), or add residual connections",
        "variables": (
            "layers[0]['w']",
            "layers[1]['w']",
            "layers[2]['w']",
            "layers[3]['w']",
            "layers[4]['w']",
            "layers[5]['w']",
            "layers[6]['w']",
            "layers[7]['w']",
            "layers[8]['w']",
            "layers[9]['w']",
        ),
        "path": [(15, "the gradient shrinks here, layer by layer"), (21, "the loss")],
    },
    "w404_rate": {
        "severity": "warning",
        "message": "the gradient of `net` grows from update to update: 1.2e+03, 1.0e+07, 4.5e+10, 3.1e+14",
        "label": "its steps overshoot, each further than the last",
        "why": "The norms of the gradient in the order of the updates. A step that is too large lands "
        "where the slope is steeper still, so each one is larger than the last.",
        "fix": "lower the learning rate, bring inputs and targets to a size around 1, and clip the "
        "norm (optax.clip_by_global_norm)",
        "variables": ("net.bias", "net.kernel"),
        "path": [(13, "the loss"), (14, "the step size is chosen here")],
    },
    "w404_recurrent_scan": {
        "severity": "error",
        "message": "the gradient of `params` is 1.4e+15 against weights of 9.2e+00, and the next one is not finite: a "
        "loop multiplies by the same weights 30 times",
        "label": "computed 30 times in a row with the same weights",
        "why": '`h @ p["rec"]` multiplies by the same variable in every round, and the numbers grow each time.',
        "fix": "use a gated cell (LSTM, GRU) or orthogonal first weights, squash the state "
        "(tanh), stop the gradient every few rounds (truncated backpropagation), and "
        "clip the norm",
        "variables": ("params['in']", "params['out']", "params['rec']"),
        "path": [(16, "multiplied again in every round"), (23, "the loss")],
    },
    "w402_late_in_a_compiled_step": {
        "severity": "error",
        "message": "`params` (2 variables) is NaN when the program ends; the 204 updates that were traced are finite",
        "label": "on its way to the edge of what it can compute",
        "why": "It came in a later update, which nobody looked into. Of what the loss computes, "
        '`jnp.sqrt(params["variance"])` can make it: its input has to stay away from 0, and had come down to '
        "2.6 when it was last seen.",
        "fix": "keep the input above 0: jnp.maximum(params['variance'], 1e-8)",
        "variables": ("params['variance']", "params['w']"),
        "path": [(10, "not finite from here on")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
