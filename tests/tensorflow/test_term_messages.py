"""What the rules say of losses of several terms, and of programs with several losses, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("tensorflow")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "tensorflow"

MESSAGES: dict[str, dict[str, Any]] = {
    "w102_losses_of_one_tape": {
        "severity": "warning",
        "message": "`actor` (4 variables) learns nothing from a term of the loss at line 26",
        "label": "the gradient stops here: stop_gradient returns the value as a constant",
        "why": "The term depends on these variables through stop_gradient alone: it is a number beside the loss.",
        "fix": "take stop_gradient away in `tf.stop_gradient(value)`, or stop only the side that is meant to be"
        " a constant (the target)",
        "variables": ("actor.dense.kernel", "actor.dense.bias", "actor.dense_1.kernel", "actor.dense_1.bias"),
        "path": [(24, "the output of `actor`"), (26, "the gradient stops here")],
    },
    "w102_policy_term_in_fit": {
        "severity": "warning",
        "message": "`model.body`, `model.policy` (4 of 6 variables of `model`) learn nothing from a term of the "
        "loss at line 35",
        "label": "the gradient stops here: stop_gradient returns the value as a constant",
        "why": "The term depends on these variables through stop_gradient alone: it is a number beside the loss.",
        "fix": "take stop_gradient away in `tf.stop_gradient(logits)`, or stop only the side that is meant to "
        "be a constant (the target)",
        "variables": ("model.body.kernel", "model.body.bias", "model.policy.kernel", "model.policy.bias"),
        "path": [(35, "the output of `model.body` and `model.policy`"), (24, "the gradient stops here")],
    },
    "w103_ratio_in_numpy": {
        "severity": "warning",
        "message": "`policy` (4 variables) learns nothing from a term of the loss at line 29",
        "label": "the value leaves the framework here (.numpy()) and comes back at line 13 as a constant",
        "why": "Python numbers and NumPy arrays carry no gradient; what is computed with them is a constant to "
        "the framework.",
        "fix": "stay in the framework up to the loss: drop .numpy() in `tf.nn.softmax(logits).numpy()` and use "
        "tf / keras.ops functions",
        "variables": ("policy.dense.kernel", "policy.dense.bias", "policy.dense_1.kernel", "policy.dense_1.bias"),
        "path": [
            (28, "the output of `policy`"),
            (12, "the gradient stops here"),
            (13, "comes back here, as a constant"),
            (29, "the loss"),
        ],
    },
    "w105_weight_of_a_cell": {
        "severity": "warning",
        "message": "`model.rnn.cell.scale` gets no gradient: the loss at line 30 does not use it",
        "label": "computed here and dropped: nothing that reaches the loss is made from it",
        "why": "The output was computed and dropped: no data leads from here to the loss.",
        "fix": "let the loss use `gate * self.scale` (add its term to the loss), or do not train these variables",
        "variables": ("model.rnn.cell.scale",),
        "path": [
            (21, "computed here, and used by nothing that reaches the loss"),
            (30, "the loss, which does not use it"),
        ],
    },
    "w105_kept_exponential": {
        "severity": "error",
        "message": "`log_alpha` gets no gradient: the loss at line 16 is computed with `alpha`, which only keeps what "
        "was computed from it",
        "label": "uses `alpha`, and `log_alpha` is the one to be trained",
        "why": "`alpha` is a variable of its own, written at line 8. No gradient goes through a store, so that none "
        "gets from it to `log_alpha`.",
        "fix": "compute it from `log_alpha` under the tape, in the place of `alpha` in `alpha * gap`",
        "variables": ("log_alpha",),
        "path": [
            (8, "`alpha` is given what was computed from `log_alpha`"),
            (16, "computed with `alpha`"),
            (16, "the loss"),
        ],
    },
    "w105_loss_of_the_other": {
        "severity": "error",
        "message": "`generator` (4 variables) gets no gradient: the loss at line 23 does not use it",
        "label": "the loss that should train it is made here, without it",
        "why": "What is made from it goes into another loss at line 22, of which the gradient is asked for others.",
        "fix": "let `cross_entropy(of_samples, True)` use what is made from it",
        "variables": (
            "generator.dense.kernel",
            "generator.dense.bias",
            "generator.dense_1.kernel",
            "generator.dense_1.bias",
        ),
        "path": [(23, "the loss")],
    },
    "w201_generator_not_asked": {
        "severity": "warning",
        "message": "`gan.generator` (4 variables) could learn from the loss, and nobody asks for the gradient",
        "label": "`gan.generator` is not asked for here",
        "why": "The loss at line 28 depends on it and could train it, but no update ever reaches it: it keeps "
        "its first values.",
        "fix": "ask for it and apply it: gan.trainable_variables belongs into tape.gradient and apply_gradients",
        "variables": (
            "gan.generator.dense.kernel",
            "gan.generator.dense.bias",
            "gan.generator.dense_1.kernel",
            "gan.generator.dense_1.bias",
        ),
        "path": [(10, "made here"), (29, "left out here"), (28, "the loss, which gives them a gradient")],
    },
    "w504_weights_in_a_column": {
        "severity": "error",
        "message": "`errors**2 * weights` pairs every row of the batch with every row: (16,) against (16, 1)",
        "label": "(16,) against (16, 1) gives (16, 16)",
        "why": "Broadcasting makes a (16, 16) matrix of the two, and the loss at line 16 takes in all of it. "
        "Each row is weighed by all 16 weights, and which weight belongs to which row is lost.",
        "fix": "give both the same shape before they meet: tf.squeeze(…, axis=1) on the second makes it (16,)",
        "variables": ("critic.dense.kernel", "critic.dense.bias", "critic.dense_1.kernel", "critic.dense_1.bias"),
        "path": [(16, "every row meets every row"), (16, "the loss")],
    },
    "w103_precision_in_numpy": {
        "severity": "warning",
        "message": "the gradient of `encoder` is not that of the loss at line 15: "
        "`np.exp(-log_variance)` is a constant to it",
        "label": "a NumPy function: what it returns is a constant to `encoder`",
        "why": "A NumPy function takes the numbers out of the tensor. `encoder` learns from the "
        "rest of the expression, as if this part of it did not depend on the weights.",
        "fix": "use the function of TensorFlow (tf, tf.math, keras.ops) in `np.exp(-log_variance)`; "
        "tf.stop_gradient(…) says that a constant is meant",
        "variables": ("encoder.dense.kernel", "encoder.dense.bias"),
        "path": [(12, "the output of `encoder`"), (14, "the gradient stops here"), (15, "the loss")],
    },
    "w205_list_of_both": {
        "severity": "error",
        "message": "`critic` (4 variables) is moved by the loss at line 17, which is there to train `actor`",
        "label": "asks for `critic` too",
        "why": "That loss makes the output of `critic` large and reaches `actor` through its input. "
        "Applied to `critic` it only inflates that output; what `critic` is to predict it "
        "learns from the loss at line 13.",
        "fix": "ask for `actor` alone: leave the variables of `critic` out of this gradient and its apply_gradients",
        "variables": ("critic.dense_1.kernel", "critic.dense_1.bias", "critic.dense_2.kernel", "critic.dense_2.bias"),
        "path": [(17, "the loss"), (19, "the gradient is computed here"), (20, "and applied here")],
    },
    "w401_normalised_by_a_helper": {
        "severity": "warning",
        "message": "`actor` (2 variables) gets a gradient of exactly zero from the loss at line 23",
        "label": "all zeros",
        "why": "`(advantages - mean) / (np.std(advantages, axis=1, keepdims=…` is zero in every "
        "entry, and `weighed(actions, actor(states), sample_weight=tf.stop_gradi…` at line "
        "23 multiplies by it. It was so in every update that was looked at.",
        "fix": "check what `(advantages - mean) / (np.std(advantages, axis=1, keepdims=…` is "
        "computed from: a difference of a thing with itself, a normalisation over one entry, "
        "a mask that is never true",
        "variables": ("actor.dense.kernel", "actor.dense.bias"),
        "path": [(15, "the gradient becomes zero here"), (23, "the loss")],
    },
    "w503_averaged_in_place": {
        "severity": "error",
        "message": "the average for `target` is computed in NumPy and not stored",
        "label": "the result stays in a list of copies",
        "why": "The weights that were taken out are copies; what becomes of them does not change `target`.",
        "fix": "give the result to the network: target.set_weights(…)",
        "variables": ("target.dense_1.kernel", "target.dense_1.bias"),
        "path": [
            (20, "the target is computed with `target`"),
            (15, "the result stays in a list of copies"),
            (22, "the loss"),
        ],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
