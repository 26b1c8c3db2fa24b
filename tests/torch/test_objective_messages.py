"""What the rules about objectives (W501 to W505) say on PyTorch programs, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "torch"

MESSAGES: dict[str, dict[str, Any]] = {
    "w104_latent_drawn": {
        "severity": "warning",
        "message": "`torch.normal(mu, (0.5 * log_var).exp())` is a plain sample: what the network makes of it does not "
        "train `model.encoder`",
        "label": "drawn as a constant: the gradient of the network behind it stops here",
        "why": "The sample goes on into a network whose output the loss judges, and the only way from there to the "
        "mean and the deviation is through the sample. A plain one is a constant; only the other terms of the loss "
        "train them.",
        "fix": "draw it reparameterised: mean + std * torch.randn_like(std), or dist.rsample()",
        "variables": (
            "model.encoder.0.weight",
            "model.encoder.0.bias",
            "model.encoder.2.weight",
            "model.encoder.2.bias",
        ),
        "path": [(16, "a plain sample, without a gradient"), (17, "goes into a network"), (27, "the loss")],
    },
    "w503_average_in_module": {
        "severity": "error",
        "message": "the average for `pair.target` is computed and not stored",
        "label": "the result is bound to a name and dropped",
        "why": "A new tensor is made and nothing is written into `pair.target`.",
        "fix": "write it into the parameter: p_target.data.copy_(…), or p_target.lerp_(p, tau) under no_grad",
        "variables": ("pair.target.0.weight", "pair.target.0.bias", "pair.target.2.weight", "pair.target.2.bias"),
        "path": [(33, "the loss"), (20, "the result is bound to a name and dropped")],
    },
    "w501_td_both_sides": {
        "severity": "warning",
        "message": "the loss at line 20 trains `q_net` through its own target",
        "label": "this target carries a gradient into `q_net`",
        "why": "The target is the number that the prediction should move to. With a gradient through it the loss "
        "also moves the target to the prediction, so that the values of the next states are fitted to those "
        "before them.",
        "fix": "stop the target: compute `rewards + 0.99 * best * (1.0 - done)` under `with torch.no_grad():`, or "
        "detach() it",
        "variables": ("q_net.0.weight", "q_net.0.bias", "q_net.2.weight", "q_net.2.bias"),
        "path": [(14, "the target, with a gradient"), (15, "compared with the prediction"), (20, "the loss")],
    },
    "w501_stopped_for_the_weight_alone": {
        "severity": "warning",
        "message": "the loss at line 24 trains the networks through its own target",
        "label": "the target compared here carries a gradient into the networks",
        "why": "The target is the number that the prediction should move to. With a gradient through it the loss "
        "also moves the target to the prediction, so that the values of the next states are fitted to those "
        "before them.",
        "fix": "stop the target: compute it under `with torch.no_grad():`, or detach() it",
        "variables": ("body.weight", "body.bias", "value.weight", "value.bias"),
        "path": [(18, "the target, with a gradient"), (22, "compared with the prediction"), (24, "the loss")],
    },
    "w501_views_not_stopped": {
        "severity": "warning",
        "message": "the loss at line 24 trains `model.encoder` through its own target",
        "label": "what is to be predicted carries a gradient here",
        "why": "Each view is predicted from the other, and what is to be predicted moves towards the prediction as "
        "well. Nothing holds the features apart: that all inputs get the same ones makes this loss smallest.",
        "fix": "stop the features that the prediction is compared with: put .detach() around them, in both directions",
        "variables": (
            "model.encoder.0.weight",
            "model.encoder.0.bias",
            "model.encoder.2.weight",
            "model.encoder.2.bias",
        ),
        "path": [
            (15, "features of the other view, with a gradient"),
            (24, "the prediction is compared with them"),
            (24, "the loss"),
        ],
    },
    "w502_one_object": {
        "severity": "error",
        "message": "`self.target` and `self.online` are one network: `online` (4 variables)",
        "label": "`self.target = self.online` makes no second network",
        "why": "A target network holds still while the online one learns. Here every step of the optimizer moves "
        "the targets too.",
        "fix": "make `self.target` a network of its own: copy.deepcopy(self.online)",
        "variables": ("online.0.weight", "online.0.bias", "online.2.weight", "online.2.bias"),
        "path": [(10, "one network under two names")],
    },
    "w502_reference_is_the_policy": {
        "severity": "error",
        "message": "`reference` and `policy` are one network: `policy` (4 variables)",
        "label": "`reference = policy` makes no second network",
        "why": "The loss holds the one against the other, and they say the same in every update: what is to stay "
        "behind moves with every step of the optimizer.",
        "fix": "make `reference` a network of its own: copy.deepcopy(policy)",
        "variables": ("policy.0.weight", "policy.0.bias", "policy.2.weight", "policy.2.bias"),
        "path": [(8, "one network under two names")],
    },
    "w502_shallow_copy": {
        "severity": "error",
        "message": "`self.target` and `self.online` are one network: `online` (4 variables)",
        "label": "`self.target = copy.copy(self.online)` makes no second network",
        "why": "A target network holds still while the online one learns. Here every step of the optimizer moves "
        "the targets too.",
        "fix": "make `self.target` a network of its own: copy.deepcopy(self.online)",
        "variables": ("online.0.weight", "online.0.bias", "online.2.weight", "online.2.bias"),
        "path": [(13, "one network under two names")],
    },
    "w503_never_again": {
        "severity": "warning",
        "message": "`target_net` never follows `q_net`",
        "label": "copied here once, and never again",
        "why": "The loss takes its targets from `target_net`, which stays what it was when training began.",
        "fix": "do the same after every so many updates: `target_net.load_state_dict(q_net.state_dict())`",
        "variables": ("target_net.0.weight", "target_net.0.bias", "target_net.2.weight", "target_net.2.bias"),
        "path": [
            (19, "the target is computed with `target_net`"),
            (14, "copied here once, and never again"),
            (20, "the loss"),
        ],
    },
    "w503_rebound_local": {
        "severity": "error",
        "message": "the average for `critic_target` is computed and not stored",
        "label": "the result is bound to a name and dropped",
        "why": "A new tensor is made and nothing is written into `critic_target`.",
        "fix": "write it into the parameter: p_target.data.copy_(…), or p_target.lerp_(p, tau) under no_grad",
        "variables": (
            "critic_target.0.weight",
            "critic_target.0.bias",
            "critic_target.2.weight",
            "critic_target.2.bias",
        ),
        "path": [
            (14, "the target is computed with `critic_target`"),
            (20, "the result is bound to a name and dropped"),
            (15, "the loss"),
        ],
    },
    "w503_swapped": {
        "severity": "error",
        "message": "`nets['frozen']` is copied into `nets['online']`, not the other way round",
        "label": "copies the target into the trained network",
        "why": "The sync takes the trained network back to the target at each call, and `nets['frozen']` itself "
        "never changes.",
        "fix": "swap the two: `nets['frozen']` receives, `nets['online']` gives",
        "variables": (
            "nets['frozen'].0.weight",
            "nets['frozen'].0.bias",
            "nets['frozen'].2.weight",
            "nets['frozen'].2.bias",
        ),
        "path": [
            (18, "the target is computed with `nets['frozen']`"),
            (23, "copies the target into the trained network"),
            (19, "the loss"),
        ],
    },
    "w504_value_column": {
        "severity": "error",
        "message": "`returns - values` pairs every row of the batch with every row: (64,) against (64, 1)",
        "label": "(64,) against (64, 1) gives (64, 64)",
        "why": "Broadcasting makes a (64, 64) matrix of the two, and the loss at line 12 takes in all of it. Its "
        "gradient pulls each prediction to the mean of all 64 targets.",
        "fix": "give both the same shape before they meet: .squeeze(1) on the second makes it (64,)",
        "variables": ("critic.0.weight", "critic.0.bias", "critic.2.weight", "critic.2.bias"),
        "path": [(12, "every row meets every row"), (12, "the loss")],
    },
    "w504_several_targets": {
        "severity": "warning",
        "message": "`nn.functional.mse_loss(critic(torch.cat([states, actions], …` holds each prediction against 3 "
        "targets: (16, 1) against (16, 3)",
        "label": "(16, 1) against (16, 3)",
        "why": "Broadcasting repeats the prediction for each of the 3 columns, and the loss at line 17 pulls it to "
        "their mean. PyTorch warns of the two sizes.",
        "fix": "give both the same shape before they meet: what belongs to one number is summed up first (the "
        "log-probability of several actions: .sum(dim=1, keepdim=True))",
        "variables": ("critic.0.weight", "critic.0.bias", "critic.2.weight", "critic.2.bias"),
        "path": [(17, "each prediction meets 3 targets"), (17, "the loss")],
    },
    "w504_bellman_sum": {
        "severity": "error",
        "message": "`rewards + 0.99 * best` pairs every row of the batch with every row: (32,) against (32, 1)",
        "label": "(32,) against (32, 1) gives (32, 32)",
        "why": "Broadcasting makes a (32, 32) matrix of the two, and the loss at line 25 takes in all of it. Its "
        "gradient pulls each prediction to the mean of all 32 targets.",
        "fix": "give both the same shape before they meet: .reshape(-1, 1) on the first makes it (32, 1)",
        "variables": ("online.0.weight", "online.0.bias", "online.2.weight", "online.2.bias"),
        "path": [(24, "every row meets every row"), (25, "the loss")],
    },
    "w504_actions_in_a_column": {
        "severity": "error",
        "message": "`chances[torch.arange(32), actions]` pairs every row of the batch with every row: rows (32,) "
        "beside an index (32, 1)",
        "label": "rows (32,) beside an index (32, 1) gives (32, 32)",
        "why": "Indices are broadcast like numbers: a column of them is laid against all rows. That makes a (32, 32) "
        "matrix, and the loss at line 14 takes in all of it: each row learns at entries that other rows chose.",
        "fix": "give the indices the same shape: .squeeze(1) on the column makes it (32,)",
        "variables": ("policy.0.weight", "policy.0.bias", "policy.2.weight", "policy.2.bias"),
        "path": [(12, "each row at the index of every row"), (14, "the loss")],
    },
    "w504_all_actions": {
        "severity": "error",
        "message": "`q_net(states)[:, actions]` pairs every row of the batch with every row: each of 32 rows at 32 "
        "indices",
        "label": "each of 32 rows at 32 indices gives (32, 32)",
        "why": "The index is used for each row as a whole, not one entry of it for each row. That makes a (32, 32) "
        "matrix, and the loss at line 11 takes in all of it: each row learns at entries that other rows chose.",
        "fix": "choose one entry for each row: q[torch.arange(len(q)), index]",
        "variables": ("q_net.0.weight", "q_net.0.bias", "q_net.2.weight", "q_net.2.bias"),
        "path": [(10, "each row at the index of every row"), (11, "the loss")],
    },
    "w505_live_advantage": {
        "severity": "warning",
        "message": "the weight of a log-probability at line 27 carries a gradient into `net.value`",
        "label": "the weight is made here, and carries a gradient into `net.value`",
        "why": "The weight says how good an action was; it is a constant to the policy's gradient. With a gradient "
        "through it the policy loss also moves the value estimates, towards whatever makes this product "
        "smaller.",
        "fix": "stop the weight with .detach(): `returns - values` must reach the product as a constant; the value has "
        "its own loss",
        "variables": ("net.value.0.weight", "net.value.0.bias", "net.value.2.weight", "net.value.2.bias"),
        "path": [(25, "the weight, with a gradient"), (27, "weighs a log-probability"), (30, "the loss")],
    },
    "w505_plain_sample_sac": {
        "severity": "error",
        "message": "`dist.sample()` is a plain sample: the critic's term of the loss at line 35 trains nothing",
        "label": "drawn as a constant: the critic's gradient stops here",
        "why": "The loss wants the critic's value of the action to grow, and the only way from that value to the "
        "policy is through the action. A plain sample is a constant; only the other terms of the loss train "
        "the policy.",
        "fix": "draw it reparameterised: dist.rsample(), so that the gradient flows through the action",
        "variables": (
            "actor.body.0.weight",
            "actor.body.0.bias",
            "actor.mean.weight",
            "actor.mean.bias",
            "actor.log_std.weight",
            "actor.log_std.bias",
        ),
        "path": [(16, "a plain sample, without a gradient"), (35, "the critic's value of it"), (35, "the loss")],
    },
    "w505_rsample_reinforce": {
        "severity": "error",
        "message": "`policy.rsample()` carries a gradient into its own log-probability at line 14",
        "label": "this sample carries its gradient along",
        "why": "Weighed by a return, a log-probability must be taken of a constant action. Through mean + std * "
        "noise the distance of the action from its mean no longer depends on the mean, and the mean's "
        "gradient is zero.",
        "fix": "take the action as a constant: `policy.sample()` in place of `policy.rsample()`; keep the "
        "reparameterised sample for a critic's gradient",
        "variables": ("mean.weight", "mean.bias", "log_std"),
        "path": [(12, "the sample, with a gradient"), (14, "its log-probability, weighed"), (14, "the loss")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
