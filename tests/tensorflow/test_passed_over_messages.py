"""What the rules say of outputs that were passed over, rollouts, and averages in NumPy, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("tensorflow")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "tensorflow"

MESSAGES: dict[str, dict[str, Any]] = {
    "w101_kept_from_build": {
        "severity": "error",
        "message": "`layer.half` gets no gradient from the loss at line 28",
        "label": "computed once, in build(), where no tape is open",
        "why": "A GradientTape differentiates only what runs while it is open. Every call uses the result of this one.",
        "fix": "compute `tf.transpose(self.half)` in call(), from the variables as they are then",
        "variables": ("layer.half",),
        "path": [
            (20, "the output of `layer`"),
            (27, "the tape"),
            (12, "the gradient stops here"),
            (28, "the loss"),
        ],
    },
    "w101_values_of_a_rollout": {
        "severity": "error",
        "message": "`critic` (4 variables) gets no gradient from the loss at line 32",
        "label": "computed before the tape at line 31 was opened, so the tape never saw it",
        "why": "A GradientTape differentiates only what runs while it is open.",
        "fix": "move `critic(state)` into the `with tf.GradientTape() as tape:` block",
        "variables": ("critic.dense_2.kernel", "critic.dense_2.bias", "critic.dense_3.kernel", "critic.dense_3.bias"),
        "path": [(24, "the output of `critic`"), (31, "the tape"), (19, "the gradient stops here"), (32, "the loss")],
    },
    "w503_averaged_in_numpy": {
        "severity": "error",
        "message": "the average for `target_model` is computed in NumPy and not stored",
        "label": "the result stays in a list of copies",
        "why": "The weights that were taken out are copies; what becomes of them does not change `target_model`.",
        "fix": "give the result to the network: target_model.set_weights(…)",
        "variables": (
            "target_model.dense_2.kernel",
            "target_model.dense_2.bias",
            "target_model.dense_3.kernel",
            "target_model.dense_3.bias",
        ),
        "path": [
            (23, "the target is computed with `target_model`"),
            (20, "the result stays in a list of copies"),
            (26, "the loss"),
        ],
    },
    "w105_one_tower_twice": {
        "severity": "warning",
        "message": "`model.document` (2 variables) gets no gradient: the loss at line 26 has another in its place",
        "label": "takes the same output twice",
        "why": "`tf.matmul(one, one, transpose_b=True)` takes one output twice; the output of `model.document`, of "
        "the same shape, was computed at line 16 and dropped.",
        "fix": "use the output of `model.document` in `tf.matmul(one, one, transpose_b=True)`",
        "variables": ("model.document.kernel", "model.document.bias"),
        "path": [(16, "computed here, and dropped"), (17, "the same output twice"), (26, "the loss")],
    },
    "w105_predictor_passed_over": {
        "severity": "warning",
        "message": "`model.predictor.dense_1` (2 variables) gets no gradient: nothing made from it goes into the "
        "loss at line 26",
        "label": "the loss is computed from this, and nothing of `model.predictor.dense_1` goes into it",
        "why": "The loss is computed from `distance(z1, z2)`; the output of `model.predictor.dense_1` was computed "
        "at line 25 and dropped.",
        "fix": "let `distance(z1, z2)` use the output of `model.predictor.dense_1`, or leave it out of the optimizer",
        "variables": ("model.predictor.dense_1.kernel", "model.predictor.dense_1.bias"),
        "path": [(25, "computed here, and dropped"), (26, "used in its place"), (26, "the loss")],
    },
    "w503_recurrent_taken_back": {
        "severity": "error",
        "message": "`target.model` is copied into `online.model`, not the other way round",
        "label": "copies the target into the trained network",
        "why": "The sync takes the trained network back to the target at each call, and `target.model` itself never "
        "changes.",
        "fix": "swap the two: `target.model` receives, `online.model` gives",
        "variables": (
            "target.model.lstm_1.cell.kernel",
            "target.model.lstm_1.cell.recurrent_kernel",
            "target.model.lstm_1.cell.bias",
            "target.model.dense_1.kernel",
            "target.model.dense_1.bias",
        ),
        "path": [
            (34, "the target is computed with `target.model`"),
            (28, "copies the target into the trained network"),
            (17, "the loss"),
        ],
    },
    "w105_matching_left_out": {
        "severity": "error",
        "message": "`generator` (2 variables) gets no gradient: its term at line 13 is not part of the loss",
        "label": "this loss leaves out the term computed at line 13",
        "why": "`tf.reduce_mean(tf.abs(real - fake))` was computed and dropped: the loss does not contain it.",
        "fix": "add the term at line 13 to the loss",
        "variables": ("generator.dense.kernel", "generator.dense.bias"),
        "path": [(13, "a loss term for them, used by nothing"), (15, "the loss, put together without it")],
    },
    "w102_before_convolution_in_groups": {
        "severity": "error",
        "message": "`encoder` (2 variables) gets no gradient from the loss at line 13",
        "label": "the gradient stops here: stop_gradient returns the value as a constant",
        "why": "Every way from these variables to the loss passes through stop_gradient, which is there to stop a "
        "gradient.",
        "fix": "take stop_gradient away in `tf.stop_gradient(encoder(waves))`, or stop only the side that is meant to "
        "be a constant (the target)",
        "variables": ("encoder.conv1d.kernel", "encoder.conv1d.bias"),
        "path": [(12, "the gradient stops here"), (13, "the loss")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
