"""What is said of states, values and syncs that are computed and do not arrive where they should. Word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "torch"

MESSAGES: dict[str, dict[str, Any]] = {
    "w105_dueling_without_its_value": {
        "severity": "warning",
        "message": "`net.value` (4 variables) gets no gradient: the loss at line 27 does not use it",
        "label": "`self.value(hidden)` is not added here",
        "why": "`advantage - advantage.mean(dim=1, keepdim=True)` takes the mean away, and nothing is added to what is "
        "left. `self.value(hidden)` at line 17 makes one number for each of its rows, and nothing uses it.",
        "fix": "add `self.value(hidden)` to `advantage - advantage.mean(dim=1, keepdim=True)`, as a dueling network "
        "does, or do not train these variables",
        "variables": ("net.value.0.weight", "net.value.0.bias", "net.value.2.weight", "net.value.2.bias"),
        "path": [(17, "computed here, and dropped"), (19, "goes on without it"), (27, "the loss")],
    },
    "w107_state_kept_over_a_step": {
        "severity": "error",
        "message": "the backward pass at line 30 runs into the graph of a round before: its weights have been changed "
        "since at line 31",
        "label": "kept for a later loss, with its whole history",
        "why": "What `agent.net(x, before)` computed was kept with its whole history, and goes into this loss as a "
        "state. The pass follows it back to a forward pass with weights that a step has overwritten.",
        "fix": "keep the numbers alone: .detach() the state where it is put away (for an LSTM both parts), or run the "
        "rollout under torch.no_grad()",
        "variables": (),
        "path": [
            (41, "made in a round before, with its whole history"),
            (31, "the weights that it was made with are changed here"),
            (27, "goes into this loss"),
            (30, "and is walked here"),
        ],
    },
    "w109_one_critic_never_thawed": {
        "severity": "warning",
        "message": "`first` (4 variables) is given to the optimizer at line 11 but frozen",
        "label": "requires_grad=False from here on",
        "why": "It is frozen for another loss and not thawed behind it: from its next update on no gradient is "
        "computed, and the optimizer passes over it without a word.",
        "fix": "set requires_grad_(True) on it again behind the step of that other loss",
        "variables": ("first.0.weight", "first.0.bias", "first.2.weight", "first.2.bias"),
        "path": [(21, "frozen here"), (11, "and given to this optimizer")],
    },
    "w401_one_class": {
        "severity": "error",
        "message": "`net` (4 variables) gets a gradient of exactly zero from the loss at line 12",
        "label": "a softmax over one entry is 1 whatever goes in",
        "why": "`F.cross_entropy(net(x), torch.zeros(16, dtype=torch.long))` runs over a dimension of size 1, so the "
        "result is constant and has no slope. It was so in every update that was looked at.",
        "fix": "give it the dimension of the classes, or, for one output, use F.binary_cross_entropy_with_logits",
        "variables": ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"),
        "path": [(12, "the gradient becomes zero here")],
    },
    "w503_dict_updated": {
        "severity": "warning",
        "message": "the sync of `target_network` does not reach it: `target_network` never follows `q_network`",
        "label": "this changes something else",
        "why": "No variable of `target_network` is written here: what is changed is a copy or a dict that is thrown "
        "away. The loss takes its targets from `target_network`, which stays what it was when training began.",
        "fix": "after every so many updates: `target_network.load_state_dict(q_network.state_dict())`, or average with "
        "`lerp_()`",
        "variables": (
            "target_network.0.weight",
            "target_network.0.bias",
            "target_network.2.weight",
            "target_network.2.bias",
        ),
        "path": [
            (17, "the target is computed with `target_network`"),
            (24, "this changes something else"),
            (19, "the loss"),
        ],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
