"""What the rules about numbers (W401 to W405) say on PyTorch programs, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "torch"

MESSAGES: dict[str, dict[str, Any]] = {
    "w401_saturated_but_for_a_trace": {
        "severity": "warning",
        "message": "`hidden` (2 variables) gets next to no gradient from the loss at line 14: every unit is saturated",
        "label": "saturated: every unit is at the flat end of sigmoid",
        "why": "The input of `torch.sigmoid(hidden(readings))` is so large that the slope is below 1e-6 for every "
        "unit, in every row.",
        "fix": "make the input of sigmoid smaller: normalise the inputs, smaller first weights, or a factor before it",
        "variables": ("hidden.weight", "hidden.bias"),
        "path": [(13, "the gradient all but ends here"), (14, "the loss")],
    },
    "w401_pixels_into_sigmoid": {
        "severity": "warning",
        "message": "`net.first` (2 variables) gets next to no gradient from the loss at line 22: nearly all units "
        "are saturated",
        "label": "saturated: 91 % of what it computes is at the flat end of sigmoid",
        "why": "The input of `torch.sigmoid(self.first(x))` is so large that the slope is below a thousandth of its "
        "best for 91 % of all units and rows.",
        "fix": "make the input of sigmoid smaller: normalise the inputs, smaller first weights, or a factor before it",
        "variables": ("net.first.weight", "net.first.bias"),
        "path": [(15, "the gradient all but ends here"), (22, "the loss")],
    },
    "w401_dead_relu": {
        "severity": "error",
        "message": "`net.fc1`, `net.fc2`, `net.out` (5 of 6 variables of `net`) get a gradient of "
        "exactly zero from the loss at line 29",
        "label": "dead: all 16 units are off for the whole batch",
        "why": "The input of `F.relu(self.fc2(h))` is negative for every row, where its slope is "
        "zero: `net.fc2` and what lies before it get nothing and cannot come back. It was "
        "so in every update that was looked at.",
        "fix": "look at what makes the input negative (a bias, inputs that are not normalised, a "
        "step that was too large); use a lower learning rate or F.leaky_relu instead",
        "variables": ("net.fc1.weight", "net.fc1.bias", "net.fc2.weight", "net.fc2.bias", "net.out.weight"),
        "path": [(20, "the gradient becomes zero here"), (29, "the loss")],
    },
    "w401_clamped_error": {
        "severity": "warning",
        "message": "`q` (4 variables) gets a gradient of exactly zero from the loss at line 22",
        "label": "every entry lies outside the limits",
        "why": "`(best - chosen).clamp(-1.0, 1.0)` cuts every entry off (the result lies "
        "between -1 and 1), and where it cuts, its slope is zero. It was so in every "
        "update that was looked at.",
        "fix": "to limit the gradient of an error use F.smooth_l1_loss or clip the gradient norm; or widen the limits",
        "variables": ("q.0.weight", "q.0.bias", "q.2.weight", "q.2.bias"),
        "path": [(21, "the gradient becomes zero here"), (22, "the loss")],
    },
    "w401_advantage_of_one": {
        "severity": "warning",
        "message": "`policy` (4 variables) gets a gradient of exactly zero from the loss at line 16",
        "label": "all zeros",
        "why": "`returns - returns.mean()` is zero in every entry, and "
        "`dist.log_prob(action) * advantage` at line 16 multiplies by it. It was so "
        "in every update that was looked at.",
        "fix": "check what `returns - returns.mean()` is computed from: a difference of a "
        "thing with itself, a normalisation over one entry, a mask that is never "
        "true",
        "variables": ("policy.0.weight", "policy.0.bias", "policy.2.weight", "policy.2.bias"),
        "path": [(15, "the gradient becomes zero here"), (16, "the loss")],
    },
    "w401_advantage_less_itself": {
        "severity": "warning",
        "message": "`dist.log_prob(actions) * advantage` trains nothing: the other side of the product is zero in "
        "every entry",
        "label": "all zeros",
        "why": "`returns - baseline` is a difference that comes out as zero, and `dist.log_prob(actions) * advantage` "
        "at line 16 multiplies by it. What `policy` learns comes from the other terms of the loss alone. It was so in "
        "every one of 6 updates that were looked at.",
        "fix": "check what `returns - baseline` is computed from: a difference of a thing with itself, a normalisation "
        "over one entry",
        "variables": ("policy.0.weight", "policy.0.bias", "policy.2.weight", "policy.2.bias"),
        "path": [(15, "all zeros"), (16, "multiplied by them")],
    },
    "w402_late_division": {
        "severity": "error",
        "message": "the loss at line 18 is NaN: `div` makes NaN out of finite numbers",
        "label": "0/0 is NaN",
        "why": "The step applies it, and `model` is lost from then on.",
        "fix": "make sure that what `((predictions - targets) ** 2 * mask).sum() / mask.sum()` divides by cannot be "
        "0: add a small number to it (+ 1e-8), or replace the zeros before the division",
        "variables": ("model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"),
        "path": [(10, "not finite from here on"), (18, "the loss")],
    },
    "w402_log_of_zero": {
        "severity": "error",
        "message": "the loss at line 26 is NaN: `log` makes an infinity out of finite numbers",
        "label": "the logarithm of 0 is -inf (18 of its 48 entries are 0)",
        "why": "The step applies it, and `policy` is lost from then on.",
        "fix": "for the logarithm of a probability use F.log_softmax(logits, dim=-1) or "
        "F.logsigmoid(logits); else keep its input away from 0: "
        "probabilities.clamp(min=1e-8)",
        "variables": ("policy.body.0.weight", "policy.body.0.bias", "policy.body.2.weight", "policy.body.2.bias"),
        "path": [(19, "not finite from here on"), (26, "the loss")],
    },
    "w402_root_at_zero": {
        "severity": "error",
        "message": "`encoder` (2 variables) gets a gradient that is not finite from the loss at line 17",
        "label": "the square root is finite at 0 and its slope there is infinite (8 of its 64 entries are 0)",
        "why": "The loss is finite. Only the backward pass, which multiplies by the slope, "
        "meets the infinity. The step applies it, and `encoder` is lost from then on.",
        "fix": "keep the input above 0: (difference.pow(2).sum(dim=-1)).clamp(min=1e-8). A "
        "`where` around it does not help: 0 times infinity is NaN",
        "variables": ("encoder.weight", "encoder.bias"),
        "path": [(13, "not finite from here on"), (17, "the loss")],
    },
    "w402_hidden_by_where": {
        "severity": "error",
        "message": "`net` (2 variables) gets a gradient that is not finite from the loss at line 14",
        "label": "a division by 0 (2 of the divisor's 4 entries are 0)",
        "why": "The result is hidden further on (a `where`, a mask), so that the loss is "
        "finite; the backward pass still goes through here, and 0 times infinity is "
        "NaN. The step applies it, and `net` is lost from then on.",
        "fix": "make sure that what `sums / counts` divides by cannot be 0: add a small "
        "number to it (+ 1e-8), or replace the zeros before the division",
        "variables": ("net.weight", "net.bias"),
        "path": [(12, "not finite from here on"), (14, "the loss")],
    },
    "w402_masked_row": {
        "severity": "error",
        "message": "the loss at line 26 is NaN: `softmax` makes NaN out of finite numbers",
        "label": "in some row every entry is -inf: nothing is left to divide by, and the result is NaN",
        "why": "The step applies it, and `model.value` is lost from then on.",
        "fix": "leave at least one entry of every row unmasked before `torch.softmax(scores, "
        "dim=-1)`, or drop such rows",
        "variables": ("model.value.weight", "model.value.bias"),
        "path": [(17, "not finite from here on"), (26, "the loss")],
    },
    "w403_sigmoid_stack": {
        "severity": "warning",
        "message": "`model.layers` (10 variables) gets almost no gradient from the loss at "
        "line 27: it shrinks 5e+10 times on its way",
        "label": "12 times sigmoid in a row",
        "why": "The gradient of `model.layers.0` is 2.0e-12 for each weight, that of "
        "`model.out` 1.1e-01. Between them lie 12 times sigmoid, and each multiplies "
        "the gradient by its slope, which is below 1.",
        "fix": "use ReLU or GELU in place of sigmoid in the hidden layers, normalise between "
        "them (nn.LayerNorm), or add residual connections",
        "variables": (
            "model.layers.0.weight",
            "model.layers.1.weight",
            "model.layers.2.weight",
            "model.layers.3.weight",
            "model.layers.4.weight",
            "model.layers.5.weight",
            "model.layers.6.weight",
            "model.layers.7.weight",
            "model.layers.8.weight",
            "model.layers.9.weight",
        ),
        "path": [(18, "the gradient shrinks here, layer by layer"), (27, "the loss")],
    },
    "w404_learning_rate": {
        "severity": "error",
        "message": "the gradient of `net` grows from update to update: 2.6e+02, 1.3e+08, "
        "1.2e+26, and is no longer finite by update 20",
        "label": "its steps overshoot, each further than the last",
        "why": "The norms of the gradient in the order of the updates. A step that is too "
        "large lands where the slope is steeper still, so each one is larger than the "
        "last.",
        "fix": "lower the learning rate (1 now), bring inputs and targets to a size around 1, "
        "and clip the norm (torch.nn.utils.clip_grad_norm_)",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [(9, "the step size is chosen here"), (14, "the loss"), (16, "each step goes further than the last")],
    },
    "w404_norm_beyond_clipping": {
        "severity": "error",
        "message": "the gradient of `memory` is so large that its norm is infinite: a loop multiplies by the same "
        "weights 24 times",
        "label": "computed 24 times in a row with the same weights",
        "why": "`self.rnn(steps)` multiplies by the same variable in every round, and the numbers grow each time. "
        "Clipping (clip_grad_norm_) divides by that norm, which leaves nothing of the gradient.",
        "fix": "use a gated cell (LSTM, GRU) or orthogonal first weights, squash the state (tanh), stop the gradient "
        "every few rounds (truncated backpropagation), and clip the norm",
        "variables": (
            "memory.rnn.weight_ih_l0",
            "memory.rnn.weight_hh_l0",
            "memory.rnn.bias_ih_l0",
            "memory.rnn.bias_hh_l0",
            "memory.out.weight",
            "memory.out.bias",
        ),
        "path": [(16, "multiplied again in every round"), (23, "the loss")],
    },
    "w404_recurrent_loop": {
        "severity": "error",
        "message": "the gradient of `memory` overflows: a loop multiplies by the same weights 40 times",
        "label": "computed 40 times in a row with the same weights",
        "why": "`state @ self.recur` multiplies by the same variable in every round, and the numbers grow each time.",
        "fix": "use a gated cell (LSTM, GRU) or orthogonal first weights, squash the state "
        "(tanh), stop the gradient every few rounds (truncated backpropagation), and "
        "clip the norm",
        "variables": ("memory.recur", "memory.enter.weight", "memory.enter.bias", "memory.out.weight"),
        "path": [(18, "multiplied again in every round"), (25, "the loss")],
    },
    "w405_limit_of_zero": {
        "severity": "error",
        "message": "`net` (4 variables) loses its whole gradient to clipping at line 16",
        "label": "the limit is 0: nothing is left",
        "why": "`clip_grad_norm_` scales the gradient down to the limit, and the limit is 0. It had a norm of 2.5.",
        "fix": 'give `nn.utils.clip_grad_norm_(net.parameters(), config["max_grad…` a positive '
        "limit, about the norm that a normal update has",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [(16, "the gradient is clipped here"), (17, "what is left is applied here")],
    },
    "w405_tiny_limit": {
        "severity": "warning",
        "message": "`model` (4 variables) keeps less than a thousandth of its gradient after clipping at line 19",
        "label": "a limit of 1e-07 against a norm of 0.737",
        "why": "In every update that was looked at the norm was between 0.737 and 1.75; after "
        "`clip_grad_value_` with 1e-07 the step moves the weights by less than a millionth "
        "of their size.",
        "fix": "raise the limit of `torch.nn.utils.clip_grad_value_(self.model.parameters(), 1e…` "
        "to about the norm that a normal update has, or leave the clipping out",
        "variables": ("model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"),
        "path": [(19, "the gradient is clipped here"), (20, "what is left is applied here")],
    },
    "w403_small_tanh": {
        "severity": "warning",
        "message": "`net.0`, `net.2`, `net.4` and 2 more layers (5 of 18 variables of `net`) get "
        "almost no gradient from the loss at line 23: it shrinks 3e+07 times on its "
        "way",
        "label": "8 times tanh in a row",
        "why": "The gradient of `net.0` is 2.1e-09 for each weight, that of `net.16` 7.1e-02. "
        "Between them lie 8 times tanh, and each multiplies the gradient by its slope, "
        "which is below 1.",
        "fix": "use ReLU or GELU in place of tanh in the hidden layers, normalise between them "
        "(nn.LayerNorm), or add residual connections",
        "variables": ("net.0.weight", "net.2.weight", "net.4.weight", "net.6.weight", "net.8.weight"),
        "path": [(13, "the gradient shrinks here, layer by layer"), (23, "the loss")],
    },
    "w401_all_zero_weights": {
        "severity": "error",
        "message": "`net.0`, `net.2` (3 of 4 variables of `net`) get a gradient of exactly "
        "zero from the loss at line 13",
        "label": "`net.0.weight` is all zeros",
        "why": "`net.0.weight` is all zeros and its own gradient is zero too, so nothing "
        "passes through it, ever. It was so in every update that was looked at.",
        "fix": "give `net.0.weight`, `net.2.weight` random first values; zeros are right for one side of a product "
        "only",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight"),
        "path": [(9, "the gradient becomes zero here"), (13, "the loss")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
