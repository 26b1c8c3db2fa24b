"""Gradients that are asked of the wrong loss or for the wrong variables, or that nobody asks for: the words."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("tensorflow")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "tensorflow"

MESSAGES: dict[str, dict[str, Any]] = {
    "w106_attack_after_training": {
        "severity": "error",
        "message": "the gradient of a tensor is asked for at line 16, and nothing tracks it",
        "label": "the tape does not watch this tensor: it is a constant",
        "why": "A GradientTape watches trainable variables by itself, and tensors only when it is told to.",
        "fix": "call `tape.watch(x)` first thing in the block, or make it a tf.Variable",
        "variables": (),
        "path": [(16, "its gradient is asked for here")],
    },
    "w106_model_inputs": {
        "severity": "error",
        "message": "`tape.gradient(loss, model.inputs)` is given a symbolic tensor of Keras, which no tape follows",
        "label": "asks for a place in the model, no tensor",
        "why": "model.inputs and layer.output say how a model was put together; they hold no numbers. What was "
        "computed are the tensors that the model was called with, and those that it returned.",
        "fix": "watch and ask for the tensor that the model is called with (tape.watch(x), tape.gradient(loss, x)); "
        "for a layer inside, call keras.Model(model.inputs, [layer.output, model.output])",
        "variables": (),
        "path": [],
    },
    "w106_watches_model_inputs": {
        "severity": "error",
        "message": "`tape.watch(model.inputs)` is given a symbolic tensor of Keras, which no tape follows",
        "label": "watches a place in the model, no tensor",
        "why": "model.inputs and layer.output say how a model was put together; they hold no numbers. What was "
        "computed are the tensors that the model was called with, and those that it returned.",
        "fix": "watch and ask for the tensor that the model is called with (tape.watch(x), tape.gradient(loss, x)); "
        "for a layer inside, call keras.Model(model.inputs, [layer.output, model.output])",
        "variables": (),
        "path": [],
    },
    "w201_thawed_after_compile": {
        "severity": "error",
        "message": "`base` (2 variables) joins the training after the optimizer was built, and is refused at line 15",
        "label": "built without `base`",
        "why": "A Keras optimizer keeps a slot for every variable that its first update was given, and takes no others."
        " At that time `base` was frozen, or left out.",
        "fix": "compile the model again once `base` may train, or make a new optimizer then; or call "
        "optimizer.build(…) with all that is to train before the first update",
        "variables": ("base.dense.kernel", "base.dense.bias"),
        "path": [(11, "made here, and built at its first update"), (15, "refused here")],
    },
    "w201_log_std_left_out": {
        "severity": "warning",
        "message": "`log_std` could learn from the loss, and nobody asks for the gradient",
        "label": "`log_std` is not asked for here",
        "why": "The loss at line 18 depends on it and could train it, but no update ever reaches it: it keeps its "
        "first values.",
        "fix": "ask for it and apply it: [log_std] belongs into tape.gradient and apply_gradients",
        "variables": ("log_std",),
        "path": [(7, "made here"), (20, "left out here"), (18, "the loss, which gives them a gradient")],
    },
    "w504_bias_as_a_column": {
        "severity": "error",
        "message": "`score + self.bias(pair[:, 0])` pairs every row of the batch with every row: (8,) against (8, 1)",
        "label": "(8,) against (8, 1) gives (8, 8)",
        "why": "Broadcasting makes a (8, 8) matrix of the two, and the loss at line 24 takes in all of it. Each row is "
        "added to all the others, and only the diagonal is meant.",
        "fix": "give both the same shape before they meet: tf.reshape(…, (-1, 1)) on the first makes it (8, 1)",
        "variables": ("model.users.embeddings", "model.movies.embeddings", "model.bias.embeddings"),
        "path": [(18, "every row meets every row"), (24, "the loss")],
    },
    "w203_lambda_layer": {
        "severity": "error",
        "message": "`projection` (2 variables) is used by a Lambda layer, which registers no weights",
        "label": "what this function uses is invisible to the model",
        "why": "A Lambda layer calls a function and does not look at what that uses: trainable_variables of the model "
        "leaves it out, no optimizer holds it, no checkpoint saves it.",
        "fix": "use the layer itself in the model; for a variable of your own write a keras.layers.Layer whose build() "
        "makes it with self.add_weight(…)",
        "variables": ("projection.kernel", "projection.bias"),
        "path": [(6, "made here"), (11, "used by its function")],
    },
    "w109_head_within": {
        "severity": "warning",
        "message": "`policy.mean` (2 variables) is frozen, and the layers before it learn",
        "label": "trainable=False from here on",
        "why": "With trainable=False it is left out of trainable_variables, so nobody asks for its gradient: it keeps "
        "its first, random values, and what learns has to get by with them.",
        "fix": "leave trainable=False out, or load the weights that are to stay as they are",
        "variables": ("policy.mean.kernel", "policy.mean.bias"),
        "path": [(13, "frozen here")],
    },
    "w204_nones_of_the_twin": {
        "severity": "error",
        "message": "`second` (4 variables) comes to the step without a gradient: that of `first` is asked for, which "
        "the loss at line 18 does not use",
        "label": "asks for `first`, and the result goes to `second`",
        "why": "The loss is computed with `second`, and nothing asks for its gradient; for `first` the answer is None.",
        "fix": "ask for the gradient of `second` here",
        "variables": ("second.dense_2.kernel", "second.dense_2.bias", "second.dense_3.kernel", "second.dense_3.bias"),
        "path": [(21, "asks for `first`, and gets None"), (22, "has nothing to apply")],
    },
    "w105_loss_of_another_tape": {
        "severity": "error",
        "message": "`generator` (4 variables) gets no gradient: it is asked of the loss at line 14, which this tape "
        "has not seen",
        "label": "this asks the wrong loss",
        "why": "That loss trains others, by the request at line 15. The loss at line 18 was computed for these, and "
        "nobody asks for its gradient.",
        "fix": "take the loss at line 18 in `tape.gradient(judge_loss, generator.trainable_variables)`",
        "variables": (
            "generator.dense.kernel",
            "generator.dense.bias",
            "generator.dense_1.kernel",
            "generator.dense_1.bias",
        ),
        "path": [(18, "their own loss, used by nothing"), (19, "asked of another loss")],
    },
    "w204_losses_of_a_cycle": {
        "severity": "error",
        "message": "`generator_g` (4 variables) and `generator_f` (4 variables) are each trained by the other's loss",
        "label": "this loss is for `generator_f`",
        "why": (
            "The loss that `generator_g` is moved by has a term which `generator_g` has no part in and "
            "`generator_f` has; with the one that moves `generator_f` at line 37 it is the other way round. "
            "Neither term trains anybody."
        ),
        "fix": "exchange the two losses, or the two networks that their gradients are asked of",
        "variables": (
            "generator_g.dense.kernel",
            "generator_g.dense.bias",
            "generator_g.dense_1.kernel",
            "generator_g.dense_1.bias",
            "generator_f.dense_2.kernel",
            "generator_f.dense_2.bias",
            "generator_f.dense_3.kernel",
            "generator_f.dense_3.bias",
        ),
        "path": [(36, "applied to `generator_g`"), (37, "applied to `generator_f`")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_words(name: str) -> None:
    assert said(only(run(FOLDER / f"{name}.py"), name.split("_")[0].upper())) == MESSAGES[name]
