"""What the rules about numbers (W401 to W405) say on TensorFlow programs, word for word."""

from __future__ import annotations

import os
from typing import Any

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
pytest.importorskip("tensorflow")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "tensorflow"

MESSAGES: dict[str, dict[str, Any]] = {
    "w401_dead_relu": {
        "severity": "error",
        "message": "`model.dense`, `model.dense_1`, `model.dense_2` (5 of 6 variables of `model`) "
        "get a gradient of exactly zero from the loss at line 17",
        "label": "dead: all 16 units are off for the whole batch",
        "why": "The input of the relu after `model.dense_1` is negative for every row, where its "
        "slope is zero: `model.dense_1` and what lies before it get nothing and cannot come "
        "back. It was so in every update that was looked at.",
        "fix": "look at what makes the input negative (a bias, inputs that are not normalised, a "
        "step that was too large); use a lower learning rate or tf.nn.leaky_relu instead",
        "variables": (
            "model.dense.kernel",
            "model.dense.bias",
            "model.dense_1.kernel",
            "model.dense_1.bias",
            "model.dense_2.kernel",
        ),
        "path": [(11, "the gradient becomes zero here"), (17, "the loss")],
    },
    "w401_clamped_error": {
        "severity": "warning",
        "message": "`q_net` (4 variables) gets a gradient of exactly zero from the loss at line 22",
        "label": "every entry lies outside the limits",
        "why": "`tf.clip_by_value(best - chosen, -1.0, 1.0)` cuts every entry off (the result "
        "lies between -1 and 1), and where it cuts, its slope is zero. It was so in "
        "every update that was looked at.",
        "fix": "to limit the gradient of an error use keras.losses.Huber() or clip the "
        "gradient norm; or widen the limits",
        "variables": ("q_net.dense.kernel", "q_net.dense.bias", "q_net.dense_1.kernel", "q_net.dense_1.bias"),
        "path": [(21, "the gradient becomes zero here"), (22, "the loss")],
    },
    "w402_log_of_zero": {
        "severity": "error",
        "message": "the loss at line 19 is NaN: `log` makes an infinity out of finite numbers",
        "label": "the logarithm of 0 is -inf (32 of its 48 entries are 0)",
        "why": "The step applies it, and `policy` is lost from then on.",
        "fix": "for the logarithm of a probability use tf.nn.log_softmax(logits) or "
        "tf.math.log_sigmoid(logits); else keep its input away from 0: tf.maximum(probabilities, "
        "1e-8)",
        "variables": ("policy.dense.kernel", "policy.dense.bias", "policy.dense_1.kernel", "policy.dense_1.bias"),
        "path": [(12, "not finite from here on"), (19, "the loss")],
    },
    "w402_norm_at_zero": {
        "severity": "error",
        "message": "`encoder` (2 variables) gets a gradient that is not finite from the loss at line 19",
        "label": "the square root is finite at 0 and its slope there is infinite (8 of its 64 entries are 0)",
        "why": "The loss is finite. Only the backward pass, which multiplies by the slope, "
        "meets the infinity. The step applies it, and `encoder` is lost from then on.",
        "fix": "keep the input above 0: tf.maximum(x, 1e-8). A `where` around it does not help: "
        "0 times infinity is NaN",
        "variables": ("encoder.project.kernel", "encoder.project.bias"),
        "path": [(18, "not finite from here on"), (19, "the loss")],
    },
    "w402_data": {
        "severity": "error",
        "message": "the loss at line 15 is NaN: the data that go into it are not finite",
        "label": "NaN (1 of 48 entries) in the data already, before the network has seen it",
        "why": "The step applies it, and `model` is lost from then on.",
        "fix": "find out where the data gets it (a missing value, a division, an empty episode) and "
        "clean it there; a loss cannot repair it",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [(13, "not finite from here on"), (15, "the loss")],
    },
    "w403_sigmoid_stack": {
        "severity": "warning",
        "message": "`model.dense`, `model.dense_1`, `model.dense_2` and 8 more layers (11 of "
        "30 variables of `model`) get almost no gradient from the loss at line 14: "
        "it shrinks 2e+09 times on its way",
        "label": "14 times sigmoid in a row",
        "why": "The gradient of `model.dense` is 1.1e-09 for each weight, that of "
        "`model.dense_14` 2.1e+00. Between them lie 14 times sigmoid, and each "
        "multiplies the gradient by its slope, which is below 1.",
        "fix": "use ReLU or GELU in place of sigmoid in the hidden layers, normalise between "
        "them (keras.layers.LayerNormalization), or add residual connections",
        "variables": (
            "model.dense.kernel",
            "model.dense_1.kernel",
            "model.dense_2.kernel",
            "model.dense_3.kernel",
            "model.dense_4.kernel",
            "model.dense_5.kernel",
            "model.dense_6.kernel",
            "model.dense_7.kernel",
            "model.dense_8.kernel",
            "model.dense_9.kernel",
            "model.dense_10.kernel",
        ),
        "path": [(10, "the gradient shrinks here, layer by layer"), (14, "the loss")],
    },
    "w403_raw_variables": {
        "severity": "warning",
        "message": "`net.` (7 variables) gets almost no gradient from the loss at line 26: it "
        "shrinks 3e+09 times on its way",
        "label": "10 times sigmoid in a row",
        "why": "The gradient of `net` is 4.6e-10 for each weight, that of `net` 1.6e+00. "
        "Between them lie 10 times sigmoid, and each multiplies the gradient by its "
        "slope, which is below 1.",
        "fix": "use ReLU or GELU in place of sigmoid in the hidden layers, normalise between "
        "them (keras.layers.LayerNormalization), or add residual connections",
        "variables": (
            "net.weights[0]",
            "net.weights[1]",
            "net.weights[2]",
            "net.weights[3]",
            "net.weights[4]",
            "net.weights[5]",
            "net.weights[6]",
        ),
        "path": [(17, "the gradient shrinks here, layer by layer"), (26, "the loss")],
    },
    "w404_learning_rate": {
        "severity": "error",
        "message": "the gradient of `model` grows from update to update: 4.1e+02, 1.3e+09, "
        "1.5e+29, and is no longer finite by update 12",
        "label": "its steps overshoot, each further than the last",
        "why": "The norms of the gradient in the order of the updates. A step that is too "
        "large lands where the slope is steeper still, so each one is larger than the "
        "last.",
        "fix": "lower the learning rate (1 now), bring inputs and targets to a size around 1, "
        "and clip the norm (global_clipnorm=1.0)",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [(8, "the step size is chosen here"), (12, "the loss"), (14, "each step goes further than the last")],
    },
    "w404_recurrent_loop": {
        "severity": "error",
        "message": "the gradient of the networks overflows: a loop multiplies by the same weights 40 times",
        "label": "computed 40 times in a row with the same weights",
        "why": "`tf.matmul(state, recur)` multiplies by the same variable in every round, and "
        "the numbers grow each time.",
        "fix": "use a gated cell (LSTM, GRU) or orthogonal first weights, squash the state "
        "(tanh), stop the gradient every few rounds (truncated backpropagation), and "
        "clip the norm",
        "variables": ("recur", "enter.kernel", "enter.bias", "out.kernel"),
        "path": [(15, "multiplied again in every round"), (21, "the loss")],
    },
    "w404_wide_first_weights_overflow": {
        "severity": "error",
        "message": "the gradient of `net` is 7.4e+09 against weights of 1.5e+02, and soon it is not finite: the "
        "numbers grow from layer to layer",
        "label": "the numbers grow from layer to layer",
        "why": "What comes out of the layers reaches 1.6e+01, 9.8e+01, 5.7e+02 … 9.9e+04. On the way back the "
        "gradient is multiplied by the same weights once more.",
        "fix": "make the first weights smaller (the framework's default, or He initialisation: a spread of "
        "sqrt(2 / inputs)), and normalise between the layers",
        "variables": (
            *(f"net.hidden[{i}].{part}" for i in range(6) for part in ("kernel", "bias")),
            "net.out.kernel",
            "net.out.bias",
        ),
        "path": [(12, "each layer makes the numbers larger"), (23, "the loss")],
    },
    "w405_limit_of_zero": {
        "severity": "error",
        "message": "`net` (4 variables) loses its whole gradient to clipping at line 15",
        "label": "the limit is 0: nothing is left",
        "why": "`tf.clip_by_value` scales the gradient down to the limit, and the limit is 0. It had a norm of 2.72.",
        "fix": "give `tf.clip_by_value(g, -LIMIT, LIMIT)` a positive limit, about the norm that a normal update has",
        "variables": ("net.dense.kernel", "net.dense.bias", "net.dense_1.kernel", "net.dense_1.bias"),
        "path": [(15, "the gradient is clipped here"), (16, "what is left is applied here")],
    },
    "w405_tiny_limit": {
        "severity": "warning",
        "message": "`model` (4 variables) keeps less than a thousandth of its gradient after clipping at line 18",
        "label": "a limit of 1e-06 against a norm of 2.77",
        "why": "In every update that was looked at the norm was between 2.22 and 2.86; after "
        "`tf.clip_by_global_norm` with 1e-06 the step moves the weights by less than a "
        "millionth of their size.",
        "fix": "raise the limit of `tf.clip_by_global_norm(grads, 1e-6)` to about the norm that a "
        "normal update has, or leave the clipping out",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [(18, "the gradient is clipped here"), (19, "what is left is applied here")],
    },
    "w401_far_out": {
        "severity": "warning",
        "message": "`hidden` (2 variables) gets a gradient of exactly zero from the loss at line 15",
        "label": "saturated: every unit is at the flat end of sigmoid",
        "why": "The input of `tf.sigmoid(hidden(pixels))` is so large that the slope is zero in every "
        "row. It was so in every update that was looked at.",
        "fix": "make the input of sigmoid smaller: normalise the inputs, smaller first weights, or a factor before it",
        "variables": ("hidden.kernel", "hidden.bias"),
        "path": [(14, "the gradient becomes zero here"), (15, "the loss")],
    },
    "w401_ratio_with_itself": {
        "severity": "error",
        "message": "`policy` (4 variables) gets a gradient of exactly zero from the loss at line 21",
        "label": "a thing less itself: both sides carry the same gradient",
        "why": "The two sides of `chance(states, actions) - old` are the same and are computed from "
        "the same variables, so that what the one side gives them the other takes away. It was "
        "so in every update that was looked at.",
        "fix": "keep the side that is meant to stay (an old policy's) as a constant: "
        "tf.stop_gradient, from before the update",
        "variables": ("policy.dense.kernel", "policy.dense.bias", "policy.dense_1.kernel", "policy.dense_1.bias"),
        "path": [(20, "the gradient becomes zero here"), (21, "the loss")],
    },
    "w401_softmax_of_one": {
        "severity": "error",
        "message": "`model` (4 variables) gets a gradient of exactly zero from the loss at line 13",
        "label": "a softmax over one entry is 1 whatever goes in",
        "why": "The softmax after `model.dense_1` runs over a dimension of size 1, so the result is "
        "constant and has no slope. It was so in every update that was looked at.",
        "fix": "give it the dimension of the classes, or, for one output, use tf.sigmoid (activation='sigmoid')",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [(11, "the gradient becomes zero here"), (13, "the loss")],
    },
    "w402_masked_mean_late": {
        "severity": "error",
        "message": "the loss at line 14 is NaN: `truediv` makes NaN out of finite numbers",
        "label": "0/0 is NaN",
        "why": "The step applies it, and `model` is lost from then on.",
        "fix": "make sure that what `tf.reduce_sum(errors) / tf.reduce_sum(mask)` divides by cannot "
        "be 0: add a small number to it (+ 1e-8), or replace the zeros before the division",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [(14, "not finite from here on")],
    },
    "w401_output_dies_later": {
        "severity": "error",
        "message": "`hidden` (2 variables) and `output` (2 variables) get a gradient of exactly zero from the "
        "loss at line 16",
        "label": "dead: all 2 units are off for the whole batch",
        "why": "The input of `tf.nn.relu(output(hidden(states)))` is negative for every row, where its slope is "
        "zero: `output` and what lies before it get nothing and cannot come back. It was so in the last 57 "
        "updates that were looked at; before that there was a gradient.",
        "fix": "look at what makes the input negative (a bias, inputs that are not normalised, a step that was "
        "too large); use a lower learning rate or tf.nn.leaky_relu instead",
        "variables": ("hidden.kernel", "hidden.bias", "output.kernel", "output.bias"),
        "path": [(14, "the gradient becomes zero here"), (16, "the loss")],
    },
    "w401_softmax_called_by_hand": {
        "severity": "error",
        "message": "`critic` (2 variables) gets a gradient of exactly zero from the loss at line 16",
        "label": "a softmax over one entry is 1 whatever goes in",
        "why": "The softmax after `critic` runs over a dimension of size 1, so the result is constant and has no "
        "slope. It was so in every update that was looked at.",
        "fix": "give it the dimension of the classes, or, for one output, use tf.sigmoid (activation='sigmoid')",
        "variables": ("critic.dense.kernel", "critic.dense.bias"),
        "path": [(9, "the gradient becomes zero here"), (16, "the loss")],
    },
    "w402_late_in_a_function": {
        "severity": "error",
        "message": "`net` (4 variables) and `spread` are NaN when the program ends; the 4 updates that were traced "
        "are finite",
        "label": "on its way to the edge of what it can compute",
        "why": "It came in a later update, which nobody looked into. Of what the loss computes, `tf.sqrt(spread - "
        "1.0)` can make it: its input has to stay away from 0, and had come down to 0.924 when it was last seen.",
        "fix": "keep the input above 0: tf.maximum(spread - 1.0, 1e-8)",
        "variables": ("net.dense.kernel", "net.dense.bias", "net.dense_1.kernel", "net.dense_1.bias", "spread"),
        "path": [(15, "not finite from here on")],
    },
    "w401_zeros_handed_over": {
        "severity": "warning",
        "message": "`model` (4 variables) is given zeros in place of its gradient",
        "label": "zeros, in place of the gradient of `model`",
        "why": "The gradient is computed at line 14 and is not zero. What the optimizer was given in all of 4 updates "
        "that were looked at are zeros, made by `tf.zeros_like(g)`.",
        "fix": "give the optimizer the gradients themselves in place of `tf.zeros_like(g)`",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [(14, "the gradient comes here"), (15, "zeros are made here"), (16, "applied here")],
    },
    "w401_advantage_times_zero": {
        "severity": "warning",
        "message": "`ratio * weights` trains nothing: the other side of the product is zero in every entry",
        "label": "all zeros",
        "why": "`advantages * 0.0` multiplies by zero, and `ratio * weights` at line 15 multiplies by it. What "
        "`policy` learns comes from the other terms of the loss alone. It was so in every one of 4 updates that were "
        "looked at.",
        "fix": "take the factor 0 out of `advantages * 0.0`, or leave the term out",
        "variables": ("policy.dense.kernel", "policy.dense.bias", "policy.dense_1.kernel", "policy.dense_1.bias"),
        "path": [(14, "all zeros"), (15, "multiplied by them"), (25, "the loss")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
