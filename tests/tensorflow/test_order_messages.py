"""What the rules about order and ownership (W201 to W304) say on TensorFlow programs, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("tensorflow")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "tensorflow"

MESSAGES: dict[str, dict[str, Any]] = {
    "w201_never_applied": {
        "severity": "error",
        "message": "`net` (4 variables) gets a gradient that nobody applies: `optimizer` never applies one",
        "label": "computed, and never applied",
        "why": "The gradient is computed here, 4 times in this run, and it keeps its first values.",
        "fix": "call optimizer.apply_gradients(zip(gradients, variables)) after it",
        "variables": ("net.dense.kernel", "net.dense.bias", "net.dense_1.kernel", "net.dense_1.bias"),
        "path": [(7, "made here, and never used"), (12, "the gradient comes here")],
    },
    "w204_zipped_with_the_twin": {
        "severity": "error",
        "message": "`second` (4 variables) is given the gradient of `first` (4 variables)",
        "label": "gradients of `first` go to `second`",
        "why": "A gradient says how the loss at line 18 changes with the one variable "
        "it was computed for; for any other it is noise. The shapes happen to "
        "fit.",
        "fix": "pair each gradient with its own variable: the two lists must be made "
        "from the same variables, in the same order",
        "variables": ("second.dense_2.kernel", "second.dense_2.bias", "second.dense_3.kernel", "second.dense_3.bias"),
        "path": [(20, "gradients of `first`"), (23, "given to `second`")],
    },
    "w205_asked_for_both": {
        "severity": "error",
        "message": "`critic` (4 variables) is moved by the loss at line 22, which is there to train `actor`",
        "label": "asks for `critic` too",
        "why": "That loss makes the output of `critic` large and reaches `actor` through "
        "its input. Applied to `critic` it only inflates that output; what `critic` "
        "is to predict it learns from the loss at line 18.",
        "fix": "ask for `actor` alone: leave the variables of `critic` out of this gradient and its apply_gradients",
        "variables": ("critic.dense_2.kernel", "critic.dense_2.bias", "critic.dense_3.kernel", "critic.dense_3.bias"),
        "path": [(22, "the loss"), (24, "the gradient is computed here"), (25, "and applied here")],
    },
    "w206_loop_rebinds": {
        "severity": "error",
        "message": "`hidden` and `output` keep their first values: the update is computed and dropped",
        "label": "the new values are computed here, and nobody keeps them",
        "why": "The result is a new tensor. Binding it to a name, or changing a copy, leaves the variable as it was.",
        "fix": "write it into the variable: variable.assign_sub(rate * gradient), or let an optimizer do it",
        "variables": ("hidden", "output"),
        "path": [(13, "the gradient comes here"), (14, "computed and dropped")],
    },
    "w303_clipped_and_not_applied": {
        "severity": "error",
        "message": "the gradients clipped by `tf.clip_by_global_norm(grads, 0.5)` "
        "at line 13 are not the ones that are applied to `model` (4 "
        "variables)",
        "label": "applies the gradients from before the clipping",
        "why": "tf.clip_by_global_norm returns new gradients and leaves the given "
        "ones as they are. The step is given the ones from before.",
        "fix": "give the result of `tf.clip_by_global_norm(grads, 0.5)` to "
        "`optimizer.apply_gradients(zip(grads, model.trainable_variab…`",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [(13, "clipped here"), (14, "applied here")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
