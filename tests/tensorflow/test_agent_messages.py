"""What the rules say where a program keeps several networks of one build, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("tensorflow")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "tensorflow"

MESSAGES: dict[str, dict[str, Any]] = {
    "w503_two_holders": {
        "severity": "warning",
        "message": "`target_actor.model` never follows `actor.model`",
        "label": "copied here once, and never again",
        "why": "The loss takes its targets from `target_actor.model`, which stays what it was when training began.",
        "fix": "do the same after every so many updates: "
        "`self.target_actor.model.set_weights(self.actor.model.get_we…`",
        "variables": (
            "target_actor.model.dense_4.kernel",
            "target_actor.model.dense_4.bias",
            "target_actor.model.dense_5.kernel",
            "target_actor.model.dense_5.bias",
        ),
        "path": [
            (44, "the target is computed with `target_actor.model`"),
            (38, "copied here once, and never again"),
            (30, "the loss"),
        ],
    },
    "w105_average_in_its_place": {
        "severity": "error",
        "message": "`model.network` (4 variables) gets no gradient: the loss at line 23 is computed with "
        "`model.average` in its place",
        "label": "this runs `model.average`, and `model.network` is the one to be trained",
        "why": "`model.average` is of the same build, and no gradient is asked for it; `model.network` is never "
        "called for this loss.",
        "fix": "call `model.network` in `network(noisy)` while training",
        "variables": (
            "model.network.dense.kernel",
            "model.network.dense.bias",
            "model.network.dense_1.kernel",
            "model.network.dense_1.bias",
        ),
        "path": [(18, "computed with `model.average`"), (23, "the loss")],
    },
    "w206_average_dropped": {
        "severity": "error",
        "message": "`model.average` (4 variables) keeps its first values: the average with `model.network` is "
        "computed and dropped",
        "label": "the new values of `model.average` end here",
        "why": "The result is a new tensor. Binding it to a name leaves the variable as it was.",
        "fix": "write it into the variable: variable.assign(0.99 * mean + 0.01 * new)",
        "variables": (
            "model.average.dense.kernel",
            "model.average.dense.bias",
            "model.average.dense_1.kernel",
            "model.average.dense_1.bias",
        ),
        "path": [(23, "computed and dropped")],
    },
    "w501_distribution": {
        "severity": "warning",
        "message": "the loss at line 25 trains `online` through its own target",
        "label": "this target carries a gradient into `online`",
        "why": "The target is the number that the prediction should move to. With a gradient through it the loss "
        "also moves the target to the prediction, so that the values of the next states are fitted to those before "
        "them.",
        "fix": "stop the target: put tf.stop_gradient(…) around `tf.reduce_sum(online(after)[:, :, None] * share, "
        "axis=1)`, or compute it before the tape",
        "variables": ("online.dense.kernel", "online.dense.bias", "online.dense_1.kernel", "online.dense_1.bias"),
        "path": [(24, "the target, with a gradient"), (25, "compared with the prediction"), (25, "the loss")],
    },
    "w103_rollout_and_loss": {
        "severity": "error",
        "message": "`policy.dense_2` (2 variables) gets no gradient from the loss at line 31",
        "label": "the value leaves the framework here (np.clip) and comes back at line 16 as a constant",
        "why": "Python numbers and NumPy arrays carry no gradient; what is computed with them is a constant to the "
        "framework.",
        "fix": "stay in the framework up to the loss: drop np.clip in `np.clip(deviation, 0.01, 1.0)` and use tf / "
        "keras.ops functions",
        "variables": ("policy.dense_2.kernel", "policy.dense_2.bias"),
        "path": [
            (29, "the output of `policy.dense_2`"),
            (15, "the gradient stops here"),
            (16, "comes back here, as a constant"),
            (31, "the loss"),
        ],
    },
    "w503_sees_the_states_too": {
        "severity": "error",
        "message": "`target` is copied into `online`, not the other way round",
        "label": "copies the target into the trained network",
        "why": "The sync takes the trained network back to the target at each call, and `target` itself never changes.",
        "fix": "swap the two: `target` receives, `online` gives",
        "variables": ("target.dense_2.kernel", "target.dense_2.bias", "target.dense_3.kernel", "target.dense_3.bias"),
        "path": [
            (22, "the target is computed with `target`"),
            (24, "copies the target into the trained network"),
            (23, "the loss"),
        ],
    },
    "w103_in_the_pipeline": {
        "severity": "error",
        "message": "`encoder` (4 variables) gets no gradient from the loss at line 20",
        "label": "runs in a data pipeline here: what comes out of it is data",
        "why": "The pipeline's functions are compiled and run apart from the training step; no tape sees them.",
        "fix": "leave `encoder` out of the pipeline, and call it inside the tape with what the pipeline gives",
        "variables": ("encoder.dense.kernel", "encoder.dense.bias", "encoder.dense_1.kernel", "encoder.dense_1.bias"),
        "path": [(18, "the gradient stops here"), (20, "the loss")],
    },
    "w503_counter_never_counts": {
        "severity": "warning",
        "message": "the sync of `target_model` is never reached: nothing changes `self.since_sync`",
        "label": "this never comes true",
        "why": "`self.since_sync` has the same value in every update, and so the condition of the sync does. The "
        "loss takes its targets from `target_model`, which stays what it was when training began.",
        "fix": "count the updates in `self.since_sync`",
        "variables": (
            "target_model.dense_2.kernel",
            "target_model.dense_2.bias",
            "target_model.dense_3.kernel",
            "target_model.dense_3.bias",
        ),
        "path": [
            (24, "the target is computed with `target_model`"),
            (27, "this never comes true"),
            (26, "the loss"),
        ],
    },
    "w503_second_target_left": {
        "severity": "warning",
        "message": "`second_target` never follows `second`",
        "label": "copied here once, and never again",
        "why": "The loss takes its targets from `second_target`, which stays what it was when training began.",
        "fix": "after every so many updates: `second_target.set_weights(second.get_weights())`, "
        "or average with `assign()`",
        "variables": (
            "second_target.dense_6.kernel",
            "second_target.dense_6.bias",
            "second_target.dense_7.kernel",
            "second_target.dense_7.bias",
        ),
        "path": [
            (29, "the target is computed with `second_target`"),
            (19, "copied here once, and never again"),
            (31, "the loss"),
        ],
    },
    "w502_both_given_to_a_function": {
        "severity": "error",
        "message": "`target` and `online` are one network: `online` (4 variables)",
        "label": "`target = online` makes no second network",
        "why": "A target network holds still while the online one learns. Here every step of the optimizer "
        "moves the targets too, and the sync at line 33 copies the weights onto themselves.",
        "fix": "make `target` a network of its own: keras.models.clone_model(online), then "
        "target.set_weights(online.get_weights())",
        "variables": ("online.dense.kernel", "online.dense.bias", "online.dense_1.kernel", "online.dense_1.bias"),
        "path": [(11, "one network under two names"), (33, "copies the network onto itself")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
