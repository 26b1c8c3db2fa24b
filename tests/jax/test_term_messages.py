"""What the rules say of bare gradients, targets under local names, and terms that are numbers, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("jax")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "jax"

MESSAGES: dict[str, dict[str, Any]] = {
    "w105_second_head_returned": {
        "severity": "warning",
        "message": "`model.spread` (2 variables) gets no gradient: the loss does not use the output of `model.spread`",
        "label": "computed without the output of `model.spread`",
        "why": "`nnx.softplus(self.spread(hidden)) + 1e-3` is computed and handed to the function that computes the "
        "loss; no data leads from it to the loss.",
        "fix": "let the loss use the output of `model.spread` (add its term), or do not train it",
        "variables": ("model.spread.bias", "model.spread.kernel"),
        "path": [(16, "computed here, and handed over"), (27, "the loss, without it")],
    },
    "w105_last_block_left_out": {
        "severity": "warning",
        "message": "`model.blocks[2]` (4 variables) gets no gradient: the loop at line 31 runs the others of "
        "`model.blocks`, and not it",
        "label": "runs a part of `model.blocks`",
        "why": "It exists and the optimizer holds it, but the forward pass never uses it.",
        "fix": "let the loop run over all of `model.blocks`, or make no more of them than it runs",
        "variables": tuple(
            f"model.blocks[2].{layer}.{name}" for layer in ("wide", "norm") for name in ("weight", "bias")
        ),
        "path": [(27, "made here"), (31, "and not run here"), (43, "the loss")],
    },
    "w105_row_set_as_a_statement": {
        "severity": "error",
        "message": "`params` (2 variables) gets no gradient: the loss at line 22 does not use it",
        "label": "computed here and dropped: nothing that reaches the loss is made from it",
        "why": "The output was computed and dropped, for no name takes it: no data leads from here to the loss.",
        "fix": "keep what `kept.at[i].set(x)` returns and use it, or do not train these variables",
        "variables": ("params['v']", "params['x']"),
        "path": [
            (15, "computed here, and used by nothing that reaches the loss"),
            (22, "the loss, which does not use it"),
        ],
    },
    "w206_gradients_applied": {
        "severity": "error",
        "message": "the gradients are added to `params` (2 variables) as they are: the optimizer's updates are "
        "computed and dropped",
        "label": "adds the gradients, not the updates",
        "why": "An optimizer turns a gradient into a step: against the slope, and as long as the learning rate says. "
        "A bare gradient points uphill.",
        "fix": "apply what the optimizer returned: updates, opt_state = tx.update(grads, opt_state, params); params "
        "= optax.apply_updates(params, updates)",
        "variables": ("params['v']", "params['w']"),
        "path": [(21, "the updates are made here"), (22, "the gradients are added here")],
    },
    "w503_local_target": {
        "severity": "warning",
        "message": "`q_target` never follows `q`",
        "label": "the target network is used here and never synced",
        "why": "The loss takes its targets from `q_target`, which stays what it was when training began.",
        "fix": "after every so many updates replace `q_target` by `q`, or average: optax.incremental_update",
        "variables": ("q_target.one.kernel", "q_target.one.bias", "q_target.two.kernel", "q_target.two.bias"),
        "path": [(19, "the target network is used here and never synced"), (20, "the loss")],
    },
    "w503_local_swapped": {
        "severity": "error",
        "message": "`q_target` is copied into `q`, not the other way round",
        "label": "copies the target into the trained network",
        "why": "The sync takes the trained network back to the target at each call, and `q_target` itself never "
        "changes.",
        "fix": "swap the two: `q_target` receives, `q` gives",
        "variables": ("q_target.one.kernel", "q_target.one.bias", "q_target.two.kernel", "q_target.two.bias"),
        "path": [
            (19, "the target is computed with `q_target`"),
            (36, "copies the target into the trained network"),
            (20, "the loss"),
        ],
    },
    "w104_bonus_is_a_number": {
        "severity": "warning",
        "message": "`params` (2 variables) learns nothing from a term of the loss at line 18",
        "label": "the gradient stops here: argmax returns an index, and an index has no derivative",
        "why": "Which entry is the largest does not change when an entry moves a little; its value does.",
        "fix": "use the value, not its index, in place of `jnp.argmax(logits, axis=1)` (such as jnp.max(q, axis=1)), "
        "or gather the entry that was taken",
        "variables": ("params['v']", "params['w']"),
        "path": [(15, "the output of `params`"), (17, "the gradient stops here"), (18, "the loss")],
    },
    "w503_kept_from_before": {
        "severity": "error",
        "message": "the sync of `target` takes `online`, which stays what it was before the first update",
        "label": "`online` is not trained: the new parameters are kept in `params`",
        "why": "Arrays in JAX do not change. Each update makes new ones, kept in `params`; `online` still means the "
        "first ones, so that `target` never follows.",
        "fix": "sync from `params`",
        "variables": ("target['w1']", "target['w2']"),
        "path": [
            (15, "the target is computed with `target`"),
            (37, "`online` is not trained: the new parameters are kept in `params`"),
            (16, "the loss"),
        ],
    },
    "w204_asked_of_the_copy": {
        "severity": "error",
        "message": "`params` (2 variables) is given the gradient of its own parameters of an earlier update: those "
        "of a copy",
        "label": "asks for older parameters than those of `params` that the result is applied to",
        "why": "The function is differentiated with respect to a copy that was made some updates ago (a target "
        "network). What `params` is now enters the same loss as a constant, and has no gradient of its own.",
        "fix": "differentiate with respect to `params` as it is now: the order of the arguments, or argnums, names "
        "the other one",
        "variables": ("params['w1']", "params['w2']"),
        "path": [(21, "the gradient of a copy"), (23, "applied to `params` as it is now")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
