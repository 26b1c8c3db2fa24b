"""What the rules about objectives (W501 to W506) say on TensorFlow programs, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("tensorflow")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "tensorflow"

MESSAGES: dict[str, dict[str, Any]] = {
    "w501_td_in_tape": {
        "severity": "warning",
        "message": "the loss at line 17 trains `model` through its own target",
        "label": "this target carries a gradient into `model`",
        "why": "The target is the number that the prediction should move to. With a gradient through it the loss "
        "also moves the target to the prediction, so that the values of the next states are fitted to those "
        "before them.",
        "fix": "stop the target: put tf.stop_gradient(…) around `rewards + (1.0 - done) * 0.99 * best`, or compute "
        "it before the tape",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [(15, "the target, with a gradient"), (17, "compared with the prediction"), (17, "the loss")],
    },
    "w502_one_model": {
        "severity": "error",
        "message": "`target_model` and `model` are one network: `model` (4 variables)",
        "label": "`target_model = model` makes no second network",
        "why": "A target network holds still while the online one learns. Here every step of the optimizer moves "
        "the targets too.",
        "fix": "make `target_model` a network of its own: keras.models.clone_model(model), then "
        "target_model.set_weights(model.get_weights())",
        "variables": ("model.dense.kernel", "model.dense.bias", "model.dense_1.kernel", "model.dense_1.bias"),
        "path": [(7, "one network under two names")],
    },
    "w502_agent_alias": {
        "severity": "error",
        "message": "`self.target` and `self.online` are one network: `online` (4 variables)",
        "label": "`self.target = self.online` makes no second network",
        "why": "A target network holds still while the online one learns. Here every step of the optimizer moves "
        "the targets too.",
        "fix": "make `self.target` a network of its own: keras.models.clone_model(self.online), then "
        "self.target.set_weights(self.online.get_weights())",
        "variables": ("online.dense.kernel", "online.dense.bias", "online.dense_1.kernel", "online.dense_1.bias"),
        "path": [(9, "one network under two names")],
    },
    "w503_not_assigned": {
        "severity": "error",
        "message": "the average for `target_critic` is computed and not stored",
        "label": "the result is bound to a name and dropped",
        "why": "A new tensor is made and nothing is written into `target_critic`.",
        "fix": "write it into the variable: variable.assign(0.005 * fast + 0.995 * slow)",
        "variables": (
            "target_critic.dense.kernel",
            "target_critic.dense.bias",
            "target_critic.dense_1.kernel",
            "target_critic.dense_1.bias",
        ),
        "path": [
            (12, "the target is computed with `target_critic`"),
            (17, "the result is bound to a name and dropped"),
            (14, "the loss"),
        ],
    },
    "w503_once_in_init": {
        "severity": "warning",
        "message": "`target_model` never follows `model`",
        "label": "copied here once, and never again",
        "why": "The loss takes its targets from `target_model`, which stays what it was when training began.",
        "fix": "do the same after every so many updates: `self.target_model.set_weights(self.model.get_weights())`",
        "variables": (
            "target_model.dense_2.kernel",
            "target_model.dense_2.bias",
            "target_model.dense_3.kernel",
            "target_model.dense_3.bias",
        ),
        "path": [
            (18, "the target is computed with `target_model`"),
            (13, "copied here once, and never again"),
            (21, "the loss"),
        ],
    },
    "w504_critic_column": {
        "severity": "error",
        "message": "`returns - values` pairs every row of the batch with every row: (24,) against (24, 1)",
        "label": "(24,) against (24, 1) gives (24, 24)",
        "why": "Broadcasting makes a (24, 24) matrix of the two, and the loss at line 18 takes in all of it. Its "
        "gradient pulls each prediction to the mean of all 24 targets.",
        "fix": "give both the same shape before they meet: tf.squeeze(…, axis=1) on the second makes it (24,)",
        "variables": (
            "model.dense.kernel",
            "model.dense.bias",
            "model.dense_2.kernel",
            "model.dense_2.bias",
            "model.dense_1.kernel",
            "model.dense_1.bias",
        ),
        "path": [(17, "every row meets every row"), (18, "the loss")],
    },
    "w504_bellman_sum": {
        "severity": "error",
        "message": "`rewards + 0.99 * target_critic(following)` pairs every row of the batch with every row: (32,) "
        "against (32, 1)",
        "label": "(32,) against (32, 1) gives (32, 32)",
        "why": "Broadcasting makes a (32, 32) matrix of the two, and the loss at line 20 takes in all of it. Its "
        "gradient pulls each prediction to the mean of all 32 targets.",
        "fix": "give both the same shape before they meet: tf.reshape(…, (-1, 1)) on the first makes it (32, 1)",
        "variables": ("critic.dense.kernel", "critic.dense.bias", "critic.dense_1.kernel", "critic.dense_1.bias"),
        "path": [(18, "every row meets every row"), (20, "the loss")],
    },
    "w505_live_gaussian": {
        "severity": "error",
        "message": "`mean + std * noise` carries a gradient into its own log-probability at line 17",
        "label": "this sample carries its gradient along",
        "why": "Weighed by a return, a log-probability must be taken of a constant action. Through mean + std * "
        "noise the distance of the action from its mean no longer depends on the mean, and the mean's "
        "gradient is zero.",
        "fix": "take the action as a constant: tf.stop_gradient around the action; keep the reparameterised sample "
        "for a critic's gradient",
        "variables": (
            "policy.dense.kernel",
            "policy.dense.bias",
            "policy.dense_1.kernel",
            "policy.dense_1.bias",
            "log_std",
        ),
        "path": [(14, "the sample, with a gradient"), (17, "its log-probability, weighed"), (17, "the loss")],
    },
    "w505_live_return": {
        "severity": "warning",
        "message": "the weight of a log-probability at line 20 carries a gradient into `critic`",
        "label": "the weight here carries a gradient into `critic`",
        "why": "The weight says how good an action was; it is a constant to the policy's gradient. With a gradient "
        "through it the policy loss also moves the value estimates, towards whatever makes this product "
        "smaller.",
        "fix": "stop the weight with tf.stop_gradient: `target - self.critic(states)[:, 0]` must reach this "
        "product as a constant; the value has its own loss",
        "variables": ("critic.dense_2.kernel", "critic.dense_2.bias", "critic.dense_3.kernel", "critic.dense_3.bias"),
        "path": [(19, "the weight, with a gradient"), (20, "weighs a log-probability"), (21, "the loss")],
    },
    "w506_made_in_loop": {
        "severity": "warning",
        "message": "`train_step` was traced in 12 of 12 calls",
        "label": "a new tf.function at each pass of the loop",
        "why": "A function that tf.function makes anew has no traces yet, so that its first call is traced. "
        "Tracing costs a hundred times a call and more, and every trace is kept.",
        "fix": "make the compiled function once, before the loop, and call that in the loop",
        "variables": (),
        "path": [(18, "a new tf.function at each pass of the loop")],
    },
    "w506_list_of_numbers": {
        "severity": "warning",
        "message": "`update` was traced in 7 of 8 calls",
        "label": "called with another Python number each time",
        "why": "A Python number is part of what a trace is for: a list of 13 then one of 8 are "
        "two traces. Tracing costs a hundred times a call and more, and every trace is kept.",
        "fix": "pass it as a tensor: tf.constant(…), or a tf.Variable",
        "variables": (),
        "path": [(26, "called with another Python number each time")],
    },
    "w506_python_number": {
        "severity": "warning",
        "message": "`train_step` was traced in 12 of 12 calls",
        "label": "called with another Python number each time",
        "why": "A Python number is part of what a trace is for: 0.09090909090909091 then 0.08333333333333333 are "
        "two traces. Tracing costs a hundred times a call and more, and every trace is kept.",
        "fix": "pass it as a tensor: tf.constant(…), or a tf.Variable",
        "variables": (),
        "path": [(20, "called with another Python number each time")],
    },
    "w502_shared_layers": {
        "severity": "error",
        "message": "`target` and `online` are one network: `hidden` (2 variables) and `head` (2 variables)",
        "label": "`target = build()` makes no second network",
        "why": "A target network holds still while the online one learns. Here every step of the "
        "optimizer moves the targets too.",
        "fix": "make `target` a network of its own: keras.models.clone_model(online), then "
        "target.set_weights(online.get_weights())",
        "variables": ("hidden.kernel", "hidden.bias", "head.kernel", "head.bias"),
        "path": [(16, "one network under two names")],
    },
    "w502_fit_and_predict": {
        "severity": "error",
        "message": "`self.target_net` and `self.q_net` are one network: `q_net` (4 variables)",
        "label": "`self.target_net = self.q_net` makes no second network",
        "why": "A target network holds still while the online one learns. Here every step of the "
        "optimizer moves the targets too.",
        "fix": "make `self.target_net` a network of its own: keras.models.clone_model(self.q_net), "
        "then self.target_net.set_weights(self.q_net.get_weights())",
        "variables": ("q_net.dense.kernel", "q_net.dense.bias", "q_net.dense_1.kernel", "q_net.dense_1.bias"),
        "path": [(12, "one network under two names")],
    },
    "w503_fit_and_predict": {
        "severity": "warning",
        "message": "`target_model` never follows `model`",
        "label": "the target network is used here and never synced",
        "why": "The loss takes its targets from `target_model`, which stays what it was when training began.",
        "fix": "after every so many updates: `target_model.set_weights(model.get_weights())`, "
        "or average with `assign()`",
        "variables": (
            "target_model.dense_2.kernel",
            "target_model.dense_2.bias",
            "target_model.dense_3.kernel",
            "target_model.dense_3.bias",
        ),
        "path": [(20, "the target network is used here and never synced"), (23, "the loss")],
    },
    "w503_counted_in_python": {
        "severity": "warning",
        "message": "the sync of `target` is in a compiled function that was traced without it",
        "label": "left out of the trace",
        "why": "tf.function runs Python once, while it traces. A condition on a Python number is "
        "decided then: the sync was not due at that call, and `target` stays what it was in "
        "all the others.",
        "fix": "sync outside of the compiled function, or make the condition a tensor: a tf.Variable that counts",
        "variables": ("target.dense_2.kernel", "target.dense_2.bias", "target.dense_3.kernel", "target.dense_3.bias"),
        "path": [(26, "the target is computed with `target`"), (25, "left out of the trace"), (28, "the loss")],
    },
    "w503_synced_into_another": {
        "severity": "error",
        "message": "`online` is copied into a network that nothing uses; `target` never follows",
        "label": "this copy is not the target network",
        "why": "The loss takes its targets from another network than the one that is synced here.",
        "fix": "copy into `target`",
        "variables": ("target.dense_2.kernel", "target.dense_2.bias", "target.dense_3.kernel", "target.dense_3.bias"),
        "path": [
            (17, "the target is computed with `target`"),
            (23, "this copy is not the target network"),
            (19, "the loss"),
        ],
    },
    "w505_density_by_hand": {
        "severity": "error",
        "message": "`mean + std * tf.random.normal((32, 1))` carries a gradient into its own "
        "log-probability at line 17",
        "label": "this sample carries its gradient along",
        "why": "Weighed by a return, a log-probability must be taken of a constant action. Through "
        "mean + std * noise the distance of the action from its mean no longer depends on the "
        "mean, and the mean's gradient is zero.",
        "fix": "take the action as a constant: tf.stop_gradient around the action; keep the "
        "reparameterised sample for a critic's gradient",
        "variables": (
            "mean_net.dense.kernel",
            "mean_net.dense.bias",
            "mean_net.dense_1.kernel",
            "mean_net.dense_1.bias",
            "log_std",
        ),
        "path": [(14, "the sample, with a gradient"), (17, "its log-probability, weighed"), (17, "the loss")],
    },
    "w502_kept_and_not_asked": {
        "severity": "warning",
        "message": "the target is computed with `one`, and `one_target`, which follows it, is never used",
        "label": "this should be `one_target`",
        "why": "A target network holds still while the online one learns. It is there and kept in step, but the "
        "targets come from `one` and move with every update.",
        "fix": "compute the target with `one_target` in `self.one(following)`",
        "variables": ("one.hidden.kernel", "one.hidden.bias", "one.out.kernel", "one.out.bias"),
        "path": [(31, "the target is computed with `one`"), (34, "the loss")],
    },
    "w503_back_into_the_online_one": {
        "severity": "error",
        "message": "`target` is copied into `online`, not the other way round",
        "label": "copies the target into the trained network",
        "why": "The sync takes the trained network back to the target at each call, and `target` itself never changes.",
        "fix": "swap the two: `target` receives, `online` gives",
        "variables": (
            "target.dense_2.kernel",
            "target.dense_2.bias",
            "target.batch_normalization_1.moving_mean",
            "target.batch_normalization_1.moving_variance",
            "target.batch_normalization_1.gamma",
            "target.batch_normalization_1.beta",
            "target.dense_3.kernel",
            "target.dense_3.bias",
        ),
        "path": [
            (26, "the target is computed with `target`"),
            (39, "copies the target into the trained network"),
            (29, "the loss"),
        ],
    },
    "w503_updater_never_called": {
        "severity": "warning",
        "message": "`target_network` never follows `network`",
        "label": "copied here once, and never again",
        "why": "The loss takes its targets from `target_network`, which stays what it was when training began.",
        "fix": "after every so many updates: `target_network.set_weights(network.get_weights())`, or average with "
        "`assign()`",
        "variables": (
            "target_network.dense_2.kernel",
            "target_network.dense_2.bias",
            "target_network.dense_3.kernel",
            "target_network.dense_3.bias",
        ),
        "path": [
            (44, "the target is computed with `target_network`"),
            (34, "copied here once, and never again"),
            (45, "the loss"),
        ],
    },
    "w505_one_action_at_a_time": {
        "severity": "error",
        "message": "`drawn(mean, deviation)` carries a gradient into its own log-probability at line 19",
        "label": "this sample carries its gradient along",
        "why": "Weighed by a return, a log-probability must be taken of a constant action. Through mean + std * noise "
        "the distance of the action from its mean no longer depends on the mean, and the mean's gradient is zero.",
        "fix": "take the action as a constant: tf.stop_gradient around the action; keep the reparameterised sample for "
        "a critic's gradient",
        "variables": (
            "policy.dense.kernel",
            "policy.dense.bias",
            "policy.dense_2.kernel",
            "policy.dense_2.bias",
            "policy.dense_1.kernel",
            "policy.dense_1.bias",
        ),
        "path": [(25, "the sample, with a gradient"), (19, "its log-probability, weighed"), (27, "the loss")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]


def test_a_method_that_moves_all_targets_is_told_where_it_is_called() -> None:
    finding = only(run(FOLDER / "w503_one_method_for_all.py"), "W503")
    assert finding.message == "`target_critic` never follows `critic`"
    assert finding.label == "called here once, and never again"
    assert finding.fix == "call `self.move(1.0)` after every so many updates, too"
