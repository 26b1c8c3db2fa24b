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
        "label": "the step is not given what this returns",
        "why": "tf.clip_by_global_norm returns new gradients and leaves the given "
        "ones as they are. The step is given the ones from before.",
        "fix": "give the result of `tf.clip_by_global_norm(grads, 0.5)` to "
        "`optimizer.apply_gradients(zip(grads, model.trainable_variab…`",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [(13, "clipped here"), (14, "applied here")],
    },
    "w202_rebuilt_late": {
        "severity": "error",
        "message": "the optimizer was built for other variables than `net` has now",
        "label": "new variables, made after the optimizer was built",
        "why": "A Keras optimizer keeps a slot for every variable it was built with; a rebuilt or "
        "reloaded model has new ones.",
        "fix": "make a new optimizer for the new model, or keep the model and copy weights into it with set_weights()",
        "variables": ("net.dense.kernel", "net.dense.bias", "net.dense_1.kernel", "net.dense_1.bias"),
        "path": [(13, "the new variables"), (16, "refused here")],
    },
    "w205_makers_loss_trains_judge": {
        "severity": "warning",
        "message": "`judge` (4 variables) is moved by the loss at line 20, which is there to train `maker`",
        "label": "asks for `judge`, and nothing asks for `maker`",
        "why": "That loss is small where `judge` is wrong about what `maker` makes. Applied to "
        "`judge` it undoes what the loss at line 15 teaches.",
        "fix": "ask for `maker` here, in the place of `judge`, and apply it to `maker`",
        "variables": ("judge.dense_2.kernel", "judge.dense_2.bias", "judge.dense_3.kernel", "judge.dense_3.bias"),
        "path": [(20, "the loss"), (21, "the gradient is computed here"), (22, "and applied here")],
    },
    "w205_teacher_learns": {
        "severity": "warning",
        "message": "`teacher` (4 variables) is moved by the loss at line 17, which is there to train `student`",
        "label": "asks for `teacher` too",
        "why": "That loss compares the two, and is smallest wherever they agree. Applied to "
        "`teacher` it makes that one forget what it had learned from the loss at line 11.",
        "fix": "ask for `student` alone: leave the variables of `teacher` out of this gradient and its apply_gradients",
        "variables": ("teacher.dense.kernel", "teacher.dense.bias", "teacher.dense_1.kernel", "teacher.dense_1.bias"),
        "path": [(17, "the loss"), (18, "the gradient is computed here"), (19, "and applied here")],
    },
    "w205_teacher_within_a_model": {
        "severity": "warning",
        "message": "`teacher` (4 variables) is moved by the loss at line 33, which is there to train `student`",
        "label": "the teacher's output; it is trained at line 33 too",
        "why": "That loss compares the two, and is smallest wherever they agree. Applied to "
        "`teacher` it makes that one forget what it had learned from the loss at line 30.",
        "fix": "freeze `teacher` (trainable = False) before this model is compiled: it has learned already",
        "variables": ("teacher.conv2d.kernel", "teacher.conv2d.bias", "teacher.dense.kernel", "teacher.dense.bias"),
        "path": [(33, "the loss"), (33, "the gradient is computed here"), (33, "and applied here")],
    },
    "w205_combined_model": {
        "severity": "warning",
        "message": "`judge` (4 variables) is moved by the loss at line 18, which is there to train `maker`",
        "label": "trains `judge` too",
        "why": "That loss is small where `judge` is wrong about what `maker` makes. Applied to "
        "`judge` it undoes what the loss at line 17 teaches.",
        "fix": "freeze `judge` (trainable = False) before this model is compiled: it keeps learning in its own",
        "variables": ("judge.dense.kernel", "judge.dense.bias", "judge.dense_1.kernel", "judge.dense_1.bias"),
        "path": [(18, "the loss"), (18, "the gradient is computed here"), (18, "and applied here")],
    },
    "w206_numpy_copy": {
        "severity": "error",
        "message": "`model` (4 variables) keeps its first values: the update is computed and dropped",
        "label": "the new values are computed here, and nobody keeps them",
        "why": "The result is a new tensor. Binding it to a name, or changing a copy, leaves the variable as it was.",
        "fix": "write it into the variable: variable.assign_sub(rate * gradient), or let an optimizer do it",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [(13, "the gradient comes here"), (16, "computed and dropped")],
    },
    "w301_sum_emptied": {
        "severity": "error",
        "message": "`model` (4 variables) gets zeros in every step: the gradients that were summed up at "
        "line 22 are overwritten before they are applied",
        "label": "empties what the gradients were summed up in",
        "why": "`optimizer.apply_gradients(zip(sums, model.trainable_variabl…` is given variables "
        "that hold the sum of several gradients. They were set to zero just before, so that "
        "the step changes nothing.",
        "fix": "move `total.assign(tf.zeros_like(total))` behind `optimizer.apply_gradients(zip(sums, "
        "model.trainable_variabl…`",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [
            (22, "the gradient is added here"),
            (14, "and is overwritten here"),
            (25, "before it could be applied here"),
        ],
    },
    "w304_sums_in_a_list": {
        "severity": "error",
        "message": "the gradients of `model` (4 variables) pile up: `a + g` adds to a sum that was applied before "
        "and never set to zero",
        "label": "the gradients of the updates before are still there",
        "why": "The update at line 15 applies the sum and leaves it as it is. Each update applies all gradients "
        "so far, of which all but the last belong to weights that are long gone.",
        "fix": "begin a new sum after each update: [tf.zeros_like(v) for v in variables]; or "
        "gradient_accumulation_steps of a Keras optimizer",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [
            (12, "a gradient comes here"),
            (13, "added to those of the updates before"),
            (15, "applies the whole sum"),
        ],
    },
    "w206_worker_keeps_its_own": {
        "severity": "error",
        "message": "`shared` (4 variables) keeps its first values: copies of it are trained, and nothing uses "
        "them afterwards",
        "label": "this trains a copy of `shared`",
        "why": "Each of 8 trainings began with the same values of `shared`. A copy has variables of its own: "
        "training it changes nothing in the original.",
        "fix": "load the result back into `shared` (set_weights), or train `shared` itself",
        "variables": ("shared.dense.kernel", "shared.dense.bias", "shared.dense_1.kernel", "shared.dense_1.bias"),
        "path": [(21, "the copy is trained here")],
    },
    "w303_helper_clips_in_vain": {
        "severity": "error",
        "message": "the gradients clipped by `clipped_by_norm(pairs, 0.5)` at line 22 are not the ones that are "
        "applied to `net` (4 variables)",
        "label": "its result is dropped",
        "why": "tf.clip_by_norm returns new gradients and leaves the given ones as they are. The step is given "
        "the ones from before.",
        "fix": "give the result of `clipped_by_norm(pairs, 0.5)` to `optimizer.apply_gradients(pairs)`",
        "variables": ("net.dense.kernel", "net.dense.bias", "net.dense_1.kernel", "net.dense_1.bias"),
        "path": [(22, "clipped here"), (23, "applied here")],
    },
    "w303_clipped_under_another_name": {
        "severity": "error",
        "message": "the gradients clipped by `tf.clip_by_global_norm(grads, 0.5)` at line 16 are not the ones that are "
        "applied to `policy` (4 variables)",
        "label": "the step is not given what this returns",
        "why": "tf.clip_by_global_norm returns new gradients and leaves the given ones as they are. The step is given "
        "the ones from before.",
        "fix": "give the result of `tf.clip_by_global_norm(grads, 0.5)` to `self.optimizer.apply_gradients(zip(grads, "
        "self.policy.train…`",
        "variables": ("policy.dense.kernel", "policy.dense.bias", "policy.dense_1.kernel", "policy.dense_1.bias"),
        "path": [(16, "clipped here"), (17, "applied here")],
    },
    "w204_twins_swapped": {
        "severity": "error",
        "message": "`q1` (4 variables) and `q2` (4 variables) are given the gradient of one another",
        "label": "gradients and variables are in different orders",
        "why": "A gradient says how the loss at line 20 changes with the one variable it was computed for; for any "
        "other it is noise. The shapes happen to fit.",
        "fix": "pair each gradient with its own variable: the two lists must be made from the same variables, in the "
        "same order",
        "variables": (
            "q1.dense.kernel",
            "q1.dense.bias",
            "q1.dense_1.kernel",
            "q1.dense_1.bias",
            "q2.dense_2.kernel",
            "q2.dense_2.bias",
            "q2.dense_3.kernel",
            "q2.dense_3.bias",
        ),
        "path": [(21, "gradients of the networks"), (22, "given to the networks")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
