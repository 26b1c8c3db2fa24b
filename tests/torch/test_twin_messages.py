"""What is said of networks of one kind, one of which is left out, and of weights that are none, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "torch"

MESSAGES: dict[str, dict[str, Any]] = {
    "w102_expectation_of_stopped_chances": {
        "severity": "warning",
        "message": "a term of the loss at line 20 teaches `actor` nothing: its probabilities are stopped",
        "label": "the probabilities are constants here",
        "why": "Each logarithm, weighed by its own probability, has the gradient of that probability, and all of them "
        "together are one whatever is learned: the gradient of the sum is zero, but for rounding. What else is in "
        "the sum is weighed by numbers alone.",
        "fix": "let `probs.detach()` keep its gradient: an expectation over all actions is taken with live "
        "probabilities",
        "variables": ("actor.0.weight", "actor.0.bias", "actor.2.weight", "actor.2.bias"),
        "path": [(20, "the probabilities are stopped here")],
    },
    "w105_twin_without_a_term": {
        "severity": "warning",
        "message": "`critic.two_in`, `critic.two_out` (4 of 8 variables of `critic`) get no gradient: the loss has no "
        "term for `second`",
        "label": "nothing of `second` is in this loss",
        "why": "`self.critic(states, actions)` gives two outputs of one shape. The loss is computed from the other "
        "one; nothing reads `second`.",
        "fix": "add the same term for `second` to the loss",
        "variables": ("critic.two_in.weight", "critic.two_in.bias", "critic.two_out.weight", "critic.two_out.bias"),
        "path": [
            (19, "computed here"),
            (33, "`second`, which nothing reads"),
            (34, "the loss, which has a term for the other one"),
        ],
    },
    "w201_called_twice_for_one": {
        "severity": "error",
        "message": "`second` (4 variables) gets a gradient that nobody applies: its `self.optimizer` never steps",
        "label": "the same once more, and never for `second`",
        "why": "Networks of its kind are trained by a loss and an optimizer of their own. For this one that is never "
        "done: what gradient it gets comes from another one's loss at line 34, and it keeps its first values.",
        "fix": "make one of the two calls for `second`",
        "variables": ("second.body.0.weight", "second.body.0.bias", "second.body.2.weight", "second.body.2.bias"),
        "path": [
            (26, "made here"),
            (30, "trains another of its kind, a second time"),
            (34, "a gradient comes here, from another one's loss"),
        ],
    },
    "w203_weight_is_a_plain_tensor": {
        "severity": "warning",
        "message": "the weight of `graph.first.bias` is a plain tensor: `graph` does not train it",
        "label": "no parameter of the model",
        "why": "`self.weight` is drawn at random and multiplied with what the layer is given; the bias that is added "
        "is trained. Only an nn.Parameter is registered: graph.parameters() leaves this tensor out, no gradient is "
        "computed for it, and it keeps its first values.",
        "fix": "self.weight = nn.Parameter(…); if it is to stay as it is: self.register_buffer(…)",
        "variables": (),
        "path": [(12, "a plain tensor"), (22, "the layer multiplies by it")],
    },
    "w503_both_follow_one": {
        "severity": "error",
        "message": "`two_target` follows `one`, as `one_target` does; no target follows `two`",
        "label": "copies from `one` once more",
        "why": "There are two targets because there are two networks. With `one` behind both they are one and the "
        "same, and `two` is fitted to targets that know nothing of it.",
        "fix": "copy into `two_target` from `two`",
        "variables": ("two_target.0.weight", "two_target.0.bias", "two_target.2.weight", "two_target.2.bias"),
        "path": [
            (29, "the target is computed with `two_target`"),
            (25, "copies from `one` once more"),
            (30, "the loss"),
        ],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
